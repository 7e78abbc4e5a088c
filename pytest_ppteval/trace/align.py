"""A trial's steps against a baseline's: every step in exactly one class, so that each deviation costs once.

1. Inside a parallel batch the order is free.
2. The pairs with equal keys are a longest common subsequence: match.
3. What is left and has its equal left on the other side: moved.
4. What is left between two matches pairs up in order, whatever the tool: mismatch. Of one tool, if that leaves as many
   pairs.
5. The rest: missing (baseline only) or extra (trial only).

Of the longest common subsequences, and of the orders of batches, one is taken that leaves the fewest deviations: there
is no cheaper alignment with as many matches. Beyond some 500 x 500 steps that differ any longest one is taken.
difflib is no help here: it doesn't find longest common subsequences, and drops frequent elements of long ones.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_ppteval.trace.batches import WAY, Key, Side, order_batches
from pytest_ppteval.trace.jsontext import as_dict
from pytest_ppteval.trace.lcs import Pairs, heaviest, longest
from pytest_ppteval.trace.model import Json, Step

Kind = Literal["match", "mismatch", "moved", "missing", "extra"]

Steps = tuple[frozenset[int], frozenset[int]]  # steps of either side

COST = 2  # points of the process score that a deviation takes
_TABLE = 250_000  # pairs of steps that the exact table may hold


@dataclass(frozen=True, slots=True)
class Pair:
    """A step of the baseline, of the trial, or of both, by index."""

    kind: Kind
    baseline: int | None
    trial: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The comparison of two runs.

    pairs: in the order of a diff; each step is in one of them.
    """

    baseline: tuple[Step, ...]
    trial: tuple[Step, ...]
    pairs: tuple[Pair, ...]

    def count(self, kind: Kind) -> int:
        """How many of a kind."""
        return sum(pair.kind == kind for pair in self.pairs)

    @property
    def deviations(self) -> int:
        """All that isn't a match."""
        return len(self.pairs) - self.count("match")

    @property
    def score(self) -> int:
        """The process score, 0..100: two points off for each deviation."""
        return max(0, 100 - COST * self.deviations)

    @property
    def matched_share(self) -> float | None:
        """Matches by the longer run's steps, 0..1; None where neither has any."""
        most = max(len(self.baseline), len(self.trial))
        return self.count("match") / most if most else None


def key(step: Step) -> Key:
    """What makes two steps equal: tool and arguments; key order ignored, 1 is 1.0, true is not 1."""
    if step.args is None:
        return step.tool, f"raw {step.args_raw}" if step.args_raw is not None else "unknown"
    return step.tool, canonical(step.args)


