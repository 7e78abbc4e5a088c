"""The processes that fork, as the host sees them: the zygote, holders, and a keeper for each task. Behind seam.py."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from typing import IO, TYPE_CHECKING

from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.hosting.conclude import fate
from pytest_ppteval.sandbox.hosting.seam import Place, output_file, signature
from pytest_ppteval.sandbox.job import SandboxError
from pytest_ppteval.sandbox.launch import CONTROL_LIMIT, DIFF_LIMIT, PATIENCE, boot, environment
from pytest_ppteval.sandbox.patience import patiently, words
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

assert sys.platform != "win32"  # for mypy: this module is for systems that fork


# Decks that are held open at a time: each takes some tens of megabytes.
_MOST_HOLDERS = 3


class _Forker:
    """A process that forks others on command."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._number = 0
        self._exits: dict[int, int] = {}
        self.keepers = 0  # that nobody has closed
        self._busy = False  # in the middle of a message, if an exception left it so

    def fork(self, what: str, task: Message) -> tuple[int, socket.socket]:
        """Have a process forked: its number, and this end of its channel. Raises SandboxError."""
        self._drain()
        self._number += 1
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._send({**task, "t": what, "id": self._number}, (theirs.fileno(),))
        except BaseException:
            ours.close()
            raise
        return self._number, ours

    def kill(self, number: int) -> None:
        """Kill a keeper, and with it its leaf."""
        with contextlib.suppress(SandboxError):
            self._send({"t": "kill", "id": number})

    def exit_status(self, number: int) -> int | None:
        """The exit code of a keeper that has ended or is ending, -n for signal n; None if that cannot be told."""
        end = time.monotonic() + 2
        with contextlib.suppress(EOFError, ConnectionError, TimeoutError, BrokenMessageError):
            while number not in self._exits:
                self._note(receive(self._control, limit=CONTROL_LIMIT, deadline=end))
        return self._exits.pop(number, None)

    def _drain(self) -> None:
        """Take in the notices that have come, so that they don't pile up."""
        with contextlib.suppress(TimeoutError, BlockingIOError, EOFError, ConnectionError):
            while True:
                self._control.settimeout(0)
                if not self._control.recv(1, socket.MSG_PEEK):
                    return
                self._note(receive(self._control, limit=CONTROL_LIMIT, deadline=time.monotonic() + PATIENCE))

    def _note(self, message: Message) -> None:
        self._exits[int(str(message["id"]))] = os.waitstatus_to_exitcode(int(str(message["status"])))
        while len(self._exits) > 100:
            self._exits.pop(next(iter(self._exits)))

    def _send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        self._busy = True
        try:
            send(self._control, message, fds, deadline=time.monotonic() + PATIENCE)
        except (OSError, TimeoutError) as error:
            raise SandboxError(f"the sandbox's first process is gone ({type(error).__name__})") from None
        self._busy = False


class Zygote(_Forker):
    """The zygote's process, as the host sees it."""

    def __init__(self, config: Message, patience: float, *, hide_host: bool) -> None:
        self._hidden = hide_host and _set_dumpable(False)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        control, theirs = socket.socketpair()
        super().__init__(control)
        with theirs:
            try:
                self._process = patiently(lambda: self._start(theirs.fileno()))
            except OSError as error:
                control.close()
                self._log.close()
                raise SandboxError(f"the sandbox could not start: {words(error)}") from None
        self._ready_by: float | None = time.monotonic() + patience
        self._holders: dict[str, Holder] = {}
        self._busy = True
        with contextlib.suppress(ConnectionError):  # dead on arrival: _wait_ready tells why
            send(self._control, config, deadline=self._ready_by)
        self._busy = False

    def _start(self, fd: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", boot(f"zygote.main({fd})")],
            env=environment(),
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            cwd="/",
        )

    def open(self, task: Message) -> Keeper:
        """Ask for a keeper. Raises SandboxError."""
        self._wait_ready()
        holder = self._holders.get(str(task["original"]))
        if holder is not None and not holder.covers(task):
            holder = None
        if holder is not None:
            with contextlib.suppress(SandboxError):  # it died
                return Keeper(holder, *holder.fork("open", task), otherwise=lambda: self._open(task))
        return self._open(task)

    def _open(self, task: Message) -> Keeper:
        return Keeper(self, *self.fork("open", task))

    def hold(self, original: str, modified: Collection[str], limits: Message) -> None:
        """See Processes."""
        if original in self._holders:
            return
        self._wait_ready()
        for other, holder in list(self._holders.items()):
            if len(self._holders) >= _MOST_HOLDERS and not holder.keepers:
                self._holders.pop(other).close()
        if len(self._holders) >= _MOST_HOLDERS:
            return
        number, control = self.fork("hold", {**limits, "original": original, "modified": sorted(modified)})
        self._holders[original] = Holder(control, lambda: self.kill(number), (original, *modified))

    def let_go(self) -> None:
        """See Processes."""
        for holder in self._holders.values():
            holder.close()
        self._holders.clear()

    def close(self) -> None:
        """End it, and all that it started."""
        for holder in self._holders.values():
            holder.forget()
        self._control.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._hidden:
            _set_dumpable(True)

    def forget(self) -> None:
        """Let go of it without ending it: it is another process's child."""
        for holder in self._holders.values():
            holder.forget()
        self._control.close()
        self._log.close()
        self._process.returncode = 0  # else Popen's destructor warns of a child that still runs

    def _wait_ready(self) -> None:
        if self._ready_by is None:
            return
        self._busy = True
        try:
            receive(self._control, limit=CONTROL_LIMIT, deadline=self._ready_by)
        except (EOFError, ConnectionError, TimeoutError, BrokenMessageError) as error:
            said = one_line(os.pread(self._log.fileno(), 1 << 16, 0).decode("utf-8", "replace")[-400:])
            what = "took too long to start" if isinstance(error, TimeoutError) else "could not start"
            raise SandboxError(f"the sandbox {what}: {said or type(error).__name__}") from None
        self._busy = False
        self._ready_by = None

    def usable(self) -> bool:
        """Whether it lives and no message to it was cut short."""
        return not self._busy and self._process.poll() is None


