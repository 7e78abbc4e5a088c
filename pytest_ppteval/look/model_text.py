"""Text as drawn: runs, bullets, paragraphs. Part of `model.py`, which says the units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model_drawn import Colour


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
