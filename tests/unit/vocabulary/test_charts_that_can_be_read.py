"""A chart whose labels or points nobody can make out is not one: `readable`, and the guard `legible`."""

from __future__ import annotations

from typing import Any

import pytest
from deck_worlds import judged
from pptx.util import Pt
from suite_outputs import Rgb, chart_of
from suite_outputs.ferry_shapes import bars

ON = {"on": {"slide": 8, "shape": {"kind": "chart"}}}


def plain(chart: Any) -> None:
    """Nothing to mend."""


def tiny(chart: Any) -> None:
    chart.category_axis.tick_labels.font.size = Pt(5)


def tiny_by_the_chart(chart: Any) -> None:
    chart.font.size = Pt(5)


def pale(chart: Any) -> None:
    chart.category_axis.tick_labels.font.color.rgb = Rgb(0xE8, 0xE8, 0xE8)


def pale_by_the_chart(chart: Any) -> None:
    chart.font.color.rgb = Rgb(0xE8, 0xE8, 0xE8)


def no_categories(chart: Any) -> None:
    chart.category_axis.visible = False  # python-pptx writes c:delete without val, which says true


def white_point(chart: Any) -> None:
    point = chart.plots[0].series[0].points[2]
    point.format.fill.solid()
    point.format.fill.fore_color.rgb = Rgb(255, 255, 255)


def empty_point(chart: Any) -> None:
    chart.plots[0].series[0].points[0].format.fill.background()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (plain, None),
        (tiny, "category axis is labelled at 5 pt"),
        (tiny_by_the_chart, "axis is labelled at 5 pt"),
        (pale, "labelled in #E8E8E8 on #FFFFFF"),
        (pale_by_the_chart, "labelled in #E8E8E8 on #FFFFFF"),
        (no_categories, "its categories aren't named"),
        (white_point, "point 3 of 'Late sailings' can't be seen"),
        (empty_point, "point 1 of 'Late sailings' can't be seen"),
    ],
)
@pytest.mark.parametrize("leaf", [{"deck": {**ON, "chart": {"kind": "bar"}}}, {"guard": "legible"}], ids=str)
def test_labels_and_points(spoil: Any, said: str | None, leaf: dict[str, Any]) -> None:
    def edit(deck: Any) -> None:
        bars(deck)
        spoil(chart_of(deck.slides[7]).chart)

    reason, score = judged(edit, leaf)
    assert (score == 1) == (said is None), reason
    assert (said or "") in reason
