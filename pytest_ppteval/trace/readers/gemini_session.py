"""Gemini CLI's session files, chats/session-*.json and .jsonl: {sessionId, projectHash, messages: [...]}.

In JSON Lines a message that grows is written again under its id: the last one counts. {$set: {...}} changes the head
({$set: {messages}} all that was said so far), {$rewindTo: id} takes back a message and what followed it.

Not told: costs; that a run ended (its last message is an answer without calls); which subagent a file belongs to.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.readers.gemini import tokens
from pytest_ppteval.trace.source import Source

_KINDS = ("user", "gemini", "info", "error", "warning")
_AGENTS = ("invoke_agent", "delegate_to_agent", "codebase_investigator")
_CONTEXT = "<session_context>"  # what the CLI puts before the first prompt


def _words(content: Json) -> str:
    """The texts of one part or of a list of parts."""
    if isinstance(content, str):
        return content
    parts = [content] if isinstance(content, dict) else content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else text_of(as_dict(part).get("text")) for part in parts)


def _response(part: Record) -> str | None:
    """What a functionResponse says."""
    response = as_dict(as_dict(part.get("functionResponse")).get("response"))
    for key in ("output", "error"):
        if isinstance(response.get(key), str):
            return text_of(response[key])
    return dumps(response) if response else None


class _Session:
    def __init__(self, source: Source) -> None:
        self.notes = source.notes
        self.build = Builder("gemini-session", source.notes)
        self.messages: dict[str, tuple[int, Record]] = {}

    def record(self, record: Record, line: int) -> None:
        back = as_text(record.get("$rewindTo"))
        changed = as_dict(record.get("$set"))
        if back is not None:
            names = list(self.messages)
            for name in names[names.index(back) if back in names else 0 :]:
                del self.messages[name]
        for head in (record, changed):
            self.build.run = self.build.run or as_text(head.get("sessionId"))
            self.build.at(when(head.get("startTime")))
            messages = head.get("messages")
            if isinstance(messages, list):
                self.messages = {}
                for message in as_dicts(messages):
                    self.message(message, line)
        if record.get("type") is not None:
            self.message(record, line)

    def message(self, message: Record, line: int) -> None:
        name = as_text(message.get("id")) or f"message-{len(self.messages)}"
        self.messages[name] = (line, message)

    def trace(self) -> Trace:
        build = self.build
        for number, (line, message) in enumerate(self.messages.values()):
            kind = as_text(message.get("type")) or ""
            time = when(message.get("timestamp"))
            build.at(time)
            words = _words(message.get("content"))
            if kind == "user":
                self.user(message, words)
            elif kind == "gemini":
                self.gemini(message, words, f"message-{number}", time)
            elif kind == "error":
                build.notes.add("error_item", f"the agent met an error: {words}", line)
                build.status, build.error = "error", words or "the run failed"
            elif kind == "info" and "cancelled" in words.lower():
                build.status = "cancelled"
            elif kind not in _KINDS:
                build.keep_unknown(message, kind or "message without type", line)
        return build.trace()

    def user(self, message: Record, words: str) -> None:
        build = self.build
        for part in as_dicts(message.get("content")):
            answer = as_dict(part.get("functionResponse"))
            name = as_text(answer.get("id"))
            # It repeats what is at the call, which is there first.
            if answer and (name is None or name not in build.steps or build.steps[name].result is None):
                failed = True if "error" in as_dict(answer.get("response")) else None
                build.result(name, _response(part), failed=failed)
        build.say("system" if words.startswith(_CONTEXT) else "user", words)
        build.status, build.error = "truncated", None

    def gemini(self, message: Record, words: str, group: str, time: float | None) -> None:
        build = self.build
        for thought in as_dicts(message.get("thoughts")):
            build.say("reasoning", "\n".join(filter(None, map(text_of, map(thought.get, ("subject", "description"))))))
        build.say("assistant", words, message_id=as_text(message.get("id")))
        calls = as_dicts(message.get("toolCalls"))
        for call in calls:
            ended = when(call.get("timestamp"))
            build.at(ended)
            args, status = call.get("args"), as_text(call.get("status"))
            name = as_text(call.get("name"))
            step = build.call(as_text(call.get("id")), name, args, group=group, started=time)
            if name in _AGENTS or as_text(call.get("agentId")):
                build.hidden(f"{name} starts a subagent, whose calls are in a file of its own", about="subagent")
            if status not in ("success", "error", "cancelled"):
                continue  # it never ended
            shown = call.get("resultDisplay")
            parts = as_dicts(call.get("result")) or [as_dict(call.get("result"))]
            texts = [text for part in parts if (text := _response(part)) is not None]
            text = "\n".join(texts) if texts else shown if isinstance(shown, str) else None
            build.result(step.id, text, failed=status != "success", error=text or status, ended=ended)
        build.status = "truncated" if calls else "finished"
        build.error = None
        build.spend(as_text(message.get("model")), tokens(as_dict(message.get("tokens")), "input", "output"))


def _read(source: Source) -> list[Trace]:
    sessions: list[_Session] = []
    for line, record in source.records():
        name = as_text(record.get("sessionId"))
        if not sessions or (name is not None and sessions[-1].build.run not in (None, name)):
            sessions.append(_Session(source))
        sessions[-1].record(record, line)
    return [session.trace() for session in sessions] or [Builder("gemini-session", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    if any({"sessionId", "projectHash"} <= set(record) for record in head.records):
        return certain("a head with sessionId and projectHash")
    return None


READER = Reader(name="gemini-session", title="Gemini CLI, session file", recognise=_recognise, read=_read)
