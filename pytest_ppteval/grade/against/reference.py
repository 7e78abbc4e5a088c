"""Which approved runs a run is held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.baseline.hashes import Freshness
    from pytest_ppteval.baseline.store import KeptRun
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.trace.align import Alignment

_ORDER = ("fresh", "unchecked", "stale")


@dataclass(frozen=True, slots=True)
class Reference:
    """An approved run. alignment: of its steps with this run's; None where one of them has no trace."""

    kept: KeptRun
    freshness: Freshness
    alignment: Alignment | None

    @property
    def note(self) -> str:
        """What a reader must know of it: whose it is, and whether it is of the case as it is now."""
        head = f"against the run {self.kept.title}"
        if self.freshness.state == "stale":
            return f"STALE baseline ({self.freshness.why}; look at a new run and use ppteval approve), {head}"
        if self.freshness.state == "unchecked":
            return f"{head} (not checked for staleness: {self.freshness.why})"
        return head


def not_applicable(leaf: Leaf, what: str, remedy: str) -> LeafResult:
    """The result where an approved run has nothing to compare with: neither full marks nor none.

    An aspect that the case asks for stays open, with the remedy; one of the usual ones doesn't count in its tree.
    """
    if leaf.scorer.args["named"]:
        return LeafResult(status="unscored", reason=f"{what}; {remedy}")
    return LeafResult(status="unscored", applies=False, reason=f"{what}; not counted")


def references(leaf: Leaf, evidence: Evidence) -> tuple[Reference, ...] | LeafResult:
    """The approved runs that this one is most like, by their steps: mostly one, worked out once for all aspects.

    Where steps can't be compared, all of them. The result of the leaf where there is none.
    """
    args = leaf.scorer.args
    key = ("baseline", args["suite"], args["case"])
    found = evidence.shared.get(key)
    if not isinstance(found, (tuple, LeafResult)):
        found = evidence.shared[key] = _find(str(args["suite"]), str(args["case"]), evidence)
    return found


def _find(suite: str, case: str, evidence: Evidence) -> tuple[Reference, ...] | LeafResult:
    from pytest_ppteval.baseline.hashes import freshness, hashes_of
    from pytest_ppteval.baseline.store import case_folder, load_approved
    from pytest_ppteval.evidence.workspace import shown
    from pytest_ppteval.trace.align import align

    if evidence.baselines is None or evidence.case is None:
        return LeafResult(status="unscored", reason="no folder of approved runs is named to compare with")
    approved = load_approved(evidence.baselines, suite, case)
    if approved.runs and approved.problems:
        # The one that can't be used may have been the one that this run is most like.
        return LeafResult(status="unscored", reason=f"an approved run can't be used: {'; '.join(approved.problems)}")
    if not approved.runs:
        place = shown(case_folder(evidence.baselines, suite, case))
        problems = f": {'; '.join(approved.problems)}" if approved.problems else f" in {place}"
        how = "record one with --ppteval-record-baselines DIR, look at it, and use ppteval approve"
        return LeafResult(status="unscored", reason=f"no approved run{problems}; {how}")
    now = hashes_of(evidence.case)
    trace = evidence.run.trace
    found = []
    for kept in approved.runs:
        its = kept.run.trace
        alignment = None if isinstance(trace, Lacking) or isinstance(its, Lacking) else align(its.steps, trace.steps)
        found.append(Reference(kept, freshness(kept.hashes, evidence.case, now), alignment))
    found.sort(key=lambda one: _ORDER.index(one.freshness.state))
    if any(one.alignment is None for one in found):
        return tuple(found)
    best = max(map(_likeness, found))
    return tuple(one for one in found if _likeness(one) == best)


def _likeness(reference: Reference) -> tuple[int, float]:
    assert reference.alignment is not None
    share = reference.alignment.matched_share
    # Beyond 50 deviations every score is 0: their number still tells which run is nearer.
    return -reference.alignment.deviations, 1.0 if share is None else share
