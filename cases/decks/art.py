"""The decks' pictures, drawn with Pillow: no photograph or clip art of anybody's is needed."""

from __future__ import annotations

import io
import math
import random
from dataclasses import dataclass

from PIL import Image, ImageDraw

SCALE = 3  # drawn larger and shrunk: smooth edges
NAVY, BLUE, TEAL, AMBER, RED = "#12355B", "#1F6FA8", "#1B998B", "#F2A33A", "#D1495B"
SKY, SEA, SAND, LAND, WHITE = "#CFE6F3", "#3C86B5", "#E9DDC0", "#C9DDB4", "#FFFFFF"


@dataclass
class Canvas:
    """A picture under way; coordinates are those of the final picture."""

    width: int
    height: int
    background: str

    def __post_init__(self) -> None:
        self.image = Image.new("RGB", (self.width * SCALE, self.height * SCALE), self.background)
        self.draw = ImageDraw.Draw(self.image)

    def polygon(self, points: list[tuple[float, float]], colour: str) -> None:
        """A filled polygon."""
        self.draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=colour)

    def box(self, x: float, y: float, w: float, h: float, colour: str, radius: float = 0) -> None:
        """A filled rectangle, its corners rounded by `radius`."""
        corners = (x * SCALE, y * SCALE, (x + w) * SCALE, (y + h) * SCALE)
        self.draw.rounded_rectangle(corners, radius * SCALE, fill=colour)

    def disc(self, x: float, y: float, r: float, colour: str) -> None:
        """A filled circle around (x, y)."""
        self.draw.ellipse(((x - r) * SCALE, (y - r) * SCALE, (x + r) * SCALE, (y + r) * SCALE), fill=colour)

    def line(self, points: list[tuple[float, float]], colour: str, width: float) -> None:
        """A line through the points."""
        self.draw.line([(x * SCALE, y * SCALE) for x, y in points], colour, round(width * SCALE), joint="curve")

    def png(self, colours: int = 64) -> io.BytesIO:
        """The finished picture; few colours, so that decks stay small."""
        small = self.image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        out = io.BytesIO()
        small.quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        out.seek(0)
        return out


def _waves(canvas: Canvas, top: float, colour: str, light: str) -> None:
    canvas.box(0, top, canvas.width, canvas.height - top, colour)
    for row in range(4):
        y = top + 14 + row * 24
        for start in range(-40 + row * 30, canvas.width, 130):
            points = [(start + t, y + 4 * math.sin(t / 11)) for t in range(0, 70, 4)]
            canvas.line(points, light, 2.5)


def ferry(hull: str, stripe: str, decks: int, evening: bool = False) -> io.BytesIO:
    """A ferry at sea, 760 x 400."""
    sky = "#F6D8B8" if evening else SKY
    canvas = Canvas(760, 400, sky)
    canvas.disc(620, 90 if not evening else 215, 42, "#FCEFC7" if not evening else "#F2A33A")
    for x, y, size in ((120, 70, 1.0), (430, 55, 0.7)):
        for dx, r in ((0, 24), (30, 32), (64, 22)):
            canvas.disc(x + dx * size, y, r * size, WHITE if not evening else "#FBE9D8")
    canvas.polygon([(0, 255), (90, 215), (190, 240), (260, 222), (380, 262), (0, 262)], "#9DB9A0")
    top = 275 - 34 * decks
    for deck in range(decks):
        left, right = 190 + 34 * deck, 590 - 22 * deck
        y = 275 - 34 * (deck + 1)
        canvas.box(left, y, right - left, 34, WHITE)
        canvas.box(left, y + 28, right - left, 6, "#E3E9EE")
        for window in range(left + 16, right - 22, 30):
            canvas.box(window, y + 9, 17, 13, "#34546F", 3)
    canvas.box(500 - 22 * decks, top - 36, 44, 36, stripe)
    canvas.box(500 - 22 * decks, top - 22, 44, 8, WHITE)
    canvas.box(262, top - 26, 84, 26, WHITE)
    canvas.box(270, top - 20, 68, 11, "#34546F", 3)
    canvas.line([(302, top - 26), (302, top - 62)], "#5B6B78", 3)
    canvas.polygon([(130, 275), (660, 275), (612, 345), (178, 345)], hull)
    canvas.polygon([(137, 285), (653, 285), (648, 293), (142, 293)], stripe)
    _waves(canvas, 328, SEA if not evening else "#5B7FA3", "#7FB4D6" if not evening else "#8FA9C4")
    return canvas.png()


