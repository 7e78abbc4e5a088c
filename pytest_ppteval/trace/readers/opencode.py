"""opencode: the events of `opencode run --format json`, and `opencode export`, {info, messages: [{info, parts}]}.

Both hold the same parts: text, reasoning, tool {tool, callID, state}, step-finish {reason, tokens, cost}. A call is
written when it is over, so that calls made at once come in the order in which they ended; here they stand in the order
in which they began. Input tokens leave out the cache, output tokens the reasoning.

Not told: in events the prompt and the model; in both what a subagent did (its session is a file of its own).
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_EVENTS = frozenset(("step_start", "step_finish", "tool_use", "text", "reasoning", "error", "done"))
_NO_NEWS = frozenset(("snapshot", "patch", "file", "agent", "compaction"))
_OPEN = ("tool-calls", "unknown", "length")  # reasons of a step after which the run isn't over


def _usage(tokens: Record) -> Usage:
    cache = as_dict(tokens.get("cache"))
    fresh, read, write = as_count(tokens.get("input")), as_count(cache.get("read")), as_count(cache.get("write"))
    said, thought, total = (as_count(tokens.get(key)) for key in ("output", "reasoning", "total"))
    asked = None if fresh is None else fresh + (read or 0) + (write or 0)
    if total is not None and asked is not None and total >= asked:
        said = total - asked
    elif thought:
        said = None  # older versions don't tell whether the reasoning is in it
    return Usage(input_total=asked, cache_read=read, cache_write=write, output=said, reasoning=thought)


def _failure(error: Json) -> str:
    fields = as_dict(error)
    return as_text(as_dict(fields.get("data")).get("message")) or as_text(fields.get("name")) or text_of(error)


class _Session:
    def __init__(self, source: Source, name: str | None) -> None:
        self.build = Builder("opencode", source.notes, name)
        self.called = False  # in this step

    def part(self, part: Record, role: str, model: str | None, line: int) -> None:
        build = self.build
        kind = as_text(part.get("type")) or ""
        if kind == "text":
            build.say("system" if part.get("synthetic") is True else role, text_of(part.get("text")))
        elif kind == "reasoning":
            build.say("reasoning", text_of(part.get("text")))
        elif kind == "tool":
            self.tool(part, line)
        elif kind == "step-start":
            build.status, build.error = "truncated", None
        elif kind == "subtask":
            build.hidden(f"a subtask of the agent {part.get('agent')}, which is not in this file", line)
        elif kind == "step-finish":
            build.spend(model, _usage(as_dict(part.get("tokens"))))
            build.cost(as_number(part.get("cost")))
            reason = as_text(part.get("reason"))
            going_on = self.called if reason is None else reason in _OPEN
            self.end("truncated" if going_on else "finished")
            self.called = False
        elif kind == "retry":
            build.notes.add("error_item", f"a request failed and was made again: {_failure(part.get('error'))}", line)
        elif kind not in _NO_NEWS:
            build.keep_unknown(part, kind or "part without type", line)

    def end(self, status: str) -> None:
        if self.build.status != "error":
            self.build.status = "finished" if status == "finished" else "truncated"

    def tool(self, part: Record, line: int) -> None:
        build = self.build
        self.called = True
        state = as_dict(part.get("state"))
        times, status = as_dict(state.get("time")), as_text(state.get("status"))
        tool = as_text(part.get("tool"))
        started, ended = when(times.get("start")), when(times.get("end"))
        group = as_text(part.get("messageID"))
        asked = as_dict(state.get("input"))
        if tool == "invalid" and as_text(asked.get("tool")):
            # A tool that there isn't, or arguments that it doesn't take: the model asked, and nothing was done.
            step = build.call(as_text(part.get("callID")), as_text(asked.get("tool")), group=group, started=started)
            build.result(
                step.id, text_of(state.get("output")), failed=True, error=as_text(asked.get("error")), ended=ended
            )
            return
        step = build.call(as_text(part.get("callID")), tool, state.get("input"), group=group, started=started)
        build.at(started)
        build.at(ended)
        metadata = as_dict(state.get("metadata"))
        if tool == "task" or as_text(metadata.get("sessionId")):
            build.hidden("a subagent's calls are not in this file", line, about="task")
        if status not in ("completed", "error"):
            return
        code = metadata.get("exit")
        failed = status == "error" or (isinstance(code, int) and code != 0)
        output = state.get("output")
        text = None if output is None else output if isinstance(output, str) else dumps(output)
        error = as_text(state.get("error")) or (f"exit code {code}" if failed else None)
        build.result(step.id, text, failed=failed, error=error, ended=ended, line=line)

    def fail(self, error: Json) -> None:
        build = self.build
        words = _failure(error)
        build.status = "cancelled" if as_dict(error).get("name") == "MessageAbortedError" else "error"
        build.error = words or "the run failed"

    def trace(self) -> Trace:
        steps = self.build.steps
        times = [step.started for step in steps.values()]
        if None not in times:
            self.build.steps = dict(sorted(steps.items(), key=lambda item: item[1].started or 0.0))
        return self.build.trace()


def _event(session: _Session, kind: str, record: Record, line: int) -> None:
    session.build.at(when(record.get("timestamp")))
    part = as_dict(record.get("part"))
    if kind == "error":
        session.fail(record.get("error"))
    elif kind == "done":
        session.end("finished")
    elif part:
        session.part(part, "assistant", None, line)
    elif kind not in _EVENTS:
        session.build.keep_unknown(record, kind, line)


def _export(source: Source, record: Record, line: int) -> Trace:
    session = _Session(source, as_text(as_dict(record.get("info")).get("id")))
    build = session.build
    for message in as_dicts(record.get("messages")):
        info = as_dict(message.get("info"))
        role = as_text(info.get("role")) or "unknown"
        times = as_dict(info.get("time"))
        build.at(when(times.get("created")))
        build.at(when(times.get("completed")))
        parts = as_dicts(message.get("parts"))
        model = as_text(info.get("modelID"))
        if role == "user":
            build.status, build.error = "truncated", None
        for part in parts:
            session.part(part, role, model, line)
        if role == "assistant":
            if not any(part.get("type") == "step-finish" for part in parts):
                build.spend(model, _usage(as_dict(info.get("tokens"))))
                build.cost(as_number(info.get("cost")))
                over = "completed" in times and info.get("finish") not in _OPEN and not session.called
                session.end("finished" if over else "truncated")
            if info.get("error"):
                session.fail(info["error"])
    return session.trace()


def _is_export(record: Record) -> bool:
    messages = as_dicts(record.get("messages"))
    return "info" in record and any(
        "sessionID" in as_dict(message.get("info")) and "parts" in message for message in messages
    )


def _read(source: Source) -> list[Trace]:
    sessions: dict[str | None, _Session] = {}
    exports: list[Trace] = []
    for line, record in source.records():
        if "messages" in record and "info" in record:
            exports.append(_export(source, record, line))
            continue
        kind = as_text(record.get("type"))
        if kind is None:
            source.notes.add("no_type", "an object without a type: skipped", line)
            continue
        name = as_text(record.get("sessionID"))
        _event(sessions.setdefault(name, _Session(source, name)), kind, record, line)
    traces = [session.trace() for session in sessions.values()] + exports
    return traces or [Builder("opencode", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        part = as_dict(record.get("part"))
        if "sessionID" in record and as_text(record.get("type")) in _EVENTS:
            if {"sessionID", "messageID", "type"} <= set(part):
                return certain("events with sessionID and a part with messageID")
            alike = True
        if _is_export(record):
            return certain("messages with info.sessionID and parts")
    return maybe("events with a sessionID, but without parts") if alike else None


READER = Reader(name="opencode", title="opencode, run --format json and export", recognise=_recognise, read=_read)
