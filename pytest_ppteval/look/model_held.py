"""What a shape may hold: a picture, a table, a chart, a film. Part of `model.py`, which says the units."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_ppteval.look.model_drawn import NO_FILL, Colour, Fill, Line
from pytest_ppteval.look.model_text import Text


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
    """A chart's series. values: None for a gap. points: fills of those that have one of their own, by their index.

    labels: what every point is labelled with. label_size: of the smallest that is given one. sizes: of bubbles.
    outer: the outer levels of categories that have several, from the inside out.
    """

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
    sizes: tuple[float | None, ...] = ()
    outer: tuple[tuple[str, ...], ...] = ()
    number_format: str = ""
    details: str = ""
    label_size: float | None = None
    label_colour: Colour | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """kind: "category", "value", "date" or "series". minimum, maximum: None where the program chooses.

    number_format: "" where it is that of the data.
    """

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
    title_colour: Colour | None = None

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
