"""Reference solutions for the tasks on tides_lecture.pptx, written by hand as code: one function a task.

Each changes the deck it is given and returns how many edits it made. They are what run.json says they are: solutions
of a person, not runs of an agent.
"""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import TYPE_CHECKING

from kit import add_transition, emu, theme
from make_tides_lecture import DOT_LEFT, STEP, milestone
from pptx.dml.color import RGBColor

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit import Deck, Slide

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"


def bullet_questions(deck: Deck) -> int:
    """Without numbers of their own, the questions have the master's bullets; the indents are the master's too."""
    edits = 0
    for paragraph in deck.slides[1].placeholders[1].text_frame.paragraphs:
        properties = paragraph._p.pPr
        if properties is not None and properties.find("{*}buAutoNum") is not None:
            for child in properties.xpath("./a:buFont | ./a:buAutoNum"):
                properties.remove(child)
            for name in ("marL", "indent"):
                del properties.attrib[name]
            edits += 1
    return edits


def add_milestone(deck: Deck) -> int:
    """A group like the other four, one step on."""
    milestone(deck.slides[11], DOT_LEFT + 4 * STEP, "2022", "SWOT maps the sea surface in wide strips")
    return 1


def straighten_picture(deck: Deck) -> int:
    """The crop takes the strip's eighth off; the frame's height shrinks by as much."""
    [picture] = [shape for shape in deck.slides[2].shapes if shape.name == "Low water"]
    picture.rotation = 0
    picture.crop_bottom = 0.125
    picture.height = round(picture.height * 0.875)
    return 3


def add_changes(deck: Deck) -> int:
    """A copy of the Height column, and four narrower columns in the old width."""
    [graphic] = [shape for shape in deck.slides[12].shapes if getattr(shape, "has_table", False)]
    table = graphic.table
    grid = table._tbl.tblGrid
    grid.append(copy.deepcopy(grid[-1]))
    for row in table._tbl.tr_lst:
        row.tc_lst[-1].addnext(copy.deepcopy(row.tc_lst[-1]))
    heights = [float(row.cells[2].text) for row in list(table.rows)[1:]]
    changes = [f"{b - a:+.1f}".replace("-", "−") for a, b in pairwise(heights)]
    for row, text in zip(table.rows, ["Change (m)", "", *changes], strict=True):
        row.cells[3].text_frame.paragraphs[0].runs[0].text = text
    for column, width in zip(table.columns, (1.0, 1.0, 1.6, 1.65), strict=True):
        column.width = emu(width)
    return 2 + len(table.rows)


def update_footers(deck: Deck) -> int:
    """The dates run by run; the numbers as copies of slide 7's placeholder."""
    edits = 0
    for slide in deck.slides:
        for holder in slide._element.xpath('.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="dt"]'):
            [text] = holder.xpath(".//a:t")
            text.text = "10 November 2026"
            edits += 1
    [number] = deck.slides[6]._element.xpath('.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="sldNum"]')
    for at in (8, 11):
        slide = deck.slides[at - 1]
        new = copy.deepcopy(number)
        new.xpath(".//p:cNvPr")[0].set("id", str(max(shape.shape_id for shape in slide.shapes) + 1))
        new.xpath(".//a:t")[0].text = str(at)
        slide.shapes._spTree.append(new)
        edits += 1
    return edits


def fade_all(deck: Deck) -> int:
    """Old transitions out, a plain Fade in."""
    for slide in deck.slides:
        clear_transition(slide)
        add_transition(slide, "<p:fade/>")
    return len(deck.slides)


def clear_transition(slide: Slide) -> None:
    for child in list(slide._element):
        if child.tag == f"{P}transition" or child.tag.endswith("}AlternateContent"):
            slide._element.remove(child)


def darken_sections(deck: Deck) -> int:
    """A background of the slides' own; the words take the theme's white."""
    for slide in (deck.slides[3], deck.slides[9]):
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = RGBColor(0x1D, 0x35, 0x57)
        for holder in slide.placeholders:
            for run in holder.text_frame.paragraphs[0].runs:
                run.font.color.theme_color = theme("BACKGROUND_1")
    return 6


def make_exercise(deck: Deck) -> int:
    """A new slide of the same layout with copies of all shapes and of the notes, moved to its place."""
    old = deck.slides[12]
    new = deck.slides.add_slide(old.slide_layout)
    for shape in list(new.shapes):
        shape._element.getparent().remove(shape._element)
    for shape in old.shapes:
        new.shapes._spTree.append(copy.deepcopy(shape._element))
    new.notes_slide.notes_text_frame.text = old.notes_slide.notes_text_frame.text
    new.shapes.title.text_frame.paragraphs[0].runs[0].text = "Your turn: a day at Port Calder"
    [graphic] = [shape for shape in new.shapes if getattr(shape, "has_table", False)]
    for row in list(graphic.table.rows)[1:]:
        row.cells[2].text_frame.paragraphs[0].runs[0].text = ""
    entries = deck.slides._sldIdLst
    entry = entries[-1]
    entries.remove(entry)
    entries.insert(13, entry)
    return 7


SOLUTIONS: dict[str, Callable[[Deck], int]] = {
    "tides_lecture-001": bullet_questions,
    "tides_lecture-002": add_milestone,
    "tides_lecture-003": straighten_picture,
    "tides_lecture-004": add_changes,
    "tides_lecture-005": update_footers,
    "tides_lecture-006": fade_all,
    "tides_lecture-007": darken_sections,
    "tides_lecture-008": make_exercise,
}
