"""The pi coding agent's print mode: JSON Lines of events. Messages come whole at their end."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_SILENT = frozenset(
    (
        "session",
        "agent_start",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "tool_execution_update",
        "auto_compaction_start",
        "auto_compaction_end",
        "auto_retry_start",
        "auto_retry_end",
        "compaction_start",
        "compaction_end",
    )
)


def _message(build: Builder, message: Record, number: int, line: int) -> None:
    role = as_text(message.get("role")) or "unknown"
    time = when(message.get("timestamp"))
    build.at(time)
    if role == "toolResult":
        failed = message.get("isError")
        build.result(
            as_text(message.get("toolCallId")),
            text_of(message.get("content")),
            failed=failed if isinstance(failed, bool) else None,
            ended=time,
            line=line,
            tool=as_text(message.get("toolName")),
        )
        return
    said = []
    content = message.get("content")
    for block in as_dicts([{"type": "text", "text": content}] if isinstance(content, str) else content):
        kind = block.get("type")
        if kind == "toolCall":
            name, arguments = as_text(block.get("name")), block.get("arguments")
            build.call(as_text(block.get("id")), name, arguments, group=f"message-{number}", started=time)
        elif kind == "thinking":
            build.say("reasoning", text_of(block.get("thinking")))
        else:
            said.append(text_of([block]))
    build.say(role, "\n\n".join(said))
    if role == "assistant":
        reason = message.get("stopReason")
        build.status, build.error = "truncated", None
        if reason == "error":
            build.status, build.error = "error", text_of(message.get("errorMessage"))
        elif reason == "aborted":
            build.status = "cancelled"
        usage = as_dict(message.get("usage"))
        counts = [as_count(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite")]
        fresh, read, write = counts
        build.spend(
            as_text(message.get("model")),
            Usage(
                input_total=None if fresh is None else fresh + (read or 0) + (write or 0),
                cache_read=read,
                cache_write=write,
                output=as_count(usage.get("output")),
            ),
        )
        build.cost(as_number(as_dict(usage.get("cost")).get("total")))


def _read(source: Source) -> list[Trace]:
    build = Builder("pi", source.notes)
    results: set[str] = set()
    for number, (line, record) in enumerate(source.records()):
        kind = as_text(record.get("type"))
        call = as_text(record.get("toolCallId"))
        if kind is None:
            build.notes.add("no_type", "an object without a type: skipped", line)
        elif kind == "message_end":
            message = as_dict(record.get("message"))
            answered = as_text(message.get("toolCallId"))
            if answered in results:
                step = build.steps[answered or ""]
                step.ended = when(message.get("timestamp"))
                build.at(step.ended)
            else:
                _message(build, message, number, line)
        elif kind == "tool_execution_start":
            build.call(call, as_text(record.get("toolName")), record.get("args"))
        elif kind == "tool_execution_end":
            failed = record.get("isError")
            content = as_dict(record.get("result")).get("content")
            step = build.result(call, text_of(content), failed=failed if isinstance(failed, bool) else None, line=line)
            results.add(step.id)
        elif kind == "agent_end":
            build.status = "finished" if build.status == "truncated" else build.status
        elif kind not in _SILENT:
            build.keep_unknown(record, kind, line)
    return [build.trace()]


def _recognise(head: Head) -> Sign | None:
    kinds = {as_text(record.get("type")) for record in head.records}
    if "agent_start" in kinds and kinds & {"turn_start", "message_start", "message_end"}:
        return certain("agent_start and the turns and messages after it")
    return maybe("agent_start, but no turn or message") if "agent_start" in kinds else None


READER = Reader(name="pi", title="pi, print mode", recognise=_recognise, read=_read)
