"""What a run of a task came to, whoever judged it: what can be compared of this package's records and PPT-Eval's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_ppteval.rubric.trials import gather
from pytest_ppteval.runs.journal import key_of
from pytest_ppteval.runs.records import leaves_of, trial_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_ppteval.rubric.trials import Trials
    from pytest_ppteval.runs.journal import Record


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement. outcome: as in results (passed, failed, undetermined, none, error, skipped).

    low, high: bounds on the score. leaves: score by leaf id; None where it was unscored or in error.
    """

    outcome: str
    low: float
    high: float
    leaves: Mapping[str, float | None] = field(default_factory=dict)

    def as_previous(self) -> dict[str, Any]:
        """For the record of a judgement that takes the place of this one."""
        return {"verdict": self.outcome, "low": self.low, "high": self.high, "leaves": dict(self.leaves)}


def judged(record: Mapping[str, Any]) -> Judged:
    """What a journal record says."""
    leaves = {leaf["leaf_id"]: leaf["score"] for leaf in leaves_of(record) if leaf["selected"]}
    return Judged(record["verdict"], record["low"], record["high"], leaves)


def judged_before(record: Mapping[str, Any]) -> Judged | None:
    """What a re-scored record came to before; None where it was judged once."""
    previous = record.get("previous")
    if previous is None:
        return None
    return Judged(previous["verdict"], previous["low"], previous["high"], previous["leaves"])


def trial_name(record: Mapping[str, Any]) -> str:
    """A trial for people: "cases/tasks.json::t", of several "cases/tasks.json::t, trial 2"."""
    task, trial = key_of(record)
    return task if record["trials"] == 1 else f"{task}, trial {trial}"


def judged_by_name(records: Iterable[Record]) -> dict[str, Judged]:
    """What each record says, for runs.difference."""
    return {trial_name(record): judged(record) for record in records}


def trials_by_task(records: Iterable[Record]) -> dict[str, Trials]:
    """The trials of each task, by its node id without the trial. Tasks that got no verdict in any of them are left out.

    Where records disagree on how many trials there are to be, the most counts: a run may be resumed with more.
    """
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(key_of(record)[0], []).append(record)
    trials = {}
    for task, own in found.items():
        most = max(own, key=lambda record: (record["trials"], record["finished"]))
        known = [trial for record in own if (trial := trial_of(record)) is not None]
        planned = max(most["trials"], *(record["trial"] for record in own))
        if known:
            trials[task] = gather(known, planned=planned, require=min(most["require"], planned))
    return trials
