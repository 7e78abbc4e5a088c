"""Which renderers this machine has. Where one is missing, its tests are skipped by name; in CI they fail."""

from __future__ import annotations

import os

import pytest

from pytest_ppteval.choices import RendererChoice
from pytest_ppteval.picture import fonts
from pytest_ppteval.picture.renderers import NoRenderer, Renderer, choose

RENDERERS: tuple[RendererChoice, ...] = ("libreoffice", "betteroffice")


# Names of font files that have Chinese letters: wqy-microhei.ttc, NotoSansCJK-Regular.ttc, ...
_CHINESE = ("wqy", "cjk", "sourcehan", "droidsansfallback", "uming", "ukai")


def needs_chinese() -> None:
    """A font with Chinese letters, or the end of the test."""
    names = [file.name.lower() for file in fonts.files(fonts.folders())]
    if not any(mark in name for name in names for mark in _CHINESE):
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have a Chinese font: apt-get install fonts-wqy-microhei")
        pytest.skip("no font with Chinese letters here: fonts-wqy-microhei is one")


def needs(choice: str) -> Renderer:
    """The renderer, or the end of the test."""
    found = choose(choice)  # type: ignore[arg-type]  # parametrized tests give it as text
    if isinstance(found, NoRenderer):
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have {choice}: {found.reason}")
        pytest.skip(f"no {choice} here: {found.reason}")
    return found
