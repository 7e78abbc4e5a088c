"""Vercel's AI SDK, versions 4 to 6: what generateText gives (its steps), ModelMessages, and UIMessages.

Steps: {content: [...], finishReason, usage, response: {modelId}}, in version 4 {text, toolCalls, toolResults}. Messages
hold parts tool-call {toolCallId, toolName, input} and tool-result {output: {type, value}}; UIMessages hold both in one
part tool-NAME {toolCallId, state, input, output, errorText}. What version 4 names otherwise: args, result, and parts
tool-invocation.

Not told: costs; times; in messages tokens and models.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Status, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_CALLED = ("tool-result", "tool-error")
_QUIET = frozenset(("source", "source-url", "source-document", "file", "image", "step-start", "tool-approval-response"))


def usage_of(usage: Record) -> Usage:
    """Tokens of a request; the cache is a part of the input, the reasoning one of the output."""
    asked, said = usage.get("inputTokens", usage.get("promptTokens")), usage.get("outputTokens")
    before, after = as_dict(usage.get("inputTokenDetails")), as_dict(usage.get("outputTokenDetails"))
    if isinstance(asked, dict):  # as a provider gives it
        before, asked = {f"{key}Tokens": value for key, value in asked.items()}, asked.get("total")
    if isinstance(said, dict):
        after, said = {f"{key}Tokens": value for key, value in said.items()}, said.get("total")
    return Usage(
        input_total=as_count(asked),
        cache_read=as_count(before.get("cacheReadTokens", usage.get("cachedInputTokens"))),
        cache_write=as_count(before.get("cacheWriteTokens")),
        output=as_count(said if said is not None else usage.get("completionTokens")),
        reasoning=as_count(after.get("reasoningTokens", usage.get("reasoningTokens"))),
    )


def ending(reason: Json) -> Status:
    """The status after a step by its finishReason."""
    if isinstance(reason, dict):
        reason = reason.get("unified")
    if reason in ("error", "content-filter"):
        return "error"
    return "finished" if reason in ("stop", "other") else "truncated"


def asked_for(part: Record) -> Json:
    """The arguments, which may be none."""
    arguments = part.get("input", part.get("args"))
    return {} if arguments is None else arguments


def output_of(output: Json) -> tuple[str | None, bool]:
    """A result's text, and whether it is a failure: {type: text | json | content | error-text | ..., value}."""
    fields = as_dict(output)
    kind = as_text(fields.get("type"))
    if kind == "execution-denied":
        return as_text(fields.get("reason")) or "denied", True
    if kind is not None and "value" in fields:
        value = fields["value"]
        text = text_of(value) if isinstance(value, str) or kind == "content" else dumps(value)
        return text, kind.startswith("error")
    return (output if isinstance(output, str) or output is None else dumps(output)), False


def words_of(error: Json) -> str | None:
    """An error in words; an Error is {} as JSON."""
    if isinstance(error, dict):
        return as_text(error.get("message")) or (dumps(error) if error else None)
    return text_of(error) or None


