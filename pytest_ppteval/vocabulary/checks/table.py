"""`table`: rows, columns, cells, their texts and numbers, their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import close, number_in
from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.address import columns_of, rows_of
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError, Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Table
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = (
    "rows", "columns", "header", "first_column", "cells", "column", "row", "sorted", "keeps", "readable", "flags",
)  # fmt: skip
_CELL = ("row", "column", "text", "number", "tolerance", "empty")
# What people write where there is no number.
_NOTHING = frozenset({"", "-", "--", "---", "n.a.", "n/a", "na", "none", "/", "\u65e0", "."})


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS.

    rows, columns: how many. cells: [{row, column, text | number | empty}]. column, row: {name, texts | numbers}, the
    body of one line; unit: what may stand behind its numbers, and nothing else. sorted: {column, order}. keeps:
    "columns", "rows" or "cells" of the original, in any order.
    """
    unknown_key("table", want, KEYS)
    for spot in spots:
        table = spot.shape.table if spot.shape is not None else None
        if table is None:
            yield Point(0.0, f"{spot.where}: is no table")
            continue
        for key, value in want.items():
            yield from _one(key, value, table, spot, world)


def _one(key: str, want: Any, table: Table, spot: Spot, world: World) -> Iterator[Point]:
    grid = table.texts
    match key:
        case "rows":
            yield in_range(len(grid), want, f"{spot.where}: rows")
        case "columns":
            yield in_range(len(table.widths), want, f"{spot.where}: columns")
        case "header":
            yield from _line(list(grid[0]) if grid else [], {"texts": want}, f"{spot.where}, heading")
        case "first_column":
            yield from _line([row[0] for row in grid], {"texts": want}, f"{spot.where}, first column")
        case "cells":
            for cell in want:
                yield from _cell(cell, table, spot)
        case "column":
            for one in want if isinstance(want, list) else [want]:
                places = columns_of(table, one.get("name"))
                body = [row[places[0]] for row in grid[1:]] if places else []
                yield Point.of(
                    bool(places),
                    f"{spot.where}: has a column {one.get('name')!r}"
                    if places
                    else f"{spot.where}: no column {one.get('name')!r}",
                )
                yield from _line(body, one, f"{spot.where}, column {one.get('name')}")
        case "row":
            for one in want if isinstance(want, list) else [want]:
                places = rows_of(table, one.get("name"))
                yield Point.of(
                    bool(places),
                    f"{spot.where}: has a row {one.get('name')!r}"
                    if places
                    else f"{spot.where}: no row {one.get('name')!r}",
                )
                yield from _line(
                    list(grid[places[0]][1:]) if places else [], one, f"{spot.where}, row {one.get('name')}"
                )
        case "sorted":
            yield _sorted(want, table, spot)
        case "keeps":
            yield from _keeps(want, table, spot, world)
        case "flags":
            for flag in want:
                yield Point.of(flag in table.flags, f"{spot.where}: not set: {flag}")
        case _:
            narrow = min(table.widths, default=0) / 360_000
            yield Point.of((narrow >= 0.8) == bool(want), f"{spot.where}: its narrowest column is {narrow:.1f} cm wide")


def _cell(want: Any, table: Table, spot: Spot) -> Iterator[Point]:
    unknown_key("table: cells", want, _CELL)
    rows, columns = rows_of(table, want.get("row", 1)), columns_of(table, want.get("column", 1))
    if not rows or not columns:
        yield Point(0.0, f"{spot.where}: no cell at row {want.get('row')!r}, column {want.get('column')!r}")
        return
    text = table.rows[rows[0]][columns[0]].text.text
    where = f"{spot.where}, row {rows[0] + 1}, column {columns[0] + 1}"
    if "text" in want:
        yield from texts.points(text, want["text"], where)
    if "number" in want:
        yield _number(text, want["number"], float(want.get("tolerance", 0)), where)
    if "empty" in want:
        yield Point.of(is_nothing(text) == bool(want["empty"]), f"{where}: {text!r}")


