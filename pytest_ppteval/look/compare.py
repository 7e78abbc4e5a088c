"""What differs between two looks, field by field: aspects of shapes and slides, each with what it was and is.

Only what a viewer can tell: a colour that is named otherwise now but is the same RGB, or a size that is said now where
it was inherited, is no difference.
"""

from __future__ import annotations

import re
from dataclasses import fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from pytest_ppteval.look.model import EMU_PER_CM
from pytest_ppteval.look.near import near, near_fill, near_line, near_rgb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Box, Chart, Fill, Line, Paragraph, Run, Series, Shape, Table, Text

# Aspects of how a shape, its text or its cells look; an account calls them all "restyled".
STYLE = (
    "size", "font", "bold", "italic", "underline", "strike", "colour", "highlight", "case", "baseline", "spacing",
    "text effects", "bullets", "alignment", "level", "line spacing", "indent", "autofit", "text box", "fill", "line",
    "effects",
    "geometry", "crop", "recolour", "opacity", "table style", "cell fill", "cell borders", "column width", "row height",
)  # fmt: skip
PLACE = ("moved", "resized", "rotated")
CHART = ("chart kind", "chart data", "chart title", "chart axes", "chart look")
ASPECTS = (*PLACE, "text", *STYLE, *CHART, "picture")
_SLACK = 7_200  # EMU: rounding through groups; a fifth of a millimetre

_LINES = ("line", "straightConnector1")  # two names of one form

Aspect = tuple[str, str, str]


def compare_shapes(old: Shape, new: Shape) -> list[Aspect]:
    """(aspect, from, to) of everything a viewer could tell between a shape before and after; each aspect once."""
    found: dict[str, Aspect] = {}
    for aspect in _all(old, new):
        found.setdefault(aspect[0], aspect)
    return list(found.values())


def _all(old: Shape, new: Shape) -> Iterator[Aspect]:
    yield from _places(old, new)
    if old.words != new.words:
        yield "text", old.words, new.words
    if not near_fill(old.fill, new.fill):
        yield "fill", _fill(old.fill), _fill(new.fill)
    if not near_line(old.line, new.line):
        yield "line", _line(old.line), _line(new.line)
    if old.effects != new.effects:
        yield "effects", ", ".join(old.effects) or "none", ", ".join(new.effects) or "none"
    if (_geometry(old), old.adjustments) != (_geometry(new), new.adjustments):
        yield "geometry", old.geometry, new.geometry
    if old.text is not None and new.text is not None:
        yield from _texts(old.text, new.text)
    if old.picture is not None and new.picture is not None:
        one, other = old.picture, new.picture
        for name, aspect in (("image", "picture"), ("crop", "crop"), ("recolour", "recolour"), ("alpha", "opacity")):
            if not near(name, getattr(one, name), getattr(other, name)):
                yield aspect, str(getattr(one, name)), str(getattr(other, name))
    if old.table is not None and new.table is not None:
        yield from _tables(old.table, new.table)
    if old.chart is not None and new.chart is not None:
        yield from _charts(old.chart, new.chart)


def _places(old: Shape, new: Shape) -> Iterator[Aspect]:
    if old.box is None or new.box is None:
        if old.box is not new.box:
            yield "moved", _at(old.box), _at(new.box)
        return
    if abs(old.box.x - new.box.x) > _SLACK or abs(old.box.y - new.box.y) > _SLACK:
        yield "moved", _at(old.box), _at(new.box)
    if abs(old.box.width - new.box.width) > _SLACK or abs(old.box.height - new.box.height) > _SLACK:
        yield "resized", _size(old.box), _size(new.box)
    if abs((old.rotation - new.rotation + 180) % 360 - 180) > 0.01 or _flips(old) != _flips(new):
        yield "rotated", f"{old.rotation:g}° {old.flip}", f"{new.rotation:g}° {new.flip}"


def _flips(shape: Shape) -> tuple[bool, bool]:
    """Flips that show: a line that lies flat looks the same upside down."""
    assert shape.box is not None
    across, down = shape.flip
    line = shape.kind == "connector" or shape.geometry in _LINES
    return across and not (line and not shape.box.width), down and not (line and not shape.box.height)


def _geometry(shape: Shape) -> str:
    return "line" if shape.geometry in _LINES else shape.geometry


def _at(box: Box | None) -> str:
    return f"({box.x / EMU_PER_CM:.2f}, {box.y / EMU_PER_CM:.2f}) cm" if box is not None else "no place"


def _size(box: Box) -> str:
    return f"{box.width / EMU_PER_CM:.2f} × {box.height / EMU_PER_CM:.2f} cm"


def _fill(fill: Fill) -> str:
    colours = " ".join(f"#{colour.rgb}@{colour.alpha:.2f}" for colour in fill.colours)
    return " ".join(part for part in (fill.kind, colours, fill.picture or "", fill.details) if part)


def _line(line: Line | None) -> str:
    return "none" if line is None else f"{_fill(line.fill)} {line.width:g} pt {line.dash} {'/'.join(line.ends)}"


# ---- text ------------------------------------------------------------------------------------------------------------

