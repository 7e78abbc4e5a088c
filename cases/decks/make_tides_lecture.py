"""Writes tides_lecture.pptx: a university lecture on tides, by a lecturer who does not exist.

Run it as `python cases/decks/make_tides_lecture.py [folder]`. Port Calder and its tide table are made up; heights over
the month are computed here. What is said of real places and stations is rounded common knowledge. Some slides hold,
on purpose, what people ask an agent to put right: a tilted picture with a black strip (3), slide numbers that are
missing (8, 11), a mixture of transitions, one of them by itself (12).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tides_art
from kit import (
    add_fades,
    add_modern_transition,
    add_runs,
    add_slide,
    add_table,
    add_text,
    add_transition,
    emu,
    fill_list,
    light_grid,
    new_deck,
    paint,
    save,
    style_chart,
    theme,
    write,
)
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_MARKER_STYLE, XL_TICK_LABEL_POSITION
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Pt
from tides_design import DESIGN, HIGH, LEFT, LOOK, TOP, WIDE

if TYPE_CHECKING:
    from kit import Deck, Shape, Slide

NAME = "tides_lecture.pptx"
FOOTER = "Introduction to Oceanography, lecture 6"
DATE = "3 November 2026"
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def build() -> Deck:
    deck = new_deck(LOOK, "How tides work", "Ines Halloran", DESIGN)
    for slide in (
        cover, questions, shore, why, bulges, chain, spring_and_neap, month, kinds, coasts, ranges, measuring,
        worked_example, twelfths, power, summary, reading,
    ):  # fmt: skip
        slide(deck)
    for number in (8, 11):
        remove_number(deck.slides[number - 1])
    return deck


def plain(deck: Deck, layout: str, title: str, notes: str | None = None) -> Slide:
    """A slide with date, footer and number."""
    return add_slide(deck, layout, title, FOOTER, notes, DATE)


def remove_number(slide: Slide) -> None:
    [holder] = slide._element.xpath('.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="sldNum"]')
    holder.getparent().remove(holder)


def drop(holder: Shape) -> None:
    holder._element.getparent().remove(holder._element)


def describe(shape: Shape, name: str, text: str) -> None:
    shape.name = name
    shape._element.xpath(".//p:cNvPr")[0].set("descr", text)


def place(shape: Shape, x: float, y: float, w: float, h: float) -> None:
    shape.left, shape.top, shape.width, shape.height = emu(x), emu(y), emu(w), emu(h)


def cover(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Slide", "How tides work",
        notes="Doors open at ten past nine. Hand round the printed tide tables before the start.",
    )  # fmt: skip
    fill_list(slide.placeholders[1].text_frame, [FOOTER, "Dr Ines Halloran, Calder University, autumn term 2026"])
    picture = slide.shapes.add_picture(tides_art.moonrise(), 0, emu(3.75), emu(10), emu(3.75))
    describe(picture, "Moonrise", "Drawing of the full moon over a calm sea")


QUESTIONS = (
    "Why does the sea rise twice a day?",
    "Why is high water fifty minutes later each day?",
    "Why are some tides larger than others?",
    "How are tides measured and predicted?",
    "Can tides drive power stations?",
)


def questions(deck: Deck) -> None:
    slide = plain(
        deck, "Title and Content", "Five questions for today",
        "Ask for a show of hands on question 2; few people know the answer.",
    )  # fmt: skip
    body = slide.placeholders[1]
    place(body, LEFT, TOP, WIDE, 4.0)
    lines = list(QUESTIONS[:3])
    fill_list(
        body.text_frame,
        [*lines, (1, "From week to week: spring and neap tides"), (1, "From coast to coast: bays, shelves, funnels"),
         *QUESTIONS[3:]],
        22,
    )  # fmt: skip
    for paragraph in body.text_frame.paragraphs:
        paragraph.space_after = Pt(4)
        if paragraph.level == 0:
            number(paragraph)
        else:
            paragraph.runs[0].font.size = Pt(18)
    box = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.85), emu(WIDE), emu(0.85))
    box.name = "Bring along"
    paint(box, "ACCENT_6")
    write(box, "**You need:** the printed tide table of Port Calder and a pencil", 18, inset=0.25)


def number(paragraph: Shape) -> None:
    """An automatic number, 1. 2. 3., for the paragraph."""
    properties = paragraph._p.get_or_add_pPr()
    properties.set("marL", str(emu(0.45)))
    properties.set("indent", str(-emu(0.45)))
    properties.append(parse_xml(f'<a:buFont {A} typeface="+mj-lt"/>'))
    properties.append(parse_xml(f'<a:buAutoNum {A} type="arabicPeriod"/>'))


PICTURE_WIDTH = 3.95


def shore(deck: Deck) -> None:
    slide = plain(
        deck, "Title Only", "What we see on the shore",
        "Both pictures are of the old pier at Port Calder, six hours apart.",
    )  # fmt: skip
    high = slide.shapes.add_picture(tides_art.pier(low=False), emu(LEFT), emu(1.75), emu(PICTURE_WIDTH))
    describe(high, "High water", "The pier at high water, a boat afloat")
    low = slide.shapes.add_picture(tides_art.pier(low=True), emu(5.5), emu(1.75), emu(PICTURE_WIDTH))
    describe(low, "Low water", "The pier at low water, the boat lying on the sand")
    low.rotation = 5
    for x, head, line in (
        (LEFT, "08:06, high water", "6.1 m over the datum of the tide table"),
        (5.5, "14:20, low water", "0.7 m, and the boat lies dry"),
    ):
        text = add_text(slide.shapes, (x, 5.2, PICTURE_WIDTH, 0.75), f"**{head}**\n{line}", 16, inset=0)
        text.name = f"Caption {head}"
    add_text(
        slide.shapes, (LEFT, 6.15, WIDE, 0.5), "Range: 6.1 m − 0.7 m = 5.4 m in a little over six hours", 18,
        colour="ACCENT_4", bold=True, inset=0,
    )  # fmt: skip


def why(deck: Deck) -> None:
    section(deck, "Why the sea rises and falls", "Gravity, two bulges, and a Moon that moves on", '<p:push dir="l"/>')


def section(deck: Deck, title: str, line: str, inner: str) -> None:
    slide = add_slide(deck, "Section Header", title)
    slide.placeholders[1].text_frame.text = line
    add_transition(slide, inner)


def bulges(deck: Deck) -> None:
    slide = plain(
        deck, "Title Only", "Two bulges, two high waters a day",
        "Not to scale. The far bulge is what people ask about: there the Moon pulls the Earth more than the water.",
    )  # fmt: skip
    group = slide.shapes.add_group_shape()
    group.name = "Earth with two bulges"
    water = group.shapes.add_shape(MSO_SHAPE.OVAL, emu(1.5), emu(2.1), emu(4.3), emu(2.5))
    water.name = "Water"
    paint(water, "ACCENT_6")
    earth = group.shapes.add_shape(MSO_SHAPE.OVAL, emu(2.6), emu(2.3), emu(2.1), emu(2.1))
    earth.name = "Earth"
    paint(earth, "ACCENT_3")
    write(earth, "Earth", 20, "BACKGROUND_1", True, PP_ALIGN.CENTER)
    moon = slide.shapes.add_shape(MSO_SHAPE.OVAL, emu(8.45), emu(2.9), emu(0.9), emu(0.9))
    moon.name = "Moon"
    paint(moon, "ACCENT_5")
    write(moon, "Moon", 14, "BACKGROUND_1", True, PP_ALIGN.CENTER, inset=0)
    arrow = slide.shapes.add_shape(MSO_SHAPE.RIGHT_ARROW, emu(6.15), emu(3.12), emu(1.9), emu(0.46))
    arrow.name = "Pull"
    paint(arrow, "ACCENT_2")
    for x, y, w, words in ((LEFT, 4.65, 2.0, "far bulge"), (4.35, 4.65, 2.0, "near bulge"), (6.15, 2.6, 1.9, "pull")):
        add_text(slide.shapes, (x, y, w, 0.4), words, 16, align=PP_ALIGN.CENTER, colour="ACCENT_1", bold=True)
    fact = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.3), emu(WIDE), emu(1.4))
    fact.name = "Fifty minutes"
    paint(fact, "BACKGROUND_1", "ACCENT_2")
    write(
        fact,
        "The Earth turns below both bulges once a day, so a coast has **two high waters**. The Moon moves on "
        "meanwhile: a tidal day lasts **24 hours 50 minutes**.",
        18, inset=0.25,
    )  # fmt: skip
    add_fades(slide, [(fact.shape_id, "click")])


CHAIN = (
    ("The Moon pulls", "and pulls harder on the side that is nearer to it", "ACCENT_1"),
    ("Water flows sideways", "the pull along the surface moves it, not the pull upwards", "ACCENT_3"),
    ("Two bulges form", "one below the Moon, one on the far side of the Earth", "ACCENT_4"),
    ("The Earth turns", "and carries each coast through both bulges", "ACCENT_1"),
)


def chain(deck: Deck) -> None:
    slide = plain(deck, "Title Only", "From the Moon's pull to high water")
    for index, (head, line, colour) in enumerate(CHAIN):
        y = 1.7 + index * 1.28
        group = slide.shapes.add_group_shape()
        group.name = f"Link {index + 1}"
        bar = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(1.4), emu(y), emu(8.1), emu(0.95))
        bar.name = "Bar"
        paint(bar, "BACKGROUND_1")
        write(bar, f"**{head}**\n{line}", 17, inset=0.7)
        disc = group.shapes.add_shape(MSO_SHAPE.OVAL, emu(LEFT), emu(y), emu(0.95), emu(0.95))
        disc.name = "Number"
        paint(disc, colour)
        write(disc, str(index + 1), 26, "BACKGROUND_1", True, PP_ALIGN.CENTER, inset=0)
        if index < 3:
            arrow = slide.shapes.add_shape(MSO_SHAPE.DOWN_ARROW, emu(1.3), emu(y + 1.0), emu(0.25), emu(0.23))
            arrow.name = f"Arrow {index + 1}"
            paint(arrow, "ACCENT_2")


def spring_and_neap(deck: Deck) -> None:
    slide = plain(
        deck, "Comparison", "Sun and Moon: spring and neap tides",
        "Spring has nothing to do with the season: the water springs up.",
    )  # fmt: skip
    texts = (
        ("Spring tide", ["At new and full moon", "Sun and Moon pull along one line", "Range up to a fifth above mean"]),
        ("Neap tide", ["At half moon", "Sun and Moon pull at a right angle", "Range up to a fifth below mean"]),
    )
    for index, (head, lines) in enumerate(texts):
        slide.placeholders[1 + 2 * index].text_frame.text = head
        fill_list(slide.placeholders[2 + 2 * index].text_frame, lines, 18)
        picture = slide.shapes.add_picture(
            tides_art.alignment(spring=not index), emu((LEFT, 5.35)[index]), emu(4.2), emu(4.15), emu(2.5)
        )
        describe(picture, f"{head} drawing", f"Drawing of Sun, Earth and Moon at {head.lower()}")
        picture.crop_right = 1 - (4.15 / 2.5) * 400 / 800  # the drawing is empty there


DAYS = tuple(range(1, 31))
HEIGHTS = tuple(round(5.3 + 0.95 * math.cos(2 * math.pi * (day - 9.5) / 14.77), 1) for day in DAYS)


def month(deck: Deck) -> None:
    slide = plain(
        deck, "Title Only", "A month of high waters at Port Calder",
        "New moon on 9 November, full moon on 24 November. The largest tides follow a day or two later.",
    )  # fmt: skip
    data = CategoryChartData(number_format="0.0")
    data.categories = [str(day) for day in DAYS]
    data.add_series("Morning high water, metres", HEIGHTS)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.LINE_MARKERS, emu(LEFT), emu(1.6), emu(WIDE), emu(4.15), data)
    graphic.name = "High waters"
    chart = graphic.chart
    style_chart(chart, (), legend=False)
    series = chart.plots[0].series[0]
    series.smooth = False
    series.format.line.width = Pt(2.5)
    series.format.line.color.theme_color = theme("ACCENT_1")
    series.marker.style, series.marker.size = XL_MARKER_STYLE.CIRCLE, 6
    series.marker.format.fill.solid()
    series.marker.format.fill.fore_color.theme_color = theme("ACCENT_1")
    axis = chart.value_axis
    axis.minimum_scale, axis.maximum_scale, axis.major_unit = 4, 7, 0.5
    light_grid(axis)
    chart.category_axis.tick_labels.font.size = Pt(10)
    text = add_text(
        slide.shapes, (LEFT, 5.85, WIDE, 0.85),
        "**Two peaks a month:** high water is nearly two metres higher at spring tide than at neap tide. "
        "Days are those of November.",
        16, inset=0, anchor=MSO_ANCHOR.TOP,
    )  # fmt: skip
    text.name = "Reading of the chart"
    add_transition(slide, '<p:wipe dir="r"/>')


KINDS = (
    ("Kind", "High waters a day", "What one sees", "Found at"),
    ("Semidiurnal", "2", "Both of nearly the same height", "Brest, Port Calder"),
    ("Mixed", "2", "One clearly higher than the other", "San Francisco"),
    ("Diurnal", "1", "One slow rise and fall a day", "Pensacola"),
)


def kinds(deck: Deck) -> None:
    slide = plain(deck, "Title Only", "Three kinds of tide")
    graphic = add_table(slide, (LEFT, 1.75, WIDE, 2.9), KINDS, (1.75, 1.6, 3.1, 2.1), (), 16)
    graphic.name = "Kinds of tide"
    for row in range(len(KINDS)):
        graphic.table.cell(row, 1).text_frame.paragraphs[0].alignment = PP_ALIGN.CENTER
    box = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(LEFT), emu(5.05), emu(WIDE), emu(1.5))
    box.name = "Why kinds differ"
    paint(box, "BACKGROUND_1")
    write(
        box,
        "The Moon stands over the equator only twice a month. At other times one bulge lies north of it and one south, "
        "and the shape of an ocean basin decides which rhythm it answers to.",
        17, inset=0.25,
    )  # fmt: skip


def coasts(deck: Deck) -> None:
    section(deck, "Tides on real coasts", "Ranges, gauges, tables and turbines", '<p:cover dir="d"/>')


RANGES = (("Naples", 0.3), ("Honolulu", 0.6), ("Cuxhaven", 3), ("Anchorage", 9), ("Saint-Malo", 11), ("Avonmouth", 12),
          ("Minas Basin", 15))  # fmt: skip


def ranges(deck: Deck) -> None:
    slide = plain(
        deck, "Two Content", "Why ranges differ so much",
        "Values are spring ranges, rounded. Minas Basin is the inner end of the Bay of Fundy.",
    )  # fmt: skip
    drop(slide.placeholders[1])
    data = CategoryChartData(number_format="General")
    data.categories = [name for name, _ in RANGES]
    data.add_series("Spring range, metres", [metres for _, metres in RANGES])
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, emu(LEFT), emu(TOP), emu(4.9), emu(HIGH), data)
    graphic.name = "Spring ranges"
    chart = graphic.chart
    style_chart(chart, ("ACCENT_3",), legend=False, size=13)
    chart.has_title = True
    chart.chart_title.text_frame.text = "Spring range, metres"
    chart.chart_title.text_frame.paragraphs[0].runs[0].font.size = Pt(14)
    chart.value_axis.has_major_gridlines = False
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.NONE
    chart.value_axis.format.line.fill.background()
    plot = chart.plots[0]
    plot.gap_width = 45
    plot.has_data_labels = True
    plot.data_labels.show_value = True
    plot.data_labels.font.size, plot.data_labels.font.bold = Pt(13), True
    plot.data_labels.position = XL_LABEL_POSITION.OUTSIDE_END
    text = slide.placeholders[2]
    place(text, 6.05, TOP, 3.45, HIGH)
    fill_list(
        text.text_frame,
        [
            "**Small seas** have small tides: the Mediterranean is too short",
            "**Shelves** slow the wave down, and it rises",
            "**Funnels** squeeze it: Avonmouth, Saint-Malo",
            "**Resonance** doubles it: the Bay of Fundy swings in nearly twelve hours",
        ],
        17,
    )


MILESTONES = (
    ("1831", "Sheerness: the first gauge that draws its own curve"),
    ("1873", "Kelvin's machine adds up ten partial tides"),
    ("1985", "GLOSS joins gauges into a world network"),
    ("1992", "TOPEX/Poseidon measures the sea from orbit"),
)
STEP, DOT_LEFT, LINE_Y = 1.7, 1.62, 3.2  # from milestone to milestone, the first dot, the line


def measuring(deck: Deck) -> None:
    slide = plain(
        deck, "Title Only", "From tide pole to satellite",
        "The Sheerness gauge ran on a float and a clock. Kelvin's machine drew a year of tides in four hours.",
    )  # fmt: skip
    line = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, emu(LEFT), emu(LINE_Y), emu(9.5), emu(LINE_Y))
    line.name = "Time line"
    line.line.color.theme_color, line.line.width = theme("ACCENT_5"), Pt(4)
    for index, (year, words) in enumerate(MILESTONES):
        milestone(slide, DOT_LEFT + index * STEP, year, words)
    box = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.55), emu(WIDE), emu(1.1))
    box.name = "Prediction"
    paint(box, "ACCENT_1")
    write(
        box, "With 37 partial tides, measured over a year, a port's tides are predicted for decades.", 18,
        "BACKGROUND_1", inset=0.25,
    )  # fmt: skip
    add_transition(slide, "<p:dissolve/>")
    slide._element.find("{http://schemas.openxmlformats.org/presentationml/2006/main}transition").set("advTm", "8000")


def milestone(slide: Slide, x: float, year: str, words: str) -> Shape:
    """A year above the line, a dot on it, words below; all three in a group. x: the dot's left edge."""
    group = slide.shapes.add_group_shape()
    group.name = f"Milestone {year}"
    middle = x + 0.14
    add_text(
        group.shapes, (middle - 0.8, LINE_Y - 0.75, 1.6, 0.5), year, 24, align=PP_ALIGN.CENTER, colour="ACCENT_4",
        bold=True, inset=0,
    ).name = "Year"  # fmt: skip
    dot = group.shapes.add_shape(MSO_SHAPE.OVAL, emu(x), emu(LINE_Y - 0.14), emu(0.28), emu(0.28))
    dot.name = "Dot"
    paint(dot, "ACCENT_2", "BACKGROUND_1")
    add_text(
        group.shapes, (middle - 0.8, LINE_Y + 0.3, 1.6, 1.6), words, 15, align=PP_ALIGN.CENTER, anchor=MSO_ANCHOR.TOP,
        inset=0.04,
    ).name = "Words"  # fmt: skip
    return group


