"""The alignment: worked examples, the rules one by one, and oracles that work in other ways."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, groupby, pairwise, permutations, product
from typing import Any

import pytest

from pytest_ppteval.trace import Step
from pytest_ppteval.trace.align import Alignment, Kind, align, canonical, key
from pytest_ppteval.trace.lcs import heaviest, longest

Keys = tuple[Any, ...]
KINDS: tuple[Kind, ...] = ("match", "mismatch", "moved", "missing", "extra")


def run(text: str) -> list[Step]:
    """Letters are tools, digits arguments; a bracket is one parallel batch."""
    steps: list[Step] = []
    group, count = None, 0
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            count += 1
            group = f"batch-{count}"
        elif word == ")":
            group = None
        else:
            args: dict[str, Any] = {"n": int(word[1:])} if word[1:] else {}
            steps.append(Step(id=f"s{len(steps)}", tool=word[0], args=args, group=group))
    return steps


def counts(alignment: Alignment) -> str:
    return "/".join(str(alignment.count(kind)) for kind in KINDS)


@pytest.mark.parametrize(
    ("baseline", "trial", "expected", "score"),
    [
        # match/mismatch/moved/missing/extra
        ("A B C", "A X B C", "3/0/0/0/1", 98),
        ("A B C", "A C", "2/0/0/1/0", 98),
        ("A1 B1 C1", "A1 B2 C1", "2/1/0/0/0", 98),
        ("A B C", "A X C", "2/1/0/0/0", 98),
        ("A B C", "A C B", "2/0/1/0/0", 98),
        ("A B C D", "B C D A", "3/0/1/0/0", 98),
        ("A B C D", "D C B A", "1/0/3/0/0", 94),
        ("A B", "A A B", "2/0/0/0/1", 98),
        ("A A A B", "A B", "2/0/0/2/0", 96),
        ("A1 A2 A3 A4", "A1 A9 A2 A3 A4", "4/0/0/0/1", 98),
        ("A B D", "A X Y D", "2/1/0/0/1", 96),
        ("A (B C D) E", "A (D B C) E", "5/0/0/0/0", 100),
        ("A B A B A B", "A A A B B B", "4/0/2/0/0", 96),
        ("A B C D E F G H I J", "K L M N O P Q R S T", "0/10/0/0/0", 80),
    ],
)
def test_worked_examples(baseline: str, trial: str, expected: str, score: int) -> None:
    alignment = align(run(baseline), run(trial))
    assert counts(alignment) == expected
    assert alignment.score == score


@pytest.mark.parametrize(
    ("baseline", "trial", "expected"),
    [
        ("A1 B A2", "A2 B A1", "1/0/2/0/0"),  # what is there on both sides moved: it isn't another call
        ("A1 B", "B A2", "1/0/0/1/1"),  # the pair A1, A2 would cross a match
        ("A1 A2 B", "B A8 A9", "1/0/0/2/2"),  # however many: the matches are a longest common subsequence
        ("A1 X A2", "A8 A9", "0/2/0/1/0"),  # the same tool pairs before another one in the gap does
        ("A B", "(B A)", "2/0/0/0/0"),  # a batch in the trial only
        ("(A B)", "B A", "2/0/0/0/0"),  # or in the baseline only
        ("(A B) (C D)", "(D C) (B A)", "2/0/2/0/0"),  # batches keep their order
        ("(A B C)", "(C A)", "2/0/0/1/0"),
        ("(A1 B1)", "(B1 A2)", "1/1/0/0/0"),  # as A1 B1 -> A2 B1: where it stands in a batch doesn't count
        ("A1 B1", "A2 B1", "1/1/0/0/0"),
        ("(A B) C", "A (C B)", "3/0/0/0/0"),  # a batch may go with two of the other side
        ("A0 C0", "C1 C1", "0/2/0/0/0"),  # C0 with the second C1 leaves A0 the first
        ("X A1", "A2 Y", "0/2/0/0/0"),  # two of one tool pair only if that costs no further deviation
        ("", "", "0/0/0/0/0"),
        ("A B", "", "0/0/0/2/0"),
        ("", "A", "0/0/0/0/1"),
    ],
)
def test_rules(baseline: str, trial: str, expected: str) -> None:
    assert counts(align(run(baseline), run(trial))) == expected


def test_the_similar_call_is_the_partner() -> None:
    def call(**args: Any) -> Step:
        return Step(id=str(args), tool="search", args=args)

    baseline = [call(query="decks", limit=10, page=1)]
    trial = [call(query="x"), call(query="decks", limit=10, page=2), call(page=7)]
    pairs = align(baseline, trial).pairs
    assert [(pair.kind, pair.baseline, pair.trial) for pair in pairs] == [
        ("extra", None, 0),
        ("mismatch", 0, 1),
        ("extra", None, 2),
    ]


def test_matched_share() -> None:
    assert align(run("A B C"), run("A X B C")).matched_share == 0.75
    assert align(run("A B C D"), run("A")).matched_share == 0.25
    assert align([], []).matched_share is None
    assert align([], []).score == 100


def test_the_score_has_a_floor() -> None:
    assert align([], run("A " * 51)).score == 0


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": {"x": 1, "y": [1, 2]}}, {"a": {"y": [1.0, 2], "x": 1.0}}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 0}, {"a": False}, False),
        ({"a": None}, {}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": -0.0}, {"a": 0}, True),
        ({"a": 1e300}, {"a": 10**300}, False),  # the nearest double isn't that number
        ({"a": 2.0**60}, {"a": 2**60}, True),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, False),
        ({}, [], False),
        ({}, None, False),
    ],
)
def test_when_arguments_are_equal(one: Any, other: Any, equal: bool) -> None:
    assert (key(Step(id="1", tool="t", args=one)) == key(Step(id="2", tool="t", args=other))) is equal
    assert (canonical(one) == canonical(other)) is equal


def test_the_tool_is_part_of_the_key() -> None:
    assert key(Step(id="1", tool="a", args={})) != key(Step(id="1", tool="b", args={}))


def test_arguments_that_are_not_whole_are_equal_by_their_text() -> None:
    cut = Step(id="1", tool="t", args_raw='{"a":')
    assert key(cut) == key(Step(id="2", tool="t", args_raw='{"a":'))
    assert key(cut) != key(Step(id="3", tool="t", args_raw='{"b":'))
    assert key(cut) != key(Step(id="4", tool="t"))


# Oracles


def fewest_deviations(first: list[Step], second: list[Step]) -> tuple[int, int]:
    """Most matches, and the fewest deviations with as many: every order, every set of matches, every choice of what
    moved where there are several copies."""
    best = (0, len(first) + len(second))
    for one, two in product(orders(first), orders(second)):
        if lcs_length(one, two) < best[0]:
            continue
        for matches in match_sets(one, two, 0, 0):
            if len(matches) >= best[0]:
                cost = fewest_with(one, two, matches)
                best = max(best, (len(matches), cost), key=lambda found: (found[0], -found[1]))
    return best


def match_sets(one: Keys, two: Keys, i: int, j: int) -> Iterator[list[tuple[int, int]]]:
    yield []
    for a in range(i, len(one)):
        for b in range(j, len(two)):
            if one[a] == two[b]:
                for rest in match_sets(one, two, a + 1, b + 1):
                    yield [(a, b), *rest]


def fewest_with(one: Keys, two: Keys, matches: list[tuple[int, int]]) -> int:
    """The fewest deviations beside these matches: each moved step costs one, and each gap its longer side."""
    ones = [i for i in range(len(one)) if i not in {a for a, _ in matches}]
    twos = [j for j in range(len(two)) if j not in {b for _, b in matches}]
    both = Counter(one[i] for i in ones) & Counter(two[j] for j in twos)
    ends = [(-1, -1), *matches, (len(one), len(two))]
    costs = []
    for out_one, out_two in product(without(one, ones, both), without(two, twos, both)):
        gaps = [
            max(sum(a < i < c for i in out_one), sum(b < j < d for j in out_two)) for (a, b), (c, d) in pairwise(ends)
        ]
        costs.append(both.total() + sum(gaps))
    return min(costs)


def without(keys: Keys, left: list[int], moved: Counter[Any]) -> Iterator[list[int]]:
    """What is left when so many of each key have moved, for each choice of the copies."""
    choices = [combinations([i for i in left if keys[i] == one], count) for one, count in moved.items()]
    for choice in product(*choices):
        gone = {i for group in choice for i in group}
        yield [i for i in left if i not in gone]


def some(rng: random.Random, most: int, *, batches: bool, kinds: int = 3) -> list[Step]:
    steps: list[Step] = []
    for number in range(rng.randint(0, most)):
        size = rng.choice((1, 1, 2, 3)) if batches else 1
        for _ in range(size):
            tool, group = rng.choice("AB" if kinds > 1 else "ABC"), f"g{number}" if size > 1 else None
            steps.append(Step(id=str(len(steps)), tool=tool, args={"n": rng.randint(1, kinds)}, group=group))
    return steps


def every_step_once(alignment: Alignment) -> bool:
    """Each step in one class, and each class by its own rule."""
    ones = [pair.baseline for pair in alignment.pairs if pair.baseline is not None]
    twos = [pair.trial for pair in alignment.pairs if pair.trial is not None]
    assert sorted(ones) == list(range(len(alignment.baseline)))
    assert sorted(twos) == list(range(len(alignment.trial)))
    left: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
    for pair in alignment.pairs:
        one = None if pair.baseline is None else key(alignment.baseline[pair.baseline])
        two = None if pair.trial is None else key(alignment.trial[pair.trial])
        if pair.kind in ("match", "moved"):
            assert one == two
        elif pair.kind == "mismatch":
            assert None not in (one, two)
            assert one != two
        else:
            assert (one is None) == (pair.kind == "extra")
            assert (two is None) == (pair.kind == "missing")
            left[pair.kind == "extra"][one or two] += 1
    assert not left[0] & left[1]  # nothing is both missing and extra: that would be moved
    return True


def is_cheapest(first: list[Step], second: list[Step]) -> bool:
    alignment = align(first, second)
    assert every_step_once(alignment)
    assert (alignment.count("match"), alignment.deviations) == fewest_deviations(first, second)
    return True


def test_small_pairs_without_batches_against_brute_force() -> None:
    rng = random.Random(20)
    for _ in range(1500):
        first, second = some(rng, 6, batches=False), some(rng, 6, batches=False)
        assert is_cheapest(first, second)
        pairs = [
            (pair.baseline, pair.trial) for pair in align(first, second).pairs if pair.kind in ("match", "mismatch")
        ]
        assert pairs == sorted(pairs)
        assert [two for _, two in pairs] == sorted(two for _, two in pairs)  # type: ignore[type-var]


def orders(steps: list[Step]) -> set[tuple[Any, ...]]:
    batches = [list(members) for _, members in groupby(steps, key=lambda step: step.group or step.id)]
    return {
        tuple(key(step) for batch in choice for step in batch)
        for choice in product(*(permutations(batch) for batch in batches))
    }


def lcs_length(first: tuple[Any, ...], second: tuple[Any, ...]) -> int:
    row = [0] * (len(second) + 1)
    for one in first:
        above = row
        row = [0]
        for column, two in enumerate(second):
            row.append(above[column] + 1 if one == two else max(above[column + 1], row[column]))
    return row[-1]


def test_small_pairs_with_batches_against_brute_force() -> None:
    rng = random.Random(21)
    for _ in range(400):
        assert is_cheapest(some(rng, 3, batches=True), some(rng, 3, batches=True))


def test_pairs_with_several_copies_of_each_call_against_brute_force() -> None:
    """Few different calls, so that it matters which copy is taken for moved."""
    rng = random.Random(25)
    for batches in (False, True):
        for _ in range(300):
            first, second = (some(rng, 3 if batches else 7, batches=batches, kinds=1) for _ in range(2))
            assert is_cheapest(first[:6], second[:6])


@pytest.mark.parametrize("sizes", [(50, 60), (700, 300), (2000, 2500)])
@pytest.mark.parametrize("kinds", [1, 3, 1000])
def test_matches_are_a_longest_common_subsequence_by_rapidfuzz(sizes: tuple[int, int], kinds: int) -> None:
    distance = pytest.importorskip("rapidfuzz.distance", reason="rapidfuzz is the oracle: pip install rapidfuzz")
    rng = random.Random(sum(sizes) + kinds)

    def steps(count: int) -> list[Step]:
        return [Step(id=str(i), tool=rng.choice("ABC"), args={"n": rng.randint(1, kinds)}) for i in range(count)]

    first, second = steps(sizes[0]), steps(sizes[1])
    alignment = align(first, second)
    assert every_step_once(alignment)
    expected = distance.LCSseq.similarity([key(step) for step in first], [key(step) for step in second])
    assert alignment.count("match") == expected


def test_many_batches_find_their_order() -> None:
    """Too many orders to try them all: each batch is shuffled, and some steps are left out or put in."""
    rng = random.Random(22)
    baseline: list[Step] = []
    trial: list[Step] = []
    for number in range(300):
        tools = [f"t{number}-{index}" for index in range(rng.randint(1, 4))]
        for side in (baseline, trial):
            group = f"g{number}" if len(tools) > 1 else None
            side += [Step(id=tool, tool=tool, args={}, group=group) for tool in rng.sample(tools, len(tools))]
    assert align(baseline, trial).count("match") == len(baseline)
    missing = trial[:100] + trial[101:]
    assert counts(align(baseline, missing)) == f"{len(baseline) - 1}/0/0/1/0"


def test_long_traces_align_in_flat_memory() -> None:
    rng = random.Random(23)
    first, second = (
        [Step(id=str(i), tool=rng.choice("ABCDE"), args={"n": rng.randint(1, 50)}) for i in range(5_000)]
        for _ in range(2)
    )
    tracemalloc.start()
    alignment = align(first, second)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert every_step_once(alignment)
    # A table of the lengths would take 200 MB. (bench/align.py has 10,000 x 10,000.)
    assert peak < 15e6


def test_longest_pairs_are_in_order_and_equal() -> None:
    rng = random.Random(24)
    for size in (0, 1, 5, 40, 6000):
        first, second = ([rng.randint(1, 4) for _ in range(size)] for _ in range(2))
        pairs = longest(first, second)
        assert all(first[one] == second[two] for one, two in pairs)
        assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
        if size <= 40:
            assert len(pairs) == lcs_length(tuple(first), tuple(second))


def test_heaviest_prefers_weight_to_number() -> None:
    assert heaviest([{2: 5}, {0: 2}, {1: 2}], 3) == [(0, 2)]
    assert heaviest([{2: 5}, {0: 3}, {1: 3}], 3) == [(1, 0), (2, 1)]
    assert heaviest([], 3) == []