class Holder(_Forker):
    """The holder of a deck, as the host sees it. files: what it may read."""

    def __init__(self, control: socket.socket, kill: Callable[[], None], files: Sequence[str]) -> None:
        super().__init__(control)
        self._kill = kill
        self._files = {path: signature(path) for path in files}

    def covers(self, task: Message) -> bool:
        """Whether it can serve a task: its files are those that it knows, as they were."""
        paths = (task["original"], task["modified"])
        return not task["readable"] and all(
            isinstance(path, str) and path in self._files and self._files[path] == signature(path) for path in paths
        )

    def close(self) -> None:
        """Kill it, and with it its keepers."""
        self._control.close()
        self._kill()

    def forget(self) -> None:
        """Let go of it: it ends by itself."""
        self._control.close()

    def _note(self, message: Message) -> None:
        if message["t"] == "exit":
            super()._note(message)


class Keeper:
    """A keeper's process, as the host sees it. otherwise: gives another one where its parent fails before it speaks."""

    def __init__(
        self, parent: _Forker, number: int, sock: socket.socket, otherwise: Callable[[], Keeper] | None = None
    ) -> None:
        self._parent = parent
        self._parent.keepers += 1
        self._number = number
        self._sock = sock
        self._otherwise = otherwise
        self._leaves = 0
        self.restarted = False
        self._busy = False

    @property
    def in_step(self) -> bool:
        """Whether no message was cut short by an exception."""
        return not self._busy

    def hear(self, patience: float) -> Message:
        """See TaskProcesses."""
        try:
            message = self._receive(patience)
        except (OSError, EOFError):
            if self._otherwise is None:
                raise
            self._take(self._otherwise())
            message = self._receive(patience)
        self._otherwise = None
        return message

    def _take(self, other: Keeper) -> None:
        self.close()
        self.restarted = True
        self._parent, self._number, self._sock, self._otherwise = other._parent, other._number, other._sock, None

    def diff(self, patience: float, *, wanted: bool, account: bool) -> Message:
        """See TaskProcesses."""
        self._send({"t": "diff", "wanted": wanted, "account": account})
        return self._receive(patience, DIFF_LIMIT)

    def judge(self, patience: float, leaves: Sequence[object]) -> Message:
        """See TaskProcesses."""
        self._send({"t": "judge", "leaves": list(leaves)})
        return self._receive(patience, DIFF_LIMIT)

    def start_leaf(self, *, needs_diff: bool) -> Place:
        """See TaskProcesses."""
        self._leaves += 1
        ours, theirs = socket.socketpair()
        output = output_file()
        try:
            with theirs:
                self._send({"t": "leaf", "id": self._leaves, "diff": needs_diff}, (theirs.fileno(), output.fileno()))
        except BaseException:
            ours.close()
            output.close()
            raise
        return Place(self._leaves, ours, output)

    def end_leaf(self, number: int, *, trace: bool, grace: float, report: bool) -> int | None:
        """See TaskProcesses."""
        self._send({"t": "end", "id": number, "trace": trace, "grace": grace, "report": report})
        status = self._receive(PATIENCE)["status"] if report else None
        return os.waitstatus_to_exitcode(status) if isinstance(status, int) else None

    def fate(self) -> str:
        """See TaskProcesses."""
        code = self._parent.exit_status(self._number)
        return "cause unknown" if code is None else fate(code)

    def close(self) -> None:
        """Kill it, and with it its leaves."""
        self._sock.close()
        self._parent.keepers -= 1
        self._parent.kill(self._number)

    def _send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        self._busy = True
        send(self._sock, message, fds, deadline=time.monotonic() + PATIENCE)
        self._busy = False

    def _receive(self, patience: float, limit: int = CONTROL_LIMIT) -> Message:
        self._busy = True
        message = receive(self._sock, limit=limit, deadline=time.monotonic() + patience)
        self._busy = False
        return message


def _set_dumpable(value: bool) -> bool:
    """Whether other processes of this user may look into this one (Linux). Returns whether it was changed."""
    from pytest_ppteval.sandbox.confine import linux

    if not linux.LINUX or bool(linux.prctl(linux.PR_GET_DUMPABLE)) == value:
        return False
    linux.prctl(linux.PR_SET_DUMPABLE, int(value))
    return True
