"""What an agent's run left beside a deck: its trace, its final response, its workspace. Each is read on first use."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.evidence.changes import Signature, signatures
from pytest_ppteval.evidence.workspace import Unreadable, Workspace, read_text, shown
from pytest_ppteval.files.plain import NotPlain, apart, is_folder, open_plain, read_json

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

    from pytest_ppteval.trace.model import Trace

RESPONSES = ("response.md", "response.txt")
WORKSPACE = "workspace"
_JUDGED = frozenset((*RESPONSES, "metrics.json", "run.json"))


@dataclass(frozen=True, slots=True)
class Lacking:
    """Why a piece of a run is not to be had.

    fault: "agent" where it should have left it (leaves that need it score 0); "nobody" where it may be there, and was
        not kept or can't be read (such leaves stay unscored).
    absent: there simply is none.
    """

    reason: str
    fault: Literal["agent", "nobody"] = "nobody"
    absent: bool = False


class Run:
    """The folder of one run: trace.* in any known format, response.md or response.txt, workspace/.

    folder: None where there is none. name: the case's id, which picks the run where a trace file holds several.
    given: a trace that takes the place of the folder's, the value of a user's own `trace` fixture.
    """

    def __init__(self, folder: Path | None, name: str = "", given: Trace | None = None) -> None:
        self.folder = folder
        self.name = name
        self.given = given

    @cached_property
    def trace(self) -> Trace | Lacking:
        """What the agent did."""
        if self.given is not None:
            return self.given
        if self.folder is None:
            return Lacking("no trace: the run has no folder", absent=True)
        found = self._traces()
        if not found:
            return Lacking(f"no trace: looked for trace.* in {shown(self.folder)}", absent=True)
        if len(found) > 1:
            return Lacking(f"several traces in {shown(self.folder)} ({_names(found)}): keep one")
        (path,) = found
        try:
            with self._open(path.name) as file:
                if os.fstat(file.fileno()).st_size <= 4096 and not file.read(4096).strip():
                    return Lacking(f"the trace is empty: nothing is recorded in {shown(path)}", "agent")
        except NotPlain as problem:
            return Lacking(f"the trace can't be read: {shown(path)} {problem.why}", problem.fault)
        except OSError as error:
            return Lacking(f"{shown(path)}: can't be read: {error.strerror or error}")
        return self._read(path)

    def _read(self, path: Path) -> Trace | Lacking:
        # Imported late: the readers are many, and a deck's run has no trace.
        from pytest_ppteval.trace.model import TraceError, TraceLimitError
        from pytest_ppteval.trace.read import read_traces

        try:
            traces = read_traces(path)
        except TraceLimitError as error:
            return Lacking(f"the trace can't be read: {error}", "agent")
        except TraceError as error:
            return Lacking(f"the trace can't be read: {error}")
        named = [trace for trace in traces if trace.run == self.name]
        if len(traces) > 1 and len(named) != 1:
            names = ", ".join(str(trace.run) for trace in traces[:8])
            return Lacking(
                f"{shown(path)} holds {len(traces)} runs, and not one of them is named {self.name!r}: {names}"
            )
        return named[0] if len(traces) > 1 else traces[0]

    @cached_property
    def response(self) -> str | Lacking:
        """The agent's last word."""
        found = [path for name in RESPONSES if os.path.lexists(path := self.folder / name)] if self.folder else []
        if len(found) > 1:
            return Lacking(f"several responses ({_names(found)}) in {shown(found[0].parent)}: keep one")
        if found:
            base, start = apart(found[0].parent)
            text = read_text(base, start + found[0].name, shown(found[0]))
            if isinstance(text, str) and not text.strip():
                return Lacking(f"the final response is empty ({shown(found[0])})", "agent")
            if isinstance(text, Unreadable):
                return Lacking(f"the final response can't be read: {text.reason}", text.fault)
            return text
        trace = self.trace
        if isinstance(trace, Lacking):
            return Lacking(f"no final response: no {' or '.join(RESPONSES)}, and {trace.reason}", trace.fault)
        if trace.final_response is None or not trace.final_response.strip():
            if trace.parts_lost:
                return Lacking(f"no final response: {trace.parts_lost}")
            ended = f" (it ended as {trace.status}{f': {trace.error}' if trace.error else ''})"
            return Lacking(f"the agent gave no final response{'' if trace.status == 'finished' else ended}", "agent")
        return trace.final_response

    @property
    def response_open(self) -> str:
        """Why the agent may have said more after `response`, "" where that is its last word for certain."""
        if self.folder is not None and any((self.folder / name).exists() for name in RESPONSES):
            return ""
        return "" if isinstance(self.trace, Lacking) else self.trace.parts_lost or ""

    @cached_property
    def workspace(self) -> Workspace | Lacking:
        """The files that the agent left."""
        if self.folder is not None and os.path.lexists(self.folder / WORKSPACE):
            base, start = apart(self.folder)
            if is_folder(base, start + WORKSPACE):
                return Workspace(self.folder / WORKSPACE, _not_kept(self.folder))
            return Lacking(f"the run's files can't be read: {shown(self.folder / WORKSPACE)} is no folder", "agent")
        if self.folder is not None and _kept_without_files(self.folder):
            return Workspace(self.folder / WORKSPACE)
        where = f" in {shown(self.folder)}" if self.folder else ""
        return Lacking(f"the run's files were not kept: no folder {WORKSPACE}{where}")

    @cached_property
    def fingerprint(self) -> str:
        """Twelve digits that stand for what the run left, whatever folder it is in; "" where that is nothing."""
        if self.folder is None or self.is_empty():
            return ""
        digest = hashlib.sha256()
        workspace = self.workspace
        below = [f"{WORKSPACE}/{name}" for name in workspace.files] if isinstance(workspace, Workspace) else []
        for name in [*(path.name for path in self._traces()), *RESPONSES, *below]:
            with contextlib.suppress(NotPlain), self._open(name) as file:
                digest.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode("utf-8", "replace"))
        return digest.hexdigest()[:12]

    def signatures(self) -> dict[str, Signature]:
        """What tells that one of its files was written to, by name."""
        return signatures(self.folder, _JUDGED, WORKSPACE)

    def is_empty(self) -> bool:
        """Whether there is nothing at all of a run."""
        folder = self.folder
        if folder is None or not is_folder(folder):
            return True
        return not (self._traces() or any(os.path.lexists(folder / name) for name in (*RESPONSES, WORKSPACE)))

    def _traces(self) -> list[Path]:
        """What is named as a trace, links and pipes too: reading them says what is wrong."""
        assert self.folder is not None
        if not is_folder(self.folder):
            return []
        return sorted(path for path in self.folder.glob("trace.*") if path.is_symlink() or not path.is_dir())

    def _open(self, name: str) -> BufferedReader:
        assert self.folder is not None
        base, start = apart(self.folder)
        return open_plain(base, start + name)


def _not_kept(folder: Path) -> str:
    """What agent.json says of files that were too many or too deep to be kept or told of; "" where it says nothing."""
    base, start = apart(folder)
    try:
        record = read_json(base, f"{start}agent.json")
    except NotPlain:
        return ""
    notes = record.get("notes") if isinstance(record, dict) else None
    for note in notes if isinstance(notes, list) else ():
        if isinstance(note, str) and (
            note.endswith("neither kept nor told of") or note.startswith("not kept: all files")
        ):
            return note
    return ""


def _kept_without_files(folder: Path) -> bool:
    """Whether this is an approved run whose agent left no file. Its workspace is an empty folder, which git drops."""
    try:
        base, start = apart(folder)
        record = read_json(base, f"{start}run.json")
    except NotPlain:
        return False
    return isinstance(record, dict) and record.get("artifacts") == []


def _names(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths[:4])
