"""Runs as they are compared, wherever they were kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.rubric.trials import Bounds, Trials

METRICS = ("seconds", "input_tokens", "output_tokens", "cost_usd", "tool_calls")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A judged leaf of one trial. score: None where it was not scored. critical: or a budget, which gates alike.

    rule: of a case's rule, its name, such as skill_used.
    """

    score: float | None
    critical: bool = False
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a run, with its trials that were judged in whole.

    name: its node id without the trial, or its id where nothing else is known. leaves: of each trial, by leaf id.
    metrics: what is known of what each trial's agent took, by name (METRICS).
    """

    name: str
    id: str
    trials: Trials
    leaves: tuple[Mapping[str, Leaf], ...] = ()
    metrics: tuple[Mapping[str, float], ...] = ()
    scenario: str | None = None
    polarity: str = "positive"

    @property
    def score(self) -> Bounds:
        """Its mean score; a range where trials are open."""
        return self.trials.mean or (0.0, 1.0)

    @property
    def success(self) -> Bounds:
        """The share of its trials that passed; a range where some are open."""
        found = self.trials.pass_at(1)
        return (0.0, 1.0) if found is None else found

    def metric(self, name: str) -> float | None:
        """What a trial took on average, of those that tell it."""
        known = [one[name] for one in self.metrics if name in one]
        return fmean(known) if known else None


@dataclass(frozen=True, slots=True)
class Run:
    """A run. name: for people. tasks: by name. notes: what its reader should know: no end, lines that can't be read."""

    name: str
    tasks: Mapping[str, Task]
    agent: str | None = None
    without_skill: bool = False
    notes: tuple[str, ...] = field(default=())
