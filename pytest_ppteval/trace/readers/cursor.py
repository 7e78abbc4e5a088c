"""Cursor CLI's `cursor-agent -p --output-format stream-json`, and its `json`, which is the last line alone.

The lines look like Claude Code's, but calls have lines of their own: {type: tool_call, subtype: started | completed,
call_id, tool_call: {readToolCall: {args, result}}}. The tool is named by that key, here without its "ToolCall". A
result is {success: ...} or names its failure: {error: ...}, {rejected: ...}, {fileNotFound: ...}.

Not told: costs; tokens in older versions; times in some; what runs in the background after its call is over.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, Pieces, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_SUFFIX = "ToolCall"
_SILENT = frozenset(("system", "interaction_query", "connection", "retry"))
_WELL = frozenset(("success", "complete", "completed", "registered", "startSuccess", "approved"))
_BADLY = ("error", "fail", "reject", "denied", "notfound", "timeout", "invalid", "nospace", "abort", "cancel")

_WHY = ("error", "errorMessage", "reason")


def _named(call: Record) -> tuple[str | None, Json, Record]:
    """Tool, arguments and the object that may hold the result."""
    for key, value in call.items():
        inner = as_dict(value)
        if key == "function":
            return as_text(inner.get("name")), inner.get("arguments"), inner
        if key.endswith(_SUFFIX):
            args = inner.get("args")
            fields = as_dict(args)
            server, tool = as_text(fields.get("providerIdentifier")), as_text(fields.get("toolName"))
            if key == "mcpToolCall" and (tool is not None or as_text(fields.get("name"))):
                # Named as Claude Code does, so that traces of both compare.
                name = tool or as_text(fields.get("name"))
                return f"mcp__{server}__{name}" if server else name, fields.get("args"), inner
            if isinstance(args, dict):
                args = {name: item for name, item in args.items() if name != "toolCallId"}
            return key.removesuffix(_SUFFIX), args, inner
    return None, None, {}


def _answer(result: Json) -> tuple[str | None, bool | None, str]:
    """Text of a result, whether it is a failure (None: not told), and that in words."""
    if result is None:
        return None, None, ""
    fields = as_dict(result)
    kind = next((key for key, value in fields.items() if key in _WELL or isinstance(value, dict)), "")
    inner = fields.get(kind, result)
    word = kind.lower().replace("_", "")
    failed = False if kind in _WELL else True if any(bad in word for bad in _BADLY) else None
    content = as_dict(inner)
    code = content.get("exitCode")
    words = next((why for key in _WHY if (why := as_text(content.get(key)))), "")
    if isinstance(code, int) and not isinstance(code, bool) and code != 0:
        failed, words = True, words or f"exit code {code}"
    if isinstance(content.get("isError"), bool):
        failed = content["isError"] is True
    if isinstance(inner, str):
        return inner, failed, inner if failed else ""
    return _output(content, inner), failed, words or ("" if kind in _WELL else kind)


def _output(content: Record, whole: Json) -> str:
    """What a tool printed or read, where it is one text; else all of the result."""
    if "stdout" in content or "stderr" in content:
        both = as_text(content.get("interleavedOutput"))
        return both or text_of(content.get("stdout")) + text_of(content.get("stderr"))
    for key in ("content", "output"):
        value = content.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            return "".join(
                text_of(as_dict(text).get("text", text)) for text in (p.get("text") for p in as_dicts(value))
            )
    return dumps(whole)


class _Session:
    """The lines of one session."""

    def __init__(self, source: Source, name: str | None) -> None:
        self.build = Builder("cursor", source.notes, name)
        self.model: str | None = None
        self.words = Pieces()  # of the assistant, since something else came
        self.since = Pieces()  # the same since a call
        self.thought = Pieces()
        self.last = ""
        self.running: set[str] = set()
        self.batch = 0

    def line(self, kind: str, record: Record, number: int) -> None:
        build = self.build
        time = when(record.get("timestamp_ms"))
        build.at(time)
        if kind != "assistant":
            self.flush()
        if kind == "assistant":
            self.heard(text_of(as_dict(record.get("message")).get("content")))
        elif kind == "user":
            build.say("user", text_of(as_dict(record.get("message")).get("content")))
            build.status, build.error = "truncated", None
        elif kind == "thinking":
            self.thought.add(text_of(record.get("text")))
            if record.get("subtype") == "completed":
                self.think()
        elif kind == "tool_call":
            self.call(record, time, number)
        elif kind == "result":
            self.result(record, number)
        elif kind == "system":
            self.model = self.model or as_text(record.get("model"))
        elif kind not in _SILENT:
            build.keep_unknown(record, kind, number)

    def heard(self, text: str) -> None:
        """A piece of a message, or once more all of one whose pieces were streamed."""
        self.think()
        if text and (self.words.is_all(text) or self.since.is_all(text)):
            return
        self.words.add(text)
        self.since.add(text)

    def think(self) -> None:
        self.build.say("reasoning", self.thought.take())

    def flush(self) -> None:
        words = self.words.take()
        self.last = words if words.strip() else self.last
        self.build.say("assistant", words)

    def call(self, record: Record, time: float | None, line: int) -> None:
        self.think()
        self.since.take()
        name = as_text(record.get("call_id"))
        tool, args, inner = _named(as_dict(record.get("tool_call")))
        if tool is None:
            self.build.hidden("a tool_call that names no tool", line)
        elif tool == "task":
            self.build.hidden("task starts a subagent, whose calls are not in this file", line, about="subagent")
        if name is None or name not in self.build.steps:
            self.batch += not self.running  # what starts while something runs was asked for with it
        started = record.get("subtype") == "started"
        group = as_text(record.get("model_call_id")) or f"batch-{self.batch}"
        step = self.build.call(name, tool, args, started=time if started else None)
        step.group = step.group or group
        if started:
            self.running.add(step.id)
        elif record.get("subtype") == "completed":
            self.running.discard(step.id)
            result = inner.get("result", as_dict(record.get("tool_call")).get("result"))
            text, failed, words = _answer(result)
            self.build.result(step.id, text, failed=failed, error=words, ended=time, line=line)

    def result(self, record: Record, number: int) -> None:
        build = self.build
        self.think()
        words = as_text(record.get("result"))
        failed = record.get("is_error") is True or record.get("subtype") not in (None, "success")
        build.status = "error" if failed else "finished"
        build.error = (words or as_text(record.get("error")) or "the run failed") if failed else None
        if not failed and words is not None:
            # It repeats all that was said in the run, without anything between; the last of it is the answer.
            build.final = self.last if self.last and words.endswith(self.last) else words
        if not build.messages and not build.steps:
            build.hidden("the json output is the last line only: stream-json has the calls", number)
        milliseconds = as_number(record.get("duration_ms"))
        if milliseconds is not None:
            build.duration_s = (build.duration_s or 0.0) + milliseconds / 1000
        build.spend(self.model, _usage(as_dict(record.get("usage"))))


def _usage(usage: Record) -> Usage:
    """Cursor's input leaves out what the cache served or took (recorded: 14125 in, 28224 from the cache)."""
    fresh = as_count(usage.get("inputTokens"))
    read, write = as_count(usage.get("cacheReadTokens")), as_count(usage.get("cacheWriteTokens"))
    return Usage(
        input_total=None if fresh is None else fresh + (read or 0) + (write or 0),
        cache_read=read,
        cache_write=write,
        output=as_count(usage.get("outputTokens")),
    )


