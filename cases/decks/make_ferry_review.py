"""Writes ferry_review.pptx: the board's quarterly review of a ferry company that does not exist.

Run it as `python cases/decks/make_ferry_review.py [folder]`. All names and figures are made up; the sums agree.
Some slides hold, on purpose, what people ask an agent to put right: cards out of line (3), bullets that want numbers
(16), a risk table without colours (15).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import art
from kit import (
    Look,
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
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION, XL_MARKER_STYLE
from pptx.enum.dml import MSO_LINE
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Pt

if TYPE_CHECKING:
    from kit import Deck, Shape, Slide

NAME = "ferry_review.pptx"
FOOTER = "Kestrel Sound Ferries  |  Third-quarter review 2026"
LOOK = Look(
    "Kestrel Sound",
    ("1F2933", "FFFFFF", "12355B", "E8F0F5", "1F6FA8", "1B998B",
     "F2A33A", "D1495B", "6C8EAD", "7A5C86", "1F6FA8", "7A5C86"),
)  # fmt: skip

ROUTES = ("Port Alder – Gannet Isle", "Port Alder – Farrow Bay", "Gannet Isle – Skerry", "Port Alder – Petrel Point")
PASSENGERS_2025 = (156_900, 124_300, 68_200, 45_100)
PASSENGERS_2026 = (168_400, 121_700, 74_900, 47_300)


def build() -> Deck:
    deck = new_deck(LOOK, "Third-quarter review 2026", "Kestrel Sound Ferries")
    for slide in (
        cover, agenda, four_figures, passengers, route_results, operations, punctuality, delays, fleet, network,
        money_and_people, income, feedback, winter, risks, next_steps, contacts, backup,
    ):  # fmt: skip
        slide(deck)
    return deck


def cover(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Slide", "Third-quarter review 2026",
        notes="Welcome. Forty minutes for the review, twenty for questions. Papers went out on 14 October.",
    )  # fmt: skip
    fill_list(slide.placeholders[1].text_frame, ["Kestrel Sound Ferries", "Board meeting, 21 October 2026"])
    picture = slide.shapes.add_picture(art.ferry("#12355B", "#1B998B", 3), emu(8.85), emu(1.9), emu(3.88), emu(2.46))
    picture.name = "Cover picture"
    crop_to(picture, 3.88 / 2.46)
    describe(picture, "Drawing of a white and navy ferry off a green coast")
    add_transition(slide, "<p:fade/>")


def agenda(deck: Deck) -> None:
    slide = add_slide(deck, "Two Content", "Agenda", FOOTER)
    left, right = slide.placeholders[1], slide.placeholders[2]
    left.width, left.left, left.top, left.height = emu(7.6), emu(0.6), emu(1.75), emu(4.9)
    lines = [
        "The quarter in four figures",
        "Passengers and routes",
        "Operations: punctuality, fleet, network",
        "Money and people",
        "Winter timetable and risks",
        "Next steps",
    ]
    fill_list(left.text_frame, lines, 22)
    for paragraph in left.text_frame.paragraphs:
        paragraph.space_after = Pt(8)
    right._element.getparent().remove(right._element)
    picture = slide.shapes.add_picture(art.lighthouse(), emu(9.23), emu(1.75), emu(3.5), emu(4.67))
    picture.name = "Lighthouse"
    describe(picture, "Drawing of a red and white lighthouse")


# Where the four cards stand: the third has slipped and shrunk, and the gaps differ. A task asks to put that right.
CARDS = ((0.6, 1.85, 2.75, 2.3), (3.75, 1.85, 2.75, 2.3), (6.75, 2.2, 2.45, 2.0), (9.95, 1.85, 2.75, 2.3))
FIGURES = (
    ("412,300", "passengers", "+4.5% on last year", "ACCENT_1"),
    ("91.8%", "sailings on time", "target 93%", "ACCENT_3"),
    ("£9.62m", "fare revenue", "£0.32m over budget", "ACCENT_2"),
    ("4.3 / 5", "passenger rating", "1,870 answers", "ACCENT_5"),
)


def four_figures(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Only", "The quarter in four figures", FOOTER,
        notes="Growth comes from Skerry and Gannet Isle. Only punctuality is below target.",
    )  # fmt: skip
    for box, (figure, label, detail, colour) in zip(CARDS, FIGURES, strict=True):
        card(slide, box, figure, label, detail, colour)
    band = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(0.6), emu(4.85), emu(12.13), emu(1.5))
    band.name = "Summary"
    paint(band, "BACKGROUND_2")
    write(
        band,
        "**A good summer, with one weak spot.** Three of four routes grew, revenue beat the budget and guests "
        "were content; loading delays at Port Alder kept punctuality under target in August and September.",
        18, inset=0.3,
    )  # fmt: skip


def card(slide: Slide, box: tuple[float, ...], figure: str, label: str, detail: str, colour: str) -> Shape:
    """A card: panel, coloured edge, figure and two lines, grouped."""
    x, y, w, h = box
    group = slide.shapes.add_group_shape()
    group.name = f"Card: {label}"
    panel = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(y), emu(w), emu(h))
    panel.name = "Panel"
    paint(panel, "BACKGROUND_1", "BACKGROUND_2")
    edge = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(y), emu(w), emu(0.1))
    edge.name = "Edge"
    paint(edge, colour)
    scale = h / 2.3
    for down, high, text, size, how in (
        (0.28, 0.8, figure, 36, {"colour": "TEXT_2", "bold": True}),
        (1.12, 0.4, label, 18, {}),
        (1.56, 0.4, detail, 14, {"colour": "ACCENT_5"}),
    ):
        add_text(group.shapes, (x, y + down * scale, w, high * scale), text, size, align=PP_ALIGN.CENTER, **how)
    return group


def passengers(deck: Deck) -> None:
    slide = add_slide(deck, "Two Content", "Passengers: three of four routes grew", FOOTER)
    data = CategoryChartData(number_format="#,##0")
    data.categories = ROUTES
    data.add_series("Q3 2025", PASSENGERS_2025)
    data.add_series("Q3 2026", PASSENGERS_2026)
    holder = slide.placeholders[1]
    box = (emu(0.6), emu(1.62), emu(7.9), emu(5.1))
    holder._element.getparent().remove(holder._element)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    graphic.name = "Passengers by route"
    chart = graphic.chart
    style_chart(chart, ("ACCENT_5", "ACCENT_1"))
    chart.plots[0].gap_width, chart.plots[0].overlap = 70, -5
    light_grid(chart.value_axis)
    chart.value_axis.tick_labels.number_format = "#,##0"
    chart.value_axis.tick_labels.number_format_is_linked = False
    text = slide.placeholders[2]
    text.left, text.top, text.width, text.height = emu(8.9), emu(1.62), emu(3.83), emu(5.1)
    fill_list(
        text.text_frame,
        [
            "**Skerry +9.8%**: the Sunday sailing filled from its first week",
            "**Gannet Isle +7.3%**: the music festival brought 6,200 foot passengers",
            "**Farrow Bay −2.1%**: the linkspan works closed the berth for nine days",
            "**Petrel Point +4.9%**, on the same number of sailings",
        ],
        18,
    )


def route_results(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Only", "Route results", FOOTER,
        notes="Load factor is passengers divided by seats offered. Revenue is fares only, without the shops on board.",
    )  # fmt: skip
    revenue, load = ("4,210", "2,980", "1,420", "1,010"), ("78%", "64%", "71%", "58%")
    rows = [("Route", "Passengers", "Change on Q3 2025", "Revenue (£ thousand)", "Load factor")]
    for index, route in enumerate(ROUTES):
        change = 100 * (PASSENGERS_2026[index] / PASSENGERS_2025[index] - 1)
        rows.append(
            (route, f"{PASSENGERS_2026[index]:,}", f"{change:+.1f}%".replace("-", "−"), revenue[index], load[index])
        )
    graphic = add_table(slide, (0.6, 1.75, 12.13, 3.6), rows, (3.93, 1.8, 2.3, 2.6, 1.5), range(1, 5), 16)
    graphic.name = "Route results"
    add_text(
        slide.shapes, (0.6, 5.85, 12.13, 0.7),
        "Load factor: passengers divided by seats offered. Revenue: fares only. "
        "Figures are provisional until the audit in November.",
        13, colour="ACCENT_5", inset=0,
    )  # fmt: skip


def operations(deck: Deck) -> None:
    section(deck, "Operations", "Punctuality, the reasons for delays, fleet and network", "<p14:reveal/>")


def section(deck: Deck, title: str, line: str, inner: str) -> None:
    slide = add_slide(deck, "Section Header", title, "")
    slide.placeholders[1].text_frame.text = line
    add_modern_transition(slide, inner, 1400)


MONTHS = ("Oct", "Nov", "Dec", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep")
ON_TIME = (92.1, 89.4, 86.2, 84.9, 87.3, 90.6, 93.0, 93.8, 94.1, 93.2, 91.0, 91.2)


def punctuality(deck: Deck) -> None:
    slide = add_slide(
        deck, "Two Content", "Punctuality slipped below target in August", FOOTER,
        notes=(
            "On time means within ten minutes of the timetable. MV Petrel was out from 3 to 13 August; MV Curlew ran "
            "her sailings, with less deck space. Without MV Petrel's repair the quarter would have come to 92.6%."
        ),
    )  # fmt: skip
    holder = slide.placeholders[1]
    holder._element.getparent().remove(holder._element)
    data = CategoryChartData(number_format="0.0")
    data.categories = MONTHS
    data.add_series("On time, %", ON_TIME)
    data.add_series("Target, %", (93,) * 12)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.LINE_MARKERS, emu(0.6), emu(1.62), emu(7.9), emu(5.1), data)
    graphic.name = "On-time sailings"
    chart = graphic.chart
    style_chart(chart, ())
    for series, colour, dash in zip(chart.plots[0].series, ("ACCENT_1", "ACCENT_4"), (False, True), strict=True):
        series.smooth = False
        line = series.format.line
        line.width = Pt(2.75 if not dash else 1.75)
        line.color.theme_color = theme(colour)
        marker = series.marker
        if dash:
            line.dash_style = MSO_LINE.DASH
            marker.style = XL_MARKER_STYLE.NONE
        else:
            marker.size = 7
            marker.format.fill.solid()
            marker.format.fill.fore_color.theme_color = theme(colour)
    chart.value_axis.minimum_scale, chart.value_axis.maximum_scale, chart.value_axis.major_unit = 80, 100, 5
    chart.value_axis.tick_labels.number_format = "0"
    chart.value_axis.tick_labels.number_format_is_linked = False
    light_grid(chart.value_axis)
    text = slide.placeholders[2]
    text.left, text.top, text.width, text.height = emu(8.9), emu(1.62), emu(3.83), emu(3.6)
    fill_list(
        text.text_frame,
        [
            "Quarter: 91.8% on time, target 93%",
            # One name in two runs, as it comes out of people's editing; a task renames this ship.
            "MV **Petrel** lost eleven days to a gearbox repair",
            "Loading at Port Alder took six minutes longer than planned",
        ],
        18,
    )
    note = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(8.9), emu(5.35), emu(3.83), emu(1.2))
    note.name = "Callout"
    paint(note, "ACCENT_2")
    write(
        note, "Each point of punctuality is worth about £40,000 a year in refunds", 16, "BACKGROUND_1", True, inset=0.2
    )
    add_fades(slide, [(note.shape_id, "click")])


def delays(deck: Deck) -> None:
    slide = add_slide(
        deck, "Two Content", "Why sailings ran late", FOOTER,
        notes="214 of 2,610 sailings left more than ten minutes late. One main reason is recorded for each.",
    )  # fmt: skip
    holder = slide.placeholders[1]
    holder._element.getparent().remove(holder._element)
    data = CategoryChartData(number_format="0")
    data.categories = ("Weather", "Vehicle loading", "Crew availability", "Technical faults", "Harbour congestion")
    data.add_series("Late sailings", (61, 74, 14, 38, 27))
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.PIE, emu(0.6), emu(1.62), emu(7.0), emu(5.1), data)
    graphic.name = "Reasons for delay"
    chart = graphic.chart
    style_chart(chart, ())
    chart.legend.position = XL_LEGEND_POSITION.RIGHT
    chart.legend.font.size = Pt(14)
    plot = chart.plots[0]
    plot.vary_by_categories = True
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_value, labels.show_percentage = True, False
    labels.font.size, labels.font.bold = Pt(14), True
    labels.font.color.theme_color = theme("BACKGROUND_1")
    labels.position = XL_LABEL_POSITION.CENTER
    for index, colour in enumerate(("ACCENT_1", "ACCENT_4", "ACCENT_6", "ACCENT_2", "ACCENT_5")):
        point = plot.series[0].points[index]
        point.format.fill.solid()
        point.format.fill.fore_color.theme_color = theme(colour)
    text = slide.placeholders[2]
    text.left, text.top, text.width, text.height = emu(8.0), emu(1.62), emu(4.73), emu(5.1)
    fill_list(
        text.text_frame,
        [
            "214 of 2,610 sailings left more than ten minutes late",
            "Vehicle loading is now the first reason, ahead of weather",
            (1, "New booking classes mix cars and vans in one lane"),
            (1, "A second marshal starts at Port Alder in November"),
            "Technical faults: most of them one gearbox",
        ],
        18,
    )


def fleet(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Only", "Our fleet", FOOTER,
        notes="MV Petrel goes to the yard for her survey in February; MV Sanderling covers Petrel Point meanwhile.",
    )  # fmt: skip
    pictures = (
        ("MV Curlew", "flagship, Gannet Isle route", ("#12355B", "#1B998B", 3, False)),
        ("MV Petrel", "Farrow Bay route", ("#8E2F3C", "#F2A33A", 2, True)),
        ("MV Kittiwake", "Skerry shuttle", ("#1B6E66", "#E8F0F5", 1, False)),
    )
    for index, (ship, line, look) in enumerate(pictures):
        x = 0.6 + index * 4.14
        picture = slide.shapes.add_picture(art.ferry(*look), emu(x), emu(1.62), emu(3.85), emu(3.85 * 400 / 760))
        picture.name = f"Picture of {ship}"
        describe(picture, f"{ship} at sea, drawing")
        group = slide.shapes.add_group_shape()
        group.name = f"Caption of {ship}"
        bar = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(3.65), emu(3.85), emu(0.5))
        bar.name = "Bar"
        paint(bar, "TEXT_2")
        write(bar, f"**{ship}**, {line}", 14, "BACKGROUND_1", align=PP_ALIGN.CENTER)
    rows = [
        ("Ship", "Built", "Passengers", "Cars", "Days in service, Q3"),
        ("MV Curlew", "2014", "620", "110", "92 of 92"),
        ("MV Petrel", "2007", "440", "84", "81 of 92"),
        ("MV Kittiwake", "2019", "180", "22", "91 of 92"),
        ("MV Sanderling (relief)", "1998", "300", "46", "38 of 92"),
    ]
    graphic = add_table(slide, (0.6, 4.4, 12.13, 2.3), rows, (4.13, 1.6, 2.0, 1.6, 2.8), range(1, 5), 14)
    graphic.name = "Fleet"


def network(deck: Deck) -> None:
    slide = add_slide(deck, "Title Only", "One hub, four routes, five harbours", FOOTER)
    x0, y0, w = 0.6, 1.62, 7.45
    scale = w / 1100
    picture = slide.shapes.add_picture(art.island_map(), emu(x0), emu(y0), emu(w), emu(760 * scale))
    picture.name = "Network map"
    describe(picture, "Map of Kestrel Sound with four ferry routes between five harbours")
    offsets = {"Port Alder": (-1.28, -0.42), "Gannet Isle": (0.12, -0.28), "Skerry": (-0.35, -0.5),
               "Farrow Bay": (-1.3, -0.05), "Petrel Point": (0.1, -0.17)}  # fmt: skip
    for harbour, (px, py) in art.HARBOURS.items():
        dx, dy = offsets[harbour]
        label = add_text(
            slide.shapes, (x0 + px * scale + dx, y0 + py * scale + dy, 1.25, 0.34), harbour, 13,
            colour="TEXT_2", bold=True, inset=0.03,
        )  # fmt: skip
        label.name = f"Label {harbour}"
    calls = (
        ("Port Alder", "a second vehicle lane is marked out; works end on 30 November", "ACCENT_1"),
        ("Farrow Bay", "the new linkspan arrives in January, on the night tide", "ACCENT_2"),
        ("Petrel Point", "the pier is closed in gales above force 8: nine days last winter", "ACCENT_4"),
    )
    boxes = []
    for index, (head, line, colour) in enumerate(calls):
        y = 1.62 + index * 1.76
        box = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(8.45), emu(y), emu(4.28), emu(1.56))
        box.name = f"News {head}"
        paint(box, "BACKGROUND_2")
        write(box, f"**{head}**\n{line}", 16, inset=0.25)
        edge = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, emu(8.45), emu(y), emu(8.45), emu(y + 1.56))
        edge.line.color.theme_color, edge.line.width = theme(colour), Pt(5)
        boxes.append(box.shape_id)
    add_fades(slide, [(boxes[0], "click"), (boxes[1], "click"), (boxes[2], "click")])
    add_transition(slide, '<p:push dir="u"/>')


def money_and_people(deck: Deck) -> None:
    section(deck, "Money and people", "Income and cost, what passengers told us", '<p14:reveal dir="r"/>')


def income(deck: Deck) -> None:
    slide = add_slide(deck, "Title Only", "Income and cost against budget", FOOTER)
    rows = [
        ("£ thousand", "Q3 2026", "Budget", "Difference"),
        ("Fares", "9,620", "9,300", "+320"),
        ("Shops and cafés on board", "1,130", "1,200", "−70"),
        ("Freight", "840", "800", "+40"),
        ("Fuel", "−2,870", "−2,600", "−270"),
        ("Crew", "−3,410", "−3,380", "−30"),
        ("Maintenance", "−1,260", "−1,300", "+40"),
        ("Harbour dues and other", "−1,660", "−1,670", "+10"),
        ("**Surplus**", "**2,390**", "**2,350**", "**+40**"),
    ]
    graphic = add_table(slide, (0.6, 1.7, 7.6, 4.9), rows, (3.4, 1.4, 1.4, 1.4), range(1, 4), 15)
    graphic.name = "Income and cost"
    graphic.table.last_row = True
    data = CategoryChartData(number_format="#,##0")
    data.categories = ("Jul", "Aug", "Sep")
    data.add_series("Fuel", (870, 1_060, 940))
    data.add_series("Crew", (1_120, 1_170, 1_120))
    chart_shape = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_STACKED, emu(8.6), emu(1.7), emu(4.13), emu(3.3), data)
    chart_shape.name = "Fuel and crew by month"
    style_chart(chart_shape.chart, ("ACCENT_3", "ACCENT_5"), size=11)
    chart_shape.chart.plots[0].gap_width = 60
    light_grid(chart_shape.chart.value_axis)
    chart_shape.chart.value_axis.tick_labels.number_format = "#,##0"
    chart_shape.chart.value_axis.tick_labels.number_format_is_linked = False
    add_text(
        slide.shapes, (8.6, 5.15, 4.13, 1.45),
        "**Fuel was the surprise.** The price rose from £0.71 to £0.79 a litre; "
        "half of the fourth quarter is now bought ahead.",
        15, anchor=MSO_ANCHOR.TOP, inset=0.05,
    )  # fmt: skip


def feedback(deck: Deck) -> None:
    slide = add_slide(
        deck, "Comparison", "What passengers told us", FOOTER,
        notes="1,870 answers, collected at the gangway in the second week of each month. Comments are read one by one.",
    )  # fmt: skip
    slide.placeholders[1].text_frame.text = "What they praise"
    fill_list(
        slide.placeholders[2].text_frame,
        [
            "Crew: 4.7 out of 5, the best figure since 2019",
            "The Sunday sailing to Skerry",
            "Tickets on the phone, no queue",
        ],
    )
    slide.placeholders[3].text_frame.text = "What they want better"
    fill_list(
        slide.placeholders[4].text_frame,
        ["Word of delays before they leave home", "Hot food after 19:00", "Shelter on the pier at Petrel Point"],
    )
    quote = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(0.6), emu(4.95), emu(12.13), emu(1.5))
    quote.name = "Quote"
    paint(quote, "BACKGROUND_2")
    write(
        quote,
        "“The boat was forty minutes late and nobody told us. "
        "Then the mate came round with tea for the whole car deck.”\n"
        "Commuter from Farrow Bay, August",
        17, inset=0.35,
    )  # fmt: skip
    for run in quote.text_frame.paragraphs[0].runs:
        run.font.italic = True
    quote.text_frame.paragraphs[1].runs[0].font.size = Pt(14)


STEPS = (
    ("Consult", "Drafts go to island councils and schools", "by 30 October"),
    ("Publish", "Timetable online and on every pier", "13 November"),
    ("Train", "Crews and ticket desks learn the new turns", "to 4 December"),
    ("Start", "First winter sailings, extra staff for a week", "6 December"),
)


def winter(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Only", "Winter timetable: four steps", FOOTER,
        notes="Take the steps one at a time. The councils asked for two weeks to reply; they have them.",
    )  # fmt: skip
    add_text(
        slide.shapes, (0.6, 1.55, 12.13, 0.6),
        "Two early sailings move to 06:50 so that pupils from Skerry reach the first lesson.", 18, inset=0,
    )  # fmt: skip
    for index, (head, line, when) in enumerate(STEPS):
        x = 0.6 + index * 3.06
        group = slide.shapes.add_group_shape()
        group.name = f"Step {head}"
        kind = MSO_SHAPE.PENTAGON if index == 0 else MSO_SHAPE.CHEVRON
        arrow = group.shapes.add_shape(kind, emu(x), emu(2.5), emu(2.95), emu(1.1))
        arrow.adjustments[0] = 0.28
        arrow.name = "Arrow"
        paint(arrow, ("ACCENT_1", "ACCENT_2", "ACCENT_5", "TEXT_2")[index])
        write(arrow, head, 22, "BACKGROUND_1", True, PP_ALIGN.CENTER)
        box = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(3.85), emu(2.7), emu(2.3))
        box.name = "Text"
        paint(box, "BACKGROUND_2")
        write(box, f"{line}\n**{when}**", 18, inset=0.2)
        box.text_frame.paragraphs[1].space_before = Pt(10)


RISKS = (
    ("Fuel price above £0.85 a litre", "High", "Finance", "Buy half a year ahead; review in January"),
    ("Linkspan at Farrow Bay arrives late", "Medium", "Projects", "Keep the old berth in service until March"),
    ("Too few crew over Christmas", "High", "Operations", "Early rosters; six seasonal contracts signed"),
    ("New ticket system fails at a peak", "Medium", "IT", "Run both systems until Easter"),
    ("Higher harbour dues from April", "Low", "Finance", "Talks with both harbour boards under way"),
)


def risks(deck: Deck) -> None:
    slide = add_slide(
        deck, "Title Only", "Risks and what we do about them", FOOTER,
        notes="Ratings are those of the risk committee of 8 October.",
    )  # fmt: skip
    rows = [("Risk", "Rating", "Owner", "What we do"), *RISKS]
    graphic = add_table(slide, (0.6, 1.75, 12.13, 4.2), rows, (4.3, 1.4, 1.7, 4.73), (), 16)
    graphic.name = "Risks"
    for row in range(len(rows)):
        graphic.table.cell(row, 1).text_frame.paragraphs[0].alignment = PP_ALIGN.CENTER


def next_steps(deck: Deck) -> None:
    slide = add_slide(deck, "Title and Content", "Next steps", FOOTER)
    body = slide.placeholders[1]
    body.left, body.top, body.width, body.height = emu(0.6), emu(1.62), emu(8.3), emu(5.1)
    fill_list(
        body.text_frame,
        [
            "Approve the winter timetable",
            (1, "Vote today; publication on 13 November"),
            "Release £180,000 for the second vehicle lane at Port Alder",
            "Confirm the yard slot of MV Petrel in February",
            (1, "MV Sanderling covers her sailings for four weeks"),
            (1, "The yard needs our word by 1 November"),
            "Buy fuel ahead for the first half of 2027",
            "Report on punctuality again in January",
        ],
    )
    votes = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(9.4), emu(1.75), emu(3.33), emu(2.6))
    votes.name = "Votes"
    paint(votes, "ACCENT_1")
    write(
        votes, "**Two votes today**\nWinter timetable\nVehicle lane, £180,000", 18, "BACKGROUND_1", inset=0.25,
        anchor=MSO_ANCHOR.MIDDLE,
    )  # fmt: skip
    for paragraph in votes.text_frame.paragraphs[1:]:
        paragraph.space_before = Pt(8)


def contacts(deck: Deck) -> None:
    slide = add_slide(deck, "Title and Content", "Questions and links", FOOTER)
    frame = slide.placeholders[1].text_frame
    fill_list(
        frame,
        [
            "Tables behind these slides: ",
            "Sailings of today: see the live departure board",
            "Questions before the meeting: ",
            "Minutes will be sent to all members within five working days",
        ],
        22,
    )
    for paragraph, words, address in (
        (frame.paragraphs[0], "quarterly data sheet", "https://data.kestrelsound.example/2026-q3"),
        (frame.paragraphs[2], "board@kestrelsound.example", "mailto:board@kestrelsound.example"),
    ):
        add_runs(paragraph, words, 22)
        paragraph.runs[-1].hyperlink.address = address
    for paragraph in frame.paragraphs:
        paragraph.space_after = Pt(10)
    strip = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(0.6), emu(5.4), emu(12.13), emu(1.1))
    strip.name = "Thanks"
    paint(strip, "ACCENT_2")
    write(strip, "Thank you, and safe crossing", 24, "BACKGROUND_1", True, PP_ALIGN.CENTER)


def backup(deck: Deck) -> None:
    slide = add_slide(
        deck, "Two Content", "Backup: fuel price scenarios", FOOTER,
        notes="Only if somebody asks. Consumption is taken as 3.6 million litres in the quarter.",
    )  # fmt: skip
    fill_list(
        slide.placeholders[1].text_frame,
        [
            "Consumption: about 3.6 million litres a quarter",
            "One penny more a litre costs £36,000 a quarter",
            "Half of the fourth quarter is bought at £0.80",
        ],
    )
    holder = slide.placeholders[2]
    holder._element.getparent().remove(holder._element)
    rows = [("Price a litre", "Fuel cost, Q4", "Against budget"), ("£0.75", "£2.79m", "+£0.04m"),
            ("£0.80", "£2.88m", "+£0.13m"), ("£0.85", "£2.97m", "+£0.22m"), ("£0.90", "£3.06m", "+£0.31m")]  # fmt: skip
    graphic = add_table(slide, (6.83, 1.75, 5.9, 2.8), rows, (1.9, 2.0, 2.0), range(3), 16)
    graphic.name = "Fuel scenarios"


def crop_to(picture: Shape, aspect: float) -> None:
    """Cut the picture's sides evenly, so that it fills its frame without being stretched."""
    wide, high = picture.image.size
    cut = (1 - aspect * high / wide) / 2
    picture.crop_left = picture.crop_right = cut


def describe(shape: Shape, text: str) -> None:
    shape._element.xpath(".//p:cNvPr")[0].set("descr", text)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    save(build(), folder / NAME)
