"""Time and tokens against what they may be, in whole points."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.measure import Measure
from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against.reference import not_applicable
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


def points(spent: float, base: float) -> int:
    """One for each full 10% over the base, which is above 0: 390 over 300 is 3, 480 is 6.

    Not in floats: (390 - 300) / 300 / 0.1 is 2.9999999999999996.
    """
    x, b = exact(spent), exact(base)
    return int((10 * x - 10 * b) // b) if x > b else 0


def exact(value: float) -> Fraction:
    """The number as it is written: 0.33 is 33/100."""
    return Fraction(repr(value))


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001
    """100 less the points for time and those for tokens.

    What neither run has a number for, or has the base 0, is not applicable and costs nothing; where that is both, the
    leaf is unscored. Where only this run lacks a number, nobody knows what it would have cost: unscored, too.
    """
    kept = reference.kept
    bases = {"seconds": float(leaf.scorer.args["seconds"]), "tokens": _value(kept.measure("tokens"))}
    said, lost, lacks, applies = [], 0, [], False
    for key, base in bases.items():
        spent = evidence.measure(key)
        if not base:
            said.append(f"{key} not applicable ({'no base' if base is None else 'a base of 0'})")
        elif isinstance(spent, Lacking) and key == "seconds" and isinstance(kept.measure(key), Lacking):
            said.append("seconds not applicable (neither run tells)")
        elif isinstance(spent, Lacking):
            lacks.append(f"{key}: {spent.reason}")
        elif spent.at_least:
            lacks.append(f"{key}: {spent.value:g} so far, and {spent.lacks}")
        else:
            applies = True
            off = points(spent.value, base)
            lost += off
            said.append(f"{key} {spent.value:g}, base {base:g}: {off} {'point' if off == 1 else 'points'} off")
    if lacks:
        return LeafResult(status="unscored", reason="; ".join([*lacks, *said]))
    if not applies:
        remedy = "leave 'efficiency' out of the case's baseline: aspects, or keep a metrics.json with the runs"
        return not_applicable(leaf, "; ".join(said), remedy)
    score = max(0, 100 - lost)
    return LeafResult(status="scored", score=score / 100, reason=f"efficiency {score}/100: {'; '.join(said)}")


def _value(measured: Measure | Lacking) -> float | None:
    """The number, where it is known."""
    return measured.value if isinstance(measured, Measure) and not measured.at_least else None
