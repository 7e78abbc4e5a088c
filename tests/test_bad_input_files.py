"""Bad task and rubric files, and bad code in them: what a user is told, and where in the file to look."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bad_input import assert_shown
from small_project import leaf, rubric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from small_project import Json, Project

GOOD = json.dumps(rubric(leaf("Title", 1.0)), indent=1)
SCORER = json.dumps(leaf("a", 1.0)["scorer"])
EMPTY = "the file is empty: write a rubric, tasks or cases into it, or remove it"
NO_DATA = "the file holds no data: write a rubric, tasks or cases into it, or remove it"


def write_rubric(project: Project, content: bytes, name: str = "r.json") -> None:
    """The project's one task, judged by a rubric file of this content."""
    project.task("t", rubric(leaf("Title", 1.0)))
    project.outputs()
    cases = project.pytester.path / "cases"
    (cases / "rubrics" / name).write_bytes(content)
    registry = (cases / "tasks.json").read_text("utf-8")
    (cases / "tasks.json").write_text(registry.replace("rubric_0.json", name), "utf-8")


def assert_refused(result: pytest.RunResult, *lines: str) -> None:
    """The run stops before anything is judged: a part of a suite would look like all of it."""
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    assert_shown(result, *lines)


# ---- rubrics ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"", f"1:1: {EMPTY}", id="empty"),
        pytest.param(b" \n\t\n", f"1:1: {EMPTY}", id="blank"),
        pytest.param(b"\xef\xbb\xbf", f"1:1: {EMPTY}", id="byte order mark alone"),
        pytest.param(b'{"root":', "1:9: not valid JSON: the text ends too early: close what is open", id="cut off"),
        pytest.param(b"{'root': 1}", '1:2: not valid JSON: text in single quotes: use double quotes "', id="quotes"),
        pytest.param(b'{"root": 1,\n}', "1:11: not valid JSON: a comma before }: take it off", id="comma"),
        pytest.param(b"PK\x03\x04", "1:1: not valid JSON: unexpected 'P': write a value here", id="a deck"),
        pytest.param(b"[]", "1:1: the file must be an object, not a list", id="list"),
        pytest.param(b"{}", "1:1: 'root' is missing: a rubric needs it", id="no root"),
        pytest.param(b'{"root": {"name": "x"}}', "1:10: node 'x' has neither 'children' nor 'scorer': give it one",
                     id="neither children nor scorer"),
        pytest.param(f'{{"root": {{"name": "x",\n "children": [],\n "scorer": {SCORER}}}}}'.encode(),
                     "1:10: node 'x' has both 'children' and 'scorer': keep one", id="children and scorer"),
        pytest.param(b'{"root": {"name": "x", "children": []}}',
                     "1:36: 'children' is empty: give it at least one member",
                     id="no children"),
        pytest.param(GOOD.replace('"name": "Title"', '"name": "a",\n    "name": "b"').encode(),
                     "7:5: key 'name' is written twice, first in line 6: remove one or rename it", id="duplicate keys"),
        pytest.param(GOOD.encode("utf-16"), "1:1: this is UTF-16: save the file as UTF-8", id="UTF-16"),
        pytest.param(GOOD.encode().replace(b"Title", b"T\xeftle"),
                     "6:15: byte 0xEF is not UTF-8: save the file as UTF-8",
                     id="Latin-1"),
        pytest.param(b"[" * 100_000, "1:401: nested more than 400 levels deep: flatten the tree", id="nesting bomb"),
        pytest.param(b'{"root": ' + b"9" * 5000 + b"}", "1:1: a number has too many digits: write a smaller one",
                     id="huge number"),
    ],
)  # fmt: skip
def test_a_bad_rubric_in_json(project: Project, content: bytes, problem: str) -> None:
    write_rubric(project, content)
    assert_refused(project.run(), f"cases/rubrics/r.json:{problem}")


