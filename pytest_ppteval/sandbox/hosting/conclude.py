"""What a leaf's last word, its process's fate and what it printed come to. Pure, but for reading the printed file."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.hosting import trace
from pytest_ppteval.sandbox.job import Outcome
from pytest_ppteval.sandbox.text import clean

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.hosting.dialogue import Ending
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
        return cls(_at(fd, min(size, keep + 1), 0), _at(fd, _DUMP, max(0, size - _DUMP)), _at(fd, _DUMP, size))


def _at(fd: int, count: int, offset: int) -> bytes:
    if sys.platform == "win32":
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, count)
    return os.pread(fd, count, offset)


def conclude(job: Job, ending: Ending, code: int | None, printed: Printed, limits: Limits, seconds: float) -> Outcome:
    """The outcome of a leaf. `code` is its process's exit code (-n for signal n), where that ended by itself."""
    reason, violation, frames, head = ending.reason, ending.violation, ending.frames, printed.head
    if ending.status == "timeout":
        reason = f"no answer within {limits.wall:g} s"
        frames = trace.frames_of_dump(printed.dump, job.name)
    elif ending.status == "gone":
        reason, violation = _crash(code, limits)
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


def fate(code: int) -> str:
    """An exit code for people; -n stands for signal n, and large ones are Windows' own."""
    if code >= 0:
        return f"exception {code:#x}" if code >= 1 << 31 else f"exit code {code}"
    return f"killed by {_signal(code) or f'signal {-code}'}"


def _signal(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return ""


def _crash(code: int | None, limits: Limits) -> tuple[str, bool]:
    """The reason of a leaf that ended without a word, and whether that was a violation."""
    if code is None:
        return "sandbox violation: it closed its channel", True
    if code >= 0:
        return f"{fate(code)} without a result", False
    if _signal(code) == "SIGSYS":
        return "sandbox violation: a system call of a foreign architecture (killed by SIGSYS)", True
    if _signal(code) == "SIGVTALRM":
        return f"its code takes more than {limits.compile:g} s to compile", False
    if _signal(code) == "SIGXCPU":
        return f"processor time limit of {limits.cpu} s", False
    return fate(code), False


def lost(fate: str, seconds: float) -> Outcome:
    """The outcome of a leaf whose keeper died under it.

    Perhaps by no fault of the leaf's. But a leaf that found a way to bring its keeper down must not be able to turn a
    failure into something milder than an error.
    """
    return Outcome(
        status="error",
        reason=f"sandbox failure: the task's process was lost while this leaf ran ({fate}); run it again to see "
        "whether the leaf is to blame",
        seconds=seconds,
    )
