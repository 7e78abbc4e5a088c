"""Outputs for tasks on the library's report: 003 (a table sorted and summed) and 004 (a line for columns)."""

from __future__ import annotations

import copy
from typing import Any

from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from suite_outputs import ChartData, Deck, Parts, chart_of, good, good_parts, remove, replace_once, table_of, wrong

# --- 003: branches by loans, and their sums --------------------------------------------------------------------------

SUMS = ("合计", "238.7", "315.4", "1,512", "36,425")


def branches(deck: Deck) -> Any:
    return table_of(deck.slides[5])


def write(cell: Any, text: str) -> None:
    cell.text_frame.paragraphs[0].runs[0].text = text


def sort_rows(deck: Deck, by: int = 2, descending: bool = True) -> None:
    """Whole rows change places."""

    def key(row: Any) -> float:
        return float(row.cells[by].text.replace(",", ""))

    for row in sorted(list(branches(deck).rows)[1:], key=key, reverse=descending):
        row._tr.getparent().append(row._tr)


def add_sums(deck: Deck, texts: tuple[str, ...] = SUMS, at: int = 7) -> None:
    """A copy of the last row, as row `at` below the header's."""
    table = branches(deck)
    new = copy.deepcopy(list(table.rows)[-1]._tr)
    list(table.rows)[at - 1]._tr.addnext(new)
    for cell, text in zip(list(table.rows)[at].cells, texts, strict=True):
        write(cell, text)