_RUN_ASPECTS = {
    "size": "size", "font": "font", "east_asian_font": "font", "bold": "bold", "italic": "italic",
    "underline": "underline", "strike": "strike", "highlight": "highlight", "case": "case", "baseline": "baseline",
    "spacing": "spacing", "fill": "colour", "outline": "text effects", "effects": "text effects",
}  # fmt: skip
_PARAGRAPH_ASPECTS = {
    "alignment": "alignment", "level": "level", "line_spacing": "line spacing", "line_points": "line spacing",
    "space_before": "line spacing", "space_after": "line spacing", "margin": "indent", "indent": "indent",
    "right_to_left": "alignment",
}  # fmt: skip
_BODY = ("anchor", "vertical", "wrap", "insets", "columns", "rotation", "warp")


def _texts(old: Text, new: Text) -> Iterator[Aspect]:
    """Looks of two texts. Where the words are the same, character by character; else which looks occur."""
    for name in _BODY:
        if not near(name, getattr(old, name), getattr(new, name)):
            yield "text box", f"{name} {getattr(old, name)}", f"{name} {getattr(new, name)}"
    if old.autofit != new.autofit:
        yield "autofit", old.autofit, new.autofit
    if old.text == new.text:
        for one, other in zip(old.paragraphs, new.paragraphs, strict=True):
            yield from _paragraphs(one, other)
        return
    kept = {p.text.strip(): p for p in old.paragraphs if p.text.strip()}
    known = [p for p in old.paragraphs if p.text.strip()]
    for paragraph in new.paragraphs:
        words = paragraph.text.strip()
        if words in kept:
            yield from _paragraphs(kept[words], paragraph)
        elif words:
            former = _former(paragraph, known)
            yield from _reworded(former, paragraph) if former is not None else _like_some(paragraph, known)


def _paragraphs(old: Paragraph, new: Paragraph) -> Iterator[Aspect]:
    yield from _paragraph_looks(old, new)
    for one, other in _characters(old, new):
        yield from _runs(one, other)


def _paragraph_looks(old: Paragraph, new: Paragraph) -> Iterator[Aspect]:
    if not new.text.strip() and not old.text.strip():
        if old.size != new.size:
            yield "size", f"{old.size:g} pt", f"{new.size:g} pt"
        return
    for name, aspect in _PARAGRAPH_ASPECTS.items():
        if not near(name, getattr(old, name), getattr(new, name)):
            yield aspect, f"{name} {getattr(old, name)}", f"{name} {getattr(new, name)}"
    if _bullet(old) != _bullet(new):
        yield "bullets", _bullet(old), _bullet(new)


def _bullet(paragraph: Paragraph) -> str:
    mark = paragraph.bullet
    if mark.kind == "none":
        return "none"
    colour = f"#{mark.colour.rgb}@{mark.colour.alpha:.2f}" if mark.colour is not None else ""
    shown = f"{mark.kind} {mark.character}{mark.scheme} {mark.start} {mark.font} {colour} {mark.size:g}"
    return f"{shown} {mark.picture or ''}"


def _characters(old: Paragraph, new: Paragraph) -> Iterator[tuple[Run, Run]]:
    """Runs of the two that hold the same characters, pair by pair."""
    ends_old, ends_new = _ends(old), _ends(new)
    place = 0
    for end in sorted({end for end, _ in ends_old} | {end for end, _ in ends_new}):
        one = next((run for stop, run in ends_old if stop > place), None)
        other = next((run for stop, run in ends_new if stop > place), None)
        if one is not None and other is not None:
            yield one, other
        place = end


def _ends(paragraph: Paragraph) -> list[tuple[int, Run]]:
    found, place = [], 0
    for run in paragraph.runs:
        place += len(run.text)
        found.append((place, run))
    return found


def _runs(old: Run, new: Run) -> Iterator[Aspect]:
    if old == new:
        return
    words = new.text.strip()[:30]
    for name, aspect in _RUN_ASPECTS.items():
        one, other = getattr(old, name), getattr(new, name)
        if name == "east_asian_font" and not _has_wide(new.text):
            continue
        if name == "font" and not any(char.isalnum() for char in new.text):
            continue
        if not near(name, one, other) and (new.text.strip() or name == "size"):
            yield aspect, f"{words!r}: {one}", f"{other}"
    same = near_rgb(old.colour.rgb, new.colour.rgb) and near("alpha", old.colour.alpha, new.colour.alpha)
    if new.text.strip() and not same:
        yield (
            "colour",
            f"{words!r}: #{old.colour.rgb}@{old.colour.alpha:.2f}",
            f"#{new.colour.rgb}@{new.colour.alpha:.2f}",
        )


def _former(paragraph: Paragraph, known: list[Paragraph]) -> Paragraph | None:
    """The paragraph that an edited one was, by its words; None where it is a new one."""
    words = _tokens(paragraph.text)
    shares = [(SequenceMatcher(None, _tokens(old.text), words, False).ratio(), old) for old in known]
    best = max(shares, key=lambda one: one[0], default=None)
    return best[1] if best is not None and best[0] >= 0.5 else None


