"""Outputs for tasks on the ferry review: 003 (bars for the pie) and 005 (cards in line)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from suite_outputs import (
    ChartData,
    Deck,
    Parts,
    Rgb,
    Shape,
    chart_of,
    good,
    good_parts,
    groups_of,
    named,
    remove,
    replace_once,
    ungroup,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# --- 003: sorted bars for the pie -----------------------------------------------------------------------------------

REASONS = (
    ("Vehicle loading", 74),
    ("Weather", 61),
    ("Technical faults", 38),
    ("Harbour congestion", 27),
    ("Crew availability", 14),
)


def bars(
    deck: Deck,
    rows: Iterable[tuple[str, float]] = REASONS,
    kind: Any = XL_CHART_TYPE.BAR_CLUSTERED,
    reverse: bool = True,
    keep_pie: bool = False,
    box: tuple[float, float, float, float] = (0.6, 1.7, 7.0, 4.9),
) -> Shape:
    """A new chart on slide 8."""
    slide = deck.slides[7]
    if not keep_pie:
        remove(chart_of(slide))
    data = ChartData()
    listed = list(rows)
    data.categories = [reason for reason, _ in listed]
    data.add_series("Late sailings", [number for _, number in listed])
    frame = slide.shapes.add_chart(kind, *map(Inches, box), data)
    frame.chart.category_axis.reverse_order = reverse
    return frame


@good("ferry_review-003")
def ascending_data_drawn_from_the_bottom(deck: Deck) -> None:
    bars(deck, rows=REASONS[::-1], reverse=False)


@good("ferry_review-003")
def stacked_bars_of_one_series(deck: Deck) -> None:
    bars(deck, kind=XL_CHART_TYPE.BAR_STACKED)


@good_parts("ferry_review-003")
def pie_turned_into_bars_in_its_own_part(parts: Parts) -> None:
    """As PowerPoint does on "Change Chart Type", with the data sorted in the sheet."""
    [name] = [n for n, text in parts.items() if n.startswith("ppt/charts/chart") and "<c:pieChart>" in text]
    text = parts[name]
    start, end = text.index("<c:pieChart>"), text.index("</c:pieChart>")
    series = text[text.index("<c:ser>", start) : text.index("</c:ser>", start)] + "</c:ser>"
    for old, (reason, number) in zip(
        (("Weather", 61), ("Vehicle loading", 74), ("Crew availability", 14), ("Technical faults", 38),
         ("Harbour congestion", 27)), REASONS[::-1], strict=True,
    ):  # fmt: skip
        series = replace_once(series, f"<c:v>{old[0]}</c:v>", f"<c:v>@{reason}</c:v>")
        series = replace_once(series, f"<c:v>{old[1]}</c:v>", f"<c:v>@{number}</c:v>")
    while "<c:dPt>" in series:
        series = series[: series.index("<c:dPt>")] + series[series.index("</c:dPt>") + len("</c:dPt>") :]
    axes = (
        '<c:catAx><c:axId val="11"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>'
        '<c:axPos val="l"/><c:crossAx val="12"/></c:catAx><c:valAx><c:axId val="12"/><c:scaling/><c:delete val="0"/>'
        '<c:axPos val="b"/><c:crossAx val="11"/></c:valAx>'
    )
    chart = (
        '<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>'
        + series.replace("@", "")
        + '<c:gapWidth val="50"/><c:axId val="11"/><c:axId val="12"/></c:barChart>'
        + axes
    )
    parts[name] = text[:start] + chart + text[end + len("</c:pieChart>") :]


@wrong("ferry_review-003", "Horizontal bars instead of the pie")
def columns_for_bars(deck: Deck) -> None:
    bars(deck, kind=XL_CHART_TYPE.COLUMN_CLUSTERED, reverse=False)


@wrong("ferry_review-003", "Horizontal bars instead of the pie")
def pie_left_on_the_slide(deck: Deck) -> None:
    bars(deck, keep_pie=True)


@wrong("ferry_review-003", "Horizontal bars instead of the pie", "The same numbers")
def picture_of_bars(deck: Deck) -> None:
    slide = deck.slides[7]
    remove(chart_of(slide))
    image = Image.new("RGB", (700, 490), "white")
    for index, (_, number) in enumerate(REASONS):
        ImageDraw.Draw(image).rectangle((150, 20 + 90 * index, 150 + 7 * number, 80 + 90 * index), fill="#1F6FA8")
    file = io.BytesIO()
    image.save(file, "PNG")
    slide.shapes.add_picture(file, Inches(0.6), Inches(1.7), Inches(7), Inches(4.9))


@wrong("ferry_review-003", "Sorted, the largest on top")
def bars_not_sorted(deck: Deck) -> None:
    bars(deck, rows=[REASONS[i] for i in (1, 0, 4, 2, 3)])


@wrong("ferry_review-003", "Sorted, the largest on top")
def largest_at_the_bottom(deck: Deck) -> None:
    bars(deck, reverse=False)


@wrong("ferry_review-003", "The same numbers")
def shares_for_numbers(deck: Deck) -> None:
    bars(deck, rows=[(reason, round(100 * number / 214)) for reason, number in REASONS])


@wrong("ferry_review-003", "The same numbers")
def smallest_reason_left_out(deck: Deck) -> None:
    bars(deck, rows=REASONS[:4])


@wrong("ferry_review-003", "In its place")
def bars_over_the_list(deck: Deck) -> None:
    bars(deck, box=(0.6, 1.7, 11.5, 4.9))


@wrong("ferry_review-003", "Nothing else changed")
def list_deleted(deck: Deck) -> None:
    bars(deck)
    remove(deck.slides[7].placeholders[2])


@wrong("ferry_review-003", "Legible")
def names_too_small_to_read(deck: Deck) -> None:
    chart = bars(deck).chart
    chart.font.size = chart.category_axis.tick_labels.font.size = Pt(5)


@wrong("ferry_review-003", "Legible")
def names_in_the_palest_grey(deck: Deck) -> None:
    bars(deck).chart.font.color.rgb = Rgb.from_string("E8E8E8")


@wrong("ferry_review-003", "Legible")
def one_bar_white(deck: Deck) -> None:
    fill = bars(deck).chart.plots[0].series[0].points[1].format.fill
    fill.solid()
    fill.fore_color.rgb = Rgb(255, 255, 255)


@wrong("ferry_review-003", "Horizontal bars instead of the pie")
def bars_without_names(deck: Deck) -> None:
    bars(deck).chart.category_axis.visible = False


@wrong("ferry_review-003", "The same numbers")
def bars_cut_off_at_their_start(deck: Deck) -> None:
    bars(deck).chart.value_axis.minimum_scale = 10


@wrong("ferry_review-003", "Legible")
def axis_ends_at_ten(deck: Deck) -> None:
    bars(deck).chart.value_axis.maximum_scale = 10


@wrong("ferry_review-003", "Legible")
def bars_all_as_long_as_each_other(deck: Deck) -> None:
    bars(deck, kind=XL_CHART_TYPE.BAR_STACKED_100)


@wrong("ferry_review-003", "In its place")
def bars_as_small_as_a_stamp(deck: Deck) -> None:
    bars(deck, box=(0.6, 1.7, 2.0, 1.4))


@wrong("ferry_review-003", "Still a sound deck")
def bars_without_their_sheet(deck: Deck) -> None:
    data = bars(deck).chart._chartSpace.find("{*}externalData")
    data.getparent().remove(data)


@good("ferry_review-003")
def bars_in_one_colour_with_labels_and_a_title(deck: Deck) -> None:
    chart = bars(deck, box=(0.6, 1.62, 7.2, 5.1)).chart
    chart.has_title, chart.has_legend = True, False
    chart.chart_title.text_frame.text = "Late sailings by reason"
    chart.value_axis.visible = chart.value_axis.has_major_gridlines = False
    plot = chart.plots[0]
    plot.gap_width, plot.has_data_labels = 40, True
    plot.data_labels.show_value = True


# --- 005: four cards in line ----------------------------------------------------------------------------------------

WIDTH = 2.75


def place(
    deck: Deck,
    lefts: Sequence[float] = (0.6, 3.7, 6.8, 9.9),
    top: float = 1.85,
    width: float = WIDTH,
    height: float = 2.3,
) -> list[Shape]:
    groups = groups_of(deck.slides[2])
    for group, left in zip(groups, lefts, strict=True):
        group.left, group.top, group.width, group.height = map(Inches, (left, top, width, height))
    return groups


@good("ferry_review-005")
def smaller_cards_lower_down(deck: Deck) -> None:
    place(deck, lefts=(1.0, 4.1, 7.2, 10.3), top=2.1, width=2.2, height=1.9)


@good("ferry_review-005")
def only_what_is_off_put_right(deck: Deck) -> None:
    """The outer cards stay; the second and third move, the third grows."""
    gap = (9.95 - 0.6 - 3 * WIDTH) / 3
    place(deck, lefts=(0.6, 0.6 + WIDTH + gap, 0.6 + 2 * (WIDTH + gap), 9.95))


@good("ferry_review-005")
def cards_taken_out_of_their_groups(deck: Deck) -> None:
    slide = deck.slides[2]
    groups = groups_of(slide)
    first = [(s.left, s.top, s.width, s.height) for s in groups[0].shapes]
    for index, group in enumerate(groups):
        for shape, (left, top, width, height) in zip(ungroup(group), first, strict=True):
            shape.left, shape.top = left + Inches(3.1 * index), top
            shape.width, shape.height = width, height


@wrong("ferry_review-005", "Same size", "Equal gaps")
def third_card_only_raised(deck: Deck) -> None:
    groups_of(deck.slides[2])[2].top = Inches(1.85)


@wrong("ferry_review-005", "One row", "Equal gaps")
def third_card_only_enlarged(deck: Deck) -> None:
    third = groups_of(deck.slides[2])[2]
    third.width, third.height = Inches(WIDTH), Inches(2.3)


@wrong("ferry_review-005", "Equal gaps")
def gaps_left_unequal(deck: Deck) -> None:
    place(deck, lefts=(0.6, 3.75, 6.75, 9.95))


@wrong("ferry_review-005", "Equal gaps")
def equal_overlaps(deck: Deck) -> None:
    place(deck, lefts=(0.6, 3.1, 5.6, 8.1))


@wrong("ferry_review-005", "Same size", "Cards keep their content")
def third_card_deleted(deck: Deck) -> None:
    remove(groups_of(deck.slides[2])[2])
    groups = groups_of(deck.slides[2])
    for index, group in enumerate(groups):
        group.left = Inches(0.6 + 4.69 * index)


@wrong("ferry_review-005", "Cards keep their content")
def order_changed(deck: Deck) -> None:
    place(deck, lefts=(0.6, 6.8, 3.7, 9.9))


@wrong("ferry_review-005", "Cards keep their content")
def texts_left_behind(deck: Deck) -> None:
    """Ungrouped, and only the panels put in line: the third card's texts lie between the cards."""
    for index, group in enumerate(groups_of(deck.slides[2])):
        panel, *rest = ungroup(group)
        panel.left, panel.top, panel.width, panel.height = map(Inches, (0.2 + 3.3 * index, 1.85, WIDTH, 2.3))
        if index == 2:
            for shape in rest[2:]:
                shape.left = shape.left - Inches(1.6)


