"""Fixtures of the tests: a real deck and a small evaluation project around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# pytester forgets what a run in this process imported, and libyaml's binding can't be imported twice.
import yaml  # noqa: F401
from small_project import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def small_deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real deck of two slides."""
    from pptx import Presentation

    deck = Presentation()
    for title in ("Lecture 3", "Thanks"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    path = tmp_path_factory.mktemp("deck") / "intro.pptx"
    deck.save(str(path))
    return path


@pytest.fixture
def project(pytester: pytest.Pytester, small_deck: Path) -> Project:
    return Project(pytester, small_deck)
