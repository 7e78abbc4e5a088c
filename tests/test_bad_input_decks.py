"""Bad decks: what the agent left is its own failure, what it was given is an error; both say what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import struct
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bad_input import assert_shown
from deck_edits import DECKS
from PIL import Image
from small_project import leaf, rubric

from pytest_ppteval import score

if TYPE_CHECKING:
    from collections.abc import Callable

    from small_project import Project

USES_DIFF = "def compute_score():\n    return str(len(ppt_diff.modified_slides)), 1.0\n"


def compound_file(*streams: str) -> bytes:
    """An OLE compound file, which old and encrypted Office files are, whose directory holds these names."""
    entries = b""
    for name in ("Root Entry", *streams):
        text = name.encode("utf-16-le")
        entries += text.ljust(64, b"\0") + struct.pack("<H", len(text) + 2) + bytes(62)
    table = struct.pack("<3I", 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE).ljust(512, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(22) + struct.pack("<H", 9)
    header = header.ljust(48, b"\0") + struct.pack("<I", 1)
    header = header.ljust(76, b"\0") + struct.pack("<I", 0) + b"\xff" * 4 * 108
    return header + table + entries.ljust(512, b"\0")


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10_000])


def encrypt(path: Path) -> None:
    shutil.copy(DECKS.parent / "encrypted.pptx", path)


def old_format(path: Path) -> None:
    path.write_bytes(compound_file("Pictures", "PowerPoint Document"))


def strict(path: Path) -> None:
    shutil.copy(DECKS / "strict.pptx", path)


def apology(path: Path) -> None:
    path.write_bytes(b"Sorry, I cannot edit this deck.")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path) -> None:
    real = path.with_name("real.bin")
    path.rename(real)
    path.symlink_to(real)


def dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.pptx")


def endless_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def add_parts(path: Path, parts: dict[str, bytes]) -> None:
    stream = BytesIO(path.read_bytes())
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    path.write_bytes(stream.getvalue())


def bomb(path: Path) -> None:
    add_parts(path, {"ppt/media/x.bin": bytes(140 << 20)})


def many_parts(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        there = len(archive.infolist())
    add_parts(path, {f"ppt/media/{number}.bin": b"" for number in range(10_000 - there)})


def broken_xml(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    parts["ppt/slides/slide1.xml"] = b"<p:sld>"
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    path.write_bytes(stream.getvalue())


FAULTS: list[tuple[Callable[[Path], None], str]] = [
    (empty, "is empty (0 bytes)"),
    (truncate, "is cut off: the zip's directory at its end is missing"),
    (encrypt, "is encrypted with a password: remove the password and save it again"),
    (old_format, "is in the old .ppt format of PowerPoint 97-2003: save it as .pptx"),
    (strict, "is Strict Open XML, which cannot be opened here: save it as an ordinary .pptx"),
    (apology, "is not a PowerPoint file (no zip)"),
    (folder, "is a folder, not a file"),
    (link, "is a symbolic link: put the deck itself there"),
    (dangling_link, "is a symbolic link: put the deck itself there"),
    (endless_link, "is a symbolic link: put the deck itself there"),
    (pipe, "is a pipe, not a file"),
    (many_parts, "holds 10,000 parts; at most 5,000 are opened"),
]
each_fault = pytest.mark.parametrize(("spoil", "why"), FAULTS, ids=[spoil.__name__ for spoil, _ in FAULTS])


def judge(project: Project, *arguments: str) -> pytest.RunResult:
    return project.run("--ppteval-json=r.json", *arguments)


def with_task(project: Project) -> None:
    """A task whose leaves would all score 1, with an output that is good."""
    project.task("t", rubric(leaf("Title", 1.0, critical=True), leaf("Diff", USES_DIFF)))
    project.output("t")


def assert_agents_failure(result: pytest.RunResult, why: str) -> None:
    """The task fails with a score of 0 and says why, once; nothing is an error."""
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
    assert_shown(result, "failed: score 0.00, threshold 1", f"  {why}")
    assert result.stdout.str().count(why) == 1
    [task] = json.loads(Path("r.json").read_text("utf-8"))["tasks"]
    assert (task["verdict"], task["score"], task["high"]) == ("failed", 0.0, 0.0)


def assert_error(result: pytest.RunResult, why: str) -> None:
    """The task is an error, with no score: nobody can be judged by such a set-up."""
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=1)
    assert_shown(result, "undetermined: score 0.00..1.00, threshold 1", f"  {why}")
    [task] = json.loads(Path("r.json").read_text("utf-8"))["tasks"]
    assert (task["verdict"], task["score"], task["low"], task["high"]) == ("undetermined", None, 0.0, 1.0)


# ---- the agent's deck ------------------------------------------------------------------------------------------------


@each_fault
@pytest.mark.parametrize("place", ["outputs/t/output.pptx", "outputs/t.pptx"])
def test_a_bad_output_is_the_agents_failure(
    project: Project, spoil: Callable[[Path], None], why: str, place: str
) -> None:
    with_task(project)
    output = project.pytester.path / "outputs" / "t" / "output.pptx"
    deck = project.pytester.path / place
    if deck != output:
        output.rename(deck)
        output.parent.rmdir()
    spoil(deck)
    assert_agents_failure(judge(project), f"the agent's deck can't be used: {why}: {place}")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (bomb, "has a part 'ppt/media/x.bin' packed * times smaller than it is; limit 250"),
        (broken_xml, "holds XML that is not well-formed: *line 1*"),
    ],
)
def test_a_bad_output_whose_message_has_details(project: Project, spoil: Callable[[Path], None], why: str) -> None:
    with_task(project)
    spoil(project.pytester.path / "outputs" / "t" / "output.pptx")
    result = judge(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"  the agent's deck can't be used: {why}: outputs/t/output.pptx"])
    assert_shown(result)


def test_no_output(project: Project) -> None:
    with_task(project)
    remove(project.pytester.path / "outputs" / "t" / "output.pptx")
    outputs = project.pytester.path / "outputs"
    assert_agents_failure(judge(project), f"the agent left no deck: looked for t.pptx or t/*.pptx in {outputs}")


def test_a_deck_of_another_ending_is_no_output(project: Project) -> None:
    """A .ppt, an .odp, a PDF: the agent was asked for a .pptx."""
    with_task(project)
    output = project.pytester.path / "outputs" / "t" / "output.pptx"
    output.rename(output.with_suffix(".ppt"))
    outputs = project.pytester.path / "outputs"
    why = f"the agent left no deck: looked for t.pptx or t/*.pptx in {outputs}; there is t/output.ppt"
    assert_agents_failure(judge(project), why)


def test_a_folder_named_as_a_deck_does_not_hide_the_tasks_own(project: Project) -> None:
    """A task may be called "t.pptx": its folder is no output of the task "t"."""
    with_task(project)
    (project.pytester.path / "outputs" / "t.pptx").mkdir()
    result = judge(project)
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_no_folder_of_outputs(project: Project) -> None:
    with_task(project)
    shutil.rmtree(project.pytester.path / "outputs")
    result = judge(project, "--ppteval-outputs=outputs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *--ppteval-outputs*outputs*"])


@each_fault
def test_a_bad_deck_at_the_desk(project: Project, spoil: Callable[[Path], None], why: str) -> None:
    with_task(project)
    for name in ("before.pptx", "after.pptx"):
        shutil.copy(project.deck, project.pytester.path / name)
    spoil(project.pytester.path / "after.pptx")
    arguments = ["--ppteval-rubric=cases/rubrics/rubric_0.json", "--ppteval-original=before.pptx"]
    result = judge(project, *arguments, "--ppteval-modified=after.pptx")
    assert_agents_failure(result, f"the agent's deck can't be used: {why}: after.pptx")


# ---- the deck that the agent was given -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(remove, "there is no such file"), *(fault for fault in FAULTS if fault[0] is not link)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_bad_original_is_an_error(project: Project, spoil: Callable[[Path], None], why: str) -> None:
    with_task(project)
    spoil(project.pytester.path / "cases" / "intro.pptx")
    assert_error(judge(project), f"the original deck can't be used: {why}: cases/intro.pptx")


@pytest.mark.parametrize("desk", [False, True], ids=["registry", "option"])
def test_an_original_may_be_a_link_that_its_owner_made(project: Project, desk: bool) -> None:
    """As git-annex, DVC and Bazel keep large files. Pictures still lie beside the link."""
    looks = "def compute_score():\n    return original_ppt_screenshots[0].image_path[-4:], 1.0\n"
    project.task("t", rubric(leaf("Diff", USES_DIFF), leaf("Looks", looks)))
    project.output("t")
    original = project.pytester.path / "cases" / "intro.pptx"
    link(original)
    picture = BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    with zipfile.ZipFile(original.with_suffix(".zip"), "w") as archive:
        for number in (1, 2):
            archive.writestr(f"slide_{number}.png", picture.getvalue())
    named = ["--ppteval-rubric=cases/rubrics/rubric_0.json", "--ppteval-original=cases/intro.pptx"]
    result = judge(project, *([*named, "--ppteval-modified=outputs/t/output.pptx"] if desk else []))
    result.assert_outcomes(passed=1)


def test_without_pytest_an_original_may_be_a_link_too(project: Project) -> None:
    project.task("t", rubric(leaf("Diff", USES_DIFF)))
    output, original = project.output("t"), project.pytester.path / "cases" / "intro.pptx"
    link(original)
    rubric_file = project.pytester.path / "cases" / "rubrics" / "rubric_0.json"
    assert score(rubric_file, original=original, modified=output).verdict.outcome == "passed"
    assert score(rubric_file, original=output, modified=original).verdict.outcome == "failed"


@pytest.mark.parametrize("spoil", [remove, truncate])
def test_where_both_are_bad_the_agent_is_not_to_blame(project: Project, spoil: Callable[[Path], None]) -> None:
    """An agent that was given a broken deck can't have left a good one."""
    with_task(project)
    empty(project.pytester.path / "cases" / "intro.pptx")
    spoil(project.pytester.path / "outputs" / "t" / "output.pptx")
    assert_error(judge(project), "the original deck can't be used: is empty (0 bytes): cases/intro.pptx")


