"""Signs of tool calls in JSON of whatever form: what a reader that made no call of it must not pass over in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_ppteval.trace.jsontext import Record
from pytest_ppteval.trace.model import Json

# Keys that formats give to calls and their results, without "_", "-" and case.
_KEYS = frozenset(
    (
        "toolcall",
        "toolcalls",
        "toolcallid",
        "toolcallname",
        "tooluse",
        "tooluses",
        "tooluseid",
        "tooluseresult",
        "toolname",
        "toolresult",
        "toolresults",
        "toolresponse",
        "toolresponses",
        "toolrequest",
        "toolrequests",
        "toolinvocation",
        "toolinvocations",
        "toolinput",
        "tooloutput",
        "functioncall",
        "functionresponse",
        "callid",
        "actiontype",
        "exitcode",
    )
)
# What a `type`, a `kind` or an event's name says of a call. Parts of words: "tool-input-available", "mcp_call".
_KIND = re.compile(
    r"tool|function[-_.]?call|function[-_.]?response|(?:^|[-_.])call(?:$|[-_.]|s$)|command[-_.]?exec|exec[-_.]?command"
    r"|[-_]call(?:[-_]output)?$|shell|mcp|(?:^|[-_.])exec(?:$|[-_.])|action_type",
    re.IGNORECASE,
)
# Of what there is.
_LIST = re.compile(r"list[-_.]?tools|tools?[-_./]?(?:list|changed|defin)|available[-_.]?tools", re.IGNORECASE)
_KIND_KEYS = ("type", "kind", "part_kind", "event", "subtype", "role", "itemType")
_REASON_KEYS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "finish_reasons", "finishReasons")
_REASON = re.compile(r"tool|function", re.IGNORECASE)
# What tools there are is not what was called.
_OFFERS = frozenset(
    ("tools", "functions", "tool_choice", "toolChoice", "tool_config", "toolConfig", "available_tools", "allowedTools")
)
_MOST = 200_000  # values looked at in one record


def is_call_word(kind: str) -> bool:
    """Whether the name of a kind of event speaks of tools."""
    return _KIND.search(kind) is not None and _LIST.search(kind) is None


def call_sign(value: Json, skip: frozenset[str] = frozenset()) -> str | None:
    """The first sign of a tool call in a value, in words; None where there is none.

    skip: keys that don't count, nor what is below them (history that is not this run's).
    Texts aren't looked into: what is said of tools is no call.
    """
    stack: list[Json] = [value]
    seen = 0
    while stack and seen < _MOST:
        one = stack.pop()
        seen += 1
        if isinstance(one, list):
            stack.extend(item for item in reversed(one) if isinstance(item, dict | list))
        elif isinstance(one, dict):
            found = _own_sign(one, skip)
            if found is not None:
                return found
            stack.extend(
                inner
                for key, inner in one.items()
                if isinstance(inner, dict | list) and key not in _OFFERS and key not in skip
            )
    return None


def first_call_sign(records: Iterable[tuple[int, Record]], skip: frozenset[str]) -> tuple[int, str] | None:
    """The first sign in a file's records, with its line."""
    return next(((line, sign) for line, record in records if (sign := call_sign(record, skip)) is not None), None)


def _own_sign(record: Record, skip: frozenset[str]) -> str | None:
    for key, value in record.items():
        if key in skip or not value:
            continue
        if key in _KIND_KEYS:
            if isinstance(value, str) and len(value) < 100 and is_call_word(value):
                return f"{key} {value!r}"
        elif key in _REASON_KEYS:
            said = [value] if isinstance(value, str) else value if isinstance(value, list) else []
            word = next((word for word in said if isinstance(word, str) and _REASON.search(word)), None)
            if word is not None:
                return f"{key} {word!r}"
        elif key.replace("_", "").replace("-", "").lower() in _KEYS:
            return f"{key!r}"
    return None
