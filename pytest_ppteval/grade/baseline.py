"""Comparisons with the approved runs of a case (docs/baselines.md): one leaf an aspect, the best match counts."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


class Aspect(Protocol):
    """What each module of against/ offers that is named after an aspect."""

    def compare(self, reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
        """Hold the run against one approved run."""


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """The best of the comparisons with the approved runs that are nearest; unscored where there is none."""
    from pytest_ppteval.grade.against.reference import references
    from pytest_ppteval.grade.rules.regex import RegexTimeoutError

    if evidence.missing:
        return LeafResult(status="scored", score=0.0, reason=evidence.missing)
    found = references(leaf, evidence)
    if isinstance(found, LeafResult):
        return found
    aspect: Aspect = import_module(f"pytest_ppteval.grade.against.{leaf.scorer.args['aspect']}")
    best: tuple[Reference, LeafResult] | None = None
    for reference in found:
        try:
            result = aspect.compare(reference, leaf, evidence, means)
        except RegexTimeoutError as error:
            return LeafResult(status="error", reason=str(error))
        if best is None or _rank(result) > _rank(best[1]):
            best = reference, result
    assert best is not None  # there is one approved run at least
    reference, result = best
    own = " (which is this very run)" if reference.kept.folder == evidence.run.folder else ""
    return replace(result, reason=f"{reference.note}{own}: {result.reason}")


def _rank(result: LeafResult) -> float:
    """Scores count most; what is open before what doesn't apply."""
    if result.score is not None:
        return result.score
    return -1.0 if result.applies else -2.0
