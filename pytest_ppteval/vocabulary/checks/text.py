"""`text`: what a shape, a cell, a paragraph or a slide says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.finding import Point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a text, or a mapping (see texts.points); `paragraphs: [..]` for those that aren't empty, in order."""
    lines = None
    if isinstance(want, dict) and "paragraphs" in want:
        lines = list(want["paragraphs"])
        want = {key: value for key, value in want.items() if key != "paragraphs"}
    for spot in spots:
        if want:
            yield from texts.points(spot.text, want, spot.where, _before(spot, world))
        if lines is not None:
            yield from _paragraphs(spot, lines)


def _paragraphs(spot: Spot, wanted: list[Any]) -> Iterator[Point]:
    found = [paragraph.text for paragraph in spot.paragraphs if paragraph.text.strip()]
    yield Point.of(len(found) == len(wanted), f"{spot.where}: {len(found)} paragraphs, wanted {len(wanted)}")
    for number, want in enumerate(wanted):
        given = found[number] if number < len(found) else ""
        yield from texts.points(given, want, f"{spot.where}, paragraph {number + 1}")


def _before(spot: Spot, world: World) -> str | None:
    if spot.shape is None:
        was = world.was(spot.slide)
        return was.words if was is not None else None
    shape = world.shape_was(spot.slide, spot.shape)
    if shape is None:
        return None
    if spot.cell is not None:
        rows = shape.table.rows if shape.table is not None else ()
        known = spot.cell.row < len(rows) and spot.cell.column < len(rows[spot.cell.row])
        return rows[spot.cell.row][spot.cell.column].text.text if known else None
    return shape.words
