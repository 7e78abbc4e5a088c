"""Budgets: what a run cost against what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001 - the graders' one signature
    """1.0 within the limit (the limit itself included), 0.0 over it; unscored where the run's cost is not known."""
    key, limit = str(leaf.scorer.args["key"]), float(leaf.scorer.args["limit"])
    spent = evidence.metrics.get(key)
    if spent is None:
        why = evidence.metrics_problem or "not in the run's metrics (metrics.json beside the output)"
        return LeafResult(status="unscored", reason=f"{key}: {why}")
    verdict = "within" if spent <= limit else "over"
    return LeafResult(
        status="scored",
        score=1.0 if spent <= limit else 0.0,
        reason=f"{key}: {spent:g}, {verdict} the budget of {limit:g}",
    )