TIDE_TABLE = (
    ("Time", "Water", "Height (m)"),
    ("01:52", "Low", "0.9"),
    ("08:06", "High", "6.1"),
    ("14:20", "Low", "0.7"),
    ("20:31", "High", "6.4"),
)


def worked_example(deck: Deck) -> None:
    slide = plain(
        deck, "Title Only", "Worked example: a day at Port Calder",
        "Let them find the largest change first, then ask when it is safe to cross the sands.",
    )  # fmt: skip
    graphic = add_table(slide, (LEFT, 1.75, 5.25, 3.1), TIDE_TABLE, (1.6, 1.7, 1.95), (2,), 18)
    graphic.name = "Tide table"
    note = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(6.5), emu(1.75), emu(3.0), emu(3.1))
    note.name = "How to read it"
    paint(note, "BACKGROUND_1", "ACCENT_6")
    write(
        note,
        "**How to read it**\nTimes are local, heights count from the lowest tide there can be.\n"
        "Neighbouring rows are about 6 hours 12 minutes apart.",
        16, inset=0.2, anchor=MSO_ANCHOR.TOP,
    )  # fmt: skip
    note.text_frame.margin_top = emu(0.15)
    for paragraph in note.text_frame.paragraphs[1:]:
        paragraph.space_before = Pt(8)
    task = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.3), emu(WIDE), emu(1.3))
    task.name = "Question"
    paint(task, "ACCENT_6")
    write(
        task,
        "**When can you walk to Seal Rock?** The sands are dry below 1.5 m, so about an hour and a half on either side "
        "of low water.",
        18, inset=0.25,
    )  # fmt: skip


