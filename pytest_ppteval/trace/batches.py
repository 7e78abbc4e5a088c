"""Parallel batches: inside of one the order is free, so that of all orders one is taken by which most can be paired.

The pairs of two runs with batches make a chain: along it both sides only go on to later batches, and a batch may go
with several of the other side. Equal steps of two batches that meet can be paired there without loss, so that only what
is left of the batch that stays open has to be remembered on the way: the best chain is found exactly. Where there are
too many batches, or too much is left of them, the sides take turns from sorted batches: each batch follows the order of
its equals between what is paired around it. That finds the most matches too unless batches of both sides overlap
crosswise and hold the same calls several times.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod

from pytest_ppteval.trace.lcs import Pairs, longest
from pytest_ppteval.trace.model import Step

Key = tuple[str, str]
# What is left of a batch, sorted. 0: a step without its equal on the other side, which can only be a mismatch. Of the
# key number k: 2k for a step that can only be a match, 2k + 1 for one that may be a mismatch.
_Rest = tuple[int, ...]

_ROUNDS = 4
_CELLS = 20_000  # pairs of batches that are gone through
_WAYS = 20_000  # ways from one such pair to the next that are looked at
_CHOICES = 64  # of what is used of one batch

# What a way that is looked at takes, in cells of a table (trace.lcs.heaviest).
WAY = 25


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


class _TooLongError(Exception):
    """There are too many ways to look at them all."""


def order_batches(first: Side, second: Side, free: tuple[AbstractSet[int], AbstractSet[int]]) -> int:
    """Give both sides an order with the most matches and, with those, the most mismatches beside each other.

    free: the steps of either side that may be a mismatch. Returns how many ways were looked at.
    """
    if not first.batches and not second.batches:
        return 0
    first.sort(first.keys)
    second.sort(second.keys)
    try:
        return _follow_chain(first, second, free)
    except _TooLongError:
        _take_turns(first, second)
        return _WAYS


@dataclass(frozen=True, slots=True)
class _Link:
    """A way to a place in the chain: what was paired where batches `one` and `two` met, and the way before."""

    before: _Link | None
    one: int
    two: int
    matches: tuple[tuple[int, int], ...]
    mismatches: tuple[tuple[int, int], ...]


@lru_cache(maxsize=4096)
def _meet(one: _Rest, two: _Rest) -> tuple[tuple[tuple[int, int], ...], _Rest, _Rest]:
    """The matches of what is left of two batches, and what is left then. Those that can only be a match go first."""
    matches: list[tuple[int, int]] = []
    left: tuple[list[int], list[int]] = [], []
    i = j = 0
    while i < len(one) and j < len(two):
        if one[i] >> 1 == two[j] >> 1 and one[i]:
            matches.append((one[i], two[j]))
            i, j = i + 1, j + 1
        elif one[i] >> 1 <= two[j] >> 1:
            left[0].append(one[i])
            i += 1
        else:
            left[1].append(two[j])
            j += 1
    return tuple(matches), (*left[0], *one[i:]), (*left[1], *two[j:])


@lru_cache(maxsize=4096)
def _close(closing: _Rest, staying: _Rest) -> tuple[tuple[tuple[tuple[int, int], ...], _Rest], ...]:
    """The mismatches that can be made where one batch is closed, each choice with what is left of the other.

    What has no equal anywhere is used up first; what may still be a match is used or not.
    """
    able = [label for label in closing if label == 0 or label & 1]
    pure = min(staying.count(0), len(able))
    rest = Counter(staying)
    rest[0] -= pure
    doubtful = sorted(label for label in rest if label & 1)
    if prod(rest[label] + 1 for label in doubtful) > _CHOICES:
        raise _TooLongError
    choices = []
    for counts in product(*(range(rest[label] + 1) for label in doubtful)):
        if sum(counts) > len(able) - pure:
            continue
        used = Counter(dict(zip(doubtful, counts, strict=True)))
        taken = [0] * pure + sorted(used.elements())
        pairs = tuple(zip(able, taken, strict=False))
        choices.append((pairs, tuple(sorted((rest - used).elements()))))
    return tuple(choices)


def _follow_chain(first: Side, second: Side, free: tuple[AbstractSet[int], AbstractSet[int]]) -> int:
    """Order both sides by the best chain. Raises _TooLongError where that takes too long."""
    sides = (first, second)
    parts = [[side.order[start:end] for start, end in side.parts()] for side in sides]
    key_of = [dict(zip(side.order, side.keys, strict=True)) for side in sides]
    low = high = 0
    while low < min(map(len, parts)) and _same(parts, key_of, low):
        low += 1
    while high < min(map(len, parts)) - low and _same(parts, key_of, -1 - high):
        high += 1
    middle = [one[low : len(one) - high] for one in parts]
    if len(middle[0]) * len(middle[1]) > _CELLS:
        raise _TooLongError
    numbers = {key: number for number, key in enumerate(set(first.keys) & set(second.keys), 1)}
    labels = [
        {step: 2 * numbers[key] + (step in able) if key in numbers else 0 for step, key in keys.items()}
        for keys, able in zip(key_of, free, strict=True)
    ]
    rests = [
        [tuple(sorted(mine[step] for step in part)) for part in side] for mine, side in zip(labels, middle, strict=True)
    ]
    link, ways = _best_chain(rests[0], rests[1])
    for at, part in enumerate(_in_order(link, middle, labels, (first.steps, second.steps))):
        parts[at][low : len(parts[at]) - high] = part
        sides[at].put([step for steps in parts[at] for step in steps])
    return ways


def _same(parts: list[list[list[int]]], key_of: list[dict[int, Key]], at: int) -> bool:
    """Whether the two sides' batches there hold equal steps. At either end of the runs they can be paired first."""
    one, two = ([keys[step] for step in side[at]] for side, keys in zip(parts, key_of, strict=True))
    return one == two  # both are sorted


