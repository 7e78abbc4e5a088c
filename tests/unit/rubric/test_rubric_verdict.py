"""The verdict: thresholds, critical leaves, gates, unscored leaves, and selections."""

from __future__ import annotations

from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.rubric.score import ScoredNode, score_leaf, score_tree
from pytest_ppteval.rubric.tree import Node, Rubric, Scorer, Source
from pytest_ppteval.rubric.verdict import Verdict, judge

HERE = Source("r.json")
UNSCORED = LeafResult(status="unscored", reason="no model configured")
ERROR = LeafResult(status="error", reason="ValueError: no title")


def scored(score: float, reason: str = "") -> LeafResult:
    return LeafResult(status="scored", score=score, reason=reason)


def leaf(name: str, *, critical: bool = False) -> Node:
    return Node(name, HERE, is_critical=critical, scorer=Scorer("function", {}, HERE))


def verdict(
    results: dict[str, LeafResult | None],
    threshold: float = 1.0,
    *,
    critical: tuple[str, ...] = (),
    gate: LeafResult | None = None,
    complete: bool = True,
) -> Verdict:
    """The verdict on a flat tree of the leaves in `results`, with one gate if its result is given."""
    root = Node("root", HERE, children=tuple(leaf(name, critical=name in critical) for name in results))
    rubric = Rubric(root, HERE, gates=(leaf("budget: seconds"),) if gate else ())
    tree = score_tree(rubric, {name: result for name, result in results.items() if result})
    gates: list[ScoredNode] = [score_leaf(one, gate) for one in rubric.leaves if one.is_gate]
    return judge(tree, gates, threshold, complete=complete)


def test_full_marks_pass() -> None:
    got = verdict({"A": scored(1), "B": scored(1)})
    assert (got.outcome, got.score, got.reasons) == ("passed", 1.0, ())
    assert str(got) == "passed: score 1.00, threshold 1"


def test_strict_success_asks_for_exactly_one() -> None:
    got = verdict({"A": scored(1), "B": scored(0.9999998)})
    assert (got.outcome, got.reasons) == ("failed", ("score 0.9999999 is below the threshold 1",))


def test_a_score_under_the_threshold_fails_and_one_at_it_passes() -> None:
    assert verdict({"A": scored(1), "B": scored(0.5)}, 0.75).outcome == "passed"
    got = verdict({"A": scored(1), "B": scored(0.48)}, 0.75)
    assert (got.outcome, got.reasons) == ("failed", ("score 0.74 is below the threshold 0.75",))


def test_rounding_fails_nobody() -> None:
    # (0.7 + 0.7 + 0.7) / 3 is 0.6999999999999998
    assert verdict({"A": scored(0.7), "B": scored(0.7), "C": scored(0.7)}, 0.7).outcome == "passed"


def test_a_near_miss_is_shown_with_enough_digits() -> None:
    assert verdict({"A": scored(0.699)}, 0.7).reasons == ("score 0.699 is below the threshold 0.7",)


def test_a_critical_leaf_that_falls_short_fails_the_task_at_any_score() -> None:
    got = verdict({"A": scored(0.9, "two words differ"), "B": scored(1)}, 0.5, critical=("A",))
    assert (got.outcome, got.reasons) == ("failed", ("critical leaf 'A' falls short: 0.90: two words differ",))


def test_a_gate_that_falls_short_fails_the_task_at_full_score() -> None:
    got = verdict({"A": scored(1)}, gate=scored(0, "41 s of 30 s"))
    assert (got.outcome, got.score) == ("failed", 1.0)
    assert got.reasons == ("budget 'budget: seconds' falls short: 0.00: 41 s of 30 s",)


def test_an_interval_that_straddles_the_threshold_is_undetermined() -> None:
    got = verdict({"A": scored(1), "B": UNSCORED}, 0.6)
    assert (got.outcome, got.low, got.high, got.score) == ("undetermined", 0.5, 1.0, None)
    assert got.reasons == ("B: unscored: no model configured",)
    assert str(got) == "undetermined: score 0.50..1.00, threshold 0.6"


def test_an_unscored_leaf_that_can_change_nothing_leaves_the_verdict() -> None:
    assert verdict({"A": scored(1), "B": UNSCORED}, 0.5).outcome == "passed"
    assert verdict({"A": scored(0), "B": UNSCORED}, 0.6).outcome == "failed"


def test_an_unscored_critical_leaf_leaves_the_verdict_open_at_any_score() -> None:
    got = verdict({"A": scored(1), "B": UNSCORED}, 0.5, critical=("B",))
    assert got.outcome == "undetermined"
    assert verdict({"A": scored(1), "B": ERROR}, 0.0, critical=("B",)).outcome == "undetermined"


def test_an_unscored_gate_leaves_the_verdict_open() -> None:
    got = verdict({"A": scored(1)}, gate=UNSCORED)
    assert (got.outcome, got.reasons) == ("undetermined", ("budget: seconds: unscored: no model configured",))


def test_a_failure_that_is_certain_outranks_an_open_question() -> None:
    got = verdict({"A": scored(0), "B": UNSCORED}, 0.1, critical=("A", "B"))
    assert got.outcome == "failed"


def test_an_error_counts_as_open_and_is_named() -> None:
    got = verdict({"A": scored(1), "B": ERROR})
    assert (got.outcome, got.reasons) == ("undetermined", ("B: error: ValueError: no title",))


def test_a_selection_of_leaves_gives_no_verdict() -> None:
    got = verdict({"A": scored(0), "B": None}, critical=("A",), complete=False)
    assert (got.outcome, got.reasons) == ("none", ("judged on some of its leaves only: no verdict",))


NOTHING = LeafResult(status="unscored", applies=False, reason="nothing to compare with")


def test_a_leaf_with_nothing_to_judge_by_keeps_no_verdict_open() -> None:
    assert verdict({"A": scored(1), "B": NOTHING}).outcome == "passed"
    assert verdict({"A": scored(1), "B": NOTHING}, critical=("B",)).outcome == "passed"
    assert verdict({"A": scored(0.5), "B": NOTHING}, 0.6).outcome == "failed"
    got = verdict({"A": UNSCORED, "B": NOTHING})
    assert (got.outcome, got.reasons) == ("undetermined", ("A: unscored: no model configured",))


def test_where_nothing_else_is_there_nothing_passes() -> None:
    got = verdict({"A": NOTHING, "B": NOTHING}, critical=("A",))
    assert (got.outcome, got.low, got.high) == ("undetermined", 0, 1)
    assert len(got.reasons) == 2
