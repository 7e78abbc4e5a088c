"""Copilot CLI's events.jsonl: {type, data, id, timestamp, parentId, ephemeral?}.

Ephemeral events are pieces of what comes whole later. The "cost" there multiplies a price; it is no amount of money.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_OWN = ("session.start", "session.resume", "assistant.message", "assistant.turn", "tool.execution", "user.message")
_OF_CALLS = ("tool.execution_partial_result", "tool.execution_progress", "tool.user_requested")
_FAMILIES = ("session.", "user.", "assistant.", "tool.", "subagent.", "hook.", "skill.", "system.")


class _Log:
    def __init__(self, source: Source) -> None:
        self.build = Builder("copilot", source.notes)
        self.groups: dict[str, str] = {}
        self.output: dict[str | None, int] = {}
        self.counted = False

    def event(self, kind: str, data: Record, time: float | None, line: int) -> None:
        build = self.build
        build.at(time)
        parent = as_text(data.get("parentToolCallId"))
        call = as_text(data.get("toolCallId"))
        if kind == "session.start":
            build.run = as_text(data.get("sessionId"))
        elif kind == "user.message":
            build.say("user", text_of(data.get("content")), parent=parent)
            build.status, build.error = "truncated", None
        elif kind == "system.message":
            build.say("system", text_of(data.get("content")), parent=parent)
        elif kind == "assistant.message":
            self.message(data, parent)
        elif kind == "tool.execution_start":
            group = self.groups.get(call or "")
            arguments = data.get("arguments")
            build.call(
                call,
                as_text(data.get("toolName")),
                arguments if arguments is not None else {},
                group=group,
                parent=parent,
                started=time,
            )
        elif kind == "tool.execution_complete":
            result = data.get("result")
            success = data.get("success")
            words = as_text(as_dict(data.get("error")).get("message")) or text_of(data.get("error"))
            content = as_dict(result).get("content") if isinstance(result, dict) else result
            build.result(
                call,
                None if content is None else text_of(content),
                failed=not success if isinstance(success, bool) else None,
                error=words,
                ended=time,
                line=line,
            )
        elif kind == "session.error":
            build.status, build.error = "error", text_of(data.get("message"))
        elif kind == "abort":
            build.status, build.error = "cancelled", as_text(data.get("reason"))
        elif kind == "session.shutdown":
            self.shutdown(data)
        elif kind.startswith("tool.") and kind not in _OF_CALLS:
            self.build.keep_unknown(data, kind, line)
        elif not kind.startswith(_FAMILIES):
            build.keep_unknown(data, kind, line)

    def message(self, data: Record, parent: str | None) -> None:
        name = as_text(data.get("messageId"))
        self.build.say("reasoning", text_of(data.get("reasoningText")), parent=parent)
        self.build.say("assistant", text_of(data.get("content")), message_id=name, parent=parent)
        for request in self.build.listed(data, "toolRequests"):
            call = as_text(request.get("toolCallId"))
            if call is not None and name is not None:
                self.groups[call] = name
            # What was asked for is a call, though it may never start.
            tool = as_text(request.get("name"))
            self.build.call(call, tool, request.get("arguments"), group=self.groups.get(call or ""), parent=parent)
        output = as_count(data.get("outputTokens"))
        if output is not None:
            model = as_text(data.get("model"))
            self.output[model] = self.output.get(model, 0) + output

    def shutdown(self, data: Record) -> None:
        build = self.build
        how = as_text(data.get("shutdownType")) or "routine"
        if how != "routine":
            build.status = "error"
            build.error = as_text(data.get("errorReason")) or how
        elif build.status == "truncated":
            build.status = "finished"
        for model, metrics in as_dict(data.get("modelMetrics")).items():
            usage = as_dict(as_dict(metrics).get("usage"))
            self.counted = True
            build.spend(
                model,
                Usage(
                    input_total=as_count(usage.get("inputTokens")),
                    cache_read=as_count(usage.get("cacheReadTokens")),
                    cache_write=as_count(usage.get("cacheWriteTokens")),
                    output=as_count(usage.get("outputTokens")),
                    reasoning=as_count(usage.get("reasoningTokens")),
                ),
            )

    def trace(self) -> Trace:
        if not self.counted:
            for model, output in self.output.items():
                self.build.spend(model, Usage(output=output))
        return self.build.trace()


def _read(source: Source) -> list[Trace]:
    log = _Log(source)
    for line, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            log.build.notes.add("no_type", "an object without a type: skipped", line)
        elif record.get("ephemeral") is not True:
            log.event(kind, as_dict(record.get("data")), when(record.get("timestamp")), line)
    return [log.trace()]


def _recognise(head: Head) -> Sign | None:
    events = [r for r in head.records if isinstance(r.get("data"), dict) and isinstance(r.get("type"), str)]
    known = [event for event in events if str(event["type"]).startswith(_OWN)]
    if any({"id", "timestamp"} <= set(event) for event in known):
        return certain(f"events with type, data, id and timestamp: {known[0]['type']}")
    return maybe(f"events named {known[0]['type']}, but without id and timestamp") if known else None


READER = Reader(name="copilot", title="Copilot CLI, events.jsonl", recognise=_recognise, read=_read)
