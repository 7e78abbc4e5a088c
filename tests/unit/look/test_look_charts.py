"""Charts as drawn, in both of PowerPoint's formats, and tables with PowerPoint's own styles."""

# mypy: allow-untyped-calls
from __future__ import annotations

from typing import Any

import pytest
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Emu
from small_looks import Edit, element, shape_of

from pytest_ppteval.look.charts import read_chart
from pytest_ppteval.look.colour import Palette
from pytest_ppteval.look.model import Chart, Table
from pytest_ppteval.look.paint import Paint
from pytest_ppteval.look.theme import Theme

PLACE = (Emu(0), Emu(0), Emu(5_000_000), Emu(3_000_000))


def categories(count: int = 2) -> CategoryChartData:
    data = CategoryChartData()
    data.categories = ["a", "b", "c"]
    for number in range(count):
        data.add_series(f"S{number}", (1 + number, None, 3))
    return data


def chart_of(kind: Any, data: Any, change: Edit | None = None) -> Chart:
    def edit(presentation: Any, slide: Any) -> None:
        chart = slide.shapes.add_chart(kind, *PLACE, data).chart
        if change is not None:
            change(presentation, chart)

    found = shape_of(edit=edit).chart
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "kind", "direction", "grouping"),
    [
        ("BAR_CLUSTERED", "bar", "horizontal", "clustered"),
        ("COLUMN_CLUSTERED", "bar", "vertical", "clustered"),
        ("COLUMN_STACKED", "bar", "vertical", "stacked"),
        ("BAR_STACKED_100", "bar", "horizontal", "percent"),
        ("LINE", "line", None, "standard"),
        ("AREA_STACKED", "area", None, "stacked"),
        ("PIE", "pie", None, None),
        ("DOUGHNUT", "doughnut", None, None),
        ("RADAR", "radar", None, None),
    ],
)
def test_kinds(name: str, kind: str, direction: str | None, grouping: str | None) -> None:
    chart = chart_of(getattr(XL_CHART_TYPE, name), categories())
    assert (chart.kind, chart.direction, chart.grouping) == (kind, direction, grouping)
    assert chart.categories == ("a", "b", "c")
    assert chart.series[0].values == (1.0, None, 3.0)


def test_points_and_bubbles() -> None:
    points = XyChartData()
    points.add_series("S").add_data_point(1.5, 2.5)
    series = chart_of(XL_CHART_TYPE.XY_SCATTER, points).series[0]
    assert (series.x_values, series.values) == ((1.5,), (2.5,))
    bubbles = BubbleChartData()
    bubbles.add_series("S").add_data_point(1.5, 2.5, 9)
    assert chart_of(XL_CHART_TYPE.BUBBLE, bubbles).series[0].sizes == (9.0,)


def test_categories_in_levels() -> None:
    data = CategoryChartData()
    for year in ("2024", "2025"):
        group = data.add_category(year)
        group.add_sub_category("Q1")
        group.add_sub_category("Q2")
    data.add_series("S", (1, 2, 3, 4))
    series = chart_of(XL_CHART_TYPE.COLUMN_CLUSTERED, data).series[0]
    assert series.categories == ("Q1", "Q2", "Q1", "Q2")
    assert series.outer == (("2024", "", "2025"),)


def titled(words: str | None, deleted: str | None) -> Edit:
    def change(presentation: Any, chart: Any) -> None:
        if words is not None:
            chart.chart_title.text_frame.text = words
        for old in chart._chartSpace.chart.findall("{*}autoTitleDeleted"):
            if deleted is None:
                old.getparent().remove(old)
            else:
                old.set("val", deleted)

    return change


@pytest.mark.parametrize(
    ("series", "words", "deleted", "title"),
    [
        (2, "Ours", "0", "Ours"),
        (1, "Ours", "0", "Ours"),
        (1, None, "0", "S0"),  # PowerPoint gives a chart of one series its name
        (1, None, "1", None),
        (2, None, "0", None),
        (1, None, None, None),
    ],
)
def test_titles(series: int, words: str | None, deleted: str | None, title: str | None) -> None:
    assert chart_of(XL_CHART_TYPE.COLUMN_CLUSTERED, categories(series), titled(words, deleted)).title == title


