"""Which try at its task an item is. Agents are not deterministic: a task may be tried several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_ppteval.case.model import Case


@dataclass(frozen=True, slots=True)
class Trial:
    """Which try at a task an item is: number 1..planned, `require` of which must pass."""

    number: int = 1
    planned: int = 1
    require: int = 1

    @property
    def tolerated(self) -> bool:
        """Whether this trial may fail without failing the task by itself."""
        return self.require < self.planned


def trial_of(item: pytest.Item) -> Trial:
    """Which trial an item is."""
    own = getattr(item, "trial", None)
    if isinstance(own, Trial):
        return own
    callspec = getattr(item, "callspec", None)
    found = callspec.params.get("ppteval_trial") if callspec is not None else None
    return found if isinstance(found, Trial) else Trial()


def planned(case: Case, asked: int | None) -> Trial:
    """The first of a case's trials: as many as `asked`, else as the case says. A case that wants all of its own passed
    wants all of those, and one that wants some wants no more than there are."""
    if case.facts is not None:
        own, needed = case.facts.trials, case.facts.require
    else:
        own = case.settings.trials or 1
        needed = case.settings.require or own
    count = asked or own
    return Trial(1, count, min(needed, count) if needed < own else count)
