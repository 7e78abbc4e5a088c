"""`changes: {allow: ...}`: everything else is as it was; and what only says the same otherwise is no change."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.util import Cm, Pt

from pytest_ppteval.vocabulary.command.decks import open_world
from pytest_ppteval.vocabulary.finding import LeafError
from pytest_ppteval.vocabulary.judge import judge

DECK = Path(__file__).parents[1] / "cases" / "decks" / "ferry_review.pptx"
SHARED = Path(__file__).parents[1].parent / "shared" / "data" / "decks"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
Rgb: Any = RGBColor
Slides = Any


def title(slides: Slides) -> Any:
    return slides[2].shapes.title


def runs(slides: Slides) -> Any:
    return [run for slide in slides for run in slide._element.iter(A + "r")]


def changes(allow: list[Any], edit: Any, tmp_path: Path, deck: Path = DECK) -> str:
    """What is changed besides what is allowed; "" where nothing is."""
    opened = Presentation(str(deck))
    edit(opened.slides)
    opened.save(str(tmp_path / "after.pptx"))
    reason, score = judge({"changes": {"allow": allow}}, open_world(str(deck), str(tmp_path / "after.pptx")))
    return "" if score == 1 else reason


# ---- no change ---------------------------------------------------------------------------------------------------


def marked_by_powerpoint(slides: Slides) -> None:
    for run in runs(slides):
        properties = run.get_or_add_rPr()
        properties.set("dirty", "0")
        properties.set("lang", "en-GB")


def split(slides: Slides) -> None:
    for run in runs(slides):
        text = run.find(A + "t")
        if len(text.text) > 3 and run.find(f"{A}rPr/{A}hlinkClick") is None:
            half = copy.deepcopy(run)
            half.find(A + "t").text, text.text = text.text[2:], text.text[:2]
            run.addnext(half)


def size_said_that_was_inherited(slides: Slides) -> None:
    for run in title(slides).text_frame.paragraphs[0].runs:
        run.font.size = Pt(30)  # what the master says


def value_of_the_theme_s_colour(slides: Slides) -> None:
    for run in title(slides).text_frame.paragraphs[0].runs:
        run.font.color.rgb = Rgb(0x12, 0x35, 0x5B)


def place_said_that_was_inherited(slides: Slides) -> None:
    shape = title(slides)
    shape.left, shape.top, shape.width, shape.height = shape.left, shape.top, shape.width, shape.height


def only_read(slides: Slides) -> None:
    for slide in slides:
        for shape in slide.shapes:
            for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
                _ = paragraph.alignment, paragraph.font.size, [run.font.bold for run in paragraph.runs]


SAME = [
    marked_by_powerpoint, split, size_said_that_was_inherited, value_of_the_theme_s_colour,
    place_said_that_was_inherited, only_read,
]  # fmt: skip


@pytest.mark.parametrize("edit", SAME, ids=[edit.__name__ for edit in SAME])
def test_the_same_said_otherwise_is_no_change(edit: Any, tmp_path: Path) -> None:
    assert changes([], edit, tmp_path) == ""


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data/decks")
def test_reading_and_saving_decks_of_many_programs_changes_nothing(tmp_path: Path) -> None:
    looked_at = 0
    for path in sorted(SHARED.glob("*/*.pptx"))[::11]:
        try:
            found = changes([], only_read, tmp_path, path)
        except (ValueError, KeyError):
            continue  # refused
        assert found == "", path.name
        looked_at += 1
    assert looked_at >= 10


# ---- changes -----------------------------------------------------------------------------------------------------


def bigger(slides: Slides) -> None:
    title(slides).text_frame.paragraphs[0].runs[0].font.size = Pt(36)


def red(slides: Slides) -> None:
    title(slides).text_frame.paragraphs[0].runs[0].font.color.rgb = Rgb(255, 0, 0)


def centred(slides: Slides) -> None:
    title(slides).text_frame.paragraphs[0].alignment = 2


def moved(slides: Slides) -> None:
    title(slides).left = Cm(3)


def kerned(slides: Slides) -> None:
    """Seen, and in no field of the looks."""
    title(slides)._element.find(f".//{A}r").get_or_add_rPr().set("kern", "4800")


def shown_without_master(slides: Slides) -> None:
    slides[2]._element.set("showMasterSp", "0")


def hidden(slides: Slides) -> None:
    slides[2]._element.set("show", "0")


def renamed(slides: Slides) -> None:
    title(slides).text_frame.paragraphs[0].runs[0].text = "Four figures"


CHANGED: list[tuple[Any, str, list[str]]] = [
    (bigger, "size", ["format"]),
    (red, "colour", ["colour"]),
    (centred, "alignment", ["format"]),
    (moved, "moved", ["place"]),
    (kerned, "restyled", ["format"]),
    (shown_without_master, "master shapes", ["design"]),
    (hidden, "hidden", ["hidden"]),
    (renamed, "text", ["text"]),
]


@pytest.mark.parametrize(("edit", "word", "allowed_by"), CHANGED, ids=[edit.__name__ for edit, _, _ in CHANGED])
def test_a_change_has_its_word(edit: Any, word: str, allowed_by: list[str], tmp_path: Path) -> None:
    assert word in changes([], edit, tmp_path)
    assert changes([{"slides": 3, "what": allowed_by}], edit, tmp_path) == ""
    assert word in changes([{"slides": 4, "what": allowed_by}], edit, tmp_path)
    assert word in changes([{"slides": 3, "what": "alt text"}], edit, tmp_path)


def both(slides: Slides) -> None:
    renamed(slides)
    hidden(slides)


def test_what_is_allowed_hides_nothing_beside_it(tmp_path: Path) -> None:
    found = changes([{"slides": 3, "shapes": {"title": True}, "what": "text"}], both, tmp_path)
    assert "hidden" in found
    assert "text" not in found


def test_keep_takes_words_out_again(tmp_path: Path) -> None:
    assert changes([{"slides": 3, "what": "format"}], bigger, tmp_path) == ""
    assert "size" in changes([{"slides": 3, "what": "format", "keep": "size"}], bigger, tmp_path)


def test_an_unknown_word_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(LeafError, match="unknown change 'colours': did you mean 'colour'"):
        changes([{"what": "colours"}], red, tmp_path)


def test_a_removed_slide_is_named(tmp_path: Path) -> None:
    def without_the_last(slides: Slides) -> None:
        listed = slides._sldIdLst
        slides.part.drop_rel(listed[-1].rId)
        listed.remove(listed[-1])

    assert "slide removed" in changes([{"slides": 3, "what": "any"}], without_the_last, tmp_path)
    assert changes([{"what": "slide removed"}], without_the_last, tmp_path) == ""


def test_a_rule_names_the_layouts_that_may_change(tmp_path: Path) -> None:
    def first_layout_without_shapes(slides: Slides) -> None:
        layout = slides[0].slide_layout
        layout.shapes._spTree.remove(layout.shapes[0]._element)

    name = Presentation(str(DECK)).slides[0].slide_layout.name
    assert "layout design" in changes([], first_layout_without_shapes, tmp_path)
    allowed = {"designs": [name], "what": "layout design"}
    assert changes([allowed], first_layout_without_shapes, tmp_path) == ""
    assert changes([allowed | {"designs": ["Another"]}], first_layout_without_shapes, tmp_path) != ""


@pytest.mark.parametrize(("words", "told"), [("plain", False), ("\u05e9\u05dc\u05d5\u05dd", True)])
def test_a_font_of_scripts_that_the_text_has_not_is_no_change(words: str, told: bool, tmp_path: Path) -> None:
    """`a:cs` is the font of Hebrew, Arabic and the like: of no other letter."""

    def font(slides: Slides) -> None:
        run = title(slides).text_frame.paragraphs[0].runs[0]
        etree_font = run._r.get_or_add_rPr().makeelement(A + "cs", {"typeface": "Courier New"})
        run._r.get_or_add_rPr().append(etree_font)

    deck = tmp_path / "before.pptx"
    opened = Presentation(str(DECK))
    title(opened.slides).text_frame.paragraphs[0].runs[0].text = words
    opened.save(str(deck))
    assert (changes([], font, tmp_path, deck) != "") == told


def linked(slides: Slides) -> None:
    for run in runs(slides):
        run.get_or_add_rPr().set("strike", "noStrike")  # as it is anyway
    title(slides).text_frame.paragraphs[0].runs[0].hyperlink.address = "https://example.org/"


def test_a_link_is_a_change_of_its_own_however_its_words_are_written(tmp_path: Path) -> None:
    looks = ["colour", "underline"]
    assert changes([{"slides": 3, "what": ["link", *looks]}], linked, tmp_path) == ""
    assert ": link" in changes([{"slides": 3, "what": looks}], linked, tmp_path)
