"""Which edited text is which, where a program gave ids and names anew: by how much of the words is the same."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIKE = 0.6
_MOST_PAIRS, _MOST_LETTERS = 400, 2_000  # difflib takes long beyond


class Spoken(NamedTuple):
    """A shape that says something. family: only shapes of one family are paired."""

    words: str
    family: str
    id: str
    name: str


def alike(before: Sequence[Spoken], after: Sequence[Spoken]) -> list[tuple[int, int]]:
    """Places of the pairs, most alike first; none of shapes that share an id or a name: these are told by it."""
    if not 0 < len(before) * len(after) <= _MOST_PAIRS:
        return []
    shares = [
        (SequenceMatcher(None, _letters(old), _letters(new), False).ratio(), i, j)
        for i, old in enumerate(before)
        for j, new in enumerate(after)
        if old.family == new.family and old.id != new.id and old.name != new.name and old.words and new.words
    ]
    found: list[tuple[int, int]] = []
    for share, i, j in sorted(shares, key=lambda one: (-one[0], one[1], one[2])):
        if share >= _LIKE and all(i != a and j != b for a, b in found):
            found.append((i, j))
    return found


def _letters(shape: Spoken) -> list[str]:
    return re.findall(r"\w|\W", shape.words)[:_MOST_LETTERS]
