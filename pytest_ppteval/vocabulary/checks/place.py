"""`place`: where shapes are, how large, how they stand to each other. Lengths are in cm, or in shares: "50%"."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.model import EMU_PER_CM, Box
from pytest_ppteval.look.place import seen
from pytest_ppteval.vocabulary.address import is_furniture
from pytest_ppteval.vocabulary.address import spots as spots_of
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError, Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

_LENGTHS = ("left", "top", "right", "bottom", "width", "height", "centre_x", "centre_y")
_SIDES = ("left_of", "right_of", "above", "below")
KEYS = (
    *_LENGTHS, *_SIDES, "on_slide", "inside", "aligned", "same_size", "same_width", "same_height", "gaps", "not_over",
    "rotation", "upright", "flipped", "size_as", "as_before", "in_front_of", "behind", "tolerance", "with", "covers",
)  # fmt: skip
_EDGES = {"left": 0, "right": 1, "centre": 2, "top": 3, "bottom": 4, "middle": 5}
_TOLERANCE = 0.1  # cm: what a hand that drags with a grid leaves, and nobody sees


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS."""
    unknown_key("place", want, KEYS)
    placed = [(spot, seen(s.box, s.rotation)) for spot in spots if (s := spot.shape) is not None and s.box is not None]
    for spot in spots:
        if spot.shape is None or spot.shape.box is None:
            yield Point(0.0, f"{spot.where}: has no place")
    if not placed:
        return
    slack = float(want.get("tolerance", _TOLERANCE)) * EMU_PER_CM
    for key, value in want.items():
        if key in ("tolerance", "with"):
            continue
        if key in ("aligned", "same_size", "same_width", "same_height", "gaps"):
            yield from _together(key, value, placed, slack, want.get("with"), world)
            continue
        for spot, box in placed:
            yield from _one(key, value, spot, box, slack, world)


def _one(key: str, want: Any, spot: Spot, box: Box, slack: float, world: World) -> Iterator[Point]:
    deck, shape = world.before if spot.old else world.after, spot.shape
    assert shape is not None
    if key in _LENGTHS:
        across = key in ("left", "right", "width", "centre_x")
        found = _length(box, key) / EMU_PER_CM
        whole = (deck.width if across else deck.height) / EMU_PER_CM
        yield in_range(round(found, 2), _in_cm(want, whole, slack / EMU_PER_CM), f"{spot.where}: {key} (cm)")
    elif key in _SIDES:
        for other in _others(want, spot, world):
            yield Point.of(_is_beside(key, box, other, slack), f"{spot.where}: is not {key.replace('_', ' ')} {want}")
    elif key == "on_slide":
        slide = Box(0, 0, deck.width, deck.height)
        share = slide.overlap(box) / box.area if box.area else float(slide.overlap(Box(box.x, box.y, 1, 1)) > 0)
        yield Point.of((share > 0.98) == bool(want), f"{spot.where}: {share:.0%} of it is on the slide")
    elif key == "inside":
        outer = [Box(0, 0, deck.width, deck.height)] if want == "slide" else _others(want, spot, world)
        yield Point.of(any(_is_inside(box, one, slack) for one in outer), f"{spot.where}: is not inside {want}")
    elif key == "covers":
        yield Point.of(
            all(_is_inside(o, box, slack) for o in _others(want, spot, world)), f"{spot.where}: doesn't cover {want}"
        )
    elif key == "not_over":
        yield from _not_over(want, spot, box, world)
    elif key == "rotation":
        found = shape.rotation if shape.rotation <= 180 else shape.rotation - 360
        yield in_range(
            found, want if isinstance(want, dict) else {"value": want, "tolerance": 0.5}, f"{spot.where}: degrees"
        )
    elif key == "upright":
        turned = min(shape.rotation % 360, 360 - shape.rotation % 360)
        yield Point.of(
            (turned <= 1 and not any(shape.flip)) == bool(want),
            f"{spot.where}: turned {shape.rotation:g}°, flip {shape.flip}",
        )
    elif key == "flipped":
        wanted = {"none": (False, False), "across": (True, False), "down": (False, True)}.get(str(want))
        yield Point.of(shape.flip == wanted, f"{spot.where}: flip {shape.flip}, wanted {want}")
    elif key == "size_as":
        for other in _others(want, spot, world):
            yield Point.of(
                _same(box.width, other.width, slack) and _same(box.height, other.height, slack),
                f"{spot.where}: size {_cm(box)}, wanted {_cm(other)}",
            )
    elif key == "as_before":
        yield from _as_before(want, spot, box, slack, world)
    elif key in ("in_front_of", "behind"):
        for one in spots_of(want, world):
            front = one.shape is not None and shape.z > one.shape.z
            yield Point.of(front == (key == "in_front_of"), f"{spot.where}: is not {key.replace('_', ' ')} {one.where}")