BOMB = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}' if before else 'x'] * 9)}]\n"
    for before, name in zip(["", *"abcdefgh"], "abcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"", f"1:1: {EMPTY}", id="empty"),
        pytest.param(b"# nothing yet\n", f"1:1: {NO_DATA}", id="a comment alone"),
        pytest.param(b"root:\n\tname: x\n", "2:1: not valid YAML: a tab: indent with spaces", id="tab"),
        pytest.param(b"root: {name: x}\n---\nroot: {}\n",
                     "2:1: not valid YAML: a second document starts here: keep one in a file", id="two documents"),
        pytest.param(b"root: {name: caf\xe9}\n", "1:17: byte 0xE9 is not UTF-8: save the file as UTF-8", id="Latin-1"),
        pytest.param("root: {name: x}".encode("utf-16-le"), "1:2: not valid YAML: character U+0000 is not allowed: "
                     "write it as an escape in double quotes", id="UTF-16 without a mark"),
        pytest.param(b"root: {name: x, name: y}\n",
                     "1:17: key 'name' is written twice, first in line 1: remove one or rename it",
                     id="duplicate keys"),
        pytest.param(BOMB.encode() + b"root: *i\n", "1:*: aliases repeat more than 10,000 values: write them out",
                     id="bomb"),
        pytest.param(b"root: &r {name: x, children: [*r]}\n",
                     "1:7: an alias inside of what it stands for: write the values out", id="endless alias"),
        pytest.param(b"root: *r\n", "1:7: not valid YAML: found undefined alias: define it with & before its use",
                     id="undefined alias"),
        pytest.param(b"root: !!python/object/apply:os.system [touch pwned]\n",
                     "1:7: YAML tag !!python/object/apply:os.system is not allowed: "
                     "write plain text, numbers, lists and mappings", id="tag that runs code"),
        pytest.param(b"root: !mine {}\n", "1:7: YAML tag !mine is not allowed: "
                     "write plain text, numbers, lists and mappings", id="tag"),
        pytest.param(b"root:\n  name: yes\n  scorer: {type: llm, system_prompt: a, user_prompt: b}\n",
                     "2:9: 'name' must be text, not true: quote it, YAML reads the bare word as something else",
                     id="a word that is no text"),
    ],
)  # fmt: skip
def test_a_bad_rubric_in_yaml(project: Project, content: bytes, problem: str) -> None:
    write_rubric(project, content, "r.yaml")
    result = project.run()
    if "1:*:" in problem:  # which of the repeated values is one too many is no matter
        result.stdout.fnmatch_lines([f"cases/rubrics/r.yaml:{problem}"])
        assert_refused(result)
    else:
        assert_refused(result, f"cases/rubrics/r.yaml:{problem}")
    assert not (project.pytester.path / "pwned").exists()


@pytest.mark.parametrize(("name", "text"), [("r.json", GOOD), ("r.yaml", GOOD)])
def test_a_byte_order_mark_is_no_fault(project: Project, name: str, text: str) -> None:
    write_rubric(project, b"\xef\xbb\xbf" + text.encode(), name)
    result = project.run()
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_a_rubric_that_is_a_folder_or_a_pipe(project: Project) -> None:
    write_rubric(project, b"")
    path = project.pytester.path / "cases" / "rubrics" / "r.json"
    path.unlink()
    path.mkdir()
    assert_refused(project.run(), "cases/rubrics/r.json:1:1: this is a folder, not a file: name a JSON or YAML file")
    path.rmdir()
    os.mkfifo(path)
    assert_refused(
        project.run(), "cases/rubrics/r.json:1:1: this is a device or pipe, not a file: name a JSON or YAML file"
    )


# ---- registries ------------------------------------------------------------------------------------------------------


def write_registry(project: Project, content: bytes) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    (project.pytester.path / "cases" / "tasks.json").write_bytes(content)


def entry(**changes: str) -> Json:
    return {"goal": "g", "file_path": "cases/intro.pptx", "rubric_path": "cases/rubrics/rubric_0.json", **changes}


def registry(task_id: str = "t", **changes: str) -> bytes:
    return json.dumps({task_id: entry(**changes)}).encode()


