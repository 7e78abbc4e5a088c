"""How many threads a leaf may start: counted by its keeper, which the kernel asks for each (seccomp's notifications).

Threads are counted for the user, as processes are: a leaf that makes thousands takes the room of other programs. No
limit of a process's own covers them. So a leaf's process first loads a filter that lets its keeper decide on new
threads, and hands over the descriptor by which the kernel asks. Once the leaf has had its share, the keeper closes the
descriptor, and the kernel refuses all further threads by itself. Where the kernel can't ask (before Linux 5.5, or under
a container's program that is asked already: one filter alone can have that), the filter refuses every thread.

Only registers are looked at, never memory, so that nothing can change between the question and the call.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import struct
import sys

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine import seccomp  # noqa: E402 - see above

# Over a leaf's life: enough for a small pool of threads for each slide of a deck.
MOST = 128
_QUESTION, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")  # seccomp_notif, seccomp_notif_resp
_GO_ON = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE: the call is made as if nobody had been asked


class Gate:
    """The filters that stand before new threads, made ready for processes that are forked from this one."""

    def __init__(self) -> None:
        self._asks = seccomp.Filter(seccomp.gate(seccomp.ASK))
        self._denies = seccomp.Filter(seccomp.gate(seccomp.NO_ROOM))

    def shut(self, keeper: socket.socket) -> None:
        """Have this process ask for its threads over `keeper`, or have none. Raises OSError where neither can be."""
        try:
            listener = self._asks.load_listening()
        except OSError:
            self._denies.load()
            return
        try:
            socket.send_fds(keeper, [b"t"], [listener])
        finally:
            os.close(listener)


class Threads:
    """A keeper's side: answers for all of its leaves."""

    def __init__(self) -> None:
        self._waiting: dict[int, int] = {}  # descriptor, by which its own will come -> process id
        self._listeners: dict[int, tuple[int, int]] = {}  # descriptor -> process id, how many threads it had
        self._poll = select.poll()

    def expect(self, pid: int, control: socket.socket) -> None:
        """A leaf's process will send its descriptor over `control`, which may be closed here meanwhile."""
        fd = os.dup(control.fileno())
        self._waiting[fd] = pid
        self._poll.register(fd, select.POLLIN)

    def until(self, host: socket.socket) -> None:
        """Answer until something comes over `host`."""
        self._poll.register(host, select.POLLIN)
        while True:
            ready = dict(self._poll.poll())
            for fd, events in ready.items():
                if fd in self._waiting:
                    self._meet(fd)
                elif fd in self._listeners:
                    self._answer(fd, events)
            if host.fileno() in ready:
                return

    def forget(self, pid: int) -> None:
        """A leaf's process has ended, or will."""
        for fd in [
            *(fd for fd, its in self._waiting.items() if its == pid),
            *(fd for fd, (its, _) in self._listeners.items() if its == pid),
        ]:
            self._drop(fd)

    def _meet(self, control: int) -> None:
        pid = self._waiting[control]
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(control)) as sock:
            for fd in socket.recv_fds(sock, 1, 1)[1]:  # none where the process has ended, or asks for nothing
                self._listeners[fd] = (pid, 0)
                self._poll.register(fd, select.POLLIN)
        self._drop(control)

    def _answer(self, listener: int, events: int) -> None:
        pid, had = self._listeners[listener]
        if had >= MOST or not events & select.POLLIN:  # the latter: the process has ended
            self._drop(listener)
            return
        question = bytearray(_QUESTION.size)
        try:
            fcntl.ioctl(listener, seccomp.RECEIVE, question)
            fcntl.ioctl(listener, seccomp.SEND, bytearray(_ANSWER.pack(_QUESTION.unpack(question)[0], 0, 0, _GO_ON)))
        except FileNotFoundError:  # whoever asked has ended, or was interrupted and asks again
            return
        except OSError:  # a kernel that can ask, but not be told to go on
            self._drop(listener)
            return
        self._listeners[listener] = (pid, had + 1)

    def _drop(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._waiting.pop(fd, None)
        self._listeners.pop(fd, None)
        os.close(fd)
