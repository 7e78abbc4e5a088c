"""Bounds on what a run took: tool calls, retries, tokens, cost, seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.measure import Measure
from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.calls import called, has, is_tool
from pytest_ppteval.grade.rules.finding import CUT, Finding, may_lack, nameless, turned
from pytest_ppteval.trace.align import key
from pytest_ppteval.trace.model import ENDLESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.trace.model import Step

_UNITS = {"tokens": "tokens", "cost": "USD", "seconds": "s"}
_KEYS = {"tokens": "tokens", "cost": "cost_usd", "seconds": "seconds"}


def bound(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether a number keeps within its bound, the bound itself included."""
    _, _, what = rule.check.partition("_")
    if what == "tool_calls":
        return _tool_calls(rule, evidence)
    if what == "retries":
        return _retries(rule, evidence)
    spent = evidence.measure(_KEYS[what])
    if isinstance(spent, Lacking):
        return Lacking(f"{what}: {spent.reason}", spent.fault)
    return _within(rule, spent, f"{spent.value:,.10g} {_UNITS[what]}")


def _tool_calls(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    trace = evidence.run.trace
    tool = rule.options.get("tool")
    if isinstance(trace, Lacking):
        # Without a trace, the run's metrics may tell how many calls there were, but not of what.
        told = evidence.measure("tool_calls") if trace.absent and not rule.options else trace
        return trace if isinstance(told, Lacking) else _within(rule, told, _number(int(told.value), "tool call"))
    named = [step for step in trace.steps if tool is None or is_tool(step, tool, trace.format)]
    fits = [has(step, rule) for step in named]
    of = f" of {tool}" if tool else ""
    of += " with what is asked for" if rule.options.keys() - {"tool"} else ""
    untold = f"the trace doesn't tell enough of {fits.count(None)} more" if None in fits else ""
    found = Measure(fits.count(True), may_lack(trace) or (nameless(trace) if tool else "") or untold)
    return _within(rule, found, f"{_number(fits.count(True), 'tool call')}{of}", called(trace.steps))


def _retries(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """A retry is a call with the tool and arguments of an earlier one, the last of which failed."""
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    tool = rule.options.get("tool")
    sure, possible = retries(
        [step for step in trace.steps if tool is None or not step.tool or is_tool(step, tool, trace.format)]
    )
    shown = _number(len(sure), "retry")
    again = f"again: {called(sure)}" if sure else ""
    least = _within(rule, Measure(len(sure), may_lack(trace)), shown, again)
    if least.holds != _within(rule, Measure(len(possible)), shown).holds and least.holds is not None:
        return Finding(None, f"{shown}, {len(possible)} if all calls failed of which the trace doesn't say so")
    return least


def retries(steps: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """The calls that surely are retries, and those that may be: where a trace doesn't say what failed, or was asked."""
    last: dict[tuple[str, str], Step] = {}
    vague: list[Step] = []  # earlier calls that may have asked for anything
    first: dict[str, Step] = {}  # by tool, the earliest call that may have failed
    sure: list[Step] = []
    possible: list[Step] = []
    for step in steps:
        before = last.get(key(step)) if _is_told(step) else None
        # Asked for at once, the second can't answer a failure of the first.
        known = before is not None and not _beside(step, before)
        if known and before is not None and before.failed:
            sure.append(step)
        if _is_told(step):
            may = [one for one in vague if one.tool in ("", step.tool)]
        else:
            may = [one for name, one in first.items() if not step.tool or name in ("", step.tool)]
        if (known and before is not None and before.failed is not False) or any(not _beside(step, one) for one in may):
            possible.append(step)
        if _is_told(step):
            last[key(step)] = step
        elif step.failed is not False:
            vague.append(step)
        if step.failed is not False:
            first.setdefault(step.tool, step)
    return sure, possible


def _is_told(step: Step) -> bool:
    """Whether the trace tells what was asked. What is cut off may differ, though its beginnings are alike."""
    return bool(step.tool) and step.args is not None


def _beside(step: Step, other: Step) -> bool:
    return step.group is not None and step.group == other.group


def _within(rule: Rule, found: Measure, shown: str, more: str = "") -> Finding:
    limit = float(rule.value)
    at_most = rule.check.startswith("max_")
    holds = found.value <= limit if at_most else found.value >= limit
    words = ("more than", "less than") if rule.negated else ("at most", "at least")
    wanted = f"{words[0] if at_most else words[1]} {limit:,.10g}"
    reason = f"{shown}, {wanted} expected"
    reason += f"; {more}" if more else ""
    # More may have come: that settles a lower bound that is met, and an upper one that is not.
    if found.at_least and holds == at_most:
        return Finding(None, f"{reason}; {CUT if found.lacks == ENDLESS else found.lacks}")
    return turned(Finding(holds, reason), rule)


def _number(count: int, what: str) -> str:
    plural = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return f"{count:,} {what if count == 1 else plural}"