def _line(found: list[str], want: dict[str, Any], where: str) -> Iterator[Point]:
    unknown_key("table: line", want, ("name", "texts", "numbers", "tolerance", "signed", "unit", "total"))
    for key in ("texts", "numbers"):
        wanted = want.get(key)
        if wanted is None:
            continue
        if len(found) != len(wanted):
            yield Point(0.0, f"{where}: {len(found)} cells, wanted {len(wanted)}")
        for place, one in enumerate(wanted):
            text = found[place] if place < len(found) else ""
            if one is None:
                yield Point.of(is_nothing(text), f"{where}, {place + 1}: {text!r}, wanted nothing")
            elif key == "texts":
                yield from texts.points(text, one, f"{where}, {place + 1}")
            else:
                yield _number(text, one, float(want.get("tolerance", 0)), f"{where}, {place + 1}")
                if "unit" in want:
                    yield _has_no_more(text, want["unit"], f"{where}, {place + 1}")
                if want.get("signed"):
                    yield Point.of(_has_sign(text, float(one)), f"{where}, {place + 1}: {text!r} has no sign")


def _number(text: str, want: float, tolerance: float, where: str) -> Point:
    found = number_in(text)
    right = found is not None and close(found, float(want), tolerance)
    return Point.of(right, f"{where}: {text!r}, wanted {want:g}")


def _has_no_more(text: str, units: Any, where: str) -> Point:
    """Whether beside a number there is nothing but one of these units, or not even that."""
    rest = "".join(char for char in normal(text) if not (char.isspace() or char.isdigit() or char in "+-.,()"))
    allowed = ["", *(units if isinstance(units, list) else [units])]
    return Point.of(rest in allowed, f"{where}: {text!r}, wanted a number, in {units} where a unit is said")


def _has_sign(text: str, value: float) -> bool:
    return value == 0 or normal(text)[:1] == ("+" if value > 0 else "-")


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is nothing: empty, a dash, "n.a."."""
    return normal(text, case=False) in _NOTHING


def _sorted(want: Any, table: Table, spot: Spot) -> Point:
    unknown_key("table: sorted", want, ("column", "order", "except_last"))
    places = columns_of(table, want.get("column"))
    if not places:
        return Point(0.0, f"{spot.where}: no column {want.get('column')!r}")
    body = [row[places[0]] for row in table.texts[1:]]
    if want.get("except_last"):
        body = body[: -int(want["except_last"])]
    values = [number_in(text) for text in body]
    order = want.get("order", "ascending")
    if order not in ("ascending", "descending"):
        raise LeafError(f"table: order {order!r}: use ascending or descending")
    known = [value for value in values if value is not None]
    right = len(known) == len(values) and known == sorted(known, reverse=order == "descending")
    return Point.of(right, f"{spot.where}: {', '.join(body)[:120]} is not {order}")


def _keeps(want: Any, table: Table, spot: Spot, world: World) -> Iterator[Point]:
    was = world.shape_was(spot.slide, spot.shape) if spot.shape is not None else None
    if was is None:  # made anew: then the table that the slide had
        slide = world.was(spot.slide)
        was = next((shape for shape in (slide.shapes if slide is not None else ()) if shape.table is not None), None)
    if was is None or was.table is None:
        yield Point(0.0, f"{spot.where}: no table of the original to compare with")
        return
    old, new = was.table.texts, table.texts
    for what in want if isinstance(want, list) else [want]:
        if what == "rows":
            now = [tuple(map(normal, row)) for row in new]
            for row in old:
                kept = tuple(map(normal, row)) in now
                yield Point.of(
                    kept, f"{spot.where}: row {row[0]!r} is {'as it was' if kept else 'no longer there as it was'}"
                )
        elif what == "columns":
            now = [tuple(map(normal, column)) for column in zip(*new, strict=False)]
            for column in zip(*old, strict=False):
                kept = tuple(map(normal, column)) in now
                yield Point.of(
                    kept,
                    f"{spot.where}: column {column[0]!r} is {'as it was' if kept else 'no longer there as it was'}",
                )
        elif what == "cells":
            same = [
                r < len(new) and c < len(new[r]) and normal(text) == normal(new[r][c])
                for r, row in enumerate(old)
                for c, text in enumerate(row)
            ]
            yield Point(
                sum(same) / len(same) if same else 1.0,
                f"{spot.where}: {same.count(False)} cells differ from the original's",
            )
        else:
            raise LeafError(f"table: keeps {what!r}: use rows, columns or cells")
