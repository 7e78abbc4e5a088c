"""A scored tree: intervals, statuses and reasons."""

from __future__ import annotations

import pytest

from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.rubric.score import NOT_SELECTED, score_tree, show_score
from pytest_ppteval.rubric.tree import Node, Rubric, Scorer, Source

HERE = Source("r.json", 3, 5)


def leaf(name: str, *, critical: bool = False) -> Node:
    return Node(name, HERE, is_critical=critical, scorer=Scorer("function", {}, HERE))


def scored(score: float, reason: str = "") -> LeafResult:
    return LeafResult(status="scored", score=score, reason=reason)


RUBRIC = Rubric(
    Node(
        "root",
        HERE,
        children=(
            Node("Look", HERE, is_critical=True, children=(leaf("Font", critical=True), leaf("Size"))),
            leaf("Text"),
        ),
    ),
    HERE,
)


def test_scores_go_up_the_tree() -> None:
    tree = score_tree(RUBRIC, {"Font": scored(1), "Size": scored(0.5), "Text": scored(1)})
    assert tree.score == pytest.approx(0.85)  # Look: 1 - 0.3 * 0.5; root: 0.85 - 0.3 * 0
    assert tree.status == "scored"
    assert tree.reason == "0.85 from 2 children; short: Look (critical, 0.85)"
    assert tree.children[0].reason == "0.85 from 2 children; short: Size (0.50)"


def test_an_unscored_leaf_leaves_an_interval() -> None:
    unscored = LeafResult(status="unscored", reason="no model configured")
    tree = score_tree(RUBRIC, {"Font": unscored, "Size": scored(1), "Text": scored(0)})
    assert (tree.low, tree.high) == pytest.approx((0.0, 0.7))
    assert tree.score is None
    assert tree.status == "unscored"
    assert tree.reason == "0.00..0.70 from 2 children; short: Text (0.00); not settled: Look (unscored)"


def test_an_error_outranks_an_unscored_leaf() -> None:
    results = {"Font": LeafResult(status="error", reason="ValueError: x"), "Size": LeafResult(status="unscored")}
    tree = score_tree(RUBRIC, results)
    assert tree.status == "error"
    assert tree.children[0].children[0].status == "error"


def test_a_leaf_that_was_not_selected_is_unscored_and_says_so() -> None:
    tree = score_tree(RUBRIC, {"Font": scored(1), "Size": scored(1)})
    text = tree.children[1]
    assert (text.status, text.result, text.reason) == ("unscored", None, NOT_SELECTED)


def test_gates_take_no_part_in_the_score() -> None:
    rubric = Rubric(RUBRIC.root, HERE, gates=(leaf("budget: seconds"),))
    results = {"Font": scored(1), "Size": scored(1), "Text": scored(1), "budget: seconds": scored(0)}
    assert score_tree(rubric, results).score == 1.0


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.85, 0.85, "0.85"),
        (0.4, 0.9, "0.40..0.90"),
        (1.0, 1.0, "1.00"),
        (0.999, 0.999, "0.999"),
        (0.9999999, 0.9999999, "0.9999999"),
        (1e-9, 1e-9, "1e-09"),
        (0.001, 0.001, "0.001"),
    ],
)
def test_scores_for_people_never_round_a_shortfall_to_full_marks(low: float, high: float, shown: str) -> None:
    assert show_score(low, high) == shown


@pytest.mark.parametrize("score", [1.0000001, -0.1, float("nan")])
def test_a_result_holds_no_score_outside_0_to_1(score: float) -> None:
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        LeafResult(status="scored", score=score)


def test_a_result_has_a_score_exactly_if_it_is_scored() -> None:
    with pytest.raises(ValueError, match="status 'scored' with score None"):
        LeafResult(status="scored")
    with pytest.raises(ValueError, match=r"status 'error' with score 1\.0"):
        LeafResult(status="error", score=1.0)


NOTHING = LeafResult(status="unscored", applies=False, reason="nothing to compare with")


def test_a_leaf_with_nothing_to_judge_by_does_not_count() -> None:
    tree = score_tree(RUBRIC, {"Font": scored(1), "Size": NOTHING, "Text": scored(0.5)})
    look = tree.children[0]
    assert (look.score, look.status, look.reason) == (1.0, "scored", "1.00 from 1 child; not applicable: Size")
    assert tree.score == pytest.approx(0.85)
    size = look.children[1]
    assert (size.low, size.high, size.status, size.applies) == (0, 1, "unscored", False)


def test_nor_does_a_group_of_such_leaves() -> None:
    tree = score_tree(RUBRIC, {"Font": NOTHING, "Size": NOTHING, "Text": scored(0.5)})
    assert (tree.score, tree.reason) == (0.5, "0.50 from 1 child; short: Text (0.50); not applicable: Look")
    look = tree.children[0]
    assert (look.applies, look.reason) == (False, "not applicable: Font, Size")


def test_a_tree_of_nothing_else_is_open() -> None:
    tree = score_tree(RUBRIC, dict.fromkeys(("Font", "Size", "Text"), NOTHING))
    assert (tree.low, tree.high, tree.score, tree.status, tree.applies) == (0, 1, None, "unscored", False)


def test_what_can_be_judged_is_never_called_not_applicable() -> None:
    with pytest.raises(ValueError, match="doesn't apply"):
        LeafResult(status="scored", score=1.0, applies=False)
