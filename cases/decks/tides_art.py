"""The pictures of the lecture on tides, drawn with Pillow."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from art import SCALE, Canvas
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    import io

NIGHT, VIOLET, GOLD, GREEN, PALE = "#2E2A4F", "#574B90", "#E0A030", "#2A8C82", "#A9CBDD"
WOOD, WOOD_DARK, SAND, MUD, WHITE = "#7A5A42", "#5B4231", "#E3D3AE", "#B9A27C", "#FFFFFF"


def moonrise() -> io.BytesIO:
    """The full moon over a calm sea between two headlands, 1200 x 450."""
    canvas = Canvas(1200, 450, NIGHT)
    for step in range(14):  # the glow over the horizon
        shade = tuple(round(a + (b - a) * step / 13) for a, b in zip((46, 42, 79), (104, 84, 136), strict=True))
        canvas.box(0, 120 + step * 13, 1200, 14, "#{:02X}{:02X}{:02X}".format(*shade))
    dice = random.Random(3)
    for _ in range(60):
        canvas.disc(dice.uniform(0, 1200), dice.uniform(5, 180), dice.choice((1.1, 1.6, 2.2)), "#E9E4F2")
    canvas.disc(820, 175, 74, "#F4DFA6")
    for x, y, r in ((795, 150, 15), (845, 190, 20), (815, 215, 9), (855, 145, 8)):
        canvas.disc(x, y, r, "#E8CB82")
    canvas.box(0, 300, 1200, 150, "#3E4C77")
    for row in range(11):  # the moon's road on the water
        width = 46 + row * 15 + dice.uniform(-14, 14)
        canvas.box(820 - width / 2 + dice.uniform(-14, 14), 308 + row * 13, width, 4.5, "#D9C48E", 2)
    for row in range(5):
        for x in range(-40 + 37 * row, 1200, 190):
            points = [(x + t, 322 + row * 27 + 2.5 * math.sin(t / 12)) for t in range(0, 80, 4)]
            canvas.line(points, "#56648F", 2.2)
    canvas.polygon([(0, 230), (90, 214), (180, 240), (270, 262), (390, 296), (400, 302), (0, 302)], "#221F3D")
    canvas.polygon([(1200, 250), (1110, 262), (1030, 285), (985, 302), (1200, 302)], "#221F3D")
    canvas.polygon([(112, 216), (126, 216), (130, 170), (108, 170)], "#3A3560")
    canvas.box(109, 158, 20, 12, "#F4DFA6")
    return canvas.png()


PIER_HEIGHT, STRIP = 560, 80  # the low-water picture has a black strip of STRIP below the PIER_HEIGHT of picture


def pier(low: bool) -> io.BytesIO:
    """A wooden pier and a boat, 800 x 560: at high water, or at low water and then with a black strip below."""
    canvas = Canvas(800, PIER_HEIGHT + (STRIP if low else 0), "#DCEAF1")
    canvas.disc(660, 80, 38, "#FBEFC9")
    for x, y in ((150, 85), (420, 60)):
        for dx, r in ((0, 20), (26, 28), (56, 18)):
            canvas.disc(x + dx, y, r, WHITE)
    canvas.polygon(
        [(0, 250), (140, 215), (300, 238), (460, 208), (640, 236), (800, 220), (800, 300), (0, 300)], "#8FB09B"
    )
    if low:
        canvas.box(0, 285, 800, 55, "#7FB0C6")
        canvas.polygon([(0, 335), (800, 318), (800, 560), (0, 560)], SAND)
        for x, y, w in ((90, 420, 190), (380, 500, 240), (560, 400, 150), (40, 520, 140)):
            canvas.draw.ellipse([v * SCALE for v in (x, y, x + w, y + 26)], fill=MUD)
            canvas.draw.ellipse([v * SCALE for v in (x + 22, y + 5, x + w - 30, y + 17)], fill="#9CC0CF")
    else:
        canvas.box(0, 285, 800, 275, "#5E9DBB")
    for x in range(330, 800, 88):
        canvas.box(x, 250, 20, 235, WOOD_DARK)
        if low:
            canvas.box(x, 370, 20, 115, "#4C5B45")  # weed up to the mark of high water
    canvas.box(300, 236, 500, 24, WOOD)
    for x in range(312, 800, 62):
        canvas.box(x, 190, 7, 48, WOOD_DARK)
    canvas.box(308, 192, 492, 8, WOOD)
    if not low:
        canvas.box(0, 375, 800, 185, "#4A8CAE")
        for row in range(5):
            for x in range(-30 + 45 * row, 800, 140):
                canvas.line([(x + t, 398 + row * 33 + 4 * math.sin(t / 11)) for t in range(0, 80, 4)], "#86B9D1", 3)
    base, tilt = (372, 0) if not low else (448, 22)
    canvas.polygon([(70, base), (250, base + tilt), (224, base + 44 + tilt), (104, base + 40)], "#C8553D")
    canvas.polygon([(80, base + 12), (244, base + 12 + tilt), (240, base + 20 + tilt), (84, base + 20)], WHITE)
    canvas.line([(150, base + tilt / 2), (150 - tilt, base - 150)], WOOD_DARK, 6)
    canvas.polygon([(158 - tilt, base - 140), (225 - tilt / 2, base - 18), (158, base - 18)], "#F7F2E6")
    if low:
        canvas.box(0, PIER_HEIGHT, 800, STRIP, "#101010")
        for x in range(24, 800, 92):  # as of a film's edge
            canvas.box(x, PIER_HEIGHT + 22, 46, 36, "#E8E4DA", 8)
    return canvas.png()


def alignment(spring: bool) -> io.BytesIO:
    """Sun, Earth and Moon in one line (spring tide) or at a right angle (neap tide), 800 x 400."""
    canvas = Canvas(800, 400, "#FFFFFF")
    earth = (435, 225)
    orbit = [(earth[0] + 165 * math.cos(t / 20), earth[1] + 165 * math.sin(t / 20)) for t in range(127)]
    canvas.line(orbit, "#D5D0E2", 2.5)
    canvas.disc(-40, earth[1], 190, "#F6D58A")
    canvas.disc(-40, earth[1], 165, GOLD)
    for y in (150, 230, 310):
        canvas.line([(185, y), (290, y)], "#E8BC62", 4)
        canvas.polygon([(290, y - 9), (310, y), (290, y + 9)], "#E8BC62")
    wide, high = (112, 70) if spring else (88, 84)
    box = (earth[0] - wide, earth[1] - high, earth[0] + wide, earth[1] + high)
    canvas.draw.ellipse([v * SCALE for v in box], fill="#7FB3CC")
    canvas.disc(*earth, 60, GREEN)
    patch = Image.new("L", canvas.image.size, 0)
    draw = ImageDraw.Draw(patch)
    draw.ellipse([v * SCALE for v in (earth[0] - 60, earth[1] - 60, earth[0] + 60, earth[1] + 60)], fill=255)
    land = Image.new("L", canvas.image.size, 0)
    ImageDraw.Draw(land).polygon(
        [
            (x * SCALE, y * SCALE)
            for x, y in ((388, 205), (415, 178), (448, 186), (458, 214), (436, 232), (430, 262), (404, 240))
        ],
        fill=255,
    )
    both = Image.composite(land, Image.new("L", land.size, 0), patch)
    canvas.image.paste("#8CC3A0", mask=both)
    moon = (earth[0] + 165, earth[1]) if spring else (earth[0], earth[1] - 165)
    canvas.disc(*moon, 27, "#8A86A0")
    canvas.disc(moon[0] - 7, moon[1] - 5, 7, "#A5A1B8")
    canvas.disc(moon[0] + 9, moon[1] + 8, 5, "#A5A1B8")
    return canvas.png()
