"""Outputs for tasks on the library's report that do what was asked and spoil something, or say it as others write it.

Each starts from the approved output of its task.
"""

from __future__ import annotations

import copy
import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from pptx.oxml import parse_xml
from pptx.util import Emu, Pt

from suite_outputs import MADE, A, Deck, Made, Rgb, Shape, _write, chart_of, edited, named, remove

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
NOTHING_ELSE, LEGIBLE, SOUND = "其余内容未变", "看得清", "文件完好"
# The slide that each task is about, from 1.
SLIDES = {1: 7, 2: 15, 3: 6, 4: 5, 5: 5, 6: 4, 7: 16, 8: 10}


def approved(task: int) -> Path:
    return ROOT / "baselines" / "cases" / f"图书馆年报-00{task}" / "output.pptx"


def keep(task: int, edit: Callable[[Deck, int], None], *caught_by: str) -> None:
    def make(_: Path, output: Path) -> None:
        edited(lambda deck: edit(deck, SLIDES[task]))(approved(task), output)

    MADE.append(Made(f"图书馆年报-00{task}", edit.__name__, make, caught_by))


def spoilt(task: int, *caught_by: str) -> Callable[[Callable[[Deck, int], None]], Callable[[Deck, int], None]]:
    """The function spoils the approved output of the task, given the number of its slide."""

    def register(edit: Callable[[Deck, int], None]) -> Callable[[Deck, int], None]:
        keep(task, edit, *caught_by)
        return edit

    return register


# --- on every task ---------------------------------------------------------------------------------------------------


def slide_hidden(deck: Deck, number: int) -> None:
    deck.slides[number - 1]._element.set("show", "0")


def title_tiny_and_pale(deck: Deck, number: int) -> None:
    for run in deck.slides[number - 1].shapes.title.text_frame.paragraphs[0].runs:
        run.font.size = Pt(6)
        run.font.color.rgb = Rgb.from_string("EDEDED" if number != 4 else "3A5A4A")


def every_text_at_4_points(deck: Deck, _: int) -> None:
    for slide in deck.slides:
        for size in slide._element.xpath(".//a:rPr | .//a:endParaRPr"):
            size.set("sz", "400")
        for run in slide._element.xpath(".//a:r[not(a:rPr)]"):
            run.insert(0, parse_xml(f'<a:rPr {A} sz="400"/>'))


