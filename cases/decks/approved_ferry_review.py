"""Reference solutions for the tasks on ferry_review.pptx, written by hand as code: one function a task.

Each changes the deck it is given and returns how many edits it made. They are what run.json says they are: solutions
of a person, not runs of an agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import add_fades, emu, light_grid, style_chart, theme
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_TICK_LABEL_POSITION
from pptx.oxml import parse_xml
from pptx.util import Pt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kit import Deck, Shape


def rename_ship(deck: Deck) -> int:
    """Run by run, so that the formatting stays; the name in two runs on slide 7 has "Petrel" in a run of its own."""
    edits = 0
    for slide in deck.slides:
        frames = [shape.text_frame for shape in leaf_shapes(slide.shapes) if shape.has_text_frame]
        tables = [shape.table for shape in slide.shapes if getattr(shape, "has_table", False)]
        frames += [cell.text_frame for table in tables for row in table.rows for cell in row.cells]
        if slide.has_notes_slide:
            frames.append(slide.notes_slide.notes_text_frame)
        for paragraph in (paragraph for frame in frames for paragraph in frame.paragraphs):
            runs = paragraph.runs
            for before, run in zip([None, *runs], runs, strict=False):
                new = run.text.replace("MV Petrel", "MV Fulmar")
                if before is not None and before.text.endswith("MV ") and new.startswith("Petrel"):
                    new = "Fulmar" + new.removeprefix("Petrel")
                if new != run.text:
                    run.text = new
                    edits += 1
        for properties in slide.shapes._spTree.iter("{*}cNvPr"):
            for name in ("descr", "name"):
                if "MV Petrel" in properties.get(name, ""):
                    properties.set(name, properties.get(name).replace("MV Petrel", "MV Fulmar"))
                    edits += 1
    return edits


def leaf_shapes(shapes: Iterable[Shape]) -> Iterable[Shape]:
    for shape in shapes:
        if shape._element.tag.endswith("}grpSp"):
            yield from leaf_shapes(shape.shapes)
        else:
            yield shape


def link_words(deck: Deck) -> int:
    """The run is cut in two, and the second half gets the link."""
    words = "live departure board"
    paragraph = deck.slides[16].placeholders[1].text_frame.paragraphs[1]
    [run] = paragraph.runs
    run.text = run.text.removesuffix(words)
    link = paragraph.add_run()
    link.text = words
    link.font.size = run.font.size
    link.hyperlink.address = "https://departures.kestrelsound.example/today"
    return 2


def bars_for_pie(deck: Deck) -> int:
    """A new native chart in the pie's place; the axis runs from the top, so that the data is sorted as it is read."""
    slide = deck.slides[7]
    [pie] = [shape for shape in slide.shapes if getattr(shape, "has_chart", False)]
    plot = pie.chart.plots[0]
    rows = sorted(zip(plot.categories, plot.series[0].values, strict=True), key=lambda row: -row[1])
    data = CategoryChartData(number_format="0")
    data.categories = [str(reason) for reason, _ in rows]
    data.add_series(plot.series[0].name, [number for _, number in rows])
    box = (pie.left, pie.top, pie.width, pie.height)
    slide.part.drop_rel(pie._element.xpath(".//c:chart/@r:id")[0])
    pie._element.getparent().remove(pie._element)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *box, data)
    graphic.name = "Reasons for delay"
    chart = graphic.chart
    style_chart(chart, ("ACCENT_1",), legend=False, size=14)
    chart.category_axis.reverse_order = True
    chart.category_axis.format.line.color.theme_color = theme("ACCENT_5")
    light_grid(chart.value_axis)
    chart.value_axis.has_major_gridlines = False
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.NONE
    bars = chart.plots[0]
    bars.gap_width = 45
    bars.has_data_labels = True
    bars.data_labels.show_value = True
    bars.data_labels.font.size, bars.data_labels.font.bold = Pt(14), True
    bars.data_labels.position = XL_LABEL_POSITION.OUTSIDE_END
    return 3


def colour_ratings(deck: Deck) -> int:
    """Red and amber from the theme; the theme's own green is too near to blue, so green is a colour of its own."""
    [table] = [shape.table for shape in deck.slides[14].shapes if getattr(shape, "has_table", False)]
    for row in list(table.rows)[1:]:
        cell = row.cells[1]
        cell.fill.solid()
        if cell.text == "Low":
            cell.fill.fore_color.rgb = RGBColor(0x5C, 0xB8, 0x5C)
        else:
            cell.fill.fore_color.theme_color = theme({"High": "ACCENT_4", "Medium": "ACCENT_3"}[cell.text])
    return len(table.rows) - 1


def line_up_cards(deck: Deck) -> int:
    """Groups of one size, from margin to margin of the slide."""
    groups = [shape for shape in deck.slides[2].shapes if shape._element.tag.endswith("}grpSp")]
    width, gap = 2.8, (12.13 - 4 * 2.8) / 3
    for index, group in enumerate(sorted(groups, key=lambda group: group.left)):
        group.left, group.top = emu(0.6 + index * (width + gap)), emu(1.85)
        group.width, group.height = emu(width), emu(2.3)
    return 4 * len(groups)


def number_points(deck: Deck) -> int:
    """Automatic numbers on the paragraphs of the first level."""
    points = [p for p in deck.slides[15].placeholders[1].text_frame.paragraphs if p.level == 0]
    for paragraph in points:
        properties = paragraph._p.get_or_add_pPr()
        properties.set("marL", str(emu(0.35)))
        properties.set("indent", str(-emu(0.35)))
        for tag, attribute in (("buFont", 'typeface="+mj-lt"'), ("buAutoNum", 'type="arabicPeriod"')):
            properties.append(
                parse_xml(f'<a:{tag} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" {attribute}/>')
            )
    return len(points)


def move_and_hide(deck: Deck) -> int:
    """The risk slide's entry moves in the list of slides; the backup slide is marked as not shown."""
    entries = deck.slides._sldIdLst
    risks = entries[14]
    entries.remove(risks)
    entries.insert(3, risks)
    deck.slides[17]._element.set("show", "0")
    return 2


def fade_steps(deck: Deck) -> int:
    """One entrance effect on each step's group."""
    slide = deck.slides[13]
    steps = [shape.shape_id for shape in slide.shapes if shape.name.startswith("Step ")]
    add_fades(slide, [(step, "click") for step in steps])
    return len(steps)


SOLUTIONS: dict[str, Callable[[Deck], int]] = {
    "ferry_review-001": rename_ship,
    "ferry_review-002": link_words,
    "ferry_review-003": bars_for_pie,
    "ferry_review-004": colour_ratings,
    "ferry_review-005": line_up_cards,
    "ferry_review-006": number_points,
    "ferry_review-007": move_and_hide,
    "ferry_review-008": fade_steps,
}