TWICE = f'{{"t": {json.dumps(entry())},\n "t": {json.dumps(entry())}}}'.encode()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"", f"1:1: {EMPTY}", id="empty"),
        pytest.param(b"{}", "1:1: no tasks in this registry: add one", id="no tasks"),
        pytest.param(b'{"$schema": "registry.schema.json"}', "1:1: no tasks in this registry: add one",
                     id="a schema alone"),
        pytest.param(b"[]", "1:1: a registry must be an object: task id -> task", id="list"),
        pytest.param(b'{"t": 1}', "1:7: 't' must be an object, not 1", id="a task that is none"),
        pytest.param(TWICE, "2:2: key 't' is written twice, first in line 1: remove one or rename it",
                     id="duplicate ids"),
        pytest.param(registry("../t"), "1:2: task id '../t' contains '/', it names folders and tests: "
                     "choose an id without it", id="an id that climbs out"),
        pytest.param(registry(".."), "1:2: task id '..' names a folder of the file system: choose another", id="dots"),
        pytest.param(registry(""), "1:2: task id '' is empty: give the task a name", id="an empty id"),
        pytest.param(registry("a\0b"), "1:2: task id 'a\\x00b' contains a control character: choose an id without it",
                     id="an id with a NUL"),
        pytest.param(registry().decode().encode("utf-16"), "1:1: this is UTF-16: save the file as UTF-8", id="UTF-16"),
        pytest.param(registry(rubric_path="cases/rubrics"), "", id="a folder as rubric"),
    ],
)  # fmt: skip
def test_a_bad_registry(project: Project, content: bytes, problem: str) -> None:
    write_registry(project, content)
    line = f"cases/tasks.json:{problem}" if problem else (
        "cases/rubrics:1:1: this is a folder, not a file: name a JSON or YAML file"
    )  # fmt: skip
    assert_refused(project.run("cases/tasks.json"), line)


@pytest.mark.parametrize("key", ["file_path", "rubric_path"])
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../x.json", "climbs out of {root}: keep files below it"),
        ("cases/../../x.json", "climbs out of {root}: keep files below it"),
        ("/etc/passwd", "is absolute: write it relative to {root}"),
        ("C:\\x.json", "is absolute: write it relative to {root}"),
        ("a\x07b", "contains a control character: correct it"),
    ],
)
def test_paths_that_climb_out_of_the_suite(project: Project, key: str, path: str, why: str) -> None:
    write_registry(project, registry(**{key: path}))
    column = registry(**{key: path}).decode().index(json.dumps(path)) + 1
    shown = why.format(root=project.pytester.path)
    assert_refused(project.run(), f"cases/tasks.json:1:{column}: path {path!r} {shown}")


def test_a_link_inside_the_suite_may_point_where_its_owner_likes(project: Project) -> None:
    """Words that climb out come from whoever wrote the registry; a link from whoever owns the disk."""
    project.task("t", rubric(leaf("Title", 1.0)))
    project.outputs()
    rubrics = project.pytester.path / "cases" / "rubrics"
    rubrics.rename(project.pytester.path / "elsewhere")
    rubrics.symlink_to(project.pytester.path / "elsewhere")
    project.run().assert_outcomes(passed=1)


def test_a_rubric_that_is_not_there(project: Project) -> None:
    write_registry(project, registry(rubric_path="cases/rubrics/none.json"))
    root = project.pytester.path
    column = registry(rubric_path="cases/rubrics/none.json").decode().index('"cases/rubrics/none.json"') + 1
    assert_refused(
        project.run(),
        f"cases/tasks.json:1:{column}: rubric 'cases/rubrics/none.json' is not there: "
        f"looked for {root}/cases/rubrics/none.json and {root}/cases/cases/rubrics/none.json, "
        "since paths count from the folder above the registry's, else from its own",
    )


def test_one_bad_task_does_not_hide_behind_the_good_ones(project: Project) -> None:
    """The good ones are judged all the same; the bad one is an error of the run."""
    project.task("good", rubric(leaf("Title", 1.0)))
    project.task("bad", {"root": {"name": "x"}})
    project.outputs()
    result = project.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=1)
    assert_shown(result, "cases/rubrics/rubric_1.json:2:10: node 'x' has neither 'children' nor 'scorer': give it one")


def test_a_registry_in_utf_16_is_not_passed_over(project: Project) -> None:
    """In a folder, a tasks.json is ours by what it mentions, in whatever encoding an editor has saved it."""
    for encoding in ("utf-16", "utf-16-be"):
        write_registry(project, registry().decode().encode(encoding))
        result = project.run("cases")
        assert result.ret == pytest.ExitCode.INTERRUPTED, encoding
    assert_shown(result, "cases/tasks.json:1:1: not valid JSON: unexpected '\\x00': write a value here")


def test_a_folder_without_tasks_is_no_success(project: Project) -> None:
    write_registry(project, b"{}")
    assert project.run("cases").ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.slow
