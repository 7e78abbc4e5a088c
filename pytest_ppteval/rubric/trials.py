"""What several trials of one task say together. Agents are not deterministic: one run is no proof.

A trial that could not be judged is open: neither passed nor failed. So every figure here is a pair of bounds, open
trials taken as failures, then as successes; the two are equal where nothing is open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import comb, sqrt
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TrialOutcome = Literal["passed", "failed", "open"]
TrialsVerdict = Literal["passed", "failed", "undetermined"]
LeafOutcome = Literal["full", "short", "open"]
Bounds = tuple[float, float]

# The standard normal distribution's quantile of 0.975.
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial as far as the others need to know it.

    number: from 1. outcome: "open" where it was not or could not be judged to an end.
    low, high: bounds on its score. leaves: of each leaf by id, whether it has its full score of 1.
    """

    number: int
    outcome: TrialOutcome
    low: float = 0.0
    high: float = 1.0
    leaves: Mapping[str, LeafOutcome] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LeafTrials:
    """One leaf over all trials.

    full, short, open: in how many trials it was so; trials that did not ask for it count nowhere.
    """

    id: str
    full: int = 0
    short: int = 0
    open: int = 0

    @property
    def agreement(self) -> float | None:
        """The share of settled trials that agree with the majority, 0.5..1; None with fewer than two of them."""
        settled = self.full + self.short
        return max(self.full, self.short) / settled if settled > 1 else None

    @property
    def flaky(self) -> bool:
        """Whether trials disagree. What is open disagrees with nobody."""
        return bool(self.full and self.short)


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of one task.

    trials: those that there are, by number. planned: how many there are to be; the rest is open.
    require: how many must pass, 1..planned.
    """

    trials: tuple[Trial, ...]
    planned: int
    require: int

    def __post_init__(self) -> None:
        if not 1 <= self.require <= self.planned:
            raise ValueError(f"{self.require} of {self.planned} trials can't be required: 1..{self.planned} can")
        if len(self.trials) > self.planned:
            raise ValueError(f"{len(self.trials)} trials, where {self.planned} were planned")

    @property
    def passes(self) -> int:
        """Trials that passed."""
        return sum(trial.outcome == "passed" for trial in self.trials)

    @property
    def failures(self) -> int:
        """Trials that failed."""
        return sum(trial.outcome == "failed" for trial in self.trials)

    @property
    def missing(self) -> int:
        """Trials that are planned and not there yet."""
        return self.planned - len(self.trials)

    @property
    def open(self) -> int:
        """Trials that may still turn out either way, the missing ones among them."""
        return self.planned - self.passes - self.failures

    @property
    def verdict(self) -> TrialsVerdict:
        """Whether enough trials pass, whatever the open ones would say; "undetermined" where they decide it."""
        if self.passes >= self.require:
            return "passed"
        return "failed" if self.passes + self.open < self.require else "undetermined"

    def pass_at(self, k: int) -> Bounds | None:
        """pass@k: how likely at least one of k trials passes. None with fewer than k trials."""
        return self._estimate(pass_at_k, k)

    def pass_all(self, k: int) -> Bounds | None:
        """pass^k: how likely all of k trials pass. None with fewer than k trials."""
        return self._estimate(pass_hat_k, k)

    def _estimate(self, rule: Callable[[int, int, int], float], k: int) -> Bounds | None:
        count = len(self.trials)
        if not 1 <= k <= count:
            return None
        return rule(count, self.passes, k), rule(count, count - self.failures, k)

    @property
    def mean(self) -> Bounds | None:
        """The mean score; None without a trial."""
        count = len(self.trials)
        if not count:
            return None
        return sum(trial.low for trial in self.trials) / count, sum(trial.high for trial in self.trials) / count

    @property
    def interval(self) -> Bounds | None:
        """Wilson's 95 % interval of the success rate, from its low end with open trials failed to its high end with
        them passed; None without a trial."""
        count = len(self.trials)
        return (wilson(self.passes, count)[0], wilson(count - self.failures, count)[1]) if count else None

    @property
    def leaves(self) -> tuple[LeafTrials, ...]:
        """Each leaf over all trials, in order of first appearance."""
        counts: dict[str, Counter[str]] = {}
        for trial in self.trials:
            for name, outcome in trial.leaves.items():
                counts.setdefault(name, Counter())[outcome] += 1
        return tuple(LeafTrials(name, one["full"], one["short"], one["open"]) for name, one in counts.items())

    @property
    def flaky(self) -> tuple[str, ...]:
        """The ids of leaves on which trials disagree."""
        return tuple(leaf.id for leaf in self.leaves if leaf.flaky)

    @property
    def consistency(self) -> float | None:
        """The mean agreement of the leaves that two or more trials settled; None where there is no such leaf."""
        shares = [share for leaf in self.leaves if (share := leaf.agreement) is not None]
        return sum(shares) / len(shares) if shares else None


def gather(trials: Sequence[Trial], *, planned: int, require: int) -> Trials:
    """The trials of a task in order. Raises ValueError for a number that is there twice or is none of 1..planned."""
    ordered = tuple(sorted(trials, key=lambda trial: trial.number))
    numbers = [trial.number for trial in ordered]
    if len(set(numbers)) < len(numbers) or (numbers and not 1 <= numbers[0] <= numbers[-1] <= planned):
        raise ValueError(f"trials {numbers}, where each of 1..{planned} is expected once at most")
    return Trials(ordered, planned, require)


def pass_at_k(n: int, passes: int, k: int) -> float:
    """The unbiased estimate of "at least one of k trials passes" from `passes` of n: 1 - C(n - passes, k) / C(n, k)."""
    _check(n, passes, k)
    return (comb(n, k) - comb(n - passes, k)) / comb(n, k)


def pass_hat_k(n: int, passes: int, k: int) -> float:
    """The unbiased estimate of "all of k trials pass" from `passes` of n: C(passes, k) / C(n, k)."""
    _check(n, passes, k)
    return comb(passes, k) / comb(n, k)


def _check(n: int, passes: int, k: int) -> None:
    if not (0 <= passes <= n and 1 <= k <= n):
        raise ValueError(f"{passes} passes of {n} trials say nothing of {k}")


def wilson(passes: int, n: int, z: float = _Z95) -> Bounds:
    """Wilson's score interval of the rate behind `passes` of n trials, n > 0; of 95 % unless `z` says otherwise."""
    if not 0 <= passes <= n or n == 0:
        raise ValueError(f"{passes} of {n} trials is no rate")
    rate, square = passes / n, z * z / n
    centre = (rate + square / 2) / (1 + square)
    half = z / (1 + square) * sqrt(rate * (1 - rate) / n + square / (4 * n))
    # By the formula these ends are 0 and 1; rounding would leave them a hair off.
    return (0.0 if passes == 0 else centre - half), (1.0 if passes == n else centre + half)
