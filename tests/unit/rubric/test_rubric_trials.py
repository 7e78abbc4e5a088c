"""Trials: verdict of k of n, pass@k, pass^k, intervals and consistency, against values worked out by hand."""

from __future__ import annotations

from itertools import combinations, product
from math import nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ppteval.rubric.trials import Trial, TrialOutcome, Trials, gather, pass_at_k, pass_hat_k, wilson

LETTERS: dict[str, TrialOutcome] = {"p": "passed", "f": "failed", "o": "open"}
SCORES = {"p": (1.0, 1.0), "f": (0.25, 0.25), "o": (0.5, 1.0)}


def trials(letters: str, require: int | None = None, planned: int | None = None) -> Trials:
    """Trials by a letter each: p(assed), f(ailed) with 0.25, o(pen) at 0.5..1."""
    made = [Trial(number, LETTERS[one], *SCORES[one]) for number, one in enumerate(letters, 1)]
    planned = planned or len(letters)
    return gather(made, planned=planned, require=require or planned)


@pytest.mark.parametrize(
    ("letters", "require", "planned", "verdict"),
    [
        ("ppp", 3, 3, "passed"),
        ("ppf", 3, 3, "failed"),
        ("ppf", 2, 3, "passed"),
        ("pff", 2, 3, "failed"),
        ("ppo", 3, 3, "undetermined"),
        ("ppo", 2, 3, "passed"),
        ("pfo", 2, 3, "undetermined"),
        ("ffo", 2, 3, "failed"),
        ("p", 1, 3, "passed"),
        ("p", 2, 3, "undetermined"),
        ("f", 3, 3, "failed"),
        ("", 1, 3, "undetermined"),
    ],
)
def test_the_verdict_says_what_no_open_trial_could_change(
    letters: str, require: int, planned: int, verdict: str
) -> None:
    assert trials(letters, require, planned).verdict == verdict


def test_pass_at_k_by_hand() -> None:
    # 2 of 5 pass: of the 10 pairs 3 hold two failures, 1 holds two passes.
    assert pass_at_k(5, 2, 1) == pass_hat_k(5, 2, 1) == 0.4
    assert pass_at_k(5, 2, 2) == 0.7
    assert pass_hat_k(5, 2, 2) == 0.1
    assert pass_at_k(5, 2, 4) == 1.0
    assert pass_hat_k(5, 2, 3) == 0.0
    # 7 of 10, k = 3: 1 - 1/120 and 35/120.
    assert pass_at_k(10, 7, 3) == pytest.approx(119 / 120)
    assert pass_hat_k(10, 7, 3) == pytest.approx(35 / 120)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_pass_at_k_is_the_share_of_all_choices_of_k(outcomes: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(outcomes)))
    choices = list(combinations(outcomes, k))
    assert pass_at_k(len(outcomes), sum(outcomes), k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(len(outcomes), sum(outcomes), k) == pytest.approx(sum(map(all, choices)) / len(choices))


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [  # as published tables have them
        (0, 10, 0.0, 0.2775328),
        (1, 10, 0.0178762, 0.4041500),
        (5, 10, 0.2365931, 0.7634069),
        (8, 10, 0.4901625, 0.9433178),
        (10, 10, 0.7224672, 1.0),
        (1, 1, 0.2065493, 1.0),
        (81, 263, 0.2552862, 0.3662093),
    ],
)
def test_wilson_intervals(passes: int, n: int, low: float, high: float) -> None:
    assert wilson(passes, n) == pytest.approx((low, high), abs=2e-5)


@settings(deadline=None)
@given(st.integers(1, 400), st.data())
def test_wilson_holds_the_rate_and_mirrors(n: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, n))
    low, high = wilson(passes, n)
    assert 0 <= low <= passes / n <= nextafter(high, 2) <= nextafter(1.0, 2)
    assert wilson(n - passes, n) == pytest.approx((1 - high, 1 - low))
    wider_low, wider_high = wilson(passes, n, z=3)
    assert wider_low <= low
    assert wider_high >= high


def test_what_is_open_makes_a_range_of_every_figure() -> None:
    one = trials("ppfo")
    assert one.mean == pytest.approx((2.75 / 4, 3.25 / 4))
    assert one.pass_at(2) == pytest.approx((5 / 6, 1.0))
    assert one.pass_all(2) == pytest.approx((1 / 6, 0.5))
    assert one.interval == (wilson(2, 4)[0], wilson(3, 4)[1])


def test_missing_trials_are_open_for_the_verdict_and_in_no_figure() -> None:
    one = trials("pf", require=2, planned=5)
    assert (one.passes, one.failures, one.open, one.missing) == (1, 1, 3, 3)
    assert one.mean == (0.625, 0.625)
    assert one.pass_at(1) == (0.5, 0.5)
    assert one.pass_at(3) is None
    nothing = trials("", require=1, planned=2)
    assert (nothing.mean, nothing.interval, nothing.consistency) == (None, None, None)


@settings(deadline=None)
@given(st.text("pfo", min_size=1, max_size=5), st.data())
def test_bounds_and_verdict_are_those_of_all_ways_that_open_trials_can_turn_out(
    letters: str, data: st.DataObject
) -> None:
    n = len(letters)
    require, k = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    one = trials(letters, require)
    ways = ["".join(way) for way in product(*("pf" if letter == "o" else letter for letter in letters))]
    verdicts = {trials(way, require).verdict for way in ways}
    assert verdicts == ({"passed", "failed"} if one.verdict == "undetermined" else {one.verdict})
    settled = [trials(way, require) for way in ways]
    for figure in ("pass_at", "pass_all"):
        values = [getattr(way, figure)(k)[0] for way in settled]
        assert getattr(one, figure)(k) == (min(values), max(values))
    lows, highs = zip(*(wilson(way.passes, n) for way in settled), strict=True)
    assert one.interval == (min(lows), max(highs))


def test_consistency_and_flaky_leaves_by_hand() -> None:
    one = gather(
        [
            Trial(3, "passed", leaves={"a": "full", "b": "short", "c": "open", "e": "full"}),
            Trial(1, "passed", leaves={"a": "full", "b": "full", "c": "full", "d": "short"}),
            Trial(2, "failed", leaves={"a": "full", "b": "full", "c": "open", "d": "full"}),
        ],
        planned=3,
        require=2,
    )
    assert [trial.number for trial in one.trials] == [1, 2, 3]
    # a 3/3, b 2/3, d 1/2; c is settled in one trial only, e was asked for in one only.
    assert {leaf.id: leaf.agreement for leaf in one.leaves} == {"a": 1, "b": 2 / 3, "c": None, "d": 0.5, "e": None}
    assert one.consistency == pytest.approx((1 + 2 / 3 + 0.5) / 3)
    assert one.flaky == ("b", "d")


@pytest.mark.parametrize("numbers", [(1, 1), (0,), (4,)])
def test_trials_that_are_none_of_the_task_are_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"each of 1\.\.3 is expected once"):
        gather([Trial(number, "passed") for number in numbers], planned=3, require=1)


@pytest.mark.parametrize("require", [0, 4])
def test_what_is_required_must_be_possible(require: int) -> None:
    with pytest.raises(ValueError, match="of 3 trials can't be required"):
        gather([], planned=3, require=require)
