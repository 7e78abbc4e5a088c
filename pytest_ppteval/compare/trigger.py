"""A skill as a classifier: whether it starts where it should, and only there. From trigger cases of both polarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.compare.statistics import bootstrap
from pytest_ppteval.rubric.trials import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_ppteval.compare.model import Task
    from pytest_ppteval.rubric.trials import Bounds

# A figure of hits, misses and false alarms.
Rule = Callable[[int, int, int], float | None]
# The rules that say whether the skill started; a positive case has the one, a negative one the other.
USED, NOT_USED = "skill_used", "not_skill_used"


@dataclass(frozen=True, slots=True)
class Triggering:
    """Trials of trigger cases, counted. undecided: trials that don't say whether the skill started.

    Intervals are of 95 %, and take cases as the units: Wilson's where each case has one trial, else drawn
    again by case.
    """

    hits: int
    misses: int
    false_alarms: int
    rejections: int
    undecided: int
    precision_interval: Bounds | None
    recall_interval: Bounds | None
    f1_interval: Bounds | None

    @property
    def precision(self) -> float | None:
        """Of the trials in which it started, the share in which it should; None where it never started."""
        return _share(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> float | None:
        """Of the trials in which it should start, the share in which it did."""
        return _share(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both."""
        return _share(2 * self.hits, 2 * self.hits + self.misses + self.false_alarms)


@dataclass(frozen=True, slots=True)
class _Case:
    """started: in how many of `trials` the skill did."""

    started: int
    trials: int


def triggering(tasks: Iterable[Task]) -> Triggering | None:
    """Of the trigger cases among `tasks`; None unless there are some of both polarities that say it."""
    sides: dict[str, list[_Case]] = {"positive": [], "negative": []}
    undecided = 0
    for task in tasks:
        if task.scenario != "trigger":
            continue
        told = [_started(task, number) for number in range(len(task.trials.trials))]
        known = [one for one in told if one is not None]
        undecided += len(told) - len(known)
        if known:
            sides[task.polarity].append(_Case(sum(known), len(known)))
    wanted, unwanted = sides["positive"], sides["negative"]
    if not wanted or not unwanted:
        return None
    hits, positives = _sums(wanted)
    alarms, negatives = _sums(unwanted)
    once = all(case.trials == 1 for case in (*wanted, *unwanted))
    precision = wilson(hits, hits + alarms) if once and hits + alarms else _drawn(wanted, unwanted, _precision)
    recall = wilson(hits, positives) if once else _drawn(wanted, unwanted, _recall)
    return Triggering(
        hits,
        positives - hits,
        alarms,
        negatives - alarms,
        undecided,
        precision,
        recall,
        _drawn(wanted, unwanted, _f1),
    )


def _started(task: Task, number: int) -> bool | None:
    """Whether the skill started in a trial, by the leaf that asks just that: a verdict is about much else."""
    rule = USED if task.polarity == "positive" else NOT_USED
    leaves = task.leaves[number].values() if number < len(task.leaves) else ()
    found = [leaf.score == 1 for leaf in leaves if leaf.rule == rule and leaf.score is not None]
    return None if not found else all(found) == (rule == USED)


def _sums(cases: Iterable[_Case]) -> tuple[int, int]:
    found = list(cases)
    return sum(case.started for case in found), sum(case.trials for case in found)


def _precision(hits: int, _misses: int, alarms: int) -> float | None:
    return _share(hits, hits + alarms)


def _recall(hits: int, misses: int, _alarms: int) -> float | None:
    return _share(hits, hits + misses)


def _f1(hits: int, misses: int, alarms: int) -> float | None:
    return _share(2 * hits, 2 * hits + misses + alarms)


def _drawn(wanted: Sequence[_Case], unwanted: Sequence[_Case], rule: Rule) -> Bounds | None:
    """By case, each polarity for itself: how many of each there are is the suite's choice and no chance."""
    numbers = [[float(n) for n in range(len(side))] for side in (wanted, unwanted)]

    def figure(drawn: list[list[float]]) -> float | None:
        hits, positives = _sums(wanted[int(n)] for n in drawn[0])
        alarms, _ = _sums(unwanted[int(n)] for n in drawn[1])
        return rule(hits, positives - hits, alarms)

    return bootstrap(numbers, figure)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
