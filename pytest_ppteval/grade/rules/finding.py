"""What a check finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_ppteval.trace.model import Trace

CUT = "the trace records no end of the run, what came after is not known"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a case file. check: its name without not_; negated: whether it had that."""

    check: str
    negated: bool
    value: Any
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """holds: whether the rule does; None where that can't be settled. reason: what was found."""

    holds: bool | None
    reason: str


def seen(found: bool, reason: str, rule: Rule, trace: Trace) -> Finding:
    """The finding where something was looked for in a trace, and `found` or not.

    That something is not there, a trace without an end can't say.
    """
    if not found and trace.status == "truncated":
        return Finding(None, f"{reason}; {CUT}")
    return Finding(found != rule.negated, reason)


def turned(finding: Finding, rule: Rule) -> Finding:
    """The finding of a rule from that of its plain form."""
    if finding.holds is None or not rule.negated:
        return finding
    return replace(finding, holds=not finding.holds)


def some(items: list[str], most: int = 6) -> str:
    """The first few of a list, and how many more there are."""
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest} more" if rest > 0 else "")