def twelfths(deck: Deck) -> None:
    slide = plain(
        deck, "Two Content", "The rule of twelfths",
        "A rule of thumb for semidiurnal tides; it fails where there is a double high water.",
    )  # fmt: skip
    drop(slide.placeholders[1])
    data = CategoryChartData(number_format="0")
    data.categories = [f"hour {n}" for n in range(1, 7)]
    data.add_series("Twelfths of the range", (1, 2, 3, 3, 2, 1))
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, emu(LEFT), emu(TOP), emu(5.0), emu(HIGH), data)
    graphic.name = "Rule of twelfths"
    chart = graphic.chart
    style_chart(chart, ("ACCENT_1",), legend=False)
    chart.plots[0].gap_width = 30
    light_grid(chart.value_axis)
    chart.value_axis.major_unit = 1
    text = slide.placeholders[2]
    place(text, 6.15, TOP, 3.35, 3.2)
    fill_list(
        text.text_frame,
        [
            "From low to high water takes about six hours",
            "The water rises slowly, then fast, then slowly",
            "Half of the rise comes in the **third and fourth hour**",
        ],
        18,
    )
    warning = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(6.15), emu(5.0), emu(3.35), emu(1.6))
    warning.name = "Warning"
    paint(warning, "ACCENT_4")
    write(
        warning, "At 5.4 m of range the sea gains 1.35 m in the third hour alone", 18, "BACKGROUND_1", True, inset=0.2
    )
    add_fades(slide, [(graphic.shape_id, "click"), (warning.shape_id, "click")])
    add_modern_transition(
        slide, '<p14:ripple xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"/>', 1400
    )


