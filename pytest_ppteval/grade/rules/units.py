"""A number in a text against a wanted one: units, percentages, tolerance."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.prose.numbers import close

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.prose.numbers import Figure

# Units that measure one thing, by how many of the first one they are.
_KINDS: tuple[dict[str, float], ...] = (
    {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "\u79d2": 1, "ms": 1e-3, "millisecond": 1e-3,
     "milliseconds": 1e-3, "\u6beb\u79d2": 1e-3, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
     "\u5206\u949f": 60, "h": 3600, "hour": 3600, "hours": 3600, "\u5c0f\u65f6": 3600},
    {"kg": 1, "kilo": 1, "kilos": 1, "kilogram": 1, "kilograms": 1, "\u516c\u65a4": 1, "\u5343\u514b": 1, "g": 1e-3,
     "\u514b": 1e-3, "t": 1e3, "ton": 1e3, "tons": 1e3, "tonne": 1e3, "tonnes": 1e3, "\u5428": 1e3},
    {"b": 1, "byte": 1, "bytes": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    {"m": 1, "metre": 1, "metres": 1, "meter": 1, "meters": 1, "\u7c73": 1, "km": 1e3, "\u516c\u91cc": 1e3, "cm": 1e-2,
     "mm": 1e-3},
    {"%": 1, "percent": 1, "per cent": 1, "pct": 1, "\u2030": 0.1},
)  # fmt: skip
_ALL = {name for kind in _KINDS for name in kind}
_DIGITS = re.compile(r"[+\-(]?\s?[$\u20ac\u00a3\u00a5]?\s?[\d.,' ]*\d(?:e[+-]?\d+)?\)?\s?-?")


# A name with digits in it: LT-20418, HB-07, lantern_4, v1.2, p99. Not a number with its unit ("85%", "5th", "10x").
NAME = re.compile(r"(?<![A-Za-z0-9_-])(?:(?:[A-Za-z][A-Za-z0-9]*[-_.:/])+\d[A-Za-z0-9_.-]*|[A-Za-z]+\d+[A-Za-z0-9_-]*)")


def without_names(text: str) -> str:
    """The text with names blanked out, so that their digits are no numbers; places stay."""
    return NAME.sub(lambda found: "_" * len(found[0]), text)


def fits(one: Figure, value: float, units: Sequence[str], tolerance: float, text: str) -> bool:
    """Whether a number of a text is `value` of the unit, in whatever notation: 78 %, 0.78, 1.25 t for 1,250 kg.

    units: one unit, and others that mean the same; none: any. A number without a unit may have it in a table's head.
    text: what the number is in, normalised, in small letters.
    """
    if not units:
        return close(one.value, value, tolerance) or close(one.meant, value, tolerance)
    names = [name.casefold() for name in units]
    behind = unit_after(one, text, names)
    kind = next((kind for kind in _KINDS if names[0] in kind), None)
    if behind in names or not behind:
        # A share of 1 for a percentage: written without a sign, and with the decimals that it takes.
        share = names[0] == "%" and not behind and one.decimals > 1 and close(one.value * 100, value, tolerance)
        return share or close(one.value, value, tolerance) or (not behind and close(one.meant, value, tolerance))
    return kind is not None and behind in kind and close(one.value * kind[behind] / kind[names[0]], value, tolerance)


def unit_after(one: Figure, text: str, names: Sequence[str] = ()) -> str:
    """The unit behind a number (or before it: 百分之), one of `names` or one that is known; "" where there is none."""
    if text[: one.start].endswith("\u767e\u5206\u4e4b"):
        return "%"
    digits = _DIGITS.match(text, one.start)
    rest = text[digits.end() if digits else one.end :].lstrip()
    for name in sorted({*names, *_ALL}, key=lambda name: (-len(name), name not in names)):
        inside = re.match(r"[a-z0-9]", rest[len(name) :]) and re.search(r"[a-z]$", name)
        if rest.startswith(name) and not inside:
            return name
    return ""
