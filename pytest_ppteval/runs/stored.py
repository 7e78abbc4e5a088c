"""Runs that are kept somewhere, this package's own or PPT-Eval's: what to resume and to re-score looks up here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.runs.folder import RECORD, RunFolder, RunFolderError
from pytest_ppteval.runs.journal import read
from pytest_ppteval.runs.judged import Judged, judged
from pytest_ppteval.runs.records import before
from pytest_ppteval.runs.reference import is_reference, read_reference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.runs.journal import Key, Record
    from pytest_ppteval.runs.records import before
from pytest_ppteval.runs.reference import Reference


@dataclass(frozen=True, slots=True)
class Stored:
    """A trial's run as it is kept.

    folder: what the agent left; None where nothing is kept. complete: whether the agent did its part.
    judged: what it came to; None where it was not judged. record: the journal's, where there is one.
    """

    folder: Path | None
    complete: bool
    judged: Judged | None
    record: Record | None = None

    @property
    def before(self) -> dict[str, Any] | None:
        """For journal_record's `previous`, where this run is judged again; None where it was not judged yet."""
        if self.record is not None:
            return before(self.record)
        return None if self.judged is None else self.judged.as_previous()


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """All that a folder keeps. run: this package's run directory; None where it is PPT-Eval's results folder.

    torn: records that killed sessions left unfinished. problems: what can't be used, a line each.
    """

    path: Path
    run: RunFolder | None
    torn: int
    problems: tuple[str, ...]
    records: Mapping[Key, Record]
    reference: Reference | None = None

    def find(self, task: str, task_id: str, trial: int = 1) -> Stored | None:
        """The run of a task; None where there is none.

        task: its node id without the trial (runs.journal.base_nodeid). PPT-Eval knows tasks by their id alone, and
        tries each once.
        """
        if self.reference is not None:
            found = self.reference.runs.get(task_id) if trial == 1 else None
            return None if found is None else Stored(found.folder, found.complete, found.judged)
        record = self.records.get((task, trial))
        if record is None:
            return None
        assert self.run is not None
        return Stored(self.run.locate(record["folder"]), record["complete"], judged(record), record)


def open_stored(path: Path) -> StoredRuns:
    """The runs in `path`. Raises RunFolderError where it is neither a run directory nor PPT-Eval's results folder."""
    if path.is_dir() and not (path / RECORD).exists() and is_reference(path):
        reference = read_reference(path)
        return StoredRuns(path, None, 0, reference.problems, {}, reference)
    try:
        run = RunFolder.open(path)
    except RunFolderError as error:
        if path.is_dir() and not (path / RECORD).exists():
            raise RunFolderError(f"{error}; it is no results folder of PPT-Eval either") from None
        raise
    journal = read(path)
    return StoredRuns(path, run, journal.torn, journal.problems, journal.records)
