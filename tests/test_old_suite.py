"""Rubrics written as one Python function a leaf keep their results: the shipped suite as it was before its vocabulary.

Kept for one release. Nothing is drawn and no model is asked: the leaves that look at pictures are unscored, as before.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kept_outputs import all_outputs, write_kept

from pytest_ppteval import score
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.verify import TaskResult

ROOT = Path(__file__).parents[1]
RUBRICS = {file.stem: file for file in sorted((ROOT / "tests" / "data" / "old_suite").iterdir())}
DECKS = {
    task: ROOT / entry["file_path"] for task, entry in json.loads((ROOT / "cases" / "tasks.json").read_text()).items()
}
# The leaves that measure a picture, or ask a model about one.
LOOKS = {
    "ferry_review-003": {"Reasons can be read", "Looks like sorted bars"},
    "ferry_review-005": {"Texts stay on their cards", "Looks like one tidy row"},
    "tides_lecture-002": {"Texts have room", "Five milestones that look alike"},
    "tides_lecture-007": {"Words stand out", "Look like one pair"},
    "图书馆年报-006": {"画出来三张一样", "看起来统一"},
    "图书馆年报-008": {"画面其余不变", "看起来是正的"},
}
WRONG = {where: output.task for where, output in all_outputs().items() if where.startswith("wrong/")}

pytestmark = pytest.mark.slow  # some 150 leaves, and again for each wrong output


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


def judged(task: str, output: Path, sandbox: Sandbox) -> TaskResult:
    return score(RUBRICS[task], original=DECKS[task], modified=output, sandbox=sandbox, renderer="none")


@pytest.mark.parametrize("task", RUBRICS)
def test_the_approved_output_passes_as_it_did(task: str, sandbox: Sandbox) -> None:
    result = judged(task, ROOT / "baselines" / "cases" / task / "output.pptx", sandbox)
    looks = LOOKS.get(task, set())
    assert {leaf for leaf, one in result.results.items() if one.status == "unscored"} == looks
    assert {leaf: one.reason for leaf, one in result.results.items() if one.score != 1 and leaf not in looks} == {}
    # The looks weigh 0.3 together, and are not critical.
    assert (result.verdict.outcome, result.verdict.low, result.verdict.high) == ("passed", 0.7 if looks else 1.0, 1.0)


@pytest.mark.parametrize("task", RUBRICS)
def test_the_untouched_deck_fails(task: str, sandbox: Sandbox) -> None:
    assert judged(task, DECKS[task], sandbox).verdict.outcome == "failed"


@pytest.mark.parametrize("where", WRONG)
def test_a_wrong_output_fails(where: str, sandbox: Sandbox, tmp_path: Path) -> None:
    write_kept(where, tmp_path / "output.pptx")
    assert judged(WRONG[where], tmp_path / "output.pptx", sandbox).verdict.outcome == "failed"
