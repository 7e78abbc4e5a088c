"""What a run did to the world: calls of the tools that the case lists as writing, and calls beyond a list.

A shell is none of them by its name. A command that writes files counts as a call of `write`, where the list has that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.calls import is_tool, place_in, short
from pytest_ppteval.grade.rules.commands import commands_of, writes_files
from pytest_ppteval.grade.rules.finding import Finding, may_lack, nameless, some
from pytest_ppteval.trace.families import family_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.trace.model import Step, Trace


def no_effect(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether no call of a writing tool was made, not even one that failed."""
    return _effects(rule, evidence, [])


def only_effects(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether of the writing tools none but these was called."""
    return _effects(rule, evidence, rule.value)


def only_tools(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether no tool but these was called."""
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    beyond = [step for step in trace.steps if step.tool and not _is_one(step, rule.value, trace)]
    return _none_of(rule, trace, beyond, f"called beyond {some(list(rule.value))}")


def _effects(rule: Rule, evidence: Evidence, allowed: Sequence[str]) -> Finding | Lacking:
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    listed = evidence.case.misc.get("writes", []) if evidence.case is not None else []
    beyond, open_ = [], ""
    for step in trace.steps:
        does = _effect(step, listed, trace)
        if does is None:
            open_ = f"the trace doesn't tell what the shell did in call {place_in(step, trace)}"
        elif does and not _is_one(step, allowed, trace) and not (does == "write" and "write" in allowed):
            beyond.append(step)
    return _none_of(rule, trace, beyond, "an effect", open_)


def _effect(step: Step, listed: Sequence[str], trace: Trace) -> str | None:
    """The entry of the list that a call is of, "" where none; None where that isn't told."""
    found = next((name for name in listed if step.tool and is_tool(step, name, trace.format)), "")
    if found or "write" not in listed or family_of(trace.format, step.tool, step.args) != "shell":
        return found
    if step.args is None and not step.args_raw:
        return None
    if any(writes_files(command) for command in commands_of(step)):
        return "write"
    return "" if step.args is not None else None


def _is_one(step: Step, names: Sequence[str], trace: Trace) -> bool:
    return any(is_tool(step, name, trace.format) for name in names)


def _none_of(rule: Rule, trace: Trace, beyond: Sequence[Step], what: str, open_: str = "") -> Finding:
    """The finding where there must be none of some calls."""
    if beyond:
        shown = some([f"call {place_in(step, trace)}: {short(step)}" for step in beyond], 3)
        return Finding(rule.negated, f"{what}: {shown}")
    lacks = may_lack(trace) or nameless(trace) or open_
    reason = f"nothing {what}" if what.startswith("called") else f"no call had {what}"
    return Finding(None, f"{reason}; {lacks}") if lacks else Finding(not rule.negated, reason)
