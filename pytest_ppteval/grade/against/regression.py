"""What got much worse: strictly more than half as much again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against.efficiency import exact
from pytest_ppteval.grade.against.reference import not_applicable
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf

MEASURES = ("tokens", "seconds", "tool_calls")


def regressed(spent: float, base: float) -> bool:
    """Whether it is strictly more than 50% over the base."""
    return 2 * exact(spent) > 3 * exact(base)


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001
    """0 where tokens, seconds or tool calls regressed, else 1; a measure without a base is not applicable.

    Unscored where none applies, or where this run lacks a number that may have regressed.
    """
    worse, fine, lacks, out = [], [], [], []
    for key in MEASURES:
        base, spent = reference.kept.measure(key), evidence.measure(key)
        if isinstance(base, Lacking) or base.at_least or base.value == 0:
            out.append(f"{key} not applicable ({'a base of 0' if not isinstance(base, Lacking) else 'no base'})")
            continue
        if isinstance(spent, Lacking):
            lacks.append(f"{key}: {spent.reason}")
            continue
        change = exact(spent.value) / exact(base.value) - 1
        text = f"{key} {base.value:g} -> {spent.value:g} ({float(100 * change):+.4g}%)"
        if regressed(spent.value, base.value):
            worse.append(text)
        elif spent.at_least:
            lacks.append(f"{text} so far, and {spent.lacks}")
        else:
            fine.append(text)
    rest = "; ".join([*fine, *lacks, *out])
    if worse:
        more = f"; {rest}" if rest else ""
        return LeafResult(status="scored", score=0.0, reason=f"more than 50% over: {'; '.join(worse)}{more}")
    if lacks:
        return LeafResult(status="unscored", reason=rest)
    if not fine:
        remedy = "leave 'regression' out of the case's baseline: aspects, or keep a metrics.json with the runs"
        return not_applicable(leaf, rest, remedy)
    return LeafResult(status="scored", score=1.0, reason=f"nothing more than 50% over: {rest}")