def test_no_approved_run(project: Project) -> None:
    with_task(project)
    shutil.rmtree(project.pytester.path / "outputs")
    result = judge(project)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=1)
    expected = project.pytester.path / "baselines" / "cases" / "t" / "output.pptx"
    assert_shown(
        result,
        "cases/tasks.json:2: t: nothing to judge: no --ppteval-outputs, "
        f"and no approved run of this task at {expected}",
    )


@each_fault
def test_an_ordinary_test_of_a_bad_deck(project: Project, spoil: Callable[[Path], None], why: str) -> None:
    with_task(project)
    spoil(project.pytester.path / "outputs" / "t" / "output.pptx")
    project.pytester.makepyfile(
        'import pytest\n\n@pytest.mark.ppteval_task("cases/tasks.json", "t")\ndef test_it(ppt_diff): pass\n'
    )
    result = project.pytester.runpytest_inprocess("--ppteval-outputs=outputs", "test_an_ordinary_test_of_a_bad_deck.py")
    result.assert_outcomes(errors=1)
    assert_shown(result, f"the agent's deck can't be used: {why}: outputs/t/output.pptx")


# ---- decks that change while they are judged -------------------------------------------------------------------------

# The decks are parsed once, but a leaf may open one anew: a verdict on two versions would be a verdict on neither.
CHANGES: dict[str, tuple[str, str]] = {
    "rewritten": ("changed", "path.write_bytes(path.read_bytes())\n    os.utime(path, ns=(1, 1))"),
    "grown": ("changed", "path.write_bytes(path.read_bytes() + b'more')"),
    "replaced": ("changed", "shutil.copy2(path, 'other'); os.replace('other', path)"),
    "removed": ("was removed", "path.unlink()"),
}


