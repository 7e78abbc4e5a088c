"""LangChain messages in its three serialisations: messages_to_dict, dumps/dumpd ("lc": 1) and plain model_dump."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_list, as_text, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.blocks import spoken
from pytest_ppteval.trace.source import Source

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}


def _plain(record: Record) -> tuple[str, Record] | None:
    """Role and fields of a message, whatever the serialisation."""
    if record.get("lc") == 1:
        name = next((item for item in reversed(as_list(record.get("id"))) if isinstance(item, str)), "")
        fields = as_dict(record.get("kwargs"))
        return (_ROLES[name], fields) if name in _ROLES else None
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _ROLES:
        return None
    data = record.get("data")
    if isinstance(data, dict):
        return _ROLES[kind], data
    return (_ROLES[kind], record) if "content" in record else None


def _messages(value: Json) -> Iterator[Record]:
    """Messages in a list, in a state {"messages": [...]}, or one a line."""
    if isinstance(value, list):
        for item in value:
            yield from _messages(item)
    elif isinstance(value, dict):
        inner = value.get("messages")
        if _plain(value) is None and isinstance(inner, list):
            yield from _messages(inner)
        else:
            yield value


def _read(source: Source) -> list[Trace]:
    build = Builder("langchain", source.notes)
    count = 0
    for line, value in source.values():
        for record in _messages(value):
            found = _plain(record)
            if found is None:
                build.keep_unknown(record, str(record.get("type")), line)
                continue
            count += 1
            role, fields = found
            if role == "tool":
                status = fields.get("status")
                build.result(
                    as_text(fields.get("tool_call_id")),
                    text_of(fields.get("content")),
                    failed=None if status is None else status == "error",
                    line=line,
                    tool=as_text(fields.get("name")),
                )
                build.status = "truncated"
                continue
            build.say(role, spoken(fields.get("content")), message_id=as_text(fields.get("id")))
            build.status = "truncated"
            if role == "assistant":
                _assistant(build, fields, f"message-{count}")
    return [build.trace()]


def _assistant(build: Builder, fields: Record, group: str) -> None:
    calls = build.listed(fields, "tool_calls")
    for call in calls:
        build.call(as_text(call.get("id")), as_text(call.get("name")), call.get("args"), group=group)
    for call in build.listed(fields, "invalid_tool_calls"):
        # The model asked for it, so that it counts; its arguments were no JSON, so that it was never made.
        step = build.call(as_text(call.get("id")), as_text(call.get("name")), call.get("args"), group=group)
        step.failed, step.error = True, as_text(call.get("error")) or "invalid tool call"
    if not calls:
        build.status = "finished"
    usage = as_dict(fields.get("usage_metadata"))
    details = as_dict(usage.get("input_token_details"))
    build.spend(
        as_text(as_dict(fields.get("response_metadata")).get("model_name")),
        Usage(
            input_total=as_count(usage.get("input_tokens")),
            cache_read=as_count(details.get("cache_read")),
            cache_write=as_count(details.get("cache_creation")),
            output=as_count(usage.get("output_tokens")),
            reasoning=as_count(as_dict(usage.get("output_token_details")).get("reasoning")),
        ),
    )


def _recognise(head: Head) -> Sign | None:
    first = next((message for record in head.records for message in _messages(record)), {})
    found = _plain(first)
    if found is None or {"session_id", "sessionId"} & set(first):
        return None
    messages = [message for record in head.records for message in _messages(record)]
    if any(message.get("lc") == 1 for message in messages):
        return certain("messages with lc: 1")
    fields = [plain[1] for message in messages if (plain := _plain(message)) is not None]
    if any({"additional_kwargs", "response_metadata"} & set(one) for one in fields):
        return certain("messages with additional_kwargs or response_metadata")
    if any({"args", "name"} <= set(call) for one in fields for call in as_dicts(one.get("tool_calls"))):
        return certain("messages with tool_calls of name and args")
    return maybe("messages with a type as LangChain has, but without additional_kwargs")


READER = Reader(name="langchain", title="LangChain messages", recognise=_recognise, read=_read)
