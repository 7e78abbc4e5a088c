"""Langfuse's traces with their observations: as downloaded ({trace, observations}), as the API has them, or alone.

An observation has type (GENERATION, TOOL, SPAN, AGENT, CHAIN, EVENT, ...), name, input, output, startTime, endTime,
level, parentObservationId, model, usageDetails, costDetails. Inputs and outputs are what was traced, also as JSON text.
Before there were observations of type TOOL, tools were SPANs like any other: a trace that has no TOOL has its calls
from what the models were told and said, and where that isn't there, its spans may be calls.

Not told: the call's id at a tool, mostly; how a run ended (its root has a level of ERROR, or an end).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.asked import parsed
from pytest_ppteval.trace.readers.said import Said, all_said
from pytest_ppteval.trace.readers.service import Entry, named_args, read_run
from pytest_ppteval.trace.source import Source

_TYPES = frozenset(
    (
        *("SPAN", "GENERATION", "EVENT", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"),
        "GUARDRAIL",
    )
)


def _kind(record: Record) -> str:
    return str(record.get("type")).upper()


def _is_observation(record: Record) -> bool:
    return _kind(record) in _TYPES and {"traceId", "startTime"} <= set(record)


def _groups(record: Record) -> Iterator[tuple[Record, list[Record]]]:
    """Traces with their observations; an observation alone is a group of its own trace."""
    inside = record.get("observations")
    if isinstance(inside, list):
        yield as_dict(record.get("trace")) or record, as_dicts(inside)
    elif _is_observation(record):
        yield {"id": record.get("traceId")}, [record]
    else:
        for one in as_dicts(record.get("data")):
            yield from _groups(one)


def _count(usage: Record, *names: str) -> int | None:
    return next((number for name in names if (number := as_count(usage.get(name))) is not None), None)


def _usage(record: Record) -> Usage:
    """usageDetails leave out of "input" what has a name of its own; OpenAI's names have it in the totals."""
    details = as_dict(record.get("usageDetails"))
    if "prompt_tokens" in details:
        inner = as_dict(details.get("prompt_tokens_details"))
        return Usage(
            input_total=as_count(details.get("prompt_tokens")),
            cache_read=as_count(inner.get("cached_tokens")),
            output=as_count(details.get("completion_tokens")),
        )
    old = as_dict(record.get("usage")) or record
    fresh = _count(details, "input", "input_tokens")
    if fresh is None:
        asked = _count(old, "promptTokens", "input", "inputTokens", "prompt_tokens")
        return Usage(input_total=asked, output=_count(old, "completionTokens", "output", "outputTokens"))
    read = _count(details, "input_cached_tokens", "cache_read_input_tokens", "input_cache_read")
    write = _count(details, "cache_creation_input_tokens", "input_cache_creation", "cache_write_input_tokens")
    said = _count(details, "output", "output_tokens")
    thought = _count(details, "output_reasoning_tokens", "output_reasoning", "reasoning_tokens")
    total = as_count(details.get("total"))
    spent = None if said is None else said + (thought or 0)
    cached = (read or 0) + (write or 0)
    asked = fresh + cached
    if total is not None and said is not None and total == fresh + said:
        asked, spent = fresh, said  # the parts are in the totals
    elif total is not None and spent is not None and total >= spent:
        asked = total - spent
    return Usage(input_total=asked, cache_read=read, cache_write=write, output=spent, reasoning=thought)


def _cost(record: Record) -> float | None:
    """Dollars. A sum of 0 without details means that no price is known."""
    exact = as_number(as_dict(record.get("costDetails")).get("total"))
    sums = (as_number(record.get("calculatedTotalCost")), as_number(record.get("totalCost")))
    return exact if exact is not None else next((cost for cost in sums if cost), None)


def _told(value: Json) -> list[Said]:
    """Messages of an input or output; plain text is one."""
    plain = parsed(value)
    return all_said(plain)


def _entry(record: Record) -> Entry | None:
    name = as_text(record.get("id"))
    if name is None:
        return None
    kind, output = _kind(record), record.get("output")
    level, end = as_text(record.get("level")), when(record.get("endTime"))
    words = as_text(record.get("statusMessage"))
    entry = Entry(
        id=name,
        parent=as_text(record.get("parentObservationId")),
        kind="model" if kind == "GENERATION" else "tool" if kind == "TOOL" else "other",
        name=as_text(record.get("name")) or "",
        start=when(record.get("startTime")),
        end=end,
        failed=True if level == "ERROR" else None,
        error=words if level == "ERROR" else None,
        output=output if isinstance(output, str) else None,
    )
    if entry.kind == "model":
        entry.model = as_text(record.get("model")) or as_text(record.get("providedModelName"))
        entry.usage = _usage(record)
        entry.cost = _cost(record)
        entry.before, entry.after = _told(record.get("input")), _told(output)
        if not entry.before and isinstance(record.get("input"), str):
            entry.before = [Said("user", text_of(record.get("input")))]
        if not entry.after and isinstance(output, str):
            entry.after = [Said("assistant", output)]
    elif entry.kind == "tool":
        entry.args = named_args(record.get("input"))
        message = as_dict(parsed(output))
        if "tool_call_id" in message and "content" in message:
            entry.call, output = as_text(message["tool_call_id"]), message["content"]
            entry.failed = True if message.get("status") == "error" else entry.failed
        if entry.failed is None and end is not None:
            entry.failed = False  # the level would be ERROR
        entry.result = output if output is None or isinstance(output, str) else dumps(output)
    return entry


def _run(source: Source, head: Record, observations: list[Record]) -> Trace:
    build = Builder("langfuse", source.notes, as_text(head.get("id")))
    entries = {entry.id: entry for record in observations if (entry := _entry(record)) is not None}
    kinds = {entry.kind for entry in entries.values()}
    said = [all_said(parsed(record.get("output"))) for record in observations if _kind(record) == "GENERATION"]
    spans = [record for record in observations if _kind(record) == "SPAN" and record.get("parentObservationId")]
    # Where each answer is there as a message, it would have the calls.
    if "tool" not in kinds and spans and (not said or not all(said)):
        build.hidden(f"spans that may be tools, as {spans[0].get('name')!r}, where no observation is of type TOOL")
    trace = read_run(build, entries.values())
    total = as_number(head.get("totalCost"))
    # 0 where no price is known.
    return replace(trace, cost_usd=total) if trace.cost_usd is None and total else trace


def _read(source: Source) -> list[Trace]:
    heads: dict[str, Record] = {}
    found: dict[str, list[Record]] = {}
    for line, record in source.records():
        known = False
        for head, observations in _groups(record):
            known = True
            name = as_text(head.get("id")) or ""
            heads.setdefault(name, head)
            found.setdefault(name, []).extend(observations)
        if not known:
            source.notes.add("no_observations", "an object without observations: skipped", line)
    traces = [_run(source, heads[name], observations) for name, observations in found.items()]
    return traces or [Builder("langfuse", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        for _, observations in _groups(record):
            if any(_kind(one) in _TYPES and "startTime" in one for one in observations):
                return certain("observations with type and startTime")
            alike = True
    return maybe("observations, but without type and startTime") if alike else None


READER = Reader(
    name="langfuse",
    title="Langfuse, traces with observations",
    recognise=_recognise,
    read=_read,
    not_calls=frozenset(("input", "metadata")),
)
