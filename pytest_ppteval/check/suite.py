"""Files and folders that a user names -> everything found about them. No pytest, no printing."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.case.discover import kind_of
from pytest_ppteval.case.load import load
from pytest_ppteval.check import static
from pytest_ppteval.check.accepted import Acceptances
from pytest_ppteval.check.dynamic import COUNTEREXAMPLES, Means, try_out
from pytest_ppteval.prose.shown import shown
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.check.dynamic import Score, Tried
    from pytest_ppteval.check.finding import Finding

_OUTPUT = "output.pptx"
# The share of mutants that must be caught.
MIN_SCORE = 0.95
# Other tasks' outputs that each task is tried on: on the same original those that are likest, one of each other deck.
_MOST_OTHERS = 4


@dataclass(frozen=True)
class Wanted:
    """What is to be checked, and how.

    baselines: the folder of approved runs. counterexamples: a folder of <task id>/<name>.pptx. static_only: without
    decks. mutants: with them. office: with LibreOffice's way of saving. jobs: processes; 1 for none beside this one.
    """

    paths: Sequence[Path]
    baselines: Path = field(default_factory=lambda: Path("baselines"))
    counterexamples: Path = field(default_factory=lambda: Path(COUNTEREXAMPLES))
    tasks: Sequence[str] = ()
    static_only: bool = False
    mutants: bool = True
    office: bool = False
    keep: Path | None = None
    seed: int = 0
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to: findings in the order of files and lines, and the tasks' scores in that of the files."""

    findings: tuple[Finding, ...]
    scores: tuple[Score, ...]
    cases: int


def cases_of(paths: Iterable[Path]) -> Iterator[tuple[Path, list[Case], list[Finding]]]:
    """Each file of ours at or below the paths, with its cases and what is wrong with it. Raises ValueError for none."""
    found = False
    for path in paths:
        if not path.exists():
            raise ValueError(f"{path} is not there")
        for file, named in [(path, True)] if path.is_file() else [(one, False) for one in sorted(path.rglob("*.*"))]:
            kind = kind_of(file, named=named) if file.is_file() else None
            if kind is not None:
                found = True
                registry = load(file, kind)
                yield file, list(registry.cases), list(static.of_file(registry))
    if not found:
        raise ValueError(f"no rubric, registry or case at {', '.join(map(str, paths))}")


def silent(_done: int, _of: int) -> None:
    """Tell nobody."""


def check(wanted: Wanted, told: Callable[[int, int], None] = silent) -> Checked:
    """Check everything. told: how many tasks are done, and of how many. Raises ValueError."""
    findings: list[Finding] = []
    cases: list[Case] = []
    for _, some, wrong in cases_of(wanted.paths):
        findings += wrong
        cases += [case for case in some if not wanted.tasks or case.id in wanted.tasks]
    for case in cases:
        findings += static.of_case(case)
    scores: list[Score] = []
    if not wanted.static_only:
        for tried in _tried([case for case in cases if case.facts is None and case.original is not None], wanted, told):
            findings += tried.findings
            scores += [tried.score] if tried.score is not None else []
    kept = Acceptances(cases).without(findings, dynamic=not wanted.static_only)
    return Checked(tuple(kept), tuple(scores), len(cases))


def _tried(cases: list[Case], wanted: Wanted, told: Callable[[int, int], None]) -> Iterator[Tried]:
    work = [(case, _means(case, cases, wanted)) for case in cases]
    if wanted.jobs == 1 or len(work) < 2:
        with Sandbox() as sandbox:
            for number, (case, means) in enumerate(work, 1):
                yield try_out(case, means, lambda: sandbox)
                told(number, len(work))
        return
    with ProcessPoolExecutor(min(wanted.jobs, len(work)), mp_context=get_context("spawn")) as pool:
        for number, tried in enumerate(pool.map(_in_process, work), 1):
            yield tried
            told(number, len(work))


def _in_process(work: tuple[Case, Means]) -> Tried:
    with Sandbox() as sandbox:
        return try_out(*work, lambda: sandbox)


def _means(case: Case, cases: Sequence[Case], wanted: Wanted) -> Means:
    approved = _approved(case, wanted.baselines)
    others = {
        other.id: path
        for other in sorted(cases, key=lambda one: (one.original != case.original, one.id))
        if other.id != case.id and (path := _approved(other, wanted.baselines)) is not None
    }
    counter = wanted.counterexamples / case.id
    return Means(
        approved,
        dict(list(others.items())[:_MOST_OTHERS]),
        counterexamples=counter if counter.is_dir() else None,
        keep=wanted.keep / case.id if wanted.keep is not None else None,
        seed=wanted.seed,
        office=wanted.office,
        mutants=wanted.mutants,
    )


def _approved(case: Case, baselines: Path) -> Path | None:
    path = baselines / case.suite / case.id / _OUTPUT
    return path if path.is_file() else None


def check_case(case: Case, cases: Sequence[Case], wanted: Wanted) -> Checked:
    """Check one case; cases: those whose outputs must not pass for its own. Raises ValueError."""
    findings = list(static.of_case(case))
    scores: tuple[Score, ...] = ()
    if case.facts is None and case.original is not None and not wanted.static_only:
        with Sandbox() as sandbox:
            tried = try_out(case, _means(case, cases, wanted), lambda: sandbox)
        findings += tried.findings
        scores = (tried.score,) if tried.score is not None else ()
    return Checked(tuple(Acceptances([case]).without(findings, dynamic=not wanted.static_only)), scores, 1)


def fails(found: Checked, min_score: float = MIN_SCORE) -> bool:
    """Whether something is wrong: an error, a warning, or too few mutants caught; one that passes is only told."""
    weak = any(score.share is not None and score.share < min_score for score in found.scores)
    return weak or any(one.severity != "note" and one.rule != "survivor" for one in found.findings)


def lines(found: Checked, min_score: float = MIN_SCORE) -> list[str]:
    """A line for each finding, and for each task of whose mutants too few are caught."""
    return [
        *(shown(str(finding)) for finding in found.findings),
        *(
            f"{score.task}: {score.killed} of {score.mutants} mutants caught: {score.share:.2f}, below {min_score:g}"
            for score in found.scores
            if score.share is not None and score.share < min_score
        ),
    ]


def processors() -> int:
    """How many processes have a processor each."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