def _together(
    key: str, want: Any, placed: list[tuple[Spot, Box]], slack: float, reference: Any, world: World
) -> Iterator[Point]:
    """What several shapes have among each other, or with those of another address."""
    boxes = [box for _, box in placed]
    others = _others(reference, placed[0][0], world) if reference is not None else []
    base = others[0] if others else boxes[0]
    where = placed[0][0].where if len(placed) == 1 else f"slide {placed[0][0].slide.number}, {len(placed)} shapes"
    if len(boxes) < 2 and not others:
        yield Point(0.0, f"{where}: nothing to be {key.replace('_', ' ')} with")
        return
    if key == "aligned":
        edges = want if isinstance(want, list) else [want]
        for edge in edges:
            if edge not in _EDGES:
                raise LeafError(f"place: aligned {edge!r}: use {', '.join(_EDGES)}")
            off = [_edge(box, edge) - _edge(base, edge) for box in boxes]
            yield Point.of(
                all(abs(one) <= slack for one in off),
                f"{where}: {edge} edges differ by {max(map(abs, off)) / EMU_PER_CM:.2f} cm",
            )
    elif key == "gaps":
        yield _gaps(want, boxes, slack, where)
    else:
        wide = key != "same_height" and any(not _same(box.width, base.width, slack) for box in boxes)
        high = key != "same_width" and any(not _same(box.height, base.height, slack) for box in boxes)
        yield Point.of(
            (not wide and not high) == bool(want), f"{where}: sizes {', '.join(dict.fromkeys(map(_cm, boxes)))}"
        )


def _gaps(want: Any, boxes: list[Box], slack: float, where: str) -> Point:
    options = want if isinstance(want, dict) else {"along": want}
    unknown_key("place: gaps", options, ("along", "min", "equal"))
    across = options.get("along", "across") == "across"
    ordered = sorted(boxes, key=lambda box: box.x if across else box.y)
    gaps = [(b.x - a.right if across else b.y - a.bottom) for a, b in pairwise(ordered)]
    even = not gaps or max(gaps) - min(gaps) <= 2 * slack or not options.get("equal", True)
    least = float(options.get("min", 0)) * EMU_PER_CM
    apart = all(gap >= least - slack for gap in gaps)
    shown = ", ".join(f"{gap / EMU_PER_CM:.2f}" for gap in gaps)
    return Point.of(even and apart, f"{where}: gaps of {shown} cm")


def _not_over(want: Any, spot: Spot, box: Box, world: World) -> Iterator[Point]:
    assert spot.shape is not None
    if want in (True, "others"):
        family = {spot.shape.id, *spot.shape.groups}
        others = [
            shape
            for shape in spot.slide.shapes
            if shape.box is not None
            and shape.kind != "group"
            and not (family & {shape.id, *shape.groups})
            and not shape.hidden
            and (shape.words.strip() or shape.kind in ("picture", "chart", "table"))
            and not is_furniture(shape)
        ]
        boxes = [(shape.name, seen(shape.box, shape.rotation)) for shape in others if shape.box is not None]
    else:
        boxes = [
            (one.shape.name, seen(one.shape.box, one.shape.rotation))
            for one in spots_of(want, world)
            if one.shape is not None
            and one.shape.box is not None
            and one.slide is spot.slide
            and one.shape is not spot.shape
        ]
    over = [name for name, other in boxes if box.overlap(other) > 0.03 * min(box.area, other.area)]
    yield Point.of(
        not over, f"{spot.where}: lies over {', '.join(over)}" if over else f"{spot.where}: lies over nothing"
    )


