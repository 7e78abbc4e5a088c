"""`format`: how text, shapes and cells look: size, font, bold, colour, alignment, fill, outline, shadow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.colour import contrast, over
from pytest_ppteval.look.model import EMU_PER_CM, Colour
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.address import spots as spots_of
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.colours import is_colour, nearly
from pytest_ppteval.vocabulary.finding import LeafError, Point, result
from pytest_ppteval.vocabulary.ground import ground_of
from pytest_ppteval.vocabulary.spot import Spot
from pytest_ppteval.vocabulary.texts import in_range, is_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Cell, Fill, Line, Paragraph, Run, Shape
    from pytest_ppteval.vocabulary.world import World

_RGB = re.compile(r"(?<=#)[0-9A-F]{6}")
_RUN_FLAGS = ("bold", "italic", "strike")
_PARAGRAPH = ("alignment", "level", "line_spacing", "space_before", "space_after", "margin", "indent")
_SHAPE = ("fill", "line", "shadow", "geometry", "anchor", "transparency")
KEYS = (
    "size", "font", "east_asian_font", *_RUN_FLAGS, "underline", "colour", "highlight", "case", "baseline", *_PARAGRAPH,
    *_SHAPE,
)  # fmt: skip


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS. A value may be {like: ADDRESS}: as it is there, or as_before."""
    unknown_key("format", want, KEYS)
    for spot in spots:
        for key, value in want.items():
            if isinstance(value, dict) and "like" in value:
                yield _like(key, spot, value["like"], world)
            elif value == "as_before":
                yield _as_before(key, spot, world)
            elif isinstance(value, list) and any(isinstance(one, dict) and "like" in one for one in value):
                yield _any_of(key, value, spot, world)
            else:
                yield from _one(key, value, spot)


def _any_of(key: str, wishes: list[Any], spot: Spot, world: World) -> Point:
    """Any of several wishes, one of which is {like: ADDRESS}."""
    tried = [result(check({key: one}, [spot], world)) for one in wishes]
    reason, score = max(tried, key=lambda one: one[1])
    return Point(score, reason)


def _one(key: str, want: Any, spot: Spot) -> Iterator[Point]:
    if key in _PARAGRAPH:
        for paragraph in (p for p in spot.paragraphs if p.text.strip()):
            found = getattr(paragraph, key)
            if key in ("margin", "indent"):
                found = round(found / EMU_PER_CM, 2)
            if key == "alignment":
                yield Point.of(found in _list(want), f"{spot.where}: {found}, wanted {want}")
            else:
                yield in_range(found, want, f"{spot.where}: {key.replace('_', ' ')}")
        return
    if key in _SHAPE:
        yield _of_shape(key, want, spot)
        return
    runs = spot.runs
    if not runs:
        yield Point(0.0, f"{spot.where}: no text to look at")
    for run in runs:
        yield _of_run(key, want, run, spot)


def _of_run(key: str, want: Any, run: Run, spot: Spot) -> Point:
    where = f"{spot.where}, {run.text.strip()[:30]!r}"
    match key:
        case "size":
            return in_range(run.size, want, f"{where}: points")
        case "font":
            return Point.of(is_match(run.font, want), f"{where}: font {run.font}, wanted {want}")
        case "east_asian_font":
            return Point.of(is_match(run.east_asian_font, want), f"{where}: font {run.east_asian_font}, wanted {want}")
        case "underline":
            is_on = run.underline != "none"
            right = is_on == want if isinstance(want, bool) else run.underline == want
            return Point.of(right, f"{where}: underline {run.underline}, wanted {want}")
        case "colour":
            return _colour(run.colour, want, where, spot)
        case "highlight":
            right = run.highlight is None if want in (None, "none", False) else is_colour(run.highlight, want)
            return Point.of(right, f"{where}: highlight {_named(run.highlight)}, wanted {want}")
        case "case":
            return Point.of(run.case == want, f"{where}: case {run.case}, wanted {want}")
        case "baseline":
            wanted = {"superscript": run.baseline > 0, "subscript": run.baseline < 0, "normal": run.baseline == 0}
            if want not in wanted:
                raise LeafError(f"format: baseline {want!r}: use superscript, subscript or normal")
            return Point.of(wanted[want], f"{where}: baseline {run.baseline:g}, wanted {want}")
        case _:
            found = getattr(run, key)
            return Point.of(found == want, f"{where}: {'' if found else 'not '}{key}, wanted {want}")


