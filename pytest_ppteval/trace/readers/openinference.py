"""OpenInference spans: as OTLP JSON, as Arize Phoenix serves and exports them, and as OpenTelemetry prints them.

openinference.span.kind says what a span is. A model's: llm.input_messages, llm.output_messages with their tool_calls,
llm.token_count; a tool's: tool.name, tool.parameters, input.value, output.value. Keys come flat (with numbers for
the places in lists), nested, or half of each. Each trace id is a run.

Not told: the call's id at a tool's span, mostly: the calls that the models asked for are matched by tool and order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.asked import Asked, Ran, join, parsed
from pytest_ppteval.trace.readers.otel import attributes_of, spans_of
from pytest_ppteval.trace.source import Source

_KIND = "openinference.span.kind"
_DEPTH = 1000  # spans above a span; a cycle in damaged data must end
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


@dataclass(slots=True)
class _Span:
    id: str
    trace: str
    parent: str | None
    name: str
    kind: str
    start: float | None
    end: float | None
    failed: bool | None
    error: str
    fields: Record = field(default_factory=dict)


def _status(record: Record) -> tuple[bool | None, str]:
    """Whether the span failed, None where it doesn't say, and the words."""
    status = as_dict(record.get("status"))
    code = status.get("code", status.get("status_code", record.get("status_code")))
    words = status.get("message", status.get("description", record.get("status_message")))
    text = str(code).upper().removeprefix("STATUS_CODE_")
    return True if text in ("2", "ERROR") else False if text in ("1", "OK") else None, text_of(words)


def _span(record: Record) -> _Span | None:
    """A span of any of the forms; None where it is none of OpenInference."""
    flat = {key.removeprefix("attributes."): value for key, value in record.items() if key.startswith("attributes.")}
    fields = as_dict(nested(attributes_of(record.get("attributes")) or flat))
    kind = as_dict(as_dict(fields.get("openinference")).get("span")).get("kind") or record.get("span_kind")
    context = as_dict(record.get("context"))
    failed, error = _status(record)

    def first(*names: str) -> Json:
        return next((record[name] for name in names if record.get(name) is not None), None)

    name = as_text(first("spanId", "span_id", "context.span_id")) or as_text(context.get("span_id"))
    if name is None or not isinstance(kind, str):
        return None
    return _Span(
        id=name.removeprefix("0x"),
        trace=(as_text(first("traceId", "trace_id", "context.trace_id")) or as_text(context.get("trace_id")) or ""),
        parent=(as_text(first("parentSpanId", "parent_span_id", "parent_id")) or "").removeprefix("0x") or None,
        name=as_text(record.get("name")) or "",
        kind=kind.upper(),
        start=when(first("startTimeUnixNano", "start_time_unix_nano", "start_time")),
        end=when(first("endTimeUnixNano", "end_time_unix_nano", "end_time")),
        failed=failed,
        error=error,
        fields=fields,
    )


def _messages(value: Json) -> list[Record]:
    return [as_dict(item.get("message")) or item for item in as_dicts(value)]


def _words(message: Record) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [as_dict(item.get("message_content")) or item for item in as_dicts(message.get("contents"))]
    return "".join(text_of(part.get("text")) for part in parts)


def _output(fields: Record) -> tuple[str | None, str | None, bool | None]:
    """A tool's result: text, the call's id, and whether it is a failure, as LangChain's message of a tool says it."""
    value = as_dict(fields.get("output")).get("value")
    if value is None:
        return None, None, None
    whole = as_dict(parsed(value))
    message = as_dict(whole.get("data")) if whole.get("type") == "tool" else as_dict(whole.get("kwargs")) or whole
    if "tool_call_id" in message and "content" in message:
        content, status = message["content"], as_text(message.get("status"))
        text = content if isinstance(content, str) else dumps(content)
        return text, as_text(message["tool_call_id"]), None if status is None else status == "error"
    return value if isinstance(value, str) else dumps(value), None, None


def _usage(count: Record) -> Usage:
    """The details are parts of the totals."""
    before, after = as_dict(count.get("prompt_details")), as_dict(count.get("completion_details"))
    return Usage(
        input_total=as_count(count.get("prompt")),
        cache_read=as_count(before.get("cache_read")),
        cache_write=as_count(before.get("cache_write")),
        output=as_count(count.get("completion")),
        reasoning=as_count(after.get("reasoning")),
    )