def _read(source: Source) -> list[Trace]:
    sessions: dict[str | None, _Session] = {}
    current: _Session | None = None
    for number, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            source.notes.add("no_type", "an object without a type: skipped", number)
            continue
        name = as_text(record.get("session_id"))
        if current is None or (name is not None and name != current.build.run):
            current = sessions.setdefault(name, _Session(source, name))
        current.line(kind, record, number)
    for session in sessions.values():
        session.flush()
        session.think()
    return [session.build.trace() for session in sessions.values()] or [Builder("cursor", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        kind = record.get("type")
        call = as_dict(record.get("tool_call"))
        if kind == "tool_call" and record.get("subtype") in ("started", "completed"):
            if any(key.endswith(_SUFFIX) or key == "function" for key in call):
                return certain("tool_call lines, started and completed")
            alike = True
        elif "session_id" in record:
            if kind == "thinking" and record.get("subtype") in ("delta", "completed"):
                return certain("thinking lines of subtype delta and completed")
            if kind == "assistant" and {"timestamp_ms", "model_call_id"} & set(record):
                return certain("messages with timestamp_ms or model_call_id")
            if kind == "result" and {"request_id", "duration_ms", "result"} <= set(record):
                return certain("a result with request_id")
            alike = alike or (kind == "system" and "apiKeySource" in record and "mcp_servers" not in record)
    return maybe("lines as Cursor's, but without its tool_call, thinking or request_id") if alike else None


READER = Reader(name="cursor", title="Cursor CLI, stream-json", recognise=_recognise, read=_read)
