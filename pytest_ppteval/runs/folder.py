"""The directory of one run: run.json, results.jsonl, artifacts/<suite>/<task id>/trial-<n>/, running/."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.locks import locked
from pytest_ppteval.files.whole import write_json
from pytest_ppteval.runs.names import folder_name

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORD = "run.json"
RESULTS = "results.jsonl"
ARTIFACTS = "artifacts"
RUNNING = "running"
HOME = ".ppteval"


class RunFolderError(ValueError):
    """A folder that can't be used as a run directory; one line says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run directory at `path`. Made by create or open; by hand where somebody else did that, as in a worker."""

    path: Path

    @classmethod
    def create(cls, path: Path, facts: Mapping[str, Any]) -> RunFolder:
        """A new one, with `facts` as its run.json. `path` may be there and empty.

        Raises RunFolderError where anything is in it already, or where it can't be made.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            with locked(path / ".lock"):
                there = [one.name for one in path.iterdir() if one.name not in (".lock", ".gitignore")]
                if RECORD in there:
                    raise RunFolderError(
                        f"{path} holds a run already: take it up with --ppteval-resume={path}, or name another folder"
                    )
                if there:
                    raise RunFolderError(f"{path} is not empty ({there[0]} is in it): name a new folder for the run")
                write_json(path / RECORD, facts)
        except OSError as error:
            raise RunFolderError(f"{path} can't hold a run: {error.strerror or error}: name another folder") from None
        return cls(path)

    @classmethod
    def create_default(cls, root: Path, facts: Mapping[str, Any]) -> RunFolder:
        """A new one below `root`: .ppteval/runs/<time in UTC>, which git is told to pass over."""
        runs = root / HOME / "runs"
        try:
            runs.mkdir(parents=True, exist_ok=True)
            ignore = root / HOME / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", "utf-8")
            stamp = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H-%M-%SZ")  # no colons: Windows
            path, number = runs / stamp, 1
            while True:
                try:
                    path.mkdir()
                    break
                except FileExistsError:  # of another session that started in this second
                    number += 1
                    path = runs / f"{stamp}-{number}"
        except OSError as error:
            raise RunFolderError(
                f"{runs} can't hold runs: {error.strerror or error}: name a folder with --ppteval-results"
            ) from None
        return cls.create(path, facts)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """One that is there. Raises RunFolderError for a folder that is none, or whose run.json can't be used."""
        if not path.is_dir():
            what = "is a file" if path.exists() else "is not there"
            raise RunFolderError(f"{path} {what}: name the directory of a run (the one with {RECORD} in it)")
        if not (path / RECORD).is_file():
            nearer = [f"{one}" for one in sorted(path.iterdir()) if (one / RECORD).is_file()] if path.is_dir() else []
            hint = f"; there are runs in it: did you mean {nearer[-1]}?" if nearer else ""
            raise RunFolderError(f"{path} is no run directory: {RECORD} is not in it{hint}")
        folder = cls(path)
        folder.facts()
        return folder

    def facts(self) -> dict[str, Any]:
        """What run.json says. Raises RunFolderError."""
        from pytest_ppteval.case.document import read_document
        from pytest_ppteval.case.model import FormatError
        from pytest_ppteval.runs.schema import find_problems

        record = self.path / RECORD
        try:
            data = read_document(record).data
        except FormatError as error:
            raise RunFolderError(str(error)) from None
        problems = find_problems(data, "run-directory")
        if problems:
            raise RunFolderError(f"{record}: {problems[0]}")
        found: dict[str, Any] = data
        return found

    def update(self, **facts: Any) -> None:
        """Change some of what run.json says, say ended=utc_now(). Raises RunFolderError, OSError."""
        with locked(self.path / ".lock"):
            write_json(self.path / RECORD, {**self.facts(), **facts})

    def note_resumed(self, at: str) -> None:
        """Say that the run is taken up again."""
        self.update(resumed=[*self.facts().get("resumed", []), at], ended=None)

    @property
    def results(self) -> Path:
        """The journal; see runs.journal."""
        return self.path / RESULTS

    @property
    def running(self) -> Path:
        """Where it is told what runs now; see runs.running."""
        return self.path / RUNNING

    def artifacts(self, suite: str, task_id: str, trial: int, variant: str = "") -> Path:
        """Where a trial's artifacts are kept, there or not: artifacts/<suite>/<task id>/trial-<n>.

        Names that a file system would not take are escaped (runs.names). variant: tells apart what shares suite, id and
        trial, say tests of one task with different values of a parametrised fixture.
        """
        last = f"trial-{trial}" + (f"-{folder_name(variant)}" if variant else "")
        return self.path / ARTIFACTS / folder_name(suite) / folder_name(task_id) / last

    def relative(self, path: Path) -> str:
        """A path below the run directory as records have it."""
        return path.relative_to(self.path).as_posix()

    def locate(self, folder: str | None) -> Path | None:
        """The folder that a record names; None where it names none, or one that is not below artifacts/."""
        if folder is None:
            return None
        parts = PurePosixPath(folder).parts
        if not parts or parts[0] != ARTIFACTS or ".." in parts or "\\" in folder or ":" in parts[0]:
            return None
        found = self.path.joinpath(*parts)
        # Nor by a link in the way.
        return found if found.resolve().is_relative_to((self.path / ARTIFACTS).resolve()) else None
