"""Tables as drawn: cells with the text and fill that the table's style gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A
from pytest_ppteval.look.model import NO_FILL, Cell, Fill, Table
from pytest_ppteval.look.table_styles import TableStyle, TableStyles
from pytest_ppteval.look.text import Styles
from pytest_ppteval.look.values import emu, flag, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from pytest_ppteval.look.model import Line
    from pytest_ppteval.look.paint import Paint
    from pytest_ppteval.look.text import TextReader

_FLAGS = {
    "firstRow": "first row", "lastRow": "last row", "firstCol": "first column", "lastCol": "last column",
    "bandRow": "banded rows", "bandCol": "banded columns",
}  # fmt: skip
_SIDES = ("lnL", "lnT", "lnR", "lnB")


def read_table(
    table: etree._Element, paint: Paint, texts: TextReader, styles: TableStyles, default: tuple[etree._Element, ...]
) -> Table:
    """The a:tbl. default: the text styles that cells follow."""
    properties = table.find(A + "tblPr")
    flags = frozenset(word for name, word in _FLAGS.items() if properties is not None and flag(properties.get(name)))
    named = properties.find(A + "tableStyleId") if properties is not None else None
    style = styles.style(named.text or "" if named is not None else "")
    widths = tuple(emu(column.get("w")) or 0 for column in table.iterfind(f"{A}tblGrid/{A}gridCol"))
    rows = table.findall(A + "tr")
    ground = paint.own_fill(properties) or (style.ground(paint) if style is not None else None) or NO_FILL
    made = []
    for number, row in enumerate(rows):
        cells = row.findall(A + "tc")
        line = []
        for place, cell in enumerate(cells):
            regions = tuple(_regions(flags, number, place, len(rows), len(cells)))
            line.append(_cell(cell, number, place, regions, style, ground, paint, texts, default))
        made.append(tuple(line))
    name = style.name if style is not None else (named.text or "" if named is not None else "")
    return Table(tuple(made), widths, tuple(emu(row.get("h")) or 0 for row in rows), name, flags)


def _cell(
    element: etree._Element,
    row: int,
    column: int,
    regions: tuple[str, ...],
    style: TableStyle | None,
    ground: Fill,
    paint: Paint,
    texts: TextReader,
    default: tuple[etree._Element, ...],
) -> Cell:
    properties = element.find(A + "tcPr")
    fill = paint.own_fill(properties)
    if fill is None:
        fill = (style.fill(regions, paint) if style is not None else None) or ground
    body = element.find(A + "txBody")
    runs = style.text(regions) if style is not None else ()
    anchored = _body_like(element, properties)
    text = texts.body(
        body if body is not None else element.makeelement(A + "txBody", {}),
        Styles((anchored,) if anchored is not None else (), (), default, runs),
    )
    borders = tuple(_border(properties, side, paint) for side in _SIDES)
    return Cell(
        row=row,
        column=column,
        text=text,
        fill=fill,
        spans=(max(1, whole(element.get("rowSpan"), 1)), max(1, whole(element.get("gridSpan"), 1))),
        merged=flag(element.get("hMerge")) or flag(element.get("vMerge")),
        borders=(borders[0], borders[1], borders[2], borders[3]),
    )


def _body_like(cell: etree._Element, properties: etree._Element | None) -> etree._Element | None:
    """A cell says its anchor and margins in a:tcPr, with names of its own."""
    if properties is None:
        return None
    names = {"anchor": "anchor", "marL": "lIns", "marT": "tIns", "marR": "rIns", "marB": "bIns", "vert": "vert"}
    return cell.makeelement(
        A + "bodyPr", {new: value for old, new in names.items() if (value := properties.get(old)) is not None}
    )


def _border(properties: etree._Element | None, side: str, paint: Paint) -> Line | None:
    line = properties.find(A + side) if properties is not None else None
    return paint.drawn_line([line]) if line is not None else None


def _regions(flags: frozenset[str], row: int, column: int, rows: int, columns: int) -> Iterator[str]:
    """The parts of a table style that a cell is in, the one that wins first."""
    first_row, last_row = "first row" in flags and row == 0, "last row" in flags and row == rows - 1 and rows > 1
    first_column = "first column" in flags and column == 0
    last_column = "last column" in flags and column == columns - 1 and columns > 1
    for vertical, up in ((first_row, "n"), (last_row, "s")):
        for horizontal, side in ((first_column, "w"), (last_column, "e")):
            if vertical and horizontal:
                yield f"{up}{side}Cell"
    if first_row:
        yield "firstRow"
    if last_row:
        yield "lastRow"
    if first_column:
        yield "firstCol"
    if last_column:
        yield "lastCol"
    if not (first_row or last_row) and "banded rows" in flags:
        yield f"band{(row - ('first row' in flags)) % 2 + 1}H"
    if not (first_column or last_column) and "banded columns" in flags:
        yield f"band{(column - ('first column' in flags)) % 2 + 1}V"
    yield "wholeTbl"
