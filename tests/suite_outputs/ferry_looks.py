"""Outputs for tasks on the ferry review: 004 (ratings get colours) and 006 (points get numbers)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from suite_outputs import (
    A,
    Deck,
    Parts,
    Rgb,
    good,
    good_parts,
    table_of,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# --- 004: ratings in red, amber, green ------------------------------------------------------------------------------


def rating_cells(deck: Deck) -> list[Any]:
    return [row.cells[1] for row in list(table_of(deck.slides[14]).rows)[1:]]


def colour_ratings(deck: Deck, **colours: str) -> None:
    for cell in rating_cells(deck):
        if cell.text in colours:
            cell.fill.solid()
            cell.fill.fore_color.rgb = Rgb.from_string(colours[cell.text])


def fill_xml(cell: Any, inner: str) -> None:
    properties = cell._tc.get_or_add_tcPr()
    properties.insert(0, parse_xml(f"<a:solidFill {A}>{inner}</a:solidFill>"))


@good("ferry_review-004")
def pure_colours(deck: Deck) -> None:
    colour_ratings(deck, High="FF0000", Medium="FFC000", Low="00B050")


@good("ferry_review-004")
def pale_colours(deck: Deck) -> None:
    colour_ratings(deck, High="F4B6B6", Medium="FFE699", Low="C6E0B4")


@good("ferry_review-004")
def dark_colours_and_white_words(deck: Deck) -> None:
    colour_ratings(deck, High="C00000", Medium="B7791F", Low="2E7D32")
    for cell in rating_cells(deck):
        for run in cell.text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb(255, 255, 255)
            run.font.bold = True


@good("ferry_review-004")
def colours_named_in_other_ways(deck: Deck) -> None:
    ways = {
        "High": '<a:schemeClr val="accent4"><a:lumMod val="60000"/><a:lumOff val="40000"/></a:schemeClr>',
        "Medium": '<a:prstClr val="orange"/>',
        "Low": '<a:hslClr hue="7200000" sat="60000" lum="50000"/>',
    }
    for cell in rating_cells(deck):
        fill_xml(cell, ways[cell.text])


@wrong("ferry_review-004", "High in red", "Low in green")
def red_and_green_swapped(deck: Deck) -> None:
    colour_ratings(deck, High="00B050", Medium="FFC000", Low="FF0000")


@wrong("ferry_review-004", "High in red", "Medium in amber", "Low in green")
def words_coloured_not_cells(deck: Deck) -> None:
    for cell in rating_cells(deck):
        colour = {"High": "FF0000", "Medium": "FFC000", "Low": "00B050"}[cell.text]
        for run in cell.text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb.from_string(colour)


@wrong("ferry_review-004", "Medium in amber")
def one_cell_forgotten(deck: Deck) -> None:
    colour_ratings(deck, High="FF0000", Medium="FFC000", Low="00B050")
    rating_cells(deck)[3].fill.background()


@wrong("ferry_review-004", "Nothing else changed")
def whole_rows_coloured(deck: Deck) -> None:
    for row in list(table_of(deck.slides[14]).rows)[1:]:
        for cell in row.cells:
            cell.fill.solid()
            colour = {"High": "FF0000", "Medium": "FFC000", "Low": "00B050"}[row.cells[1].text]
            cell.fill.fore_color.rgb = Rgb.from_string(colour)


@wrong("ferry_review-004", "Nothing else changed")
def ratings_replaced_by_colours(deck: Deck) -> None:
    cells = rating_cells(deck)
    colour_ratings(deck, High="FF0000", Medium="FFC000", Low="00B050")
    for cell in cells:
        cell.text_frame.paragraphs[0].runs[0].text = ""


@wrong("ferry_review-004", "Legible")
def dark_words_on_dark_green(deck: Deck) -> None:
    colour_ratings(deck, High="FF0000", Medium="FFC000", Low="064A06")


@wrong("ferry_review-004", "Nothing else changed")
def a_legend_added(deck: Deck) -> None:
    colour_ratings(deck, High="FF0000", Medium="FFC000", Low="00B050")
    box = deck.slides[14].shapes.add_textbox(Inches(0.6), Inches(6.2), Inches(6), Inches(0.4))
    box.text_frame.text = "Red: high; amber: medium; green: low"


# --- 006: next steps as a numbered list -----------------------------------------------------------------------------


def steps(deck: Deck) -> list[Any]:
    return list(deck.slides[15].placeholders[1].text_frame.paragraphs)


def number(paragraph: Any, scheme: str = "arabicPeriod", start: int | None = None) -> None:
    begin = f' startAt="{start}"' if start else ""
    paragraph._p.get_or_add_pPr().append(parse_xml(f'<a:buAutoNum {A} type="{scheme}"{begin}/>'))


def number_points(deck: Deck, which: Callable[[Any], bool] = lambda p: p.level == 0, **how: Any) -> None:
    for paragraph in steps(deck):
        if which(paragraph):
            number(paragraph, **how)


@good("ferry_review-006")
def numbers_with_a_start(deck: Deck) -> None:
    number_points(deck, start=1)


@good("ferry_review-006")
def numbers_by_the_style_of_the_box(deck: Deck) -> None:
    style = deck.slides[15].placeholders[1]._element.txBody.find("{*}lstStyle")
    style.append(
        parse_xml(
            f'<a:lvl1pPr {A} marL="457200" indent="-457200"><a:buFont typeface="+mj-lt"/>'
            '<a:buAutoNum type="arabicPeriod"/></a:lvl1pPr>'
        )
    )


@good_parts("ferry_review-006")
def numbers_in_the_xml_with_words_in_runs(parts: Parts) -> None:
    slide = "ppt/slides/slide16.xml"
    text = parts[slide].replace('<a:pPr lvl="0"/>', "")
    for point in ("Approve the", "Release £", "Confirm the", "Buy fuel", "Report on"):
        cut = f"{point[:4]}</a:t></a:r><a:r><a:t>{point[4:]}"
        at = text.index(point)
        start = text.rindex("<a:p>", 0, at)
        numbered = '<a:p><a:pPr marL="342900" indent="-342900"><a:buAutoNum type="arabicPeriod"/></a:pPr>'
        text = text[:start] + numbered + text[start + len("<a:p>") : at] + cut + text[at + len(point) :]
    parts[slide] = text


@wrong("ferry_review-006", "Main points are numbered", "Nothing else changed")
def numbers_typed(deck: Deck) -> None:
    for index, paragraph in enumerate((p for p in steps(deck) if p.level == 0), 1):
        paragraph.runs[0].text = f"{index}. {paragraph.runs[0].text}"
        paragraph._p.get_or_add_pPr().append(parse_xml(f"<a:buNone {A}/>"))


@wrong("ferry_review-006", "Sub-points are bullets")
def sub_points_numbered_too(deck: Deck) -> None:
    number_points(deck, which=lambda p: True)


@wrong("ferry_review-006", "Main points are numbered")
def last_two_forgotten(deck: Deck) -> None:
    for paragraph in [p for p in steps(deck) if p.level == 0][:3]:
        number(paragraph)


@wrong("ferry_review-006", "Main points are numbered")
def numbers_start_anew(deck: Deck) -> None:
    for index, paragraph in enumerate(p for p in steps(deck) if p.level == 0):
        number(paragraph, start=1 if index < 3 else 2)


@wrong("ferry_review-006", "Main points are numbered")
def letters_for_numbers(deck: Deck) -> None:
    number_points(deck, scheme="alphaLcParenR")


@wrong("ferry_review-006", "Sub-points are bullets")
def sub_points_raised(deck: Deck) -> None:
    points = [p for p in steps(deck) if p.level == 0]
    for paragraph in steps(deck):
        paragraph.level = 0
    for paragraph in points:
        number(paragraph)


@wrong("ferry_review-006", "Sub-points are bullets", "Nothing else changed")
def sub_points_deleted(deck: Deck) -> None:
    number_points(deck)
    for paragraph in steps(deck):
        if paragraph.level:
            paragraph._p.getparent().remove(paragraph._p)


@wrong("ferry_review-006", "Nothing else changed")
def agenda_numbered_too(deck: Deck) -> None:
    number_points(deck)
    for paragraph in deck.slides[1].placeholders[1].text_frame.paragraphs:
        number(paragraph)
        paragraph.font.size = Pt(22)
