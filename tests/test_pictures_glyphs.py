"""betteroffice-pptx draws what its fonts lack as empty boxes: such a slide has a reason and no picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from pptx import Presentation
from renderers_here import needs

from pytest_ppteval.picture import fonts
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

pytest.importorskip("betteroffice_pptx")


def drawn(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """The reasons of a slide with this text, with the fonts that come with this package and no others."""
    monkeypatch.setattr(fonts, "folders", lambda program=None: [fonts.BUNDLED])
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, 5000000, 900000).text_frame.text = text
    path = tmp_path / "deck.pptx"
    deck.save(str(path))
    into = tmp_path / "into"
    into.mkdir()
    studio = Studio(needs("betteroffice"), tmp_path / "cache", make_plan("auto")[0])
    try:
        return studio.draw(studio.open(path), [1], into)
    finally:
        studio.close()


@pytest.mark.parametrize(
    "missing", ["\u2713", "\u2605", "\u2610", "\u27a4", "\u2103", "\U0001f600", "\uf0a7", "\u7b2c"]
)
def test_a_character_that_no_font_has_is_named(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (reason,) = drawn(f"Done {missing}", tmp_path, monkeypatch).values()
    assert f"no font here has {missing!r}" in reason


@pytest.mark.parametrize("text", ["Plain \u2013 text \u2022 \u20ac 5", "a\u00a0b\u200bc\u00add", "one\ttwo"])
def test_what_fonts_have_and_what_shows_nothing_is_drawn(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drawn(text, tmp_path, monkeypatch) == {}
