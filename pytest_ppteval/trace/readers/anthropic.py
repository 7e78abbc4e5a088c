"""Anthropic's Messages API: a list of messages, a request, a response, or recorded pairs of them."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, text_of
from pytest_ppteval.trace.model import Trace
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.blocks import read_blocks, tokens
from pytest_ppteval.trace.readers.conversation import Conversation, exchanges
from pytest_ppteval.trace.source import Source

_KEYS = ("role", "content")
_TYPES = ("message", "message_start")
_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def _read(source: Source) -> list[Trace]:
    build = Builder("anthropic", source.notes)
    conversation = Conversation()
    count = 0
    for line, request, found in exchanges(source):
        response = found if found.get("type") == "message" else {}
        messages = as_dicts(request.get("messages"))
        if not messages and request.get("role") == "assistant" and not response:
            messages = [request]
        if not messages and not response:
            build.notes.add("no_messages", "an exchange without messages: skipped", line)
            continue
        if count == 0:
            build.say("system", text_of(request.get("system")))
        build.listed(request, "messages", line)
        for message in conversation.news(messages, _KEYS) + ([response] if response else []):
            count += 1
            role = as_text(message.get("role")) or "unknown"
            read_blocks(build, role, message.get("content"), group=f"message-{count}", line=line)
            kinds = {as_text(block.get("type")) for block in as_dicts(message.get("content"))}
            build.status = "finished" if role == "assistant" and "tool_use" not in kinds else "truncated"
        if response:
            conversation.news([*messages, response], _KEYS)
            _end(build, response, line)
            build.spend(as_text(response.get("model")), tokens(as_dict(response.get("usage"))))
    return [build.trace()]


def _end(build: Builder, response: Record, line: int) -> None:
    """What a response says of its end. A stream that broke off has the reason null."""
    reason = response.get("stop_reason", "")
    kinds = {as_text(block.get("type")) for block in as_dicts(response.get("content"))}
    if reason in ("max_tokens", "model_context_window_exceeded", "pause_turn", None):
        build.status = "truncated"
    if reason == "tool_use" and "tool_use" not in kinds:
        build.hidden("stop_reason 'tool_use', but no such block in the message", line)
    error = response.get("error")
    if error:
        build.status, build.error = "error", as_text(as_dict(error).get("message")) or text_of(error)


def _has_blocks(messages: list[Record]) -> bool:
    return all("role" in message for message in messages) and any(
        block.get("type") in _BLOCKS for message in messages for block in as_dicts(message.get("content"))
    )


def _recognise(head: Head) -> Sign | None:
    if _has_blocks(head.records) and not any("lc" in record or "kind" in record for record in head.records):
        return certain("messages with tool_use, tool_result or thinking blocks")
    plain = False
    for record in head.records:
        if "session_id" in record or "sessionId" in record or record.get("type", "message") not in _TYPES:
            continue  # Claude Code, or the events of another agent
        for part in (record, as_dict(record.get("response")), as_dict(record.get("message"))):
            if part.get("type") == "message" and part.get("role") == "assistant" and "content" in part:
                if "stop_reason" in part or "usage" in part:
                    return certain("a response of type message with stop_reason or usage")
                return maybe("a message of an assistant, but without stop_reason and usage")
        asked = [as_dicts(part.get("messages")) for part in (record, as_dict(record.get("request")))]
        if any(_has_blocks(messages) for messages in asked):
            return certain("messages with tool_use, tool_result or thinking blocks")
        plain = plain or any(_is_plain(messages) for messages in asked)
    if plain or _is_plain(head.records):
        return maybe("messages with role and content, but nothing that only Anthropic's have")
    return None


def _is_plain(messages: list[Record]) -> bool:
    return bool(messages) and all(
        message.get("role") in ("user", "assistant") and "content" in message and not {"type", "lc"} & set(message)
        for message in messages
    )


READER = Reader(name="anthropic", title="Anthropic Messages, also as a stream", recognise=_recognise, read=_read)