def test_10_000_tasks(project: Project) -> None:
    """Slow: pytest itself makes 10,000 items, twice. Collected in full, and one of them judged by its name."""
    project.task("t", rubric(leaf("Title", 1.0)))
    cases = project.pytester.path / "cases"
    tasks = {f"task-{number:05}": project.tasks["t"] for number in range(10_000)}
    (cases / "tasks.json").write_text(json.dumps(tasks, indent=1), "utf-8")
    project.output("task-07777")
    collected = project.run("--collect-only", "-q")
    assert collected.ret == 0
    assert [line for line in collected.outlines if "::" in line] == [f"cases/tasks.json::{name}" for name in tasks]
    one = project.run("-k", "task-07777")
    assert one.ret == 0
    one.assert_outcomes(passed=1, deselected=9_999)


# ---- files that may not be read --------------------------------------------------------------------------------------

ORDINARY = 64_123


@pytest.fixture
def readable(project: Project) -> Iterator[Path]:
    """The project, with its task "t" and an output, in a folder that every user of this machine may enter."""
    project.task("t", rubric(leaf("Title", 1.0)))
    project.outputs()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("cases", "outputs"):
            shutil.copytree(project.pytester.path / part, folder / part)
        folder.chmod(0o755)
        yield folder


def run_as_ordinary_user(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit code and output of pytest on the project, as a user who is not root: root may read everything."""
    from ordinary_user import python_for_others

    identity: dict[str, object] = {}
    python: str | None = sys.executable
    if os.geteuid() == 0:
        python = python_for_others()
        if python is None:
            pytest.skip("root reads every file, and there is no interpreter here that another user may run")
        identity = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), sysconfig.get_path("purelib")]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", "--ppteval-outputs=outputs", *(arguments or ["cases"])]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, **identity)  # type: ignore[call-overload]  # identity holds what subprocess.run takes
    lines: list[str] = done.stdout.splitlines()
    assert not [line for line in lines if "Traceback" in line or "pytest_ppteval/" in line], done.stdout
    return done.returncode, lines


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes of files")
@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("cases/tasks.json", "cases/tasks.json:1:1: can't be read (Permission denied): correct the path or its rights"),
        (
            "cases/rubrics/rubric_0.json",
            "cases/rubrics/rubric_0.json:1:1: can't be read (Permission denied): correct the path or its rights",
        ),
    ],
)
def test_a_file_that_may_not_be_read_stops_the_run(readable: Path, file: str, line: str) -> None:
    (readable / file).chmod(0)
    code, lines = run_as_ordinary_user(readable)
    assert code == pytest.ExitCode.INTERRUPTED
    assert line in lines


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes of files")
@pytest.mark.parametrize(
    ("file", "line"),
    [
        (
            "outputs/t/output.pptx",
            "the agent's deck can't be used: may not be read: no permission: outputs/t/output.pptx",
        ),
        (
            "cases/intro.pptx",
            "the original deck can't be used: may not be read: no permission: cases/intro.pptx",
        ),
    ],
)
def test_a_deck_that_may_not_be_read(readable: Path, file: str, line: str) -> None:
    (readable / file).chmod(0)
    code, lines = run_as_ordinary_user(readable)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert [found.strip() for found in lines].count(line) == 1, "\n".join(lines)  # told once, by the task


# ---- code of leaves --------------------------------------------------------------------------------------------------


def judge_code(project: Project, code: str, *arguments: str) -> pytest.RunResult:
    """A task of two leaves: one of this code, and one that is fine and must still count."""
    project.task("t", rubric(leaf("Broken", code), leaf("Fine", 1.0)))
    project.outputs()
    return project.run(*arguments)


def place_of(project: Project, text: str) -> str:
    """file:line:column of `text`, which stands once in the rubric's file."""
    written = (project.pytester.path / "cases" / "rubrics" / "rubric_0.json").read_text("utf-8")
    assert written.count(text) == 1
    before = written[: written.index(text)]
    return f"cases/rubrics/rubric_0.json:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def assert_leaf_in_error(result: pytest.RunResult, *lines: str) -> None:
    """The leaf is an error, the other counts, and nothing is made of what was not scored."""
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=2)
    assert_shown(result, *lines, "undetermined: score 0.50..1.00, threshold 1")


