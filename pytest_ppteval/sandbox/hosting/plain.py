"""Processes without fork, as the host sees them: an interpreter for each leaf, which parses the decks itself.

For Windows; behind seam.py. The next leaf's interpreter gets ready while a leaf runs. Whatever is not Windows' own can
be tried elsewhere too, by PPTEVAL_SANDBOX_PROCESSES=plain.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING

from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.hosting.conclude import fate
from pytest_ppteval.sandbox.hosting.seam import Place, output_file
from pytest_ppteval.sandbox.job import SandboxError
from pytest_ppteval.sandbox.launch import CONTROL_LIMIT, DIFF_LIMIT, PATIENCE, boot, environment
from pytest_ppteval.sandbox.patience import patiently, words
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_ppteval.sandbox.job import Limits

# Seconds for an interpreter to write down where it is, once its time is up, and to end.
_LAST_WORDS = 1.0


class Interpreters:
    """Starts the processes of tasks; has none of its own."""

    def __init__(self, preload: list[str], limits: Limits) -> None:
        self._preload = preload
        self._limits = limits
        self._tasks: set[Interpreted] = set()

    def usable(self) -> bool:
        """See Processes."""
        return True

    def open(self, task: Message) -> Interpreted:
        """See Processes."""
        opened = Interpreted(self._tasks, {**task, "t": "open", "preload": self._preload}, self._limits)
        self._tasks.add(opened)
        return opened

    def hold(self, original: str, modified: Collection[str], limits: Message) -> None:
        """See Processes: nothing here outlives a leaf."""

    def let_go(self) -> None:
        """See Processes."""

    def close(self) -> None:
        """See Processes."""
        for task in list(self._tasks):
            task.close()

    def forget(self) -> None:
        """See Processes."""
        for task in self._tasks:
            task.forget()
        self._tasks.clear()


class _Interpreter:
    """One process: at first it parses the decks, then it waits for a job."""

    def __init__(self, task: Message, limits: Limits) -> None:
        self.channel, theirs = socket.socketpair()
        self.output: IO[bytes] = output_file()
        # Windows gives a virtual environment a launcher that starts the real one: the limits allow no second process.
        python = getattr(sys, "_base_executable", "") if sys.platform == "win32" else ""
        with theirs:
            self._process: subprocess.Popen[bytes] = patiently(
                lambda: subprocess.Popen(
                    [python or sys.executable, "-s", "-P", "-c", boot("plain_leaf.main()")],
                    env=environment(),
                    stdin=subprocess.PIPE,
                    stdout=self.output,
                    stderr=self.output,
                    cwd=os.path.abspath(os.sep),
                    pass_fds=() if sys.platform == "win32" else (theirs.fileno(),),
                    start_new_session=sys.platform != "win32",
                )
            )
            try:
                if sys.platform == "win32":
                    from pytest_ppteval.sandbox.confine.windows import Job

                    # Nothing untrusted runs before "open" arrives.
                    self._job = Job(
                        int(self._process._handle),  # type: ignore[attr-defined]  # as multiprocessing has it
                        limits.cpu,
                        limits.memory,
                    )
                    handed = theirs.share(self._process.pid).hex()
                else:
                    handed = str(theirs.fileno())
                stdin = self._process.stdin
                assert stdin is not None
                with contextlib.suppress(OSError), stdin:  # dead on arrival: whoever listens to it will notice
                    stdin.write(handed.encode() + b"\n")
                with contextlib.suppress(ConnectionError):
                    send(self.channel, task, deadline=time.monotonic() + PATIENCE)
            except BaseException:
                self.kill()
                self.close()
                raise

    def ended(self, seconds: float) -> int | None:
        """Its exit code, or None if it has not ended by itself within `seconds`."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Kill it, and what it started where nothing keeps it from that."""
        if sys.platform == "win32":
            self._job.close()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close this side's ends."""
        self.channel.close()
        self.output.close()

    def forget(self) -> None:
        """Let go without killing it."""
        self.close()
        self._process.returncode = 0  # else Popen's destructor warns of a child that still runs

    def said(self) -> str:
        """The end of what it has printed, in one line."""
        self.output.seek(0)
        return one_line(self.output.read(1 << 16).decode("utf-8", "replace")[-400:])


