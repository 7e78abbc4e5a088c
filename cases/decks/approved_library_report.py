"""Reference solutions for the tasks on library_report.pptx, written by hand as code: one function a task.

Each changes the deck it is given and returns how many edits it made. They are what run.json says they are: solutions
of a person, not runs of an agent.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kit import NS, SLIDE_NUMBER, emu, light_grid, placeholder, style_chart, theme
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION
from pptx.oxml import parse_xml
from pptx.util import Pt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kit import Deck, Shape, Slide

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def rename_branch(deck: Deck) -> int:
    """Run by run, the chart's data, notes and descriptions too; on slide 7 the name is in two runs."""
    edits = 0
    for slide in deck.slides:
        frames = [shape.text_frame for shape in leaf_shapes(slide.shapes) if shape.has_text_frame]
        tables = [shape.table for shape in slide.shapes if getattr(shape, "has_table", False)]
        frames += [cell.text_frame for table in tables for row in table.rows for cell in row.cells]
        if slide.has_notes_slide:
            frames.append(slide.notes_slide.notes_text_frame)
        for paragraph in (paragraph for frame in frames for paragraph in frame.paragraphs):
            runs = paragraph.runs
            for run, after in zip(runs, [*runs[1:], None], strict=False):
                new = run.text.replace("东湖分馆", "云湖分馆")
                if after is not None and after.text.startswith("分馆") and new.endswith("东湖"):
                    new = new.removesuffix("东湖") + "云湖"
                if new != run.text:
                    run.text = new
                    edits += 1
        for chart in (shape.chart for shape in slide.shapes if getattr(shape, "has_chart", False)):
            plot = chart.plots[0]
            if "东湖分馆" in plot.categories:
                data = CategoryChartData(number_format="0.0")
                data.categories = [str(name).replace("东湖分馆", "云湖分馆") for name in plot.categories]
                for series in plot.series:
                    data.add_series(series.name, series.values)
                chart.replace_data(data)
                edits += 1
        for properties in slide.shapes._spTree.iter("{*}cNvPr"):
            if "东湖分馆" in properties.get("descr", ""):
                properties.set("descr", properties.get("descr").replace("东湖分馆", "云湖分馆"))
                edits += 1
    return edits


def leaf_shapes(shapes: Iterable[Shape]) -> Iterable[Shape]:
    for shape in shapes:
        if shape._element.tag.endswith("}grpSp"):
            yield from leaf_shapes(shape.shapes)
        else:
            yield shape


def number_measures(deck: Deck) -> int:
    """The typed numbers go, automatic Chinese ones come."""
    points = [p for p in deck.slides[14].placeholders[1].text_frame.paragraphs if p.level == 0]
    for paragraph in points:
        run = paragraph.runs[0]
        run.text = run.text.lstrip("（12345）、．")
        properties = paragraph._p.get_or_add_pPr()
        properties.set("marL", str(emu(0.5)))
        properties.set("indent", str(-emu(0.5)))
        for old in properties.findall("{*}buNone"):
            properties.remove(old)
        properties.append(parse_xml(f'<a:buFont {A} typeface="+mj-ea"/>'))
        properties.append(parse_xml(f'<a:buAutoNum {A} type="ea1ChsPeriod"/>'))
    return 2 * len(points)


def sort_and_sum(deck: Deck) -> int:
    """Rows are moved as they are; the sum row is a copy of the last one with new texts."""
    [graphic] = [shape for shape in deck.slides[5].shapes if getattr(shape, "has_table", False)]
    table = graphic.table
    rows = sorted(list(table.rows)[1:], key=lambda row: -float(row.cells[2].text))
    for row in rows:
        row._tr.getparent().append(row._tr)
    sums = [sum(float(row.cells[c].text.replace(",", "")) for row in rows) for c in range(1, 5)]
    last = copy.deepcopy(rows[-1]._tr)
    rows[-1]._tr.addnext(last)
    texts = ["合计", *(f"{number:.1f}" for number in sums[:2]), *(f"{number:,.0f}" for number in sums[2:])]
    for cell, text in zip(list(table.rows)[-1].cells, texts, strict=True):
        cell.text_frame.paragraphs[0].runs[0].text = text
    table.last_row = True
    graphic.height = sum(row.height for row in table.rows)
    return len(rows) + 1 + len(texts)


