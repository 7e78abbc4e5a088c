"""Outputs for tasks on the tides lecture: 002 (a fifth milestone) and 003 (a picture put right)."""

from __future__ import annotations

import copy
import io
from typing import TYPE_CHECKING, Any

from PIL import Image
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Emu, Inches, Pt

from suite_outputs import Deck, Parts, Rgb, Shape, good, good_parts, groups_of, named, remove, replace_once, wrong

if TYPE_CHECKING:
    from collections.abc import Mapping

# --- 002: a fifth milestone ------------------------------------------------------------------------------------------

YEAR, WORDS = "2022", "SWOT maps the sea surface in wide strips"
STEP = 1.7  # inches from milestone to milestone


def copied(deck: Deck, step: float = STEP, texts: Mapping[str, str] | None = None) -> Shape:
    """A copy of the milestone of 1992, one step on, with the new texts."""
    slide = deck.slides[11]
    old = named(slide, "Milestone 1992")
    slide.shapes._spTree.append(copy.deepcopy(old._element))
    new = slide.shapes[-1]
    new.name = "Milestone 2022"
    for number, element in enumerate(new._element.xpath(".//p:cNvPr"), 90):
        element.set("id", str(number))
    # The group's own coordinates stay: moving a group moves its frame only.
    new.left = old.left + Inches(step)
    for name, text in (texts or {"Year": YEAR, "Words": WORDS}).items():
        part(new, name).text_frame.paragraphs[0].runs[0].text = text
    return new


def part(group: Shape, name: str) -> Shape:
    [shape] = [shape for shape in group.shapes if shape.name == name]
    return shape


@good("tides_lecture-002")
def group_copied(deck: Deck) -> None:
    copied(deck)


@good("tides_lecture-002")
def loose_shapes(deck: Deck) -> None:
    """Three shapes outside of any group, RGB colours, the text over split runs and two lines."""
    shapes = deck.slides[11].shapes
    middle = 1.76 + 4 * STEP
    texts: tuple[tuple[tuple[str, ...], float, float, str, bool], ...] = (
        (("20", "22"), 2.45, 24, "C8553D", True),
        (("SWOT maps ", "the sea surface", "in wide strips"), 3.5, 15, "22223B", False),
    )
    for pieces, top, size, rgb, bold in texts:
        box = shapes.add_textbox(*map(Inches, (middle - 0.8, top, 1.6, 0.5)))
        frame = box.text_frame
        frame.word_wrap, frame.vertical_anchor = True, MSO_ANCHOR.MIDDLE if bold else MSO_ANCHOR.TOP
        frame.paragraphs[0].alignment = PP_ALIGN.CENTER
        for index, piece in enumerate(pieces):
            if index == 2:
                frame.paragraphs[0].add_line_break()
            run = frame.paragraphs[0].add_run()
            run.text, run.font.size, run.font.bold = piece, Pt(size), bold
            run.font.color.rgb = Rgb.from_string(rgb)
    dot = shapes.add_shape(MSO_SHAPE.FLOWCHART_CONNECTOR, *map(Inches, (middle - 0.14, 3.06, 0.28, 0.28)))
    dot.fill.solid()
    dot.fill.fore_color.rgb = Rgb.from_string("E0A030")


@good("tides_lecture-002")
def all_five_spread_anew(deck: Deck) -> None:
    """The line is full: all five keep equal distances, a little closer than before."""
    copied(deck)
    for index, group in enumerate(groups_of(deck.slides[11])):
        group.left = Inches(0.96 + 1.66 * index)


@wrong("tides_lecture-002", "Year, dot and text are there", "Nothing else changed")
def only_a_line_in_the_box(deck: Deck) -> None:
    named(deck.slides[11], "Prediction").text_frame.add_paragraph().text = f"{YEAR}: {WORDS}"


@wrong("tides_lecture-002", "Five in a row", "Clear of other texts")
def on_top_of_the_last(deck: Deck) -> None:
    copied(deck, step=0.3)


@wrong("tides_lecture-002", "Year, dot and text are there")
def text_misspelt(deck: Deck) -> None:
    copied(deck, texts={"Year": YEAR, "Words": "SWAT maps the sea surface in wide strips"})


@wrong("tides_lecture-002", "Five in a row")
def text_under_another_year(deck: Deck) -> None:
    group = copied(deck)
    words = part(group, "Words")
    words.left = words.left - Inches(0.8)


@wrong("tides_lecture-002", "Year, dot and text are there")
def dot_forgotten(deck: Deck) -> None:
    remove(part(copied(deck), "Dot"))


@wrong("tides_lecture-002", "Year, dot and text are there")
def a_square_for_a_dot(deck: Deck) -> None:
    part(copied(deck), "Dot")._element.spPr.find("{*}prstGeom").set("prst", "rect")


@wrong("tides_lecture-002", "Looks like the others")
def another_colour(deck: Deck) -> None:
    dot = part(copied(deck), "Dot")
    dot.fill.solid()
    dot.fill.fore_color.rgb = Rgb.from_string("4472C4")


@wrong("tides_lecture-002", "Looks like the others")
def smaller_text(deck: Deck) -> None:
    part(copied(deck), "Words").text_frame.paragraphs[0].runs[0].font.size = Pt(11)


@wrong("tides_lecture-002", "Nothing else changed")
def last_one_overwritten(deck: Deck) -> None:
    group = named(deck.slides[11], "Milestone 1992")
    group.left = group.left + Inches(STEP)
    for name, text in (("Year", YEAR), ("Words", WORDS)):
        part(group, name).text_frame.paragraphs[0].runs[0].text = text


