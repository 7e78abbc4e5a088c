"""Parallel batches: inside of one the order is free, so that of all orders the one with the most matches is taken.

With few possible orders all are tried on one side, and the other side's is found exactly for each. With many, the sides
take turns from sorted batches: each batch follows the order of its equals between what is paired around it. That finds
the best order too unless batches of both sides overlap crosswise and hold the same calls several times.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import factorial, prod

from pytest_ppteval.trace.lcs import Pairs, longest
from pytest_ppteval.trace.model import Step

Key = tuple[str, str]

_ROUNDS = 4
_EFFORT = 200_000  # comparisons that trying all orders may take


@dataclass(slots=True)
class Side:
    """One run, its batches in an order of our choice.

    order: which step stands at each place; keys: their keys in that order; batches: start and end of each.
    """

    steps: Sequence[Step]
    order: list[int]
    keys: list[Key]
    batches: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, steps: Sequence[Step], keys: list[Key]) -> Side:
        """The run in its own order."""
        side = cls(steps, list(range(len(steps))), keys)
        start = 0
        for index in range(1, len(steps) + 1):
            if index < len(steps) and steps[index].group is not None and steps[index].group == steps[start].group:
                continue
            if index - start > 1:
                side.batches.append((start, index))
            start = index
        return side

    def put(self, order: list[int]) -> None:
        """Take another order."""
        by_step = dict(zip(self.order, self.keys, strict=True))
        self.order, self.keys = order, [by_step[step] for step in order]

    def sort(self, ranks: Sequence[float] | Sequence[Key]) -> None:
        """Order each batch by the ranks of its places."""
        order = self.order[:]
        for start, end in self.batches:
            places = sorted(range(start, end), key=lambda place: (ranks[place], place))
            order[start:end] = [self.order[place] for place in places]
        self.put(order)

    def parts(self) -> Iterator[tuple[int, int]]:
        """Batches and single steps: start and end."""
        at = 0
        for start, end in self.batches:
            yield from ((place, place + 1) for place in range(at, start))
            yield start, end
            at = end
        yield from ((place, place + 1) for place in range(at, len(self.order)))


def order_batches(first: Side, second: Side) -> None:
    """Give both sides the order with the most matches."""
    if not first.batches and not second.batches:
        return
    first.sort(first.keys)
    second.sort(second.keys)
    few, many = sorted((first, second), key=_orders)
    if _orders(few) * len(few.order) ** 2 * len(many.order) <= _EFFORT:
        _try_all(few, many)
    else:
        _take_turns(first, second)


def _orders(side: Side) -> int:
    return prod(factorial(end - start) for start, end in side.batches)


def _try_all(few: Side, many: Side) -> None:
    best = (-1, few.order, many.order)
    seen: set[tuple[Key, ...]] = set()
    by_step = dict(zip(few.order, few.keys, strict=True))
    for parts in product(*(permutations(few.order[start:end]) for start, end in few.parts())):
        order = [step for part in parts for step in part]
        keys = [by_step[step] for step in order]
        if tuple(keys) in seen:
            continue
        seen.add(tuple(keys))
        matches, other = _fit(many, keys)
        if matches > best[0]:
            best = (matches, order, other)
    few.put(best[1])
    many.put(best[2])


def _fit(side: Side, other: list[Key]) -> tuple[int, list[int]]:
    """The most matches that an order of `side` has with the fixed `other`, and that order.

    Each batch gets a window of `other`: what they have in common there can be matched, in the other's order.
    """
    width = len(other)
    best = [0] * (width + 1)
    starts: list[list[int]] = []
    parts = list(side.parts())
    for start, end in parts:
        following = best[:]
        chosen = list(range(width + 1))
        for window in range(width + 1):
            wanted = Counter(side.keys[start:end])
            common = best[window]
            for place in range(window, width):
                if wanted[other[place]] > 0:
                    wanted[other[place]] -= 1
                    common += 1
                if common > following[place + 1]:
                    following[place + 1], chosen[place + 1] = common, window
        best = following
        starts.append(chosen)
    order = side.order[:]
    until = width
    for (start, end), chosen in zip(reversed(parts), reversed(starts), strict=True):
        window = chosen[until]
        ranked = sorted(zip(_places(side.keys[start:end], other, window, until), range(start, end), strict=True))
        order[start:end] = [side.order[place] for _, place in ranked]
        until = window
    return best[width], order


def _places(keys: list[Key], other: list[Key], start: int, end: int) -> list[float]:
    """For each key the place of its equal in a window, each place once; infinity where there is none."""
    places: dict[Key, deque[int]] = defaultdict(deque)
    for place in range(start, end):
        places[other[place]].append(place)
    return [places[key].popleft() if places[key] else float("inf") for key in keys]


def _take_turns(first: Side, second: Side) -> None:
    pairs = longest(first.keys, second.keys)
    best = (len(pairs), first.order, second.order)
    for _ in range(_ROUNDS):
        second.sort(_wishes(second, first, [(two, one) for one, two in pairs]))
        pairs = longest(first.keys, second.keys)
        first.sort(_wishes(first, second, pairs))
        pairs = longest(first.keys, second.keys)
        if len(pairs) <= best[0]:
            break
        best = (len(pairs), first.order, second.order)
    first.put(best[1])
    second.put(best[2])


def _wishes(side: Side, other: Side, pairs: Pairs) -> list[float]:
    """For each step in a batch the place of its equal on the other side, between what is paired around the batch."""
    wishes = [float("inf")] * len(side.order)
    before = -1
    at = 0
    for start, end in side.batches:
        while at < len(pairs) and pairs[at][0] < start:
            before = pairs[at][1]
            at += 1
        while at < len(pairs) and pairs[at][0] < end:
            at += 1
        after = pairs[at][1] if at < len(pairs) else len(other.keys)
        wishes[start:end] = _places(side.keys[start:end], other.keys, before + 1, after)
        if at > 0:
            before = pairs[at - 1][1]
    return wishes
