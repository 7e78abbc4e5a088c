"""Recorded requests and responses -> one conversation. No format by itself.

Each request repeats what was said before it. What a request has in common with the conversation so far is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, dumps
from pytest_ppteval.trace.model import Json
from pytest_ppteval.trace.readers.streams import assembled, is_event
from pytest_ppteval.trace.source import Source

_WHOLE = frozenset(("object", "choices", "messages", "request", "response", "stop_reason", "usage"))
_ITEMS = ("_call", "_call_output")


class Conversation:
    """What was said so far, to tell the new from the repeated."""

    def __init__(self) -> None:
        self._said: list[str] = []

    def news(self, items: list[Record], keys: tuple[str, ...]) -> list[Record]:
        """The items after those that stood in front of the conversation before; two are equal where `keys` are."""
        # What is empty may be left out, or be null, when it is sent again.
        marks = [dumps([item.get(key) or None for key in keys]) for item in items]
        same = 0
        while same < min(len(marks), len(self._said)) and marks[same] == self._said[same]:
            same += 1
        if same == 0:  # another window on the conversation, or another conversation
            known = set(self._said)
            kept = [item for item, mark in zip(items, marks, strict=True) if mark not in known]
            self._said += [mark for mark in marks if mark not in known]
            return kept
        self._said += marks[same:]
        return items[same:]


def exchanges(source: Source) -> Iterator[tuple[int, Record, Record]]:
    """(line, request, response) of what a file holds: pairs of them, or one of them alone (the other is empty).

    Messages or items that stand there by themselves, one a line, are one conversation. A stream of events is the
    response that it amounts to.
    """
    bare: list[Record] = []
    start = 0
    for line, value in assembled(source.values()):
        record = as_dict(value)
        if _is_bare(record):
            start = start if bare else line
            bare.append(record)
            continue
        if bare:
            yield from _pairs(start, list(bare))
            bare = []
        yield from _pairs(line, value)
    if bare:
        yield from _pairs(start, list(bare))


def _is_bare(record: Record) -> bool:
    """Whether a record is a message or an item, rather than a request or a response."""
    if not _WHOLE.isdisjoint(record):
        return False
    kind = record.get("type")
    return "role" in record or (isinstance(kind, str) and (kind.endswith(_ITEMS) or kind == "reasoning"))


def _pairs(line: int, value: Json) -> Iterator[tuple[int, Record, Record]]:
    if isinstance(value, list):
        records = as_dicts(value)
        if any(is_event(record) for record in records):  # a stream, kept as an array
            for _, whole in assembled((line, record) for record in records):
                yield from _pairs(line, whole)
            return
        if any("role" in record or ("type" in record and "object" not in record) for record in records):
            yield line, {"messages": value, "input": value}, {}
            return
        for record in records:
            yield from _pairs(line, record)
        return
    record = as_dict(value)
    if "request" in record or "response" in record:
        # A recorded response may be a stream: its events in a list.
        answer = record.get("response")
        if isinstance(answer, list):
            found = [as_dict(whole) for _, whole in assembled((line, part) for part in answer)]
            answer = found[-1] if found else {}
        yield line, as_dict(record.get("request")), as_dict(answer)
    elif "output" in record or "choices" in record or "content" in record:
        # A response by itself, or a request and its response in one.
        yield line, record, record
    else:
        yield line, record, {}
