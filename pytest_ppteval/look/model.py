"""What a viewer sees of a deck, as read-only values. Standard library only; `read.py` makes them.

Boxes and margins are in EMU (914,400 to the inch, 12,700 to the point); text sizes, spacing and line
widths are in points; angles in degrees, clockwise; times in seconds; shares from 0 to 1.
Everything is effective: what the file leaves to a layout, a master or a theme stands here as it comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

EMU_PER_POINT = 12_700
EMU_PER_CM = 360_000


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour as drawn. rgb: six hex digits, upper case. alpha: 0 is invisible, 1 opaque.

    scheme: the theme's name for it ("accent1", "tx1"), None where the file says a colour of its own.
    """

    rgb: str
    alpha: float = 1.0
    scheme: str | None = None

    @property
    def triple(self) -> tuple[int, int, int]:
        """Red, green and blue, 0 to 255."""
        return int(self.rgb[:2], 16), int(self.rgb[2:4], 16), int(self.rgb[4:], 16)


@dataclass(frozen=True, slots=True)
class Fill:
    """kind: "none", "solid", "gradient", "picture" or "pattern".

    colours: of a solid fill the one, of a gradient its stops in order, of a pattern foreground and background.
    picture: digest of the picture's file.
    """

    kind: str
    colours: tuple[Colour, ...] = ()
    picture: str | None = None
    details: str = ""

    @property
    def colour(self) -> Colour | None:
        """The fill's one colour, of a gradient or pattern the mean; None of a picture and of no fill."""
        if not self.colours:
            return None
        if len(self.colours) == 1:
            return self.colours[0]
        count = len(self.colours)
        mean = [sum(colour.triple[i] for colour in self.colours) / count for i in range(3)]
        alpha = sum(colour.alpha for colour in self.colours) / count
        return Colour("".join(f"{round(part):02X}" for part in mean), alpha)


NO_FILL = Fill("none")


@dataclass(frozen=True, slots=True)
class Line:
    """An outline. width: points. dash: "solid" or the file's word. ends: arrow heads at start and end ("none")."""

    fill: Fill
    width: float
    dash: str = "solid"
    ends: tuple[str, str] = ("none", "none")

    @property
    def shown(self) -> bool:
        """Whether anything of it is drawn."""
        return self.fill.kind != "none" and self.width >= 0


@dataclass(frozen=True, slots=True)
class Box:
    """A place on the slide before rotation, all groups' transforms worked in."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        """The middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def area(self) -> float:
        """In square EMU."""
        return self.width * self.height

    def overlap(self, other: Box) -> float:
        """The area that both cover."""
        across = min(self.right, other.right) - max(self.x, other.x)
        down = min(self.bottom, other.bottom) - max(self.y, other.y)
        return across * down if across > 0 and down > 0 else 0.0


