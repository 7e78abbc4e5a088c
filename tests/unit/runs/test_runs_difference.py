"""Two judgements of the same runs: what changed, in words."""

from __future__ import annotations

from pathlib import Path

from run_records import make_case, make_record, scores

from pytest_ppteval.runs.difference import difference, rescored
from pytest_ppteval.runs.judged import Judged
from pytest_ppteval.runs.records import before

BEFORE = {
    "t": Judged("failed", 0.45, 0.45, {"Title": 0.0, "Chart": 1.0, "Old": 1.0}),
    "open": Judged("undetermined", 0.5, 1.0, {"A": None, "B": 1.0}),
    "same": Judged("passed", 1.0, 1.0, {"A": 1.0}),
    "gone": Judged("passed", 1.0, 1.0),
}
AFTER = {
    "new": Judged("passed", 1.0, 1.0),
    "t": Judged("passed", 1.0, 1.0, {"Title": 1.0, "Chart": 1.0, "New": 1.0}),
    "open": Judged("failed", 0.5, 0.5, {"A": 0.0, "B": 1.0}),
    "same": Judged("passed", 1.0 - 1e-12, 1.0 - 1e-12, {"A": 1.0 - 1e-12}),
}


def test_each_task_and_leaf_that_changed_is_told() -> None:
    assert str(difference(BEFORE, AFTER)).splitlines() == [
        "new: not judged -> passed 1.00",
        "t: failed 0.45 -> passed 1.00 (+0.55)",
        "    Title: 0.00 -> 1.00",
        "    New: none -> 1.00",
        "    Old: 1.00 -> none",
        "open: undetermined 0.50..1.00 -> failed 0.50",
        "    A: unscored -> 0.00",
        "gone: passed 1.00 -> not judged",
        "4 of 5 tasks changed",
        # Of the tasks in both: (0.45 + 0.5..1 + 1) / 3.
        "mean score 0.65..0.82 -> 0.83, passed 1 -> 2",
    ]


def test_a_rescoring_tells_what_was_before(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A")
    first = [make_record(case, scores(A=0.0), trial, 2) for trial in (1, 2)]
    second = [make_record(case, scores(A=1.0), 1, 2, previous=before(first[0])), first[1]]
    assert str(rescored(second)).splitlines() == [
        "cases/tasks.json::t, trial 1: failed 0.00 -> passed 1.00 (+1.00)",
        "    A: 0.00 -> 1.00",
        "1 of 1 task changed",
        "mean score 0.00 -> 1.00, passed 0 -> 1",
    ]


def test_nothing_changed() -> None:
    one = difference(BEFORE, BEFORE)
    assert one.changed == ()
    assert str(one) == "0 of 4 tasks changed\nmean score 0.74..0.86 -> 0.74..0.86, passed 2 -> 2"


def test_a_small_change_is_shown_with_digits_enough_to_see_it() -> None:
    one = difference({"t": Judged("failed", 0.5, 0.5, {"A": 0.5})}, {"t": Judged("failed", 0.501, 0.501, {"A": 0.501})})
    assert "    A: 0.5 -> 0.501" in str(one)


def test_where_one_side_kept_no_leaves_only_the_score_is_compared() -> None:
    one = difference({"t": Judged("failed", 0.5, 0.5)}, {"t": Judged("failed", 0.5, 0.5, {"A": 0.5})})
    assert one.changed == ()
    assert str(difference({}, {})) == "0 of 0 tasks changed"


def test_names_from_elsewhere_can_do_nothing_to_a_terminal() -> None:
    one = difference({}, {"t\x1b[31m\n::error::": Judged("passed", 1.0, 1.0, {"A": 1.0})})
    assert "\x1b" not in str(one)
    assert str(one).count("\n") == 1
