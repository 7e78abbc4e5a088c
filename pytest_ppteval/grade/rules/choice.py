"""Rules of which one is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.finding import Finding, Rule, some

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence


def any_of(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether one of several rules holds; open where none does and one is open. For a negated rule, none may hold."""
    from pytest_ppteval.grade.check import check_of

    found: list[tuple[str, Finding | Lacking]] = []
    for one in rule.value:
        name = str(one["rule"])
        part = Rule(name.removeprefix("not_"), name.startswith("not_"), one["value"], one["options"])
        found.append((name, check_of(part.check)(part, evidence)))
    holding = [(name, one) for name, one in found if isinstance(one, Finding) and one.holds]
    if holding:
        name, one = holding[0]
        return Finding(not rule.negated, f"{name}: {one.reason}")
    reasons = some([f"{name}: {one.reason}" for name, one in found], 4)
    if any(one.fault != "agent" if isinstance(one, Lacking) else one.holds is None for _, one in found):
        return Finding(None, f"none holds so far: {reasons}")
    if all(isinstance(one, Lacking) for _, one in found):  # nothing was left to look at: neither form holds
        return Lacking(reasons, "agent")
    return Finding(rule.negated, f"none holds: {reasons}")
