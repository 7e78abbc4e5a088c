"""Asking a model for an answer in form: with one chance to put it right, and every reply kept."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_ppteval.grade.fence import fenced

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.model.forms import Form

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_T = TypeVar("_T")


class NotInFormError(ValueError):
    """What is wrong with an answer, in words."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[_T]):
    """value: None where the answer could not be read, for `problem`. replies: what the model said, as it said it.

    model: who answered.
    """

    value: _T | None
    problem: str
    replies: tuple[str, ...]
    model: str


def ask(means: Means, form: Form, system: str, prompt: str, read: Callable[[object], _T]) -> Answer[_T]:
    """The model's answer, read by `read`, which raises NotInFormError for one that is not in form.

    A model of the user's own (another llm_call) is asked for the form in words. Raises what the call raises.
    """
    replies: list[str] = []
    problem = ""
    while len(replies) < 2:
        earlier = replies[0] if replies else ""
        reply: object
        if means.formed is not None:
            reply = means.formed(form, system, prompt, earlier=earlier)
        else:
            reply = means.llm_call(prompt=_in_words(form, system, prompt, earlier))
        if not isinstance(reply, str):
            raise TypeError(f"llm_call returned {type(reply).__name__}, expected str")
        replies.append(reply)
        try:
            return Answer(read(parse(reply)), "", tuple(replies), _who(means))
        except NotInFormError as error:
            problem = str(error)
    return Answer(None, problem, tuple(replies), _who(means))


def _who(means: Means) -> str:
    if means.formed is None or means.meter is None:
        return "this project's own llm_call"
    return means.meter.answered_by or "an unnamed model"


def _in_words(form: Form, system: str, prompt: str, earlier: str) -> str:
    from pytest_ppteval.model.forms import TOOLS

    schema = json.dumps(TOOLS[form].schema)
    # It may quote what the agent wrote.
    before = fenced([("your answer before", earlier)])
    again = f"\n\n{before}\n\n{TOOLS[form].put_right}" if earlier else ""
    return f"{system}\n\n{prompt}\n\nAnswer with JSON of this schema, and nothing else:\n{schema}{again}"


def parse(reply: str) -> object:
    """The JSON object in a reply: all of it, a fenced block, or what is between its braces. Raises NotInFormError."""
    for text in (reply, *_FENCE.findall(reply), *re.findall(r"\{.*\}", reply, re.DOTALL)):
        try:
            data: object = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
    raise NotInFormError("it holds no JSON object")


def member(data: object, name: str, kind: type[_T]) -> _T:
    """A member of an object, of that type. Raises NotInFormError."""
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise NotInFormError(f"{name!r} is {json.dumps(value, default=str)[:60]}, which is not in form")
    return value


def number(data: object, name: str) -> float:
    """A number that is a member of an object. Raises NotInFormError."""
    value = data.get(name) if isinstance(data, dict) else None
    found = as_number(value)
    if found is None:
        raise NotInFormError(f"{name!r} is {json.dumps(value, default=str)[:60]}, which is no number")
    return found


def as_number(value: object) -> float | None:
    """The finite number that a value is, or that its text is ("0.8", as small models write it); None for any other."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def word(data: object, name: str, *known: str) -> str:
    """One of a few words. Raises NotInFormError."""
    value = member(data, name, str)
    if value not in known:
        raise NotInFormError(f"{name!r} is {value[:60]!r}, not one of {', '.join(known)}")
    return value
