"""Two judgements of the same runs: what became of each task and leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.prose.shown import shown_name
from pytest_ppteval.rubric.score import show_score
from pytest_ppteval.runs.judged import judged, judged_before, trial_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_ppteval.runs.journal import Record
    from pytest_ppteval.runs.judged import Judged

# Below that it is how floats were added up.
_SAME = 1e-9
ABSENT = "none"


@dataclass(frozen=True, slots=True)
class LeafChange:
    """A leaf that came out differently. before, after: its score in words: "0.50", "unscored", or "none" where it was
    not judged or did not exist."""

    id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A task in both judgements, or in one. leaves: those that came out differently."""

    task: str
    before: Judged | None
    after: Judged | None
    leaves: tuple[LeafChange, ...] = ()

    @property
    def in_part(self) -> bool:
        """Whether one of the two judged some of the leaves only: those that both judged are compared, and no more."""
        return any(one is not None and one.outcome == "none" for one in (self.before, self.after))

    @property
    def same(self) -> bool:
        """Whether nothing changed: neither outcome nor score nor any leaf."""
        before, after = self.before, self.after
        if before is None or after is None or self.leaves:
            return False
        if self.in_part:
            return True
        near = abs(before.low - after.low) <= _SAME and abs(before.high - after.high) <= _SAME
        return near and before.outcome == after.outcome


@dataclass(frozen=True, slots=True)
class Difference:
    """All tasks of either judgement, in the order of the later one."""

    tasks: tuple[TaskChange, ...]

    @property
    def changed(self) -> tuple[TaskChange, ...]:
        """The tasks that came out differently."""
        return tuple(task for task in self.tasks if not task.same)

    def lines(self) -> Iterator[str]:
        """The difference for people: each task that changed with its leaves, then how many did, and the means."""
        for task in self.changed:
            change = f"{_show(task.before)} -> {_show(task.after)}{_by(task.before, task.after)}"
            yield f"{shown_name(task.task)}: {'judged in part' if task.in_part else change}"
            for leaf in task.leaves:
                yield f"    {leaf.id}: {leaf.before} -> {leaf.after}"
        both = [(task.before, task.after) for task in self.tasks if task.before and task.after and not task.in_part]
        total = len(self.tasks)
        yield f"{len(self.changed)} of {total} {'task' if total == 1 else 'tasks'} changed"
        if both:
            before, after = zip(*both, strict=True)
            yield f"mean score {_mean(before)} -> {_mean(after)}, passed {_passed(before)} -> {_passed(after)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def difference(before: Mapping[str, Judged | None], after: Mapping[str, Judged | None]) -> Difference:
    """What changed from one judgement to the other, each by a task's name for people."""
    names = [*after, *(name for name in before if name not in after)]
    return Difference(tuple(_compare(name, before.get(name), after.get(name)) for name in names))


def rescored(records: Iterable[Record]) -> Difference:
    """What a re-scoring changed, from its records, which tell what was before. Those judged once are left out."""
    pairs = {trial_name(record): (judged_before(record), judged(record)) for record in records}
    old = {name: before for name, (before, _) in pairs.items() if before is not None}
    return difference(old, {name: pairs[name][1] for name in old})


def _compare(task: str, before: Judged | None, after: Judged | None) -> TaskChange:
    if before is None or after is None:
        return TaskChange(task, before, after)
    # Where one side knows no leaf at all (a reference folder without its trees, an error), leaves say nothing.
    names = [*{**after.leaves, **before.leaves}] if before.leaves and after.leaves else []
    if TaskChange(task, before, after).in_part:
        names = [name for name in names if name in before.leaves and name in after.leaves]
    changes = [_leaf_change(name, before.leaves, after.leaves) for name in names]
    return TaskChange(task, before, after, tuple(change for change in changes if change is not None))


def _leaf_change(name: str, before: Mapping[str, float | None], after: Mapping[str, float | None]) -> LeafChange | None:
    old, new = before.get(name), after.get(name)
    if (name in before) == (name in after) and (old is None) == (new is None):
        if old is None or new is None or abs(old - new) <= _SAME:
            return None
        shown = show_score(old, old), show_score(new, new)
        return LeafChange(name, *(shown if shown[0] != shown[1] else (f"{old:.9g}", f"{new:.9g}")))
    return LeafChange(name, _leaf(name, before), _leaf(name, after))


def _leaf(name: str, scores: Mapping[str, float | None]) -> str:
    if name not in scores:
        return ABSENT
    score = scores[name]
    return "unscored" if score is None else show_score(score, score)


def _show(one: Judged | None) -> str:
    return "not judged" if one is None else f"{one.outcome} {show_score(one.low, one.high)}"


def _by(before: Judged | None, after: Judged | None) -> str:
    """The change of a score that is known on both sides."""
    if before is None or after is None or before.low != before.high or after.low != after.high:
        return ""
    step = after.low - before.low
    return f" ({step:+.2f})" if abs(step) >= 0.005 else ""


def _mean(all_of: tuple[Judged, ...]) -> str:
    count = len(all_of)
    return show_score(sum(one.low for one in all_of) / count, sum(one.high for one in all_of) / count)


def _passed(all_of: tuple[Judged, ...]) -> int:
    return sum(one.outcome == "passed" for one in all_of)