def _reworded(old: Paragraph, new: Paragraph) -> Iterator[Aspect]:
    """Looks of a paragraph some words of which changed: kept ones as they were, new ones as those they replace."""
    yield from _paragraph_looks(old, new)
    words_old, words_new = _tokens(old.text), _tokens(new.text)
    looks_old, looks_new = _by_token(old, words_old), _by_token(new, words_new)
    for what, i1, i2, j1, j2 in SequenceMatcher(None, words_old, words_new, False).get_opcodes():
        if what == "equal":
            for one, other in zip(looks_old[i1:i2], looks_new[j1:j2], strict=True):
                for run in other:
                    yield from _nearest(run, one)
        else:
            around = looks_old[i1:i2] or looks_old[max(0, i1 - 1) : i1 + 1]
            known = tuple(run for one in around for run in one)
            for run in (run for other in looks_new[j1:j2] for run in other if known and run.text.strip()):
                yield from _nearest(run, known)


# Each Chinese or Japanese character is a word by itself: no blanks part them.
_EAST = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_EAST}]|[^\W{_EAST}]+|\W")


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _by_token(paragraph: Paragraph, tokens: list[str]) -> list[tuple[Run, ...]]:
    """The runs that each of the paragraph's tokens lies in."""
    found, ends, place = [], _ends(paragraph), 0
    for token in tokens:
        end = place + len(token)
        starts = [0, *(stop for stop, _ in ends)]
        found.append(
            tuple(run for start, (stop, run) in zip(starts, ends, strict=False) if start < end and stop > place)
        )
        place = end
    return found


def _has_wide(text: str) -> bool:
    return any(ord(char) > 0x2E7F for char in text)


def _like_some(paragraph: Paragraph, known: list[Paragraph]) -> Iterator[Aspect]:
    """How a new or edited paragraph looks other than the one that it is most like."""
    best: list[Aspect] | None = None
    for old in known:
        found = list(_paragraph_looks(old, paragraph))
        for run in paragraph.runs:
            if not run.text.strip() or not old.runs:
                continue
            found.extend(_nearest(run, old.runs))
        if best is None or len(found) < len(best):
            best = found
    yield from best or ()


def _nearest(run: Run, known: tuple[Run, ...]) -> list[Aspect]:
    """What sets a run off from the one of `known` that it is most like."""
    best = list(_runs(known[0], run))
    for other in known[1:]:
        found = list(_runs(other, run))
        if len(found) < len(best):
            best = found
    return best


# ---- tables and charts -----------------------------------------------------------------------------------------------


def _tables(old: Table, new: Table) -> Iterator[Aspect]:
    if not near("widths", old.widths, new.widths):
        yield "column width", str(old.widths), str(new.widths)
    if not near("heights", old.heights, new.heights):
        yield "row height", str(old.heights), str(new.heights)
    if (old.style, old.flags) != (new.style, new.flags):
        yield "table style", f"{old.style} {sorted(old.flags)}", f"{new.style} {sorted(new.flags)}"
    for one, other in zip(old.rows, new.rows, strict=False):
        for cell, now in zip(one, other, strict=False):
            if not near_fill(cell.fill, now.fill):
                yield "cell fill", _fill(cell.fill), _fill(now.fill)
            if not all(near_line(a, b) for a, b in zip(cell.borders, now.borders, strict=True)):
                yield "cell borders", "", ""
            if (cell.spans, cell.merged) != (now.spans, now.merged):
                yield "table style", f"spans {cell.spans}", f"spans {now.spans}"
            yield from _texts(cell.text, now.text)


_CHART_ASPECTS = {
    "kind": "chart kind", "direction": "chart kind", "grouping": "chart kind", "three_d": "chart kind",
    "title": "chart title", "title_size": "chart look", "axes": "chart axes", "legend": "chart look",
    "legend_size": "chart look", "gap": "chart look", "overlap": "chart look", "data_table": "chart look",
    "plot_fill": "chart look", "details": "chart look", "embedded": "chart data",
}  # fmt: skip


def _data(series: Series) -> tuple[object, ...]:
    return series.name, series.categories, series.outer, series.values, series.x_values, series.sizes


def _charts(old: Chart, new: Chart) -> Iterator[Aspect]:
    for name, aspect in _CHART_ASPECTS.items():
        if getattr(old, name) != getattr(new, name):
            yield aspect, str(getattr(old, name)), str(getattr(new, name))
    if [*map(_data, old.series)] != [*map(_data, new.series)]:
        yield "chart data", f"{len(old.series)} series", f"{len(new.series)} series"
    axes = [axis for axis in new.axes if axis.kind == "value" and axis.shown and axis.labels]
    for one, other in zip(old.series, new.series, strict=False):
        unseen = not (one.labels or other.labels) and all(axis.number_format for axis in axes)
        for field in fields(one):
            if field.name == "number_format" and unseen:
                continue
            if field.name in ("kind", "fill", "line", "labels", "points", "secondary", "number_format", "details"):
                a, b = getattr(one, field.name), getattr(other, field.name)
                if a != b:
                    yield "chart look", f"{one.name!r}: {field.name}", ""


# ---- slides ----------------------------------------------------------------------------------------------------------
