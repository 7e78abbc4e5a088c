"""Which item of one sequence is which of another: fewest changes, for animations and for the order of slides."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.deck.model import AnimationEffect

T = TypeVar("T")


class Aligned(NamedTuple):
    """An effect before and after; None where it was added or removed. moved: it was overtaken by others."""

    before: AnimationEffect | None
    after: AnimationEffect | None
    moved: bool = False


# An effect changed in place costs less than one removed and another added. Two effects of different shapes are never
# the same effect.
_ADD_OR_REMOVE, _CHANGED, _CHANGED_TARGET, _OTHER = 2, 2, 3, 99
_MAX_CELLS = 1_000_000  # of the table: 1,000 effects on either side; real slides have fewer than 100


def align_animations(before: Sequence[AnimationEffect], after: Sequence[AnimationEffect]) -> list[Aligned]:
    """The effects of one slide, paired.

    The key of an effect is (slide, shape, order), and inserting one effect shifts the order of all that follow it. So
    the sequences are aligned with the fewest changes first, and an effect that only shifted is paired with itself. One
    that was taken out and put in elsewhere on the slide is paired with itself too.
    """
    left, right = [_signature(effect) for effect in before], [_signature(effect) for effect in after]
    start, end = _common_ends(left, right)
    stop_left, stop_right = len(left) - end, len(right) - end
    pairs = [Aligned(was, now) for was, now in zip(before[:start], after[:start], strict=True)]
    inner_left, inner_right = range(start, stop_left), range(start, stop_right)
    if len(inner_left) * len(inner_right) <= _MAX_CELLS:
        steps = _edit_script(left[start:stop_left], right[start:stop_right])
    else:
        steps = _by_key(left[start:stop_left], right[start:stop_right])
    pairs.extend(
        Aligned(before[start + i] if i is not None else None, after[start + j] if j is not None else None)
        for i, j in steps
    )
    pairs.extend(Aligned(was, now) for was, now in zip(before[stop_left:], after[stop_right:], strict=True))
    return _join_moved(pairs)


def is_changed(before: AnimationEffect, after: AnimationEffect) -> bool:
    """Whether two paired effects differ in more than their place and the text of their shape, which are not theirs."""
    return _signature(before) != _signature(after)


def _signature(effect: AnimationEffect) -> AnimationEffect:
    return replace(effect, order=0, element_text=None)


def _common_ends(left: Sequence[T], right: Sequence[T]) -> tuple[int, int]:
    """How many items are equal at the start and, of the rest, at the end."""
    short = min(len(left), len(right))
    start = 0
    while start < short and left[start] == right[start]:
        start += 1
    end = 0
    while end < short - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return start, end


def _change_cost(left: AnimationEffect, right: AnimationEffect) -> int:
    if left == right:
        return 0
    if left.element_id != right.element_id:
        return _OTHER
    return _CHANGED if left.element_part == right.element_part else _CHANGED_TARGET


def _edit_script(
    left: Sequence[AnimationEffect], right: Sequence[AnimationEffect]
) -> list[tuple[int | None, int | None]]:
    """The cheapest way from left to right, as pairs of indices in order."""
    rows, columns = len(left), len(right)
    cost = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            ways = []
            if i < rows and j < columns:
                ways.append(_change_cost(left[i], right[j]) + cost[i + 1][j + 1])
            if i < rows:
                ways.append(_ADD_OR_REMOVE + cost[i + 1][j])
            if j < columns:
                ways.append(_ADD_OR_REMOVE + cost[i][j + 1])
            cost[i][j] = min(ways, default=0)
    steps: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < rows or j < columns:
        here = cost[i][j]
        if i < rows and j < columns and here == _change_cost(left[i], right[j]) + cost[i + 1][j + 1]:
            steps.append((i, j))
            i, j = i + 1, j + 1
        elif i < rows and here == _ADD_OR_REMOVE + cost[i + 1][j]:
            steps.append((i, None))
            i += 1
        else:
            steps.append((None, j))
            j += 1
    return steps


def _by_key(left: Sequence[AnimationEffect], right: Sequence[AnimationEffect]) -> list[tuple[int | None, int | None]]:
    """For sequences too long to align: by shape and place."""
    places = {(effect.element_id, j): j for j, effect in enumerate(right)}
    steps: list[tuple[int | None, int | None]] = [
        (i, places.pop((effect.element_id, i), None)) for i, effect in enumerate(left)
    ]
    steps.extend((None, j) for j in places.values())
    return steps


def _join_moved(pairs: list[Aligned]) -> list[Aligned]:
    """An effect removed here and added there, equal but for its place, is one effect that moved."""
    added: dict[AnimationEffect, list[int]] = {}
    for index, (before, after, _) in enumerate(pairs):
        if before is None and after is not None:
            added.setdefault(_signature(after), []).append(index)
    joined = list(pairs)
    gone: set[int] = set()
    for index, (before, after, _) in enumerate(pairs):
        if before is not None and after is None and (same := added.get(_signature(before))):
            other = same.pop(0)
            joined[index] = Aligned(before, pairs[other].after, moved=True)
            gone.add(other)
    return [pair for index, pair in enumerate(joined) if index not in gone]


def moved(before: Sequence[T], after: Sequence[T]) -> list[T]:
    """The fewest items to move to turn the order `before` into `after`; both hold the same, distinct items.

    What stays is a longest increasing subsequence of the old places in the new order.
    """
    place = {item: index for index, item in enumerate(before)}
    places = [place[item] for item in after]
    ends: list[int] = []  # smallest last place of an increasing run of each length
    tails: list[int] = []  # and its index in `places`
    previous: list[int] = []
    for index, value in enumerate(places):
        length = bisect_left(ends, value)
        previous.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [value]
        tails[length : length + 1] = [index]
    stays: set[int] = set()
    index = tails[-1] if tails else -1
    while index >= 0:
        stays.add(index)
        index = previous[index]
    return [item for index, item in enumerate(after) if index not in stays]