def _as_before(want: Any, spot: Spot, box: Box, slack: float, world: World) -> Iterator[Point]:
    was = world.shape_was(spot.slide, spot.shape) if spot.shape is not None else None
    if was is None or was.box is None:
        yield Point(0.0, f"{spot.where}: is new")
        return
    old = seen(was.box, was.rotation)
    parts = ["position", "size", "rotation"] if want is True else want if isinstance(want, list) else [want]
    for part in parts:
        if part == "position":
            right = _same(box.x, old.x, slack) and _same(box.y, old.y, slack)
        elif part == "size":
            right = _same(box.width, old.width, slack) and _same(box.height, old.height, slack)
        elif part == "rotation":
            assert spot.shape is not None
            right = abs(spot.shape.rotation - was.rotation) < 0.5 and spot.shape.flip == was.flip
        elif part == "centre":
            right = all(_same(a, b, slack) for a, b in zip(box.centre, old.centre, strict=True))
        else:
            raise LeafError(f"place: as_before {part!r}: use position, size, rotation, centre")
        yield Point.of(right, f"{spot.where}: {part} is no longer what it was")


def _others(want: Any, spot: Spot, world: World) -> list[Box]:
    """The boxes at an address; one without a slide is on the same slide."""
    if isinstance(want, dict) and "slide" not in want and "shape" not in want:
        want = {"slide": spot.slide.number, "shape": want}
    elif isinstance(want, dict) and "slide" not in want:
        want = {"slide": spot.slide.number, **want}
    elif isinstance(want, str):
        want = {"slide": spot.slide.number, "shape": want}
    found = [one.shape for one in spots_of(want, world) if one.shape is not None]
    return [seen(shape.box, shape.rotation) for shape in found if shape.box is not None]


def _length(box: Box, key: str) -> float:
    return {
        "left": box.x, "top": box.y, "right": box.right, "bottom": box.bottom, "width": box.width, "height": box.height,
        "centre_x": box.centre[0], "centre_y": box.centre[1],
    }[key]  # fmt: skip


def _edge(box: Box, edge: str) -> float:
    return (box.x, box.right, box.centre[0], box.y, box.bottom, box.centre[1])[_EDGES[edge]]


def _in_cm(want: Any, whole: float, slack: float) -> Any:
    def length(value: Any) -> float:
        if isinstance(value, str) and value.strip().endswith("%"):
            return float(value.strip()[:-1]) / 100 * whole
        return float(value)

    if isinstance(want, dict):
        return {key: length(value) for key, value in want.items()}
    return {"value": length(want), "tolerance": slack}


def _is_beside(key: str, box: Box, other: Box, slack: float) -> bool:
    match key:
        case "left_of":
            return box.right <= other.x + slack
        case "right_of":
            return box.x >= other.right - slack
        case "above":
            return box.bottom <= other.y + slack
        case _:
            return box.y >= other.bottom - slack


def _is_inside(box: Box, outer: Box, slack: float) -> bool:
    return (
        box.x >= outer.x - slack
        and box.y >= outer.y - slack
        and box.right <= outer.right + slack
        and box.bottom <= outer.bottom + slack
    )


def _same(one: float, other: float, slack: float) -> bool:
    return abs(one - other) <= slack


def _cm(box: Box) -> str:
    return f"{box.width / EMU_PER_CM:.2f} × {box.height / EMU_PER_CM:.2f} cm"
