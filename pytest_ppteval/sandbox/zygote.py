"""The zygote: imports what leaves need, once, then forks one keeper a task.

The host starts it with a clean environment. It takes commands from the host's control socket only, and neither reads a
deck nor runs a rubric's code. When the host closes the socket, or dies, it kills its keepers and ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import socket
import sys
import warnings

from pytest_ppteval.sandbox import fast_pptx, keeper, linux, seccomp
from pytest_ppteval.sandbox.channel import Message, receive, receive_with_fds, send
from pytest_ppteval.sandbox.decks import tame_pillow
from pytest_ppteval.sandbox.libraries import libraries
from pytest_ppteval.sandbox.policy import Plan
from pytest_ppteval.sandbox.preload import preload, prepare_streams

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

_MESSAGE_LIMIT = 16 << 20


class _Zygote:
    def __init__(self, control: socket.socket, confinement: keeper.Confinement) -> None:
        self._control = control
        self._confinement = confinement
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
        if message["t"] == "open":
            try:
                self._open(number, message, fds[0])
            except OSError as error:  # fork refused
                with contextlib.suppress(ConnectionError), socket.socket(fileno=os.dup(fds[0])) as host:
                    send(host, {"t": "refused", "why": f"no process for the task: {error}"})
            finally:
                os.close(fds[0])
        elif message["t"] == "kill":
            for pid, its in self._keepers.items():
                if its == number:  # not reaped yet, so that the id is still its own
                    os.kill(pid, signal.SIGKILL)

    def _open(self, number: int, message: Message, fd: int) -> None:
        zygote = os.getpid()
        pid = os.fork()
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
            keeper.main(socket.socket(fileno=fd), message, self._confinement, zygote)
            status = 0
        except (EOFError, ConnectionError):
            status = 0  # the host has gone
        except BaseException as error:
            with contextlib.suppress(BaseException):
                os.write(2, f"sandbox: keeper: {type(error).__name__}: {error}\n".encode())
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


def main(fd: int) -> None:
    """The life of the zygote; `fd` is its control socket."""
    control = socket.socket(fileno=fd)
    os.set_inheritable(fd, False)
    config = receive(control, limit=_MESSAGE_LIMIT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is pytest's, which closes the socket
    if linux.LINUX:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)  # nobody of the same user may look into this process or its children
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    warnings.simplefilter("ignore")  # of the leaves' code: they are not about this run
    # Written to descriptor 2, which in a leaf's process is the file for what it prints.
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=False, chain=False)
    prepare_streams()
    tame_pillow()
    preload([str(name) for name in config["preload"]])  # type: ignore[attr-defined]  # written by our own host
    fast_pptx.install()
    plan = Plan(
        int(str(config["landlock"])), bool(config["seccomp"]), bool(config["seatbelt"]), bool(config["privileges"])
    )
    confinement = keeper.Confinement(
        plan,
        libraries() if plan.landlock or plan.seatbelt else {},
        seccomp.build("keeper", plan.landlock) if plan.seccomp else None,
        seccomp.build("leaf", plan.landlock) if plan.seccomp else None,
    )
    gc.collect()
    gc.freeze()
    # A leaf's walk through a deck makes tens of thousands of objects and few cycles; each collection looks at them all.
    gc.set_threshold(50_000)
    send(control, {"t": "ready"})
    _Zygote(control, confinement).serve()
