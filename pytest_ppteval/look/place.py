"""Where shapes are on the slide: transforms of groups multiplied out, rotation and flips added up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A, P
from pytest_ppteval.look.model import Box
from pytest_ppteval.look.values import degrees, emu, flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

_SAID = ("off", "ext")
_TRANSFORMS = (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm")


@dataclass(frozen=True, slots=True)
class Placed:
    """A box with its turn in degrees and its flips, across and down."""

    box: Box
    rotation: float = 0.0
    flip: tuple[bool, bool] = (False, False)


def transform_of(shape: etree._Element) -> etree._Element | None:
    """The shape's own a:xfrm or p:xfrm; it may say a place without a size, or the other way round."""
    for path in _TRANSFORMS:
        found = shape.find(path)
        if found is not None and (found.find(A + "off") is not None or found.find(A + "ext") is not None):
            return found
    return None


def completed(transforms: Sequence[etree._Element]) -> etree._Element | None:
    """The first of these transforms, with the place or size that it leaves out from the next that says it."""
    if not transforms:
        return None
    first = transforms[0]
    parts = {name: next((t.find(A + name) for t in transforms if t.find(A + name) is not None), None) for name in _SAID}
    if any(part is None for part in parts.values()):
        return None
    if all(first.find(A + name) is not None for name in _SAID):
        return first
    made = first.makeelement(first.tag, {str(name): str(value) for name, value in first.attrib.items()})
    for name, part in parts.items():
        if part is not None:
            values = {str(key): str(value) for key, value in part.attrib.items()}
            made.append(made.makeelement(A + name, values))
    return made


def placed(transform: etree._Element, groups: Sequence[etree._Element]) -> Placed | None:
    """What a transform means on the slide. groups: the transforms of the groups around it, innermost first."""
    box = _box(transform, "off", "ext")
    if box is None:
        return None
    rotation = degrees(transform.get("rot"))
    flip = flag(transform.get("flipH")), flag(transform.get("flipV"))
    for group in groups:
        outer, inner = _box(group, "off", "ext"), _box(group, "chOff", "chExt")
        if outer is None:
            continue
        box = _scaled(box, rotation, inner or outer, outer)
        across, down = flag(group.get("flipH")), flag(group.get("flipV"))
        x, y = box.centre
        middle_x, middle_y = outer.centre
        if across:
            x = 2 * middle_x - x
        if down:
            y = 2 * middle_y - y
        if across != down:
            rotation = -rotation % 360
        flip = flip[0] != across, flip[1] != down
        turn = degrees(group.get("rot"))
        if turn:
            angle = math.radians(turn)
            right, below = x - middle_x, y - middle_y
            x = middle_x + right * math.cos(angle) - below * math.sin(angle)
            y = middle_y + right * math.sin(angle) + below * math.cos(angle)
            rotation = (rotation + turn) % 360
        box = Box(x - box.width / 2, y - box.height / 2, box.width, box.height)
        if not all(map(math.isfinite, (box.x, box.y, box.width, box.height))):
            return None  # groups that make each other larger without end
    return Placed(_rounded(box), round(rotation, 4), flip)


def seen(box: Box, rotation: float) -> Box:
    """The smallest upright box around a turned one."""
    angle = math.radians(rotation)
    across, down = abs(math.cos(angle)), abs(math.sin(angle))
    width, height = box.width * across + box.height * down, box.width * down + box.height * across
    x, y = box.centre
    return _rounded(Box(x - width / 2, y - height / 2, width, height))


def _box(transform: etree._Element, offset: str, extent: str) -> Box | None:
    corner, size = transform.find(A + offset), transform.find(A + extent)
    if corner is None or size is None:
        return None
    values = [emu(corner.get("x")), emu(corner.get("y")), emu(size.get("cx")), emu(size.get("cy"))]
    x, y, width, height = values
    if x is None or y is None or width is None or height is None:
        return None
    return Box(x, y, width, height)


def _scaled(box: Box, rotation: float, inner: Box, outer: Box) -> Box:
    wide = outer.width / inner.width if inner.width else 1.0
    high = outer.height / inner.height if inner.height else 1.0
    x, y = box.centre
    x, y = outer.x + (x - inner.x) * wide, outer.y + (y - inner.y) * high
    if 45 <= rotation % 180 < 135:  # it lies on its side: its width is scaled as heights are
        wide, high = high, wide
    width, height = box.width * wide, box.height * high
    return Box(x - width / 2, y - height / 2, width, height)


def _rounded(box: Box) -> Box:
    return Box(round(box.x), round(box.y), round(box.width), round(box.height))