@pytest.mark.parametrize(
    ("code", "reason", "at"),
    [
        pytest.param("def compute_score():\n    x = 1\n    return 'x' 1.0\n", "SyntaxError: invalid syntax",
                     "    return 'x' 1.0", id="syntax"),
        pytest.param("def compute_score():\n    x = 1\n  return x\n",
                     "IndentationError: unindent does not match any outer indentation level", "  return x",
                     id="indent"),
        pytest.param("x = " + "(" * 300 + ")" * 300, "SyntaxError: too many nested parentheses", "x = (", id="parser"),
        pytest.param("import nosuch\n\ndef compute_score():\n    return 'x', 1.0\n",
                     "ModuleNotFoundError: No module named 'nosuch'", "import nosuch", id="import"),
        pytest.param("# é\ndef help():\n    raise ValueError('\"no\"')\n\ndef compute_score():\n    return help()\n",
                     'ValueError: "no"', "    raise ValueError('", id="in a function"),
        pytest.param("import json\n\ndef compute_score():\n    return json.loads('{'), 1.0\n",
                     "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
                     "    return json.loads", id="in a library"),
        pytest.param("```python\nimport os\ndef compute_score():\n    return nope, 1.0\n```\n",
                     "NameError: name 'nope' is not defined", "    return nope", id="in a fence"),
        pytest.param("def compute_score():\n    raise SystemExit(0)\n", "SystemExit: 0", "    raise SystemExit",
                     id="exit"),
    ],
)  # fmt: skip
def test_code_that_fails_is_shown_with_its_own_line_of_the_file(
    project: Project, code: str, reason: str, at: str
) -> None:
    result = judge_code(project, code, "--ppteval-json=r.json", "--junitxml=r.xml")
    place = place_of(project, at)
    assert_leaf_in_error(result, f"error: {reason}", f"{place}: Broken")
    file, line, column = place.split(":")
    broken = json.loads(Path("r.json").read_text("utf-8"))["tasks"][0]["scored_rubric"]["root"]["children"][0]
    assert broken["error_at"] == {"file": file, "line": int(line), "column": int(column)}
    assert (broken["status"], broken["score"], broken["line"]) == ("error", None, 5)
    case = next(case for case in ET.parse("r.xml").iter("testcase") if case.get("name") == "t::Broken")
    assert (case.get("file"), case.get("line")) == (file, line)
    error = case.find("error")
    assert error is not None
    assert error.get("message") == f"error: {reason}"


YAML = """\
root:
  name: task
  children:
    - name: Fine
      scorer: {type: function, function_code: "def compute_score(): return 'fine', 1.0"}
    - name: Broken
      scorer:
        type: function
        function_code: |
          def compute_score():
              x = 1

              return %s
"""


@pytest.mark.parametrize(
    ("value", "reason"),
    [("'x' 1.0", "SyntaxError: invalid syntax"), ("nope, 1.0", "NameError: name 'nope' is not defined")],
)
def test_in_yaml_each_line_of_code_has_its_own(project: Project, value: str, reason: str) -> None:
    write_rubric(project, (YAML % value).encode(), "r.yaml")
    result = project.run("--ppteval-json=r.json", "--junitxml=r.xml")
    assert_leaf_in_error(result, f"error: {reason}", "cases/rubrics/r.yaml:13:15: Broken", f"    return {value}")
    broken = json.loads(Path("r.json").read_text("utf-8"))["tasks"][0]["scored_rubric"]["root"]["children"][1]
    assert broken["error_at"] == {"file": "cases/rubrics/r.yaml", "line": 13, "column": 15}
    case = next(case for case in ET.parse("r.xml").iter("testcase") if case.get("name") == "t::Broken")
    assert (case.get("file"), case.get("line")) == ("cases/rubrics/r.yaml", "13")


