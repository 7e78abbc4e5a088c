"""Thresholds, strategies and the like: on the command line, in the task, in the rubric, in the ini file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

HALF = (leaf("A", 0.5, critical=True), leaf("B", 0.0))


def scored(project: Project, text: str, *arguments: str) -> None:
    project.run(*arguments).stdout.fnmatch_lines([f"*: score {text}"])


def test_the_command_line_wins_over_task_rubric_and_ini(project: Project) -> None:
    project.task("t", rubric(*HALF, threshold=0.2), threshold=0.3)
    project.outputs()
    project.pytester.makeini("[pytest]\nppteval_threshold = 0.4\n")
    scored(project, "0.20, threshold 0.6", "--ppteval-threshold=0.6")


def test_the_task_wins_over_rubric_and_ini(project: Project) -> None:
    project.task("t", rubric(*HALF, threshold=0.7), threshold=0.8)
    project.outputs()
    project.pytester.makeini("[pytest]\nppteval_threshold = 0.9\n")
    scored(project, "0.20, threshold 0.8")


def test_the_rubric_wins_over_ini(project: Project) -> None:
    project.task("t", rubric(*HALF, threshold=0.7))
    project.outputs()
    project.pytester.makeini("[pytest]\nppteval_threshold = 0.9\n")
    scored(project, "0.20, threshold 0.7")


def test_ini_wins_over_the_strict_default(project: Project) -> None:
    project.task("t", rubric(*HALF))
    project.outputs()
    scored(project, "0.20, threshold 1")
    project.pytester.makeini("[pytest]\nppteval_threshold = 0.9\nppteval_non_critical_weight = 0.1\n")
    # By hand: 0.5 - 0.1 * (1 - 0).
    scored(project, "0.40, threshold 0.9")


def test_strategy_and_weight(project: Project) -> None:
    project.task("t", rubric(*HALF))
    project.outputs()
    scored(project, "0.25, threshold 1", "--ppteval-strategy=mind2web2")
    scored(project, "0.00, threshold 1", "--ppteval-non-critical-weight=0.5")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--ppteval-threshold=2", "*argument --ppteval-threshold: '2' is not a number from 0 to 1"),
        ("--ppteval-threshold=x", "*argument --ppteval-threshold: 'x' is not a number"),
        ("--ppteval-strategy=x", "*argument --ppteval-strategy: invalid choice: 'x'*default*mind2web2*"),
        ("--ppteval-leaf-timeout=0", "*argument --ppteval-leaf-timeout: '0' is not a number above 0"),
        ("--ppteval-outputs=nowhere", "*--ppteval-outputs: no such folder: *nowhere"),
        ("--ppteval-modified=a.pptx", "*--ppteval-modified goes with --ppteval-rubric PATH"),
    ],
)
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, argument: str, message: str) -> None:
    result = pytester.runpytest_inprocess(argument)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_bad_ini_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nppteval_unscored = maybe\n")
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*ini option ppteval_unscored = maybe: expected one of error, allow"])


def test_a_misspelt_setting_of_a_task_is_refused(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), treshold=0.5)
    project.outputs()
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*tasks.json:*treshold*threshold*"])


def test_leaf_timeout_ends_a_leaf_that_hangs(project: Project) -> None:
    project.task("t", rubric(leaf("Hangs", "def compute_score():\n    while True: pass\n"), leaf("Fine", 1.0)))
    project.outputs()
    result = project.run("--ppteval-leaf-timeout=1")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["error: no answer within 1 s*"])


def test_the_sandbox_level_is_in_the_header(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)))
    project.outputs()
    project.run("--ppteval-sandbox=off").stdout.fnmatch_lines(["ppteval: sandbox off*"])
    plain_name = ["--ppteval-rubric=cases/rubrics/rubric_0.json", "--ppteval-modified=outputs/t/output.pptx"]
    for arguments in ([], ["-n1"], ["--collect-only"], ["-v"], ["cases/tasks.json::t::A"], plain_name):
        result = project.run("--ppteval-json=r.json", *arguments)
        shown = [line for line in result.stdout.lines if line.startswith("ppteval: sandbox ")]
        assert len(shown) == 1, arguments
        if "--collect-only" not in arguments:
            [task] = json.loads((project.pytester.path / "r.json").read_text("utf-8"))["tasks"]
            assert shown == [f"ppteval: sandbox {task['sandbox']}"]
    # Quiet or not: on what level a verdict stands is told, once.
    for quiet in ("-q", "--no-header"):
        assert project.run(quiet).stdout.str().count("ppteval: sandbox") == 1


def test_a_required_sandbox_that_cannot_be_had_stops_the_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPTEVAL_SANDBOX_LAYERS", "seccomp")
    project.task("t", rubric(leaf("A", 1.0)))
    project.outputs()
    result = project.run("--ppteval-sandbox=require")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*sandbox required, but only partial (*"])
    project.run().assert_outcomes(passed=1)


def test_a_required_sandbox_does_not_matter_where_there_are_no_tasks(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPTEVAL_SANDBOX_LAYERS", "none")
    pytester.makepyfile("def test_ok(): pass")
    pytester.runpytest_inprocess("--ppteval-sandbox=require").assert_outcomes(passed=1)
