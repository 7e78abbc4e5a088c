"""The keys of slides' pictures, and decks cut down to some of their slides."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.util import Inches

from pytest_ppteval.deck.limits import DeckRejected
from pytest_ppteval.picture.keys import slide_keys
from pytest_ppteval.picture.package import Package
from pytest_ppteval.picture.subset import subset

DECK = Path(__file__).parents[3] / "cases" / "decks" / "ferry_review.pptx"


def saved(deck: Any) -> bytes:
    stream = BytesIO()
    deck.save(stream)
    return stream.getvalue()


def keys_of(data: bytes) -> list[str]:
    return slide_keys(Package(data))


@pytest.fixture(scope="module")
def before() -> list[str]:
    return keys_of(saved(Presentation(str(DECK))))


def without_number(deck: Any) -> None:
    """Take the slide numbers off, so that a slide looks the same in any place."""
    for slide in deck.slides:
        for shape in list(slide.placeholders):
            if "Slide Number" in shape.name:
                shape._element.getparent().remove(shape._element)


def test_saving_the_same_deck_again_changes_no_key(before: list[str]) -> None:
    assert keys_of(saved(Presentation(str(DECK)))) == before
    assert len(set(before)) == len(before) == 18


def test_an_edit_changes_the_key_of_its_slide_only(before: list[str]) -> None:
    deck = Presentation(str(DECK))
    deck.slides[2].shapes.title.text = "Four figures"
    after = keys_of(saved(deck))
    assert [a == b for a, b in zip(after, before, strict=True)].count(False) == 1
    assert after[2] != before[2]


def test_a_slide_that_moved_keeps_its_key_unless_its_number_is_drawn() -> None:
    deck = Presentation(str(DECK))
    without_number(deck)
    plain = keys_of(saved(deck))
    slides = deck.slides._sldIdLst
    moved = slides[4]
    slides.remove(moved)
    slides.append(moved)
    after = keys_of(saved(deck))
    assert set(after) == set(plain)
    assert after[-1] == plain[4]

    numbered = Presentation(str(DECK))
    first = keys_of(saved(numbered))
    slides = numbered.slides._sldIdLst
    moved = slides[4]
    slides.remove(moved)
    slides.append(moved)
    assert first[4] not in keys_of(saved(numbered))


def test_the_layouts_and_the_themes_part_in_a_key(before: list[str]) -> None:
    deck = Presentation(str(DECK))
    layout = deck.slides[2].slide_layout
    layout.shapes[0].left += Inches(1)
    after = keys_of(saved(deck))
    same_layout = {index for index, slide in enumerate(deck.slides) if slide.slide_layout == layout}
    assert {index for index, (a, b) in enumerate(zip(after, before, strict=True)) if a != b} == same_layout


def test_notes_are_no_part_of_a_key(before: list[str]) -> None:
    deck = Presentation(str(DECK))
    deck.slides[3].notes_slide.notes_text_frame.text = "Say hello first"
    assert keys_of(saved(deck)) == before


def test_a_picture_that_was_replaced_changes_the_key() -> None:
    from PIL import Image

    def deck(colour: tuple[int, int, int]) -> bytes:
        made = Presentation()
        slide = made.slides.add_slide(made.slide_layouts[6])
        stream = BytesIO()
        Image.new("RGB", (8, 8), colour).save(stream, "PNG")
        slide.shapes.add_picture(stream, 0, 0)
        return saved(made)

    assert keys_of(deck((255, 0, 0))) == keys_of(deck((255, 0, 0)))
    assert keys_of(deck((255, 0, 0))) != keys_of(deck((0, 0, 255)))


# ---- subsets


def test_a_subset_holds_the_wanted_slides_and_no_part_of_the_others() -> None:
    data = DECK.read_bytes()
    cut = subset(Package(data), {3, 9})
    deck = Presentation(BytesIO(cut))
    whole = Presentation(str(DECK))
    texts = [[shape.text_frame.text for shape in slide.shapes if shape.has_text_frame] for slide in deck.slides]
    expected = [
        [shape.text_frame.text for shape in whole.slides[index].shapes if shape.has_text_frame] for index in (2, 8)
    ]
    assert texts == expected
    parts = [part for part in Package(cut).names if re.fullmatch(r"ppt/slides/slide\d+\.xml", part)]
    assert len(parts) == 2
    assert not [part for part in Package(cut).names if "notesSlide" in part]
    assert len(cut) < len(data)


def test_hidden_slides_are_shown_in_a_subset() -> None:
    deck = Presentation(str(DECK))
    deck.slides[4]._element.set("show", "0")
    cut = Presentation(BytesIO(subset(Package(saved(deck)), {5})))
    assert cut.slides[0]._element.get("show") is None


def test_numbers_and_dates_are_the_ones_of_the_whole_deck() -> None:
    from lxml import etree

    deck = Presentation(str(DECK))
    paragraph = deck.slides[6].shapes.title.text_frame.paragraphs[0]._p
    field = etree.SubElement(paragraph, f"{{{paragraph.nsmap['a']}}}fld", id="{0}", type="datetime1")
    etree.SubElement(field, f"{{{paragraph.nsmap['a']}}}t").text = "24/12/2019"
    cut = Presentation(BytesIO(subset(Package(saved(deck)), {2, 7})))
    slide = cut.slides[1]
    assert b"fld" not in etree.tostring(slide._element)
    texts = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    assert "7" in texts
    assert slide.shapes.title.text_frame.text.endswith("24/12/2019")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_what_is_no_deck_is_refused(data: bytes) -> None:
    with pytest.raises(DeckRejected):
        Package(data)
