"""What the host needs of the processes that it runs leaves in, whatever a system has for it.

Two ways stand behind it: processes.py forks (Linux, macOS), plain.py starts an interpreter for each leaf (Windows).
"""

from __future__ import annotations

import os
import tempfile
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import socket
    from collections.abc import Collection, Sequence

    from pytest_ppteval.sandbox.channel import Message


class Place(NamedTuple):
    """A process that waits for a leaf's job: its number within the task, its channel, the file that it prints to."""

    number: int
    channel: socket.socket
    output: IO[bytes]

    def rewind(self) -> None:
        """Empty the file for the next leaf. The process writes to it by the same offset."""
        self.output.seek(0)
        self.output.truncate()

    def close(self) -> None:
        """Close the host's ends."""
        self.channel.close()
        self.output.close()


class TaskProcesses(Protocol):
    """The processes of one task."""

    @property
    def in_step(self) -> bool:
        """Whether no message was cut short by an exception."""

    def hear(self, patience: float) -> Message:
        """The next of "parsing" (one a deck), then "ready", "unusable" or "refused".

        Raises TimeoutError, EOFError, ConnectionError or BrokenMessageError.
        """

    def diff(self, patience: float, *, wanted: bool, account: bool) -> Message:
        """Compute the decks' diff: "data" where it is wanted, or "why" not. Raises as `hear`.

        account: whether leaves will look at its account, so that it had better be made once.
        """

    def judge(self, patience: float, leaves: Sequence[object]) -> Message:
        """Judge deck leaves: "results", one for each, as `deckleaves.judge_message` makes them. Raises as `hear`."""

    @property
    def restarted(self) -> bool:
        """Whether the process that opens the decks is another one than at first, so that leaves begun are lost."""

    def start_leaf(self, *, needs_diff: bool) -> Place:
        """A process for a leaf. Raises OSError where there is none any more.

        needs_diff: the leaf is refused where there is no diff.
        """

    def end_leaf(self, number: int, *, trace: bool, grace: float, report: bool) -> int | None:
        """Kill a leaf's process: after `grace` seconds, having it write down where it was if `trace`.

        The result is the wait status of one that ended by itself, if a `report` is wanted. Raises OSError (which
        TimeoutError and ConnectionError are), EOFError or BrokenMessageError.
        """

    def fate(self) -> str:
        """How the process that holds the decks ended, in words."""

    def close(self) -> None:
        """Kill them all."""


class Processes(Protocol):
    """Where the processes of tasks come from."""

    def usable(self) -> bool:
        """Whether there can be more."""

    def open(self, task: Message) -> TaskProcesses:
        """Start a task's. Raises SandboxError."""

    def hold(self, original: str, modified: Collection[str], limits: Message) -> None:
        """Have a deck that several tasks share opened once for them, unless it is. Raises SandboxError."""

    def let_go(self) -> None:
        """End what `hold` began, with the tasks that it serves."""

    def close(self) -> None:
        """End all of them."""

    def forget(self) -> None:
        """Let go without ending anything: they are another process's children."""


def output_file() -> IO[bytes]:
    """A file without a name, for what a leaf prints."""
    memfd = getattr(os, "memfd_create", None)
    if memfd is not None:
        return os.fdopen(memfd("leaf output"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def signature(path: str) -> tuple[int, int, int, int] | None:
    """What changes when a file is written to or replaced; None where there is none."""
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ino, facts.st_dev
