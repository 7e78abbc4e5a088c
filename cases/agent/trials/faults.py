"""Trials that go wrong: how they are made and where they are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trials.good import MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trials.session import Agent, Trial


@dataclass(frozen=True)
class Fault:
    """A way to fail a case. name: also that of its folder."""

    case: str
    name: str
    make: Callable[[Agent], Trial]


FAULTS: list[Fault] = []


def fault(case: str) -> Callable[[Callable[[Agent], Trial]], Callable[[Agent], Trial]]:
    """The function makes a bad trial of `case`, from an agent that was told its prompt."""

    def register(make: Callable[[Agent], Trial]) -> Callable[[Agent], Trial]:
        FAULTS.append(Fault(case, make.__name__, make))
        return make

    return register


def change(case: str) -> Callable[[Callable[[Trial], Trial]], Callable[[Trial], Trial]]:
    """The function spoils the good trial of `case`."""

    def register(spoil: Callable[[Trial], Trial]) -> Callable[[Trial], Trial]:
        FAULTS.append(Fault(case, spoil.__name__, lambda agent: spoil(MAKERS[case](agent))))
        return spoil

    return register


def swap(text: str, *pairs: tuple[str, str]) -> str:
    """`text` with each first replaced by its second, which must be there: a fault must not quietly do nothing."""
    for old, new in pairs:
        assert old in text, f"{old!r} is not in {text!r}"
        text = text.replace(old, new)
    return text


def edit(trial: Trial, *pairs: tuple[str, str]) -> Trial:
    """The trial with another answer."""
    return trial.with_answer(lambda said: swap(said, *pairs))


def data(trial: Trial, **values: object) -> Trial:
    """The trial with other values in its verdict.json."""
    return trial.with_file("verdict.json", lambda text: json.dumps({**json.loads(text), **values}, indent=2) + "\n")
