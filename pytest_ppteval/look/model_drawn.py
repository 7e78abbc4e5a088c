"""How things are drawn: colours, fills, outlines and places. Part of `model.py`, which says the units."""

from __future__ import annotations

from dataclasses import dataclass


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
