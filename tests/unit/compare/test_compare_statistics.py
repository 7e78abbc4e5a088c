"""The statistics of comparing runs, against published values and against counting out all that can happen."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist, fmean

import pytest

from pytest_ppteval.compare.statistics import (
    bootstrap,
    holm,
    mcnemar,
    mean_interval,
    student,
    tasks_for_mean,
    tasks_for_success,
    unseen,
)


@pytest.mark.parametrize(
    ("won", "lost", "p"),
    [
        (9, 2, 0.06543),  # Fay, the R package exact2x2: mcnemar.exact(matrix(c(21, 9, 2, 12), 2))
        (0, 0, 1.0),
        (3, 3, 1.0),
        (6, 0, 2 / 64),
    ],
)
def test_mcnemar(won: int, lost: int, p: float) -> None:
    assert mcnemar(won, lost) == pytest.approx(p, abs=5e-6)
    assert mcnemar(lost, won) == mcnemar(won, lost)


@pytest.mark.parametrize(("won", "lost"), [(w, n - w) for n in range(1, 11) for w in range(n + 1)])
def test_mcnemar_is_the_share_of_coin_tosses_as_uneven_or_more(won: int, lost: int) -> None:
    tosses = list(itertools.product((0, 1), repeat=won + lost))
    as_uneven = sum(abs(2 * sum(toss) - len(toss)) >= abs(won - lost) for toss in tosses)
    assert mcnemar(won, lost) == pytest.approx(as_uneven / len(tosses))


def test_mcnemar_of_very_many_pairs_is_a_number() -> None:
    assert 0 <= mcnemar(2000, 1000) < 1e-70


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    # The tables at the end of any textbook.
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042), (120, 1.980)],
)
def test_student(degrees: int, quantile: float) -> None:
    assert student(degrees) == pytest.approx(quantile, abs=5e-4)


@pytest.mark.parametrize("values", [[0.0, 0.1, 0.3, -0.2, 0.5], [1, 0, 0, 0, -1], [0.0, 0.0, 0.0, 0.0, 1.0]])
def test_the_interval_is_that_of_all_samples_that_can_be_drawn(values: list[float]) -> None:
    """Of 5 tasks there are 5^5 = 3,125 samples. The share below the interval is what Student's t makes of 2.5 %."""
    low, high = mean_interval(values) or (0, 0)
    means = sorted(fmean(drawn) for drawn in itertools.product(values, repeat=5))
    share = NormalDist().cdf(-2.776 * math.sqrt(5 / 4))
    around = share / 3, share * 3  # 5,000 draws hit such a tail some five times
    for bound, order in ((low, means), (high, [-mean for mean in reversed(means)])):
        edge = bound if order is means else -bound
        below, up_to = (sum(mean < edge - 1e-12 for mean in order), sum(mean <= edge + 1e-12 for mean in order))
        assert below / len(order) <= around[1]
        assert up_to / len(order) >= around[0]


def test_it_is_wide_enough_for_few_tasks() -> None:
    """Near Student's own interval, which is right for such data; plain percentiles would be a third too narrow."""
    values = [NormalDist(0.1, 0.2).inv_cdf((k + 0.5) / 8) for k in range(8)]
    low, high = mean_interval(values) or (0, 0)
    spread = math.sqrt(sum((value - 0.1) ** 2 for value in values) / 7 / 8)
    assert (high - low) / (2 * 2.365 * spread) == pytest.approx(1, abs=0.1)


def test_one_task_says_nothing_and_equal_ones_leave_no_width() -> None:
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None
    assert mean_interval([0.25, 0.25, 0.25]) == (0.25, 0.25)


def test_samples_without_a_figure_are_left_out() -> None:
    assert bootstrap([[0.0, 1.0], [1.0, 0.0]], lambda _: None) is None


@pytest.mark.parametrize(
    ("effect", "tasks"),
    [(0.2, 199), (0.5, 34), (0.8, 15)],  # G*Power 3.1, difference between two dependent means, two-sided, power 0.8
)
def test_how_many_tasks_a_mean_needs(effect: float, tasks: int) -> None:
    sample = [effect - math.sqrt(0.5), effect + math.sqrt(0.5)]  # their standard deviation is 1
    assert tasks_for_mean(sample) == tasks


def test_no_number_of_tasks_shows_what_is_not_there() -> None:
    assert tasks_for_mean([0.1, -0.1]) is None
    assert tasks_for_mean([0.1]) is None
    assert tasks_for_success(3, 3, 20) is None
    assert tasks_for_success(0, 0, 20) is None


def power(tasks: int, won: float, lost: float) -> float:
    """How often McNemar's test (without correction) is significant, over all that `tasks` can come to."""
    total = 0.0
    for wins in range(tasks + 1):
        for losses in range(tasks + 1 - wins):
            if wins + losses and (wins - losses) ** 2 / (wins + losses) > 3.8415:
                ways = math.lgamma(tasks + 1) - math.lgamma(wins + 1) - math.lgamma(losses + 1)
                ways -= math.lgamma(tasks - wins - losses + 1)
                rest = tasks - wins - losses
                total += math.exp(
                    ways + wins * math.log(won) + losses * math.log(lost) + rest * math.log(1 - won - lost)
                )
    return total


@pytest.mark.parametrize(("won", "lost"), [(20, 10), (30, 10), (25, 5)])
def test_how_many_tasks_verdicts_need(won: int, lost: int) -> None:
    """Counted out: with so many tasks the test shows it four times in five."""
    tasks = tasks_for_success(won, lost, 100) or 0
    assert power(tasks, won / 100, lost / 100) == pytest.approx(0.8, abs=0.04)


def test_verdicts_that_all_change_one_way_need_six_that_change() -> None:
    """Five heads in a row are no proof at 5 %, six are: 2 / 2^5 > 0.05 > 2 / 2^6."""
    assert tasks_for_success(4, 0, 4) == 6
    assert tasks_for_success(4, 0, 8) == 14  # ((1.96 * 0.7071 + 0.8416 * 0.5) / 0.5)^2 = 13.06


def test_what_was_not_seen_may_be_there() -> None:
    assert unseen(30) == pytest.approx(0.095, abs=5e-4)  # Hanley and Lippman-Hand, JAMA 249 (1983): the rule of three
    assert unseen(1) == pytest.approx(0.95)


def test_holm() -> None:
    # R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
    assert holm([0.03, 0.01, 0.05, 0.02, 0.04]) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])
    assert holm([]) == []
