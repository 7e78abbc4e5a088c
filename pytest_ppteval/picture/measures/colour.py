"""Colours on a slide: which one a place has, what it is called, of what kind it is, and whether text can be read."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_ppteval.picture.measures.reading import picture, size_in_points

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_ppteval.picture.measures.boxes import Box
    from pytest_ppteval.picture.measures.reading import Shot
    from pytest_ppteval.picture.measures.text import DrawnText

# Ranges of the hue in CIE Lab, in degrees. They overlap: teal is a kind of green to some people and of blue to others.
_HUES = {
    "red": ((0, 48), (350, 360)),
    "orange": ((42, 80),),
    "yellow": ((74, 112),),
    "green": ((100, 205),),
    "teal": ((165, 225),),
    "blue": ((195, 312),),
    "purple": ((295, 345),),
    "pink": ((318, 360), (0, 25)),
}
_GREYISH = 9.0  # chroma below which people call a colour grey
KINDS = ("black", "white", "grey", "brown", *_HUES)


class Colour(NamedTuple):
    """A colour. share: how much of the place has it or one close to it, 0..1."""

    red: int
    green: int
    blue: int
    share: float = 1.0

    @property
    def hex(self) -> str:
        """As "#1F6FA8"."""
        return f"#{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def name(self) -> str:
        """The nearest of CSS's named colours ("steelblue"), by distance in CIE Lab, among those of its own kinds."""
        own = _lab(self.red, self.green, self.blue)
        kinds = set(self.kinds)
        grey = "grey" in kinds  # else a navy would be "darkslategray"
        alike = [
            item
            for item in _named()
            if kinds & set(_kinds(*item[1])) and (grey or not item[0].endswith(("gray", "grey")))
        ]
        return min(alike or _named(), key=lambda item: math.dist(item[1], own))[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of colour that it may be called: ("green", "teal"). Black, white and grey have no other."""
        return _kinds(*_lab(self.red, self.green, self.blue))

    def is_a(self, kind: str) -> bool:
        """Whether people may call it a kind of `kind`; see is_kind_of."""
        return is_kind_of(self, kind)

    def __str__(self) -> str:
        return f"{self.hex} ({self.name})"


def _kinds(lightness: float, a: float, b: float) -> tuple[str, ...]:
    """The kinds of a colour in CIE Lab."""
    chroma, hue = math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360
    if lightness < 12 and chroma < 16:
        return ("black",)
    if lightness > 96 and chroma < 6:
        return ("white",)
    if chroma < _GREYISH:
        return ("grey",) if 25 <= lightness <= 90 else ("grey", "black") if lightness < 25 else ("grey", "white")
    found = [kind for kind, ranges in _HUES.items() if any(low <= hue <= high for low, high in ranges)]
    if "pink" in found and "red" in found:
        # A dark one is a red, a light or bluish one a pink; a strong one between (#FF4466) may be called either.
        if lightness < 55:
            found.remove("pink")
        elif hue > 300 or hue <= 12 or chroma < 40:
            found.remove("red")
    if "pink" in found and "purple" in found and lightness < 45:
        found.remove("pink")
    if "yellow" in found and "green" in found and lightness >= 70:
        found.remove("green")  # what is dark there, olive, is both
    if 30 < hue <= 85 and lightness < 62 and chroma < 75:
        found.append("brown")
    # Lab's hue of a strong or dark blue is nearly that of violet.
    if "blue" in found and "purple" in found and (chroma > 90 or lightness < 30):
        found.remove("purple")
    if lightness < 18 and chroma < 25:
        found.append("black")
    return tuple(found)


def is_kind_of(colour: Colour | str, kind: str) -> bool:
    """Whether a colour ("#1F6FA8", or a Colour) is a kind of black, white, grey, red, orange, yellow, brown, green,
    teal, blue, purple or pink. Navy and sky blue are kinds of blue; teal is one of green and of blue.

    By hue, chroma and lightness in CIE Lab (D65). Raises ValueError for another word.
    """
    kind = {"gray": "grey", "cyan": "teal", "turquoise": "teal", "violet": "purple"}.get(kind.lower(), kind.lower())
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of colour here: use one of {', '.join(KINDS)}")
    return kind in _colour(colour).kinds


def dominant_colour(shot: Shot, box: Box | None = None) -> Colour:
    """The colour that most of a place has: of the whole slide, or of a box in points. Source: the picture's pixels."""
    return colours(shot, box, most=1)[0]


def colours(shot: Shot, box: Box | None = None, most: int = 5) -> list[Colour]:
    """The colours that cover most of a place, the largest share first. Raises ValueError for a box beyond the slide.

    Colours that are the same in the upper four bits of each channel are counted as one; each is given as the most
    frequent of them.
    """
    image = _cut(shot, box)
    # getcolors is exact and fast, but a photo has too many: those are counted on a smaller copy.
    counted = image.getcolors(1 << 16)
    if counted is None:
        image.thumbnail((240, 240))
        counted = image.getcolors(1 << 16) or []
    groups: dict[tuple[int, ...], list[tuple[int, tuple[int, int, int]]]] = {}
    for count, colour in counted:
        assert isinstance(colour, tuple)
        red, green, blue = colour[:3]
        groups.setdefault((red >> 4, green >> 4, blue >> 4), []).append((count, (red, green, blue)))
    total = image.width * image.height
    found = [Colour(*max(group)[1], share=sum(count for count, _ in group) / total) for group in groups.values()]
    return sorted(found, key=lambda colour: -colour.share)[:most]


def contrast(one: Colour | str, other: Colour | str) -> float:
    """The contrast ratio of two colours, 1..21. WCAG 2.2 asks 4.5 of text, 3 of large text (18 pt, or 14 pt bold).

    Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
    """
    darker, lighter = sorted(_luminance(_colour(colour)) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def text_contrast(shot: Shot, line: DrawnText) -> float:
    """The contrast of a drawn line with what most of its surroundings look like; see `contrast`.

    Of a line whose colour the renderer does not tell: of the two colours that cover most of its box.
    """
    background = dominant_colour(shot, line.box.grown(3))
    if line.colour:
        return contrast(line.colour, background)
    found = colours(shot, line.box, most=2)
    return contrast(found[0], found[-1])


def _cut(shot: Shot, box: Box | None) -> Image:
    image = picture(shot)
    if box is None:
        return image
    scale = image.width / size_in_points(shot, image)[0]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(image.width, round(box.right * scale)), min(image.height, round(box.bottom * scale))
    if right <= left or bottom <= top:
        raise ValueError(f"the box {box} is not on the slide")
    return image.crop((left, top, right, bottom))


def _colour(colour: Colour | str) -> Colour:
    if isinstance(colour, Colour):
        return colour
    from PIL import ImageColor

    return Colour(*ImageColor.getrgb(colour if colour.startswith("#") or not _is_hex(colour) else f"#{colour}")[:3])


def _is_hex(text: str) -> bool:
    return len(text) == 6 and all(letter in "0123456789abcdefABCDEF" for letter in text)


def _linear(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _luminance(colour: Colour) -> float:
    red, green, blue = (_linear(channel) for channel in colour[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _lab(red: int, green: int, blue: int) -> tuple[float, float, float]:
    """CIE L*a*b* of an sRGB colour, for D65 (IEC 61966-2-1, CIE 15)."""
    r, g, b = _linear(red), _linear(green), _linear(blue)
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883

    def f(value: float) -> float:
        return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116

    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))


@lru_cache(1)
def _named() -> tuple[tuple[str, tuple[float, float, float]], ...]:
    from PIL import ImageColor

    names = []
    for name in sorted(ImageColor.colormap):
        red, green, blue = ImageColor.getrgb(name)[:3]
        names.append((name, _lab(red, green, blue)))
    return tuple(names)
