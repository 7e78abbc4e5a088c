"""The host's side of the sandbox, in pytest's process: starts it and opens tasks, whose leaves session.py runs.

Cheap to import. No deck is parsed and no rubric's code is run in this process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_ppteval.sandbox.confine.policy import Layer, Mode, make_plan
from pytest_ppteval.sandbox.hosting.seam import signature
from pytest_ppteval.sandbox.hosting.session import TaskSession
from pytest_ppteval.sandbox.job import (
    Answer,
    DeckUnusable,
    Job,
    Limits,
    ModelRequest,
    Outcome,
    Picture,
    SandboxError,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from pytest_ppteval.sandbox.channel import Message
    from pytest_ppteval.sandbox.hosting.seam import Processes

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


# How many originals are opened before anybody asks for the tasks that they belong to.
_AT_ONCE = 2


class _Task(NamedTuple):
    """What a session is opened for, and the state of its decks."""

    original: str | None
    modified: str | None
    readable: tuple[str, ...]
    signatures: tuple[object, ...]

    @classmethod
    def of(cls, original: Path | None, modified: Path | None, readable: Iterable[Path]) -> _Task:
        before = None if original is None else os.path.abspath(original)
        after = None if modified is None else os.path.abspath(modified)
        files = tuple(sorted({os.path.abspath(path) for path in readable}))
        return cls(before, after, files, tuple(path and signature(path) for path in (before, after)))


class _Expected(NamedTuple):
    task: _Task
    session: TaskSession
    jobs: tuple[Job, ...]


class _Next:
    """The task that is said to come next, if any. Its leaves run beside those of the one that is judged."""

    def __init__(self) -> None:
        self.expected: _Expected | None = None

    def working(self) -> list[socket.socket]:
        """See early.Beside."""
        return [] if self.expected is None else self.expected.session.working()

    def begin(self, places: int) -> None:
        """See early.Beside."""
        if self.expected is not None:
            self.expected.session.begin(self.expected.jobs, places)


class Sandbox:
    """The sandbox of this process. Not for use from several threads.

    mode: "auto" takes what confinement there is, "require" insists on all of it, "off" does without.
    limits: what each leaf may use. preload: modules that leaves will import, see code.imports_of.
    ahead: how many leaves of a task may run before it is their turn; None for as many as there are processors beside
        this one, three at most. Only at level "full": at the others a leaf might reach one beside it.
    layers, max_landlock_abi: for tests of the weaker levels.
    Raises SandboxUnavailable for mode "require" where the level is not "full".
    """

    def __init__(
        self,
        mode: Mode = "auto",
        *,
        limits: Limits | None = None,
        preload: Iterable[str] = (),
        ahead: int | None = None,
        layers: Iterable[Layer] | None = None,
        max_landlock_abi: int | None = None,
    ) -> None:
        self._plan, self.level = make_plan(mode, layers=layers, max_landlock_abi=max_landlock_abi)
        self.limits = limits or Limits()
        self._isolates = self._plan.fork and bool(self._plan.landlock) and self._plan.seccomp
        self._ahead = (_spare_processors() if ahead is None else ahead) if self._isolates else 0
        self._preload = sorted(set(preload))
        self._processes: Processes | None = None
        # Modified decks by the original that they will be judged against.
        self._foreseen: dict[str, set[str]] = {}
        self._next = _Next()
        self._owner = os.getpid()

    def start(self) -> None:
        """Start the sandbox's first process, and return at once: it gets ready in the background."""
        self._started()

    def open(
        self,
        original: Path | None,
        modified: Path | None,
        readable: Iterable[Path] = (),
        codes: Sequence[str] = (),
    ) -> TaskSession:
        """A session for one task's leaves. They can read its decks and the files in `readable` (pictures).

        codes: of the leaves that will probably be run, so that what they need is made ready.

        Checking and parsing the decks goes on in the background; the session's first use waits for it.
        Raises SandboxError.
        """
        task = _Task.of(original, modified, readable)
        expected, self._next.expected = self._next.expected, None
        if expected is not None:
            if expected.task == task and expected.session.usable():
                return expected.session
            expected.session.close()
        return self._open(task, codes)

    def foresee(self, decks: Iterable[tuple[Path, Path]]) -> None:
        """Say which modified decks will be judged in this run, each with its original. What was said before is void.

        An original that several tasks share is then opened once for all of them, from the first of them on. At level
        "full" only. A task that was not foreseen, or whose decks have changed since, is judged all the same.
        """
        self._foreseen.clear()
        if self._processes is not None and self._owner == os.getpid():
            self._processes.let_go()
        for original, modified in decks:
            self._foreseen.setdefault(os.path.abspath(original), set()).add(os.path.abspath(modified))

    def expect(self, original: Path, modified: Path, codes: Sequence[str] = (), jobs: Sequence[Job] = ()) -> None:
        """Say that this task comes next: its decks are opened while other leaves run. Costs little if it doesn't.

        codes: as for `open`. jobs: the first of its leaves, which begin then, too.
        Only for tasks without pictures: what may be read is fixed when a session is opened. Raises SandboxError.
        """
        task = _Task.of(original, modified, ())
        if self._next.expected is not None:
            if self._next.expected.task == task:
                return
            self._next.expected.session.close()
            self._next.expected = None
        if self._isolates:
            self._next.expected = _Expected(task, self._open(task, codes), tuple(jobs))

    def _open(self, task: _Task, codes: Sequence[str]) -> TaskSession:
        session = TaskSession(
            self._started,
            self._plan.share,
            self._ahead,
            self.limits,
            {"original": task.original, "modified": task.modified},
            task.readable,
            codes,
            self._next,
        )
        if self._isolates and task.original is not None and task.modified in self._foreseen.get(task.original, ()):
            limits: Message = {"limits": self.limits.of_processes()}
            # The first few at once: while the first of them is opened, nothing else can be done.
            for original in (task.original, *list(self._foreseen)[:_AT_ONCE]):
                self._started().hold(original, self._foreseen[original], limits)
        session.connect()
        return session

    def close(self) -> None:
        """End the sandbox's processes. Sessions that are open are of no more use."""
        expected, self._next.expected = self._next.expected, None
        if expected is not None and self._owner == os.getpid():
            expected.session.close()
        processes, self._processes = self._processes, None
        if processes is not None:
            if self._owner == os.getpid():
                processes.close()
            else:
                processes.forget()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _started(self) -> Processes:
        if self._owner != os.getpid() and self._processes is not None:
            # A forked copy of pytest's process: the sandbox's belong to the original.
            self._processes.forget()
            self._processes = None
        self._owner = os.getpid()
        if self._processes is not None and not self._processes.usable():
            self._processes.close()
            self._processes = None
        if self._processes is None:
            self._processes = self._make_processes()
        return self._processes

    def _make_processes(self) -> Processes:
        plan = self._plan
        if sys.platform == "win32" or not plan.fork:
            from pytest_ppteval.sandbox.hosting.plain import Interpreters

            return Interpreters(self._preload, self.limits)
        else:  # noqa: RET505 - for mypy, which knows the module on these systems only
            from pytest_ppteval.sandbox.hosting.processes import Zygote

            config: Message = {
                "t": "config",
                "landlock": plan.landlock,
                "seccomp": plan.seccomp,
                "seatbelt": plan.seatbelt,
                "privileges": plan.privileges,
                "preload": self._preload,
            }
            return Zygote(config, self.limits.start, hide_host=plan.privileges and not plan.landlock)


def _spare_processors() -> int:
    count = os.cpu_count() or 1
    if sys.platform == "linux":
        count = len(os.sched_getaffinity(0))
    return min(count - 1, 3)