def test_a_pie_of_which_one_piece_has_a_colour_of_its_own() -> None:
    def change(presentation: Any, chart: Any) -> None:
        fill = chart.plots[0].series[0].points[1].format.fill
        fill.solid()
        fill.fore_color.rgb = RGBColor.from_string("FF0000")

    points = dict(chart_of(XL_CHART_TYPE.PIE, categories(1), change).series[0].points)
    colours = {place: fill.colour.rgb for place, fill in points.items() if fill.colour is not None}
    assert colours == {0: "4F81BD", 1: "FF0000", 2: "9BBB59"}  # accents 1 and 3 of Office 2007


def test_two_kinds_in_one() -> None:
    def change(presentation: Any, chart: Any) -> None:
        plot = chart._chartSpace.chart.plotArea
        bars = plot.find("{*}barChart")
        line = element('<c:lineChart><c:grouping val="standard"/></c:lineChart>')
        line.append(bars.findall("{*}ser")[1])
        line.extend(element(f'<c:axId val="{number}"/>') for number in (71, 72))
        bars.addnext(line)

    chart = chart_of(XL_CHART_TYPE.COLUMN_CLUSTERED, categories(), change)
    assert chart.kind == "combined"
    assert [(series.kind, series.secondary) for series in chart.series] == [("bar", False), ("line", True)]


EXTENDED = """<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="3">
<cx:pt idx="0">a</cx:pt>
<cx:pt idx="2">c</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl ptCount="3"><cx:pt idx="0">1</cx:pt>
<cx:pt idx="2">-3.5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion>
<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>
</cx:plotAreaRegion></cx:plotArea><cx:legend pos="b"/></cx:chart></cx:chartSpace>"""


def test_the_newer_kinds() -> None:
    theme = Theme(None)
    chart = read_chart(element(EXTENDED), Paint(Palette(theme.colours, {}), theme, None))  # type: ignore[arg-type]
    assert (chart.kind, chart.legend) == ("waterfall", "bottom")
    series = chart.series[0]
    assert (series.name, series.categories, series.values) == ("Cash", ("a", "", "c"), (1.0, None, -3.5))


def table_of(style: str = "", **flags: bool) -> Table:
    def edit(presentation: Any, slide: Any) -> None:
        table = slide.shapes.add_table(4, 3, *PLACE).table
        for row in table.rows:
            for cell in row.cells:
                cell.text = "x"
        for name, value in flags.items():
            setattr(table, name, value)
        if style:
            table._tbl.tblPr.find("{*}tableStyleId").text = style

    found = shape_of(edit=edit).table
    assert found is not None
    return found


def looks(table: Table, row: int, column: int = 0) -> tuple[str | None, str, bool]:
    cell = table.rows[row][column]
    run = next(cell.text.runs)
    return cell.fill.colour.rgb if cell.fill.colour is not None else None, run.colour.rgb, run.bold


FIRST, SECOND = ("D0D8E8", "000000", False), ("E9EDF4", "000000", False)
MEDIUM_2_ACCENT_2 = "{21E4AEA4-8DFA-4A89-87EB-49C32662AFE0}"
NO_STYLE_GRID = "{5940675A-B579-460E-94D1-54222C63F5DA}"


def test_powerpoint_s_own_table_styles() -> None:
    """Medium Style 2: a head in the accent with bold white text, rows in 40 % and 20 % of it by turns."""
    table = table_of()
    assert table.style == "Medium Style 2 - Accent 1"
    head, first, second = looks(table, 0), looks(table, 1), looks(table, 2)
    assert (head, first, second) == (("4F81BD", "FFFFFF", True), FIRST, SECOND)
    assert looks(table_of(MEDIUM_2_ACCENT_2), 0) == ("C0504D", "FFFFFF", True)
    assert looks(table_of(NO_STYLE_GRID), 0)[0] is None
    assert looks(table_of("{00000000-0000-0000-0000-000000000000}"), 0) == (None, "000000", False)


def test_which_parts_of_a_style_a_table_uses() -> None:
    plain = table_of(first_row=False, horz_banding=False)
    assert {looks(plain, row) for row in range(4)} == {("E9EDF4", "000000", False)}
    last = table_of(last_row=True, first_col=True)
    assert looks(last, 3, 1) == ("4F81BD", "FFFFFF", True)
    assert looks(last, 1, 0) == ("4F81BD", "FFFFFF", True)
    assert looks(last, 1, 1) == ("D0D8E8", "000000", False)
