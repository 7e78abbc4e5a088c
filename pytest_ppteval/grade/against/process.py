"""The steps against the approved run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against import artifacts
from pytest_ppteval.grade.against.reference import not_applicable
from pytest_ppteval.grade.check import lacking
from pytest_ppteval.grade.rules.finding import may_lack
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.trace.align import Alignment

# What a run that leaves steps out keeps at least, to be taken for a shorter way: five steps at most, half of them.
_LEAST_SCORE, _LEAST_SHARE = 90, 0.5
# Rules that look at the response and at files, not their not_ forms.
_OF_RESULTS = ("response_", "file_", "json_path")


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """Two points off for each deviation; 0 below what the case asks for at least.

    A shorter way to the same result is no fault: it has its points, and counts in full.
    """
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
    shorter = _shorter(reference, alignment, leaf, evidence, means)
    if shorter:
        reason = f"{shorter}, counted in full: {reason}"
    return LeafResult(status="scored", score=alignment.score / 100, enough=bool(shorter), reason=reason)


def _shorter(reference: Reference, alignment: Alignment, leaf: Leaf, evidence: Evidence, means: Means) -> str | None:
    """How the run is a shorter way to the same result, for people; None where it isn't, or nothing shows it.

    It only leaves steps out, few of them, and its result is known to be as good: the approved run's files, its very
    words, or a rule or model that judges them in the same case. Not where the case asks for this aspect by name.
    """
    left_out = alignment.count("missing")
    share = alignment.matched_share or 0.0
    if leaf.scorer.args["named"] or not left_out or alignment.deviations > left_out:
        return None
    if alignment.score < _LEAST_SCORE or share < _LEAST_SHARE or _ended_badly(evidence):
        return None
    files = artifacts.compare(reference, leaf, evidence, means)
    if files.applies and files.score != 1:
        return None
    response, its = evidence.run.response, reference.kept.run.response
    same = isinstance(response, str) and isinstance(its, str) and response.split() == its.split()
    if files.score != 1 and not same and not _judges_result(evidence.case):
        return None
    return f"a shorter way ({left_out} {'step' if left_out == 1 else 'steps'} left out) to the same result"


def _ended_badly(evidence: Evidence) -> bool:
    trace = evidence.run.trace
    return isinstance(trace, Lacking) or trace.status != "finished"


def _judges_result(case: Case | None) -> bool:
    """Whether the case has another leaf that says if the result is right: without it, the case fails by that leaf."""
    return case is not None and any(
        str(leaf.scorer.args.get("rule", "")).startswith(_OF_RESULTS)
        or leaf.scorer.args.get("part") == "result"
        or leaf.scorer.args.get("aspect") == "report"
        for leaf in case.rubric.leaves
    )
