"""OpenAI Chat Completions: a list of messages, a request, a response, or recorded pairs of them."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.blocks import spoken
from pytest_ppteval.trace.readers.conversation import Conversation, exchanges
from pytest_ppteval.trace.readers.streams import CHUNK
from pytest_ppteval.trace.signs import call_sign
from pytest_ppteval.trace.source import Source

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_KEYS = ("role", "content", "tool_calls", "function_call", "tool_call_id", "name")
_OBJECTS = ("chat.completion", CHUNK)
_MESSAGE = frozenset((*_KEYS, "refusal", "reasoning_content", "annotations", "audio"))
_REQUEST = frozenset(("messages", "model", "temperature", "stream", "max_tokens", "tools", "tool_choice", "user"))
_PARTS = ("text", "refusal", "image_url", "input_audio", "file")


def usage_of(usage: Record) -> Usage:
    """Chat's usage: the details are parts of the totals."""
    return Usage(
        input_total=as_count(usage.get("prompt_tokens")),
        cache_read=as_count(as_dict(usage.get("prompt_tokens_details")).get("cached_tokens")),
        output=as_count(usage.get("completion_tokens")),
        reasoning=as_count(as_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def read_message(build: Builder, message: Record, number: int, line: int | None = None) -> None:
    """One message of a conversation; `number` keeps its calls together."""
    role = as_text(message.get("role")) or "unknown"
    if role in ("tool", "function"):
        call_id = as_text(message.get("tool_call_id"))
        if call_id is None:  # as in the form before tool_calls, or from servers that give no ids
            call_id = build.unanswered(as_text(message.get("name")))
        build.result(call_id, spoken(message.get("content")), line=line, tool=as_text(message.get("name")))
        return
    for part in as_dicts(message.get("content")):
        sign = call_sign(part)
        if sign is not None:
            build.hidden(f"{sign} in a message's content", line, about=sign)
    build.say("reasoning", spoken(message.get("reasoning_content")))
    build.say("system" if role == "developer" else role, spoken(message.get("content")))
    group = f"message-{number}"
    for call in build.listed(message, "tool_calls", line):
        function = as_dict(call.get("function")) or as_dict(call.get("custom"))
        arguments: Json = function.get("arguments")
        if arguments is None and "input" in function:
            arguments = {"input": function["input"]}
        if not function:
            sign = ", ".join(call) or "nothing in it"
            build.hidden(f"an item of tool_calls without a function ({sign})", line, about="tool_calls")
            continue
        build.call_again(as_text(call.get("id")), as_text(function.get("name")), arguments, group=group)
    function = as_dict(message.get("function_call"))
    if function:
        build.call(None, as_text(function.get("name")), function.get("arguments"), group=group)


def settle(build: Builder, message: Record) -> None:
    """The status by the last message: a run that ends with a call or its result has no end."""
    asks = message.get("tool_calls") or message.get("function_call")
    build.status = "finished" if message.get("role") == "assistant" and not asks else "truncated"


def _read(source: Source) -> list[Trace]:
    build = Builder("openai-chat", source.notes)
    conversation = Conversation()
    count = 0
    for line, request, response in exchanges(source):
        messages = build.listed(request, "messages", line)
        choice = next(iter(build.listed(response, "choices", line)), {})
        reply = as_dict(choice.get("message"))
        if not messages and not reply:
            build.notes.add("no_messages", "an exchange without messages: skipped", line)
            continue
        for message in conversation.news(messages, _KEYS) + ([reply] if reply else []):
            count += 1
            read_message(build, message, count, line)
            settle(build, message)
        if reply:
            conversation.news([*messages, reply], _KEYS)
            reason = as_text(choice.get("finish_reason"))
            if reason in ("tool_calls", "function_call") and not (
                reply.get("tool_calls") or reply.get("function_call")
            ):
                build.hidden(f"finish_reason {reason!r}, but no call in the message", line)
            if reason == "length" or (reason is None and "finish_reason" in choice):
                build.status = "truncated"
            elif reason == "content_filter":
                build.status, build.error = "error", "content_filter"
        build.spend(as_text(response.get("model")), usage_of(as_dict(response.get("usage"))))
    return [build.trace()]


def _is_chat(messages: list[Record]) -> bool:
    """Messages of Chat: roles, and nothing that only other formats have."""
    return bool(messages) and all(
        message.get("role") in _ROLES
        and ("content" in message or "tool_calls" in message)
        and not {"type", "lc", "parts", "toolCalls"} & set(message)
        and all(part.get("type") in _PARTS for part in as_dicts(message.get("content")))
        for message in messages
    )


def _recognise(head: Head) -> Sign | None:
    if _is_bare_chat(head.records):
        return certain("messages that have nothing but what Chat Completions' have")
    found: list[list[Record]] = [head.records]
    for record in head.records:
        if "type" in record:  # an event of an agent that holds messages
            continue
        request, response = as_dict(record.get("request")), as_dict(record.get("response"))
        kind = next((part["object"] for part in (record, response) if part.get("object") in _OBJECTS), None)
        if kind is not None:
            return certain(f"object: {kind}")
        if not any("content" in part and "role" in part for part in (record, response)):
            found += [as_dicts(part.get("messages")) for part in (record, request)]
    chats = [messages for messages in found if _is_chat(messages)]
    if any(_has_calls(message) for messages in chats for message in messages):
        return certain("messages with tool_calls and role tool, as in Chat Completions")
    if any(_is_bare_chat(as_dicts(record.get("messages"))) and set(record) <= _REQUEST for record in head.records):
        return certain("a request that has nothing but what Chat Completions' have")
    # Texts by role are in many formats, which keep calls in keys of their own.
    return maybe("messages with role and content, and more that Chat Completions does not have") if chats else None


def _is_bare_chat(messages: list[Record]) -> bool:
    """Whether messages are texts by role, of the form that Chat has, with an answer, and not one key more."""
    return (
        _is_chat(messages)
        and all(
            set(message) <= _MESSAGE and isinstance(message.get("content"), str | type(None)) for message in messages
        )
        and any(message.get("role") == "assistant" for message in messages)
    )


def _has_calls(message: Record) -> bool:
    """Whether a message has calls, or a result, in the form that only Chat has."""
    calls = [as_dict(call.get("function")) for call in as_dicts(message.get("tool_calls"))]
    calls.append(as_dict(message.get("function_call")))
    return any({"name", "arguments"} <= set(call) for call in calls) or (
        message.get("role") == "tool" and "tool_call_id" in message
    )


READER = Reader(name="openai-chat", title="OpenAI Chat Completions, also as a stream", recognise=_recognise, read=_read)
