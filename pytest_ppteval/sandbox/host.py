"""The host's side of the sandbox, in pytest's process: starts it, opens tasks, runs leaves, reports what came of them.

Cheap to import. No deck is parsed and no rubric's code is run in this process.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_ppteval.sandbox.channel import BrokenMessageError, Message
from pytest_ppteval.sandbox.code import imports_of
from pytest_ppteval.sandbox.conclude import Printed, conclude, fate
from pytest_ppteval.sandbox.dialogue import Dialogue, Ending
from pytest_ppteval.sandbox.job import (
    Answer,
    DeckUnusable,
    Job,
    Limits,
    ModelRequest,
    Outcome,
    Picture,
    SandboxError,
    Which,
)
from pytest_ppteval.sandbox.policy import Layer, Mode, make_plan
from pytest_ppteval.sandbox.processes import PATIENCE, Keeper, Zygote
from pytest_ppteval.sandbox.text import one_line, size

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from pytest_ppteval.deck.model import PowerPointDiff

__all__ = [
    "Answer",
    "DeckUnusable",
    "Job",
    "Limits",
    "ModelRequest",
    "Outcome",
    "Picture",
    "Sandbox",
    "SandboxError",
    "TaskSession",
]

_DIFF_LIMIT = 1 << 30


class Sandbox:
    """The sandbox of this process. Not for use from several threads.

    mode: "auto" takes what confinement there is, "require" insists on all of it, "off" does without.
    limits: what each leaf may use. preload: modules that leaves will import, see code.imports_of.
    layers, max_landlock_abi: for tests of the weaker levels.
    Raises SandboxUnavailable for mode "require" where the level is not "full".
    """

    def __init__(
        self,
        mode: Mode = "auto",
        *,
        limits: Limits | None = None,
        preload: Iterable[str] = (),
        layers: Iterable[Layer] | None = None,
        max_landlock_abi: int | None = None,
    ) -> None:
        self._plan, self.level = make_plan(mode, layers=layers, max_landlock_abi=max_landlock_abi)
        self.limits = limits or Limits()
        self._preload = sorted(set(preload))
        self._zygote: Zygote | None = None
        self._owner = os.getpid()

    def start(self) -> None:
        """Start the sandbox's first process, and return at once: it gets ready in the background."""
        self._started()

    def open(self, original: Path | None, modified: Path | None, readable: Iterable[Path] = ()) -> TaskSession:
        """A session for one task's leaves. They can read its decks and the files in `readable` (pictures).

        Checking and parsing the decks goes on in the background; the session's first use waits for it.
        Raises SandboxError.
        """
        paths = {"original": original, "modified": modified}
        decks = {which: None if path is None else os.path.abspath(path) for which, path in paths.items()}
        session = TaskSession(self, decks, tuple(sorted({os.path.abspath(path) for path in readable})))
        session._connect()
        return session

    def close(self) -> None:
        """End the sandbox's processes. Sessions that are open are of no more use."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            if self._owner == os.getpid():
                zygote.close()
            else:
                zygote.forget()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _started(self) -> Zygote:
        if not hasattr(os, "fork"):
            raise SandboxError(
                "rubric code cannot run on this system yet: the sandbox needs os.fork (Linux, macOS, or WSL on Windows)"
            )
        if self._owner != os.getpid() and self._zygote is not None:
            # A forked copy of pytest's process: the zygote belongs to the original.
            self._zygote.forget()
            self._zygote = None
        self._owner = os.getpid()
        if self._zygote is not None and not self._zygote.usable():
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            plan = self._plan
            config: Message = {
                "t": "config",
                "landlock": plan.landlock,
                "seccomp": plan.seccomp,
                "privileges": plan.privileges,
                "preload": self._preload,
            }
            self._zygote = Zygote(config, self.limits.start, hide_host=plan.privileges and not plan.landlock)
        return self._zygote


class TaskSession:
    """One task's decks, and its leaves, one at a time."""

    def __init__(self, sandbox: Sandbox, decks: dict[str, str | None], readable: tuple[str, ...]) -> None:
        self._sandbox = sandbox
        self._limits = sandbox.limits
        self._decks = decks
        self._readable = readable
        self._keeper: Keeper | None = None
        self._ready = False
        self._unusable: DeckUnusable | None = None
        self._has_diff = False
        self._diff: PowerPointDiff | None = None
        self._leaves = 0
        self._closed = False

    def ready(self) -> None:
        """Wait until the decks are parsed.

        Raises DeckUnusable where the guard or python-pptx refuses one, SandboxError where the sandbox fails.
        """
        if self._unusable is not None:
            raise self._unusable
        if self._closed:
            raise SandboxError("this task's session is closed")
        if self._keeper is None:
            self._connect()
        if not self._ready:
            self._wait_parsed()

    def diff(self) -> PowerPointDiff:
        """The diff of the two decks, computed in the sandbox, once. Raises as `ready`; SandboxError without decks."""
        if self._diff is None:
            from pytest_ppteval.deck.model import PowerPointDiff

            data = self._compute_diff(wanted=True)
            assert isinstance(data, dict)
            self._diff = PowerPointDiff.from_dict(data)
        return self._diff

    def run(self, job: Job, answer: Answer) -> Outcome:
        """Run one leaf.

        Raises as `ready`. A BaseException that interrupts it or `answer` kills the leaf and goes on up.
        """
        started = time.perf_counter()
        job = replace(job, name=one_line(job.name, 200))
        self.ready()
        if job.diff is None and not self._has_diff and None not in self._decks.values() and _may_use_diff(job.code):
            self._compute_diff(wanted=False)
        keeper = self._keeper
        assert keeper is not None
        self._leaves += 1
        ours, theirs = socket.socketpair()
        with ours, _output_file() as output:
            try:
                try:
                    with theirs:
                        keeper.send({"t": "leaf", "id": self._leaves}, (theirs.fileno(), output.fileno()))
                except OSError:
                    return self._lost(started)
                ending = Dialogue(ours, job, answer, self._limits).run(uses_numpy=_uses_numpy(job.code))
            except BaseException:
                self._abandon()
                raise
            return self._conclude(job, ending, output.fileno(), started)

    def close(self) -> None:
        """Let go of the task: its processes are killed."""
        self._closed = True
        self._drop()

    def __enter__(self) -> TaskSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------ the keeper

    def _connect(self) -> None:
        zygote = self._sandbox._started()
        limits = self._limits
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                message: Message = {
                    **self._decks,
                    "readable": list(self._readable),
                    "limits": {
                        "cpu": limits.cpu,
                        "memory": limits.memory,
                        "file_size": limits.file_size,
                        "open_files": limits.open_files,
                    },
                }
                number = zygote.open(message, theirs)
        except BaseException:
            ours.close()
            raise
        self._keeper = Keeper(zygote, number, ours)
        self._ready = self._has_diff = False

    def _drop(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def _wait_parsed(self) -> None:
        keeper = self._keeper
        assert keeper is not None
        which: Which | None = None
        try:
            while True:
                message = keeper.receive(self._limits.parse)
                if message["t"] == "ready":
                    self._ready = True
                    return
                if message["t"] == "parsing":
                    which = "original" if message.get("which") == "original" else "modified"
                    continue
                why = one_line(str(message.get("why")))
                if message["t"] == "refused":
                    raise SandboxError(f"a task's process could not be started or confined: {why}")
                break
        except TimeoutError:
            why = f"checking and opening it took more than {self._limits.parse:g} s"
        except (EOFError, ConnectionError, BrokenMessageError):
            why = f"the process that parses it was lost ({self._keeper_fate(keeper)})"
            if which is None:
                raise SandboxError(f"a task's process was lost ({self._keeper_fate(keeper)})") from None
        finally:
            if not self._ready:
                self._drop()
        if why == "memory":
            why = f"opening it needs more than the memory limit of {size(self._limits.memory)}"
        if which is None:
            raise SandboxError(f"a task's process does not answer: {why}")
        self._unusable = DeckUnusable(which, why)
        raise self._unusable

    def _compute_diff(self, *, wanted: bool) -> object:
        self.ready()
        keeper = self._keeper
        assert keeper is not None
        try:
            keeper.send({"t": "diff", "wanted": wanted})
            message = keeper.receive(self._limits.parse, _DIFF_LIMIT)
        except BaseException as error:
            fate = ""
            if isinstance(error, (EOFError, ConnectionError)):
                fate = f"its process was lost ({self._keeper_fate(keeper)})"
            elif isinstance(error, TimeoutError):
                fate = f"it took more than {self._limits.parse:g} s"
            self._drop()
            if not fate:
                raise
            raise SandboxError(f"no diff of the decks: {fate}") from None
        if "data" not in message:
            why = one_line(str(message.get("why")))
            if why == "memory":
                why = f"it needs more than the memory limit of {size(self._limits.memory)}"
            raise SandboxError(f"no diff of the decks: {why}")
        self._has_diff = True
        return message["data"]

    @staticmethod
    def _keeper_fate(keeper: Keeper) -> str:
        status = keeper.zygote.exit_status(keeper.number)
        return "cause unknown" if status is None else fate(status)

    # --------------------------------------------------------------------------------------------------- a leaf

    def _abandon(self) -> None:
        """Kill the leaf that runs, after an exception came between."""
        keeper = self._keeper
        if keeper is None:
            return
        if keeper.in_step:
            with contextlib.suppress(OSError):
                self._end_leaf(keeper)
                return
        self._drop()

    def _end_leaf(self, keeper: Keeper, *, trace: bool = False, grace: float = 0.0, report: bool = False) -> None:
        keeper.send({"t": "end", "id": self._leaves, "trace": trace, "grace": grace, "report": report})

    def _conclude(self, job: Job, ending: Ending, output: int, started: float) -> Outcome:
        keeper = self._keeper
        assert keeper is not None
        printed = os.fstat(output).st_size
        status: int | None = None
        lost = False
        silent = ending.status in ("timeout", "gone")
        try:
            # A leaf that is gone gets a moment to finish dying, so that its own fate is reported and not our signal.
            self._end_leaf(
                keeper, trace=ending.status == "timeout", grace=0.5 if ending.status == "gone" else 0, report=silent
            )
            if silent:
                ended = keeper.receive(PATIENCE)["status"]
                status = ended if isinstance(ended, int) else None
        except (OSError, EOFError, BrokenMessageError):
            lost = True
        except BaseException:
            self._drop()
            raise
        if lost:
            if ending.status == "gone":
                return self._lost(started)
            self._drop()  # what the leaf said stands; the next one gets a new keeper
        return conclude(
            job,
            ending,
            status,
            Printed.read(output, printed, self._limits.output),
            self._limits,
            time.perf_counter() - started,
        )

    def _lost(self, started: float) -> Outcome:
        """The outcome of a leaf whose keeper died under it: no fault of the leaf's, as far as can be told."""
        keeper = self._keeper
        assert keeper is not None
        fate = self._keeper_fate(keeper)
        self._drop()
        return Outcome(
            status="unscored",
            reason=f"sandbox failure: the task's process was lost ({fate})",
            seconds=time.perf_counter() - started,
        )


def _may_use_diff(code: str) -> bool:
    # Rather too often than not: by name, or by a name made up at run time.
    return "diff" in code or any(word in code for word in ("globals", "vars(", "eval", "exec", "locals"))


def _uses_numpy(code: str) -> bool:
    return "numpy" in code and any(name.partition(".")[0] == "numpy" for name in imports_of(code))


def _output_file() -> IO[bytes]:
    """A file without a name, for what a leaf prints."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("leaf output", os.MFD_CLOEXEC), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
