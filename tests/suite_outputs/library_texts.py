"""Outputs for tasks on the library's report: 001 (a branch is renamed), 002 (automatic numbers), 007 (a new slide)."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from pptx.oxml import parse_xml
from pptx.util import Inches

from suite_outputs import (
    A,
    ChartData,
    Deck,
    Parts,
    Slide,
    chart_of,
    good,
    good_parts,
    named,
    remove,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD, NEW = "东湖分馆", "云湖分馆"

# --- 001: 东湖分馆 becomes 云湖分馆 ----------------------------------------------------------------------------


def frames(deck: Deck, notes: bool = True) -> Iterator[Any]:
    """Every text frame of the deck, in tables and notes too; none of its groups names the branch."""
    for slide in deck.slides:
        for shape in slide.shapes:
            if getattr(shape, "has_table", False):
                yield from (cell.text_frame for row in shape.table.rows for cell in row.cells)
            elif shape.has_text_frame:
                yield shape.text_frame
        if notes and slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame


def rename(deck: Deck, notes: bool = True, chart: bool = True, descriptions: bool = True, old: str = OLD) -> None:
    new = old.replace("东", "云")
    for frame in frames(deck, notes):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs]:
            run.text = run.text.replace(old, new)
            if run.text == "东湖":  # slide 7: the name is in two runs
                run.text = "云湖"
    if chart:
        for point in chart_of(deck.slides[6]).chart._chartSpace.iter("{*}v"):
            point.text = point.text.replace(OLD, NEW)
    for slide in deck.slides if descriptions else ():
        for properties in slide.shapes._spTree.iter("{*}cNvPr"):
            if OLD in properties.get("descr", ""):
                properties.set("descr", properties.get("descr").replace(OLD, NEW))


@good("图书馆年报-001")
def name_in_many_runs_and_the_chart_made_anew(deck: Deck) -> None:
    rename(deck, chart=False)
    chart = chart_of(deck.slides[6]).chart
    data = ChartData()
    data.categories = [str(name).replace(OLD, NEW) for name in chart.plots[0].categories]
    for series in chart.plots[0].series:
        data.add_series(series.name, series.values)
    chart.replace_data(data)
    for frame in frames(deck):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs if NEW in run.text]:
            head, tail = run.text.split(NEW, 1)
            for text in (head + "云", "湖分", "馆" + tail):
                part = copy.deepcopy(run._r)
                part.text = text
                run._r.addprevious(part)
            run._r.getparent().remove(run._r)


@good_parts("图书馆年报-001")
def name_in_the_xml(parts: Parts) -> None:
    for name, text in parts.items():
        parts[name] = text.replace(OLD, NEW).replace("<a:t>东湖</a:t>", "<a:t>云湖</a:t>")


@wrong("图书馆年报-001", "图表已改名")
def chart_forgotten(deck: Deck) -> None:
    rename(deck, chart=False)


@wrong("图书馆年报-001", "备注已改名")
def notes_forgotten(deck: Deck) -> None:
    rename(deck, notes=False)


@wrong("图书馆年报-001", "文字和表格已改名")
def every_lake_renamed(deck: Deck) -> None:
    rename(deck, old="东湖")


@wrong("图书馆年报-001", "文字和表格已改名")
def name_in_two_runs_forgotten(deck: Deck) -> None:
    rename(deck)
    for run in [run for frame in frames(deck) for p in frame.paragraphs for run in p.runs if run.text == "云湖"]:
        run.text = "东湖"


@wrong("图书馆年报-001", "文字和表格已改名")
def tables_forgotten(deck: Deck) -> None:
    rename(deck)
    for slide in (deck.slides[5], deck.slides[8]):
        for text in slide._element.iter("{*}t"):
            text.text = text.text.replace(NEW, OLD)


@wrong("图书馆年报-001", "替代文字已改名")
def description_forgotten(deck: Deck) -> None:
    rename(deck, descriptions=False)


@wrong("图书馆年报-001", "其余内容未变")
def whole_name_bold(deck: Deck) -> None:
    rename(deck)
    paragraph = deck.slides[6].placeholders[2].text_frame.paragraphs[1]
    paragraph.runs[1].font.bold = True


@wrong("图书馆年报-001", "文字和表格已改名")
def another_branch_renamed_too(deck: Deck) -> None:
    rename(deck)
    for frame in frames(deck):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs]:
            run.text = run.text.replace("北苑分馆", "北园分馆")


# --- 002: typed numbers become automatic ones -------------------------------------------------------------------------


def body(deck: Deck) -> Any:
    return deck.slides[14].placeholders[1].text_frame


def points(deck: Deck) -> list[Any]:
    return [paragraph for paragraph in body(deck).paragraphs if paragraph.level == 0]


def untype(deck: Deck) -> None:
    for paragraph in points(deck):
        paragraph.runs[0].text = re.sub(r"^（?\d[）、．]", "", paragraph.runs[0].text)


def number(paragraph: Any, scheme: str = "ea1ChsPlain", start: int | None = None) -> None:
    properties = paragraph._p.get_or_add_pPr()
    for old in properties.findall("{*}buNone"):
        properties.remove(old)
    begin = f' startAt="{start}"' if start else ""
    properties.append(parse_xml(f'<a:buAutoNum {A} type="{scheme}"{begin}/>'))


def number_points(deck: Deck, scheme: str = "ea1ChsPlain") -> None:
    untype(deck)
    for paragraph in points(deck):
        number(paragraph, scheme)


@good("图书馆年报-002")
def numerals_with_a_full_width_stop(deck: Deck) -> None:
    number_points(deck, "ea1JpnChsDbPeriod")


@good("图书馆年报-002")
def numbers_by_the_style_of_the_box(deck: Deck) -> None:
    untype(deck)
    for paragraph in points(deck):
        paragraph._p.remove(paragraph._p.pPr)
    style = deck.slides[14].placeholders[1]._element.txBody.find("{*}lstStyle")
    style.append(
        parse_xml(f'<a:lvl1pPr {A} marL="514350" indent="-514350"><a:buAutoNum type="ea1ChsPeriod"/></a:lvl1pPr>')
    )


@good_parts("图书馆年报-002")
def numbers_in_the_xml_with_words_in_runs(parts: Parts) -> None:
    name = "ppt/slides/slide15.xml"
    text, removed = re.subn(r"<a:t>（?\d[）、．](..)", r"<a:t>\1</a:t></a:r><a:r><a:t>", parts[name])
    text, numbered = re.subn("<a:buNone/>", '<a:buAutoNum type="ea1ChtPeriod" startAt="1"/>', text)
    assert (removed, numbered) == (5, 5)
    parts[name] = text


@wrong("图书馆年报-002", "手打序号已删")
def typed_numbers_left_beside_the_automatic_ones(deck: Deck) -> None:
    for paragraph in points(deck):
        number(paragraph)


@wrong("图书馆年报-002", "手打序号已删", "自动编号一到五")
def chinese_numerals_typed(deck: Deck) -> None:
    untype(deck)
    for numeral, paragraph in zip("一二三四五", points(deck), strict=True):
        paragraph.runs[0].text = f"{numeral}、{paragraph.runs[0].text}"


@wrong("图书馆年报-002", "自动编号一到五")
def arabic_figures(deck: Deck) -> None:
    number_points(deck, "arabicPeriod")


@wrong("图书馆年报-002", "自动编号一到五")
def the_one_in_brackets_forgotten(deck: Deck) -> None:
    untype(deck)
    for paragraph in points(deck):
        if "修复" not in paragraph.text:
            number(paragraph)


@wrong("图书馆年报-002", "自动编号一到五")
def numbers_start_anew(deck: Deck) -> None:
    untype(deck)
    for index, paragraph in enumerate(points(deck)):
        number(paragraph, start=1 if index < 2 else 2)


@wrong("图书馆年报-002", "小点不变")
def sub_points_numbered_too(deck: Deck) -> None:
    number_points(deck)
    for paragraph in body(deck).paragraphs:
        if paragraph.level:
            number(paragraph)


@wrong("图书馆年报-002", "手打序号已删")
def words_shortened(deck: Deck) -> None:
    number_points(deck)
    points(deck)[2].runs[0].text = "更换自助借还机"


@wrong("图书馆年报-002", "其余内容未变")
def goals_removed_too(deck: Deck) -> None:
    number_points(deck)
    remove(named(deck.slides[14], "目标"))


# --- 007: a new slide after the measures ------------------------------------------------------------------------------

TITLE = "需要支持的事项"
POINTS = ("将流动图书车纳入市政更新计划", "协调新馆周边公交线路", "支持云溪书房连锁布点")
WORDS, ADDRESS = "云溪书房", "https://shufang.yunxi-library.example"


def add_slide(deck: Deck, to: int = 15, layout: str = "标题和内容") -> Slide:
    [found] = [one for one in deck.slide_layouts if one.name == layout]
    slide = deck.slides.add_slide(found)
    entries = deck.slides._sldIdLst
    entries.insert(to, entries[len(entries) - 1])
    return slide


def fill(frame: Any, words: str = WORDS, address: str | None = ADDRESS, pieces: int = 1, end: str = "") -> None:
    """The three points as paragraphs, `words` of the last one as linked runs."""
    for index, text in enumerate(POINTS):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        head, found, tail = (text + end).partition(words)
        size = -(-len(words) // pieces)
        linked = [words[at : at + size] for at in range(0, len(words), size)] if found else []
        for run_text in (head, *linked, tail):
            if run_text:
                run = paragraph.add_run()
                run.text = run_text
                if run_text in linked and address:
                    run.hyperlink.address = address


def add_wishes(deck: Deck, to: int = 15, **how: Any) -> Slide:
    slide = add_slide(deck, to)
    slide.shapes.title.text = TITLE
    fill(slide.placeholders[1].text_frame, **how)
    return slide


@good("图书馆年报-007")
def points_with_stops_and_the_link_in_runs(deck: Deck) -> None:
    add_wishes(deck, pieces=2, end="；", address=ADDRESS + "/")


@good("图书馆年报-007")
def points_in_a_text_box_with_bullets(deck: Deck) -> None:
    slide = add_slide(deck, layout="仅标题")
    slide.shapes.title.text = TITLE
    box = slide.shapes.add_textbox(Inches(0.6), Inches(1.7), Inches(11), Inches(3))
    fill(box.text_frame)
    for paragraph in box.text_frame.paragraphs:
        paragraph._p.get_or_add_pPr().append(parse_xml(f'<a:buAutoNum {A} type="arabicPeriod"/>'))


@good("图书馆年报-007")
def measures_copied_and_written_anew(deck: Deck) -> None:
    """The neighbour is copied with its shapes, and the copy's texts replaced."""
    slide = add_slide(deck)
    for shape in list(slide.shapes):
        remove(shape)
    for shape in deck.slides[14].shapes:
        if shape.name != "目标":
            slide.shapes._spTree.append(copy.deepcopy(shape._element))
    slide.shapes.title.text = TITLE
    frame = slide.placeholders[1].text_frame
    for paragraph in list(frame.paragraphs)[1:]:
        paragraph._p.getparent().remove(paragraph._p)
    frame.paragraphs[0]._p.remove(frame.paragraphs[0]._p.pPr)
    frame.paragraphs[0].clear()
    fill(frame)


