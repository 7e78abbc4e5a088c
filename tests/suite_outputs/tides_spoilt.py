"""Outputs for tasks on the tides lecture that do what was asked and spoil something: each starts from the approved one.

The kinds are those that agents are caught at: the slide hidden, texts that nobody can read, shapes halved, moved off or
turned, what belongs to the slide lost, and the task done so that nobody could use it.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pptx.oxml import parse_xml
from pptx.util import Emu, Inches, Pt

from suite_outputs import MADE, A, Deck, Made, Rgb, Shape, edited, named, remove, table_of

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
NOTHING_ELSE, SOUND = "Nothing else changed", "Legible and sound"


def spoilt(task: str, *caught_by: str) -> Callable[[Callable[[Deck], None]], Callable[[Deck], None]]:
    """The function spoils the approved output of `task`; these leaves must catch it."""

    def register(edit: Callable[[Deck], None]) -> Callable[[Deck], None]:
        keep(task, edit.__name__, edit, caught_by)
        return edit

    return register


def keep(task: str, name: str, edit: Callable[[Deck], None], caught_by: tuple[str, ...] = ()) -> None:
    approved = ROOT / "baselines" / "cases" / task / "output.pptx"
    MADE.append(Made(task, name, lambda _, output: edited(edit)(approved, output), caught_by))


# --- on every task ---------------------------------------------------------------------------------------------------

# The slide that each task is about, from 1; after 008 the exercise is slide 14.
SLIDES = {1: 2, 2: 12, 3: 3, 4: 13, 5: 8, 6: 5, 7: 4, 8: 13}


def slide_hidden(deck: Deck, number: int) -> None:
    deck.slides[number - 1]._element.set("show", "0")


def title_tiny_and_pale(deck: Deck, number: int) -> None:
    for run in deck.slides[number - 1].shapes.title.text_frame.paragraphs[0].runs:
        run.font.size = Pt(6)
        run.font.color.rgb = Rgb.from_string("E4DFD5")


def every_text_at_4_points(deck: Deck, _: int) -> None:
    for slide in deck.slides:
        for size in slide._element.xpath(".//a:rPr | .//a:endParaRPr"):
            size.set("sz", "400")
        for run in slide._element.xpath(".//a:r[not(a:rPr)]"):
            run.insert(0, parse_xml(f'<a:rPr {A} sz="400"/>'))


def shapes_at_half_width(deck: Deck, number: int) -> None:
    for shape in deck.slides[number - 1].shapes:
        if shape.height:  # what inherits its place gets one of its own
            left, top, width, height = shape.left, shape.top, shape.width, shape.height
            shape.left, shape.top, shape.width, shape.height = left, top, Emu(width // 2), height


def another_slide_deleted(deck: Deck, number: int) -> None:
    entries = deck.slides._sldIdLst
    entry = entries[15 if number != 16 else 14]
    deck.part.drop_rel(entry.rId)
    entries.remove(entry)


def empty_placeholder_left(deck: Deck, number: int) -> None:
    slide = deck.slides[number - 1]
    holder = parse_xml(
        f'<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {A}><p:nvSpPr><p:cNvPr id="771" '
        'name="Text Placeholder 70"/><p:cNvSpPr/><p:nvPr><p:ph type="body" idx="44"/></p:nvPr></p:nvSpPr><p:spPr>'
        '<a:xfrm><a:off x="900000" y="5200000"/><a:ext cx="4000000" cy="800000"/></a:xfrm></p:spPr>'
        "<p:txBody><a:bodyPr/><a:p/></p:txBody></p:sp>"
    )
    slide.shapes._spTree.append(holder)


def notes_of_the_cover_lost(deck: Deck, _: int) -> None:
    deck.slides[0].notes_slide.notes_text_frame.text = ""


def chart_at_half_size(deck: Deck, _: int) -> None:
    chart = named(deck.slides[7], "High waters")
    chart.width, chart.height = Emu(chart.width // 2), Emu(chart.height // 2)


def animation_lost(deck: Deck, _: int) -> None:
    remove_element(deck.slides[4]._element.find("{*}timing"))


def transition_lost(deck: Deck, _: int) -> None:
    remove_element(deck.slides[9]._element.find("{*}transition"))


def remove_element(element: Any) -> None:
    element.getparent().remove(element)


EVERYWHERE: tuple[tuple[Callable[[Deck, int], None], str], ...] = (
    (slide_hidden, SOUND),
    (title_tiny_and_pale, SOUND),
    (every_text_at_4_points, SOUND),
    (shapes_at_half_width, NOTHING_ELSE),
    (another_slide_deleted, NOTHING_ELSE),
    (empty_placeholder_left, SOUND),
    (notes_of_the_cover_lost, NOTHING_ELSE),
    (chart_at_half_size, NOTHING_ELSE),
    (animation_lost, NOTHING_ELSE),
    (transition_lost, NOTHING_ELSE),
)
# By task: those that others have in another form, or that make no sense there, are left out.
LEFT_OUT = {6: {"transition_lost", "notes_of_the_cover_lost", "animation_lost"}, 8: {"every_text_at_4_points"}}


def on(task: int, edit: Callable[[Deck, int], None]) -> Callable[[Deck], None]:
    return lambda deck: edit(deck, SLIDES[task])


for number in SLIDES:
    for spoil, leaf in EVERYWHERE:
        if spoil.__name__ not in LEFT_OUT.get(number, ()):
            keep(f"tides_lecture-00{number}", spoil.__name__, on(number, spoil), (leaf,))


# --- 001: bullets ----------------------------------------------------------------------------------------------------


def questions(deck: Deck) -> list[Any]:
    """The properties of the five questions' paragraphs."""
    paragraphs = deck.slides[1].placeholders[1].text_frame.paragraphs
    return [paragraph._p.get_or_add_pPr() for paragraph in paragraphs if paragraph.level == 0]


