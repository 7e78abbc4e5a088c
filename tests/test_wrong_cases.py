"""A case that can't be judged as it is written is one error, told once with its line; the others are judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from bad_input import assert_shown
from small_project import leaf, rubric

from pytest_ppteval.case.casefile import load_cases

if TYPE_CHECKING:
    from pathlib import Path

    from small_project import Project

SUITE = """\
- id: good
  prompt: p
  tags: [fine]
  expected_behavior: [{response_contains: done}]
- id: misspelt
  prompt: p
  expected_behaviour: [{response_contains: done}]
- prompt: without an id
  expected_behavior: [{response_contains: done}]
- id: misspelt
  prompt: p
  expected_behavior: [{response_contains: done}]
"""
ERRORS = (
    "cases/a.case.yaml:7:3: unknown key 'expected_behaviour' in a case: did you mean 'expected_behavior'?",
    "cases/a.case.yaml:8:3: 'id' is missing: a case in a list needs it",
    "cases/a.case.yaml:10:7: case id 'misspelt' is taken, first in line 5: ids name outputs and approved runs",
)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A file with one case that is right and three that are not; an ordinary test beside it."""
    (pytester.mkdir("cases") / "a.case.yaml").write_text(SUITE, "utf-8")
    for name in ("good", "misspelt"):
        pytester.path.joinpath("outputs", name).mkdir(parents=True)
        pytester.path.joinpath("outputs", name, "response.md").write_text("done", "utf-8")
    pytester.path.joinpath("test_other.py").write_text("def test_other(): pass\n", "utf-8")
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_inprocess("-p", "no:cacheprovider", "--ppteval-outputs=outputs", *arguments)


def test_the_others_are_judged(suite: pytest.Pytester) -> None:
    result = run(suite, "cases", "test_other.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=2, errors=3)
    assert_shown(result, *ERRORS)
    for error in ERRORS:
        assert result.outlines.count(error) == 1


def test_tags_and_words_deselect_no_case_whose_tags_nobody_could_read(suite: pytest.Pytester) -> None:
    run(suite, "cases", "test_other.py", "-m", "fine").assert_outcomes(passed=1, errors=3, deselected=1)


def test_one_that_is_right_can_be_run_by_its_name(suite: pytest.Pytester) -> None:
    run(suite, "cases/a.case.yaml::good").assert_outcomes(passed=1)


def test_collecting_alone_tells_them_too(suite: pytest.Pytester) -> None:
    result = run(suite, "cases", "--collect-only", "-q")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert_shown(result, "cases/a.case.yaml::good", *ERRORS)


def test_tasks_that_share_a_rubric_tell_its_faults_once(project: Project) -> None:
    for name in ("good", "first", "second"):
        project.task(name, rubric(leaf("Title", 1.0)))
    project.outputs()
    registry = project.pytester.path / "cases" / "tasks.json"
    tasks = json.loads(registry.read_text("utf-8"))
    for name in ("first", "second"):
        tasks[name]["rubric_path"] = "cases/rubrics/none.json"
    registry.write_text(json.dumps(tasks, indent=1), "utf-8")
    result = project.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=2)
    told = [
        line for line in result.outlines if "rubric 'cases/rubrics/none.json' is not there (2 tasks name it)" in line
    ]
    assert len([line for line in told if line.startswith("cases/tasks.json:")]) == 1
    result.stdout.fnmatch_lines(["cases/tasks.json:*: not judged for what is wrong with 'first' too: *"])


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param([{"id": "a"}, {"id": "a", "prompt": "p", "baseline": True}], id="the first is invalid"),
        pytest.param([{"id": "a", "prompt": "p", "baseline": True}, {"id": "a"}], id="the second is invalid"),
        pytest.param([{"id": "a", "prompt": "p", "baseline": True}] * 2, id="both are right but for it, in one line"),
    ],
)
def test_an_id_that_is_taken_is_told_whatever_else_is_wrong(tmp_path: Path, cases: list[object]) -> None:
    path = tmp_path / "a.case.json"
    path.write_text(json.dumps(cases), "utf-8")
    assert [str(error) for error in load_cases(path).errors if "is taken" in str(error)]
