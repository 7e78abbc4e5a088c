"""The shipped suite's rubrics judge outputs that their author did not write them for.

Nothing is drawn and no model is asked here, as on a fresh machine: visual leaves are unscored, and every other leaf
decides as it does elsewhere. test_shipped_suite_looks.py judges the visual ones.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import suite_outputs.ferry_looks
import suite_outputs.ferry_shapes
import suite_outputs.ferry_slides
import suite_outputs.ferry_texts
import suite_outputs.library_charts
import suite_outputs.library_looks
import suite_outputs.library_texts
import suite_outputs.tides_looks
import suite_outputs.tides_shapes
import suite_outputs.tides_tables
import suite_outputs.tides_texts  # noqa: F401  (importing registers the outputs)
from suite_looks import VISUAL, VISUAL_LEAVES
from suite_outputs import MADE, Made

from pytest_ppteval import score
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.verify import TaskResult

ROOT = Path(__file__).parents[1]
TASKS: dict[str, dict[str, Any]] = json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


def judged(task: str, output: Path, sandbox: Sandbox) -> TaskResult:
    entry = TASKS[task]
    rubric, original = ROOT / entry["rubric_path"], ROOT / entry["file_path"]
    return score(rubric, original=original, modified=output, sandbox=sandbox, renderer="none")


def shortfalls(result: TaskResult) -> dict[str, str]:
    """What each leaf that can be judged here, and is short of 1, says."""
    return {
        leaf: f"{one.score}: {one.reason}{one.traceback}"
        for leaf, one in result.results.items()
        if one.score != 1 and (result.case.id, leaf) not in VISUAL_LEAVES
    }


def looks_are_unscored(result: TaskResult) -> bool:
    """Whether the visual leaves, and no others, are unscored."""
    unscored = {leaf for leaf, one in result.results.items() if one.status == "unscored"}
    return unscored == {leaf for task, leaf in VISUAL_LEAVES if task == result.case.id}


def assert_all_is_well(result: TaskResult) -> None:
    """Passed: with the full score, or in a task with looks with what it may cost at most that they are unscored.

    All critical groups at 1, the one non-critical group between 0 and 1: 1 - 0.3 * (1 - 0) = 0.7 up to 1.
    """
    assert shortfalls(result) == {}
    assert looks_are_unscored(result)
    assert result.verdict.outcome == "passed"
    assert (result.verdict.low, result.verdict.high) == (0.7 if result.case.id in VISUAL else 1.0, 1.0)


@pytest.mark.parametrize("made", [m for m in MADE if not m.caught_by], ids=lambda made: f"{made.task}-{made.name}")
def test_an_equivalent_output_scores_one(made: Made, tmp_path: Path, sandbox: Sandbox) -> None:
    made.make(ROOT / TASKS[made.task]["file_path"], tmp_path / "output.pptx")
    assert_all_is_well(judged(made.task, tmp_path / "output.pptx", sandbox))


@pytest.mark.parametrize("made", [m for m in MADE if m.caught_by], ids=lambda made: f"{made.task}-{made.name}")
def test_a_wrong_output_is_caught_by_its_leaf(made: Made, tmp_path: Path, sandbox: Sandbox) -> None:
    made.make(ROOT / TASKS[made.task]["file_path"], tmp_path / "output.pptx")
    result = judged(made.task, tmp_path / "output.pptx", sandbox)
    assert looks_are_unscored(result), shortfalls(result)
    assert set(made.caught_by) <= set(shortfalls(result))
    assert result.verdict.outcome == "failed"


@pytest.mark.parametrize("task", TASKS)
def test_the_untouched_deck_fails_at_a_critical_leaf(task: str, sandbox: Sandbox) -> None:
    result = judged(task, ROOT / TASKS[task]["file_path"], sandbox)
    assert result.verdict.outcome == "failed"
    assert result.verdict.high < 1
    critical = {leaf.id for leaf in result.case.rubric.leaves if leaf.is_critical}
    assert critical & set(shortfalls(result))


@pytest.mark.parametrize("task", TASKS)
def test_the_approved_run_scores_one(task: str, sandbox: Sandbox) -> None:
    assert_all_is_well(judged(task, ROOT / "baselines" / "cases" / task / "output.pptx", sandbox))


def test_every_task_has_other_good_outputs_and_wrong_ones() -> None:
    good = Counter(made.task for made in MADE if not made.caught_by)
    wrong = Counter(made.task for made in MADE if made.caught_by)
    assert {task for task in TASKS if good[task] < 2 or wrong[task] < 3} == set()


def test_every_leaf_is_the_one_that_catches_something() -> None:
    """A leaf that no wrong output needs is a leaf of which nobody knows that it can fail."""
    from pytest_ppteval.case.folder import load_rubric_case

    named = {(made.task, leaf) for made in MADE for leaf in made.caught_by}
    leaves = {
        (task, leaf.id)
        for task, entry in TASKS.items()
        for leaf in load_rubric_case(ROOT / entry["rubric_path"]).rubric.leaves
    }
    assert leaves == named | VISUAL_LEAVES  # test_shipped_suite_looks.py has what visual leaves catch