def line_for_columns(deck: Deck) -> int:
    """A new native chart in the old one's place, with labels above the points and a title."""
    slide = deck.slides[4]
    [old] = [shape for shape in slide.shapes if getattr(shape, "has_chart", False)]
    plot = old.chart.plots[0]
    data = CategoryChartData(number_format="0.0")
    data.categories = [str(year) for year in plot.categories]
    data.add_series(plot.series[0].name, plot.series[0].values)
    box = (old.left, old.top, old.width, old.height)
    slide.part.drop_rel(old._element.xpath(".//c:chart/@r:id")[0])
    old._element.getparent().remove(old._element)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.LINE_MARKERS, *box, data)
    graphic.name = "到馆人次"
    chart = graphic.chart
    style_chart(chart, (), size=14)
    chart.has_title = True
    chart.chart_title.text_frame.text = "近五年到馆人次"
    light_grid(chart.value_axis)
    chart.value_axis.minimum_scale, chart.value_axis.maximum_scale = 100, 260
    chart.value_axis.tick_labels.number_format, chart.value_axis.tick_labels.number_format_is_linked = "0", False
    series = chart.plots[0].series[0]
    series.smooth = False
    series.format.line.width = Pt(2.75)
    series.format.line.color.theme_color = theme("ACCENT_1")
    series.marker.format.fill.solid()
    series.marker.format.fill.fore_color.theme_color = theme("ACCENT_1")
    labels = series.data_labels
    labels.show_value, labels.position = True, XL_LABEL_POSITION.ABOVE
    series.points[1].data_label.position = XL_LABEL_POSITION.BELOW  # the lowest point: above it runs the line
    return 3


def footers_and_numbers(deck: Deck) -> int:
    """The placeholders of the layout are put on slides that lack them, as PowerPoint's own dialogue does."""
    edits = 0
    for number, slide in enumerate(list(deck.slides)[1:], 2):
        for holder in slide.slide_layout.placeholders:
            [kind] = holder._element.xpath("./p:nvSpPr/p:nvPr/p:ph/@type") or ["obj"]
            if kind not in ("ftr", "sldNum"):
                continue
            own = [p for p in slide.placeholders if p.placeholder_format.idx == holder.placeholder_format.idx]
            if own and kind == "ftr":
                own[0].text_frame.paragraphs[0].runs[0].text = TITLE
            elif not own:
                text = TITLE if kind == "ftr" else SLIDE_NUMBER.replace("‹#›", str(number))
                add_holder(slide, holder, kind, text)
            else:
                continue
            edits += 1
    return edits


TITLE = "云溪市图书馆2025年度工作报告"


def add_holder(slide: Slide, holder: Shape, kind: str, text: str) -> None:
    shape_id = max(shape.shape_id for shape in slide.shapes) + 1
    ph = f'type="{kind}" sz="quarter" idx="{holder.placeholder_format.idx}"'
    wrapper = etree.fromstring(f"<x {NS}>{placeholder(shape_id, holder.name, ph, text=text)}</x>")
    slide.shapes._spTree.append(parse_xml(etree.tostring(wrapper[0])))


def dress_sections(deck: Deck) -> int:
    """A background in dark green and a push for each divider, in place of the transitions they had."""
    for number in (3, 7, 11):
        slide = deck.slides[number]
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = RGBColor(0x24, 0x50, 0x3A)
        element = slide._element
        for old in [e for e in element if str(e.tag).endswith(("}transition", "}AlternateContent"))]:
            element.remove(old)
        push = f'<p:transition {NS} spd="med"><p:push dir="l"/></p:transition>'
        element.find("{*}clrMapOvr").addnext(parse_xml(push))
    return 6


def add_wishes(deck: Deck) -> int:
    """A slide of the layout of its neighbour, moved to its place; the link is on a run of its own."""
    neighbour = deck.slides[14]
    slide = deck.slides.add_slide(neighbour.slide_layout)
    slide.shapes.title.text = "需要支持的事项"
    frame = slide.placeholders[1].text_frame
    frame.text = "将流动图书车纳入市政更新计划\n协调新馆周边公交线路"
    paragraph = frame.add_paragraph()
    for text, address in (("支持", None), ("云溪书房", "https://shufang.yunxi-library.example"), ("连锁布点", None)):
        run: Any = paragraph.add_run()
        run.text = text
        if address:
            run.hyperlink.address = address
    for holder in slide.slide_layout.placeholders:
        kind = holder._element.xpath("./p:nvSpPr/p:nvPr/p:ph/@type")
        if kind == ["ftr"]:
            add_holder(slide, holder, "ftr", neighbour.placeholders[11].text_frame.text)
        elif kind == ["sldNum"]:
            add_holder(slide, holder, "sldNum", SLIDE_NUMBER.replace("‹#›", "16"))
    entries = deck.slides._sldIdLst
    entries.insert(15, entries[16])
    return 6


def turn_picture(deck: Deck) -> int:
    """Turned back, moved in line with the margin, described."""
    [picture] = [shape for shape in deck.slides[9].shapes if shape._element.tag.endswith("}pic")]
    picture.rotation = 0
    picture.left = emu(12.73) - picture.width
    picture._element.nvPicPr.cNvPr.set("descr", "修复师的工作台")
    return 3


SOLUTIONS: dict[str, Callable[[Deck], int]] = {
    "图书馆年报-001": rename_branch,
    "图书馆年报-002": number_measures,
    "图书馆年报-003": sort_and_sum,
    "图书馆年报-004": line_for_columns,
    "图书馆年报-005": footers_and_numbers,
    "图书馆年报-006": dress_sections,
    "图书馆年报-007": add_wishes,
    "图书馆年报-008": turn_picture,
}