def _colour(found: Colour, want: Any, where: str, spot: Spot) -> Point:
    if isinstance(want, dict) and "not_like_background" in want:
        ground = ground_of(spot)
        if ground is None:
            return Point(1.0, f"{where}: on a picture, whose contrast is not worked out")
        ratio = contrast(over(found, ground), ground)
        return Point.of(
            ratio >= float(want["not_like_background"]), f"{where}: #{found.rgb} on #{ground.rgb}: contrast {ratio:.1f}"
        )
    return Point.of(is_colour(found, want), f"{where}: colour {_named(found)}, wanted {want}")


def _of_shape(key: str, want: Any, spot: Spot) -> Point:
    fill, shape = spot.fill, spot.shape
    match key:
        case "fill":
            right = _is_fill(fill, want)
            return Point.of(right, f"{spot.where}: fill {_fill(fill)}, wanted {want}")
        case "transparency":
            alpha = fill.colour.alpha if fill is not None and fill.colour is not None else 1.0
            return in_range(round(1 - alpha, 3), want, f"{spot.where}: transparency")
        case "line":
            line = shape.line if shape is not None else None
            return Point.of(_is_line(line, want), f"{spot.where}: outline {_line(line)}, wanted {want}")
        case "shadow":
            has = shape is not None and any("Shdw" in effect for effect in shape.effects)
            return Point.of(has == bool(want), f"{spot.where}: {'a' if has else 'no'} shadow")
        case "geometry":
            found = shape.geometry if shape is not None else ""
            return Point.of(found in _list(want), f"{spot.where}: {found}, wanted {want}")
        case _:
            text = spot.cell.text if spot.cell is not None else shape.text if shape is not None else None
            found = text.anchor if text is not None else ""
            return Point.of(found == want, f"{spot.where}: text at the {found}, wanted {want}")


def _is_fill(fill: Fill | None, want: Any) -> bool:
    if want in ("none", None, False):
        return fill is None or fill.kind == "none"
    if isinstance(want, dict) and "kind" in want:
        rest = want.get("colour")
        return fill is not None and fill.kind == want["kind"] and (rest is None or is_colour(fill.colour, rest))
    return fill is not None and fill.kind in ("solid", "gradient") and is_colour(fill.colour, want)


def _is_line(line: Line | None, want: Any) -> bool:
    if want in ("none", None, False):
        return line is None
    if want is True:
        return line is not None
    if isinstance(want, dict):
        unknown_key("format: line", want, ("colour", "width", "dash"))
        return (
            line is not None
            and ("colour" not in want or is_colour(line.fill.colour, want["colour"]))
            and ("width" not in want or in_range(line.width, want["width"], "").score == 1)
            and ("dash" not in want or line.dash in _list(want["dash"]))
        )
    return line is not None and is_colour(line.fill.colour, want)


# ---- as somewhere else -----------------------------------------------------------------------------------------------


def look_of(key: str, spot: Spot) -> list[Any]:
    """What a spot looks like in one respect: the values that occur, most text first."""
    if key in _PARAGRAPH:
        values = [(getattr(p, key), len(p.text)) for p in spot.paragraphs if p.text.strip()]
    elif key in _SHAPE:
        return [_shape_value(key, spot)]
    else:
        values = [(run.colour.rgb if key == "colour" else getattr(run, key), len(run.text)) for run in spot.runs]
    weights: dict[Any, int] = {}
    for value, length in values:
        weights[value] = weights.get(value, 0) + length
    return sorted(weights, key=lambda value: -weights[value])