@wrong("图书馆年报-007", "新页在“改进措施”之后")
def slide_at_the_end(deck: Deck) -> None:
    add_wishes(deck, to=16)


@wrong("图书馆年报-007", "新页在“改进措施”之后", "其余内容未变")
def measures_overwritten(deck: Deck) -> None:
    slide = deck.slides[14]
    slide.shapes.title.text = TITLE
    slide.placeholders[1].text_frame.clear()
    fill(slide.placeholders[1].text_frame)


@wrong("图书馆年报-007", "标题正确")
def title_with_a_wrong_word(deck: Deck) -> None:
    add_wishes(deck).shapes.title.text = "需要支持的事情"


@wrong("图书馆年报-007", "三条正文")
def points_in_one_paragraph(deck: Deck) -> None:
    frame = add_wishes(deck).placeholders[1].text_frame
    first, second, _ = frame.paragraphs
    first.runs[0].text += "；" + second.text
    second._p.getparent().remove(second._p)


@wrong("图书馆年报-007", "三条正文")
def points_in_another_order(deck: Deck) -> None:
    first = add_wishes(deck).placeholders[1].text_frame.paragraphs[0]._p
    first.getparent().append(first)


@wrong("图书馆年报-007", "链接正确")
def link_to_the_library(deck: Deck) -> None:
    add_wishes(deck, address="https://www.yunxi-library.example")


