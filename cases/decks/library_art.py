"""The pictures of library_report.pptx, drawn with Pillow; no words in them, so no font is needed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from art import Canvas

if TYPE_CHECKING:
    import io

INK, CINNABAR, BRASS, BAMBOO, INDIGO = "#2B2622", "#A63A2B", "#C1903F", "#5B7B62", "#2F5673"
PAPER, WALL, ROOF, GLASS = "#F6F0E4", "#E9DEC9", "#4A2E27", "#BFD3DC"
SPINES = (CINNABAR, BRASS, BAMBOO, INDIGO, "#8C8074", "#B8673A", "#6E3B52")


def main_building() -> io.BytesIO:
    """The main library in the evening, upright format, 700 x 950."""
    canvas = Canvas(700, 950, "#F3D9B1")
    canvas.box(0, 0, 700, 330, "#EFC98F")
    canvas.disc(520, 250, 74, "#E79A56")
    canvas.polygon([(0, 560), (150, 430), (300, 520), (460, 400), (700, 540), (700, 640), (0, 640)], "#A9A98C")
    canvas.polygon([(0, 600), (200, 510), (420, 590), (700, 500), (700, 660), (0, 660)], "#7F9079")
    for level, (left, right, top) in enumerate(((90, 610, 560), (150, 550, 430), (215, 485, 310))):
        canvas.box(left + 26, top + 34, right - left - 52, 110, WALL)
        # A roof with raised corners.
        canvas.polygon(
            [(left - 30, top + 8), (left + 60, top - 22), (right - 60, top - 22), (right + 30, top + 8),
             (right + 4, top + 40), (left - 4, top + 40)], ROOF,
        )  # fmt: skip
        canvas.box(left - 4, top + 36, right - left + 8, 8, BRASS)
        for x in range(left + 50, right - 62, 52):
            canvas.box(x, top + 62, 30, 58, "#F9E3A8" if (x + level) % 3 else GLASS, 3)
    canvas.polygon([(300, 288), (350, 236), (400, 288)], ROOF)
    canvas.box(116, 690, 468, 70, WALL)
    canvas.box(300, 640, 100, 120, ROOF, 6)
    canvas.box(312, 654, 34, 106, "#F9E3A8")
    canvas.box(354, 654, 34, 106, "#F9E3A8")
    for step in range(5):
        canvas.box(230 - 28 * step, 760 + 18 * step, 240 + 56 * step, 18, ("#D8CBB1", "#C9BA9D")[step % 2])
    canvas.box(0, 850, 700, 100, "#B7A98B")
    for x, y, r in ((60, 760, 62), (640, 750, 70), (585, 800, 44), (120, 812, 40)):
        canvas.box(x - 6, y, 12, 90, "#6B4A35")
        canvas.disc(x, y, r, "#6C8A63")
        canvas.disc(x - r * 0.3, y - r * 0.3, r * 0.55, "#81A077")
    return canvas.png()


def lakeside_branch() -> io.BytesIO:
    """A low white branch library by a lake, 760 x 480."""
    canvas = Canvas(760, 480, "#D7E7EC")
    canvas.polygon(
        [(0, 240), (140, 150), (290, 225), (430, 140), (600, 220), (760, 160), (760, 300), (0, 300)], "#A8BFB4"
    )
    canvas.box(0, 300, 760, 180, "#8FB3C4")
    canvas.box(0, 286, 760, 26, "#7F9A74")
    canvas.box(170, 190, 420, 100, "#FFFFFF")
    canvas.polygon([(130, 196), (205, 138), (555, 138), (630, 196)], ROOF)
    canvas.box(150, 192, 460, 8, BRASS)
    for x in range(192, 560, 54):
        canvas.box(x, 216, 38, 56, GLASS, 3)
        canvas.line([(x + 19, 216), (x + 19, 272)], "#FFFFFF", 3)
    canvas.box(356, 222, 52, 68, CINNABAR, 4)
    for x, y, r in ((95, 220, 46), (665, 214, 52), (712, 244, 34)):
        canvas.box(x - 5, y, 10, 76, "#6B4A35")
        canvas.disc(x, y, r, "#6C8A63")
    dice = random.Random(3)
    for _ in range(46):
        x, y = dice.uniform(0, 740), dice.uniform(318, 470)
        canvas.line([(x, y), (x + dice.uniform(18, 60), y)], "#B6D0DB", 2)
    canvas.box(230, 312, 300, 16, "#DDE9EC")
    return canvas.png()


def shelves() -> io.BytesIO:
    """Full bookshelves, upright format, 460 x 560."""
    canvas = Canvas(460, 560, "#7A5238")
    dice = random.Random(11)
    for row in range(4):
        top = 22 + row * 133
        canvas.box(20, top, 420, 116, "#53372A")
        x = 26.0
        while x < 418:
            wide, high = dice.uniform(13, 27), dice.uniform(74, 108)
            if x + wide > 434:
                break
            if dice.random() < 0.1:
                x += wide + 8  # a gap: somebody is reading
                continue
            colour = dice.choice(SPINES)
            canvas.box(x, top + 116 - high, wide, high, colour, 2)
            canvas.box(x, top + 116 - high + 14, wide, 5, "#EAD9B0")
            x += wide + 1.5
    return canvas.png()


def repair_desk() -> io.BytesIO:
    """A restorer's desk with an old book, lamp, brush and paste, 840 x 560. Its lamp shows which side is up."""
    canvas = Canvas(840, 560, "#EFE6D3")
    canvas.box(0, 0, 840, 330, "#E3D6BC")
    for x in (70, 470):  # two scrolls on the wall
        canvas.box(x, 40, 90, 220, "#F8F3E6")
        canvas.box(x - 8, 34, 106, 12, ROOF, 4)
        canvas.box(x - 8, 256, 106, 12, ROOF, 4)
        canvas.polygon([(x + 12, 230), (x + 36, 130), (x + 52, 180), (x + 66, 110), (x + 80, 230)], "#9AA79B")
    canvas.box(0, 330, 840, 230, "#8A5A3C")
    canvas.box(0, 330, 840, 14, "#A5714E")
    canvas.polygon([(215, 350), (410, 372), (605, 350), (660, 500), (410, 526), (160, 500)], CINNABAR)
    canvas.polygon([(228, 346), (410, 368), (410, 512), (178, 488)], PAPER)
    canvas.polygon([(592, 346), (410, 368), (410, 512), (642, 488)], "#EFE5CC")
    for k in range(1, 9):  # columns of writing
        canvas.line([(228 + k * 20, 362 + k * 2), (186 + k * 24, 474 + k * 3)], "#8C8074", 2.5)
        canvas.line([(592 - k * 20, 362 + k * 2), (634 - k * 24, 474 + k * 3)], "#8C8074", 2.5)
    canvas.polygon([(540, 400), (582, 394), (590, 430), (548, 438)], "#FDFBF4")  # a patch
    canvas.line([(700, 470), (790, 380)], "#6B4A35", 9)
    canvas.line([(686, 486), (704, 466)], INK, 12)
    canvas.disc(90, 440, 46, "#D9E2E4")
    canvas.disc(90, 436, 36, "#FFFFFF")
    canvas.line([(740, 344), (740, 160), (640, 96)], INK, 9)  # the lamp
    canvas.box(696, 336, 90, 16, INK, 5)
    canvas.polygon([(596, 128), (646, 70), (690, 122)], BRASS)
    canvas.polygon([(596, 128), (690, 122), (640, 330), (420, 330)], "#F5E9C4")
    return canvas.png()
