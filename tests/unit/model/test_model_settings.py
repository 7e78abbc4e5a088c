"""Names of models, and which of them take a temperature."""

from __future__ import annotations

from typing import get_args

import pytest

from pytest_ppteval.choices import DEFAULT_MODEL
from pytest_ppteval.model.settings import plain_name, takes_temperature


@pytest.mark.parametrize(
    "model",
    [
        "claude-3-haiku-20240307",
        "claude-3-5-sonnet-20241022",
        "claude-sonnet-4-20250514",
        "claude-4-opus-20250514",
        "claude-opus-4@20250514",
        "claude-sonnet-4-5-20250929",
        "us.anthropic.claude-opus-4-1-20250805-v1:0",
        "claude-opus-4-6",
        "qwen3-vl:8b",
        "gpt-oss",
    ],
)
def test_older_and_other_models_take_a_temperature(model: str) -> None:
    assert takes_temperature(model)


@pytest.mark.parametrize(
    "model", ["claude-opus-4-7", "claude-opus-4-8", "claude-sonnet-5", "claude-sonnet-5-5", "claude-mythos-preview"]
)
def test_later_claude_models_do_not(model: str) -> None:
    assert not takes_temperature(model)


def test_the_default_is_the_newest_sonnet_that_the_sdk_knows() -> None:
    from anthropic.types.model import Model

    names = [name for literal in get_args(Model) for name in get_args(literal)]
    sonnets = [name for name in names if name.startswith("claude-sonnet-")]
    newest = max(sonnets, key=lambda name: [int(part) for part in name.split("-")[2:] if len(part) < 3])
    assert newest == DEFAULT_MODEL


def test_the_prefix_of_the_reference_is_taken_off() -> None:
    assert plain_name(" anthropic/claude-sonnet-5 ") == "claude-sonnet-5"
    assert plain_name("openai/gpt-5") == "openai/gpt-5"  # for a proxy that knows such names