@wrong("图书馆年报-007", "链接正确")
def underlined_only(deck: Deck) -> None:
    slide = add_wishes(deck, address=None)
    for run in [run for p in slide.placeholders[1].text_frame.paragraphs for run in p.runs if run.text == WORDS]:
        run.font.underline = True


@wrong("图书馆年报-007", "链接正确")
def whole_point_linked(deck: Deck) -> None:
    add_wishes(deck, words=POINTS[2])


@wrong("图书馆年报-007", "版式一致")
def title_and_typed_bullets_in_boxes(deck: Deck) -> None:
    slide = add_slide(deck, layout="仅标题")
    remove(slide.shapes.title)
    slide.shapes.add_textbox(Inches(0.6), Inches(0.4), Inches(8), Inches(0.8)).text_frame.text = TITLE
    frame = slide.shapes.add_textbox(Inches(0.6), Inches(1.7), Inches(11), Inches(3)).text_frame
    fill(frame)
    for paragraph in frame.paragraphs:
        paragraph.runs[0].text = "• " + paragraph.runs[0].text


@wrong("图书馆年报-007", "其余内容未变")
def measures_changed_too(deck: Deck) -> None:
    add_wishes(deck)
    deck.slides[14].placeholders[1].text_frame.paragraphs[0].runs[0].text = "1、延长开放时间"
