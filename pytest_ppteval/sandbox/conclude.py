"""What a leaf's last word, its process's fate and what it printed come to. Pure, but for reading the printed file."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox import trace
from pytest_ppteval.sandbox.job import Outcome
from pytest_ppteval.sandbox.text import clean

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.dialogue import Ending
    from pytest_ppteval.sandbox.job import Job, Limits

_DUMP = 1 << 16


@dataclass(frozen=True, slots=True)
class Printed:
    """The file that took a leaf's output.

    head: its beginning, up to one byte more than is kept. tail: the end of what the code printed.
    dump: what faulthandler added after the leaf's time was up.
    """

    head: bytes
    tail: bytes
    dump: bytes

    @classmethod
    def read(cls, fd: int, size: int, keep: int) -> Printed:
        """From the file `fd`, whose first `size` bytes the code printed itself."""
        return cls(
            os.pread(fd, min(size, keep + 1), 0), os.pread(fd, _DUMP, max(0, size - _DUMP)), os.pread(fd, _DUMP, size)
        )


def conclude(job: Job, ending: Ending, status: int | None, printed: Printed, limits: Limits, seconds: float) -> Outcome:
    """The outcome of a leaf. `status` is its process's wait status, where that ended by itself."""
    reason, violation, frames, head = ending.reason, ending.violation, ending.frames, printed.head
    if ending.status == "timeout":
        reason = f"no answer within {limits.wall:g} s"
        frames = trace.frames_of_dump(printed.dump, job.name)
    elif ending.status == "gone":
        reason, violation = _crash(status, limits)
        head, frames = trace.split_crash(head, printed.tail, job.name)
    frames = trace.within(frames, job.code)
    return Outcome(
        status=ending.status if ending.status in ("scored", "unscored") else "error",
        score=ending.score,
        reason=reason,
        traceback=trace.render(frames, job.code, job.name),
        error_line=frames[-1][0] if frames else None,
        output=clean(head[: limits.output].decode("utf-8", "replace"), limits.output)
        + ("…[cut]" if len(head) > limits.output else ""),
        seconds=seconds,
        violation=violation,
    )


def fate(status: int) -> str:
    """A process's wait status for people."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return f"killed by {signal.Signals(number).name}"
        except ValueError:
            return f"killed by signal {number}"
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def _crash(status: int | None, limits: Limits) -> tuple[str, bool]:
    """The reason of a leaf that ended without a word, and whether that was a violation."""
    if status is None:
        return "sandbox violation: it closed its channel", True
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGSYS:
            return "sandbox violation: a system call of a foreign architecture (killed by SIGSYS)", True
        if os.WTERMSIG(status) == signal.SIGXCPU:
            return f"processor time limit of {limits.cpu} s", False
        return fate(status), False
    return f"{fate(status)} without a result", False
