"""How a colour is held against what was wanted: a value, a name, a theme's colour, or another place's colour."""

from __future__ import annotations

import colorsys
import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.preset_colours import PRESETS
from pytest_ppteval.vocabulary.finding import LeafError

if TYPE_CHECKING:
    from pytest_ppteval.look.model import Colour

# Hue in degrees from, to, of what people call by these names.
_HUES = {
    "red": (340, 18), "orange": (14, 45), "amber": (20, 58), "yellow": (42, 70), "green": (70, 172), "teal": (155, 200),
    "cyan": (165, 200), "blue": (180, 262), "purple": (250, 315), "violet": (240, 315), "pink": (300, 350),
    "magenta": (285, 335), "brown": (8, 48), "gold": (36, 56),
}  # fmt: skip
_GREYS = {"black": (0.0, 0.16), "white": (0.94, 1.0), "grey": (0.1, 0.94), "gray": (0.1, 0.94)}
FAMILIES = (*_HUES, *_GREYS)
_QUALIFIERS = {"dark": (0.0, 0.45), "light": (0.6, 1.0), "pale": (0.7, 1.0)}
_NEAR = 6  # of 255, by channel: a value that was typed, rounded or sent through a theme


def is_colour(found: Colour | None, want: Any) -> bool:
    """Whether a colour is the wanted one.

    want: six hex digits; a family of colours ("red", "dark blue"); a theme's name ("accent1"); a list of these, any of
    which will do; or {is: ..., within: largest difference by channel}. A colour that can't be seen is none.
    Raises LeafError.
    """
    if isinstance(want, list):
        return any(is_colour(found, one) for one in want)
    within = _NEAR
    if isinstance(want, dict):
        unknown = set(want) - {"is", "within"}
        if unknown or "is" not in want:
            raise LeafError(f"colour: {want!r}: use {{is: ..., within: ...}}")
        want, within = want["is"], int(want.get("within", _NEAR))
    text = str(want).strip()
    if found is None or found.alpha < 0.3:
        return text in ("none", "transparent")
    if re.fullmatch(r"#?[0-9a-fA-F]{6}", text):
        return nearly(found.rgb, text.lstrip("#"), within)
    if found.scheme is not None and found.scheme == text:
        return True
    if re.fullmatch(r"accent[1-6]|(?:bg|tx|dk|lt)[12]|hlink|folHlink", text):
        return False
    return _in_family(found, text.lower())


def nearly(one: str, other: str, within: int = _NEAR) -> bool:
    """Whether two hex values differ by no more than `within` in any channel."""
    pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (0, 2, 4))
    return all(abs(a - b) <= within for a, b in pairs)


def _in_family(found: Colour, name: str) -> bool:
    red, green, blue = (part / 255 for part in found.triple)
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    words = name.split()
    for word in words[:-1]:
        if word not in _QUALIFIERS:
            raise LeafError(
                f"colour: {name!r} is not known: use hex digits, {', '.join(FAMILIES)}, with dark, light or pale"
            )
        least, most = _QUALIFIERS[word]
        if not least <= lightness <= most:
            return False
    base = words[-1] if words else ""
    chroma = max(red, green, blue) - min(red, green, blue)
    if base in _GREYS:
        least, most = _GREYS[base]
        return chroma < 0.12 and least <= lightness <= most
    if base in _HUES:
        start, end = _HUES[base]
        degrees = hue * 360
        inside = start <= degrees <= end if start <= end else degrees >= start or degrees <= end
        if base == "brown" and lightness > 0.5:
            return False
        # A dark colour has little room for chroma: there saturation tells it from grey.
        tinted = chroma >= 0.1 or (lightness < 0.35 and saturation >= 0.13)
        return inside and tinted and 0.04 < lightness < 0.97
    preset = PRESETS.get(base) or next((v for k, v in PRESETS.items() if k.lower() == base), None)
    if preset is None:
        raise LeafError(f"colour: {name!r} is not known: use hex digits, {', '.join(FAMILIES)}, or a theme's name")
    return nearly(found.rgb, preset)
