"""Numbers in texts, in the notations that people write: 1,234.5 · 1 234,5 · −3 · +5.20 · 78 % · 0.78 · 12k · 三万."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.prose.normal import normal

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = re.compile(
    # Chinese, Japanese and Korean set no blank before a number or behind it.
    r"(?<![A-Za-z0-9_.\u00c0-\u024f])(?P<sign>[+-]\s?|\()?(?P<currency>[$\u20ac\u00a3\u00a5]\s?)?"
    r"(?P<digits>\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?P<power>[eE][+-]?\d{1,3})?"
    r"(?P<scale>\s?(?:%|\u2030|(?:k|K|m(?:illion|n)?|M|bn|B|billion|thousand)(?![A-Za-z0-9_\u00c0-\u024f])|[\u4e07\u842c\u4ebf\u5104\u5343\u767e]))?"
)
_SCALES = {
    "%": 0.01, "\u2030": 0.001, "k": 1e3, "K": 1e3, "thousand": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "million": 1e6,
    "bn": 1e9, "B": 1e9, "billion": 1e9, "\u4e07": 1e4, "\u842c": 1e4, "\u4ebf": 1e8, "\u5104": 1e8, "\u5343": 1e3,
    "\u767e": 1e2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text. value: as written, without its scale. scale: what the word or sign behind it multiplies by.

    start, end: where it stands in the normalised text. decimals: digits after the point, which
    say how far it was rounded.
    """

    value: float
    scale: float
    sign: str
    start: int
    end: int
    decimals: int
    written: str

    @property
    def meant(self) -> float:
        """The value with its scale: 78 % is 0.78."""
        return self.value * self.scale


def figures(text: str) -> Iterator[Figure]:
    """The numbers of a text, normalised first; a date's and a version's parts count one by one."""
    text = normal(text)
    for found in _NUMBER.finditer(text):
        value = _value(found["digits"])
        if value is None:
            continue
        if found["power"]:
            value *= 10.0 ** int(found["power"][1:])
        mark = (found["sign"] or "").strip()
        negative = (mark == "-" and not _joins(text, found.start())) or (mark == "(" and text[found.end() :][:1] == ")")
        word = (found["scale"] or "").strip()
        yield Figure(
            value=-value if negative else value,
            scale=_SCALES.get(word, 1.0),
            sign=mark if mark in ("+", "-") else "",
            start=found.start(),
            end=found.end(),
            decimals=_decimals(found["digits"]),
            written=found[0].strip(),
        )


def number_in(text: str) -> float | None:
    """The one number of a short text ("+5.20 m", "1 234", "(3)"); None where there is none or more than one."""
    found = list(figures(text))
    return found[0].value if len(found) == 1 else None


def close(one: float, other: float, tolerance: float = 1e-9) -> bool:
    """Whether two numbers differ by no more than `tolerance`, and what floats can't tell."""
    return abs(one - other) <= tolerance + 1e-9 * max(1.0, abs(one), abs(other))


def _joins(text: str, place: int) -> bool:
    """Whether a hyphen there joins words or is a range's: "Q1-3", "2019-2020"."""
    before = text[place - 1 : place]
    return before == "-" or (before.isalnum() and before < "\u2e80")


def _value(digits: str) -> float | None:
    """Thousands' and decimal marks told apart by how many digits follow, as readers do."""
    marks = [char for char in digits if char in ".,"]
    plain = digits.replace(" ", "").replace("'", "")
    if len(set(marks)) == 2:  # the last one is the decimal mark
        decimal = marks[-1]
        other = "." if decimal == "," else ","
        plain = plain.replace(other, "").replace(decimal, ".")
    elif len(marks) > 1:
        plain = plain.replace(marks[0], "")
    elif marks:
        head, tail = plain.split(marks[0])
        grouped = marks[0] == "," and len(tail) == 3 and 1 <= len(head) <= 3 and head != "0"
        plain = head + tail if grouped else f"{head or 0}.{tail}"
    try:
        return float(plain)
    except ValueError:
        return None


def _decimals(digits: str) -> int:
    tail = re.search(r"[.,](\d+)$", digits)
    if tail is None or (len(tail[1]) == 3 and digits[tail.start()] == ","):
        return 0
    return len(tail[1])
