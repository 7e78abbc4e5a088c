"""How a picture is placed: turned, mirrored, cropped. From the file's XML; nothing needs to be drawn."""

from __future__ import annotations

from typing import Any, NamedTuple


class Crop(NamedTuple):
    """What is cut off at each side, as a share of the picture's own width or height, 0..1. Negative: a margin added."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def shown(self) -> float:
        """The share of the picture's area that is shown."""
        return max(0.0, 1 - self.left - self.right) * max(0.0, 1 - self.top - self.bottom)

    def __bool__(self) -> bool:
        return any(abs(side) > 1e-5 for side in self)


def picture_rotation(shape: Any) -> float:
    """By how many degrees (0..360, clockwise) a shape is turned on the slide, the groups that hold it included.

    Source: a:xfrm/@rot of the shape and of its groups; a group that is mirrored turns what it holds the other way.
    """
    turned = float(getattr(shape, "rotation", 0.0) or 0.0)
    element = shape._element.getparent()
    while element is not None and element.tag.endswith("}grpSp"):
        place = element.find("{*}grpSpPr/{*}xfrm")
        if place is not None:
            mirrored = (place.get("flipH") in ("1", "true")) != (place.get("flipV") in ("1", "true"))
            turned = (-turned if mirrored else turned) + float(place.get("rot", "0")) / 60000
        element = element.getparent()
    return round(turned % 360, 4) % 360


def picture_crop(shape: Any) -> Crop:
    """What is cropped off a picture; nothing for a shape that is no picture. Source: a:srcRect."""
    sides = (getattr(shape, f"crop_{side}", 0.0) for side in ("left", "top", "right", "bottom"))
    return Crop(*(float(side) for side in sides))