class Interpreted:
    """A task's processes."""

    def __init__(self, siblings: set[Interpreted], task: Message, limits: Limits) -> None:
        self._siblings = siblings
        self._task = task
        self._limits = limits
        self._leaves: dict[int, _Interpreter] = {}
        self._number = 0
        self._diff: Message | None = None
        self._fate = "cause unknown"
        self._busy = False
        self._spare: _Interpreter | None = None
        self._is_ready = False
        self._start_spare()

    @property
    def in_step(self) -> bool:
        """See TaskProcesses."""
        return not self._busy

    def hear(self, patience: float) -> Message:
        """See TaskProcesses."""
        message = self._receive(patience)
        self._is_ready = message["t"] == "ready"
        return message

    def diff(self, patience: float, *, wanted: bool, account: bool) -> Message:  # noqa: ARG002 - the next processes want both in any case
        """See TaskProcesses."""
        spare = self._ready_spare()
        send(spare.channel, {"t": "diff"}, deadline=time.monotonic() + PATIENCE)
        message = self._receive(patience, DIFF_LIMIT)
        if "data" in message:
            self._diff = {"t": "known", "data": message["data"]}
        return message

    def judge(self, patience: float, leaves: Sequence[object]) -> Message:
        """See TaskProcesses."""
        spare = self._ready_spare()
        send(spare.channel, {"t": "judge", "leaves": list(leaves)}, deadline=time.monotonic() + PATIENCE)
        return self._receive(patience, DIFF_LIMIT)

    restarted = False

    def start_leaf(self, *, needs_diff: bool) -> Place:  # noqa: ARG002 - nothing is begun before there is one
        """See TaskProcesses."""
        spare = self._ready_spare()
        if self._diff is not None:
            send(spare.channel, self._diff, deadline=time.monotonic() + PATIENCE)
        spare.output.seek(0)
        spare.output.truncate()
        self._number += 1
        self._leaves[self._number] = spare
        self._spare = None
        self._start_spare()
        return Place(self._number, spare.channel, spare.output)

    def end_leaf(self, number: int, *, trace: bool, grace: float, report: bool) -> int | None:  # noqa: ARG002 - as the seam has it
        """See TaskProcesses."""
        process = self._leaves.pop(number)
        code = process.ended(_LAST_WORDS if trace else grace)
        process.kill()
        return code

    def fate(self) -> str:
        """See TaskProcesses."""
        return self._fate

    def close(self) -> None:
        """See TaskProcesses."""
        self._siblings.discard(self)
        for process in (*self._leaves.values(), *([self._spare] if self._spare else [])):
            process.kill()
            process.close()
        self._leaves.clear()
        self._spare = None

    def forget(self) -> None:
        """Let go without killing anything."""
        for process in (*self._leaves.values(), *([self._spare] if self._spare else [])):
            process.forget()
        self._leaves.clear()
        self._spare = None

    def _start_spare(self) -> None:
        self._is_ready = False
        try:
            self._spare = _Interpreter(self._task, self._limits)
        except OSError as error:
            raise SandboxError(f"no process for the task: {words(error)}") from None

    def _ready_spare(self) -> _Interpreter:
        """A process that has parsed the decks. Raises ConnectionError where there can't be one any more."""
        if self._spare is None:
            self._start_spare()
        try:
            while not self._is_ready:
                message = self.hear(self._limits.start + self._limits.parse)
                if message["t"] in ("unusable", "refused"):
                    self._fate = f"it could open the decks no longer: {one_line(str(message.get('why')))}"
                    raise ConnectionError
        except (EOFError, TimeoutError, BrokenMessageError):
            raise ConnectionError from None
        assert self._spare is not None
        return self._spare

    def _receive(self, patience: float, limit: int = CONTROL_LIMIT) -> Message:
        spare = self._spare
        assert spare is not None
        self._busy = True
        try:
            message = receive(spare.channel, limit=limit, deadline=time.monotonic() + patience)
        except (EOFError, ConnectionError):
            code = spare.ended(1.0)
            self._fate = "; ".join(filter(None, ("cause unknown" if code is None else fate(code), spare.said())))
            raise
        self._busy = False
        return message
