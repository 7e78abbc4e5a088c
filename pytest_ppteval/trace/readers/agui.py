"""AG-UI events (ag-ui-protocol up to 1.0): server-sent events, JSON Lines, or an array.

Source: docs.ag-ui.com, and what servers really send. Later events correct earlier ones; all goes by id.
"""

from __future__ import annotations

import re

from pytest_ppteval.trace.jsontext import Record, as_dicts, as_text
from pytest_ppteval.trace.model import Trace
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.agui_snapshot import apply_snapshot
from pytest_ppteval.trace.readers.agui_thread import Thread
from pytest_ppteval.trace.source import Source

_SNAKE = {
    name: re.sub(r"_(.)", lambda match: match[1].upper(), name)
    for name in [
        "thread_id",
        "run_id",
        "parent_run_id",
        "protocol_version",
        "message_id",
        "tool_call_id",
        "tool_call_name",
        "parent_message_id",
        "step_name",
        "raw_event",
        "activity_type",
        "subagent_run_id",
        "parent_subagent_run_id",
        "parent_tool_call_id",
        "entity_id",
        "encrypted_value",
    ]
}
_SNAKE_KEYS = frozenset(_SNAKE)
# Before 1.0 thinking had other names, and no message ids.
_OLD = {
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}


# Names that no other protocol was seen to use; STEP_STARTED, RAW and CUSTOM are left out.
_NAMES = frozenset(
    [
        *_OLD,
        *("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "STATE_DELTA"),
        *(f"TEXT_MESSAGE_{part}" for part in ("START", "CONTENT", "END", "CHUNK")),
        *(f"TOOL_CALL_{part}" for part in ("START", "ARGS", "END", "CHUNK", "RESULT")),
        *(f"REASONING_MESSAGE_{part}" for part in ("START", "CONTENT", "END", "CHUNK")),
        *("REASONING_START", "REASONING_END", "THINKING_START", "THINKING_END"),
    ]
)
_FAMILIES = ("RUN_", "TEXT_MESSAGE_", "TOOL_CALL_", "MESSAGES_", "STATE_", "REASONING_", "THINKING_")


def _named(record: Record) -> list[Record]:
    """The events of a document that holds named lists of them, as fixtures do."""
    return [event for value in record.values() for event in as_dicts(value)]


class _Reading:
    """Hands each event to its thread: a run's first event names it, the others don't."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.thread = Thread(source, None, apply_snapshot)
        self.threads: dict[str | None, Thread] = {}
        self.thoughts = 0
        self.seen = False

    def event(self, line: int, event: Record) -> None:
        if not _SNAKE_KEYS.isdisjoint(event):
            event = {_SNAKE.get(key, key): value for key, value in event.items()}
        kind = event.get("type")
        if not isinstance(kind, str):
            self.source.notes.add("no_type", "an object without a type: skipped", line)
            return
        if kind in _OLD:
            self.thoughts += kind == "THINKING_TEXT_MESSAGE_START"
            kind = _OLD[kind]
            thought = as_text(event.get("messageId")) or f"thinking-{self.thoughts}"
            event = {**event, "type": kind, "messageId": thought}
            if thought not in self.thread.texts:  # a THINKING_CONTENT needs no start
                self.thread.message(thought, "reasoning", as_text(event.get("subagentRunId")))
        if kind == "RUN_STARTED":
            self.turn_to(as_text(event.get("threadId")))
        elif not self.seen and kind != "RUN_ERROR":
            self.thread.note("no_run_started", f"the first event is {kind}, not RUN_STARTED")
        self.seen = True
        self.thread.apply(kind, event, line)

    def turn_to(self, name: str | None) -> None:
        if not self.threads:
            self.thread.build.run = name  # what came before the first run belongs to it
        elif name in self.threads:
            self.thread = self.threads[name]
        else:
            self.thread = Thread(self.source, name, apply_snapshot)
        self.threads[name] = self.thread


def _read(source: Source) -> list[Trace]:
    reading = _Reading(source)
    for line, record in source.records():
        if "type" in record or not (named := _named(record)):
            reading.event(line, record)
        else:
            for event in named:
                reading.event(line, event)
    if not reading.seen:
        source.notes.add("no_events", "no event in the file")
    return [thread.trace() for thread in reading.threads.values()] or [reading.thread.trace()]


def _recognise(head: Head) -> Sign | None:
    kinds: set[str] = set()
    for record in head.records:
        events = [record] if "type" in record else _named(record)
        kinds.update(kind for event in events if isinstance(kind := event.get("type"), str))
    own = sorted(kinds & _NAMES)
    if own:
        return certain(f"events named {own[0]}")
    like = next((kind for kind in sorted(kinds) if kind.isupper() and kind.startswith(_FAMILIES)), None)
    return None if like is None else maybe(f"events named {like}, which is none of the protocol's names")


READER = Reader(name="agui", title="AG-UI events", recognise=_recognise, read=_read, not_calls=frozenset(("input",)))
