"""OpenInference spans: as OTLP JSON, as Arize Phoenix serves and exports them, and as OpenTelemetry prints them.

openinference.span.kind says what a span is. A model's: llm.input_messages, llm.output_messages with their tool_calls,
llm.token_count; a tool's: tool.name, tool.parameters, input.value, output.value. Keys come flat (with numbers for
the places in lists), nested, or half of each. Each trace id is a run.

Not told: the call's id at a tool's span, mostly: the calls that the models asked for are matched by tool and order.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.asked import parsed
from pytest_ppteval.trace.readers.otel import attributes_of, spans_of
from pytest_ppteval.trace.readers.said import said
from pytest_ppteval.trace.readers.service import Entry, named_args, read_run
from pytest_ppteval.trace.source import Source

_KIND = "openinference.span.kind"
_KEYS = 40  # parts of a dotted key


def nested(value: Json, depth: int = 0) -> Json:
    """Dotted keys as objects, numbers in them as places in a list."""
    if isinstance(value, list):
        return [nested(item, depth + 1) for item in value] if depth < _KEYS else None
    if not isinstance(value, dict):
        return value
    found: Record = {}
    for key, inner in value.items():
        parts = key.split(".")[:_KEYS]
        place = found
        for part in parts[:-1]:
            below = place.get(part)
            if not isinstance(below, dict):
                below = place[part] = {}
            place = below
        old, new = place.get(parts[-1]), nested(inner, depth + 1) if depth < _KEYS else None
        place[parts[-1]] = {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new
    return _listed(found)


def _listed(value: Json) -> Json:
    """Objects whose keys are all numbers as lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: _listed(item) for key, item in value.items()}
    if inner and all(key.isdecimal() and len(key) < 7 for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _status(record: Record) -> tuple[bool | None, str | None]:
    """Whether the span failed, None where it doesn't say, and the words."""
    status = as_dict(record.get("status"))
    code = status.get("code", status.get("status_code", record.get("status_code")))
    words = status.get("message", status.get("description", record.get("status_message")))
    text = str(code).upper().removeprefix("STATUS_CODE_")
    return True if text in ("2", "ERROR") else False if text in ("1", "OK") else None, text_of(words) or None


def _span(record: Record) -> tuple[str, Entry] | None:
    """A span of any of the forms, with its trace's id; None where it is none of OpenInference."""
    flat = {key.removeprefix("attributes."): value for key, value in record.items() if key.startswith("attributes.")}
    fields = as_dict(nested(attributes_of(record.get("attributes")) or flat))
    kind = as_dict(as_dict(fields.get("openinference")).get("span")).get("kind") or record.get("span_kind")
    context = as_dict(record.get("context"))

    def first(*names: str) -> Json:
        return next((record[name] for name in names if record.get(name) is not None), None)

    name = as_text(first("spanId", "span_id", "context.span_id")) or as_text(context.get("span_id"))
    if name is None or not isinstance(kind, str):
        return None
    failed, error = _status(record)
    output = as_dict(fields.get("output")).get("value")
    entry = Entry(
        id=name.removeprefix("0x"),
        parent=(as_text(first("parentSpanId", "parent_span_id", "parent_id")) or "").removeprefix("0x") or None,
        kind="model" if kind.upper() == "LLM" else "tool" if kind.upper() == "TOOL" else "other",
        name=as_text(record.get("name")) or "",
        start=when(first("startTimeUnixNano", "start_time_unix_nano", "start_time")),
        end=when(first("endTimeUnixNano", "end_time_unix_nano", "end_time")),
        failed=failed,
        error=error,
        output=output if isinstance(output, str) else None,
    )
    if entry.kind == "model":
        _model(entry, as_dict(fields.get("llm")))
    elif entry.kind == "tool":
        _tool(entry, fields, output)
    return as_text(first("traceId", "trace_id", "context.trace_id")) or as_text(context.get("trace_id")) or "", entry


def _message(item: Record) -> Record:
    """A message as OpenAI has it."""
    message = as_dict(item.get("message")) or item
    parts: list[Json] = []
    for part in as_dicts(message.get("contents")):
        inner = as_dict(part.get("message_content")) or part
        parts.append({"type": as_text(inner.get("type")) or "text", "text": text_of(inner.get("text"))})
    calls: list[Json] = [call.get("tool_call", call) for call in as_dicts(message.get("tool_calls"))]
    return {**message, "content": message.get("content") or parts, "tool_calls": calls}


def _model(entry: Entry, llm: Record) -> None:
    entry.model = as_text(llm.get("model_name"))
    entry.cost = as_number(as_dict(llm.get("cost")).get("total"))
    entry.before = [said(_message(item)) for item in as_dicts(llm.get("input_messages"))]
    entry.after = [said(_message(item)) for item in as_dicts(llm.get("output_messages"))]
    count = as_dict(llm.get("token_count"))
    before, after = as_dict(count.get("prompt_details")), as_dict(count.get("completion_details"))
    entry.usage = Usage(  # the details are parts of the totals
        input_total=as_count(count.get("prompt")),
        cache_read=as_count(before.get("cache_read")),
        cache_write=as_count(before.get("cache_write")),
        output=as_count(count.get("completion")),
        reasoning=as_count(after.get("reasoning")),
    )


def _tool(entry: Entry, fields: Record, output: Json) -> None:
    tool = as_dict(fields.get("tool"))
    entry.name = as_text(tool.get("name")) or entry.name
    entry.args = named_args(tool.get("parameters", as_dict(fields.get("input")).get("value")))
    entry.call = as_text(as_dict(fields.get("tool_call")).get("id"))
    whole = as_dict(parsed(output))
    # LangChain's tools answer with a message, which has the call's id.
    message = as_dict(whole.get("data")) if whole.get("type") == "tool" else as_dict(whole.get("kwargs")) or whole
    if "tool_call_id" in message and "content" in message:
        content = message["content"]
        entry.call = as_text(message["tool_call_id"]) or entry.call
        entry.failed = True if message.get("status") == "error" else entry.failed
        output = content
    entry.result = output if output is None or isinstance(output, str) else dumps(output)


def _records(record: Record) -> list[Record]:
    return spans_of(record) or as_dicts(record.get("data")) or as_dicts(record.get("spans")) or [record]


def _read(source: Source) -> list[Trace]:
    runs: dict[str, list[Entry]] = {}
    for line, record in source.records():
        for one in _records(record):
            found = _span(one)
            if found is None:
                source.notes.add("no_span", "a span without openinference.span.kind: skipped", line)
            else:
                runs.setdefault(found[0], []).append(found[1])
    traces = [read_run(Builder("openinference", source.notes, name or None), entries) for name, entries in runs.items()]
    return traces or [Builder("openinference", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        for one in _records(record):
            attributes = attributes_of(one.get("attributes"))
            if _KIND in attributes or f"attributes.{_KIND}" in one or "openinference" in attributes:
                return certain(f"spans with {_KIND}")
            if {"span_kind", "attributes"} <= set(one) and "context" in one:
                return certain("spans with span_kind and context, as Phoenix has them")
            alike = alike or ("span_kind" in one and "parent_id" in one)
    return maybe(f"spans with span_kind, but without {_KIND}") if alike else None


READER = Reader(name="openinference", title="OpenInference spans, Arize Phoenix", recognise=_recognise, read=_read)
