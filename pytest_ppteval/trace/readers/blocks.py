"""Content blocks of Anthropic's Messages API, which Claude Code's files hold too. No format by itself."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, text_of
from pytest_ppteval.trace.model import Json, Usage
from pytest_ppteval.trace.signs import call_sign

_THOUGHTS = ("thinking", "redacted_thinking")


def spoken(content: Json) -> str:
    """The words of a content, without thoughts and tool calls, which blocks may hold as well."""
    if not isinstance(content, list):
        return text_of(content)
    kept: list[Json] = [
        part for part in content if not (isinstance(part, dict) and str(part.get("type")) in _THOUGHTS + _NOT_SPOKEN)
    ]
    return text_of(kept) if kept else ""


_NOT_SPOKEN = ("tool_use", "tool_call", "tool_result", "function_call", "reasoning", "server_tool_use")


def read_blocks(
    build: Builder,
    role: str,
    content: Json,
    *,
    group: str | None = None,
    parent: str | None = None,
    time: float | None = None,
    line: int | None = None,
    message_id: str | None = None,
) -> None:
    """Messages, calls and results of one message's content, in their order."""
    if isinstance(content, str):
        build.say(role, content, message_id=message_id, parent=parent)
        return
    said: list[str] = []
    for block in build.listed({"content": content}, "content", line, must=True):
        kind = as_text(block.get("type")) or ""
        if kind == "text":
            said.append(as_text(block.get("text")) or "")
        elif kind == "thinking":
            build.say("reasoning", as_text(block.get("thinking")) or "", parent=parent)
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            build.call(
                as_text(block.get("id")),
                as_text(block.get("name")),
                block.get("input"),
                group=group,
                parent=parent,
                started=time,
            )
        elif kind == "tool_result" or kind.endswith("_tool_result"):
            failed = block.get("is_error")
            if str(as_dict(block.get("content")).get("type")).endswith("_error"):  # of tools on the API's side
                failed = True
            build.result(
                as_text(block.get("tool_use_id")),
                text_of(block.get("content")),
                # The flag is left away for success.
                failed=failed if isinstance(failed, bool) else False,
                ended=time,
                line=line,
            )
        elif kind not in _THOUGHTS:
            sign = call_sign(block)
            if sign is not None:
                build.hidden(f"{sign} in a block that is not known", line, about=kind)
            said.append(f"[{kind}]")
    # A text with sources is cut where they change.
    between = "" if any("citations" in block for block in as_dicts(content)) else "\n\n"
    build.say(role, between.join(part for part in said if part), message_id=message_id, parent=parent)


def tokens(usage: Record) -> Usage:
    """A usage of the API: its input_tokens leave out what the cache served or took; the model's total doesn't."""

    def count(*names: str) -> int | None:
        return next((number for name in names if (number := as_count(usage.get(name))) is not None), None)

    fresh = count("input_tokens", "inputTokens")
    read = count("cache_read_input_tokens", "cacheReadInputTokens")
    write = count("cache_creation_input_tokens", "cacheCreationInputTokens")
    return Usage(
        input_total=None if fresh is None else fresh + (read or 0) + (write or 0),
        cache_read=read,
        cache_write=write,
        output=count("output_tokens", "outputTokens"),
    )
