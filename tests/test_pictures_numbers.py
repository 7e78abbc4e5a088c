"""A slide looks the same whichever slides are drawn with it: its number included, which a renderer would count anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pptx import Presentation
from pptx.util import Inches
from renderers_here import RENDERERS, needs

from pytest_ppteval.picture.files import Facts, file_name
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

COUNT = 12


@pytest.fixture(params=RENDERERS)
def studio(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Studio]:
    made = Studio(needs(request.param), tmp_path / "cache", make_plan("auto")[0])
    yield made
    made.close()


def numbered(path: Path, first: int) -> Path:
    """A deck whose slides show their numbers through a text box of their layout."""
    deck = Presentation()
    layout = deck.slide_layouts[6]
    slides = [deck.slides.add_slide(layout) for _ in range(COUNT)]
    box: Any = slides[0].shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
    paragraph = box.text_frame.paragraphs[0]._p
    name = f"{{{paragraph.nsmap['a']}}}"
    field = etree.SubElement(paragraph, f"{name}fld", id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}", type="slidenum")
    etree.SubElement(field, f"{name}t").text = "\u2039#\u203a"
    layout.shapes._spTree.append(box._element)
    deck.part._element.set("firstSlideNum", str(first))
    deck.save(str(path))
    return path


def drawn(studio: Studio, deck: Path, numbers: list[int], into: Path) -> dict[int, list[str]]:
    """The text on these slides."""
    into.mkdir()
    assert studio.draw(studio.open(deck), numbers, into) == {}
    facts = {number: Facts.from_json((into / file_name(number, ".json")).read_bytes()) for number in numbers}
    return {number: [line.text for line in facts[number].lines] for number in numbers}


@pytest.mark.parametrize("first", [1, 7])
def test_numbers_of_the_layout_are_those_of_the_whole_deck(studio: Studio, tmp_path: Path, first: int) -> None:
    deck = numbered(tmp_path / "numbered.pptx", first)
    every = list(range(1, COUNT + 1))
    expected = {number: [str(first + number - 1)] for number in every}
    assert drawn(studio, deck, [4, 11], tmp_path / "some") == {4: expected[4], 11: expected[11]}
    # Not from the cache: those two are drawn again.
    studio.cache.root = tmp_path / "another"
    assert drawn(studio, deck, every, tmp_path / "all") == expected


def test_a_slide_looks_the_same_alone_and_among_others(studio: Studio, tmp_path: Path) -> None:
    deck = Path(__file__).parents[1] / "cases" / "decks" / "ferry_review.pptx"
    count = len(studio.open(deck).slides)
    drawn(studio, deck, list(range(1, count + 1)), tmp_path / "all")
    studio.cache.root = tmp_path / "another"
    for number in (3, count):
        drawn(studio, deck, [number], tmp_path / str(number))
        for suffix in (".png", ".json"):
            name = file_name(number, suffix)
            assert (tmp_path / str(number) / name).read_bytes() == (tmp_path / "all" / name).read_bytes(), name