@wrong("tides_lecture-002", "Clear of other texts")
def off_the_slide(deck: Deck) -> None:
    copied(deck, step=2.4)


@wrong("tides_lecture-002", "Nothing else changed")
def box_below_deleted(deck: Deck) -> None:
    copied(deck)
    remove(named(deck.slides[11], "Prediction"))


# --- 003: the low-water picture --------------------------------------------------------------------------------------


def low_water(deck: Deck) -> Shape:
    return named(deck.slides[2], "Low water")


def put_right(deck: Deck, rotation: float = 0, bottom: float = 0.125, height: float = 0.875) -> Shape:
    picture = low_water(deck)
    picture.rotation, picture.crop_bottom = rotation, bottom
    picture.height = Emu(round(picture.height * height))
    return picture


def new_file(deck: Deck, box: tuple[int, int, int, int], name: str = "Low water", kind: str = "JPEG") -> Shape:
    """The picture anew from a file that is cropped itself."""
    slide, old = deck.slides[2], low_water(deck)
    image: Any = Image.open(io.BytesIO(old.image.blob)).convert("RGB").crop(box)
    file = io.BytesIO()
    image.save(file, kind)
    file.seek(0)
    new = slide.shapes.add_picture(file, old.left, old.top, old.width)
    new.name = name
    new._element.xpath(".//p:cNvPr")[0].set("descr", old._element.xpath(".//p:cNvPr")[0].get("descr"))
    remove(old)
    return new


@good_parts("tides_lecture-003")
def picture_in_the_xml(parts: Parts) -> None:
    name = "ppt/slides/slide3.xml"
    text = replace_once(parts[name], ' rot="300000"', "")
    start = text.index('name="Low water"')
    end = text.index("</p:pic>", start)
    picture = text[start:end]
    picture = replace_once(picture, "<a:stretch>", '<a:srcRect b="13000"/><a:stretch>')
    width, height = round(3.95 * 914400), round(3.95 * 914400 * 0.87 * 640 / 800)
    old = f'cx="{width}" cy="{round(3.95 * 914400 * 0.8)}"'
    parts[name] = text[:start] + replace_once(picture, old, f'cx="{width}" cy="{height}"') + text[end:]


@good("tides_lecture-003")
def file_cropped_and_put_in_anew(deck: Deck) -> None:
    new_file(deck, (0, 0, 800, 560))


@good("tides_lecture-003")
def as_high_as_before(deck: Deck) -> None:
    """The frame keeps its height and grows in width."""
    picture = put_right(deck, height=1)
    picture.left, picture.width = Inches(5.1), Emu(round(picture.height * 800 / 560))


@wrong("tides_lecture-003", "It is straight")
def still_tilted(deck: Deck) -> None:
    put_right(deck, rotation=5)


@wrong("tides_lecture-003", "It is straight")
def tilted_the_other_way(deck: Deck) -> None:
    put_right(deck, rotation=355)


@wrong("tides_lecture-003", "The strip is gone and the rest shows")
def strip_left_on(deck: Deck) -> None:
    put_right(deck, bottom=0, height=1)


@wrong("tides_lecture-003", "The strip is gone and the rest shows")
def strip_covered(deck: Deck) -> None:
    picture = put_right(deck, bottom=0, height=1)
    top = picture.top + round(picture.height * 0.875)
    cover = deck.slides[2].shapes.add_shape(MSO_SHAPE.RECTANGLE, picture.left, top, picture.width, Inches(0.4))
    cover.fill.solid()
    cover.fill.fore_color.rgb = Rgb.from_string("F6F1E7")


@wrong("tides_lecture-003", "The strip is gone and the rest shows")
def half_of_the_strip_left(deck: Deck) -> None:
    put_right(deck, bottom=0.07, height=0.93)


@wrong("tides_lecture-003", "The strip is gone and the rest shows")
def a_third_cropped_off(deck: Deck) -> None:
    put_right(deck, bottom=0.33, height=0.67)


@wrong("tides_lecture-003", "The strip is gone and the rest shows")
def side_cropped_too(deck: Deck) -> None:
    picture = put_right(deck)
    picture.crop_left = 0.2
    picture.width = Emu(round(picture.width * 0.8))


@wrong("tides_lecture-003", "It is straight", "The strip is gone and the rest shows", "It is not stretched")
def picture_deleted(deck: Deck) -> None:
    remove(low_water(deck))


@wrong("tides_lecture-003", "It is not stretched")
def frame_not_shortened(deck: Deck) -> None:
    put_right(deck, height=1)


@wrong("tides_lecture-003", "In its place")
def shrunk_to_half(deck: Deck) -> None:
    picture = put_right(deck)
    picture.width, picture.height = Emu(picture.width // 2), Emu(picture.height // 2)


@wrong("tides_lecture-003", "In its place")
def over_its_caption(deck: Deck) -> None:
    picture = put_right(deck)
    picture.top = picture.top + Inches(0.9)


@wrong("tides_lecture-003", "Descriptions kept")
def description_lost(deck: Deck) -> None:
    new_file(deck, (0, 0, 800, 560))._element.xpath(".//p:cNvPr")[0].set("descr", "")


@wrong("tides_lecture-003", "Nothing else changed")
def caption_changed_too(deck: Deck) -> None:
    put_right(deck)
    caption = named(deck.slides[2], "Caption 14:20, low water")
    caption.text_frame.paragraphs[1].runs[0].text = "0.7 m"