def steps_at_half_width(deck: Deck, _: int) -> None:
    for shape in deck.slides[10].shapes:
        if shape.name.startswith("步骤"):
            shape.width = Emu(shape.width // 2)


def problems_deleted(deck: Deck, _: int) -> None:
    [entry] = [one for one in deck.slides._sldIdLst if one.id == 269]
    deck.part.drop_rel(entry.rId)
    deck.slides._sldIdLst.remove(entry)


def animation_lost(deck: Deck, _: int) -> None:
    timing = deck.slides[10]._element.find("{*}timing")
    timing.getparent().remove(timing)


def bookcase_upside_down(deck: Deck, _: int) -> None:
    named(deck.slides[1], "书架").rotation = 180


def footer_white_on_white(deck: Deck, _: int) -> None:
    for run in named(deck.slides[2], "页脚占位符").text_frame.paragraphs[0].runs:
        run.font.color.rgb = Rgb.from_string("FFFFFF")


def table_as_a_picture(deck: Deck, _: int) -> None:
    slide = deck.slides[8]
    table, blob = named(slide, "品牌活动"), io.BytesIO()
    Image.new("RGB", (64, 16), "#DDDDDD").save(blob, "PNG")
    slide.shapes.add_picture(blob, table.left, table.top, table.width, table.height)
    remove(table)


for _task in SLIDES:
    keep(_task, slide_hidden, LEGIBLE)
    keep(_task, title_tiny_and_pale, LEGIBLE)
    keep(_task, every_text_at_4_points, LEGIBLE)
    keep(_task, steps_at_half_width, NOTHING_ELSE)
    keep(_task, problems_deleted, NOTHING_ELSE)
    keep(_task, animation_lost, NOTHING_ELSE)
    keep(_task, bookcase_upside_down, NOTHING_ELSE)
    keep(_task, footer_white_on_white, LEGIBLE)
    keep(_task, table_as_a_picture, SOUND)


# --- done, but not so that anybody could use it ----------------------------------------------------------------------


@spoilt(2, "小点不变")
def sub_points_set_out(deck: Deck, number: int) -> None:
    for paragraph in deck.slides[number - 1].placeholders[1].text_frame.paragraphs:
        if paragraph.level:
            paragraph._p.get_or_add_pPr().set("marL", "3200000")


@spoilt(2, "自动编号一到五")
def numerals_in_the_ground_s_colour(deck: Deck, number: int) -> None:
    for paragraph in deck.slides[number - 1].placeholders[1].text_frame.paragraphs:
        if not paragraph.level:
            paragraph._p.pPr.insert(0, parse_xml(f'<a:buClr {A}><a:srgbClr val="FFFFFF"/></a:buClr>'))


@spoilt(3, LEGIBLE)
def column_of_sums_a_hair_wide(deck: Deck, number: int) -> None:
    columns = named(deck.slides[number - 1], "各馆指标").table.columns
    columns[0].width, columns[4].width = columns[0].width + columns[4].width - Emu(140_000), Emu(140_000)


@spoilt(3, "合计数正确")
def sums_with_words(deck: Deck, number: int) -> None:
    cell = named(deck.slides[number - 1], "各馆指标").table.cell(7, 1)
    cell.text_frame.paragraphs[0].runs[0].text = "238.7（含26.9）"


@spoilt(4, LEGIBLE)
def labels_at_two_points(deck: Deck, number: int) -> None:
    chart_of(deck.slides[number - 1]).chart.plots[0].series[0].data_labels.font.size = Pt(2)


@spoilt(4, LEGIBLE)
def axis_up_to_ten(deck: Deck, number: int) -> None:
    axis = chart_of(deck.slides[number - 1]).chart.value_axis
    axis.minimum_scale, axis.maximum_scale = 0, 10


@spoilt(5, "页脚位置统一")
def one_footer_on_the_right(deck: Deck, _: int) -> None:
    footer = named(deck.slides[9], "页脚占位符")
    footer.left, footer.top, footer.width, footer.height = Emu(4_000_000), footer.top, footer.width, footer.height


@spoilt(5, "页脚位置统一")
def footer_twice(deck: Deck, _: int) -> None:
    footer = named(deck.slides[9], "页脚占位符")
    again = copy.deepcopy(footer._element)
    again.nvSpPr.cNvPr.set("id", "77")
    footer._element.addnext(again)


@spoilt(6, "切换都是推入")
def a_push_of_no_time(deck: Deck, number: int) -> None:
    push = deck.slides[number - 1]._element.find("{*}transition")
    push.set("{http://schemas.microsoft.com/office/powerpoint/2010/main}dur", "0")


@spoilt(6, NOTHING_ELSE)
def one_divider_without_its_ornaments(deck: Deck, _: int) -> None:
    deck.slides[7]._element.set("showMasterSp", "0")


@spoilt(6, LEGIBLE)
def white_words_on_a_white_panel(deck: Deck, number: int) -> None:
    title = deck.slides[number - 1].shapes.title
    title.fill.solid()
    title.fill.fore_color.rgb = Rgb.from_string("FFFFFF")


@spoilt(7, "三条正文")
def a_fourth_point(deck: Deck, number: int) -> None:
    deck.slides[number - 1].placeholders[1].text_frame.add_paragraph().text = "增加编制三名"


@spoilt(7, "版式一致")
def body_off_the_slide(deck: Deck, number: int) -> None:
    body = deck.slides[number - 1].placeholders[1]
    body.left, body.top, body.width, body.height = Emu(9_000_000), Emu(1_500_000), Emu(9_000_000), Emu(4_000_000)


def photo(deck: Deck, number: int) -> Shape:
    [found] = [shape for shape in deck.slides[number - 1].shapes if shape._element.tag.endswith("}pic")]
    return found


@spoilt(8, "比例不变")
def photo_hardly_there(deck: Deck, number: int) -> None:
    photo(deck, number)._element.blipFill.find("{*}blip").append(parse_xml(f'<a:alphaModFix {A} amt="5000"/>'))


@spoilt(8, NOTHING_ELSE)
def points_shrunk_for_the_photo(deck: Deck, number: int) -> None:
    for paragraph in deck.slides[number - 1].placeholders[1].text_frame.paragraphs:
        for run in paragraph.runs:
            run.font.size = Pt(12)


@spoilt(8, "照片已转正")
def another_photo(deck: Deck, number: int) -> None:
    old, blob = photo(deck, number), io.BytesIO()
    Image.linear_gradient("L").resize((600, 400)).convert("RGB").save(blob, "PNG")
    new = deck.slides[number - 1].shapes.add_picture(blob, old.left, old.top, old.width, old.height)
    new._element.nvPicPr.cNvPr.set("descr", "修复师的工作台")
    remove(old)


# --- the same as other programs write it -----------------------------------------------------------------------------


def by_parts(task: int, edit: Callable[[dict[str, str], str], None]) -> None:
    """edit: changes the XML of all parts, given the name of the part of the task's slide."""

    def make(_: Path, output: Path) -> None:
        with zipfile.ZipFile(approved(task)) as old:
            blobs = {name: old.read(name) for name in old.namelist()}
        parts = {name: blob.decode() for name, blob in blobs.items() if name.endswith((".xml", ".rels"))}
        others = {name: blob for name, blob in blobs.items() if name not in parts}
        edit(parts, f"ppt/slides/slide{17 if task == 7 else SLIDES[task]}.xml")
        _write(output, {name: text.encode() for name, text in parts.items()} | others)

    MADE.append(Made(f"图书馆年报-00{task}", edit.__name__, make))


def marks_of_powerpoint(parts: dict[str, str], name: str) -> None:
    text = parts[name].replace("<a:rPr ", '<a:rPr dirty="0" err="1" ').replace("<a:rPr/>", '<a:rPr dirty="0"/>')
    text = text.replace("<a:r><a:t>", '<a:r><a:rPr lang="zh-CN" altLang="en-US" dirty="0" smtClean="0"/><a:t>')
    parts[name] = re.sub(r"(</a:r>)(</a:p>)", r'\1<a:endParaRPr lang="zh-CN" altLang="en-US" dirty="0"/>\2', text)


def part_renamed(parts: dict[str, str], name: str) -> None:
    number = re.findall(r"\d+", name)[-1]
    for part in list(parts):
        text = parts.pop(part).replace(f'slides/slide{number}.xml"', f'slides/slide{number}07.xml"')
        parts[part.replace(f"slide{number}.xml", f"slide{number}07.xml") if "slides/" in part else part] = text


def runs_cut_in_two(deck: Deck, number: int) -> None:
    for run in deck.slides[number - 1]._element.xpath(".//a:r[string-length(a:t) > 3]"):
        more: Any = copy.deepcopy(run)
        [text], [rest] = run.iter("{*}t"), more.iter("{*}t")
        text.text, rest.text = text.text[:2], text.text[2:]
        run.addnext(more)


def styles_only_read(deck: Deck, number: int) -> None:
    """Who asks python-pptx for a font or a paragraph's spacing leaves empty properties behind."""
    for shape in deck.slides[number - 1].shapes:
        for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
            assert paragraph.font.size is None or paragraph.font.size
            assert all(run.font.bold in (None, True, False) for run in paragraph.runs)


for _task in SLIDES:
    by_parts(_task, marks_of_powerpoint)
    by_parts(_task, part_renamed)
    keep(_task, runs_cut_in_two)
    keep(_task, styles_only_read)
