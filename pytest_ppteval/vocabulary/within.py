"""Allowed changes in a part of a shape: what differs once these cells, paragraphs and words are taken out of both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.compare import CHART, PLACE, STYLE, compare_shapes
from pytest_ppteval.look.model import NO_FILL
from pytest_ppteval.vocabulary.address import cells_of, paragraphs_of
from pytest_ppteval.vocabulary.spot import places_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Cell, Paragraph, Run, Shape, Text

KEYS = ("cell", "row", "column", "paragraph", "words")
# What a part of a shape can have of its own.
_OF_PARTS = frozenset({"text", "link", "tooltip", *STYLE}) - {
    "column width",
    "row height",
    "table style",
    *PLACE,
    *CHART,
}


def is_confined(what: str, old: Shape, new: Shape, where: dict[str, Any]) -> bool:
    """Whether a change of that kind is in no other part of the shape. where: a mapping with KEYS. Raises LeafError."""
    if what not in _OF_PARTS:
        return False
    before, after = _without(old, where), _without(new, where)
    if before.words != after.words:
        return False
    if what in ("link", "tooltip"):
        return getattr(old, what) == getattr(new, what) and _said(before, what) == _said(after, what)
    return all(aspect != what for aspect, _, _ in compare_shapes(before, after))


def _said(shape: Shape, what: str) -> list[tuple[str, str | None]]:
    """Letters and digits with their link or tooltip: one on the blank behind a word is nobody's."""
    runs = [run for text in shape.texts for run in text.runs]
    return [(char, getattr(run, what)) for run in runs for char in run.text if char.isalnum()]


def _without(shape: Shape, where: dict[str, Any]) -> Shape:
    """The shape less what the address means."""
    if shape.table is None:
        return replace(shape, text=_text_without(shape.text, where)) if shape.text is not None else shape
    lines = {key: where[key] for key in ("row", "column") if key in where}
    meant = {(cell.row, cell.column) for cell in cells_of(shape.table, where.get("cell", lines))}
    rows = tuple(
        tuple(_cell_without(cell, where) if (cell.row, cell.column) in meant else cell for cell in row)
        for row in shape.table.rows
    )
    return replace(shape, table=replace(shape.table, rows=rows))


def _cell_without(cell: Cell, where: dict[str, Any]) -> Cell:
    if "paragraph" in where or "words" in where:
        return replace(cell, text=_text_without(cell.text, where))
    return replace(cell, text=replace(cell.text, paragraphs=()), fill=NO_FILL, borders=(None, None, None, None))


def _text_without(text: Text, where: dict[str, Any]) -> Text:
    meant = {id(p) for p in paragraphs_of(text.paragraphs, where["paragraph"])} if "paragraph" in where else None
    kept: list[Paragraph] = []
    for paragraph in text.paragraphs:
        if meant is not None and id(paragraph) not in meant:
            kept.append(paragraph)
        elif "words" in where:
            kept.append(replace(paragraph, runs=tuple(_runs_without(paragraph, where["words"]))))
    return replace(text, paragraphs=tuple(kept))


def _runs_without(paragraph: Paragraph, words: str | list[str]) -> Iterator[Run]:
    """What is left of the paragraph's runs without the words, one of which stands for all."""
    gone: set[int] = set()
    for one in [words] if isinstance(words, str) else words:
        for start, end in places_of(paragraph, str(one)):
            gone.update(range(start, end))
    place = 0
    for run in paragraph.runs:
        left = "".join(char for offset, char in enumerate(run.text, place) if offset not in gone)
        place += len(run.text)
        if left:
            yield replace(run, text=left)
