"""What other programs write. tests/data/decks/pptxgenjs.pptx: made with PptxGenJS 4.0.1 for this test."""

from __future__ import annotations

from pathlib import Path

from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.model import Slide
from pytest_ppteval.look.read import look_at

DATA = Path(__file__).parents[2] / "data" / "decks"


def first_slide(name: str) -> Slide:
    return next(iter(look_at(Side(open_deck((DATA / name).read_bytes()))).slides))


def test_what_pptxgenjs_was_told_is_what_is_seen() -> None:
    """Inches, points and hex values are those that its script gave."""
    slide = first_slide("pptxgenjs.pptx")
    assert slide.background.colour is not None
    assert slide.background.colour.rgb == "F1F2F3"
    heading, listed, turned, link, table = slide.shapes
    assert heading.box is not None
    assert (heading.box.x, heading.box.y, heading.box.width, heading.box.height) == (
        914_400,
        457_200,
        4_572_000,
        914_400,
    )
    assert heading.text is not None
    run = next(heading.text.runs)
    assert (run.text, run.size, run.bold, run.colour.rgb, run.font) == ("Alpha words", 28, True, "C00000", "Georgia")
    assert heading.text.paragraphs[0].alignment == "centre"
    assert listed.text is not None
    assert [paragraph.bullet.kind for paragraph in listed.text.paragraphs] == ["character", "number"]
    assert turned.fill.colour is not None
    assert (turned.rotation, turned.fill.colour.rgb, turned.fill.colour.alpha) == (90, "00B050", 0.5)
    assert turned.line is not None
    assert turned.line.width == 2
    assert link.text is not None
    words = next(link.text.runs)
    # It writes the extension that lets a link keep its text's colour.
    assert (words.link, words.colour.rgb) == ("https://example.org/", "00AA00")
    assert table.table is not None
    cell = table.table.rows[0][0]
    assert cell.fill.colour is not None
    assert (cell.text.text, cell.fill.colour.rgb, next(cell.text.runs).bold) == ("H", "4472C4", True)
