"""AG-UI events (ag-ui-protocol up to 1.0): server-sent events, JSON Lines, or an array.

Source: docs.ag-ui.com, and what servers really send. Later events correct earlier ones; all goes by id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_ppteval.trace.jsontext import Record, as_dicts, as_text
from pytest_ppteval.trace.model import Trace
from pytest_ppteval.trace.readers import Head, Reader
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


def _events(source: Source) -> Iterator[tuple[int, Record]]:
    """Events; also those of a document that holds named lists of them, as fixtures do."""
    for line, record in source.records():
        if "type" in record:
            yield line, record
        elif any(isinstance(value, list) for value in record.values()):
            for value in record.values():
                for event in as_dicts(value):
                    yield line, event
        else:
            yield line, record


def _read(source: Source) -> list[Trace]:
    notes = source.notes
    thread = Thread(source, None)
    threads: dict[str | None, Thread] = {}
    thinking = 0
    seen = False
    for line, found in _events(source):
        event = found
        if not _SNAKE_KEYS.isdisjoint(event):
            event = {_SNAKE.get(key, key): value for key, value in event.items()}
        kind = event.get("type")
        if not isinstance(kind, str):
            notes.add("no_type", "an object without a type: skipped", line)
            continue
        if kind in _OLD:
            thinking += kind == "THINKING_TEXT_MESSAGE_START"
            kind = _OLD[kind]
            thought = as_text(event.get("messageId")) or f"thinking-{thinking}"
            event = {**event, "type": kind, "messageId": thought}
            if thought not in thread.texts:  # a THINKING_CONTENT needs no start
                thread.message(thought, "reasoning", as_text(event.get("subagentRunId")))
        if kind == "RUN_STARTED":
            name = as_text(event.get("threadId"))
            if not threads:
                thread.build.run = name  # what came before the first run belongs to it
            elif name in threads:
                thread = threads[name]
            else:
                thread = Thread(source, name)
            threads[name] = thread
        elif not seen and kind != "RUN_ERROR":
            thread.notes.add("no_run_started", f"the first event is {kind}, not RUN_STARTED", line)
        seen = True
        thread.apply(kind, event, line)
    if not seen:
        notes.add("no_events", "no event in the file")
    return [each.trace() for each in threads.values()] or [thread.trace()]


def _recognise(head: Head) -> bool:
    kinds: set[str] = set()
    for record in head.records:
        events = [record] if "type" in record else [e for v in record.values() for e in as_dicts(v)]
        kinds.update(kind for event in events if isinstance(kind := event.get("type"), str))
    return any(
        kind.isupper()
        and kind.startswith(
            ("RUN_", "TEXT_MESSAGE_", "TOOL_CALL_", "MESSAGES_SNAPSHOT", "STATE_", "REASONING_", "THINKING_")
        )
        for kind in kinds
    )


READER = Reader(name="agui", title="AG-UI events", recognise=_recognise, read=_read)
