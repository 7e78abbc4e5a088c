"""What look/ says of real decks is what LibreOffice draws of them: fills, places and edges in pixels, words in the PDF.

The decks are those of ../shared/data/decks (from PowerPoint of several years and systems, Google Slides, Keynote,
python-pptx and other libraries) and the suite's own. Where LibreOffice does not draw what PowerPoint does, EXCEPTIONS
and `look_against_pictures` say why.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from drawn_by_office import pages
from look_against_pictures import Compared, compare
from renderers_here import needs

from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.read import look_at

ROOT = Path(__file__).parents[1]
SHARED = ROOT / ".." / "shared"
DECKS = SHARED / "data" / "decks"
MANIFEST = DECKS / "manifest.json"
SAMPLE = (
    "poi/test-data_slideshow_bug65228.pptx",  # Keynote's: text looks in a:pPr/a:defRPr
    "docling/tests_data_pptx_sources_powerpoint_malformed_pictures.pptx",  # python-pptx's paragraph.font, the same
    "ShapeCrawler/tests_ShapeCrawler.DevTests_Assets_060_picture-transparency.pptx",
    "docling/tests_data_pptx_sources_powerpoint_sample.pptx",
)
REFERENCE = ("Accounting Equation-001-gold.pptx", "Aircraft_surface-001-gold.pptx", "Worms-002-gold.pptx")
# (part of the deck's name, aspect): why LibreOffice draws what PowerPoint does not.
EXCEPTIONS = {
    ("keyframes", "link colour"): "LibreOffice knows no macros, so a word that starts one is no link to it",
}
# Least numbers of comparisons when all decks are drawn, so that none is lost unnoticed.
LEAST = {
    "size": 3000,
    "bold": 3500,
    "text colour": 3500,
    "link colour": 25,
    "fill": 300,
    "edge": 600,
    "background": 250,
}

pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the decks of ../shared/data are not here")


def all_decks() -> list[Path]:
    entries: list[dict[str, Any]] = json.loads(MANIFEST.read_text("utf-8")) if MANIFEST.exists() else []
    real = [
        DECKS / entry["file"]
        for entry in entries
        if entry["python_pptx"] == "ok" and entry["libreoffice_pages"] and entry["file"].endswith(".pptx")
    ]
    reference = [SHARED / "reference" / "decks" / name for name in REFERENCE]
    return [*real, *reference, *sorted((ROOT / "cases" / "decks").glob("*.pptx"))]


def all_compared(decks: Sequence[Path]) -> list[tuple[Path, int, Compared]]:
    found: list[tuple[Path, int, Compared]] = []
    for deck, drawn in pages(decks, needs("libreoffice")):
        look = look_at(Side(open_deck(deck.read_bytes())))
        if len(drawn) != len(look.slides):
            continue
        for slide, page in zip(look.slides, drawn, strict=True):
            found.extend((deck, slide.number, compared) for compared in compare(look, slide, page))
    return found


def excepted(deck: Path, compared: Compared) -> bool:
    return any(part in deck.name and aspect == compared.aspect for part, aspect in EXCEPTIONS)


@pytest.mark.parametrize(
    ("decks", "whole"),
    [
        pytest.param([DECKS / name for name in SAMPLE], False, id="sample"),
        # Draws 120 decks and looks at each pixel of 400 pages: minutes.
        pytest.param(all_decks(), True, id="all", marks=pytest.mark.slow),
    ],
)
def test_what_is_told_is_what_is_drawn(decks: list[Path], whole: bool) -> None:
    found = all_compared(decks)
    wrong = [
        (deck.name, number, compared)
        for deck, number, compared in found
        if not compared.agrees and not excepted(deck, compared)
    ]
    count = Counter(compared.aspect for _, _, compared in found)
    assert not wrong, f"{len(wrong)} of {sum(count.values())}: {wrong[:20]}"
    if whole:
        assert all(count[aspect] >= least for aspect, least in LEAST.items()), count
        shapes = {(deck, number, c.shape) for deck, number, c in found if c.aspect in ("fill", "edge", "picture place")}
        assert len(shapes) >= 300
    else:
        assert count["size"] >= 40, count
