"""The text that is drawn on a slide, line by line, and which shape each line belongs to."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_ppteval.picture.measures.boxes import Box, every_shape, shape_box
from pytest_ppteval.picture.measures.reading import facts, unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.picture.measures.reading import Shot

# What stands before an item of a list: a bullet, "3.", "b)", "(iv)".
_ITEM = re.compile(r"^(?:[^\w\s]|\(?[0-9a-zA-Z]{1,4}[.)])\s*")


class DrawnText(NamedTuple):
    """A line of text as it was drawn.

    text: what it says, a bullet or number before it included. box: around its ink. size: of the font, in points, as
    drawn: shrunk text is smaller than the file says. colour: "#RRGGBB", "" where unknown. angle: degrees, 0 for text
    that reads from left to right. shape_id: the shape's, where the renderer tells (LibreOffice doesn't).
    """

    text: str
    box: Box
    size: float
    colour: str
    angle: float
    shape_id: int | None


def of_slide(screenshots: Iterable[Shot], number: int) -> Shot:
    """The entry of slide `number` (from 1) among the screenshots. The leaf is unscored where there is none."""
    found = next((shot for shot in screenshots if shot.slide_number == number), None)
    if found is None:
        unavailable(f"there is no picture of slide {number}")
    return found


def drawn_text(shot: Shot, inside: Box | None = None) -> list[DrawnText]:
    """The lines of text on the slide, those of its layout and master included, in the order in which they were drawn.

    inside: only lines whose middle lies in this box.
    Source: the text layer of LibreOffice's PDF; with betteroffice-pptx its layout, whose boxes are by the font's usual
    height, not by the ink. Text in pictures is not found.
    """
    lines = [
        DrawnText(
            line.text, Box(line.left, line.top, line.right, line.bottom), line.size, line.colour, line.angle, line.shape
        )
        for line in facts(shot).lines
        if line.text.strip()
    ]
    if inside is None:
        return lines
    return [
        line
        for line in lines
        if inside.left <= (line.box.left + line.box.right) / 2 <= inside.right
        and inside.top <= (line.box.top + line.box.bottom) / 2 <= inside.bottom
    ]


def text_of_shape(slide: Any, shot: Shot, shape: Any) -> list[DrawnText]:
    """The drawn lines that belong to a shape (python-pptx's) of the slide; none where its text was not drawn."""
    return lines_by_shape(slide, drawn_text(shot)).get(shape.shape_id, [])


def lines_by_shape(slide: Any, lines: list[DrawnText]) -> dict[int, list[DrawnText]]:
    """Which lines belong to which shape with text, by shape id.

    Where the renderer doesn't tell: the run of lines, one after the other as they were drawn, that says what the shape
    says; of several such runs, the nearest to the shape.
    """
    found: dict[int, list[DrawnText]] = {}
    free = list(range(len(lines)))
    for shape in every_shape(slide.shapes):
        text = shape.text_frame.text if getattr(shape, "has_text_frame", False) else ""
        box = shape_box(shape)
        if not _plain(text) or box is None:
            continue
        told = [index for index in free if lines[index].shape_id == shape.shape_id]
        mine = told or _run(_plain(text), box, lines, free)
        if mine:
            found[shape.shape_id] = [lines[index] for index in mine]
            free = [index for index in free if index not in mine]
    return found


def _plain(text: str) -> str:
    """Text without what drawing changes: blanks, case, the forms of letters, marks that are not shown."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split()).replace("\u00ad", "")


def _run(wanted: str, box: Box, lines: list[DrawnText], free: list[int]) -> list[int]:
    runs = []
    for start in range(len(free)):
        run = _run_from(wanted, lines, free[start:])
        if run:
            runs.append(run)
    return min(runs, key=lambda run: _distance(Box.around([lines[index].box for index in run]), box), default=[])


def _run_from(wanted: str, lines: list[DrawnText], free: list[int]) -> list[int]:
    """The lines, from the first of `free` on, that say `wanted` together; none if they say something else."""
    at = 0
    run: list[int] = []
    for index in free:
        text = lines[index].text
        readings = [_plain(text), _plain(_ITEM.sub("", text, count=1))]
        said = next((reading for reading in readings if reading and wanted.startswith(reading, at)), None)
        if said is None:
            if run and not readings[1]:  # a bullet that stands alone
                continue
            return []
        at += len(said)
        run.append(index)
        if at == len(wanted):
            return run
    return []


def _distance(one: Box, other: Box) -> float:
    across = abs(one.left + one.right - other.left - other.right)
    return across + abs(one.top + one.bottom - other.top - other.bottom)
