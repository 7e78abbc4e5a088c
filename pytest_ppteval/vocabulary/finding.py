"""What a check finds: points, each right or wrong in part, and how they make a leaf's score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 6  # of what is wrong, told in a reason


class LeafError(ValueError):
    """A leaf that asks for what makes no sense; the message names the word and what to write."""


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that was looked at. score: 0 to 1. said: what was found, where, and what was wanted."""

    score: float
    said: str

    @classmethod
    def of(cls, right: bool, said: str) -> Point:
        """A point that is right or wrong."""
        return cls(1.0 if right else 0.0, said)


def result(points: Iterable[Point]) -> tuple[str, float]:
    """A leaf's reason and score: the mean of its points, exactly 1 only where each is right."""
    found = list(points)
    if not found:
        return "nothing was looked at", 0.0
    wrong = [point for point in found if point.score < 1]
    if not wrong:
        shown = list(dict.fromkeys(point.said for point in found))
        more = f"; and {len(shown) - 3} more" if len(shown) > 3 else ""
        return "; ".join(shown[:3]) + more, 1.0
    wrong.sort(key=lambda point: point.score)
    shown = list(dict.fromkeys(point.said for point in wrong))
    more = f"; and {len(shown) - _MOST} more" if len(shown) > _MOST else ""
    score = sum(point.score for point in found) / len(found)
    right = f" ({len(found) - len(wrong)} of {len(found)} right)" if len(found) > 1 else ""
    return "; ".join(shown[:_MOST]) + more + right, min(score, 0.999)
