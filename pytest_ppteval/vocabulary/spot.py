"""A place that checks look at: a slide, a shape on it, a cell, some of its paragraphs or some of its words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_ppteval.prose.normal import normal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Cell, Fill, Paragraph, Run, Shape, Slide


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a check looks. chosen: the paragraphs that were asked for, None for all. words: only these characters.

    old: whether it is in the original deck.
    """

    slide: Slide
    shape: Shape | None = None
    cell: Cell | None = None
    chosen: tuple[Paragraph, ...] | None = None
    words: str | None = None
    old: bool = False

    @property
    def where(self) -> str:
        """For people: "slide 3, 'Title 1'"."""
        said = f"slide {self.slide.number}" + (" of the original" if self.old else "")
        if self.shape is not None:
            said += f", {self.shape.name or 'shape ' + self.shape.id!r}"
        if self.cell is not None:
            said += f", row {self.cell.row + 1}, column {self.cell.column + 1}"
        return said

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The paragraphs that are meant, of a table all cells'."""
        if self.chosen is not None:
            return self.chosen
        if self.cell is not None:
            return self.cell.text.paragraphs
        if self.shape is not None:
            return tuple(p for text in self.shape.texts for p in text.paragraphs)
        return tuple(p for shape in self.slide.shapes for text in shape.texts for p in text.paragraphs)

    @property
    def text(self) -> str:
        """The text that is meant."""
        if self.words is not None:
            return "".join(run.text for run in self.runs)
        if self.chosen is not None or self.cell is not None:
            return "\n".join(paragraph.text for paragraph in self.paragraphs)
        if self.shape is not None:
            return self.shape.words
        return self.slide.words

    @property
    def runs(self) -> list[Run]:
        """The runs that show something, cut to the words that are meant."""
        if self.words is None:
            return [run for p in self.paragraphs for run in p.runs if run.text.strip()]
        return [run for p in self.paragraphs for run in _cut(p, self.words)]

    @property
    def fill(self) -> Fill | None:
        """The fill of the cell or shape; of a slide its background."""
        if self.cell is not None:
            return self.cell.fill
        return self.shape.fill if self.shape is not None else self.slide.background


def _cut(paragraph: Paragraph, words: str) -> Iterator[Run]:
    """The parts of runs that lie in each place where the words stand."""
    for start, end in places_of(paragraph, words):
        place = 0
        for run in paragraph.runs:
            first, last = max(start, place), min(end, place + len(run.text))
            if first < last:
                piece = run.text[first - place : last - place]
                if piece.strip():
                    yield replace(run, text=piece)
            place += len(run.text)


def places_of(paragraph: Paragraph, words: str) -> Iterator[tuple[int, int]]:
    """From where to where in the paragraph's text the words stand, each time."""
    plain = "".join(_one_to_one(char) for char in paragraph.text)
    wanted = normal(words)
    start = plain.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        yield start, end
        start = plain.find(wanted, end)


def _one_to_one(char: str) -> str:
    changed = normal(char)
    return changed if len(changed) == 1 else " " if not changed and char.isspace() else char
