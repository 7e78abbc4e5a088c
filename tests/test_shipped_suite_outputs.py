"""The shipped suite's rubrics judge outputs that their author did not write them for.

Nothing is drawn and no model is asked, as on a fresh machine: every leaf decides there as it does elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from kept_outputs import INDEX, KEPT, all_outputs, as_data, index, made_patch, main, patch_file, read, write_kept
from pptx import Presentation

from pytest_ppteval import score
from pytest_ppteval.case.load import load
from pytest_ppteval.check.judging import Judge
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_ppteval.check.judging import Outcome
    from pytest_ppteval.verify import TaskResult

ROOT = Path(__file__).parents[1]
TASKS: dict[str, dict[str, Any]] = json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))
OUTPUTS = all_outputs()
GOOD = [where for where in OUTPUTS if where.startswith("good/")]
WRONG = [where for where in OUTPUTS if where.startswith("wrong/")]


def in_turn(where: str) -> Any:
    """One in four each day, the others with the slow ones: some 600 decks, a second each to make or to judge."""
    return where if crc32(where.encode()) % 4 == 0 else pytest.param(where, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


CASES = {case.id: case for case in load(ROOT / "cases" / "tasks.json", "registry").cases}


@pytest.fixture(scope="module")
def judge_of(sandbox: Sandbox) -> Callable[[str], Judge]:
    """A task's judge: its original is opened once; its deck leaves are judged right here, as `ppteval check` does."""
    return cache(lambda task: Judge(CASES[task], (ROOT / TASKS[task]["file_path"]).read_bytes(), lambda: sandbox))


def outcome(where: str, tmp_path: Path, judge_of: Callable[[str], Judge]) -> Outcome:
    """What a kept output comes to, every leaf having been asked."""
    write_kept(where, tmp_path / "output.pptx")
    return judge_of(OUTPUTS[where].task).outcome((tmp_path / "output.pptx").read_bytes(), all_leaves=True)


def judged(task: str, output: Path, sandbox: Sandbox) -> TaskResult:
    entry = TASKS[task]
    rubric, original = ROOT / entry["rubric_path"], ROOT / entry["file_path"]
    return score(rubric, original=original, modified=output, sandbox=sandbox, renderer="none")


def shortfalls(result: TaskResult) -> dict[str, str]:
    """What each leaf that can be judged here, and is short of 1, says."""
    return {leaf: f"{one.score}: {one.reason}{one.traceback}" for leaf, one in result.results.items() if one.score != 1}


def assert_all_is_well(result: TaskResult) -> None:
    """Passed, with the full score."""
    assert shortfalls(result) == {}
    assert result.verdict.outcome == "passed"
    assert (result.verdict.low, result.verdict.high) == (1.0, 1.0)


@pytest.mark.parametrize("where", GOOD)
def test_an_equivalent_output_scores_one(where: str, tmp_path: Path, judge_of: Callable[[str], Judge]) -> None:
    found = outcome(where, tmp_path, judge_of)
    assert found.short == (), found.reason
    assert found.passed


@pytest.mark.parametrize("where", [*map(in_turn, WRONG)])
def test_a_wrong_output_is_caught_by_its_leaf(where: str, tmp_path: Path, judge_of: Callable[[str], Judge]) -> None:
    found = outcome(where, tmp_path, judge_of)
    assert set(OUTPUTS[where].caught_by) <= set(found.short)
    assert found.passed is False


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
    good, wrong = (Counter(OUTPUTS[where].task for where in outputs) for outputs in (GOOD, WRONG))
    assert {task for task in TASKS if good[task] < 2 or wrong[task] < 3} == set()


def test_every_leaf_is_the_one_that_catches_something() -> None:
    """A leaf that no wrong output needs is a leaf of which nobody knows that it can fail."""
    from pytest_ppteval.case.folder import load_rubric_case

    named = {(OUTPUTS[where].task, leaf) for where in WRONG for leaf in OUTPUTS[where].caught_by}
    leaves = {
        (task, leaf.id)
        for task, entry in TASKS.items()
        for leaf in load_rubric_case(ROOT / entry["rubric_path"]).rubric.leaves
    }
    assert leaves == named


# ---- the kept files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [*map(in_turn, TASKS)])
def test_kept_outputs_are_what_their_functions_make(task: str, tmp_path: Path) -> None:
    """Equal as data. Where one is not, `python tests/kept_outputs.py` writes it anew."""
    outputs = {where: made for where, made in OUTPUTS.items() if made.task == task}
    stale = [
        where
        for where, made in outputs.items()
        if as_data(made_patch(made, tmp_path)) != as_data(read(patch_file(where)))
    ]
    assert stale == []


def test_each_kept_file_is_an_output_and_the_index_says_what_it_is() -> None:
    assert set(KEPT.rglob("*.zip")) == {patch_file(where) for where in OUTPUTS}
    assert INDEX.read_text("utf-8") == index({where: read(patch_file(where)) for where in OUTPUTS}, OUTPUTS)


def test_kept_outputs_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in KEPT.rglob("*.zip")}
    assert max(sizes.values()) < 100_000
    assert sum(sizes.values()) < 6_000_000


def test_people_can_write_kept_outputs_as_whole_decks(tmp_path: Path) -> None:
    main(["--decks", str(tmp_path), "wrong/ferry_review-002"])
    decks = {f"wrong/ferry_review-002/{path.stem}" for path in tmp_path.rglob("*.pptx")}
    assert decks == {where for where in WRONG if "ferry_review-002" in where}
    [deck] = tmp_path.rglob("thanks_removed_too.pptx")
    assert "Thanks" not in {shape.name for shape in Presentation(str(deck)).slides[16].shapes}