class _Run:
    def __init__(self, source: Source) -> None:
        self.build = Builder("ai-sdk", source.notes)
        self.count = 0

    def step(self, step: Record, line: int) -> None:
        build = self.build
        self.count += 1
        group = f"step-{self.count}"
        content = as_dicts(step.get("content"))
        if content:
            self.parts("assistant", content, group, line)
            self.errors(as_dicts(as_dict(step.get("response")).get("messages")))
        else:  # version 4
            build.say("reasoning", text_of(step.get("reasoning")) if isinstance(step.get("reasoning"), str) else "")
            build.say("assistant", text_of(step.get("text")))
            for part in as_dicts(step.get("toolCalls")) + as_dicts(step.get("toolResults")):
                kind = "tool-result" if {"result", "output"} & set(part) else "tool-call"
                self.parts("assistant", [{**part, "type": kind}], group, line)
        model = as_dict(step.get("response")).get("modelId") or as_dict(step.get("model")).get("modelId")
        build.spend(as_text(model), usage_of(as_dict(step.get("usage"))))
        build.status = ending(step.get("finishReason"))
        build.error = text_of(step.get("finishReason")) if build.status == "error" else None

    def errors(self, messages: list[Record]) -> None:
        """Words of errors, which steps as JSON have in their messages only."""
        for part in (part for message in messages for part in as_dicts(message.get("content"))):
            step = self.build.steps.get(as_text(part.get("toolCallId")) or "")
            text, failed = output_of(part.get("output"))
            if step is not None and step.failed and failed and text:
                step.error = text

    def message(self, message: Record, line: int) -> None:
        build = self.build
        self.count += 1
        group = f"message-{self.count}"
        role = as_text(message.get("role")) or "unknown"
        parts = message.get("parts", message.get("content"))
        build.status = "truncated"
        if isinstance(parts, str):
            build.say(role, parts)
            open_call = False
        else:
            open_call = self.parts(role, build.listed({"parts": parts}, "parts", line, must=True), group, line)
            if not parts and isinstance(message.get("content"), str):
                build.say(role, text_of(message.get("content")))
        if role == "assistant" and not open_call:
            build.status = "finished"

    def parts(self, role: str, parts: list[Record], group: str, line: int) -> bool:
        """The parts of a message; whether it ends with a call, or with a text that isn't whole."""
        build = self.build
        said: list[str] = []
        last, steps = False, 0
        for part in parts:
            kind = as_text(part.get("type")) or "part without type"
            if kind == "step-start":
                steps += 1
                build.say(role, "".join(said))
                said = []
            elif kind == "text":
                said.append(text_of(part.get("text")))
                last = part.get("state") == "streaming"
            elif kind == "reasoning":
                build.say("reasoning", text_of(part.get("text", part.get("reasoning"))))
            elif kind == "tool-call":
                self.call(part, f"{group}-{steps}")
                last = True
            elif kind in _CALLED:
                self.call(part, f"{group}-{steps}")
                self.result(part, kind, line)
                last = True
            elif kind == "tool-invocation":
                self.ui_call(as_dict(part.get("toolInvocation")), None, f"{group}-{steps}", line)
                last = True
            elif kind == "dynamic-tool" or (kind.startswith("tool-") and "toolCallId" in part and "state" in part):
                self.ui_call(part, kind.removeprefix("tool-"), f"{group}-{steps}", line)
                last = True
            elif kind not in _QUIET and not kind.startswith("data-"):
                build.keep_unknown(part, kind, line)
        build.say(role, "".join(said))
        return last

    def call(self, part: Record, group: str | None) -> None:
        name = as_text(part.get("toolCallId"))
        new = name is None or name not in self.build.steps
        arguments = asked_for(part) if new and {"input", "args"} & set(part) else None
        self.build.call(name, as_text(part.get("toolName")), arguments, group=group if new else None)

    def result(self, part: Record, kind: str, line: int) -> None:
        call = as_text(part.get("toolCallId"))
        if kind == "tool-error":
            self.build.result(call, None, failed=True, error=words_of(part.get("error")), line=line)
            return
        text, failed = output_of(part.get("output", part.get("result")))
        flag = part.get("isError")
        told: bool | None = failed
        if "output" not in part and not isinstance(flag, bool):
            told = None  # version 4 tells of failures only
        if flag is True:
            told = True
        self.build.result(call, text, failed=told, line=line)

    def ui_call(self, part: Record, name: str | None, group: str, line: int) -> None:
        state, call = as_text(part.get("state")), as_text(part.get("toolCallId"))
        tool = as_text(part.get("toolName")) or name
        whole = state not in ("input-streaming", "partial-call")
        arguments = part.get("input", part.get("args", part.get("rawInput")))
        step = self.build.call(call, tool, arguments if arguments is not None or not whole else {}, group=group)
        if state == "output-available":
            self.build.result(step.id, output_of(part.get("output"))[0], failed=False, line=line)
        elif state == "result":
            self.build.result(step.id, output_of(part.get("result"))[0], line=line)
        elif state == "output-error":
            self.build.result(step.id, None, failed=True, error=as_text(part.get("errorText")), line=line)
        elif state == "output-denied":
            self.build.result(step.id, None, failed=True, error="denied", line=line)


def _is_step(record: Record) -> bool:
    return "finishReason" in record and bool({"content", "toolCalls", "stepType", "text"} & set(record))


def _items(record: Record) -> Iterator[Record]:
    """The steps or messages in an object: itself, those of a result, of a request, of a chat."""
    if "role" in record or (_is_step(record) and "steps" not in record):
        yield record
        return
    steps = as_dicts(record.get("steps"))
    messages = as_dicts(record.get("messages")) or as_dicts(as_dict(record.get("response")).get("messages"))
    yield from steps or messages


def _read(source: Source) -> list[Trace]:
    run = _Run(source)
    for line, record in source.records():
        found = False
        for item in _items(record):
            found = True
            run.step(item, line) if "role" not in item else run.message(item, line)
        if not found:
            run.build.keep_unknown(record, "object without steps and messages", line)
    return [run.build.trace()]


def _has_own(part: Record) -> bool:
    kind = as_text(part.get("type")) or ""
    return (
        (kind in ("tool-call", *_CALLED) and {"toolCallId", "toolName"} <= set(part))
        or ((kind.startswith("tool-") or kind == "dynamic-tool") and {"toolCallId", "state"} <= set(part))
        or (kind == "tool-invocation" and "toolInvocation" in part)
    )


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        for item in _items(record):
            parts = as_dicts(item.get("parts")) or as_dicts(item.get("content"))
            if any(_has_own(part) for part in parts):
                return certain("parts of tool calls with toolCallId")
            if _is_step(item) and ({"rawFinishReason", "stepType", "warnings"} & set(item)) and "usage" in item:
                return certain("steps with finishReason, usage and warnings")
            if "role" in item and any(part.get("type") == "step-start" for part in parts):
                return certain("messages with parts of type step-start")
            alike = alike or ("parts" in item and "role" in item and all("type" in part for part in parts))
    return maybe("messages with role and parts, but nothing that only the AI SDK has") if alike else None


READER = Reader(name="ai-sdk", title="Vercel AI SDK, steps and messages", recognise=_recognise, read=_read)