def add(properties: Any, *children: str) -> None:
    for child in children:
        properties.append(parse_xml(child.replace("/>", f" {A}/>", 1) if "><" not in child else child))


@spoilt("tides_lecture-001", "Questions have round bullets")
def bullets_in_the_ground_s_colour(deck: Deck) -> None:
    for properties in questions(deck):
        properties.append(parse_xml(f'<a:buClr {A}><a:srgbClr val="F6F1E7"/></a:buClr>'))


@spoilt("tides_lecture-001", "Questions have round bullets")
def bullets_too_small_to_see(deck: Deck) -> None:
    for properties in questions(deck):
        add(properties, '<a:buSzPct val="25000"/>')


@spoilt("tides_lecture-001", "Questions have round bullets")
def the_letter_l_for_a_bullet(deck: Deck) -> None:
    """What is a disc in Wingdings, in Arial."""
    for properties in questions(deck):
        add(properties, '<a:buFont typeface="Arial"/>', '<a:buChar char="l"/>')


@spoilt("tides_lecture-001", "Words and looks kept")
def lines_flattened_by_new_text(deck: Deck) -> None:
    frame = deck.slides[1].placeholders[1].text_frame
    frame.text = frame.text


@spoilt("tides_lecture-001", "Words and looks kept")
def a_sixth_question(deck: Deck) -> None:
    frame = deck.slides[1].placeholders[1].text_frame
    frame.add_paragraph().text = "How high will it be tomorrow?"


@spoilt("tides_lecture-001", "Words and looks kept")
def list_at_1_point(deck: Deck) -> None:
    for paragraph in deck.slides[1].placeholders[1].text_frame.paragraphs:
        for run in paragraph.runs:
            run.font.size = Pt(1)


# --- 002: a fifth milestone ------------------------------------------------------------------------------------------


def milestone(deck: Deck, part: str, year: str = "2022") -> Shape:
    return named_in(named(deck.slides[11], f"Milestone {year}"), part)


def named_in(group: Shape, name: str) -> Shape:
    [shape] = [shape for shape in group.shapes if shape.name == name]
    return shape


@spoilt("tides_lecture-002", "Looks like the others")
def dot_without_opacity(deck: Deck) -> None:
    [colour] = milestone(deck, "Dot")._element.xpath("./p:spPr/a:solidFill/*")
    colour.append(parse_xml(f'<a:alpha {A} val="0"/>'))


@spoilt("tides_lecture-002", "Five in a row")
def dot_three_times_as_large(deck: Deck) -> None:
    dot = milestone(deck, "Dot")
    dot.left, dot.top = Emu(dot.left - dot.width), Emu(dot.top - dot.height)
    dot.width, dot.height = Emu(dot.width * 3), Emu(dot.height * 3)


@spoilt("tides_lecture-002", "Looks like the others")
def year_in_the_ground_s_colour(deck: Deck) -> None:
    milestone(deck, "Year").text_frame.paragraphs[0].runs[0].font.color.rgb = Rgb.from_string("F6F1E7")