STATIONS = (
    ("Station", "Country", "Since", "Power (MW)"),
    ("La Rance", "France", "1966", "240"),
    ("Sihwa Lake", "South Korea", "2011", "254"),
    ("MeyGen, first phase", "Scotland", "2016", "6"),
)


def power(deck: Deck) -> None:
    slide = plain(
        deck, "Two Content", "Tidal power: promise and price",
        "La Rance still runs with its first turbines. MeyGen has no dam: its turbines stand on the sea bed.",
    )  # fmt: skip
    for index, lines in enumerate(
        (
            ["**Promise**", "Known years ahead, to the minute", "No fuel, no smoke", "Long life: La Rance since 1966"],
            [
                "**Price**",
                "Silt, and birds without mudflats",
                "Power at odd hours",
                "High cost before the first watt",
            ],
        )
    ):
        holder = slide.placeholders[1 + index]
        place(holder, (LEFT, 5.35)[index], TOP, 4.15, 2.3)
        fill_list(holder.text_frame, [lines[0], *((1, line) for line in lines[1:])])
    graphic = add_table(slide, (LEFT, 4.3, WIDE, 2.3), STATIONS, (3.0, 2.25, 1.5, 1.8), (2, 3), 16)
    graphic.name = "Stations"


def summary(deck: Deck) -> None:
    slide = plain(deck, "Title and Content", "What to remember")
    body = slide.placeholders[1]
    place(body, LEFT, TOP, WIDE, 3.7)
    fill_list(
        body.text_frame,
        [
            "The pull of the Moon differs across the Earth: **two bulges**",
            "A tidal day lasts **24 h 50 min**; high water comes later each day",
            "Sun and Moon together: **spring tide**; at right angles: **neap tide**",
            "The **shape of the coast** turns half a metre into fifteen",
            "Tides can be predicted for decades, weather can't",
        ],
        21,
    )
    box = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.5), emu(WIDE), emu(1.1))
    box.name = "Next week"
    paint(box, "ACCENT_3")
    write(box, "**Next week:** waves, from ripples to tsunamis", 20, "BACKGROUND_1", inset=0.25)


