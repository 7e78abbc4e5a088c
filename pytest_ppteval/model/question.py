"""What a model is asked and what it says, as data. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_ppteval.model.forms import Form
    from pytest_ppteval.model.images import Image

Kind = Literal["vlm", "llm"]
# Of a SHA-256, in hexadecimal digits: enough for a file of answers, short enough to read.
_KEY_DIGITS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question.

    form: "text", or the name of a form in model.forms: the model then must answer by that tool.
    earlier: an answer of the model's that was not in form; it is asked to put it right.
    temperature: None where it is not to be sent. max_tokens: of the answer.
    """

    kind: Kind
    prompt: str
    max_tokens: int
    system: str = ""
    images: tuple[Image, ...] = ()
    temperature: float | None = None
    form: Form = "text"
    earlier: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What one answer took. input: without what the cache served (cache_read) or took up (cache_write)."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer. model: as the server names it. server: its host. tokens: None where it did not count them."""

    text: str
    model: str
    server: str
    tokens: Tokens | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All that an answer depends on: what recordings are found by.

    images: the SHA-256 of each picture, as it was handed out. trial: which run of the agent, from 1.
    repeat: how often the same leaf had asked the very same before. vote: from 1.
    """

    kind: Kind
    model: str
    prompt: str
    max_tokens: int
    system: str = ""
    images: tuple[str, ...] = ()
    temperature: float | None = None
    form: Form = "text"
    earlier: str = ""
    trial: int = 1
    repeat: int = 0
    vote: int = 1

    @property
    def key(self) -> str:
        """A short hash of it all. Members that are as usual are left out, so that new ones don't change old keys."""
        given = asdict(self)
        usual = {field.name: field.default for field in fields(self)}
        told = {name: value for name, value in given.items() if value != usual[name]}
        text = json.dumps(told, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_KEY_DIGITS]


class NoAnswerError(RuntimeError):
    """No answer could be had. Its text is one line with the reason, fit to be shown: it holds no key.

    tokens: what was spent all the same (an answer that was cut off, say).
    """

    def __init__(self, reason: str, tokens: Tokens | None = None) -> None:
        self.tokens = tokens
        super().__init__(reason)


class NotSentError(NoAnswerError):
    """The question could not even be sent."""