def _best_chain(one: list[_Rest], two: list[_Rest]) -> tuple[_Link | None, int]:
    """The chain with most matches and then most mismatches, and how many ways were looked at."""
    match = sum(map(len, one)) + 1  # worth more than all mismatches
    best: tuple[int, _Link | None] = (0, None)
    if not one or not two:
        return None, 0
    ways = 0
    row: list[dict[tuple[_Rest, _Rest], tuple[int, _Link | None]]] = [{} for _ in two]
    row[0][one[0], two[0]] = (0, None)
    for a in range(len(one)):
        below: list[dict[tuple[_Rest, _Rest], tuple[int, _Link | None]]] = [{} for _ in two]
        for b in range(len(two)):
            for (rest_one, rest_two), (value, link) in row[b].items():
                matches, left_one, left_two = _meet(rest_one, rest_two)
                reached = value + match * len(matches)
                right, down = _close(left_two, left_one), _close(left_one, left_two)
                ways += len(right) + len(down)
                if ways > _WAYS:
                    raise _TooLongError
                for pairs, left in right:
                    on = _Link(link, a, b, matches, tuple((mine, its) for its, mine in pairs))
                    found = (reached + len(pairs), on)
                    if b + 1 == len(two):
                        best = max(best, found, key=lambda way: way[0])
                    elif found[0] > row[b + 1].get((left, two[b + 1]), (-1, None))[0]:
                        row[b + 1][left, two[b + 1]] = found
                for pairs, left in down:
                    found = (reached + len(pairs), _Link(link, a, b, matches, pairs))
                    if a + 1 == len(one):
                        best = max(best, found, key=lambda way: way[0])
                    elif found[0] > below[b].get((one[a + 1], left), (-1, None))[0]:
                        below[b][one[a + 1], left] = found
        row = below
    return best[1], ways


def _in_order(
    link: _Link | None,
    parts: list[list[list[int]]],
    labels: list[dict[int, int]],
    steps: tuple[Sequence[Step], Sequence[Step]],
) -> list[list[list[int]]]:
    """The batches of both sides in the order in which the chain uses their steps, and then the rest."""
    links = []
    while link is not None:
        links.append(link)
        link = link.before
    left = [[list(part) for part in side] for side in parts]
    used: list[list[list[int]]] = [[[] for _ in side] for side in parts]
    for link in reversed(links):
        one, two = left[0][link.one], left[1][link.two]
        for mine, its in (*link.matches, *link.mismatches):
            # Of steps that are alike here, those of one tool make the better pair.
            choices = product(
                [step for step in one if labels[0][step] == mine], [step for step in two if labels[1][step] == its]
            )
            pair = min(choices, key=lambda pair: steps[0][pair[0]].tool != steps[1][pair[1]].tool)
            one.remove(pair[0])
            two.remove(pair[1])
            used[0][link.one].append(pair[0])
            used[1][link.two].append(pair[1])
    return [
        [[*done, *rest] for done, rest in zip(done_side, rest_side, strict=True)]
        for done_side, rest_side in zip(used, left, strict=True)
    ]


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


def _places(keys: list[Key], other: list[Key], start: int, end: int) -> list[float]:
    """For each key the place of its equal in a window, each place once; infinity where there is none."""
    places: dict[Key, deque[int]] = defaultdict(deque)
    for place in range(start, end):
        places[other[place]].append(place)
    return [places[key].popleft() if places[key] else float("inf") for key in keys]
