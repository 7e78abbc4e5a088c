"""A process that forks others on the host's command: the zygote, and the holder of a deck that several tasks share.

It takes commands from its control socket only: "open" (a keeper for a task; its channel comes along), "hold" (a holder;
its control socket comes along), "kill". When the host closes the socket, or dies, it kills what it forked and ends.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.channel import Message, receive_with_fds, send
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.patience import patiently, words

if TYPE_CHECKING:
    from collections.abc import Callable

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

_MESSAGE_LIMIT = 16 << 20


class Forker:
    """Forks on command. lives: by the command's name, the life of the process that is forked for it.

    Each is called with its socket, the command and this process's id.
    """

    def __init__(self, control: socket.socket, lives: dict[str, Callable[[socket.socket, Message, int], None]]) -> None:
        self._control = control
        self._lives = lives
        self._keepers: dict[int, int] = {}  # process id -> number
        self._children = linux.open_children()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)

    def serve(self) -> None:
        """Answer the host until it hangs up."""
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        try:
            while True:
                for fd, _ in poll.poll():
                    if fd == self._wake_read:
                        os.read(fd, 4096)
                        self._reap()
                    else:
                        message, fds = receive_with_fds(self._control, limit=_MESSAGE_LIMIT, count=1)
                        self._obey(message, fds)
        except (EOFError, ConnectionError):
            return
        finally:
            self._stop()

    def _obey(self, message: Message, fds: list[int]) -> None:
        number = int(str(message["id"]))
        if message["t"] in self._lives:
            try:
                self._fork(number, message, fds[0])
            except OSError as error:  # fork refused
                with contextlib.suppress(ConnectionError), socket.socket(fileno=os.dup(fds[0])) as host:
                    send(host, {"t": "refused", "why": f"no process for the task: {words(error)}"})
            finally:
                os.close(fds[0])
        elif message["t"] == "kill":
            for pid, its in self._keepers.items():
                if its == number:  # not reaped yet, so that the id is still its own
                    os.kill(pid, signal.SIGKILL)

    def _fork(self, number: int, message: Message, fd: int) -> None:
        parent = os.getpid()
        pid = patiently(linux.fork)
        if pid:
            self._keepers[pid] = number
            return
        status = 70
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for inherited in (self._control.detach(), self._wake_read, self._wake_write, self._children):
                if inherited is not None:
                    os.close(inherited)
            self._lives[str(message["t"])](socket.socket(fileno=fd), message, parent)
            status = 0
        except (EOFError, ConnectionError):
            status = 0  # the host has gone
        except BaseException as error:
            with contextlib.suppress(BaseException):
                os.write(2, f"sandbox: {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                break
            number = self._keepers.pop(pid, None)
            if number is not None:
                send(self._control, {"t": "exit", "id": number, "status": status})
        # Whatever a dead keeper's leaves left behind is this process's child now.
        for pid in linux.children(self._children) - self._keepers.keys():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _stop(self) -> None:
        for pid in self._keepers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while True:
            try:
                for pid in linux.children(self._children):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                os.waitpid(-1, 0)
            except ChildProcessError:
                return
