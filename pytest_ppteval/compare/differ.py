"""One run against another: what became of each task and leaf, and what that says of all tasks."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.compare.model import METRICS
from pytest_ppteval.compare.statistics import (
    mcnemar,
    mean_interval,
    tasks_for_mean,
    tasks_for_success,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_ppteval.compare.model import Leaf, Run, Task
    from pytest_ppteval.rubric.trials import Bounds

# broken, fixed: passed before and failed now, or the other way round; of a leaf its full score, in most trials.
Kind = Literal["broken", "fixed", "worse", "better", "newly unscored", "newly scored", "gone", "added", "same", "open"]
# Below that it is how floats were added up.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class LeafChange:
    """A leaf that came out differently. before, after: its mean score over the trials that scored it, None where
    none did."""

    id: str
    kind: Kind
    before: float | None
    after: float | None
    critical: bool = False


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A task of either run."""

    name: str
    kind: Kind
    before: Task | None
    after: Task | None
    leaves: tuple[LeafChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over the tasks in which both runs know it.

    difference: after less before. interval: of it, 95 %; None with fewer than two tasks. needed: how many tasks would
    show such a difference; None where none is seen.
    """

    name: str
    tasks: int
    before: float
    after: float
    difference: float
    interval: Bounds | None
    needed: int | None

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Tasks by whether they passed, those with a verdict in both runs. p: McNemar's, exact."""

    tasks: int
    before: int
    after: int
    won: int
    lost: int
    p: float
    needed: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of `old` in `new`.

    score, success: None where no task is settled in both. drop: the least and the most by which the mean score of the
    tasks of both can have fallen, whatever is open; None without such tasks. undecided: common tasks that the figures
    leave out, something in them being open.
    """

    old: Run
    new: Run
    tasks: tuple[TaskChange, ...]
    score: Figure | None
    success: Figure | None
    verdicts: Verdicts | None
    metrics: tuple[Figure, ...]
    drop: Bounds | None
    undecided: int

    def of_kind(self, *kinds: Kind) -> tuple[TaskChange, ...]:
        """The tasks that came out so."""
        return tuple(task for task in self.tasks if task.kind in kinds)

    @property
    def critical(self) -> tuple[tuple[TaskChange, LeafChange], ...]:
        """The critical leaves that had their full score, and have it no more."""
        return tuple(
            (task, leaf) for task in self.tasks for leaf in task.leaves if leaf.critical and leaf.kind == "broken"
        )


def compare(old: Run, new: Run) -> Comparison:
    """`new` against `old`."""
    pairs = paired(old, new)
    both = [(before, after) for before, after in pairs if before is not None and after is not None]
    settled = [(before, after) for before, after in both if _is_settled(before) and _is_settled(after)]
    return Comparison(
        old,
        new,
        tuple(_task(before, after) for before, after in pairs),
        figure("score", [(before.score[0], after.score[0]) for before, after in settled]),
        figure("success", [(before.success[0], after.success[0]) for before, after in settled]),
        _verdicts(both),
        tuple(one for name in METRICS if (one := figure(name, _known(both, name))) is not None),
        _drop(both),
        len(both) - len(settled),
    )


def paired(old: Run, new: Run) -> list[tuple[Task | None, Task | None]]:
    """The tasks of both, by name; by id where a name is in one run only and its id is nowhere twice: files move."""
    left = {name: task for name, task in old.tasks.items() if name not in new.tasks}
    by_id = _once(left.values())
    fresh = _once(task for name, task in new.tasks.items() if name not in old.tasks)
    found: list[tuple[Task | None, Task | None]] = []
    for name, task in new.tasks.items():
        before = old.tasks.get(name)
        if before is None and fresh.get(task.id) is task:
            before = by_id.get(task.id)
            if before is not None:
                del left[before.name]
        found.append((before, task))
    return found + [(task, None) for task in left.values()]


def _once(tasks: Iterable[Task]) -> dict[str, Task]:
    found: dict[str, list[Task]] = {}
    for task in tasks:
        found.setdefault(task.id, []).append(task)
    return {name: own[0] for name, own in found.items() if len(own) == 1}


def figure(name: str, pairs: Sequence[tuple[float, float]]) -> Figure | None:
    """The mean of both sides and of their difference, one pair a task; None without tasks."""
    if not pairs:
        return None
    differences = [after - before for before, after in pairs]
    return Figure(
        name,
        len(pairs),
        fmean(before for before, _ in pairs),
        fmean(after for _, after in pairs),
        fmean(differences),
        mean_interval(differences),
        tasks_for_mean(differences),
    )


def _known(pairs: Sequence[tuple[Task, Task]], name: str) -> list[tuple[float, float]]:
    found = ((before.metric(name), after.metric(name)) for before, after in pairs)
    return [(before, after) for before, after in found if before is not None and after is not None]


def _is_settled(task: Task) -> bool:
    low, high = task.success
    return low == high and abs(task.score[0] - task.score[1]) <= _SAME


def _verdicts(pairs: Sequence[tuple[Task, Task]]) -> Verdicts | None:
    found = [(before.trials.verdict, after.trials.verdict) for before, after in pairs]
    known = [(one == "passed", other == "passed") for one, other in found if "undetermined" not in (one, other)]
    if not known:
        return None
    won, lost = known.count((False, True)), known.count((True, False))
    before, after = (sum(side) for side in zip(*known, strict=True))
    return Verdicts(len(known), before, after, won, lost, mcnemar(won, lost), tasks_for_success(won, lost, len(known)))


def _drop(pairs: Sequence[tuple[Task, Task]]) -> Bounds | None:
    if not pairs:
        return None
    least = fmean(before.score[0] - after.score[1] for before, after in pairs)
    return least, fmean(before.score[1] - after.score[0] for before, after in pairs)


def _task(before: Task | None, after: Task | None) -> TaskChange:
    if before is None or after is None:
        task = before or after
        assert task is not None
        return TaskChange(task.name, "gone" if after is None else "added", before, after)
    return TaskChange(after.name, _kind(before, after), before, after, tuple(_leaves(before, after)))


def _kind(before: Task, after: Task) -> Kind:
    old, new = before.trials.verdict, after.trials.verdict
    if old != new and "undetermined" not in (old, new):
        return "fixed" if new == "passed" else "broken"
    if old != new:
        return "newly unscored" if new == "undetermined" else "newly scored"
    if after.score[0] > before.score[1] + _SAME:
        return "better"
    if after.score[1] < before.score[0] - _SAME:
        return "worse"
    return "same" if _is_settled(before) and _is_settled(after) else "open"


def _leaves(before: Task, after: Task) -> Iterator[LeafChange]:
    names = dict.fromkeys(name for task in (after, before) for trial in task.leaves for name in trial)
    # Where one side knows no leaf at all (a task that was not judged to its leaves), leaves say nothing.
    if not any(before.leaves) or not any(after.leaves):
        return
    for name in names:
        old = [trial[name] for trial in before.leaves if name in trial]
        new = [trial[name] for trial in after.leaves if name in trial]
        known = [leaf.score for leaf in old if leaf.score is not None]
        now = [leaf.score for leaf in new if leaf.score is not None]
        kind = _leaf_kind(old, new, known, now)
        if kind not in ("same", "open"):
            critical = any(leaf.critical for leaf in (*old, *new))
            yield LeafChange(name, kind, fmean(known) if known else None, fmean(now) if now else None, critical)


def _leaf_kind(old: Sequence[Leaf], new: Sequence[Leaf], known: Sequence[float], now: Sequence[float]) -> Kind:
    if not old or not new:
        return "added" if new else "gone"
    if not known or not now:
        return "newly unscored" if known else "newly scored" if now else "open"
    full, still = (sum(score == 1 for score in scores) / len(scores) for scores in (known, now))
    if full > 0.5 > still:
        return "broken"
    if full < 0.5 < still:
        return "fixed"
    step = fmean(now) - fmean(known)
    return "same" if abs(step) <= _SAME else "better" if step > 0 else "worse"