def reading(deck: Deck) -> None:
    slide = plain(deck, "Title and Content", "Homework and reading")
    frame = slide.placeholders[1].text_frame
    fill_list(
        frame,
        [
            "Problem sheet 4, all questions: ",
            "Tide tables of Port Calder: ",
            "Chapter 7 of the course book, without section 7.5",
            "Field trip to the Calder sands on 21 November",
            (1, "Sign up by 3 November 2026 at the latest"),
            (1, "Rubber boots, and a tide table of your own"),
            "Questions: ",
        ],
    )
    for index, words, address in (
        (0, "calder.example/ocean/sheet-4", "https://calder.example/ocean/sheet-4"),
        (1, "calder.example/tides", "https://calder.example/tides"),
        (6, "ines.halloran@calder.example", "mailto:ines.halloran@calder.example"),
    ):
        add_runs(frame.paragraphs[index], words)
        frame.paragraphs[index].runs[-1].hyperlink.address = address
    place(slide.placeholders[1], LEFT, TOP, WIDE, 3.7)
    box = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(LEFT), emu(5.5), emu(WIDE), emu(1.1))
    box.name = "Office hours"
    paint(box, "BACKGROUND_1", "ACCENT_6")
    write(box, "**Office hours:** Thursdays, 14:00 to 16:00, Harbour House, room 2.14", 18, inset=0.25)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    save(build(), folder / NAME)
