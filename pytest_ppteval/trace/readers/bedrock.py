"""Bedrock's Converse API, and Strands Agents, which keep their messages in its form.

Read are lists of messages, requests, responses, recorded pairs of them, the log of model invocations, the events of
ConverseStream; and of Strands its session files and the summary of an agent's metrics, which holds its traces. Blocks:
{toolUse: {toolUseId, name, input}}, {toolResult: {toolUseId, content, status}}, {text}, {reasoningContent}.

Not told: costs; times (but for Strands' traces); tokens and models in messages alone (Strands' have tokens).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_ppteval.trace.build import Builder, Pieces, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.conversation import Conversation
from pytest_ppteval.trace.source import Source

_EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")
_OWN_EVENTS = frozenset(_EVENTS[:-1])
_STOPPED = ("guardrail_intervened", "content_filtered")
_QUIET = ("cachePoint", "guardContent", "SDK_UNKNOWN_MEMBER")
_DEPTH = 50


def usage_of(usage: Record) -> Usage:
    """Input leaves out the cache; the total has it."""
    asked, said, total = (as_count(usage.get(f"{name}Tokens")) for name in ("input", "output", "total"))
    read, write = as_count(usage.get("cacheReadInputTokens")), as_count(usage.get("cacheWriteInputTokens"))
    if total is not None and said is not None and total >= said:
        asked = total - said
    elif asked is not None:
        asked += (read or 0) + (write or 0)
    return Usage(input_total=asked, cache_read=read, cache_write=write, output=said)


def words_of(content: Json) -> str:
    """The content of a toolResult: texts, and other data as JSON."""
    texts = []
    for part in as_dicts(content):
        for kind, value in part.items():
            shown = value if isinstance(value, str) else dumps(value) if kind in ("json", "text") else f"[{kind}]"
            texts.append(shown)
    return "\n".join(texts) if isinstance(content, list) else text_of(content)


class _Run:
    def __init__(self, source: Source) -> None:
        self.build = Builder("bedrock", source.notes)
        self.count = 0

    def message(self, message: Record, line: int | None, time: float | None = None) -> None:
        """One message."""
        build = self.build
        self.count += 1
        role = as_text(message.get("role")) or "unknown"
        content = message.get("content")
        called, said = False, [content] if isinstance(content, str) else []
        for block in as_dicts(content):
            use, result = as_dict(block.get("toolUse")), as_dict(block.get("toolResult"))
            thought = as_dict(block.get("reasoningContent"))
            if use:
                called = True
                group = f"message-{self.count}"
                arguments = use.get("input")
                name = as_text(use.get("name"))
                build.call(as_text(use.get("toolUseId")), name, {} if arguments is None else arguments, group=group)
            elif result:
                failed = result.get("status") == "error"
                call = as_text(result.get("toolUseId"))
                build.result(call, words_of(result.get("content")), failed=failed, ended=time, line=line)
            elif thought:
                build.say("reasoning", text_of(as_dict(thought.get("reasoningText")).get("text")))
            elif "text" in block:
                said.append(text_of(block["text"]))
            else:
                said += [f"[{kind}]" for kind in block if kind not in _QUIET]
        build.say(role, "".join(said))
        build.status = "finished" if role == "assistant" and not called else "truncated"

    def stop(self, reason: Json) -> None:
        """Why the model stopped."""
        if reason in _STOPPED:
            self.build.status, self.build.error = "error", text_of(reason)
        elif reason in ("max_tokens", "model_context_window_exceeded"):
            self.build.status = "truncated"


@dataclass(slots=True)
class _Streamed:
    """A message of ConverseStream, as it grows."""

    role: str = "assistant"
    blocks: dict[Json, tuple[Record, dict[str, Pieces]]] = field(default_factory=dict)
    order: int = 0

    def event(self, kind: str, fields: Record) -> None:
        place: Json = fields.get("contentBlockIndex", self.order)
        if kind == "messageStart":
            self.role, self.blocks, self.order = as_text(fields.get("role")) or self.role, {}, 0
        elif kind == "contentBlockStop":
            self.order += 1
        elif kind in ("contentBlockStart", "contentBlockDelta"):
            use, pieces = self.blocks.setdefault(as_count(place) or 0, ({}, {}))
            part = as_dict(fields.get("start" if kind == "contentBlockStart" else "delta"))
            begun = as_dict(part.get("toolUse"))
            use.update({key: value for key, value in begun.items() if key != "input"})
            thought = as_dict(part.get("reasoningContent")).get("text")
            for name, text in (("input", begun.get("input")), ("thought", thought), ("text", part.get("text"))):
                if isinstance(text, str):
                    pieces.setdefault(name, Pieces()).add(text)

    def take(self) -> Record:
        """The message as it is now."""
        content: list[Json] = []
        for use, pieces in self.blocks.values():
            if "thought" in pieces:
                content.append({"reasoningContent": {"reasoningText": {"text": pieces["thought"].take()}}})
            if "text" in pieces:
                content.append({"text": pieces["text"].take()})
            if use:
                content.append({"toolUse": {**use, "input": pieces["input"].take() if "input" in pieces else ""}})
        self.blocks = {}
        return {"role": self.role, "content": content}


def _spans(traces: Json, depth: int = 0) -> Iterator[Record]:
    """The traces of Strands and what is below them, in their order."""
    for trace in as_dicts(traces):
        yield trace
        if depth < _DEPTH:
            yield from _spans(trace.get("children"), depth + 1)


def _summary(run: _Run, record: Record, line: int) -> None:
    """AgentResult.metrics.get_summary()."""
    build = run.build
    for span in _spans(record.get("traces")):
        message = as_dict(span.get("message"))
        started, ended = when(span.get("start_time")), when(span.get("end_time"))
        build.at(started)
        build.at(ended)
        if message:
            run.message(message, line, ended)
        step = build.steps.get(as_text(as_dict(span.get("metadata")).get("toolUseId")) or "")
        if step is not None:
            step.started = started
    build.spend(None, usage_of(as_dict(record.get("accumulated_usage"))))
    build.duration_s = as_number(record.get("total_duration"))


def _sorted(value: Json) -> Json:
    """The same with the keys in order: a request repeats what was answered with others of its keys first."""
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def _exchange(record: Record) -> tuple[list[Record], Record]:
    """Messages of a request, and the response, of what is one of them or both."""
    request, response = as_dict(record.get("request")) or record, as_dict(record.get("response")) or record
    before, after = as_dict(record.get("input")), as_dict(record.get("output"))
    if "inputBodyJson" in before:  # a line of the log of model invocations
        request, response = as_dict(before["inputBodyJson"]), as_dict(after.get("outputBodyJson"))
        response = {**response, "modelId": record.get("modelId")}
    elif "modelId" not in response and "modelId" in request:
        response = {**response, "modelId": request["modelId"]}
    messages = [as_dict(_sorted(message)) for message in as_dicts(request.get("messages"))]
    system = words_of(request.get("system"))
    if system and messages:
        messages.insert(0, {"role": "system", "content": system})
    return messages, response


def _read(source: Source) -> list[Trace]:
    run = _Run(source)
    build = run.build
    conversation = Conversation()
    streamed = _Streamed()
    for line, record in source.records():
        event = as_dict(record.get("event")) or record
        message = as_dict(record.get("message"))
        if "role" in record:
            run.message(record, line)
            build.spend(None, usage_of(as_dict(as_dict(record.get("metadata")).get("usage"))))
        elif len(event) == 1 and next(iter(event)) in _EVENTS:
            _stream(run, streamed, *next(iter(event.items())), line)
        elif "accumulated_usage" in record and "traces" in record:
            _summary(run, record, line)
        elif "role" in message:  # a session file, or an agent's result
            if record.get("type") == "agent_result":
                build.hidden("an agent's result is its last message only: its messages have the calls", line)
            run.message(message, line, when(record.get("created_at")))
            build.spend(None, usage_of(as_dict(as_dict(message.get("metadata")).get("usage"))))
            run.stop(record.get("stop_reason"))
        else:
            messages, response = _exchange(record)
            reply = as_dict(_sorted(as_dict(response.get("output")).get("message")))
            if not messages and not reply:
                build.notes.add("no_messages", "an object without messages: skipped", line)
                continue
            for one in conversation.news(messages, ("role", "content")) + ([reply] if reply else []):
                run.message(one, line)
            if reply:
                conversation.news([*messages, reply], ("role", "content"))  # what the next request repeats
                run.stop(response.get("stopReason"))
                build.spend(as_text(response.get("modelId")), usage_of(as_dict(response.get("usage"))))
            else:
                for one in messages:
                    build.spend(None, usage_of(as_dict(as_dict(one.get("metadata")).get("usage"))))
    if streamed.blocks:
        run.message(streamed.take(), None)
        build.status = "truncated"
    return [build.trace()]


def _stream(run: _Run, streamed: _Streamed, kind: str, value: Json, line: int) -> None:
    fields = as_dict(value)
    if kind == "messageStop":
        run.message(streamed.take(), line)
        run.stop(fields.get("stopReason"))
    elif kind == "metadata":
        run.build.spend(None, usage_of(as_dict(fields.get("usage"))))
    else:
        streamed.event(kind, fields)


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        messages, response = _exchange(record)
        reply = as_dict(as_dict(response.get("output")).get("message"))
        for message in (record, as_dict(record.get("message")), *messages, reply):
            blocks = as_dicts(message.get("content"))
            if any("toolUseId" in as_dict(block.get(key)) for block in blocks for key in ("toolUse", "toolResult")):
                return certain("blocks toolUse and toolResult with toolUseId")
            alike = alike or ("role" in message and bool(blocks) and all(set(b) == {"text"} for b in blocks))
        if reply and "stopReason" in response:
            return certain("a response with output.message and stopReason")
        event = as_dict(record.get("event")) or record
        if len(event) == 1 and next(iter(event)) in _OWN_EVENTS:
            return certain(f"events named {next(iter(event))}")
        if {"accumulated_usage", "traces", "tool_usage"} <= set(record):
            return certain("the metrics of a Strands agent")
        if record.get("type") == "agent_result" and "stop_reason" in record:
            return certain("a Strands agent's result")
    return maybe("messages of blocks that have a text and no type, but no tool blocks") if alike else None


READER = Reader(name="bedrock", title="Bedrock Converse and Strands Agents", recognise=_recognise, read=_read)
