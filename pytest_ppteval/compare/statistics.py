"""The statistics of comparing runs. Tasks are the units: trials of one task are no independent evidence.

So a task enters with the mean of its trials, and what is drawn again is tasks. Drawing trials within the drawn tasks as
well would count their spread twice (Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8).
"""

from __future__ import annotations

import math
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Bounds = tuple[float, float]

LEVEL = 0.95
POWER = 0.8
RESAMPLES = 5000
# The same runs have the same interval, whenever they are compared.
_SEED = 20260301
_NORMAL = NormalDist()


def mcnemar(won: int, lost: int) -> float:
    """McNemar's exact two-sided p of `won` against `lost` pairs that came out differently; 1 where none did."""
    pairs = won + lost
    tail = sum(math.comb(pairs, k) for k in range(min(won, lost) + 1))
    return float(min(1.0, 2 * tail / (1 << pairs)))


def mean_interval(values: Sequence[float]) -> Bounds | None:
    """The 95 % bootstrap interval of the mean of `values`, one a task; None with fewer than two.

    Percentiles, expanded for few tasks (Hesterberg, What Teachers Should Know About the Bootstrap, 2015): as they are,
    they are too narrow by the factor sqrt((n - 1) / n) and by the normal's quantile where Student's belongs.
    """
    return bootstrap([values], lambda drawn: sum(drawn[0]) / len(drawn[0]))


def bootstrap(strata: Sequence[Sequence[float]], figure: Callable[[list[list[float]]], float | None]) -> Bounds | None:
    """The same of any `figure` of samples that are drawn again each for itself. Draws that have no figure are left out.

    None where a sample has fewer than two values, or no draw has a figure.
    """
    count = min(map(len, strata), default=0)
    if count < 2:
        return None
    if all(min(values) == max(values) for values in strata):
        found = figure([list(values) for values in strata])
        return None if found is None else (found, found)
    random = Random(_SEED)
    drawn = (figure([random.choices(values, k=len(values)) for values in strata]) for _ in range(RESAMPLES))
    figures = sorted(one for one in drawn if one is not None)
    if not figures:
        return None
    share = _NORMAL.cdf(-student(count - 1) * math.sqrt(count / (count - 1)))
    # The first k with at least that share of all draws up to it.
    below = max(0, math.ceil(share * len(figures)) - 1)
    return figures[below], figures[len(figures) - 1 - below]


def student(degrees: int, level: float = LEVEL) -> float:
    """The two-sided quantile of Student's t: 2.776 for 4 degrees of freedom and 95 %."""
    low, high = 0.0, 1.0
    while _inside(high, degrees) < level:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, degrees) < level else (low, middle)
    return high


def _inside(t: float, degrees: int) -> float:
    """P(-t < T < t). Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = total = (cosine if degrees > 1 else 0.0) if odd else 1.0
    for k in range(3 if odd else 2, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def tasks_for_mean(differences: Sequence[float]) -> int | None:
    """How many tasks would show a mean difference as it is seen here, with a power of 80 % at 5 %; None where no
    difference is seen, or where nothing says how tasks spread.

    ((z + z') sd / mean)^2 + z^2 / 2, the last being Guenther's correction for Student's t (1981).
    """
    if len(differences) < 2:
        return None
    mean, spread = fmean(differences), stdev(differences)
    if mean == 0:
        return None
    z, power = _z(), _NORMAL.inv_cdf(POWER)
    return math.ceil(((z + power) * spread / mean) ** 2 + z * z / 2)


def tasks_for_success(won: int, lost: int, tasks: int) -> int | None:
    """How many tasks McNemar's test would need to show what is seen here: `won` and `lost` of `tasks`; None where as
    many were won as lost. Connor, Sample size for testing differences in proportions for the paired-sample design,
    Biometrics 43 (1987)."""
    differing, difference = (won + lost) / tasks, (won - lost) / tasks
    if difference == 0:
        return None
    spread = math.sqrt(max(0.0, differing - difference**2))
    found = math.ceil(((_z() * math.sqrt(differing) + _NORMAL.inv_cdf(POWER) * spread) / difference) ** 2)
    # The exact test says nothing with fewer than six pairs that differ, all one way: 2 / 2^6 < 0.05 < 2 / 2^5.
    return max(found, math.ceil(6 / differing))


def unseen(tasks: int) -> float:
    """The highest share of tasks that could come out differently, though none of `tasks` did: at 95 %."""
    return float(1 - (1 - LEVEL) ** (1 / tasks))


def holm(values: Sequence[float]) -> list[float]:
    """p values of several tests, corrected by Holm (1979): one of them comes out small by chance the more there are."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted = [0.0] * len(values)
    worst = 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, values[index] * (len(values) - rank)))
        adjusted[index] = worst
    return adjusted


def _z() -> float:
    return _NORMAL.inv_cdf((1 + LEVEL) / 2)