# ---- text ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one look.

    kind: "text", "break", "field" or "equation"; field: what the field shows ("slidenum", "datetime1", ...). size:
    points, as drawn: where the text is shrunk to fit, after that. underline: "none" or the file's word. link: address,
    or "slide <id>", or the action. case: "none", "small" or "all". baseline: 0.3 is a superscript at 30 %. spacing: in
    points.
    """

    text: str
    size: float
    font: str
    east_asian_font: str
    bold: bool
    italic: bool
    underline: str
    strike: bool
    colour: Colour
    kind: str = "text"
    field: str | None = None
    highlight: Colour | None = None
    link: str | None = None
    tooltip: str | None = None
    case: str = "none"
    baseline: float = 0.0
    spacing: float = 0.0
    fill: str = "solid"
    outline: Colour | None = None
    effects: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Bullet:
    """kind: "none", "character", "number" or "picture".

    character: of a character bullet. scheme, start: of a numbered one ("arabicPeriod", 1). size: of the
    text's, 1 is the same. colour: None is the text's.
    """

    kind: str
    character: str = ""
    scheme: str = ""
    start: int = 1
    font: str = ""
    colour: Colour | None = None
    size: float = 1.0
    picture: str | None = None


NO_BULLET = Bullet("none")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """level: 0 is the outermost, as in python-pptx. alignment: "left", "centre", "right", "justified", "distributed".

    line_spacing: of a line's height (1 is single), or points where line_points is set. margin, indent: EMU.
    size: of its text, in points, of an empty one what is typed there will have.
    """

    runs: tuple[Run, ...]
    level: int
    bullet: Bullet
    alignment: str
    line_spacing: float
    line_points: float | None
    space_before: float
    space_after: float
    margin: int
    indent: int
    size: float
    right_to_left: bool = False

    @property
    def text(self) -> str:
        """Its characters; a line break is a line feed."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Text:
    """A text body. autofit: "none", "shrink" (by scale, spacing less) or "grow" (the shape with the text).

    insets: left, top, right, bottom, EMU. anchor: "top", "middle", "bottom". vertical: "horz" or the file's word.
    """

    paragraphs: tuple[Paragraph, ...]
    autofit: str
    scale: float
    spacing_cut: float
    anchor: str
    vertical: str
    wrap: bool
    insets: tuple[int, int, int, int]
    columns: int = 1
    rotation: float = 0.0
    warp: str | None = None

    @property
    def text(self) -> str:
        """Its paragraphs, a line feed between them."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def runs(self) -> Iterator[Run]:
        """All runs that show something, in order."""
        return (run for paragraph in self.paragraphs for run in paragraph.runs if run.text.strip())


# ---- what a shape may hold -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Picture:
    """image: digest of the file. crop: left, top, right, bottom, shares of the image (negative adds room).

    pixels: width and height of the image, None where its format is not read. stretch: how far it is drawn wider than
    it is, against its height: 1 is undistorted, None where the pixels aren't known. recolour: names of colour effects.
    """

    image: str | None
    format: str
    crop: tuple[float, float, float, float]
    pixels: tuple[int, int] | None
    stretch: float | None
    recolour: tuple[str, ...]
    alpha: float = 1.0
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. row, column: from 0. spans: rows and columns that it covers. merged: covered by another."""

    row: int
    column: int
    text: Text
    fill: Fill
    spans: tuple[int, int] = (1, 1)
    merged: bool = False
    borders: tuple[Line | None, Line | None, Line | None, Line | None] = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Table:
    """rows: by row, then column. widths, heights: EMU. style: its name or id. flags: "first row", "banded rows", ..."""

    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[int, ...]
    heights: tuple[int, ...]
    style: str
    flags: frozenset[str] = frozenset()

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The cells' texts."""
        return tuple(tuple(cell.text.text for cell in row) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Series:
    """A chart's series. values: None for a gap. colours: of each point that has one of its own, by its index."""

    name: str
    categories: tuple[str, ...]
    values: tuple[float | None, ...]
    kind: str
    fill: Fill
    line: Line | None
    labels: tuple[str, ...] = ()
    points: tuple[tuple[int, Fill], ...] = ()
    secondary: bool = False
    x_values: tuple[float | None, ...] = ()
    number_format: str = ""
    details: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """kind: "category", "value", "date" or "series". minimum, maximum: None where the program chooses."""

    kind: str
    shown: bool
    position: str
    minimum: float | None
    maximum: float | None
    logarithmic: bool
    reversed: bool
    title: str | None
    labels: bool
    gridlines: bool
    number_format: str = ""
    size: float | None = None
    colour: Colour | None = None
    line: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """kind: "bar", "line", "pie", "doughnut", "area", "scatter", "bubble", "radar", "surface", "stock",
    "waterfall", ...; "combined" where plots of several kinds are drawn over each other.

    direction: of bars, "horizontal" or "vertical"; else None. grouping: "clustered", "stacked", "percent", "standard".
    """

    kind: str
    direction: str | None
    grouping: str | None
    series: tuple[Series, ...]
    axes: tuple[Axis, ...]
    title: str | None
    legend: str | None
    three_d: bool = False
    data_table: bool = False
    title_size: float | None = None
    legend_size: float | None = None
    gap: int | None = None
    overlap: int | None = None
    embedded: bool = False
    plot_fill: Fill = NO_FILL
    details: str = ""

    @property
    def categories(self) -> tuple[str, ...]:
        """Those of the first series that has any."""
        return next((series.categories for series in self.series if series.categories), ())


@dataclass(frozen=True, slots=True)
class Media:
    """kind: "video" or "audio". source: digest of the file, or the address of one that is linked."""

    kind: str
    source: str
    details: str = ""


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
