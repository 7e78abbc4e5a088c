"""Two pictures of a slide compared, pixel by pixel: what changed, and whether only the expected place did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture.measures.boxes import Box
from pytest_ppteval.picture.measures.reading import facts_or_none, picture, size_in_points, unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

    from pytest_ppteval.picture.measures.reading import Shot

# One renderer draws the same slide to the same pixels; a difference below this in every channel is one of rounding.
THRESHOLD = 8


def changed_region(before: Shot, after: Shot, threshold: int = THRESHOLD) -> Box | None:
    """The smallest box around all that differs between two pictures; None where they look the same.

    threshold: by how much a channel (0..255) must differ to count. The leaf is unscored where two renderers made them.
    """
    changed, scale = _changed(before, after, threshold)
    found = changed.getbbox()
    return None if found is None else Box(*(edge * scale for edge in found))


def changed_share(before: Shot, after: Shot, threshold: int = THRESHOLD) -> float:
    """The share of pixels, 0..1, that differ. Raises as changed_region."""
    changed, _ = _changed(before, after, threshold)
    return changed.histogram()[255] / (changed.width * changed.height)


def same_except(before: Shot, after: Shot, boxes: Box | Sequence[Box], threshold: int = THRESHOLD) -> bool:
    """Whether the two pictures look the same everywhere outside of a box, or of several. Raises as changed_region.

    Give a box some room (box.grown(3)): ink and shadows reach a little beyond a shape's place.
    """
    changed, scale = _changed(before, after, threshold)
    for box in [boxes] if isinstance(boxes, Box) else boxes:
        left, top = int(box.left / scale), int(box.top / scale)
        right, bottom = int(box.right / scale) + 1, int(box.bottom / scale) + 1
        changed.paste(0, (max(0, left), max(0, top), max(0, right), max(0, bottom)))
    return changed.getbbox() is None


def _changed(before: Shot, after: Shot, threshold: int) -> tuple[Image, float]:
    """A mask, 255 where the pictures differ, and the points that one of its pixels is wide."""
    from PIL import ImageChops

    renderers = [None if (found := facts_or_none(shot)) is None else found.renderer for shot in (before, after)]
    if renderers[0] != renderers[1]:
        made_by = " and ".join(renderer or "a zip" for renderer in renderers)
        unavailable(f"pictures made by {made_by} are not to be compared")
    one, other = picture(before), picture(after)
    if one.size != other.size:
        unavailable(f"pictures of {one.size} and {other.size} pixels are not to be compared")
    bands = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return most.point(lambda value: 255 if value >= threshold else 0), size_in_points(after, one)[0] / one.width
