"""Whether things on a slide have the room they need: text in its shape, everything on the slide, nothing on another."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_ppteval.picture.measures.boxes import Box, every_shape, shape_box, slide_box
from pytest_ppteval.picture.measures.text import DrawnText, drawn_text, lines_by_shape

if TYPE_CHECKING:
    from pytest_ppteval.picture.measures.reading import Shot

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


class Overflow(NamedTuple):
    """Text that is drawn beyond its shape. by: points beyond, for each side: {"bottom": 31.2}."""

    shape_id: int
    name: str
    by: dict[str, float]
    text: Box
    shape: Box

    def __repr__(self) -> str:
        return f"{self.name!r} by {_sides(self.by)}"


class OffSlide(NamedTuple):
    """Something that is partly or wholly beyond the slide's edges. what: "shape", or "text" for a drawn line."""

    what: str
    name: str
    by: dict[str, float]
    box: Box

    def __repr__(self) -> str:
        return f"{self.what} {self.name!r} by {_sides(self.by)}"


class Clash(NamedTuple):
    """Two shapes whose contents cover each other. share: how much of the smaller one's content, 0..1."""

    first: str
    second: str
    share: float
    box: Box

    def __repr__(self) -> str:
        return f"{self.first!r} and {self.second!r} ({self.share:.0%} of the smaller)"


def _sides(by: dict[str, float]) -> str:
    return ", ".join(f"{points:.0f} pt at the {side}" for side, points in by.items())


def text_overflows(slide: Any, shot: Shot, tolerance: float = 2.0) -> list[Overflow]:
    """Shapes of the slide (python-pptx's) whose text is drawn beyond them by more than `tolerance` points.

    A shape that grows with its text ("resize shape to fit text") has room below, one that does not wrap has room to the
    sides; tables grow too. For those see off_slide and overlaps. Source: where the text's ink was drawn, against the
    shape's box in the file.
    """
    lines = lines_by_shape(slide, drawn_text(shot))
    found = []
    for shape in every_shape(slide.shapes):
        box = shape_box(shape)
        if shape.shape_id not in lines or box is None:
            continue
        ink = Box.around([line.box for line in lines[shape.shape_id]])
        grows = _grows(shape)
        by = {side: points for side, points in ink.beyond(box).items() if points > tolerance and side not in grows}
        if by:
            found.append(Overflow(shape.shape_id, shape.name, by, ink, box))
    return found


def _grows(shape: Any) -> frozenset[str]:
    """The sides at which the shape's text has room beyond it."""
    properties = shape.text_frame._txBody.find(_A + "bodyPr")
    if properties is None:
        return frozenset()
    sides: set[str] = set()
    if properties.get("wrap") == "none":
        sides |= {"left", "right"}
    if properties.find(_A + "spAutoFit") is not None:
        sides |= {"top", "bottom"}
    return frozenset(sides)


def off_slide(slide: Any, shot: Shot | None = None, tolerance: float = 1.0) -> list[OffSlide]:
    """Shapes, and with a picture drawn lines of text, that go beyond the slide's edges by more than `tolerance` points.

    Source: the file for shapes, and what was drawn for text. A picture or shape that bleeds over the edge by design is
    reported, too: compare with the deck as it was.
    """
    edges = slide_box(slide)
    found = []
    for shape in every_shape(slide.shapes):
        box = shape_box(shape)
        by = {} if box is None else {side: points for side, points in box.beyond(edges).items() if points > tolerance}
        if box is not None and by:
            found.append(OffSlide("shape", shape.name, by, box))
    for line in drawn_text(shot) if shot is not None else ():
        by = {side: points for side, points in line.box.beyond(edges).items() if points > tolerance}
        if by:
            found.append(OffSlide("text", line.text, by, line.box))
    return found


def overlaps(slide: Any, shot: Shot, least: float = 0.02) -> list[Clash]:
    """Pairs of shapes whose contents cover each other by at least `least` of the smaller one.

    Content is what a reader has to see: the ink of a shape's text, a picture, chart, table or diagram. Shapes without
    text (panels, lines, arrows) have none, so that a label on its panel is no clash, and neither is text that stands
    on a picture as a whole, as a caption does. Source: what was drawn for text, the file for the rest.
    """
    lines = lines_by_shape(slide, drawn_text(shot))
    contents = []
    for shape in every_shape(slide.shapes):
        parts = _content(shape, lines.get(shape.shape_id, []))
        if parts:
            contents.append((shape, parts))
    found = []
    for (one, ones), (other, others) in combinations(contents, 2):
        both = [box for a in ones for b in others if (box := a.overlap(b)) is not None]
        if not both:
            continue
        smaller = min(sum(box.area for box in ones), sum(box.area for box in others))
        share = min(1.0, sum(box.area for box in both) / smaller) if smaller else 1.0
        on_picture = _is_text(one) != _is_text(other) and share > 0.98
        if share >= least and not on_picture:
            found.append(Clash(one.name, other.name, share, Box.around(both)))
    return found


def _is_text(shape: Any) -> bool:
    return bool(getattr(shape, "has_text_frame", False))


def _content(shape: Any, lines: list[DrawnText]) -> list[Box]:
    if _is_text(shape):
        return [line.box for line in lines]
    if not (hasattr(shape, "image") or _is_frame(shape)):
        return []
    box = shape_box(shape)
    return [] if box is None else [box]


def _is_frame(shape: Any) -> bool:
    tag: str = shape._element.tag
    return tag.endswith(("}graphicFrame", "}pic"))
