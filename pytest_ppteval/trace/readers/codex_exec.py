"""Codex: `codex exec --json`. Items start, are updated, and complete; there are no times and no costs."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_NOT_ARGUMENTS = frozenset(("id", "type", "tool", "status", "result", "error", "agents_states"))
_KINDS = frozenset(
    ("thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.completed")
)
_FAILED = ("failed", "declined")


def _call(item: Record) -> tuple[str, Json, str | None] | None:
    """Tool, arguments and result of an item that is a call."""
    kind = as_text(item.get("type")) or ""
    if kind == "command_execution":
        return kind, {"command": item.get("command")}, as_output(item.get("aggregated_output"))
    if kind == "file_change":
        return kind, {"changes": item.get("changes")}, None
    if kind == "mcp_tool_call":
        # Named as Claude Code does, so that traces of both compare.
        name = f"mcp__{as_text(item.get('server')) or ''}__{as_text(item.get('tool')) or ''}"
        arguments = item.get("arguments")
        return name, arguments if arguments is not None else {}, _result(item.get("result"))
    if kind == "web_search":
        return kind, {"query": item.get("query")}, None
    if kind == "todo_list":
        return kind, {"items": item.get("items")}, None
    tool = as_text(item.get("tool"))
    if kind.endswith("_tool_call") and tool is not None:
        arguments = {key: value for key, value in item.items() if key not in _NOT_ARGUMENTS}
        return tool, arguments, _result(item.get("result") or item.get("agents_states"))
    return None


def as_output(value: Json) -> str | None:
    """An output, of which "" is one too."""
    return value if isinstance(value, str) else None


def _result(value: Json) -> str | None:
    if value is None:
        return None
    content = as_dict(value).get("content")
    return text_of(content) if content is not None else value if isinstance(value, str) else dumps(value)


def _read(source: Source) -> list[Trace]:
    build = Builder("codex-exec", source.notes)
    running: set[str] = set()
    batch = 0
    for line, record in source.records():
        kind = as_text(record.get("type"))
        item = as_dict(record.get("item"))
        if kind is None:
            build.notes.add("no_type", "an object without a type: skipped", line)
        elif kind == "thread.started":
            build.run = as_text(record.get("thread_id"))
        elif kind == "turn.started":
            build.status, build.error = "truncated", None
        elif kind == "turn.completed":
            build.status, build.error = "finished", None
            usage = as_dict(record.get("usage"))
            build.spend(
                None,
                Usage(
                    input_total=as_count(usage.get("input_tokens")),
                    cache_read=as_count(usage.get("cached_input_tokens")),
                    output=as_count(usage.get("output_tokens")),
                    reasoning=as_count(usage.get("reasoning_output_tokens")),
                ),
            )
        elif kind in ("turn.failed", "error"):
            error = record.get("error")
            words = as_text(as_dict(error).get("message")) or as_text(record.get("message")) or text_of(error)
            build.status, build.error = "error", words or "the turn failed"
        elif not kind.startswith("item."):
            build.keep_unknown(record, kind, line)
        else:
            name = as_text(item.get("id"))
            found = _call(item)
            if found is not None:
                if name is None or name not in build.steps:
                    batch += not running  # what starts while something runs was asked for with it
                step = build.call(name, found[0], found[1])
                step.group = step.group or f"batch-{batch}"
                if kind == "item.completed":
                    running.discard(step.id)
                    _complete(build, item, step.id, found[2], line)
                else:
                    running.add(step.id)
            elif kind == "item.completed":
                _say(build, item, line)
    return [build.trace()]


def _complete(build: Builder, item: Record, name: str, result: str | None, line: int) -> None:
    code = item.get("exit_code")
    status = as_text(item.get("status"))
    failed = status in _FAILED or (code not in (None, 0)) if status is not None or code is not None else None
    error = item.get("error")
    words = as_text(as_dict(error).get("message")) or text_of(error)
    if failed and not words:
        words = f"exit code {code}" if code is not None else status or ""
    build.result(name, result, failed=failed, error=words, line=line)


def _say(build: Builder, item: Record, line: int) -> None:
    kind = as_text(item.get("type")) or ""
    if kind == "agent_message":
        build.say("assistant", as_text(item.get("text")) or "", message_id=as_text(item.get("id")))
    elif kind == "reasoning":
        build.say("reasoning", as_text(item.get("text")) or "", message_id=as_text(item.get("id")))
    elif kind == "error":
        build.notes.add("error_item", f"the agent met an error: {text_of(item.get('message'))}", line)
    else:
        build.keep_unknown(item, kind or "item without type", line)


def _recognise(head: Head) -> Sign | None:
    for record in head.records:
        kind, item = record.get("type"), as_dict(record.get("item"))
        if kind == "thread.started" and "thread_id" in record:
            return certain("thread.started with thread_id")
        if kind in ("item.started", "item.updated", "item.completed") and {"id", "type"} <= set(item):
            return certain("item events with an item")
        if kind == "turn.completed" and "usage" in record:
            return certain("turn.completed with usage")
    kinds = sorted({str(record.get("type")) for record in head.records} & _KINDS)
    return maybe(f"events named {kinds[0]}, without what Codex writes in them") if kinds else None


READER = Reader(name="codex-exec", title="Codex, exec --json", recognise=_recognise, read=_read)
