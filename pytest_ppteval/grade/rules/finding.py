"""What a check finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_ppteval.trace.model import Trace

CUT = "the trace records no end of the run, what came after is not known"

# How the note begins of a skill that was not used and that no SKILL.md is known for; the session's summary lists them.
UNKNOWN_SKILL = "UNKNOWN SKILL"
# How the reason begins of a rule by code about a claim in words; the session's summary counts them.
STANDS_IN = "stands in for a judge of "


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a case file. check: its name without not_; negated: whether it had that."""

    check: str
    negated: bool
    value: Any
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """holds: whether the rule does; None where that can't be settled. reason: what was found.

    note: what a reader must know beside, and the session's summary tells.
    """

    holds: bool | None
    reason: str
    note: str = ""


def may_lack(trace: Trace) -> str:
    """Why there may have been more calls than the trace has, "" where it has all of them."""
    return CUT if trace.status == "truncated" else trace.calls_unknown or ""


def nameless(trace: Trace) -> str:
    """That the trace has calls without their tools, "" where it names them all."""
    count = sum(not step.tool for step in trace.steps)
    return f"the trace doesn't name the tool of {count} {'call' if count == 1 else 'calls'}" if count else ""


def seen(found: bool, reason: str, rule: Rule, trace: Trace, note: str = "") -> Finding:
    """The finding where something was looked for in a trace's calls, and `found` or not.

    That something is not there, a trace that doesn't tell of all calls can't say.
    """
    open_ = "" if found else may_lack(trace) or nameless(trace)
    if open_:
        return Finding(None, f"{reason}; {open_}", note)
    return Finding(found != rule.negated, reason, note)


def turned(finding: Finding, rule: Rule) -> Finding:
    """The finding of a rule from that of its plain form."""
    if finding.holds is None or not rule.negated:
        return finding
    return replace(finding, holds=not finding.holds)


def some(items: list[str], most: int = 6) -> str:
    """The first few of a list, and how many more there are."""
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest} more" if rest > 0 else "")