def change_between_leaves(project: Project, file: str, change: str) -> None:
    """A conftest.py that changes a deck when the second leaf asks its model."""
    project.pytester.makeconftest(
        "import os, shutil\nfrom pathlib import Path\nimport pytest\n\n"
        "@pytest.fixture\ndef llm_call():\n"
        "    def call(prompt, **_):\n"
        "        change()\n"
        "        return 'done'\n"
        "    return call\n\n"
        f"def change():\n    path = Path({file!r})\n    {change}\n"
    )
    asks = "def compute_score():\n    return llm_call(prompt='Well?'), 1.0\n"
    project.task("t", rubric(leaf("Before", 1.0, critical=True), leaf("Asks", asks)))
    project.output("t")


@pytest.mark.parametrize(
    ("file", "whose"), [("outputs/t/output.pptx", "the agent's deck"), ("cases/intro.pptx", "the original deck")]
)
@pytest.mark.parametrize("how", CHANGES)
def test_a_deck_that_changes_while_it_is_judged_gets_no_verdict(
    project: Project, file: str, whose: str, how: str
) -> None:
    what, change = CHANGES[how]
    change_between_leaves(project, file, change)
    assert_error(
        judge(project),
        f"{whose} {what} while the task was judged, so that no verdict on it holds: "
        f"run the task again once nothing writes to {file}",
    )


