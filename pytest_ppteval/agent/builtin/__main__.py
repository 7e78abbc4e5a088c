"""The built-in agent's process: a task on standard input; trace and response as the environment says; an exit code."""

from __future__ import annotations

import io
import signal
import sys
import warnings
from typing import TYPE_CHECKING

from pytest_ppteval.agent.builtin.work import work

if TYPE_CHECKING:
    from types import FrameType


def main() -> int:
    """Work on the task; the exit code. The reason of any but 0 is the last line of standard error."""
    warnings.simplefilter("ignore")  # that a model is to be retired, ...
    signal.signal(signal.SIGTERM, _leave)
    if sys.platform != "win32":
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started this may have children forgotten
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _shut_out_others()
    ending = work(sys.stdin.read())
    if ending.reason:
        print(ending.reason, file=sys.stderr, flush=True)
    return ending.code


def _shut_out_others() -> None:
    """Have the kernel refuse others of this user a look into this process, whose environment holds the key."""
    if sys.platform == "linux":
        from pytest_ppteval.sandbox.confine import linux

        linux.prctl(linux.PR_SET_DUMPABLE, 0)


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal has it
    raise SystemExit(128 + number)  # by way of everything that closes and removes what this process made


if __name__ == "__main__":
    sys.exit(main())