@spoilt("tides_lecture-002", "Clear of other texts")
def words_upside_down(deck: Deck) -> None:
    milestone(deck, "Words").rotation = 180


@spoilt("tides_lecture-002", NOTHING_ELSE)
def a_sixth_one_invented(deck: Deck) -> None:
    box = deck.slides[11].shapes.add_textbox(*map(Inches, (1.0, 4.9, 3.0, 0.4)))
    box.text_frame.text = "2030: gauges on every coast"


@spoilt("tides_lecture-002", NOTHING_ELSE)
def time_line_deleted(deck: Deck) -> None:
    remove(named(deck.slides[11], "Time line"))


@spoilt("tides_lecture-002", SOUND)
def words_beyond_their_box(deck: Deck) -> None:
    words = milestone(deck, "Words")
    words.left, words.width = Emu(words.left + words.width // 2 - Inches(0.15)), Inches(0.3)


@spoilt("tides_lecture-002", SOUND)
def words_in_one_line(deck: Deck) -> None:
    """The box is as it should be; its text runs off the slide on one side and over 1992's on the other."""
    milestone(deck, "Words").text_frame.word_wrap = False


# --- 003: the picture ------------------------------------------------------------------------------------------------


def low(deck: Deck) -> Shape:
    return named(deck.slides[2], "Low water")


@spoilt("tides_lecture-003", "It is straight")
def upside_down(deck: Deck) -> None:
    low(deck).rotation = 180


@spoilt("tides_lecture-003", "It is straight")
def mirrored(deck: Deck) -> None:
    low(deck)._element.spPr.find("{*}xfrm").set("flipH", "1")


@spoilt("tides_lecture-003", "It is not stretched")
def at_5_per_cent_opacity(deck: Deck) -> None:
    [blip] = low(deck)._element.xpath(".//a:blip")
    blip.append(parse_xml(f'<a:alphaModFix {A} amt="5000"/>'))


@spoilt("tides_lecture-003", NOTHING_ELSE)
def the_other_picture_cropped_too(deck: Deck) -> None:
    named(deck.slides[2], "High water").crop_bottom = 0.125


@spoilt("tides_lecture-003", "In its place")
def half_off_the_slide(deck: Deck) -> None:
    low(deck).left = Inches(8)


@spoilt("tides_lecture-003", "The strip is gone and the rest shows")
def the_wrong_end_cropped(deck: Deck) -> None:
    picture = low(deck)
    picture.crop_top, picture.crop_bottom = 0.125, 0


@spoilt("tides_lecture-003", "Descriptions kept")
def description_replaced(deck: Deck) -> None:
    low(deck)._element.xpath(".//p:cNvPr")[0].set("descr", "image2.png")


# --- 004: a column ---------------------------------------------------------------------------------------------------


def changes(deck: Deck) -> list[Any]:
    return [row.cells[3] for row in table_of(deck.slides[12]).rows]


@spoilt("tides_lecture-004", "Within the slide")
def column_too_narrow_to_read(deck: Deck) -> None:
    table_of(deck.slides[12]).columns[3].width = Inches(0.15)


@spoilt("tides_lecture-004", "Looks like its neighbours")
def changes_white_on_white(deck: Deck) -> None:
    for cell in changes(deck):
        cell.fill.solid()
        cell.fill.fore_color.rgb = Rgb.from_string("FFFFFF")
        for run in cell.text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb.from_string("FFFFFF")


@spoilt("tides_lecture-004", "The changes are right")
def a_word_behind_the_number(deck: Deck) -> None:
    changes(deck)[2].text_frame.paragraphs[0].runs[0].text = "+5.2 roughly"


@spoilt("tides_lecture-004", "The changes are right")
def another_unit(deck: Deck) -> None:
    for cell, text in zip(changes(deck)[2:], ("+520", "−540", "+570"), strict=True):
        cell.text_frame.paragraphs[0].runs[0].text = text


@spoilt("tides_lecture-004", NOTHING_ELSE)
def other_columns_at_12_points(deck: Deck) -> None:
    for row in table_of(deck.slides[12]).rows:
        for cell in list(row.cells)[:2]:
            for run in cell.text_frame.paragraphs[0].runs:
                run.font.size = Pt(12)


@spoilt("tides_lecture-004", "Other columns kept")
def heights_rounded(deck: Deck) -> None:
    for row in list(table_of(deck.slides[12]).rows)[1:]:
        run = row.cells[2].text_frame.paragraphs[0].runs[0]
        run.text = f"{float(run.text):.0f}"


@spoilt("tides_lecture-004", "Within the slide")
def table_off_the_slide(deck: Deck) -> None:
    named(deck.slides[12], "Tide table").left = Inches(-3)


# --- 005: footers ----------------------------------------------------------------------------------------------------


def footers(deck: Deck, kind: str) -> list[Any]:
    return [
        shape
        for slide in deck.slides
        for shape in slide.placeholders
        if shape._element.xpath(f'./p:nvSpPr/p:nvPr/p:ph[@type="{kind}"]')
    ]


@spoilt("tides_lecture-005", NOTHING_ELSE)
def dates_in_the_ground_s_colour(deck: Deck) -> None:
    for shape in footers(deck, "dt"):
        for run in shape.text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb.from_string("F6F1E7")


@spoilt("tides_lecture-005", SOUND)
def numbers_pale_by_their_list_style(deck: Deck) -> None:
    for slide in (deck.slides[7], deck.slides[10]):
        [holder] = slide._element.xpath('.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="sldNum"]')
        old = holder.txBody.find("{*}lstStyle")
        new = parse_xml(
            f'<a:lstStyle {A}><a:lvl1pPr><a:defRPr><a:solidFill><a:srgbClr val="F6F1E7"/></a:solidFill></a:defRPr>'
            "</a:lvl1pPr></a:lstStyle>"
        )
        old.getparent().replace(old, new)


@spoilt("tides_lecture-005", NOTHING_ELSE)
def numbers_of_other_slides_deleted(deck: Deck) -> None:
    for shape in footers(deck, "sldNum")[:5]:
        remove(shape)


@spoilt("tides_lecture-005", NOTHING_ELSE)
def dates_moved_over_the_footer(deck: Deck) -> None:
    for shape in footers(deck, "dt")[:1]:
        top, width, height = shape.top, shape.width, shape.height
        shape.left, shape.top, shape.width, shape.height = Inches(4.2), top, width, height


@spoilt("tides_lecture-005", "The new date")
def a_word_before_the_date(deck: Deck) -> None:
    for shape in footers(deck, "dt"):
        shape.text_frame.paragraphs[0].runs[0].text = "As of 10 November 2026"


@spoilt("tides_lecture-005", "They stand where others do")
def numbers_off_the_slide(deck: Deck) -> None:
    for slide in (deck.slides[7], deck.slides[10]):
        [shape] = [s for s in slide.placeholders if s.placeholder_format.type == 13]
        shape.left, shape.top, shape.width, shape.height = map(Inches, (9.6, 7.3, 1.0, 0.3))


# --- 006: transitions ------------------------------------------------------------------------------------------------


def transitions(deck: Deck) -> list[Any]:
    return [slide._element.find("{*}transition") for slide in deck.slides]


P14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"


@spoilt("tides_lecture-006", "Every slide fades in")
def fades_of_no_time(deck: Deck) -> None:
    for transition in transitions(deck):
        transition.set(f"{{{P14}}}dur", "0")


@spoilt("tides_lecture-006", "Every slide fades in")
def fades_of_a_minute(deck: Deck) -> None:
    for transition in transitions(deck):
        transition.set(f"{{{P14}}}dur", "60000")


@spoilt("tides_lecture-006", "All fades are alike")
def every_other_one_through_black(deck: Deck) -> None:
    for transition in transitions(deck)[::2]:
        transition[0].set("thruBlk", "1")


@spoilt("tides_lecture-006", "None goes on by itself")
def all_go_on_after_a_while(deck: Deck) -> None:
    for transition in transitions(deck):
        transition.set("advTm", "30000")


@spoilt("tides_lecture-006", NOTHING_ELSE)
def animations_after_each_other(deck: Deck) -> None:
    for node in deck.slides[13]._element.xpath('.//p:cTn[@nodeType="clickEffect"]'):
        node.set("nodeType", "afterEffect")


@spoilt("tides_lecture-006", "Every slide fades in")
def fades_with_a_bang(deck: Deck) -> None:
    for transition in transitions(deck)[:1]:
        sound = '<p:sndAc xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:endSnd/></p:sndAc>'
        transition.append(parse_xml(sound))


# --- 007: dark section slides ----------------------------------------------------------------------------------------


def sections(deck: Deck) -> list[Any]:
    return [deck.slides[3], deck.slides[9]]


@spoilt("tides_lecture-007", "Words keep their place and size")
def lines_at_9_points(deck: Deck) -> None:
    for slide in sections(deck):
        slide.placeholders[1].text_frame.paragraphs[0].runs[0].font.size = Pt(9)


@spoilt("tides_lecture-007", "Words keep their place and size")
def title_and_line_over_each_other(deck: Deck) -> None:
    for slide in sections(deck):
        title, line = slide.placeholders[0], slide.placeholders[1]
        line.left, line.top, line.width, line.height = title.left, title.top, title.width, title.height


@spoilt("tides_lecture-007", "White titles")
def titles_without_opacity(deck: Deck) -> None:
    for slide in sections(deck):
        for colour in slide.placeholders[0]._element.xpath(".//a:solidFill/*"):
            colour.append(parse_xml(f'<a:alpha {A} val="0"/>'))


@spoilt("tides_lecture-007", "Dark blue background")
def background_half_transparent(deck: Deck) -> None:
    for slide in sections(deck):
        for colour in slide._element.xpath("./p:cSld/p:bg//a:srgbClr"):
            colour.append(parse_xml(f'<a:alpha {A} val="20000"/>'))


@spoilt("tides_lecture-007", "Dark blue background")
def moon_and_sea_gone(deck: Deck) -> None:
    for slide in sections(deck):
        slide._element.set("showMasterSp", "0")


@spoilt("tides_lecture-007", "Words keep their place and size")
def white_words_on_white_panels(deck: Deck) -> None:
    for slide in sections(deck):
        title = slide.shapes.title
        title.fill.solid()
        title.fill.fore_color.rgb = Rgb(255, 255, 255)


@spoilt("tides_lecture-007", "White lines")
def lines_of_the_second_left_grey(deck: Deck) -> None:
    sections(deck)[1].placeholders[1].text_frame.paragraphs[0].runs[0].font.color.rgb = Rgb.from_string("C0C0C0")


# --- 008: the exercise -----------------------------------------------------------------------------------------------


def exercise(deck: Deck) -> Any:
    return deck.slides[13]


@spoilt("tides_lecture-008", "The copy follows")
def exercise_hidden(deck: Deck) -> None:
    exercise(deck)._element.set("show", "0")


@spoilt("tides_lecture-008", SOUND)
def title_of_the_exercise_pale(deck: Deck) -> None:
    for run in exercise(deck).shapes.title.text_frame.paragraphs[0].runs:
        run.font.color.rgb = Rgb.from_string("EEE8DC")


@spoilt("tides_lecture-008", "Rest of the table copied")
def table_of_the_exercise_shrunk(deck: Deck) -> None:
    frame = named(exercise(deck), "Tide table")
    for column in frame.table.columns:
        column.width = Emu(column.width // 2)
    frame.width = Emu(frame.width // 2)


@spoilt("tides_lecture-008", "Boxes copied")
def box_of_the_exercise_moved(deck: Deck) -> None:
    box = named(exercise(deck), "How to read it")
    box.left, box.top = Inches(0), Inches(0)


@spoilt("tides_lecture-008", "Heights are empty")
def heights_only_made_white(deck: Deck) -> None:
    for row, text in zip(list(table_of(exercise(deck)).rows)[1:], ("0.9", "6.1", "0.7", "6.4"), strict=True):
        paragraph = row.cells[2].text_frame.paragraphs[0]
        run = paragraph.runs[0] if paragraph.runs else paragraph.add_run()
        run.text, run.font.color.rgb = text, Rgb.from_string("FFFFFF")


@spoilt("tides_lecture-008", "Boxes copied")
def exercise_with_an_empty_placeholder(deck: Deck) -> None:
    empty_placeholder_left(deck, 14)


@spoilt("tides_lecture-008", "The copy follows")
def two_exercises(deck: Deck) -> None:
    old = exercise(deck)
    new = deck.slides.add_slide(old.slide_layout)
    for shape in list(new.shapes):
        remove(shape)
    for shape in old.shapes:
        new.shapes._spTree.append(copy.deepcopy(shape._element))


@spoilt("tides_lecture-008", "Footer copied")
def number_of_the_exercise_lost(deck: Deck) -> None:
    [shape] = [s for s in exercise(deck).placeholders if s.placeholder_format.type == 13]
    remove(shape)
