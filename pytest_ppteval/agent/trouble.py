"""Trouble on the way to a model, as an agent's program itself records it: by events of its own, never by what was said.

A model may write of billing or of a rate limit in any answer. So only these count, at the end of a trace: an event that
is an error by its type, and Claude Code's words in the place of an answer, which it marks as its own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.plain import NotPlain, apart, open_plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Bytes of a trace's end, and events in it, that are looked at.
_END = 1 << 18
_EVENTS = 12
_ERRORS = frozenset(
    ("error", "turn.failed", "thread.error", "session.error", "RUN_ERROR", "response.failed", "response.error")
)
# A client's words for what may pass. Numbers count beside a word for what they are only.
TRANSIENT = re.compile(
    r"\b(?:api[ _]error|http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|error(?:[ _]code)?|code)\W{0,4}"
    r"(?:408|409|429|5\d\d)\b|overloaded|rate.?limit|too many requests|internal server error"
    r"|service unavailable|bad gateway|server_error"
    r"|gateway time-?out|connection (?:error|refused|reset|closed|timed out)|stream disconnected|retry limit"
    r"|econnre(?:set|fused)|etimedout|enotfound|eai_again|network error|fetch failed",
    re.IGNORECASE,
)
# As much the surroundings' fault, but trying again won't help.
LASTING = re.compile(
    r"\b(?:api[ _]error|http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|error(?:[ _]code)?|code)\W{0,4}(?:401|402|403)\b"
    r"|(?:authentication|permission|billing)[_ ](?:error|failed)|unauthori[sz]ed"
    r"|(?:invalid|incorrect|missing)[_ ]api.key|api.key (?:is )?(?:invalid|missing)"
    r"|not logged in|please (?:run /)?log ?in|credit balance|insufficient.quota|exceeded your (?:current )?quota"
    r"|(?:usage|hour|daily|weekly|session) limit|hit your (?:\w+ )?limit",
    re.IGNORECASE,
)
# How Claude Code begins where a server refused it; by this versions are known that don't mark such words.
_CLIENT = re.compile(r"API Error\b")


@dataclass(frozen=True, slots=True)
class Trouble:
    """text: as the program records it. lasting: whether trying again won't help."""

    text: str
    lasting: bool


def trouble_in(path: Path) -> Trouble | None:
    """Trouble that the trace at `path` ends with. None also for a trace that isn't of JSON, or isn't there."""
    base, start = apart(path.parent)
    try:
        with open_plain(base, start + path.name) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _END))
            data = file.read(_END)
    except (NotPlain, OSError):
        return None
    lines = data.decode("utf-8", "replace").splitlines()
    if size <= _END:
        whole = _loads("\n".join(lines))
        if whole is not None:
            return trouble_of(whole if isinstance(whole, list) else [whole])
    return trouble_of([_loads(line.removeprefix("data:").strip()) for line in lines[-4 * _EVENTS :]])


def trouble_of(events: Iterable[object]) -> Trouble | None:
    """Trouble that these events end with."""
    last = [event for event in events if isinstance(event, dict)][-_EVENTS:]
    marked = False
    for event in last:
        kind, message = event.get("type"), event.get("message")
        if kind == "assistant" and isinstance(message, dict):
            marked = message.get("model") == "<synthetic>"
    for event in reversed(last):
        kind, said = event.get("type"), None
        if kind == "result":
            text = event.get("result")
            if event.get("is_error") is True and isinstance(text, str) and (marked or _CLIENT.match(text)):
                said = text
            elif isinstance(event.get("error"), dict):
                said = _words(event)
        elif kind in _ERRORS or (kind is None and isinstance(event.get("error"), dict)):
            said = _words(event)
        if said is None:
            continue
        if LASTING.search(said):
            return Trouble(said, lasting=True)
        if TRANSIENT.search(said):
            return Trouble(said, lasting=False)
    return None


def _words(event: dict[str, Any]) -> str:
    """What an error event tells: its message, and the names and numbers of kinds that stand beside it."""
    found: list[str] = []
    waiting: list[object] = [event]
    for _ in range(8):
        if not waiting:
            break
        one = waiting.pop(0)
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            found += [text for text in (one.get("message"),) if isinstance(text, str)]
            for key in ("type", "code", "name", "status", "statusCode", "status_code", "errorType"):
                value = one.get(key)
                if isinstance(value, int) and not isinstance(value, bool):
                    found.append(f"status {value}")
                elif isinstance(value, str) and value not in _ERRORS and value not in found:
                    found.append(value)
            waiting += [one[key] for key in ("error", "data", "response", "cause") if key in one]
    return " ".join(found)


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
