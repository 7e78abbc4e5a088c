"""OpenTelemetry spans by the GenAI conventions, as OTLP JSON: one document, or one export a line.

Exporters differ: ids in hex or base64, 64-bit numbers as text, enums as numbers or names, keys in camel or snake case.
Spans come in any order. Tokens are counted on the spans that asked a model; the root may repeat their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_list, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.otel_dialects import asks_for_tools, common, finish_reasons, parsed, sign_of_call
from pytest_ppteval.trace.readers.otel_events import Event, arguments_of, result_of, said_in
from pytest_ppteval.trace.source import Source

_ASKS = ("chat", "text_completion", "generate_content")
_MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
_DEPTH = 1000  # spans above a span; a cycle in damaged data must end


@dataclass(slots=True)
class _Span:
    id: str
    parent: str | None
    name: str
    start: int | None  # nanoseconds since 1970
    end: int | None
    failed: bool
    error: str
    attributes: Record = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @property
    def operation(self) -> str:
        """What the span did; older instrumentation says it in the name only."""
        said = as_text(self.attributes.get("gen_ai.operation.name"))
        if said is None and "gen_ai.tool.name" in self.attributes:
            return "execute_tool"
        return said or self.name.split(" ")[0]


def _value(value: Json, depth: int = 0) -> Json:
    """An OTLP AnyValue."""
    fields = as_dict(value)
    for name, inner in fields.items():
        kind = name.replace("_", "").lower()
        if kind == "intvalue":
            number = as_count(inner)
            return number if number is not None else inner
        if kind == "arrayvalue":
            return [_value(item, depth + 1) for item in as_list(as_dict(inner).get("values"))] if depth < 50 else None
        if kind == "kvlistvalue":
            return attributes_of(as_dict(inner).get("values"), depth + 1) if depth < 50 else None
        return inner
    return None


def attributes_of(pairs: Json, depth: int = 0) -> Record:
    """Attributes by key."""
    if isinstance(pairs, dict):  # not OTLP, but some exporters write a plain object
        return pairs
    return {key: _value(pair.get("value"), depth) for pair in as_dicts(pairs) if (key := as_text(pair.get("key")))}


def _get(record: Record, camel: str, snake: str) -> Json:
    return record[camel] if camel in record else record.get(snake)


def _span(record: Record) -> _Span:
    status = as_dict(record.get("status"))
    error = as_text(status.get("message")) or ""
    events = [
        (as_text(event.get("name")) or "", attributes_of(event.get("attributes")))
        for event in as_dicts(record.get("events"))
    ]
    for _, fields in events:
        error = error or as_text(fields.get("exception.message")) or ""
    name = as_text(record.get("name")) or ""
    return _Span(
        id=as_text(_get(record, "spanId", "span_id")) or "",
        parent=as_text(_get(record, "parentSpanId", "parent_span_id")),
        name=name,
        start=as_count(_get(record, "startTimeUnixNano", "start_time_unix_nano")),
        end=as_count(_get(record, "endTimeUnixNano", "end_time_unix_nano")),
        failed=status.get("code") in (2, "2", "STATUS_CODE_ERROR"),
        error=error,
        attributes=common(name, attributes_of(record.get("attributes"))),
        events=events,
    )


class _Run:
    """The spans of one trace id."""

    def __init__(self, source: Source, name: str, spans: list[_Span]) -> None:
        self.build = Builder("otel", source.notes, name)
        self.spans = sorted(spans, key=lambda span: span.start or 0)
        self.by_id = {span.id: span for span in self.spans}
        self.agents = [span for span in self.spans if span.operation == "invoke_agent"]
        self.roots = [span for span in self.agents if self.above(span, ("invoke_agent", "execute_tool")) is None]

    def above(self, span: _Span, operations: tuple[str, ...]) -> _Span | None:
        """The nearest span above of one of the kinds."""
        current = span
        for _ in range(_DEPTH):
            parent = self.by_id.get(current.parent or "")
            if parent is None or parent is current:
                return None
            if parent.operation in operations:
                return parent
            current = parent
        return None

    def owner(self, span: _Span) -> str | None:
        """The step or the agent below the root that a span belongs to."""
        inner: str | None = None
        current = span
        for _ in range(_DEPTH):
            found = self.above(current, ("invoke_agent", "execute_tool"))
            if found is None or found is current or found in self.roots:
                break
            if found.operation == "execute_tool":
                return _call_id(found)
            inner = inner or found.id
            current = found
        return inner

    def trace(self) -> Trace:
        self.tools()
        asks = [span for span in self.spans if span.operation in _ASKS]
        self.tokens(asks)
        self.messages([span for span in asks if self.owner(span) is None] or asks)
        build = self.build
        self.missing(asks)
        if self.roots:
            root = self.roots[-1]
            build.status = "error" if root.failed else "finished" if root.end else "truncated"
            build.error = (root.error or "the run failed") if root.failed else None
            if build.final is None:
                build.final = as_text(root.attributes.get("final_result"))
        first = self.roots[0].start if self.roots else self.spans[0].start
        ends = [span.end for span in (self.roots or self.spans) if span.end is not None]
        if first is not None and ends and max(ends) > first:
            build.duration_s = (max(ends) - first) / 1e9
        return build.trace()

    def tools(self) -> None:
        batch = 0
        until: dict[str | None, int] = {}
        for span in self.spans:
            if span.operation != "execute_tool":
                continue
            attributes = span.attributes
            name = _tool(span)
            if self.is_inner(span, name):
                continue
            # Calls beside each other whose times overlap were made together.
            start = span.start or 0
            batch += start >= until.get(span.parent, -1)
            until[span.parent] = max(until.get(span.parent, 0), span.end or 0)
            arguments = attributes.get("gen_ai.tool.call.arguments")
            arguments = arguments if arguments is not None else arguments_of(span.events)
            call = _call_id(span)
            if call in self.build.steps:
                self.build.notes.add("duplicate_id", f"call {call} is there twice: both are kept")
                call = span.id
            self.build.call(
                call,
                name,
                arguments,
                group=f"batch-{batch}",
                parent=self.owner(span),
                started=None if span.start is None else span.start / 1e9,
            )
            result = attributes.get("gen_ai.tool.call.result")
            text = (
                result if isinstance(result, str) else dumps(result) if result is not None else result_of(span.events)
            )
            failed = span.failed if span.end is not None else None
            ended = None if span.end is None else span.end / 1e9
            self.build.result(call, text, failed=failed, error=span.error, ended=ended)

    def is_inner(self, span: _Span, name: str) -> bool:
        """Whether a span is the inside of a call that has a span: what an MCP client does for it."""
        above = self.above(span, ("execute_tool",))
        return (
            above is not None
            and above.id == span.parent
            and _tool(above) == name
            and "mcp.method.name" in span.attributes
        )

    def missing(self, asks: list[_Span]) -> None:
        """Whether there may have been calls without spans: absence of a span says nothing by itself."""
        build = self.build
        reasons = [
            [
                reason
                for fields in (span.attributes, *(event for _, event in span.events))
                for reason in finish_reasons(fields)
            ]
            for span in asks
        ]
        wanted = sum(asks_for_tools(said) for said in reasons)
        if wanted > len(build.steps):
            build.hidden(
                f"{wanted} answers end for the sake of calls (finish_reasons), {len(build.steps)} calls have spans"
            )
        elif not build.steps:
            sign = next((sign for span in self.spans if (sign := sign_of_call(span.operation, span.attributes))), None)
            if sign is None and not all(
                said
                or any("gen_ai.output.messages" in fields for fields in (span.attributes, *dict(span.events).values()))
                for said, span in zip(reasons, asks, strict=True)
            ):
                sign = "some spans do not say why the model stopped (finish_reasons)"
            if sign is None and not asks:
                sign = "there is no span of what the model was asked"
            if sign is not None:
                build.hidden(sign)

    def tokens(self, asks: list[_Span]) -> None:
        counted = [span for span in asks if as_count(span.attributes.get("gen_ai.usage.input_tokens")) is not None]
        for span in counted or self.roots:
            attributes = span.attributes
            prefix = "gen_ai.usage." if "gen_ai.usage.input_tokens" in attributes else "gen_ai.aggregated_usage."

            def count(name: str, attributes: Record = attributes, prefix: str = prefix) -> int | None:
                return as_count(attributes.get(prefix + name))

            model = next(
                (
                    found
                    for key in ("gen_ai.response.model", "gen_ai.request.model", "model_name")
                    if (found := as_text(attributes.get(key)))
                ),
                None,
            )
            self.build.spend(
                model,
                Usage(
                    input_total=count("input_tokens"),
                    cache_read=count("cache_read.input_tokens"),
                    cache_write=count("cache_creation.input_tokens"),
                    output=count("output_tokens"),
                    reasoning=count("reasoning.output_tokens"),
                ),
            )

    def messages(self, asks: list[_Span]) -> None:
        """The last request repeats all that came before it."""
        if not asks:
            return
        build = self.build
        last = dict(asks[-1].attributes)
        for _, fields in asks[-1].events:
            last |= {key: value for key, value in fields.items() if key in _MESSAGES and key not in last}
        # Where spans name the calls that they made, a call that has none was asked for all the same.
        named = all("gen_ai.tool.call.id" in span.attributes for span in self.spans if span.operation == "execute_tool")
        known = bool(build.steps) and not named
        calls = False
        for number, message in enumerate(
            as_dicts(parsed(last.get("gen_ai.input.messages"))) + as_dicts(parsed(last.get("gen_ai.output.messages")))
        ):
            calls = False
            for part in as_dicts(message.get("parts")):
                kind = as_text(part.get("type")) or ""
                call = as_text(part.get("id"))
                if kind == "text":
                    build.say(as_text(message.get("role")) or "unknown", text_of(part.get("content")))
                elif kind in ("thinking", "reasoning"):
                    build.say("reasoning", text_of(part.get("content")))
                elif kind == "tool_call":
                    calls = True
                    if not known and call not in build.steps:
                        name = as_text(part.get("name"))
                        build.call(call, name, part.get("arguments"), group=f"message-{number}")
                elif kind == "tool_call_response" and not known and not _answered(build, call):
                    result = part.get("result", part.get("response"))
                    build.result(call, result if isinstance(result, str) else dumps(result))
        if not set(_MESSAGES) & set(last):
            for role, words, calls in said_in(asks[-1].events):
                build.say(role, words)
                if calls and not build.steps:
                    build.hidden("an event of a request asks for a call that no span is of")
        if not self.roots and build.messages and not calls and build.messages[-1].role == "assistant":
            build.status = "finished"


def _answered(build: Builder, call: str | None) -> bool:
    step = build.steps.get(call or "")
    return step is not None and (step.result is not None or step.ended is not None)


def _tool(span: _Span) -> str:
    return as_text(span.attributes.get("gen_ai.tool.name")) or span.name.removeprefix("execute_tool ")


def _call_id(span: _Span) -> str:
    return as_text(span.attributes.get("gen_ai.tool.call.id")) or span.id


def spans_of(record: Record) -> list[Record]:
    """The spans of an OTLP export."""
    return [
        span
        for resource in as_dicts(_get(record, "resourceSpans", "resource_spans"))
        for scope in as_dicts(_get(resource, "scopeSpans", "scope_spans"))
        for span in as_dicts(scope.get("spans"))
    ]


def _read(source: Source) -> list[Trace]:
    runs: dict[str, list[_Span]] = {}
    for _, record in source.records():
        for span in spans_of(record):
            runs.setdefault(as_text(_get(span, "traceId", "trace_id")) or "", []).append(_span(span))
    # Other requests may be in the same file: a trace without anything of an agent is not a run.
    agents = {
        name: spans
        for name, spans in runs.items()
        if any(key.startswith("gen_ai.") for span in spans for key in span.attributes)
    }
    if not agents:
        source.notes.add("no_spans", "no span with gen_ai attributes")
    return [_Run(source, name, spans).trace() for name, spans in agents.items()] or [
        Builder("otel", source.notes).trace()
    ]


def _recognise(head: Head) -> Sign | None:
    spans = [span for record in head.records for span in spans_of(record)]
    if any(key.startswith("gen_ai.") for span in spans for key in attributes_of(span.get("attributes"))):
        return certain("spans with gen_ai attributes")
    if any("resourceSpans" in record or "resource_spans" in record for record in head.records):
        return maybe("OTLP spans, but none with gen_ai attributes")
    return None


READER = Reader(name="otel", title="OpenTelemetry GenAI spans, OTLP JSON", recognise=_recognise, read=_read)
