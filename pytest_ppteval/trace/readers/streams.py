"""The server-sent events of the big APIs -> the responses that they amount to. No format by itself.

Chat Completions: chunks with deltas. Responses: events response.*. Anthropic Messages: message_start to message_stop.
What else stands in the file (requests, other responses) passes through in its place. A stream that breaks off gives
what came of it, without a reason for its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_list, as_text, dumps
from pytest_ppteval.trace.model import Json

CHUNK = "chat.completion.chunk"
ANTHROPIC = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "error",
    )
)
_ENDS = ("response.completed", "response.failed", "response.incomplete", "response.cancelled")


class _Stream(Protocol):
    line: int
    over: bool

    def add(self, event: Record) -> None: ...

    def response(self) -> Record: ...


def assembled(values: Iterable[tuple[int, Json]]) -> Iterator[tuple[int, Json]]:
    """The values, with each stream of events as one response."""
    streams: dict[str, _Stream] = {}  # those that are open, in the order of their starts
    for line, value in values:
        event = as_dict(value)
        name = _stream_of(event, streams)
        if name is None or _begins(event, streams.get(name)) or (name not in streams and _all_over(streams)):
            yield from ((stream.line, stream.response()) for stream in streams.values())
            streams = {}
        if name is None:
            yield line, value
            continue
        if name not in streams:
            streams[name] = _Chat(line) if event.get("object") == CHUNK else _new(event, line)
        streams[name].add(event)
    yield from ((stream.line, stream.response()) for stream in streams.values())


def is_event(record: Record) -> bool:
    """Whether a record is an event of one of these streams."""
    return _stream_of(record, {}) is not None


def _new(event: Record, line: int) -> _Stream:
    return _Responses(line) if str(event.get("type")).startswith("response.") else _Message(line)


def _all_over(streams: dict[str, _Stream]) -> bool:
    return bool(streams) and all(stream.over for stream in streams.values())


def _stream_of(event: Record, streams: dict[str, _Stream]) -> str | None:
    """The name of the stream that an event belongs to; None where it is no event of one."""
    if event.get("object") == CHUNK:
        return f"chat {event.get('id')}"
    kind = event.get("type")
    if not isinstance(kind, str):
        return None
    if kind.startswith("response.") and (
        {"response", "sequence_number", "item_id", "item", "output_index"} & set(event)
    ):
        return "responses"
    if kind == "error" and "responses" in streams:
        return "responses"
    if kind in ANTHROPIC:
        # Others have events of these names, too: a message has to have started as the API starts one.
        started = kind == "message_start" and as_dict(event.get("message")).get("type") == "message"
        return "messages" if started or "messages" in streams else None
    return None


def _begins(event: Record, stream: _Stream | None) -> bool:
    """Whether an event is the first of a new stream, though one of its name is open."""
    if stream is None:
        return False
    if event.get("object") == CHUNK:
        delta = as_dict(next(iter(as_dicts(event.get("choices"))), {}).get("delta"))
        return stream.over and bool(delta.get("role") or delta.get("content") or delta.get("tool_calls"))
    return event.get("type") in ("response.created", "message_start") or (
        stream.over and str(event.get("type")).startswith("response.")
    )


class _Chat:
    """Chunks of one chat completion; of several choices the first counts."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.over = False
        self.top: Record = {"object": "chat.completion"}
        self.texts: dict[str, list[str]] = {}
        self.calls: list[tuple[Json, Record, list[str]]] = []  # index, call, pieces of its arguments
        self.legacy: tuple[Record, list[str]] | None = None
        self.reason: str | None = None

    def add(self, event: Record) -> None:
        for key in ("id", "model", "usage"):
            if event.get(key):
                self.top[key] = event[key]
        for choice in as_dicts(event.get("choices")):
            if choice.get("index") in (None, 0):
                self.reason = as_text(choice.get("finish_reason")) or self.reason
                self.over = self.reason is not None
                self._delta(as_dict(choice.get("delta")))

    def _delta(self, delta: Record) -> None:
        for key in ("content", "reasoning_content", "refusal"):
            text = delta.get(key)
            if isinstance(text, list):
                text = "".join(str(part.get("text", "")) for part in as_dicts(text))
            if isinstance(text, str):
                self.texts.setdefault(key, []).append(text)
        for piece in as_dicts(delta.get("tool_calls")):
            self._call(piece)
        function = as_dict(delta.get("function_call"))
        if function:
            self.legacy = self.legacy or ({}, [])
            self.legacy[0]["name"] = as_text(function.get("name")) or self.legacy[0].get("name")
            self.legacy[1].append(_text(function.get("arguments")))

    def _call(self, piece: Record) -> None:
        """A piece of a call. Some servers leave out the index, or give each call the index 0: then the id tells."""
        index, name = piece.get("index"), as_text(piece.get("id"))
        function = as_dict(piece.get("function"))
        slot = next(
            (
                one
                for one in reversed(self.calls)
                if (index is None or one[0] == index) and (name is None or one[1].get("id") in (None, name))
            ),
            None,
        )
        if slot is None or (index is None and name is None and function.get("name")):
            slot = (index, {"type": "function"}, [])
            self.calls.append(slot)
        slot[1]["id"] = name or slot[1].get("id")
        slot[1]["name"] = slot[1].get("name") or as_text(function.get("name"))
        slot[2].append(_text(function.get("arguments")))

    def response(self) -> Record:
        message: Record = {"role": "assistant", **{key: "".join(pieces) for key, pieces in self.texts.items()}}
        calls: list[Json] = [
            {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": "".join(pieces)}}
            for _, call, pieces in self.calls
        ]
        if calls:
            message["tool_calls"] = calls
        if self.legacy is not None:
            message["function_call"] = {**self.legacy[0], "arguments": "".join(self.legacy[1])}
        return {**self.top, "choices": [{"message": message, "finish_reason": self.reason}]}


class _Responses:
    """Events of one response. The last holds it whole; where it is missing, the items that came count."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.over = False
        self.top: Record = {}
        self.items: dict[str, Record] = {}
        self.places: dict[str, str] = {}  # an item's id -> its place
        self.pieces: dict[tuple[str, str], list[str]] = {}

    def add(self, event: Record) -> None:
        kind = str(event.get("type"))
        if kind in _ENDS or isinstance(event.get("response"), dict):
            self.over = kind in _ENDS
            ended: Record = {"status": kind.removeprefix("response.")} if self.over else {}
            self.top = {**self.top, **ended, **as_dict(event.get("response"))}
            return
        if kind == "error":
            found = event.get("error")
            self.top = {**self.top, "status": "failed", "error": found if isinstance(found, dict) else event}
            self.over = True
            return
        item = as_dict(event.get("item"))
        name = self._place(event, item)
        if item:
            known = {key: value for key, value in self.items.get(name, {}).items() if not item.get(key)}
            self.items[name] = {**item, **known}
        elif isinstance(event.get("delta"), str) and kind.endswith(".delta"):
            self.pieces.setdefault((name, kind), []).append(str(event["delta"]))

    def _place(self, event: Record, item: Record) -> str:
        """Which item an event is of: by its place in the output, or by its id where the place is not told."""
        index = event.get("output_index")
        names = [as_text(event.get("item_id")), as_text(item.get("id")), as_text(event.get("call_id"))]
        names.append(as_text(item.get("call_id")))
        known = next((self.places[name] for name in names if name in self.places), None)
        place = str(index) if isinstance(index, int) else known or next((name for name in names if name), "")
        self.places.update({name: place for name in names if name is not None})
        return place

    def response(self) -> Record:
        for (name, kind), pieces in self.pieces.items():
            item = self.items.setdefault(name, {"type": "message", "role": "assistant"})
            text = "".join(pieces)
            if "arguments" in kind:
                item["arguments"] = item.get("arguments") or text
            elif "tool_call_input" in kind:
                item["input"] = item.get("input") or text
            elif kind.startswith("response.output_text"):
                item["content"] = item.get("content") or [{"type": "output_text", "text": text}]
        output = as_list(self.top.get("output")) or list(self.items.values())
        return {"status": "in_progress", **self.top, "object": "response", "output": output}


class _Message:
    """Events of one message of Anthropic's API."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.over = False
        self.top: Record = {}
        self.usage: Record = {}
        self.blocks: dict[str, Record] = {}
        self.pieces: dict[tuple[str, str], list[str]] = {}

    def add(self, event: Record) -> None:
        kind, index = event.get("type"), str(event.get("index"))
        if kind == "message_start":
            self.top = dict(as_dict(event.get("message")))
            self.usage = dict(as_dict(self.top.get("usage")))
        elif kind == "content_block_start":
            self.blocks[index] = dict(as_dict(event.get("content_block")))
        elif kind == "content_block_delta":
            delta = as_dict(event.get("delta"))
            for key in ("text", "thinking", "partial_json"):
                if isinstance(delta.get(key), str):
                    self.pieces.setdefault((index, key), []).append(str(delta[key]))
            if "citation" in delta:
                self.blocks.setdefault(index, {"type": "text"})["citations"] = [delta["citation"]]
        elif kind == "message_delta":
            self.top.update({key: value for key, value in as_dict(event.get("delta")).items() if value is not None})
            self.usage.update({key: value for key, value in as_dict(event.get("usage")).items() if value is not None})
        elif kind == "message_stop":
            self.over = True
        elif kind == "error":
            self.top["error"] = event.get("error")
            self.over = True

    def response(self) -> Record:
        for (index, key), pieces in self.pieces.items():
            kind = {"partial_json": "tool_use"}.get(key, key)
            block = self.blocks.setdefault(index, {"type": kind})
            text = "".join(pieces)
            if key != "partial_json":
                block[key] = str(block.get(key) or "") + text
            elif text.strip():
                block["input"] = text
        return {"stop_reason": None, **self.top, "usage": self.usage, "content": list(self.blocks.values())}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else dumps(value)
