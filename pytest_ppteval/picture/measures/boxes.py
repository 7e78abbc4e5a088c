"""Boxes on a slide, and the boxes that its shapes take up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

EMU = 12700  # English Metric Units of a point


class Box(NamedTuple):
    """A rectangle in points from the slide's left top corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """In points."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """In square points."""
        return max(0.0, self.width) * max(0.0, self.height)

    def overlap(self, other: Box) -> Box | None:
        """What both cover; None where they don't meet."""
        both = Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )
        return both if both.width > 0 and both.height > 0 else None

    def grown(self, by: float) -> Box:
        """The box with `by` points more on each side; fewer where `by` is negative."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def beyond(self, other: Box) -> dict[str, float]:
        """By how many points it goes beyond `other`, for each side where it does: {"bottom": 12.5}."""
        sides = {
            "left": other.left - self.left,
            "top": other.top - self.top,
            "right": self.right - other.right,
            "bottom": self.bottom - other.bottom,
        }
        return {side: by for side, by in sides.items() if by > 0}

    @classmethod
    def around(cls, boxes: list[Box]) -> Box:
        """The smallest box around all of them. Raises ValueError for none."""
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return cls(min(lefts), min(tops), max(rights), max(bottoms))

    def __str__(self) -> str:
        return f"({self.left:.0f}, {self.top:.0f})-({self.right:.0f}, {self.bottom:.0f}) pt"


def slide_box(slide: Any) -> Box:
    """The whole slide. `slide` is python-pptx's."""
    deck = slide.part.package.presentation_part.presentation
    return Box(0, 0, deck.slide_width / EMU, deck.slide_height / EMU)


def every_shape(shapes: Any) -> Iterator[Any]:
    """All shapes in the order in which they are drawn, with those in groups, the groups themselves left out."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from every_shape(shape.shapes)
        else:
            yield shape


def shape_box(shape: Any) -> Box | None:
    """The upright box that a shape takes up as it is turned, in a group or not; None where the file gives it no place.

    Lines and shadows reach a little beyond it.
    """
    try:
        left, top, width, height = shape.left, shape.top, shape.width, shape.height
    except (AttributeError, ValueError):
        return None
    if None in (left, top, width, height):
        return None
    corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
    corners = _turned(corners, (left + width / 2, top + height / 2), _rotation(shape))
    element = shape._element.getparent()
    while element is not None and element.tag.endswith("}grpSp"):
        corners = _out_of_group(corners, element)
        element = element.getparent()
    across, down = zip(*corners, strict=True)
    return Box(min(across) / EMU, min(down) / EMU, max(across) / EMU, max(down) / EMU)


def _rotation(shape: Any) -> float:
    return float(getattr(shape, "rotation", 0.0) or 0.0)


_Point = tuple[float, float]


def _turned(corners: list[_Point], middle: _Point, degrees: float) -> list[_Point]:
    if not degrees % 360:
        return corners
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return [
        (
            middle[0] + (x - middle[0]) * cosine - (y - middle[1]) * sine,
            middle[1] + (x - middle[0]) * sine + (y - middle[1]) * cosine,
        )
        for x, y in corners
    ]


def _out_of_group(corners: list[_Point], group: Any) -> list[_Point]:
    """From a group's own coordinates to those of what holds it: scaled, mirrored, turned (ECMA-376-1, 20.1.7.5)."""
    place = group.find(
        "{http://schemas.openxmlformats.org/presentationml/2006/main}grpSpPr/"
        "{http://schemas.openxmlformats.org/drawingml/2006/main}xfrm"
    )
    if place is None:
        return corners
    numbers: dict[str, _Point] = {}
    for name, (first, second) in {
        "off": ("x", "y"), "ext": ("cx", "cy"), "chOff": ("x", "y"), "chExt": ("cx", "cy")
    }.items():  # fmt: skip
        element = place.find(f"{{http://schemas.openxmlformats.org/drawingml/2006/main}}{name}")
        if element is None:
            return corners
        numbers[name] = (float(element.get(first, "0")), float(element.get(second, "0")))
    off, size, inner, inner_size = numbers["off"], numbers["ext"], numbers["chOff"], numbers["chExt"]
    scale = tuple(size[axis] / inner_size[axis] if inner_size[axis] else 1.0 for axis in (0, 1))
    moved = [(off[0] + (x - inner[0]) * scale[0], off[1] + (y - inner[1]) * scale[1]) for x, y in corners]
    middle = (off[0] + size[0] / 2, off[1] + size[1] / 2)
    if place.get("flipH") in ("1", "true"):
        moved = [(2 * middle[0] - x, y) for x, y in moved]
    if place.get("flipV") in ("1", "true"):
        moved = [(x, 2 * middle[1] - y) for x, y in moved]
    return _turned(moved, middle, float(place.get("rot", "0")) / 60000)
