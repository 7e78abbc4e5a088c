"""Runs as they are kept: a folder each, with run.json, trace.json, the response, workspace/ and, of tasks about decks,
output.pptx.

    baselines/<suite>/<case id>/                        the approved run
    baselines/<suite>/<case id>/alternatives/<name>/    further ones, just as good

Candidates that a test run records lie in another folder in the same way, without approval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_ppteval.baseline.digests import changes
from pytest_ppteval.evidence.measure import Measure, measure
from pytest_ppteval.evidence.outputs import read_metrics
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.evidence.workspace import Workspace, shown
from pytest_ppteval.prose.shown import shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.evidence.run import Lacking

RECORD = "run.json"
DECK = "output.pptx"
ALTERNATIVES = "alternatives"


class BadRunError(ValueError):
    """A kept run that can't be used; one line names the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a run left. kept: whether its content is kept, not only its hash."""

    name: str
    bytes: int
    sha256: str
    kept: bool


class KeptRun:
    """A run in the folder `folder`, approved or not. name: of an alternative; "" for the approved run itself."""

    def __init__(self, folder: Path, record: Mapping[str, Any], case: str = "", name: str = "") -> None:
        self.folder = folder
        self.record = record
        self.name = name
        self.run = Run(folder, case)

    @property
    def approved(self) -> bool:
        """Whether somebody stands for it."""
        return all(self.record.get(key) for key in ("approved_by", "approved_at", "why"))

    @property
    def title(self) -> str:
        """Who approved it and when, in words."""
        alternative = f"alternative {self.name!r}, " if self.name else ""
        if not self.approved:
            return f"{alternative}not approved"
        return shown_name(f"{alternative}approved by {self.record['approved_by']} on {self.record['approved_at'][:10]}")

    @property
    def hashes(self) -> Mapping[str, str] | None:
        """The hashes of the case that it was approved for; None where none were kept."""
        return self.record.get("hashes")

    @cached_property
    def artifacts(self) -> tuple[Artifact, ...] | None:
        """The files that the run left; None where they were not kept."""
        listed = self.record.get("artifacts")
        if listed is not None:
            return tuple(Artifact(one["name"], int(one["bytes"]), one["sha256"], one["kept"]) for one in listed)
        workspace = self.run.workspace
        return artifacts_of(workspace) if isinstance(workspace, Workspace) else None

    def measure(self, key: str) -> Measure | Lacking:
        """What the run took, as Evidence.measure says it."""
        metrics, problem = read_metrics(self.folder / RECORD, "metrics")
        return measure(key, metrics, problem, self.run)


@dataclass(frozen=True, slots=True)
class Found:
    """The approved runs of a case, its own first, and what is wrong with some."""

    runs: tuple[KeptRun, ...] = ()
    problems: tuple[str, ...] = ()


def artifacts_of(workspace: Workspace, keep: int | None = None) -> tuple[Artifact, ...]:
    """The files of a workspace; those of more than `keep` bytes are by hash only."""
    from pytest_ppteval.baseline.hashes import sha256_of

    found = []
    for name in workspace.files:
        size = workspace.size(name)
        found.append(Artifact(name, size, sha256_of(workspace.root / name), keep is None or size <= keep))
    return tuple(found)


def case_folder(root: Path, suite: str, case: str) -> Path:
    """Where the runs of a case are kept below `root`."""
    return root / suite / case


def load_run(folder: Path, case: str = "", name: str = "") -> KeptRun:
    """The run kept in `folder`. Raises BadRunError."""
    from pytest_ppteval.case.document import read_document
    from pytest_ppteval.case.model import FormatError
    from pytest_ppteval.case.validate import find_problems, raise_all

    path = folder / RECORD
    if not path.is_file():
        raise BadRunError(f"{shown(folder)}: no {RECORD}, so that nobody approved it: use ppteval approve")
    try:
        document = read_document(path, shown(path))
        raise_all(find_problems(document, "run"))
    except FormatError as error:
        raise BadRunError(str(error)) from None
    return KeptRun(folder, document.data, case, name)


def load_approved(root: Path, suite: str, case: str) -> Found:
    """The approved runs of a case below the folder `root` of baselines."""
    folder = case_folder(root, suite, case)
    places = [(folder, "")]
    alternatives = folder / ALTERNATIVES
    if alternatives.is_dir():
        places += [
            (path, path.name)
            for path in sorted(alternatives.iterdir())
            if path.is_dir() and not path.name.startswith(".")
        ]
    runs, problems = [], []
    for place, name in places:
        if name == "" and not (place / RECORD).exists() and Run(place).is_empty() and not (place / DECK).exists():
            continue
        try:
            run = load_run(place, case, name)
        except BadRunError as error:
            problems.append(str(error))
            continue
        changed = next(changes(run.record, run.folder), None)
        if not run.approved:
            problems.append(f"{shown(place / RECORD)}: approved_by, approved_at or why is empty: use ppteval approve")
        elif changed is not None:
            path, what = changed
            problems.append(f"{shown(path)} {what}: restore what was approved, or approve another run in its place")
        else:
            runs.append(run)
    return Found(tuple(runs), tuple(problems))