def island_map() -> io.BytesIO:
    """The network: a coast, three islands, four routes and five harbours, 1100 x 760."""
    canvas = Canvas(1100, 760, "#DCECF5")
    dice = random.Random(7)

    def coast(points: list[tuple[float, float]], rough: float) -> list[tuple[float, float]]:
        out = []
        for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
            for step in range(6):
                t = step / 6
                dx, dy = (dice.uniform(-rough, rough) for _ in range(2))
                out.append((x1 + (x2 - x1) * t + dx, y1 + (y2 - y1) * t + dy))
        return out

    mainland = [
        (-40, -40),
        (250, -40),
        (215, 120),
        (290, 250),
        (225, 380),
        (280, 520),
        (190, 640),
        (240, 800),
        (-40, 800),
    ]
    islands = [
        [(590, 180), (690, 150), (790, 200), (800, 300), (720, 350), (610, 320), (560, 250)],
        [(900, 80), (980, 70), (1020, 130), (970, 190), (900, 160)],
        [(560, 560), (650, 520), (760, 560), (740, 640), (620, 660)],
    ]  # fmt: skip
    for shape, rough in ((mainland, 9.0), *((island, 6.0) for island in islands)):
        edge = coast(shape, rough)
        canvas.polygon([(x + 5, y + 6) for x, y in edge], "#B7D3E3")
        canvas.polygon(edge, SAND)
        middle = (sum(x for x, _ in edge) / len(edge), sum(y for _, y in edge) / len(edge))
        canvas.polygon([(x + (middle[0] - x) * 0.06, y + (middle[1] - y) * 0.06) for x, y in edge], LAND)
    alder, gannet, skerry, farrow, petrel = HARBOURS.values()
    routes = [
        (alder, (430, 210), gannet, BLUE),
        ((790, 235), (860, 190), skerry, AMBER),
        (alder, (330, 480), farrow, TEAL),
        (alder, (440, 420), petrel, RED),
    ]
    for start, bend, end, colour in routes:
        points = []
        for step in range(41):
            t = step / 40
            x, y = (
                (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t * t * c for a, b, c in zip(start, bend, end, strict=True)
            )
            points.append((x, y))
        canvas.line(points, WHITE, 9)
        canvas.line(points, colour, 5)
    for x, y in (*HARBOURS.values(), (790, 235)):
        canvas.disc(x, y, 13, NAVY)
        canvas.disc(x, y, 7, WHITE)
    return canvas.png()


# Where the map's harbours lie, so that a deck can write their names beside them.
HARBOURS: dict[str, tuple[float, float]] = {
    "Port Alder": (282, 252),
    "Gannet Isle": (566, 246),
    "Skerry": (908, 132),
    "Farrow Bay": (270, 520),
    "Petrel Point": (574, 590),
}


def lighthouse() -> io.BytesIO:
    """A lighthouse at the sea's edge, 420 x 560."""
    canvas = Canvas(420, 560, SKY)
    canvas.disc(325, 95, 40, "#FCEFC7")
    canvas.polygon([(205, 140), (420, 70), (420, 200)], "#F8F1D4")
    canvas.polygon([(0, 430), (90, 370), (250, 362), (330, 420), (420, 470), (420, 560), (0, 560)], "#8FA88F")
    _waves(canvas, 462, SEA, "#7FB4D6")
    canvas.polygon([(0, 440), (110, 392), (250, 392), (300, 450), (270, 500), (0, 520)], "#6F8C74")
    canvas.polygon([(138, 180), (202, 180), (222, 400), (118, 400)], WHITE)
    for top in (215, 305):
        spread = (top - 180) / 220 * 20
        canvas.polygon(
            [(138 - spread, top), (202 + spread, top), (206 + spread, top + 45), (134 - spread, top + 45)], RED
        )
    canvas.box(126, 166, 88, 14, NAVY)
    canvas.box(146, 126, 48, 40, "#FCEFC7")
    canvas.line([(170, 126), (170, 166)], NAVY, 4)
    canvas.polygon([(138, 128), (202, 128), (170, 92)], NAVY)
    return canvas.png()
