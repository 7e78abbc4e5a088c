"""Colours of a deck as drawn: names of the theme through the colour map, with what is done to them.

How each operation works is the standard's (ECMA-376 part 1, 20.1.2.3), with tint and shade in linear light, as
PowerPoint draws them.
"""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A, local_name
from pytest_ppteval.look.model import Colour
from pytest_ppteval.look.preset_colours import PRESETS, SYSTEM
from pytest_ppteval.look.values import share, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml import etree

COLOURS = tuple(A + name for name in ("srgbClr", "schemeClr", "sysClr", "prstClr", "scrgbClr", "hslClr"))
_Triple = tuple[float, float, float]


class Palette:
    """What the names of colours mean on one slide. theme: names of a theme's colours -> hex; mapping: a colour map."""

    def __init__(self, theme: Mapping[str, str], mapping: Mapping[str, str]) -> None:
        self._theme = theme
        self._mapping = mapping
        self._memo: dict[tuple[str, Colour | None], Colour | None] = {}

    def named(self, name: str) -> str | None:
        """The hex value of a scheme colour."""
        return self._theme.get(self._mapping.get(name, name))

    def colour_in(self, parent: etree._Element | None, stand_in: Colour | None = None) -> Colour | None:
        """The colour that an element holds, None where it holds none. stand_in: what phClr means."""
        if parent is None:
            return None
        for child in parent.iterchildren(*COLOURS):
            return self.colour(child, stand_in)
        return None

    def colour(self, element: etree._Element, stand_in: Colour | None = None) -> Colour | None:
        """The colour that an element is, None where it means none that there is."""
        scheme, base, alpha = self._base(element, stand_in)
        if base is None:
            return None
        for change in element.iterchildren("{*}*"):
            base, alpha = _changed(base, alpha, local_name(change), change.get("val", ""))
        return Colour("".join(f"{round(255 * _within(part)):02X}" for part in base), round(_within(alpha), 4), scheme)

    def _base(self, element: etree._Element, stand_in: Colour | None) -> tuple[str | None, _Triple | None, float]:
        kind, value = local_name(element), element.get("val", "")
        if kind == "schemeClr":
            if value == "phClr":
                if stand_in is None:
                    return None, None, 1.0
                return stand_in.scheme, _parts(stand_in.rgb), stand_in.alpha
            return value, _parts(self.named(value)), 1.0
        if kind == "srgbClr":
            return None, _parts(value), 1.0
        if kind == "sysClr":
            return None, _parts(element.get("lastClr") or SYSTEM.get(value, "000000")), 1.0
        if kind == "prstClr":
            return None, _parts(PRESETS.get(value)), 1.0
        if kind == "scrgbClr":
            red, green, blue = (_encoded(share(element.get(name), 0.0)) for name in ("r", "g", "b"))
            return None, (red, green, blue), 1.0
        hue = whole(element.get("hue"), 0) / 21_600_000
        lightness, saturation = share(element.get("lum"), 0.0), share(element.get("sat"), 0.0)
        return None, colorsys.hls_to_rgb(hue % 1.0, _within(lightness), _within(saturation)), 1.0


def _parts(rgb: str | None) -> _Triple | None:
    if rgb is None or len(rgb) != 6:
        return None
    try:
        return int(rgb[:2], 16) / 255, int(rgb[2:4], 16) / 255, int(rgb[4:], 16) / 255
    except ValueError:
        return None


def _changed(base: _Triple, alpha: float, operation: str, text: str) -> tuple[_Triple, float]:
    value = share(text, 1.0)
    match operation:
        case "alpha":
            return base, value
        case "alphaMod":
            return base, alpha * value
        case "alphaOff":
            return base, alpha + value
        case "shade":
            return _each(base, lambda part: _encoded(_linear(part) * value)), alpha
        case "tint":
            return _each(base, lambda part: _encoded(1 - (1 - _linear(part)) * value)), alpha
        case "lumMod" | "lumOff" | "lum" | "satMod" | "satOff" | "sat" | "hueMod" | "hueOff" | "hue":
            return _in_hls(base, operation, value, whole(text, 0)), alpha
        case "inv":
            return _each(base, lambda part: _encoded(1 - _linear(part))), alpha
        case "comp":
            hue, lightness, saturation = colorsys.rgb_to_hls(*base)
            return colorsys.hls_to_rgb((hue + 0.5) % 1.0, lightness, saturation), alpha
        case "gray":
            grey = 0.299 * base[0] + 0.587 * base[1] + 0.114 * base[2]
            return (grey, grey, grey), alpha
        case "gamma":
            return _each(base, _encoded), alpha
        case "invGamma":
            return _each(base, _linear), alpha
        case "red" | "green" | "blue" | "redMod" | "greenMod" | "blueMod" | "redOff" | "greenOff" | "blueOff":
            return _of_one_channel(base, operation, value), alpha
        case _:
            return base, alpha


def _each(base: _Triple, change: object) -> _Triple:
    assert callable(change)
    return change(base[0]), change(base[1]), change(base[2])


def _in_hls(base: _Triple, operation: str, value: float, raw: int) -> _Triple:
    hue, lightness, saturation = colorsys.rgb_to_hls(*base)
    match operation:
        case "lumMod":
            lightness *= value
        case "lumOff":
            lightness += value
        case "lum":
            lightness = value
        case "satMod":
            saturation *= value
        case "satOff":
            saturation += value
        case "sat":
            saturation = value
        case "hueMod":
            hue *= value
        case "hueOff":
            hue += raw / 21_600_000
        case "hue":
            hue = raw / 21_600_000
    return colorsys.hls_to_rgb(hue % 1.0, _within(lightness), _within(saturation))


def _of_one_channel(base: _Triple, operation: str, value: float) -> _Triple:
    linear = [_linear(part) for part in base]
    place = ("red", "green", "blue").index(operation.removesuffix("Mod").removesuffix("Off"))
    if operation.endswith("Mod"):
        linear[place] *= value
    elif operation.endswith("Off"):
        linear[place] += value
    else:
        linear[place] = value
    red, green, blue = (_encoded(part) for part in linear)
    return red, green, blue


def _within(part: float) -> float:
    return min(1.0, max(0.0, part))


def _linear(part: float) -> float:
    part = _within(part)
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _encoded(part: float) -> float:
    part = _within(part)
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def contrast(one: Colour, other: Colour) -> float:
    """WCAG 2 contrast of two opaque colours: 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def over(top: Colour, below: Colour) -> Colour:
    """`top` as it looks on `below`, which is opaque."""
    if top.alpha >= 1:
        return top
    mixed = (round(a * top.alpha + b * (1 - top.alpha)) for a, b in zip(top.triple, below.triple, strict=True))
    return Colour("".join(f"{part:02X}" for part in mixed))


def _luminance(colour: Colour) -> float:
    red, green, blue = (_linear(part / 255) for part in colour.triple)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
