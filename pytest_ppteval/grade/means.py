"""What graders may ask of the world: the two model calls, as fixtures or callers supply them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Protocol

if TYPE_CHECKING:
    from pytest_ppteval.rubric.result import Usage


class ModelUnavailableError(RuntimeError):
    """A model could not answer: no key, no network, refused, out of budget. Judge the leaf again later."""


NO_MODEL = "no model configured: override the fixtures vlm_call and llm_call in conftest.py"


def no_model(*_args: object, **_kwargs: object) -> NoReturn:
    """The vlm_call and llm_call of a run without a model: says so."""
    raise ModelUnavailableError(NO_MODEL)


class Meter(Protocol):
    """Counts what a leaf asks of the built-in model."""

    answered_by: str

    def begin(self, leaf: str) -> None:
        """A leaf is judged from here on."""

    def end(self) -> tuple[Usage, str]:
        """What it asked, and why a recording had no answer for it ("" if it had)."""

    def add(self, usage: Usage) -> None:
        """Count something more for the leaf."""


@dataclass(frozen=True, slots=True)
class Means:
    """The model calls: vlm_call(prompt, images, temperature=, max_tokens=) -> str, and llm_call without images.

    verdict: verdict(system, prompt, earlier="") -> str, a model that is made to answer in JSON, {"reason", "score"};
    earlier is an answer of its that was no such thing. None where llm_call is not the built-in one.
    formed: formed(form, system, prompt, earlier="") -> str, likewise for each form of model.forms.
    """

    vlm_call: Callable[..., str] = no_model
    llm_call: Callable[..., str] = no_model
    verdict: Callable[..., str] | None = None
    formed: Callable[..., str] | None = None
    meter: Meter | None = None
