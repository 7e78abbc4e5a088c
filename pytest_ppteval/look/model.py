"""What a viewer sees of a deck, as read-only values. Standard library only; `read.py` makes them.

Boxes and margins are in EMU (914,400 to the inch, 12,700 to the point); text sizes, spacing and line
widths are in points; angles in degrees, clockwise; times in seconds; shares from 0 to 1.
Everything is effective: what the file leaves to a layout, a master or a theme stands here as it comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.model_drawn import NO_FILL, Box, Colour, Fill, Line
from pytest_ppteval.look.model_held import Axis, Cell, Chart, Media, Picture, Series, Table
from pytest_ppteval.look.model_text import NO_BULLET, Bullet, Paragraph, Run, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "EMU_PER_CM",
    "EMU_PER_POINT",
    "NO_BULLET",
    "NO_FILL",
    "Axis",
    "Box",
    "Bullet",
    "Cell",
    "Chart",
    "Colour",
    "Comment",
    "Deck",
    "Design",
    "Effect",
    "Fill",
    "Line",
    "Media",
    "Paragraph",
    "Picture",
    "Run",
    "Series",
    "Shape",
    "Slide",
    "Table",
    "Text",
    "Transition",
    "as_json",
]

EMU_PER_POINT = 12_700
EMU_PER_CM = 360_000


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape, flattened out of its groups.

    kind: "text box", "shape", "picture", "group", "connector", "table", "chart", "SmartArt", "object", "ink" or
    "graphic". groups: ids of the groups that it is in, outermost first. placeholder: its type ("title", "body", ...),
    or None. box: None only where nothing says a place. z: 0 is the lowest. ends: ids of the shapes that a connector is
    glued to.
    """

    id: str
    name: str
    kind: str
    groups: tuple[str, ...]
    placeholder: str | None
    placeholder_index: int | None
    box: Box | None
    rotation: float
    flip: tuple[bool, bool]
    z: int
    hidden: bool
    alt: str
    alt_title: str
    decorative: bool
    geometry: str
    fill: Fill
    line: Line | None
    effects: tuple[str, ...]
    link: str | None
    tooltip: str | None
    text: Text | None = None
    picture: Picture | None = None
    table: Table | None = None
    chart: Chart | None = None
    media: Media | None = None
    diagram: tuple[str, ...] | None = None
    ends: tuple[str | None, str | None] = (None, None)
    object_type: str | None = None
    inherits_place: bool = False
    adjustments: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All that it says: its text, its cells', its diagram's, its chart's titles."""
        if self.table is not None:
            return "\n".join("\t".join(row) for row in self.table.texts)
        if self.diagram is not None:
            return "\n".join(self.diagram)
        if self.chart is not None:
            return self.chart.title or ""
        return self.text.text if self.text is not None else ""

    @property
    def texts(self) -> Iterator[Text]:
        """Its text bodies: one, or its cells'."""
        if self.text is not None:
            yield self.text
        if self.table is not None:
            yield from (cell.text for row in self.table.rows for cell in row if not cell.merged)


@dataclass(frozen=True, slots=True)
class Effect:
    """An animation. shape: id. name: PowerPoint's own, in snake case. trigger: "click", "with_previous", ...

    kind: "entrance", "emphasis", "exit", "motion_path", "media", "verb" or "custom". clicked: id of the shape to click
    on, None where it is not just that one.
    """

    shape: str
    paragraph: str | None
    name: str
    trigger: str
    delay: float
    duration: float
    order: int
    kind: str = "entrance"
    clicked: str | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """How the slide comes. advance_after: seconds, None where only a click goes on."""

    kind: str
    duration: float
    direction: str | None
    variant: str | None
    advance_on_click: bool
    advance_after: float | None
    sound: str | None


@dataclass(frozen=True, slots=True)
class Comment:
    """A reviewer's comment."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Slide:
    """number: from 1. id: python-pptx's slide_id as text. section: the name of the section that it is in."""

    number: int
    id: str
    title: str | None
    hidden: bool
    layout: str | None
    master: str | None
    background: Fill
    shows_master_shapes: bool
    transition: Transition | None
    effects: tuple[Effect, ...]
    notes: str
    comments: tuple[Comment, ...]
    shapes: Sequence[Shape]
    section: str | None = None

    def shape(self, shape_id: str) -> Shape | None:
        """The shape of that id."""
        return next((shape for shape in self.shapes if shape.id == shape_id), None)

    @property
    def words(self) -> str:
        """All text of its shapes, lowest first."""
        return "\n".join(words for shape in self.shapes if (words := shape.words))


@dataclass(frozen=True, slots=True)
class Design:
    """A master, layout or theme. digest: of all that it draws."""

    kind: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck. width, height: of a slide, EMU. sections: names with the ids of their slides. show: settings by name."""

    width: int
    height: int
    slides: Sequence[Slide]
    designs: Sequence[Design]
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    show: tuple[tuple[str, str], ...] = ()
    custom_shows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    title: str = ""
    program: str = ""

    def slide(self, number: int) -> Slide | None:
        """The slide at that place, from 1."""
        return self.slides[number - 1] if 1 <= number <= len(self.slides) else None

    def by_id(self, slide_id: str) -> Slide | None:
        """The slide of that id."""
        return next((slide for slide in self.slides if slide.id == slide_id), None)


def as_json(value: Any) -> Any:
    """A value of this module as JSON types; what is None, empty or the default is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {}
        for item in fields(value):
            inner = getattr(value, item.name)
            if inner is None or inner == () or inner == "" or inner == item.default:
                continue
            found[item.name] = as_json(inner)
        return found
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_json(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, float):
        return round(value, 4)
    return value
