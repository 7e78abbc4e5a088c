"""A rubric tried out: on decks of which it is known whether they must pass."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.check.accepted import listed
from pytest_ppteval.check.finding import Finding
from pytest_ppteval.check.judging import Judge, differs
from pytest_ppteval.check.mutants.make import mutants
from pytest_ppteval.check.mutants.model import ALLOWABLE
from pytest_ppteval.check.office import saved_by_office
from pytest_ppteval.deck.guard import DeckRejected, read_deck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.check.mutants.model import Mutant
    from pytest_ppteval.sandbox.host import Sandbox

COUNTEREXAMPLES = "counterexamples"
INDEX = "caught-by.tsv"


@dataclass(frozen=True, slots=True)
class Score:
    """What a rubric came to on the decks that it was tried on.

    valid, accepted: decks that must pass, and those that do; wrong, caught: decks that must not; mutants, killed: those
    that count; allowed: mutants that the rubric's own `changes` let through; invisible: those that nobody could see.
    survivors: the mutants that pass and are not accepted with a reason; excused: those that are.
    """

    task: str
    valid: int = 0
    accepted: int = 0
    wrong: int = 0
    caught: int = 0
    mutants: int = 0
    killed: int = 0
    allowed: int = 0
    invisible: int = 0
    survivors: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """The mutation score, 0..1; None where no mutant counts."""
        return self.killed / self.mutants if self.mutants else None


@dataclass(frozen=True, slots=True)
class Tried:
    """The findings about one task, and its score; None where there was nothing to try it on."""

    findings: tuple[Finding, ...]
    score: Score | None = None


@dataclass(frozen=True)
class Means:
    """What a task is tried with.

    approved: the output that was approved; None where there is none. others: other tasks' approved outputs, by task.
    counterexamples: the folder with <name>.pptx and caught-by.tsv (name, leaf), there or not. keep: where mutants that
    pass are written to. mutants: whether any are made. office: whether LibreOffice may save the approved output anew.
    """

    approved: Path | None
    others: Mapping[str, Path] = field(default_factory=dict)
    counterexamples: Path | None = None
    keep: Path | None = None
    seed: int = 0
    office: bool = False
    mutants: bool = True


def try_out(case: Case, means: Means, sandbox: Callable[[], Sandbox]) -> Tried:
    """Everything that decks can tell about a case's rubric."""
    source = case.rubric.source
    if case.original is None:
        return Tried(())
    try:
        original = read_deck(case.original)
        judge = Judge(case, original, sandbox)
    except (DeckRejected, OSError) as error:
        return Tried((Finding("original-unusable", source, f"{case.original.name} {error}", case.id),))
    trial = _Trial(case, judge, original)
    trial.must_fail("accepts-untouched", "the untouched deck", original)
    trial.must_fail("accepts-empty", "a deck without slides", empty_deck())
    for other, path in means.others.items():
        if (data := _read(path)) is not None:
            trial.must_fail("accepts-other", f"the output of {other}", data)
    if means.counterexamples is not None:
        for name, leaf, data in counterexamples(means.counterexamples):
            trial.must_fail("accepts-counterexample", f"counterexample {name}", data, leaf)
    approved = _read(means.approved) if means.approved is not None else None
    if approved is None:
        trial.findings.append(Finding("unproven", source, "there is no approved output to prove it on", case.id))
        return Tried(tuple(trial.findings), trial.score())
    trial.must_pass("refuses-approved", "the approved output", approved)
    if means.office and (again := saved_by_office(approved)) is not None:
        trial.must_pass("refuses-equal", "the approved output saved anew by LibreOffice", again)
    if means.mutants:
        trial.mutate(approved, means.seed, means.keep)
    return Tried(tuple(trial.findings), trial.score())


