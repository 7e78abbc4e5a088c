"""Scales on which people and models give scores: a range of numbers, or words from worst to best."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"\s*(\d{1,6})\s*(?:-|–|\.\.)\s*(\d{1,6})\s*")


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high`; with `words`, each stands for its place among them."""

    low: float
    high: float
    words: tuple[str, ...] = ()

    def fraction(self, value: object) -> float | None:
        """Where on the scale `value` lies, 0..1; None if it is not on it."""
        if self.words:
            word = as_word(value)
            return self.words.index(word) / (len(self.words) - 1) if word in self.words else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.low <= value <= self.high:
            return None
        return (value - self.low) / (self.high - self.low)

    def __str__(self) -> str:
        return " | ".join(self.words) if self.words else f"{self.low:g}-{self.high:g}"


def as_word(value: object) -> object:
    """A word of a scale. YAML takes a bare yes or no for true or false."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


def parse_scale(written: str | list[str | bool]) -> Scale | None:
    """The scale that is written as "0-100" or as a list of two or more different words; None if it is none."""
    if isinstance(written, list):
        words = tuple(str(as_word(one)) for one in written)
        return Scale(0, len(words) - 1, words) if len(set(words)) == len(words) >= 2 else None
    found = _RANGE.fullmatch(written)
    if found is None or int(found[1]) >= int(found[2]):
        return None
    return Scale(int(found[1]), int(found[2]))
