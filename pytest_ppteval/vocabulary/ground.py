"""What lies behind a text: the fills of its own shape, of the shapes below it, and of the slide, as one colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.look.colour import over
from pytest_ppteval.look.model import Colour
from pytest_ppteval.look.place import seen

if TYPE_CHECKING:
    from pytest_ppteval.look.model import Fill, Shape
    from pytest_ppteval.vocabulary.spot import Spot

_WHITE = Colour("FFFFFF")


def ground_of(spot: Spot) -> Colour | None:
    """The colour behind a spot's text; None where a picture, or something of many colours, lies there."""
    layers: list[Fill] = []
    if spot.cell is not None:
        layers.append(spot.cell.fill)
    shape = spot.shape
    if shape is not None:
        layers.append(shape.fill)
        below = [other for other in spot.slide.shapes if other.z < shape.z and _covers(other, shape)]
        for other in reversed(below):
            if other.kind in ("picture", "chart", "SmartArt", "object", "graphic", "table"):
                if not _is_solid(layers):
                    return None
                break
            layers.append(other.fill)
    return _flattened([*layers, spot.slide.background])


def _is_solid(layers: list[Fill]) -> bool:
    return any(fill.kind == "solid" and fill.colour is not None and fill.colour.alpha >= 0.99 for fill in layers)


def _covers(other: Shape, shape: Shape) -> bool:
    """Whether a shape lies below most of another."""
    if other.hidden or other.kind in ("group", "connector") or other.box is None or shape.box is None:
        return False
    box = seen(shape.box, shape.rotation)
    return box.area > 0 and seen(other.box, other.rotation).overlap(box) >= 0.6 * box.area


def _flattened(layers: list[Fill]) -> Colour | None:
    """The first opaque layer with those before it laid over it."""
    stack: list[Colour] = []
    ground = _WHITE
    for fill in layers:
        if fill.kind == "none":
            continue
        colour = fill.colour
        if fill.kind == "picture" or colour is None:
            return None
        stack.append(colour)
        if colour.alpha >= 0.99:
            ground = Colour(colour.rgb)
            stack.pop()
            break
    for colour in reversed(stack):
        ground = over(colour, ground)
    return ground
