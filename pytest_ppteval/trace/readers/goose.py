"""goose: session files (JSON Lines: a head, then messages), session exports, and `goose run --output-format` both ways.

Everywhere the same messages: {role, created, content: [{type: toolRequest, id, toolCall: {status, value: {name,
arguments}}}, {type: toolResponse, id, toolResult: {status, value: {content, isError}}}, text, thinking, ...]}. The
stream wraps them, {type: message, message}, in pieces of one id, and ends with {type: complete}; the export has them
under `conversation`; `json` under `messages`, beside `metadata`.

Not told: costs; the cache in older versions; that a session ended (its last message is an answer without calls).
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_ASKS = ("toolRequest", "frontendToolRequest")
_OWN = (*_ASKS, "toolResponse", "toolConfirmationRequest", "systemNotification", "actionRequired")
_AGENTS = ("delegate", "subagent", "execute_task", "run_task")
_QUIET = frozenset(("redactedThinking", "contextLengthExceeded", "summarizationRequested", "conversationCompacted"))


def _outcome(result: Record) -> tuple[Json, bool]:
    """The value of {status, value | error}, and whether it is an error. Some write {Ok: ...} and {Err: ...}."""
    if "error" in result or result.get("status") == "error" or "Err" in result:
        return result.get("error", result.get("Err")), True
    return result.get("value", result.get("Ok", result if "name" in result or "content" in result else None)), False


def _usage(fields: Record) -> Usage:
    """The sums of a session; without "accumulated" its head has those of the last request only."""

    def count(name: str) -> int | None:
        return as_count(fields.get(name))

    prefix = "accumulated_" if "accumulated_input_tokens" in fields else ""
    return Usage(
        input_total=count(f"{prefix}input_tokens"),
        cache_read=count(f"{prefix}cache_read_input_tokens"),
        cache_write=count(f"{prefix}cache_write_input_tokens"),
        output=count(f"{prefix}output_tokens"),
    )


class _Session:
    def __init__(self, source: Source, name: str | None = None) -> None:
        self.build = Builder("goose", source.notes, name)
        self.model: str | None = None
        self.open_id: str | None = None  # of the message whose pieces come
        self.over = False

    def message(self, message: Record, line: int) -> None:
        build = self.build
        role = as_text(message.get("role")) or "unknown"
        name = as_text(message.get("id"))
        time = when(message.get("created"))
        build.at(time)
        content = message.get("content")
        text: Record = {"type": "text", "text": text_of(content)}
        parts = as_dicts(content) if isinstance(content, list) else [text]
        group = f"message-{name or line}"
        called = False
        for part in parts:
            kind = as_text(part.get("type")) or "part without type"
            if kind == "text":
                self.say(role, text_of(part.get("text")), name)
            elif kind == "thinking":
                self.say("reasoning", text_of(part.get("thinking")), name)
            elif kind in _ASKS:
                called = True
                self.ask(part, group, time)
            elif kind == "toolResponse":
                self.answer(part, time, line)
            elif kind in ("toolConfirmationRequest", "actionRequired"):
                build.notes.add("asked_back", "the agent waited for a person's consent", line)
            elif kind == "systemNotification":
                self.say("system", text_of(part.get("msg")), name)
            elif kind == "image":
                self.say(role, "[image]", name)
            elif kind not in _QUIET:
                build.keep_unknown(part, kind, line)
        if not self.over:
            build.status = "finished" if role == "assistant" and not called and parts else "truncated"

    def say(self, role: str, text: str, name: str | None) -> None:
        """A text; a piece of the message before where it has the same id."""
        last = self.build.messages[-1] if self.build.messages else None
        if name is not None and last is not None and last.id == name and last.role == role:
            last.text.write(text)
        else:
            self.build.say(role, text, message_id=name)

    def ask(self, part: Record, group: str, time: float | None) -> None:
        value, failed = _outcome(as_dict(part.get("toolCall")))
        call = as_dict(value)
        arguments = call.get("arguments")
        name = None if failed else as_text(call.get("name"))
        step = self.build.call(
            as_text(part.get("id")),
            name,
            arguments if arguments is not None or failed else {},
            group=group,
            started=time,
        )
        if name is not None and name.rpartition("__")[2] in _AGENTS:
            self.build.hidden(f"{name} starts a subagent, whose calls are not in this file", about="subagent")
        if failed:  # the model's call was not one
            step.failed, step.error = True, text_of(value) or "invalid tool call"

    def answer(self, part: Record, time: float | None, line: int) -> None:
        value, failed = _outcome(as_dict(part.get("toolResult")))
        fields = as_dict(value)
        words = text_of(value) if failed else None
        text: str | None = words
        if not failed:
            content = fields.get("content", value)
            text = text_of(content) if isinstance(content, str | list) else None if content is None else dumps(content)
            code = as_dict(fields.get("structuredContent")).get("exit_code")
            if fields.get("isError") is True:
                failed = True
            elif isinstance(code, int) and not isinstance(code, bool) and code != 0:
                failed, words = True, f"exit code {code}"
        self.build.result(as_text(part.get("id")), text, failed=failed, error=words, ended=time, line=line)

    def head(self, fields: Record) -> None:
        """What a session says of itself."""
        build = self.build
        model = as_dict(fields.get("model_config")).get("model_name", fields.get("model"))
        self.model = as_text(model) or self.model
        usage = _usage(fields)
        if "accumulated_input_tokens" in fields or "output_tokens" in fields:
            known = "accumulated_input_tokens" in fields or fields.get("type") == "complete"
            build.spend(self.model, usage if known else Usage())

    def event(self, kind: str, record: Record, line: int) -> None:
        build = self.build
        if kind == "message":
            self.message(as_dict(record.get("message")), line)
        elif kind == "complete":
            self.head(record)
            build.status, self.over = "finished" if build.status != "error" else "error", True
        elif kind == "error":
            build.status, self.over = "error", True
            build.error = text_of(record.get("error")) or "the run failed"
        elif kind not in ("notification", "model_change", "modelChange"):
            build.keep_unknown(record, kind, line)


def _messages(record: Record) -> list[Record]:
    inside = record.get("conversation", record.get("messages"))
    return as_dicts(inside) or as_dicts(as_dict(inside).get("messages"))


def _read(source: Source) -> list[Trace]:
    session = _Session(source)
    whole: list[_Session] = []
    for line, record in source.records():
        kind = as_text(record.get("type"))
        if "role" in record and "content" in record:
            session.message(record, line)
        elif "conversation" in record or "messages" in record:
            one = _Session(source, as_text(record.get("id")))
            whole.append(one)
            for message in _messages(record):
                one.message(message, line)
            one.head(record)
            metadata = as_dict(record.get("metadata"))
            if metadata.get("status") == "completed":
                one.build.status = "finished"
            one.head({**metadata, "type": "complete"})
        elif kind is not None:
            session.event(kind, record, line)
        elif "working_dir" in record:
            session.build.run = as_text(record.get("id")) or as_text(record.get("description"))
            session.head(record)
        else:
            source.notes.add("no_type", "an object without a type: skipped", line)
    sessions = whole or [session]
    if whole and (session.build.steps or session.build.messages):
        sessions = [*whole, session]
    return [one.build.trace() for one in sessions]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        messages = [record, as_dict(record.get("message")), *_messages(record)]
        if any(part.get("type") in _OWN for message in messages for part in as_dicts(message.get("content"))):
            return certain("messages with toolRequest or toolResponse")
        if {"working_dir", "conversation"} <= set(record) or {"working_dir", "message_count"} <= set(record):
            return certain("the head of a session, with working_dir")
        if record.get("type") == "complete" and "total_tokens" in record:
            return certain("a line of type complete with total_tokens")
        alike = alike or ("created" in record and "role" in record and isinstance(record.get("content"), list))
    return maybe("messages with role, created and content, but without toolRequest") if alike else None


READER = Reader(name="goose", title="goose, sessions and runs", recognise=_recognise, read=_read)