def _shape_value(key: str, spot: Spot) -> Any:
    shape, fill = spot.shape, spot.fill
    match key:
        case "fill":
            return _fill(fill)
        case "line":
            return _line(shape.line if shape is not None else None)
        case "shadow":
            return shape is not None and any("Shdw" in effect for effect in shape.effects)
        case "geometry":
            return shape.geometry if shape is not None else ""
        case "transparency":
            return round(1 - fill.colour.alpha, 2) if fill is not None and fill.colour is not None else 0.0
        case _:
            text = spot.cell.text if spot.cell is not None else shape.text if shape is not None else None
            return text.anchor if text is not None else ""


def _like(key: str, spot: Spot, address: Any, world: World) -> Point:
    others = spots_of(address, world)
    if not others:
        return Point(0.0, f"{spot.where}: there is nothing at {address} to compare its {key} with")
    wanted = [value for other in others for value in look_of(key, other)]
    return _same(key, look_of(key, spot), wanted, spot.where)


def _as_before(key: str, spot: Spot, world: World) -> Point:
    was_slide = world.was(spot.slide)
    was = world.shape_was(spot.slide, spot.shape) if spot.shape is not None else None
    if was_slide is None or (spot.shape is not None and was is None):
        return Point(0.0, f"{spot.where}: is new, so its {key} can't be as before")
    old = Spot(was_slide, was, _old_cell(spot, was), _old_paragraphs(spot, was), spot.words, old=True)
    if spot.words is not None and not old.runs:
        old = Spot(was_slide, was, old.cell, old.chosen, old=True)
    return _same(key, look_of(key, spot), look_of(key, old), spot.where)


def _old_paragraphs(spot: Spot, was: Shape | None) -> tuple[Paragraph, ...] | None:
    """The original's paragraphs that say what the chosen ones say; None for all, where none does."""
    if spot.chosen is None or was is None:
        return None
    said = {normal(paragraph.text) for paragraph in spot.chosen}
    return tuple(p for text in was.texts for p in text.paragraphs if normal(p.text) in said) or None


def _old_cell(spot: Spot, was: Shape | None) -> Cell | None:
    if spot.cell is None or was is None or was.table is None:
        return None
    rows = was.table.rows
    return (
        rows[spot.cell.row][spot.cell.column] if spot.cell.row < len(rows) and spot.cell.column < len(rows[0]) else None
    )


def _same(key: str, found: list[Any], wanted: list[Any], where: str) -> Point:
    def equal(one: Any, other: Any) -> bool:
        if key == "colour":
            return nearly(one, other)
        if key == "fill" and isinstance(one, str) and isinstance(other, str):
            return _RGB.sub("", one) == _RGB.sub("", other) and all(
                nearly(a, b, 2) for a, b in zip(_RGB.findall(one), _RGB.findall(other), strict=True)
            )
        if isinstance(one, float) and isinstance(other, (int, float)):
            return abs(one - other) <= 0.06 * max(1.0, abs(other))
        return bool(one == other)

    right = bool(found) and all(any(equal(one, other) for other in wanted) for one in found)
    shown = ", ".join(map(str, found)) or "nothing"
    return Point.of(right, f"{where}: {key} {shown}, wanted {', '.join(map(str, dict.fromkeys(wanted))) or 'nothing'}")


def _named(colour: Colour | None) -> str:
    if colour is None:
        return "none"
    return f"#{colour.rgb}" + (f" at {colour.alpha:.0%}" if colour.alpha < 1 else "")


def _fill(fill: Fill | None) -> str:
    if fill is None or fill.kind == "none":
        return "none"
    if fill.kind == "picture":
        return f"picture {fill.picture}"
    return (fill.kind + " " if fill.kind != "solid" else "") + " ".join(_named(colour) for colour in fill.colours)


def _line(line: Line | None) -> str:
    return "none" if line is None else f"{_fill(line.fill)} {line.width:g} pt {line.dash}"


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