def canonical(value: Json) -> str:
    """A text that is the same for equal JSON values only."""
    return json.dumps(_numbers(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _numbers(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return value


def align(baseline: Sequence[Step], trial: Sequence[Step]) -> Alignment:
    """Compare the steps of two runs."""
    first = Side.of(baseline, [key(step) for step in baseline])
    second = Side.of(trial, [key(step) for step in trial])
    anchors = _anchors(first, second)
    paired_first = {one for one, _ in anchors}
    paired_second = {two for _, two in anchors}
    left_first = [index for index in range(len(first.keys)) if index not in paired_first]
    left_second = [index for index in range(len(second.keys)) if index not in paired_second]

    waiting: dict[Key, deque[int]] = defaultdict(deque)
    for two in left_second:
        waiting[second.keys[two]].append(two)
    moved = {one: waiting[first.keys[one]].popleft() for one in left_first if waiting[first.keys[one]]}
    came = set(moved.values())
    sources = {two: one for one, two in moved.items()}

    pairs: list[Pair] = []

    def gap(until_first: int, until_second: int) -> None:
        """The leftovers before the next anchor."""
        ones = [one for one in range(at_first, until_first) if one not in moved]
        twos = [two for two in range(at_second, until_second) if two not in came]
        both = list(zip(ones, twos, strict=False))
        pairs.extend(Pair("mismatch", first.order[one], second.order[two]) for one, two in both)
        pairs.extend(Pair("missing", first.order[one], None) for one in ones[len(both) :])
        extra = set(twos[len(both) :])
        for two in range(at_second, until_second):
            if two in came:
                pairs.append(Pair("moved", first.order[sources[two]], second.order[two]))
            elif two in extra:
                pairs.append(Pair("extra", None, second.order[two]))

    at_first = at_second = 0
    for one, two in anchors:
        gap(one, two)
        kind: Kind = "match" if first.keys[one] == second.keys[two] else "mismatch"
        pairs.append(Pair(kind, first.order[one], second.order[two]))
        at_first, at_second = one + 1, two + 1
    gap(len(first.keys), len(second.keys))
    return Alignment(baseline=tuple(baseline), trial=tuple(trial), pairs=tuple(pairs))


def _anchors(first: Side, second: Side) -> Pairs:
    """The pairs in order, matches and mismatches, by places in the sides' orders, which are chosen here."""
    surplus = Counter(first.keys)
    surplus.subtract(second.keys)
    # Steps that may have no equal left over on the other side, whichever copy is meant.
    may = (
        frozenset(step for step, its in enumerate(first.keys) if surplus[its] > 0),
        frozenset(step for step, its in enumerate(second.keys) if surplus[its] < 0),
    )
    best: tuple[Pairs, list[int], list[int]] | None = None
    effort = 2 * _TABLE
    # Where too many copies of one call are mismatches, so that none is left that moved, one of them is none: each is
    # tried. What a try finds with them is the most that is possible with what it rules out.
    todo: list[Steps] = [(frozenset(), frozenset())]
    while todo and (best is None or effort > 0):
        barred = todo.pop()
        free = (may[0] - barred[0], may[1] - barred[1])
        effort -= len(first.keys) * len(second.keys) + WAY * order_batches(first, second, free)
        pairs = _pairs(first, second, free)
        if best is not None and len(pairs) <= len(best[0]):
            continue
        kept, too_many = _within_surplus(first, second, pairs, surplus)
        if best is None or len(kept) > len(best[0]):
            best = kept, first.order, second.order
        if too_many and len(best[0]) < len(pairs):
            side, steps = too_many
            todo += [
                (barred[0] | {step}, barred[1]) if side == 0 else (barred[0], barred[1] | {step}) for step in steps
            ]
    assert best is not None
    first.put(best[1])
    second.put(best[2])
    return best[0]


def _within_surplus(
    first: Side, second: Side, pairs: Pairs, surplus: Mapping[Key, int]
) -> tuple[Pairs, tuple[int, list[int]] | None]:
    """The pairs without the mismatches of a call that are more than it has copies too many on its side.

    Also the side and all steps of such a call that are mismatches, None where there is none.
    """
    used: dict[tuple[int, Key], list[int]] = defaultdict(list)
    kept: Pairs = []
    for one, two in pairs:
        mine, its = first.keys[one], second.keys[two]
        if mine != its:
            copies = (used[0, mine], used[1, its])
            copies[0].append(first.order[one])
            copies[1].append(second.order[two])
            if len(copies[0]) > abs(surplus[mine]) or len(copies[1]) > abs(surplus[its]):
                continue
        kept.append((one, two))
    wrong = next(((side, steps) for (side, its), steps in used.items() if len(steps) > abs(surplus[its])), None)
    return kept, wrong


def _pairs(first: Side, second: Side, free: Steps) -> Pairs:
    """The pairs in the order in which the sides are. free: the steps of either side that may be mismatches."""
    keys, other = first.keys, second.keys
    low = 0
    while low < min(len(keys), len(other)) and keys[low] == other[low]:
        low += 1
    high = 0
    while high < min(len(keys), len(other)) - low and keys[-1 - high] == other[-1 - high]:
        high += 1
    ones, twos = range(low, len(keys) - high), range(low, len(other) - high)
    alone_first = [one for one in ones if first.order[one] in free[0]]
    alone_second = [two for two in twos if second.order[two] in free[1]]
    if len(ones) * len(twos) <= _TABLE:
        middle = _exact(first, second, ones, twos, set(alone_first), alone_second)
    else:
        middle = [(low + one, low + two) for one, two in longest(keys[low : ones.stop], other[low : twos.stop])]
        middle = _between(first, second, middle, alone_first, alone_second, (ones.stop, twos.stop))
    ends = [(len(keys) - high + index, len(other) - high + index) for index in range(high)]
    return [(index, index) for index in range(low)] + middle + ends


def _exact(
    first: Side, second: Side, ones: range, twos: range, alone_first: set[int], alone_second: list[int]
) -> Pairs:
    """Most matches; with them most pairs at all; with those most of one tool, the arguments as alike as can be."""
    keys, other = first.keys, second.keys
    most = min(len(ones), len(twos)) + 1
    alike = 2000  # more than two calls of one tool can have in common, see below
    lesser = alike * most
    match = lesser * most
    by_key: dict[Key, list[int]] = defaultdict(list)
    for two in twos:
        by_key[other[two]].append(two)
    any_tool = {two - twos.start: lesser for two in alone_second}
    by_tool: dict[str, list[tuple[int, frozenset[tuple[str, str]]]]] = defaultdict(list)
    for two in alone_second:
        by_tool[other[two][0]].append((two - twos.start, _parts(second.steps[second.order[two]])))
    rows = []
    for one in ones:
        row: dict[int, int] = {}
        if one in alone_first:
            row = dict(any_tool)
            mine = _parts(first.steps[first.order[one]])
            for column, theirs in by_tool.get(keys[one][0], ()):
                row[column] = lesser + 1000 + 999 * len(mine & theirs) // max(1, len(mine | theirs))
        for two in by_key.get(keys[one], ()):
            row[two - twos.start] = match
        rows.append(row)
    return [(ones.start + one, twos.start + two) for one, two in heaviest(rows, len(twos))]


def _parts(step: Step) -> frozenset[tuple[str, str]]:
    """The arguments one by one."""
    return frozenset((name, canonical(value)) for name, value in as_dict(step.args).items())


def _between(
    first: Side, second: Side, matches: Pairs, alone_first: list[int], alone_second: list[int], end: tuple[int, int]
) -> Pairs:
    """Add pairs of one tool between matches that stand."""
    keys, other = first.keys, second.keys
    ones, twos = deque(alone_first), deque(alone_second)
    matched_first = {one for one, _ in matches}
    matched_second = {two for _, two in matches}
    found: Pairs = []
    for until_first, until_second in [*matches, end]:
        gap_first, gap_second = [], []
        while ones and ones[0] < until_first:
            if (one := ones.popleft()) not in matched_first:
                gap_first.append(one)
        while twos and twos[0] < until_second:
            if (two := twos.popleft()) not in matched_second:
                gap_second.append(two)
        tools = longest([keys[one][0] for one in gap_first], [other[two][0] for two in gap_second])
        found += [(gap_first[one], gap_second[two]) for one, two in tools]
        if (until_first, until_second) != end:
            found.append((until_first, until_second))
    return found