class _Trial:
    def __init__(self, case: Case, judge: Judge, original: bytes) -> None:
        self._case, self._judge, self._original = case, judge, original
        self._accepts = [str(entry["mutant"]) for entry in listed(case) if "mutant" in entry]
        self.findings: list[Finding] = []
        self._valid, self._wrong, self._mutants = [0, 0], [0, 0], [0, 0]  # how many; as they should be
        self._allowed = self._invisible = 0
        self._survivors: list[str] = []
        self._excused: list[str] = []

    def score(self) -> Score:
        return Score(
            self._case.id,
            *(self._valid[0], self._valid[1], self._wrong[0], self._wrong[1], self._mutants[0], self._mutants[1]),
            allowed=self._allowed,
            invisible=self._invisible,
            survivors=tuple(self._survivors),
            excused=tuple(self._excused),
        )

    def must_pass(self, rule: str, what: str, data: bytes) -> None:
        found = self._judge.outcome(data)
        self._valid[0] += 1
        # What a model or a picture must be asked about is open here, and no fault of the rubric.
        self._valid[1] += found.passed is not False
        if found.passed is False:
            self._tell(rule, f"{what} falls short: {found.leaf}: {found.reason}", found.leaf)

    def must_fail(self, rule: str, what: str, data: bytes, leaf: str | None = None) -> None:
        found = self._judge.outcome(data, all_leaves=leaf is not None)
        self._wrong[0] += 1
        if found.passed is True:
            self._tell(rule, f"{what} passes")
        elif found.passed is None:  # what only a model or a picture can tell
            self._wrong[0] -= 1
        elif leaf is not None and leaf not in found.short:
            caught = ", ".join(found.short) or "none"
            self._tell(rule, f"{what} should fall by {leaf!r}, and falls by {caught}", leaf)
        else:
            self._wrong[1] += 1

    def mutate(self, approved: bytes, seed: int, keep: Path | None) -> None:
        world = self._judge.world(approved)
        changed = {change.slide_id for change in world.account.changes if change.what != "rewritten"}
        worked_on = [int(slide.id) for slide in world.after.slides if slide.id in changed]
        for mutant in mutants(self._original, approved, worked_on, seed):
            if mutant.kind == "equal":
                self.must_pass("refuses-equal", mutant.name, mutant.data())
            else:
                self._mutant(mutant, approved, keep)

    def _mutant(self, mutant: Mutant, approved: bytes, keep: Path | None) -> None:
        found = self._judge.outcome(mutant.deck)
        if found.passed is False:
            self._mutants[0] += 1
            self._mutants[1] += 1
        elif not differs(approved, mutant.deck):
            self._invisible += 1
        elif mutant.kind in ALLOWABLE and self._judge.is_allowed(mutant.deck):
            self._allowed += 1
        elif any(fnmatchcase(mutant.name, pattern) for pattern in self._accepts):
            self._excused.append(mutant.name)
        else:
            self._mutants[0] += 1
            self._survivors.append(mutant.name)
            how = "passes" if found.passed else "is left to a model or a picture"
            self._tell("survivor", f"{mutant.name}: {how}", mutant=mutant.name)
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                number = len(self._survivors)
                (keep / f"{number:02}-{mutant.aspect.replace(' ', '-')}.pptx").write_bytes(mutant.data())

    def _tell(self, rule: str, message: str, leaf: str = "", mutant: str = "") -> None:
        where = next((one.node.source for one in self._case.rubric.leaves if one.id == leaf), self._case.rubric.source)
        self.findings.append(Finding(rule, where, f"{self._case.id}: {message}", self._case.id, leaf, mutant))


def counterexamples(folder: Path) -> Iterator[tuple[str, str | None, bytes]]:
    """(name, the leaf that must catch it or None for any, the deck) of each <name>.pptx in a folder."""
    caught_by: dict[str, str] = {}
    if (folder / INDEX).is_file():
        with (folder / INDEX).open(encoding="utf-8", newline="") as file:
            caught_by = {row[0]: row[1] for row in csv.reader(file, "excel-tab") if len(row) > 1}
    for path in sorted(folder.glob("*.pptx")):
        if (data := _read(path)) is not None:
            yield path.stem, caught_by.get(path.stem), data


def empty_deck() -> bytes:
    """A deck of python-pptx' default design, without slides."""
    import pptx

    out = BytesIO()
    pptx.Presentation().save(out)
    return out.getvalue()


def _read(path: Path) -> bytes | None:
    try:
        return read_deck(path)
    except (DeckRejected, OSError):
        return None
