"""LangSmith's runs: exported, one a line or in a list, as its API answers ({runs: [...]}), and trees (child_runs).

A run has run_type (llm, tool, chain, retriever, prompt, parser), inputs, outputs, error, start_time, end_time,
parent_run_id and trace_id. What is in an llm's inputs and outputs is what was traced: LangChain's messages and
generations, OpenAI's or Anthropic's requests and responses. Each trace id is a run.

Not told: at older tools' runs the call's id; where inputs and outputs are hidden or left out, calls and arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.asked import parsed
from pytest_ppteval.trace.readers.said import all_said
from pytest_ppteval.trace.readers.service import Entry, named_args, read_run
from pytest_ppteval.trace.source import Source

_TYPES = frozenset(("llm", "tool", "chain", "retriever", "prompt", "parser", "embedding"))
_OWN = frozenset(("start_time", "parent_run_id", "trace_id", "dotted_order", "child_runs"))
_DEPTH = 100


def _runs(record: Record, depth: int = 0) -> Iterator[Record]:
    """A run and those below it; those in an answer of the API."""
    if "run_type" in record:
        texts = {key: parsed(record[key]) for key in ("inputs", "outputs", "extra") if isinstance(record.get(key), str)}
        yield {**record, **texts}
        name, trace = record.get("id"), record.get("trace_id", record.get("id"))
        for number, child in enumerate(as_dicts(record.get("child_runs")) if depth < _DEPTH else []):
            above: Record = {"id": f"{name}.{number}", "parent_run_id": name, "trace_id": trace}
            yield from _runs(above | child, depth + 1)
    elif depth < _DEPTH:
        for one in as_dicts(record.get("runs")):
            yield from _runs(one, depth + 1)


def _message(outputs: Json) -> Record:
    """LangChain's message in the first generation."""
    first = as_dict(outputs).get("generations")
    while isinstance(first, list) and first:
        first = first[0]
    message = as_dict(as_dict(first).get("message")) or as_dict(as_dict(outputs).get("output"))
    return as_dict(message.get("kwargs")) or as_dict(message.get("data")) or message


def _number(value: Json) -> float | None:
    """Money, which the API writes as text."""
    try:
        return as_number(float(value)) if isinstance(value, str) else as_number(value)
    except ValueError:
        return None


def _usage(run: Record, message: Record) -> Usage:
    """Input has the cache in it, output the reasoning."""
    outputs, metadata = as_dict(run.get("outputs")), as_dict(as_dict(run.get("extra")).get("metadata"))
    places = (outputs.get("usage_metadata"), message.get("usage_metadata"), metadata.get("usage_metadata"))
    found = next((as_dict(place) for place in places if place), {})
    before, after = as_dict(found.get("input_token_details")), as_dict(found.get("output_token_details"))
    if not found:  # the service's own sums
        before, after = as_dict(run.get("prompt_token_details")), as_dict(run.get("completion_token_details"))
        found = {"input_tokens": run.get("prompt_tokens"), "output_tokens": run.get("completion_tokens")}
    return Usage(
        input_total=as_count(found.get("input_tokens")),
        cache_read=as_count(before.get("cache_read")),
        cache_write=as_count(before.get("cache_creation")),
        output=as_count(found.get("output_tokens")),
        reasoning=as_count(after.get("reasoning")),
    )


def _entry(run: Record) -> Entry | None:
    name = as_text(run.get("id"))
    if name is None:
        return None
    kind, outputs, error = run.get("run_type"), run.get("outputs"), as_text(run.get("error"))
    extra, end = as_dict(run.get("extra")), when(run.get("end_time"))
    metadata = as_dict(extra.get("metadata"))
    entry = Entry(
        id=name,
        parent=as_text(run.get("parent_run_id")),
        kind="model" if kind == "llm" else "tool" if kind == "tool" else "other",
        name=as_text(run.get("name")) or "",
        start=when(run.get("start_time")),
        end=end,
        failed=True
        if error or run.get("status") == "error"
        else False
        if end is not None or run.get("status") == "success"
        else None,
        error=error,
        cost=_number(run.get("total_cost")),
        output=as_text(as_dict(outputs).get("output")),
        over="end_time" not in run and bool(outputs),
    )
    if entry.kind == "model":
        message = _message(outputs)
        answered = as_text(as_dict(message.get("response_metadata")).get("model_name"))
        asked = as_text(as_dict(extra.get("invocation_params")).get("model"))
        entry.model = answered or as_text(metadata.get("ls_model_name")) or asked
        entry.usage = _usage(run, message)
        entry.before, entry.after = all_said(run.get("inputs")), all_said(outputs)
    elif entry.kind == "tool":
        _tool(entry, run, extra)
    return entry


def _tool(entry: Entry, run: Record, extra: Record) -> None:
    inputs = as_dict(run.get("inputs"))
    alone = inputs.get("input") if set(inputs) == {"input"} else None
    entry.args = named_args(alone) if isinstance(alone, str) else run.get("inputs")
    output = as_dict(run.get("outputs")).get("output", run.get("outputs"))
    message = as_dict(as_dict(output).get("kwargs")) or as_dict(as_dict(output).get("data")) or as_dict(output)
    entry.call = as_text(extra.get("tool_call_id")) or as_text(message.get("tool_call_id"))
    if "content" in message and ("tool_call_id" in message or message.get("type") == "tool"):
        output = message["content"]
        entry.failed = True if message.get("status") == "error" else entry.failed
    if output not in (None, {}):
        entry.result = output if isinstance(output, str) else dumps(output)


def _read(source: Source) -> list[Trace]:
    found: dict[str, dict[str, Entry]] = {}
    for line, record in source.records():
        known = False
        for run in _runs(record):
            entry = _entry(run)
            known = True
            if entry is None:
                source.notes.add("no_id", "a run without an id: skipped", line)
                continue
            trace = as_text(run.get("trace_id")) or (entry.id if entry.parent is None else next(iter(found), ""))
            found.setdefault(trace, {})[entry.id] = entry
        if not known:
            source.notes.add("no_run", "an object without run_type: skipped", line)
    traces = [
        read_run(Builder("langsmith", source.notes, name or None), entries.values()) for name, entries in found.items()
    ]
    return traces or [Builder("langsmith", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for run in (run for record in head.records for run in _runs(record)):
        if as_text(run.get("run_type")) in _TYPES and "inputs" in run and _OWN & set(run):
            return certain("runs with run_type and inputs")
        alike = True
    return maybe("runs with run_type, but without inputs, or nothing else that LangSmith has") if alike else None


READER = Reader(
    name="langsmith",
    title="LangSmith runs",
    recognise=_recognise,
    read=_read,
    not_calls=frozenset(("inputs", "serialized", "events")),
)
