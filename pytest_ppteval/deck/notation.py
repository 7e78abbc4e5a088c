"""One spelling for each value of an attribute: 1in, 2.54cm and 914400 are the same length. Standard library only."""

from __future__ import annotations

import functools
import re
from fractions import Fraction

# EMU in each unit of ECMA-376's ST_UniversalMeasure.
_UNITS = {"mm": 36_000, "cm": 360_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "pi": 152_400}
_NUMBER = re.compile(r"([+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,12})?|\.[0-9]{1,12}))(mm|cm|in|pt|pc|pi|%)?\Z")
# A percentage is in thousandths in DrawingML, plain in charts.
_PERCENT, _CHART_PERCENT = 1_000, 1
# Attributes that are words whatever they look like: names, texts, formats of numbers, colours, versions, identifiers.
_WORDS_LISTED = (
    "name descr title tooltip action typeface panose formatCode uri url id type text progId styleId path pattern"
    " lastClr sourceFile author initials tgtFrame invalidUrl filter spid prst fmla cmd macro textlink"
)
_WORDS = frozenset(_WORDS_LISTED.split())


@functools.lru_cache(8_192)
def spelled(tag: str, name: str, value: str) -> str:
    """The value of attribute `name` of element `tag` (its local name; charts' as "c:...") in the one way to write it.

    Numbers lose their sign +, leading and trailing zeros; lengths are in EMU, percentages in the thousandths that the
    schema counts in; true and on are 1. A colour's letters are capitals. Everything else is as it is.
    """
    if tag.endswith("srgbClr") and name == "val":
        return value.upper()
    if name in _WORDS or tag in ("strVal", "sysClr", "tag"):
        return value
    text = value.strip()
    if text in ("true", "on"):
        return "1"
    if text in ("false", "off"):
        return "0"
    number = quantity(text, _CHART_PERCENT if tag.startswith("c:") else _PERCENT)
    if number is None:
        return value
    return str(number.numerator) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def quantity(text: str, percent: int = _PERCENT) -> Fraction | None:
    """A number, a length (in EMU) or a percentage (of `percent` for one); None for what is none of them."""
    match = _NUMBER.match(text)
    if match is None:
        return None
    number, unit = match.groups()
    return Fraction(number if not number.endswith(".") else number[:-1]) * (
        percent if unit == "%" else _UNITS.get(unit or "", 1)
    )


def emu(text: str | None) -> int | None:
    """A coordinate in EMU, in any form of ST_Coordinate, rounded to a whole one; None where it is unreadable."""
    number = quantity(text.strip()) if text else None
    return None if number is None else round(number)