def test_a_file_of_the_suite_from_another_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place is looked up where the file is, wherever pytest was started."""
    write_rubric(project, (YAML % "nope, 1").encode(), "r.yaml")
    elsewhere = project.pytester.mkdir("elsewhere")
    monkeypatch.chdir(elsewhere)
    root = project.pytester.path
    result = project.pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", f"--rootdir={root}", f"--ppteval-outputs={root}/outputs", f"{root}/cases"
    )
    assert_leaf_in_error(result, "cases/rubrics/r.yaml:13:15: Broken")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("def compute():\n    return 'x', 1.0\n", "the code defines no function compute_score()",
                     id="none"),
        pytest.param("", "the code defines no function compute_score()", id="empty"),
        pytest.param("compute_score = 5\n", "compute_score is no function but int", id="no function"),
        pytest.param("def compute_score(deck):\n    return 'x', 1.0\n",
                     "TypeError: compute_score() missing 1 required positional argument: 'deck'", id="argument"),
        pytest.param("def compute_score():\n    pass\n", "returned None, expected (reason, score)", id="nothing"),
        pytest.param("def compute_score():\n    return 1.0, 'x'\n",
                     "returned (float, str), expected (reason, score): text, then a number", id="swapped"),
        pytest.param("def compute_score():\n    return 'x', float('nan')\n", "score nan is outside 0..1", id="nan"),
        pytest.param("def compute_score():\n    return 'x', 100\n", "score 100.0 is outside 0..1", id="percent"),
        pytest.param("def compute_score():\n    return 'x', -0.1\n", "score -0.1 is outside 0..1", id="negative"),
        pytest.param("def f():\n    return 'a\0b'\n", "SyntaxError: source code string cannot contain null bytes",
                     id="NUL"),
        pytest.param("import os\n\ndef compute_score():\n    os._exit(0)\n", "exit code 0 without a result", id="gone"),
    ],
)  # fmt: skip
def test_code_without_a_score(project: Project, code: str, reason: str) -> None:
    result = judge_code(project, code)
    assert_leaf_in_error(result, f"error: {reason}")
    result.stdout.fnmatch_lines(["cases/rubrics/rubric_0.json:*: Broken"])


def test_an_endless_loop(project: Project) -> None:
    result = judge_code(
        project, "def compute_score():\n    n = 0\n    while True:\n        n += 1\n", "--ppteval-leaf-timeout=1"
    )
    assert_leaf_in_error(result, "error: no answer within 1 s")
    places = [line for line in result.outlines if line.startswith("cases/rubrics/") and line.endswith(": Broken")]
    assert places in ([f"{place_of(project, text)}: Broken"] for text in ("    while True", "        n += 1"))


def test_an_endless_loop_in_a_library(project: Project) -> None:
    code = "import re\n\ndef compute_score():\n    return str(re.match('(a+)+$', 'a' * 60 + 'b')), 1.0\n"
    result = judge_code(project, code, "--ppteval-leaf-timeout=1")
    assert_leaf_in_error(result, "error: no answer within 1 s", f"{place_of(project, '    return str(re')}: Broken")


def test_a_recursion_without_end(project: Project) -> None:
    code = "def f(n):\n    return f(n + 1)\n\ndef compute_score():\n    return f(0), 1.0\n"
    result = judge_code(project, code)
    assert_leaf_in_error(
        result,
        "error: RecursionError: maximum recursion depth exceeded",
        f"{place_of(project, '    return f(n + 1)')}: Broken",
    )
    # A line that calls itself is shown thrice, then counted.
    assert sum(line == "    return f(n + 1)" for line in result.outlines) == 3
    result.stdout.fnmatch_lines(["  [[]Previous line repeated * more times[]]"])


def test_a_recursion_that_lifts_its_limit(project: Project) -> None:
    code = (
        "import sys\nsys.setrecursionlimit(10**9)\n\ndef f(n):\n    return repr(f(n + 1))\n\n"
        "def compute_score():\n    return f(0), 1.0\n"
    )
    result = judge_code(project, code, "--ppteval-leaf-timeout=2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=2)
    assert_shown(result, "undetermined: score 0.50..1.00, threshold 1")
    assert len(result.outlines) < 100


def test_a_memory_bomb(project: Project) -> None:
    result = judge_code(project, "def compute_score():\n    return 'x' * (10 << 30), 1.0\n")
    assert_leaf_in_error(result, "error: MemoryError: memory limit of 2 GiB")


def test_a_leaf_that_prints_100_mb(project: Project) -> None:
    """What it printed is cut; where it went on printing it was stopped, and says at which line."""
    code = "def compute_score():\n    for _ in range(100):\n        print('x' * 1_000_000)\n    return 'printed', 1.0\n"
    result = judge_code(project, code, "--ppteval-json=r.json")
    assert_leaf_in_error(result, "printed by the leaf:", f"{place_of(project, '        print')}: Broken")
    result.stdout.fnmatch_lines(["error: OSError: [[]Errno 27[]] File too large*"])
    assert sum(map(len, result.outlines)) < 100_000
    assert Path("r.json").stat().st_size < 100_000


def test_a_reason_of_100_mb(project: Project) -> None:
    """It is cut before it is sent; the score counts."""
    result = judge_code(project, "def compute_score():\n    return 'x' * 100_000_000, 0.0\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=2)
    assert len(result.stdout.str()) < 200_000