def test_an_output_that_appears_while_its_absence_is_judged(project: Project) -> None:
    """By a fixture of the user's that is slow: what was missing at first is there at the end."""
    with_task(project)
    project.pytester.makeconftest(
        "import pytest, shutil\n\n"
        "@pytest.fixture\n"
        "def ppt_diff(ppteval_evidence):\n"
        "    shutil.copy('cases/intro.pptx', 'outputs/t.pptx')\n"
        "    return None\n"
    )
    shutil.rmtree(project.pytester.path / "outputs" / "t")
    assert_error(
        judge(project),
        "the agent's deck appeared while the task was judged, so that no verdict on it holds: "
        "run the task again once nothing writes to outputs/t.pptx",
    )


def test_reading_a_deck_is_no_change(project: Project) -> None:
    change_between_leaves(project, "outputs/t/output.pptx", "path.read_bytes(); os.stat(path)")
    result = judge(project)
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_an_ordinary_test_whose_deck_changes_is_an_error(project: Project) -> None:
    with_task(project)
    project.pytester.makepyfile(
        'import pytest\n\n@pytest.mark.ppteval_task("cases/tasks.json", "t")\n'
        "def test_it(ppt_diff, modified_ppt_path):\n"
        "    with open(modified_ppt_path, 'ab') as file:\n        file.write(b'more')\n"
    )
    result = project.pytester.runpytest_inprocess(
        "--ppteval-outputs=outputs", "test_an_ordinary_test_whose_deck_changes_is_an_error.py"
    )
    result.assert_outcomes(passed=1, errors=1)
    assert_shown(
        result,
        "the agent's deck changed while the task was judged, so that no verdict on it holds: "
        "run the task again once nothing writes to outputs/t/output.pptx",
    )


def test_without_pytest_a_deck_that_changes_gets_no_verdict_either(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = "def compute_score():\n    return llm_call(prompt='Well?'), 1.0\n"
    broken = "def compute_score():\n    return nope, 1.0\n"
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_text(json.dumps(rubric(leaf("Before", 0.0), leaf("Asks", asks), leaf("Broken", broken))))
    for name in ("before.pptx", "after.pptx"):
        shutil.copy(project.deck, name)

    def change(prompt: str) -> str:
        Path("after.pptx").write_bytes(b"")
        return prompt

    steady = score("r.json", original="before.pptx", modified="after.pptx", llm_call=lambda prompt: prompt)
    assert [result.status for result in steady.results.values()] == ["scored", "scored", "error"]
    at = steady.results["Broken"].error_at
    assert at is not None
    assert str(at) == f"r.json:{steady.case.rubric.leaves[2].scorer.source.line}"
    changed = score("r.json", original="before.pptx", modified="after.pptx", llm_call=change)
    assert {result.status for result in changed.results.values()} == {"error"}
    assert changed.verdict.outcome == "undetermined"