class _Run:
    def __init__(self, source: Source, name: str, spans: list[_Span]) -> None:
        self.build = Builder("openinference", source.notes, name or None)
        self.spans = sorted(spans, key=lambda span: span.start or 0.0)
        self.by_id = {span.id: span for span in self.spans}

    def above(self, span: _Span, kind: str) -> str | None:
        """The nearest span above of a kind."""
        current = span
        for _ in range(_DEPTH):
            parent = self.by_id.get(current.parent or "")
            if parent is None:
                return None
            if parent.kind == kind:
                return parent.id
            current = parent
        return None

    def trace(self) -> Trace:
        build = self.build
        models = [span for span in self.spans if span.kind == "LLM" and self.above(span, "LLM") is None]
        asked: list[Asked] = []
        answers: dict[str, str] = {}
        for span in models:
            llm = as_dict(span.fields.get("llm"))
            asked += self.asked(span, llm)
            for message in _messages(llm.get("input_messages")):
                call = as_text(message.get("tool_call_id"))
                if call is not None:
                    answers[call] = _words(message)
            build.spend(as_text(llm.get("model_name")), _usage(as_dict(llm.get("token_count"))))
            build.cost(as_number(as_dict(llm.get("cost")).get("total")))
        join(build, asked, [self.ran(span) for span in self.spans if span.kind == "TOOL"], answers)
        main = [span for span in models if self.above(span, "TOOL") is None]
        self.say(main)
        self.end(main)
        return build.trace()

    def asked(self, span: _Span, llm: Record) -> list[Asked]:
        parent, found = self.above(span, "TOOL"), []
        for message in _messages(llm.get("output_messages")):
            for item in as_dicts(message.get("tool_calls")):
                call = as_dict(item.get("tool_call")) or item
                function = as_dict(call.get("function"))
                name, args = as_text(function.get("name")), function.get("arguments")
                found.append(Asked(as_text(call.get("id")), name, args, f"request-{span.id}", span.end, parent))
        return found

    def ran(self, span: _Span) -> Ran:
        tool = as_dict(span.fields.get("tool"))
        given = as_dict(span.fields.get("input")).get("value")
        args = tool.get("parameters", given)
        plain = parsed(args)
        if not isinstance(plain, dict) and args is not None:
            args = {"input": plain}  # one argument without its name
        text, call, failed = _output(span.fields)
        call = call or as_text(as_dict(span.fields.get("tool_call")).get("id"))
        failed = True if span.failed or failed else failed if failed is not None else span.failed
        name = as_text(tool.get("name")) or span.name
        parent = self.above(span, "TOOL")
        error = span.error or None
        return Ran(span.id, call, name, args, text, failed, error, span.start, span.end, parent)

    def say(self, main: list[_Span]) -> None:
        """The last request repeats all that came before it."""
        if not main:
            return
        llm = as_dict(main[-1].fields.get("llm"))
        for message in _messages(llm.get("input_messages")) + _messages(llm.get("output_messages")):
            role = as_text(message.get("role")) or "unknown"
            if role != "tool":
                self.build.say(
                    {"human": "user", "ai": "assistant", "model": "assistant"}.get(role, role), _words(message)
                )

    def end(self, main: list[_Span]) -> None:
        build = self.build
        roots = [span for span in self.spans if span.parent is None]
        root = roots[-1] if roots else None
        if root is not None:
            build.status = "error" if root.failed else "finished" if root.end is not None else "truncated"
            build.error = (root.error or "the run failed") if root.failed else None
            output = as_dict(root.fields.get("output")).get("value")
            if not main and isinstance(output, str):
                build.final = output
        elif main and main[-1].end is not None:
            last = _messages(as_dict(main[-1].fields.get("llm")).get("output_messages"))
            open_call = not last or any(message.get("tool_calls") for message in last)
            build.status = "truncated" if open_call else "finished"
        for span in roots or self.spans:
            build.at(span.start)
            build.at(span.end)


def _records(record: Record) -> list[Record]:
    return spans_of(record) or as_dicts(record.get("data")) or as_dicts(record.get("spans")) or [record]


def _read(source: Source) -> list[Trace]:
    runs: dict[str, list[_Span]] = {}
    for line, record in source.records():
        for one in _records(record):
            span = _span(one)
            if span is None:
                source.notes.add("no_span", "a span without openinference.span.kind: skipped", line)
            else:
                runs.setdefault(span.trace, []).append(span)
    traces = [_Run(source, name, spans).trace() for name, spans in runs.items()]
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
