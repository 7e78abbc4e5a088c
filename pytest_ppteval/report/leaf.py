"""What a report carries of a leaf and of a task: builtins only, so that it crosses from an xdist worker unharmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pytest_ppteval.prose.shown import hanging
from pytest_ppteval.runs.results import place_record
from pytest_ppteval.runs.usage import usage_record

if TYPE_CHECKING:
    from pytest_ppteval.rubric.score import ScoredNode
    from pytest_ppteval.runs.results import Place
    from pytest_ppteval.verify import TaskResult

Shown = Literal["passed", "partial", "failed", "unscored", "not applicable", "error"]


class LeafRecord(TypedDict):
    """One leaf as reports show it."""

    id: str
    kind: str
    dimension: str | None
    priority: str | None
    shown: Shown
    score: float | None
    applies: bool
    common: bool
    critical: bool
    budget: bool
    reason: str
    seconds: float
    output: str
    traceback: str
    error_at: Place | None
    details: str
    judging: dict[str, Any] | None
    file: str
    line: int


def shown_as(node: ScoredNode, result: TaskResult) -> Shown:
    """How a judged leaf is shown. Falling short of 1 is "partial" where the task passes all the same."""
    assert node.result is not None
    if node.result.status == "unscored":
        return "unscored" if node.result.applies else "not applicable"
    if node.result.status == "error":
        return "error"
    if node.low == 1:
        return "passed"
    return "partial" if result.verdict.outcome == "passed" else "failed"


def leaf_record(node: ScoredNode, result: TaskResult) -> LeafRecord:
    """The record of a judged leaf."""
    assert node.leaf is not None
    assert node.result is not None
    return LeafRecord(
        id=node.leaf.id,
        kind=node.leaf.scorer.type,
        dimension=_word(node, "dimension"),
        priority=_word(node, "priority"),
        shown=shown_as(node, result),
        score=node.score,
        applies=node.result.applies,
        common=node.result.common,
        critical=node.leaf.is_critical and not node.leaf.is_gate,
        budget=node.leaf.is_gate,
        reason=node.result.reason,
        seconds=node.result.seconds,
        output=node.result.output,
        traceback=node.result.traceback,
        error_at=place_record(node.result.error_at),
        details=node.result.details,
        judging=usage_record(node.result.usage),
        file=node.node.source.path,
        line=node.node.source.line,
    )


def _word(node: ScoredNode, key: str) -> str | None:
    """A text in the node's metadata, which are free in a rubric."""
    value = node.node.metadata.get(key)
    return value if isinstance(value, str) else None


def place_of(record: LeafRecord) -> tuple[str, int]:
    """File and line where people look first: the line of code that failed, else where the leaf is written."""
    at = record["error_at"]
    return (at["file"], at["line"]) if at else (record["file"], record["line"])


def judged_leaves(result: TaskResult) -> list[ScoredNode]:
    """The leaves that were judged, in the order of the file, budgets last."""
    leaves: list[ScoredNode] = []
    stack = [result.tree]
    while stack:
        node = stack.pop()
        if node.leaf is not None and node.result is not None:
            leaves.append(node)
        stack.extend(reversed(node.children))
    return [*leaves, *(gate for gate in result.gates if gate.result is not None)]


def headline(record: LeafRecord) -> str:
    """One line for people: "critical, score 0.00: No title found"."""
    if record["shown"] == "not applicable":
        reason = hanging(record["reason"])
        return reason if "not applicable" in reason else f"not applicable: {reason}"
    kind = "budget, " if record["budget"] else "critical, " if record["critical"] else ""
    if record["score"] is None:
        return f"{kind}{record['shown']}: {hanging(record['reason'])}"
    from pytest_ppteval.rubric.score import show_score

    return f"{kind}score {show_score(record['score'], record['score'])}: {hanging(record['reason'])}"
