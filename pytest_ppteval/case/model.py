"""What an agent was asked, as data."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_ppteval.choices import Strategy
    from pytest_ppteval.rubric.dimension import Dimension, Polarity, Scenario
    from pytest_ppteval.rubric.tree import Rubric, Source


class FormatError(ValueError):
    """A file that is not as its format asks. Its text is one line: "file:line:column: what, and what to do".

    also: the further problems found in the same file, in its order; `all` lists every one, this one first.
    """

    def __init__(self, source: Source, message: str, also: Sequence[FormatError] = ()) -> None:
        self.source = source
        self.message = message
        self.also = tuple(also)
        super().__init__(f"{source.path}:{source.line}:{source.column}: {message}")

    @property
    def all(self) -> tuple[FormatError, ...]:
        """This problem and the further ones of its file."""
        return (self, *self.also)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a case is scored, as far as the case itself says so; None leaves it to options and defaults.

    threshold: score that passes, 0..1. non_critical_weight: lambda of the default strategy, 0..1.
    unscored: "error" or "allow".
    trials, require: how often the task is run, and how many of these must pass (all, unless said).
    """

    threshold: float | None = None
    strategy: Strategy | None = None
    non_critical_weight: float | None = None
    unscored: str | None = None
    trials: int | None = None
    require: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a case file says of a case beside its tree (docs/cases.md).

    scenario, polarity, dimension: which side of the agent is tried; None where the file doesn't say.
    agent: which agent runs it. skill: the skill under test as written, a name or a folder beside the file.
    inputs: files and folders for the workspace, absolute; they exist. timeout: seconds.
    trials: how often it is run; require: how many of them must pass. expected: a reference answer.
    folder: of the case file, absolute; reviews are kept in its subfolder "reviews".
    """

    folder: Path
    scenario: Scenario | None = None
    polarity: Polarity = "positive"
    dimension: Dimension | None = None
    agent: str | None = None
    skill: str | None = None
    inputs: tuple[Path, ...] = ()
    timeout: float | None = None
    trials: int = 1
    require: int = 1
    expected: str | None = None

    @property
    def skill_name(self) -> str | None:
        """The name that the skill's SKILL.md gives it, else its folder's, even where `skill` is "..", or as written."""
        return next(iter(self.skill_names), None)

    @property
    def skill_names(self) -> tuple[str, ...]:
        """All names that the skill goes by, its own first: agents read its file in a folder of some name, too."""
        from pytest_ppteval.case.skill import declared_name

        path = self.skill_path
        if path is None:
            return ()
        own = declared_name(path)
        return (path.name,) if own is None or own == path.name else (own, path.name)

    @property
    def skill_path(self) -> Path | None:
        """Where the skill's folder is, if `skill` is one: it may not be there. Without "..", so that it has a name."""
        return None if self.skill is None else Path(os.path.normpath(self.folder / self.skill))


@dataclass(frozen=True, slots=True)
class Case:
    """One task: its goal, the deck it starts from, and the tree that judges the outcome.

    id: as in the registry, or the rubric file's stem. suite: the stem-like name under which approved runs are kept,
    the name of the folder that holds the registry. original: the deck the agent was given, absolute, there or not; None
    where a rubric stands alone and the deck is named elsewhere. source: where the task is written.
    facts: of a case about an agent's run, from a case file; None of a task about a deck.
    """

    id: str
    rubric: Rubric
    source: Source
    suite: str = ""
    goal: str = ""
    original: Path | None = None
    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    misc: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    # What `misc.budget` said, by key (seconds, input_tokens, ...); its leaves are in rubric.gates.
    budget: Mapping[str, float] = field(default_factory=dict)
    facts: Facts | None = None


@dataclass(frozen=True, slots=True)
class WrongCase:
    """A case of a file that did not load. id: as written, None where it has none that is a text.

    source: where it is written. errors: why, at least one. alike: an earlier case of the file that failed for the same
    errors (they share a rubric, say), which tells them.
    """

    id: str | None
    source: Source
    errors: tuple[FormatError, ...]
    alike: str | None = None


@dataclass(frozen=True, slots=True)
class Registry:
    """What a file gave, in its order: the cases that loaded, and those that did not.

    of_file: what is wrong with the file as a whole. Each problem is one line for people.
    """

    cases: tuple[Case, ...] = ()
    of_file: tuple[FormatError, ...] = ()
    wrong: tuple[WrongCase, ...] = ()

    @property
    def errors(self) -> tuple[FormatError, ...]:
        """Every problem met, once."""
        return tuple(dict.fromkeys((*self.of_file, *(error for one in self.wrong for error in one.errors))))
