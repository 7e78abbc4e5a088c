"""Which files are collected, and how malformed ones are reported."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project


def test_a_malformed_registry_is_one_line_at_its_place_and_stops_the_run(pytester: pytest.Pytester) -> None:
    pytester.mkdir("cases").joinpath("tasks.json").write_text('{"t": {\n  "rubric_path" "x"}}', "utf-8")
    result = pytester.runpytest_inprocess("cases")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*cases/tasks.json:2:*: not valid JSON: *"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*item.py*")


def test_every_problem_of_a_registry_is_shown_at_once(project: Project) -> None:
    project.task("one", {"root": {"name": "task", "children": [{"name": "x", "scorerr": {}}]}})
    project.task("two", {"root": {"name": "task", "children": []}})
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*cases/rubrics/rubric_0.json:*scorerr*scorer*", "*cases/rubrics/rubric_1.json:*"])


@pytest.mark.parametrize("name", ["setup_module", "pytestmark"])
def test_a_task_id_that_pytest_keeps_for_itself_is_refused(project: Project, name: str) -> None:
    project.task(name, rubric(leaf("Title", 1.0)))
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*cases/tasks.json:2:2: task id '{name}' is a name that pytest keeps for itself*"])


def test_a_rubric_file_is_judged_at_the_desk(project: Project, pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("title.json").write_text(json.dumps(rubric(leaf("Title", 1.0))), "utf-8")
    shutil.copy(project.deck, "a.pptx")
    shutil.copy(project.deck, "b.pptx")
    result = project.run("--ppteval-rubric=title.json", "--ppteval-original=a.pptx", "--ppteval-modified=b.pptx", "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["title.json::title PASSED*"])


def test_a_rubric_option_runs_that_rubric_only(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): assert False")
    pytester.path.joinpath("title.yaml").write_text(
        "root:\n  name: task\n  children:\n  - name: Title\n    scorer:\n      type: function\n"
        "      function_code: |\n        def compute_score():\n            return modified_ppt_path[-6:], 1\n",
        "utf-8",
    )
    shutil.copy(project.deck, "b.pptx")
    result = project.run("--ppteval-rubric=title.yaml", "--ppteval-modified=b.pptx")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_rubrics_outside_the_rootdir_have_addresses_of_their_own(
    project: Project, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    """pytest would call both tasks "::title", and the results of one would take the place of the other's."""
    inside, files = pytester.mkdir("inside"), []
    for name, value in (("a", 1.0), ("b", 0.0)):
        files.append(pytester.mkdir(name) / "title.json")
        files[-1].write_text(json.dumps(rubric(leaf("Title", value))), "utf-8")
    project.output("title")
    options = [f"--ppteval-rubric={path}" for path in files]
    arguments = [*options, "--rootdir=inside", "--junitxml=j.xml", "--ppteval-json=r.json", *workers]
    result = project.run(*arguments, "-rA", "-v")
    result.assert_outcomes(passed=1, failed=2)
    addresses = [f"{path.as_posix()}::title" for path in files]
    tasks = json.loads((pytester.path / "r.json").read_text("utf-8"))["tasks"]
    assert [(task["nodeid"], task["verdict"]) for task in tasks] == list(
        zip(addresses, ("passed", "failed"), strict=True)
    )
    assert [line for line in result.stdout.lines if line.startswith("ppteval: sandbox ")]
    result.stdout.fnmatch_lines(["FAILED *b/title.json::title - failed: score 0.00, threshold 1*"])
    assert not (inside / "title.json").exists()
    classes = [case.get("classname", "") for case in ET.parse(pytester.path / "j.xml").getroot().iter("testcase")]
    assert len(classes) == 4
    assert len(set(classes)) == 2
    assert not [name for name in classes if name.startswith(".")]


def test_rubric_files_are_collected_by_name_and_judged_on_the_outputs(project: Project) -> None:
    folder = project.pytester.mkdir("cases")
    folder.joinpath("title.rubric.json").write_text(json.dumps(rubric(leaf("Title", 1.0))), "utf-8")
    project.output("title")
    result = project.run("-v")
    result.stdout.fnmatch_lines(["cases/title.rubric.json::title PASSED*"])


def test_a_rubric_that_a_registry_names_is_judged_once(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    rubrics = project.pytester.path / "cases" / "rubrics"
    rubrics.joinpath("rubric_0.json").rename(rubrics / "t.rubric.json")
    registry = project.pytester.path / "cases" / "tasks.json"
    registry.write_text(registry.read_text("utf-8").replace("rubric_0.json", "t.rubric.json"), "utf-8")
    project.outputs()
    result = project.run()
    result.assert_outcomes(passed=1, deselected=1)


def test_a_folder_a_task_is_collected(project: Project) -> None:
    folder = project.pytester.path / "cases" / "intro"
    folder.mkdir(parents=True)
    shutil.copy(project.deck, folder / "in.pptx")
    folder.joinpath("task.json").write_text(
        json.dumps({"task_id": "intro-1", "instruction": "Do it", "input_file": "in.pptx", "tags": ["x"]}), "utf-8"
    )
    folder.joinpath("rubric.json").write_text(json.dumps(rubric(leaf("Title", 1.0))), "utf-8")
    project.output("intro-1")
    result = project.run("-v")
    result.stdout.fnmatch_lines(["cases/intro/task.json::intro-1 PASSED*"])


def test_other_json_files_are_left_alone(project: Project) -> None:
    project.pytester.makefile(".json", tasks='{"version": "2.0.0", "tasks": [] /* an editor\'s */}', package="{}")
    project.pytester.makepyfile("def test_ok(): pass")
    result = project.pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*ppteval: *task*")


def test_without_the_subtests_plugin_the_reason_is_given(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    project.outputs()
    result = project.run("-p", "no:subtests")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*needs pytest's subtests plugin: take away -p no:subtests*"])
