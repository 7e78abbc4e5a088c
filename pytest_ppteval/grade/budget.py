"""Budgets: what a run cost against what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001 - the graders' one signature
    """1.0 within the limit (the limit itself included), 0.0 over it; unscored where the run's cost is not known."""
    key, limit = str(leaf.scorer.args["key"]), float(leaf.scorer.args["limit"])
    spent = evidence.measure(key)
    if isinstance(spent, Lacking):
        return LeafResult(status="unscored", reason=f"{key}: {spent.reason}")
    if spent.value > limit:
        return LeafResult(status="scored", score=0.0, reason=f"{key}: {spent.value:g}, over the budget of {limit:g}")
    if spent.at_least:
        reason = f"{key}: {spent.value:g} so far, of {limit:g}, and the trace records no end of the run"
        return LeafResult(status="unscored", reason=reason)
    return LeafResult(status="scored", score=1.0, reason=f"{key}: {spent.value:g}, within the budget of {limit:g}")
