"""From a scored tree and its gates to a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.rubric.score import ScoredNode, show_score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What rounding may take off a sum: the mean of three 0.7 is 0.6999999999999998, and meets a threshold of 0.7.
ROUNDING = 1e-9

Outcome = Literal["passed", "failed", "undetermined", "none"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a task's run comes to.

    outcome: "passed": the score reaches the threshold and no critical leaf and no gate falls short, whatever the
        unscored leaves would say; "failed": it cannot pass any more; "undetermined": unscored leaves leave both open;
        "none": only some of the leaves were selected, so nothing is said of the task.
    low, high: bounds on the score, equal where every leaf is scored.
    threshold: the score a task needs.
    reasons: why, one line each.
    """

    outcome: Outcome
    low: float
    high: float
    threshold: float
    reasons: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """The score, or None while it is open."""
        return self.low if self.low == self.high else None

    def __str__(self) -> str:
        return f"{self.outcome}: score {show_score(self.low, self.high)}, threshold {self.threshold:g}"


def judge(tree: ScoredNode, gates: Sequence[ScoredNode], threshold: float, *, complete: bool = True) -> Verdict:
    """The verdict on a scored `tree` with its `gates`; `complete` is false where only some leaves were selected."""
    low, high = tree.low, tree.high
    if not complete:
        return Verdict("none", low, high, threshold, ("judged on some of its leaves only: no verdict",))
    leaves = [node for node in (*_leaves(tree), *gates) if node.applies or not tree.applies]
    must = [n for n in leaves if n.leaf is not None and (n.leaf.is_critical or n.leaf.is_gate)]
    failed = [_shortfall(node) for node in must if node.high < 1]
    if not reaches(high, threshold):
        failed.append(f"score {_show_below(low, high, threshold)} is below the threshold {threshold:g}")
    if failed:
        return Verdict("failed", low, high, threshold, tuple(failed))
    open_leaves = [n for n in must if n.low < 1]
    if open_leaves or not reaches(low, threshold):
        unsettled = [n for n in leaves if n.status != "scored"]
        reasons = tuple(f"{_name(n)}: {n.status}: {n.reason}" for n in unsettled)
        return Verdict("undetermined", low, high, threshold, reasons)
    return Verdict("passed", low, high, threshold)


def reaches(score: float, threshold: float) -> bool:
    """Whether `score` meets `threshold`, rounding forgiven. A threshold of 1 asks for exactly 1 (strict success)."""
    return score >= threshold or (threshold < 1 and score >= threshold - ROUNDING)


def _show_below(low: float, high: float, threshold: float) -> str:
    """The score with as many digits as it takes to see that it is below the threshold: 0.699, not 0.70, under 0.7."""
    shown = show_score(low, high)
    if round(high, 2) < threshold:
        return shown
    digits = next((n for n in range(3, 16) if round(high, n) < threshold), 17)
    return f"{low:.{digits}g}" if low == high else f"{low:.{digits}g}..{high:.{digits}g}"


def _leaves(tree: ScoredNode) -> Iterator[ScoredNode]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.leaf is not None:
            yield node
        stack.extend(reversed(node.children))


def _name(node: ScoredNode) -> str:
    return node.leaf.id if node.leaf is not None else node.node.name


def _shortfall(node: ScoredNode) -> str:
    kind = "budget" if node.leaf is not None and node.leaf.is_gate else "critical leaf"
    return f"{kind} {_name(node)!r} falls short: {show_score(node.low, node.high)}: {node.reason}"
