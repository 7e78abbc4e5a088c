"""What graders may ask of the world: the two model calls, as fixtures or callers supply them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn


class ModelUnavailableError(RuntimeError):
    """A model could not answer: no key, no network, refused, out of budget. Judge the leaf again later."""


NO_MODEL = "no model configured: override the fixtures vlm_call and llm_call in conftest.py"


def no_model(*_args: object, **_kwargs: object) -> NoReturn:
    """The vlm_call and llm_call of a run without a model: says so."""
    raise ModelUnavailableError(NO_MODEL)


@dataclass(frozen=True, slots=True)
class Means:
    """The model calls: vlm_call(prompt, images, temperature=, max_tokens=) -> str, and llm_call without images."""

    vlm_call: Callable[..., str] = no_model
    llm_call: Callable[..., str] = no_model
