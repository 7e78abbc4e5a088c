"""Outputs that agents might leave for the shipped suite's tasks: good ones made in other ways, and wrong ones.

A rubric that accepts its own author's solution proves little. So each task has further good outputs, which must score
1, and wrong ones, each naming the leaf that must catch it. What is judged is kept in data/outputs/, by kept_outputs.py.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

# python-pptx has no types.
Deck = Any
Slide = Any
Shape = Any

# Typed calls into it: its classes as Any.
ChartData: Any = CategoryChartData
Rgb: Any = RGBColor

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


@dataclass(frozen=True)
class Made:
    """A way to make an output of `task` from the task's deck: make(original, output).

    caught_by: the leaves that must fall short; none for a good output.
    """

    task: str
    name: str
    make: Callable[[Path, Path], None]
    caught_by: tuple[str, ...] = ()


MADE: list[Made] = []


def good(task: str) -> Callable[[Callable[[Deck], None]], Callable[[Deck], None]]:
    """The function edits the deck into a good output of `task`."""
    return wrong(task)


def wrong(task: str, *caught_by: str) -> Callable[[Callable[[Deck], None]], Callable[[Deck], None]]:
    """The function edits the deck into a wrong output of `task`, which these leaves must catch."""

    def register(edit: Callable[[Deck], None]) -> Callable[[Deck], None]:
        MADE.append(Made(task, edit.__name__, edited(edit), caught_by))
        return edit

    return register


def edited(edit: Callable[[Deck], None]) -> Callable[[Path, Path], None]:
    """make(deck, output) of a function that edits a deck."""

    def make(deck: Path, output: Path) -> None:
        opened = Presentation(str(deck))
        edit(opened)
        opened.save(str(output))

    return make


Parts = dict[str, str]


def good_parts(task: str) -> Callable[[Callable[[Parts], None]], Callable[[Parts], None]]:
    """The function edits the XML of the deck's parts, by name, without python-pptx, into a good output of `task`."""

    return wrong_parts(task)


def wrong_parts(task: str, *caught_by: str) -> Callable[[Callable[[Parts], None]], Callable[[Parts], None]]:
    """The function edits the XML of the deck's parts into a wrong output of `task`, which these leaves must catch."""

    def register(edit: Callable[[Parts], None]) -> Callable[[Parts], None]:
        MADE.append(Made(task, edit.__name__, parts_edited(edit), caught_by))
        return edit

    return register


def parts_edited(edit: Callable[[Parts], None]) -> Callable[[Path, Path], None]:
    """make(deck, output) of a function that edits the XML of a deck's parts; it may add parts and take some out."""

    def make(original: Path, output: Path) -> None:
        with zipfile.ZipFile(original) as old:
            blobs = {name: old.read(name) for name in old.namelist()}
        parts = {name: blob.decode() for name, blob in blobs.items() if name.endswith((".xml", ".rels"))}
        others = {name: blob for name, blob in blobs.items() if name not in parts}
        edit(parts)
        _write(output, others | {name: text.encode() for name, text in parts.items()})

    return make


def _write(path: Path, blobs: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, blob in blobs.items():
            new.writestr(name, blob)


def replace_once(text: str, old: str, new: str) -> str:
    """Like str.replace, but sure that there is exactly one place: a helper must not quietly do nothing."""
    assert text.count(old) == 1, f"{text.count(old)} places of {old!r}"
    return text.replace(old, new)


def table_of(slide: Slide) -> Any:
    """The only table of the slide."""
    [table] = [shape.table for shape in slide.shapes if getattr(shape, "has_table", False)]
    return table


def chart_of(slide: Slide) -> Shape:
    """The only chart's frame of the slide."""
    [shape] = [shape for shape in slide.shapes if getattr(shape, "has_chart", False)]
    return shape


def named(slide: Slide, name: str) -> Shape:
    """The shape of that name."""
    [shape] = [shape for shape in slide.shapes if shape.name == name]
    return shape


def groups_of(slide: Slide) -> list[Shape]:
    """The groups of the slide, from left to right."""
    return sorted((s for s in slide.shapes if s._element.tag.endswith("}grpSp")), key=lambda shape: int(shape.left))


def remove(shape: Shape) -> None:
    shape._element.getparent().remove(shape._element)


def ungroup(group: Shape) -> list[Shape]:
    """Takes the shapes of an unscaled group out of it, to its place in the order of the slide."""
    members = list(group.shapes)
    for member in members:
        group._element.addprevious(member._element)
    remove(group)
    return members
