"""The built-in vlm_call and llm_call: what leaves and tests call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_ppteval.model.images import read_image
from pytest_ppteval.model.question import Question
from pytest_ppteval.model.settings import MAX_TOKENS, takes_temperature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.model.forms import Form
    from pytest_ppteval.model.judge import Judge, Place
    from pytest_ppteval.model.meter import Meter
    from pytest_ppteval.model.question import Kind

TEMPERATURE = 0.7


class ModelCall:
    """What the two have in common."""

    kind: Kind = "llm"

    def __init__(self, judge: Judge, place: Place, meter: Meter) -> None:
        self._place = place
        self._judge = judge
        self._meter = meter

    def _ask(
        self,
        prompt: str,
        images: Iterable[object] = (),
        temperature: float | None = TEMPERATURE,
        max_tokens: int | None = None,
        *,
        system: str = "",
        form: Form = "text",
        earlier: str = "",
    ) -> str:
        pictures = [images] if isinstance(images, str | bytes | os.PathLike) else list(images)
        sent = temperature if takes_temperature(self._judge.settings.model) else None
        question = Question(
            kind=self.kind,
            prompt=prompt,
            system=system,
            images=tuple(read_image(picture, self._name(picture)) for picture in pictures),
            temperature=None if sent is None else float(sent),
            max_tokens=max_tokens or MAX_TOKENS,
            form=form,
            earlier=earlier,
        )
        return self._judge.ask(question, self._place, self._meter)

    def _name(self, picture: object) -> str:
        if isinstance(picture, str | os.PathLike):
            path = os.fspath(picture)
            if isinstance(path, str):
                return self._meter.names.get(path, "")
        return ""


class VlmCall(ModelCall):
    """vlm_call(prompt, images, temperature=, max_tokens=) -> str. Raises NoAnswerError, BadImageError."""

    kind: Kind = "vlm"

    def __call__(
        self,
        prompt: str,
        images: Iterable[object],
        temperature: float | None = TEMPERATURE,
        max_tokens: int | None = None,
    ) -> str:
        """The model's answer to a prompt about pictures: paths, bytes of image files, or their base64 text.

        temperature: sent where the model takes one. max_tokens: of the answer; an answer cut off there is none.
        """
        return self._ask(prompt, images, temperature, max_tokens)


class LlmCall(ModelCall):
    """llm_call(prompt, temperature=, max_tokens=) -> str. Raises NoAnswerError."""

    def __call__(self, prompt: str, temperature: float | None = TEMPERATURE, max_tokens: int | None = None) -> str:
        """The model's answer to a prompt."""
        return self._ask(prompt, (), temperature, max_tokens)

    def verdict(self, system: str, prompt: str, earlier: str = "") -> str:
        """The model's verdict as JSON text, {"reason": ..., "score": ...}, or what it said in place of one.

        earlier: what it said before that was no verdict: it is asked to put that right.
        """
        return self.formed("verdict", system, prompt, earlier)

    def formed(self, form: Form, system: str, prompt: str, earlier: str = "") -> str:
        """The model's answer in one of the forms of model.forms as JSON text, or what it said in place of one.

        earlier: as for `verdict`.
        """
        return self._ask(prompt, system=system, form=form, earlier=earlier)
