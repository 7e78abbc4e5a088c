"""Leaf results in, a scored tree out: an interval and a reason for each node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_ppteval.choices import NON_CRITICAL_WEIGHT, Strategy
from pytest_ppteval.rubric.aggregate import bounds
from pytest_ppteval.rubric.result import LeafResult, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.rubric.tree import Leaf, Node, Rubric


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node with its outcome.

    low, high: bounds on the score; equal where everything below is scored.
    leaf, result: set on leaves that were judged; a leaf left out by the user's selection has no result.
    applies: whether it counts in its parent's score: a leaf with nothing to judge by doesn't, nor a group of such.
    status: a leaf's own; of a group, the worst below it that counts: error, then unscored, then scored.
    """

    node: Node
    low: float
    high: float
    reason: str
    children: tuple[ScoredNode, ...] = ()
    leaf: Leaf | None = None
    result: LeafResult | None = None
    # Kept, not asked of the children each time: that would visit the whole tree, as deep as it is, for each node.
    status: Status = field(init=False)
    applies: bool = field(init=False)

    def __post_init__(self) -> None:
        below = {child.status for child in self.children if child.applies}
        own: Status = self.result.status if self.result else "unscored"
        status: Status = "error" if "error" in below else "scored" if below == {"scored"} else "unscored"
        applies = any(child.applies for child in self.children) or (
            not self.children and (self.result is None or self.result.applies)
        )
        object.__setattr__(self, "status", status if self.children else own)
        object.__setattr__(self, "applies", applies)

    @property
    def score(self) -> float | None:
        """The score, or None while unscored leaves leave it open."""
        return self.low if self.status == "scored" else None


NOT_SELECTED = "not selected in this run"


def score_leaf(leaf: Leaf, result: LeafResult | None) -> ScoredNode:
    """A leaf as a scored node."""
    if result is None:
        return ScoredNode(leaf.node, 0.0, 1.0, NOT_SELECTED, leaf=leaf)
    score = 1.0 if result.enough else result.score
    low, high = (score, score) if score is not None else (0.0, 1.0)
    return ScoredNode(leaf.node, low, high, result.reason, leaf=leaf, result=result)


def score_tree(
    rubric: Rubric,
    results: Mapping[str, LeafResult],
    strategy: Strategy = "default",
    non_critical_weight: float = NON_CRITICAL_WEIGHT,
) -> ScoredNode:
    """The scored tree of `rubric` from the `results` of its leaves by leaf id. Gates take no part in it."""
    by_node = {id(leaf.node): leaf for leaf in rubric.leaves}
    done: dict[int, ScoredNode] = {}
    for node in reversed(list(rubric.root.walk())):  # children before their parents, without recursion
        if not node.children:
            leaf = by_node[id(node)]
            done[id(node)] = score_leaf(leaf, results.get(leaf.id))
            continue
        children = tuple(done[id(child)] for child in node.children)
        counted = [child for child in children if child.applies]
        low, high = (0.0, 1.0)
        if counted:
            low, high = bounds(
                [(child.low, child.high) for child in counted],
                [child.node.is_critical for child in counted],
                strategy,
                non_critical_weight,
            )
        done[id(node)] = ScoredNode(node, low, high, _group_reason(children, low, high), children)
    return done[id(rubric.root)]


def show_score(low: float, high: float) -> str:
    """A score for people: "0.85", or "0.40..0.90" where it is open. Never rounds a shortfall up to 1.00."""
    return _show(low) if low == high else f"{_show(low)}..{_show(high)}"


def _show(score: float) -> str:
    text = f"{score:.2f}"
    if text in ("1.00", "0.00") and score not in (0, 1):
        text = f"{score:.6g}"
        return repr(score) if float(text) in (0, 1) else text
    return text


def _group_reason(children: tuple[ScoredNode, ...], low: float, high: float) -> str:
    """A parent's reason, written from its children by rule."""
    counted = [c for c in children if c.applies]
    short = [c for c in counted if c.high < 1]
    unsettled = [c for c in counted if c.status != "scored"]
    left_out = [c.node.name for c in children if not c.applies]
    parts = []
    if counted:
        parts.append(f"{show_score(low, high)} from {len(counted)} {'child' if len(counted) == 1 else 'children'}")
    if short:
        parts.append("short: " + ", ".join(_mention(c) for c in short))
    if unsettled:
        parts.append("not settled: " + ", ".join(f"{c.node.name} ({c.status})" for c in unsettled))
    if left_out:
        parts.append("not applicable: " + ", ".join(left_out))
    return "; ".join(parts)


def _mention(scored: ScoredNode) -> str:
    critical = "critical, " if scored.node.is_critical else ""
    return f"{scored.node.name} ({critical}{show_score(scored.low, scored.high)})"
