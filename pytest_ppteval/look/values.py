"""Values of attributes, in each of the notations that the standard allows; what can't be read is the default."""

from __future__ import annotations

import math
import re

_UNITS = {"mm": 36_000, "cm": 360_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "pi": 152_400}
_MEASURE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(mm|cm|in|pt|pc|pi)?\s*")


def emu(text: str | None) -> int | None:
    """A coordinate in EMU: a number, or one with a unit ("1in", "2.5cm"); None where it is neither."""
    found = _MEASURE.fullmatch(text or "")
    if found is None:
        return None
    value = float(found[1]) * _UNITS.get(found[2] or "", 1)
    return round(value) if math.isfinite(value) and abs(value) < 1e15 else None


def whole(text: str | None, default: int) -> int:
    """A whole number; a float that a program wrote is rounded."""
    value = number(text)
    return default if value is None else round(value)


def number(text: str | None) -> float | None:
    """A finite number, None where there is none."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < 1e300 else None


def share(text: str | None, default: float) -> float:
    """A percentage as a share: "50000" (thousandths of a percent) and "50%" are 0.5."""
    if text and text.strip().endswith("%"):
        value = number(text.strip()[:-1])
        return default if value is None else value / 100
    value = number(text)
    return default if value is None else value / 100_000


def flag(text: str | None, default: bool = False) -> bool:
    """A boolean: "1", "true", "on" and their opposites."""
    return default if text is None else text in ("1", "true", "on")


def degrees(text: str | None) -> float:
    """An angle of 60,000ths of a degree, in degrees from 0 up to 360."""
    return (number(text) or 0.0) / 60_000 % 360
