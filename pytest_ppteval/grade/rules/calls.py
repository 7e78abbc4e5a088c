"""Tool calls in a trace: one that was made or not, their order.

All calls count, those of subagents and those that failed too, unless a rule says otherwise.
"""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.files import same
from pytest_ppteval.grade.rules.finding import Finding, may_lack, nameless, seen, some
from pytest_ppteval.grade.rules.matching import Matching
from pytest_ppteval.grade.rules.texts import place_of, readings
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.trace.explain import call as call_text
from pytest_ppteval.trace.families import FAMILIES, family_of
from pytest_ppteval.trace.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.trace.model import Json, Step, Trace

_SHOWN = 160


def tool_call(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether some call of the tool has the arguments asked for."""
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    named = [step for step in trace.steps if is_tool(step, rule.value, trace.format)]
    fits = [(step, has(step, rule)) for step in named]
    hit = next((step for step, fit in fits if fit), None)
    if hit is not None:
        return seen(True, f"call {place_in(hit, trace)}: {short(hit)}", rule, trace)
    unknown = next((step for step, fit in fits if fit is None), None)
    if unknown is not None:
        return Finding(None, f"call {place_in(unknown, trace)} is {unknown.tool}, and {_untold(unknown, rule)}")
    if not named:
        return seen(False, f"{rule.value} was not called; {called(trace.steps, [rule.value])}", rule, trace)
    calls = "1 call" if len(named) == 1 else f"none of {len(named)} calls"
    near = max(named, key=lambda step: _likeness(step, rule))
    reason = f"{calls} of {rule.value}, {'not ' if len(named) == 1 else ''}with {_asked(rule)}; nearest: {short(near)}"
    return seen(False, reason, rule, trace)


def tool_order(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the tools were called as the mode asks. Inside one parallel batch the order is free.

    exact: these calls in this order, and no others. in_order: all of them in this order, others may come between.
    any_order: these calls in any order, and no others. subset: no call but these, each as often as it likes.
    superset: all of them in any order, others may be there.
    """
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    tools, mode = list(rule.value["tools"]), str(rule.value["mode"])
    steps, cut, format_ = trace.steps, trace.status == "truncated", trace.format
    wrong, settled = _order(steps, tools, mode, format_, cut=cut)
    calls = f"calls: {sequence(trace.steps)}"
    reason = f"{mode}: {wrong}; {calls}" if wrong else f"{mode}: as asked; {calls}"
    if any(not step.tool for step in trace.steps):
        # Each may be of any tool: what holds of none and of every tool holds.
        otherwise, still = _order(steps, tools, mode, format_, cut=cut, any_tool=True)
        if bool(otherwise) != bool(wrong):
            return Finding(None, f"{reason}; {nameless(trace)}")
        settled = settled and still
    lacks = may_lack(trace)
    if lacks and not settled:
        return Finding(None, f"{reason}; {lacks}")
    return Finding((not wrong) != rule.negated, reason)


def _order(
    steps: Sequence[Step], tools: list[str], mode: str, trace_format: str, *, cut: bool, any_tool: bool = False
) -> tuple[str, bool]:
    """What is wrong ("" if nothing), and whether calls that the trace lacks could not change that.

    cut: what it lacks came later. any_tool: a call whose tool isn't known counts for any.
    """

    def fits(step: Step, tool: str) -> bool:
        return is_tool(step, tool, trace_format) or (any_tool and not step.tool)

    if mode == "subset":
        others = [step.tool for step in steps if not any(fits(step, tool) for tool in tools)]
        return (f"called beyond what is listed: {some(others)}", True) if others else ("", False)
    matching = Matching([[fits(step, tool) for step in steps] for tool in tools])
    if mode in ("exact", "in_order"):
        batches = [list(batch) for _, batch in groupby(range(len(steps)), lambda i: steps[i].group or f"only {i}")]
        reached = _walk(matching, batches, len(tools), exact=mode == "exact")
        if reached < len(tools) and mode == "exact" and reached < len(steps):
            # More calls may come in the last batch; and before any other, where others can't be read.
            settled = (cut and reached not in batches[-1]) or _too_many(steps, tools, fits)
            return f"call {reached + 1} is {steps[reached].tool}, {tools[reached]} was expected", settled
        if reached < len(tools):
            before = f" after {', '.join(tools[:reached][-3:])}" if reached else ""
            return f"{tools[reached]} was not called{before}", False
        if mode == "exact" and len(steps) > len(tools):
            return f"{len(steps)} calls, {len(tools)} expected", True
        return "", mode == "in_order"
    left_out = [tool for index, tool in enumerate(tools) if not matching.add(index)]
    beyond = [steps[index].tool for index in range(len(steps)) if index not in matching.taken]
    if mode == "any_order" and beyond:
        too_many = _too_many(steps, tools, fits)
        return (
            f"called beyond what is listed: {some(beyond)}" if not left_out else _left_out(steps, left_out, fits)
        ), too_many
    if left_out:
        return _left_out(steps, left_out, fits), False
    return "", mode == "superset"


def _left_out(steps: Sequence[Step], tools: list[str], fits: Callable[[Step, str], bool]) -> str:
    at_all = all(any(fits(step, tool) for step in steps) for tool in tools)
    return f"not called{' as often' if at_all else ''}: {some(tools)}"


def _too_many(steps: Sequence[Step], tools: list[str], fits: Callable[[Step, str], bool]) -> bool:
    """Whether there are calls that no further ones could make right: not each has a place of its own in the list."""
    places = Matching([[fits(step, tool) for tool in tools] for step in steps])
    return not all(places.add(index) for index in range(len(steps)))


def _walk(matching: Matching, batches: list[list[int]], count: int, *, exact: bool) -> int:
    """How many of the tools, from the first on, are called in order: as many in each batch as fit."""
    reached = 0
    for batch in batches:
        start = reached
        while reached < count and matching.add(reached, batch):
            reached += 1
        if exact and reached - start < len(batch):
            break
    return reached


def is_tool(step: Step, name: str, trace_format: str) -> bool:
    """Whether a step calls the tool `name`, in which * and ? are wildcards, or one of the family of that name."""
    if step.tool == name or (("*" in name or "?" in name) and fnmatchcase(step.tool, name)):
        return True
    return name in FAMILIES and bool(step.tool) and family_of(trace_format, step.tool, step.args) == name


def has(step: Step, rule: Rule) -> bool | None:
    """Whether a call has the arguments, the result and the outcome that a rule asks for; None where that isn't told."""
    parts = (_has_args(step, rule), _has_result(step, rule), _has_outcome(step, rule))
    return False if False in parts else None if None in parts else True


def _has_args(step: Step, rule: Rule) -> bool | None:
    texts, args = rule.options.get("contains", []), rule.options.get("args", {})
    if not texts and not args:
        return True
    ignore_case = bool(rule.options.get("ignore_case"))
    if all(_contains(step, text, ignore_case) for text in texts) and is_within(args, step.args):
        return True
    # Of arguments that are not whole, what is there counts, and what is not there may have been cut off.
    return False if step.args is not None else None


def _has_result(step: Step, rule: Rule) -> bool | None:
    texts = rule.options.get("result_contains", [])
    if not texts:
        return True
    told = "\n".join(text for text in (step.result, step.error) if text is not None)
    if step.result is None and step.error is None:
        return None
    ignore_case = bool(rule.options.get("ignore_case"))
    return all(any(place_of(text, form, ignore_case) for form in readings(told)) for text in texts)


def _has_outcome(step: Step, rule: Rule) -> bool | None:
    wanted = rule.options.get("failed")
    return True if wanted is None else None if step.failed is None else step.failed == wanted


def _untold(step: Step, rule: Rule) -> str:
    """What of a call the trace doesn't tell, though the rule asks for it."""
    if _has_args(step, rule) is None:
        return f"its arguments are not {'recorded' if step.args_raw is None else f'whole: {short(step)}'}"
    return "its result is not recorded" if _has_result(step, rule) is None else "whether it failed is not recorded"


def _contains(step: Step, text: str, ignore_case: bool) -> bool:
    """Whether a call's arguments contain a text: as JSON, as they were written, or in one of their texts."""
    wholes = [*json_texts(step.args), *([step.args_raw] if step.args_raw else [])]
    if step.args is not None:
        wholes.append(dumps(step.args))
    return any(place_of(text, form, ignore_case) for whole in wholes for form in (whole, normal(whole)))


def json_texts(value: Json) -> Iterator[str]:
    """Every text in a JSON value. Not recursive: arguments may be nested deep."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            stack.extend(reversed(one.values()))
        elif isinstance(one, list):
            stack.extend(reversed(one))


def is_within(part: Mapping[str, object], value: object) -> bool:
    """Whether `value` is an object with all that `part` has; objects in it likewise, other values equal."""
    if not part:
        return True
    return isinstance(value, dict) and all(
        key in value and (is_within(one, value[key]) if isinstance(one, dict) and one else same(value[key], one))
        for key, one in part.items()
    )


def _likeness(step: Step, rule: Rule) -> int:
    """How much of what a rule asks for a call has."""
    args = rule.options.get("args", {})
    held = step.args if isinstance(step.args, dict) else {}
    return sum(_contains(step, text, ignore_case=True) for text in rule.options.get("contains", [])) + sum(
        (key in held) + is_within({key: one}, held) for key, one in args.items()
    )


def _asked(rule: Rule) -> str:
    texts = [repr(text) for text in rule.options.get("contains", [])]
    args = [f"{key}={dumps(one)}" for key, one in rule.options.get("args", {}).items()]
    results = [f"{text!r} in its result" for text in rule.options.get("result_contains", [])]
    failed = {None: "", True: "a failure", False: "no failure"}[rule.options.get("failed")]
    return " and ".join(part for part in (", ".join(texts), ", ".join(args), ", ".join(results), failed) if part)


def place_in(step: Step, trace: Trace) -> str:
    """Which of the trace's calls it is: "2 of 7"."""
    return f"{next(i for i, one in enumerate(trace.steps, 1) if one is step)} of {len(trace.steps)}"


def short(step: Step) -> str:
    """A call on a line, cut."""
    text = call_text(step) + (" (failed)" if step.failed else "")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def called(steps: Sequence[Step], wanted: Sequence[str] = ()) -> str:
    """Which tools were called how often, those whose names are most like the wanted ones first."""
    if not steps:
        return "no tool was called"
    counts: dict[str, int] = {}
    for step in steps:
        counts[step.tool or "(unknown tool)"] = counts.get(step.tool or "(unknown tool)", 0) + 1
    near = [close for name in wanted for close in get_close_matches(name, counts, n=2, cutoff=0.5)]
    often = sorted(counts, key=lambda name: (name not in near, -counts[name]))
    total = f"{len(steps)} {'call' if len(steps) == 1 else 'calls'}"
    return f"{total}: {some([_times(name, counts[name]) for name in often])}"


def sequence(steps: Sequence[Step]) -> str:
    """The tools in the order of their calls; the same one in a row is written once."""
    runs = [_times(name or "(unknown tool)", len(list(run))) for name, run in groupby(steps, lambda step: step.tool)]
    return some(runs, 12) if runs else "none"


def _times(name: str, count: int) -> str:
    return name if count == 1 else f"{name} x{count}"
