"""The renderer is started ahead where slides will have to be drawn, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from pptx import Presentation
from renderers_here import RENDERERS, needs

from pytest_ppteval.picture.renderers import NoRenderer
from pytest_ppteval.picture.source import prepare
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

LOOKS = "def compute_score():\n    return 'x', float(measures.of_slide(modified_ppt_screenshots, 2) is not None)\n"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    made = Presentation()
    for number in range(1, 4):
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = f"Slide {number}"
    path = tmp_path / "three.pptx"
    made.save(str(path))
    return path


@pytest.fixture(params=RENDERERS)
def renderer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def studio(renderer: str, tmp_path: Path) -> Iterator[Studio]:
    made = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
    yield made
    made.close()


def starts(studio: Studio) -> int:
    return studio._process_now().starts


def test_a_leaf_that_looks_has_the_renderer_started_and_used(studio: Studio, deck: Path, tmp_path: Path) -> None:
    prepare(studio, {"modified_ppt_screenshots": deck}, ["score = 1.0", LOOKS])
    assert starts(studio) == 1
    prepare(studio, {"modified_ppt_screenshots": deck}, [LOOKS])
    assert studio.draw(studio.open(deck), [2], tmp_path) == {}
    assert starts(studio) == 1


@pytest.mark.parametrize("code", ["score = 1.0", "len(original_ppt_screenshots)"])
def test_no_leaf_that_looks_at_this_deck_starts_nothing(studio: Studio, deck: Path, code: str) -> None:
    prepare(studio, {"modified_ppt_screenshots": deck}, [code])
    assert starts(studio) == 0


def test_pictures_beside_the_deck_start_nothing(studio: Studio, deck: Path) -> None:
    ZipFile(deck.with_suffix(".zip"), "w").close()
    prepare(studio, {"modified_ppt_screenshots": deck}, [LOOKS])
    assert starts(studio) == 0


def test_pictures_that_were_drawn_before_start_nothing(
    studio: Studio, renderer: str, deck: Path, tmp_path: Path
) -> None:
    assert studio.draw(studio.open(deck), [2], tmp_path) == {}
    another = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
    try:
        prepare(another, {"modified_ppt_screenshots": deck}, [LOOKS])
        assert starts(another) == 0
        # Slide 3 was never drawn.
        prepare(another, {"modified_ppt_screenshots": deck}, [LOOKS.replace("2)", "3)")])
        assert starts(another) == 1
    finally:
        another.close()


def test_what_can_not_be_prepared_is_told_later(studio: Studio, tmp_path: Path) -> None:
    prepare(studio, {"modified_ppt_screenshots": tmp_path / "gone.pptx"}, [LOOKS])
    prepare(NoRenderer("none here"), {"modified_ppt_screenshots": tmp_path / "gone.pptx"}, [LOOKS])
    assert starts(studio) == 0