@good("图书馆年报-003")
def texts_written_into_the_rows(deck: Deck) -> None:
    """Cells keep their places and get other texts; the sums have no separators, and a unit in one place."""
    table = branches(deck)
    rows = [[cell.text for cell in row.cells] for row in list(table.rows)[1:]]
    rows.sort(key=lambda row: -float(row[2]))
    for row, texts in zip(list(table.rows)[1:], rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            write(cell, text)
    add_sums(deck, ("总 计", "238.70万", "315.4", "1512", "３６，４２５"))
    for cell in list(table.rows)[-1].cells:
        cell.text_frame.paragraphs[0].runs[0].font.bold = True


@good_parts("图书馆年报-003")
def rows_in_the_xml(parts: Parts) -> None:
    name = "ppt/slides/slide6.xml"
    start, end = parts[name].index("<a:tr "), parts[name].rindex("</a:tr>") + len("</a:tr>")
    head, *rows = [f"<a:tr {one}" for one in parts[name][start:end].split("<a:tr ")[1:]]
    order = ("总馆", "少儿分馆", "东湖分馆", "北苑分馆", "城西分馆", "高铁新城分馆")
    rows = [next(row for row in rows if f"<a:t>{branch}</a:t>" in row) for branch in order]
    last = rows[-1]
    for old, new in zip(("高铁新城分馆", "18.3", "22.1", "97", "3,388"), SUMS, strict=True):
        last = replace_once(last, f"<a:t>{old}</a:t>", f"<a:t>{new}</a:t>")
    parts[name] = parts[name][:start] + "".join([head, *rows, last]) + parts[name][end:]


@wrong("图书馆年报-003", "按外借册次排序")
def sorted_by_visits(deck: Deck) -> None:
    sort_rows(deck, by=1)
    add_sums(deck)


@wrong("图书馆年报-003", "按外借册次排序")
def sorted_upwards(deck: Deck) -> None:
    sort_rows(deck, descending=False)
    add_sums(deck)


@wrong("图书馆年报-003", "按外借册次排序")
def sums_on_top(deck: Deck) -> None:
    sort_rows(deck)
    add_sums(deck, at=1)


@wrong("图书馆年报-003", "按外借册次排序", "合计数正确")
def sums_forgotten(deck: Deck) -> None:
    sort_rows(deck)


@wrong("图书馆年报-003", "合计数正确")
def one_sum_wrong_one_missing(deck: Deck) -> None:
    sort_rows(deck)
    add_sums(deck, ("合计", "238.7", "314.5", "1,512", " "))


@wrong("图书馆年报-003", "各馆数据不变")
def only_one_column_sorted(deck: Deck) -> None:
    """The names stay where they are: each branch has another's loans."""
    rows = list(branches(deck).rows)[1:]
    for row, text in zip(rows, sorted((row.cells[2].text for row in rows), key=float, reverse=True), strict=True):
        write(row.cells[2], text)
    add_sums(deck)


@wrong("图书馆年报-003", "合计行整齐")
def sums_set_left(deck: Deck) -> None:
    sort_rows(deck)
    add_sums(deck)
    for cell in list(branches(deck).rows)[-1].cells:
        cell.text_frame.paragraphs[0].alignment = None


@wrong("图书馆年报-003", "表格位置合适")
def table_over_the_note(deck: Deck) -> None:
    sort_rows(deck)
    add_sums(deck)
    for row in branches(deck).rows:
        row.height = Inches(0.7)


@wrong("图书馆年报-003", "其余内容未变")
def note_removed(deck: Deck) -> None:
    sort_rows(deck)
    add_sums(deck)
    [note] = [s for s in deck.slides[5].shapes if s.has_text_frame and s.text_frame.text.startswith("数据来源")]
    remove(note)


# --- 004: a line for the columns -------------------------------------------------------------------------------------

TITLE = "近五年到馆人次"


def draw(
    deck: Deck,
    kind: Any = XL_CHART_TYPE.LINE,
    numbers: tuple[float, ...] = (142.6, 128.3, 189.5, 221.8, 238.7),
    title: str | None = TITLE,
    labels: bool = True,
) -> Any:
    """A new chart in place of the columns, as its frame."""
    slide = deck.slides[4]
    old = chart_of(slide)
    data = ChartData()
    data.categories = ["2021年", "2022年", "2023年", "2024年", "2025年"]
    data.add_series("到馆人次（万）", numbers)
    new = slide.shapes.add_chart(kind, old.left, old.top, old.width, old.height, data)
    remove(old)
    new.chart.has_title = title is not None
    if title:
        new.chart.chart_title.text_frame.text = title
    if labels:
        new.chart.plots[0].has_data_labels = True
        new.chart.plots[0].data_labels.show_value = True
    return new


@good("图书馆年报-004")
def labels_point_by_point(deck: Deck) -> None:
    chart = draw(deck, labels=False).chart
    for index in range(5):
        label = chart.plots[0].series[0].points[index].data_label
        label.font.size = Pt(14)
        label._dLbl.find("{*}showVal").set("val", "1")


@good("图书馆年报-004")
def title_by_the_name_of_the_series(deck: Deck) -> None:
    """The only series is renamed, and the chart shows its name as the title."""
    chart = draw(deck).chart
    for text in chart.plots[0].series[0]._element.iterfind("{*}tx//{*}v"):
        text.text = TITLE
    title = chart._chartSpace.chart.find("{*}title")
    title.remove(title.find("{*}tx"))


@good_parts("图书馆年报-004")
def columns_turned_into_a_line_in_the_xml(parts: Parts) -> None:
    [name] = [name for name, text in parts.items() if "/charts/chart" in name and "2021年" in text]
    text = parts[name]
    start, end = text.index("<c:barChart>"), text.index("</c:barChart>") + len("</c:barChart>")
    series = text[text.index("<c:ser>") : text.index("</c:ser>")].replace('<c:invertIfNegative val="0"/>', "")
    axes = text[text.index("<c:axId ") : end - len("</c:barChart>")]
    shows = "".join(
        f'<c:{what} val="{int(what == "showVal")}"/>'
        for what in ("showLegendKey", "showVal", "showCatName", "showSerName", "showPercent", "showBubbleSize")
    )
    at = series.index("<c:cat>")
    series = f"{series[:at]}<c:dLbls>{shows}</c:dLbls>{series[at:]}</c:ser>"
    line = f'<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>{series}{axes}</c:lineChart>'
    runs = "".join(f'<a:r><a:rPr lang="zh-CN"/><a:t>{part}</a:t></a:r>' for part in ("近五年", "到馆人次"))
    title = f'<c:title><c:tx><c:rich><a:bodyPr/><a:p>{runs}</a:p></c:rich></c:tx><c:overlay val="0"/></c:title>'
    text = text[:start] + line + text[end:]
    text = replace_once(text, "<c:chart>", f"<c:chart>{title}")
    parts[name] = replace_once(text, '<c:autoTitleDeleted val="1"/>', '<c:autoTitleDeleted val="0"/>')


@wrong("图书馆年报-004", "柱形图改为折线图")
def columns_left(deck: Deck) -> None:
    draw(deck, XL_CHART_TYPE.COLUMN_CLUSTERED)


@wrong("图书馆年报-004", "柱形图改为折线图")
def line_beside_the_columns(deck: Deck) -> None:
    frame = copy.deepcopy(chart_of(deck.slides[4])._element)
    draw(deck)
    deck.slides[4].shapes._spTree.append(frame)


@wrong("图书馆年报-004", "数据不变")
def last_year_wrong(deck: Deck) -> None:
    draw(deck, numbers=(142.6, 128.3, 189.5, 221.8, 283.7))


@wrong("图书馆年报-004", "每点有数据标签")
def no_labels(deck: Deck) -> None:
    draw(deck, labels=False)


@wrong("图书馆年报-004", "每点有数据标签")
def label_on_the_last_point_only(deck: Deck) -> None:
    chart = draw(deck, labels=False).chart
    chart.plots[0].series[0].points[4].data_label._get_or_add_dLbl().find("{*}showVal").set("val", "1")


@wrong("图书馆年报-004", "每点有数据标签")
def labels_of_the_plot_overruled_by_the_series(deck: Deck) -> None:
    """The series has labels of its own, for one point; those of the plot no longer count for the others."""
    draw(deck).chart.plots[0].series[0].points[1].data_label._get_or_add_dLbl()


@wrong("图书馆年报-004", "图表标题正确")
def title_in_a_text_box(deck: Deck) -> None:
    draw(deck, title=None)
    box = deck.slides[4].shapes.add_textbox(Inches(2), Inches(1.5), Inches(4), Inches(0.4))
    box.text_frame.text = TITLE


@wrong("图书馆年报-004", "图表标题正确")
def title_as_it_pleases(deck: Deck) -> None:
    draw(deck, title="到馆人次变化趋势")


@wrong("图书馆年报-004", "图表位置合适")
def chart_over_the_list(deck: Deck) -> None:
    draw(deck).left = Inches(4)


@wrong("图书馆年报-004", "其余内容未变")
def list_emptied(deck: Deck) -> None:
    draw(deck)
    deck.slides[4].placeholders[2].text_frame.clear()


@wrong("图书馆年报-004", "其余内容未变")
def other_chart_made_a_line_too(deck: Deck) -> None:
    draw(deck)
    slide = deck.slides[6]
    old = chart_of(slide)
    data = ChartData()
    data.categories = ["总馆", "少儿分馆"]
    data.add_series("2025年", (112.5, 68.7))
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, old.left, old.top, old.width, old.height, data)
    remove(old)
