"""Putting runs among the approved ones. Only the commands do that, when a person asks for it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_ppteval.baseline.candidate import Candidate, make_candidate, now, write
from pytest_ppteval.baseline.digests import changes
from pytest_ppteval.baseline.hashes import freshness, hashes_of
from pytest_ppteval.baseline.store import ALTERNATIVES, RECORD, BadRunError, KeptRun, case_folder, load_run
from pytest_ppteval.evidence.outputs import find_output
from pytest_ppteval.evidence.run import WORKSPACE, Run
from pytest_ppteval.evidence.workspace import shown
from pytest_ppteval.files.locks import locked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.evidence import Evidence


def record_candidate(folder: Path, baselines: Path, evidence: Evidence, judged: Mapping[str, Any]) -> Path | None:
    """Keep the run in `folder`, for a person to look at; None where the agent left nothing.

    Raises BadRunError where that would be among the approved runs: no test run may change those.
    """
    case = evidence.case
    if case is None or evidence.missing:
        return None
    place = case_folder(folder, case.suite, case.id)
    if is_within(place, baselines):
        raise BadRunError(f"{shown(place)} is among the approved runs: name another folder to record candidates in")
    candidate = make_candidate(
        case,
        evidence.run,
        deck=Path(evidence.modified) if evidence.modified else None,
        metrics=evidence.metrics,
        problem=evidence.metrics_problem,
        judged=judged,
    )
    write(candidate, place)
    return place


def is_within(path: Path, folder: Path) -> bool:
    """Whether `path` is `folder` or below it, links followed."""
    return path.resolve().is_relative_to(folder.resolve())


def find_candidate(case: Case, source: Path, baselines: Path, scratch: Path) -> KeptRun:
    """The run of `case` in `source`: a folder of recorded candidates, or of outputs.

    scratch: where a run from outputs is made ready. Raises BadRunError where there is none, where it was changed since
    it was recorded, or where the case was.
    """
    place = case_folder(source, case.suite, case.id)
    if not (place / RECORD).is_file():
        output = find_output(case, source, baselines)
        if output.problem:
            looked = f"no candidate in {shown(place)}, and as outputs: {output.problem}"
            raise BadRunError(f"{case.suite}/{case.id}: {looked}; record one with --ppteval-record-baselines DIR")
        candidate = make_candidate(
            case,
            Run(output.folder, case.id),
            deck=output.deck,
            metrics=output.metrics,
            problem=output.metrics_problem,
        )
        place = case_folder(scratch, case.suite, case.id)
        write(candidate, place)
    run = load_run(place, case.id)
    _check(run)
    fresh = freshness(run.hashes, case, hashes_of(case))
    if fresh.state == "stale" or not run.hashes:
        raise BadRunError(f"{shown(place)}: recorded for another version of the case ({fresh.why}): record it again")
    return run


def _check(run: KeptRun) -> None:
    """Refuse a run whose files or record are not those that were recorded, no fewer and no more."""
    for path, what in changes(run.record, run.folder):
        raise BadRunError(f"{shown(path)} {what}: record the run again")


def place_of(baselines: Path, suite: str, case: str, name: str = "") -> Path:
    """Where the approved run of a case is, or its alternative `name`."""
    folder = case_folder(baselines, suite, case)
    return folder / ALTERNATIVES / name if name else folder


def approve(run: KeptRun, place: Path, *, by: str, why: str, old: KeptRun | Literal["any"] | None = "any") -> None:
    """Put the run into `place` as approved, in place of `old`. Raises BadRunError where another is there by now."""
    record = {"approved_by": by, "approved_at": now(), "why": why}
    record |= {key: value for key, value in run.record.items() if key not in record}
    put(run, place, record, old)


def standing(place: Path, case: str, name: str = "") -> KeptRun | None:
    """The run that is in `place`; None where there is none, or one that can't be read, and may be replaced."""
    try:
        return load_run(place, case, name)
    except BadRunError:
        return None


def put(run: KeptRun, place: Path, record: Mapping[str, Any], old: KeptRun | Literal["any"] | None) -> None:
    """Put a copy of the run into `place`, in place of `old`, which somebody has looked at.

    Whoever comes second finds another run there, and is told so. Raises BadRunError.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    whose = f"{getattr(os, 'getuid', int)()}-{hashlib.sha256(str(place.resolve()).encode()).hexdigest()[:16]}"
    lock = Path(tempfile.gettempdir()) / f"ppteval-approve-{whose}.lock"
    with locked(lock):
        there = standing(place, run.run.name)
        if old != "any" and (there.record if there else None) != (old.record if old else None):
            raise BadRunError(f"{shown(place)}: another run was put there meanwhile: look at it, and start again")
        # Again: minutes may have gone by since it was shown.
        _check(run)
        copy_run(run, place, record)


def copy_run(run: KeptRun, place: Path, record: Mapping[str, Any]) -> None:
    """Put a copy of the run into `place`, with another record."""
    write(Candidate(dict(record), {}, files_of(run)), place)


def files_of(run: KeptRun) -> dict[str, Path]:
    """The files of a kept run beside its record, by name; its alternatives are runs of their own."""
    found = {}
    for folder, below, names in os.walk(run.folder):
        here = Path(folder)
        if here == run.folder:
            below[:] = [name for name in below if name == WORKSPACE]
        for name in sorted(names):
            path = here / name
            if path != run.folder / RECORD and path.is_file() and not path.is_symlink():
                found[path.relative_to(run.folder).as_posix()] = path
    return found