@wrong("ferry_review-005", "Within the slide")
def last_card_off_the_slide(deck: Deck) -> None:
    place(deck, lefts=(0.6, 4.2, 7.8, 11.4))


@wrong("ferry_review-005", "Within the slide")
def cards_over_the_summary(deck: Deck) -> None:
    place(deck, top=3.4)


@wrong("ferry_review-005", "Legible", "Nothing else changed")
def figures_too_large_for_their_cards(deck: Deck) -> None:
    for card in place(deck):
        figure = card.shapes[2].text_frame.paragraphs[0].runs[0]
        figure.font.size = Pt(66)


@wrong("ferry_review-005", "Same size")
def cards_half_an_inch_wide(deck: Deck) -> None:
    place(deck, width=0.5)


@wrong("ferry_review-005", "Edges on their cards")
def edges_left_behind(deck: Deck) -> None:
    third = groups_of(deck.slides[2])[2]
    place(deck)
    edge = third.shapes[1]
    edge.top = edge.top + Inches(1)


@wrong("ferry_review-005", "Cards keep their content")
def details_above_their_figures(deck: Deck) -> None:
    for card in place(deck):
        figure, detail = card.shapes[2], card.shapes[4]
        figure.top, detail.top = detail.top, figure.top


@wrong("ferry_review-005", "Nothing else changed")
def one_card_turned(deck: Deck) -> None:
    place(deck)[1].rotation = 180


@good("ferry_review-005")
def wider_cards_to_the_margins(deck: Deck) -> None:
    place(deck, lefts=(0.6, 3.7, 6.8, 9.9), width=2.83, height=2.6)


@wrong("ferry_review-005", "Nothing else changed")
def summary_moved_too(deck: Deck) -> None:
    place(deck)
    named(deck.slides[2], "Summary").top = Inches(5.4)
