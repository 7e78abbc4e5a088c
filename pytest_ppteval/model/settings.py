"""Which model is asked, and how. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.choices import DEFAULT_MODEL, MODEL_CONCURRENCY, MODEL_TIMEOUT, RecordMode

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

# What a leaf gets that sets no limit of its own: room for an answer and for the thinking of a model that thinks.
MAX_TOKENS = 8192

# "claude-sonnet-4-5-20250929", "claude-3-5-haiku", "us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4@...".
_CLAUDE = re.compile(r"claude(?:-[a-z]+)?-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
_LAST_WITH_TEMPERATURE = (4, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """How the built-in vlm_call and llm_call answer.

    timeout: seconds for one attempt. concurrency: questions under way at once, over all processes of a run.
    record, recordings: whether answers are kept and replayed, and the folder for that. votes: odd.
    max_cost: USD. max_calls: questions sent; the SDK's retries of a question belong to it.
    prices: a file of prices, for models that genai-prices doesn't know.
    """

    recordings: Path
    model: str = DEFAULT_MODEL
    timeout: float = MODEL_TIMEOUT
    concurrency: int = MODEL_CONCURRENCY
    record: RecordMode = "none"
    votes: int = 1
    max_cost: Decimal | None = None
    max_calls: int | None = None
    prices: Path | None = None


def plain_name(model: str) -> str:
    """A model's name as the Messages API takes it: "anthropic/claude-sonnet-5-5" loses its prefix."""
    return model.strip().removeprefix("anthropic/")


def is_claude(model: str) -> bool:
    """Whether the name is one of Anthropic's models, on whatever platform."""
    return "claude" in model.lower()


def takes_temperature(model: str) -> bool:
    """Whether a request for `model` may name a temperature.

    Claude models up to 4.6 take one and later ones refuse it, which is why version 2 of the SDK has no such argument.
    Other models, behind a server of the user's own, take it.
    """
    if not is_claude(model):
        return True
    version = _CLAUDE.search(model.lower())
    return version is not None and (int(version[1]), int(version[2] or 0)) <= _LAST_WITH_TEMPERATURE
