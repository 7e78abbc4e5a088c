"""Which renderers this machine has. Where one is missing, its tests are skipped by name; in CI they fail."""

from __future__ import annotations

import os

import pytest

from pytest_ppteval.picture.renderers import NoRenderer, Renderer, RendererChoice, choose

RENDERERS: tuple[RendererChoice, ...] = ("libreoffice", "betteroffice")


def needs(choice: str) -> Renderer:
    """The renderer, or the end of the test."""
    found = choose(choice)  # type: ignore[arg-type]  # parametrized tests give it as text
    if isinstance(found, NoRenderer):
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have {choice}: {found.reason}")
        pytest.skip(f"no {choice} here: {found.reason}")
    return found
