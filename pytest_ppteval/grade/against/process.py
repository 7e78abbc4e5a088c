"""The steps against the approved run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against.reference import not_applicable
from pytest_ppteval.grade.check import lacking
from pytest_ppteval.grade.rules.finding import may_lack
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001
    """Two points off for each deviation; 0 below what the case asks for at least."""
    from pytest_ppteval.trace.explain import explain

    trace, its = evidence.run.trace, reference.kept.run.trace
    if isinstance(trace, Lacking):
        return lacking(trace)
    if isinstance(its, Lacking):
        remedy = "leave 'process' out of the case's baseline: aspects, or approve a run with a trace"
        return not_applicable(leaf, f"not applicable: the approved run has no trace: {its.reason}", remedy)
    alignment = reference.alignment
    assert alignment is not None  # both have traces
    reason = explain(alignment)
    open_ = may_lack(trace) or (its.calls_unknown and f"of the approved run, {its.calls_unknown}")
    if open_:
        return LeafResult(status="unscored", reason=f"{open_}; so far: {reason}")
    least, share = leaf.scorer.args["min_process"], leaf.scorer.args["min_match"]
    if least is not None and alignment.score < least:
        return LeafResult(status="scored", score=0.0, reason=f"below min_process {least:g}: {reason}")
    matched = alignment.matched_share
    if share is not None and matched is not None and matched < share:
        return LeafResult(status="scored", score=0.0, reason=f"{matched:.2f} matched, min_match is {share:g}: {reason}")
    return LeafResult(status="scored", score=alignment.score / 100, reason=reason)
