"""The keeper of one task: parses the decks once, then forks one process a leaf. Confined; never runs a rubric's code.

Its messages come from the host: "diff" (compute it; the data is sent only if wanted), "judge" (deck leaves: our own
code), "leaf" (two descriptors come along: the leaf's channel and the file for what it prints), "end" (kill a leaf;
report how it ended if wanted).
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.channel import Message, receive_with_fds, send
from pytest_ppteval.sandbox.confine import linux, macos, seccomp
from pytest_ppteval.sandbox.confine.policy import Plan
from pytest_ppteval.sandbox.inside import leaf, shims
from pytest_ppteval.sandbox.inside.decks import Decks
from pytest_ppteval.sandbox.patience import SECONDS, patiently, words

if TYPE_CHECKING:
    from collections.abc import Iterable

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine.threads import Gate, Threads  # noqa: E402 - see above

_MESSAGE_LIMIT = 1 << 20
# More than there are descriptors, see confine_process.
_ALL_DESCRIPTORS = 1024
_SIGNALS = 64


@dataclass(frozen=True)
class Confinement:
    """What the zygote prepared once for all tasks: the plan, the libraries' paths with rights, the filters."""

    plan: Plan
    libraries: dict[str, int]
    keeper_filter: bytes | None
    leaf_filter: bytes | None
    holder_filter: bytes | None = None


class Keeper:
    """The keeper's state and its loop."""

    def __init__(self, host: socket.socket, task: Message, confinement: Confinement, decks: Decks) -> None:
        self._host = host
        self._confinement = confinement
        self._limits = limits_of(task)
        self._decks = decks
        self._foreseen_diff = int(str(task["diff"]))  # 0: none, 1: without its account, 2: with it
        self._foreseen_leaves = int(str(task["leaves"]))
        # A leaf's time runs while a process for it is waited for.
        self._patience = min(SECONDS, float(str(task["wall"])) / 2)
        self._paths: dict[str, str] = {w: str(task[w]) for w in ("original", "modified") if task[w] is not None}
        self._readable = [str(path) for path in task["readable"]]  # type: ignore[attr-defined]  # as above
        self._leaves: dict[int, int] = {}  # leaf's number -> process id
        self._spare: tuple[int, socket.socket] | None = None
        self._ruleset: int | None = None
        # Made ready here: each page of memory that a leaf's process touches, it copies.
        self._leaf_limits: list[tuple[int, tuple[int, int]]] = []
        self._leaf_filter: seccomp.Filter | None = None
        self._gate: Gate | None = None
        self._threads = Threads()
        self._children: int | None = None

    def confine(self) -> None:
        """Confine this process. Raises if any step fails; nothing untrusted may be touched before it succeeded."""
        plan = self._confinement.plan
        if linux.LINUX and not plan.seccomp:
            self._children = linux.open_children()  # leaves may leave processes behind
        confine_process(self._confinement, self._limits, privileged=not self._decks.holds)
        cpu = self._limits["cpu"]
        # SIGPENDING counts all of the user's queued signals: few are needed to get by, and each may be another's.
        self._leaf_limits = linux.allowed_limits(
            CPU=(cpu, cpu + 1), NOFILE=self._limits["open_files"], SIGPENDING=_SIGNALS
        )
        if self._confinement.leaf_filter is not None:
            self._leaf_filter = seccomp.Filter(self._confinement.leaf_filter)
            self._gate = Gate()
        self._ruleset = ruleset(self._confinement, self._paths.values(), self._readable)
        if self._ruleset is not None:
            linux.landlock_restrict(self._ruleset)
        if plan.seatbelt:
            macos.confine(macos.profile(self._confinement.libraries, self._paths.values(), self._readable))
        if self._confinement.keeper_filter is not None:
            seccomp.load(self._confinement.keeper_filter)

    def parse(self) -> None:
        """Parse the decks and say how that went."""
        gc.disable()  # parsing makes many objects and no garbage
        if self._decks.parse_all(self._paths, lambda message: send(self._host, message)):
            self._decks.serve_ahead()
            send(self._host, {"t": "ready"})
            if self._foreseen_diff:
                # Kept; what goes wrong with it, goes wrong again when it is asked for.
                self._decks.diff_message(wanted=False, account=self._foreseen_diff > 1)
            self._settle()

    def serve(self) -> None:
        """Answer the host until it hangs up."""
        while True:
            if self._spare is None and self._foreseen_leaves > 0:
                with contextlib.suppress(OSError):  # no room for it yet: whoever needs it waits for it
                    self._spare = self._fork()
            self._threads.until(self._host)
            try:
                message, fds = receive_with_fds(self._host, limit=_MESSAGE_LIMIT, count=2)
            except (EOFError, ConnectionError):
                return
            if message["t"] == "leaf":
                self._start_leaf(message, fds)
            elif message["t"] == "end":
                self._end_leaf(message)
            elif message["t"] == "diff":
                self._diff(wanted=bool(message["wanted"]), account=bool(message["account"]))
            elif message["t"] == "judge":
                from pytest_ppteval.sandbox.inside.deckleaves import judge_message

                send(self._host, judge_message(message["leaves"], self._decks))

    def stop(self) -> None:
        """Kill what was forked."""
        for pid in (*self._leaves.values(), *([self._spare[0]] if self._spare else [])):
            _kill(pid)

    def _settle(self) -> None:
        # What exists now lives as long as the process: leaves' collections must not touch (and so copy) its pages.
        gc.freeze()
        gc.enable()

    def _diff(self, *, wanted: bool, account: bool) -> None:
        known = self._decks.known_of_diff
        gc.disable()
        message = self._decks.diff_message(wanted=wanted, account=account)
        self._settle()
        if self._spare is not None and self._decks.known_of_diff != known:
            # It was forked before there was a diff.
            self._threads.forget(self._spare[0])
            _kill(self._spare[0])
            self._spare[1].close()
            self._spare = None
        send(self._host, message)

    def _start_leaf(self, message: Message, fds: list[int]) -> None:
        try:
            if message["diff"] and self._decks.computed_diff is None:
                # Begun before the host could hear that there is none.
                with contextlib.suppress(ConnectionError), socket.socket(fileno=os.dup(fds[0])) as channel:
                    send(channel, {"t": "refused", "why": f"no diff of the decks: {self._decks.diff_message()['why']}"})
                return
            self._foreseen_leaves -= 1
            try:
                pid, control = self._spare or patiently(self._fork, self._patience)
            except OSError as error:
                with contextlib.suppress(ConnectionError), socket.socket(fileno=os.dup(fds[0])) as channel:
                    send(channel, {"t": "refused", "why": f"no process for it: {words(error)}"})
                return
            with control, contextlib.suppress(ConnectionError):  # it died already: the host will see its channel close
                socket.send_fds(control, [b"."], fds)
            self._leaves[int(str(message["id"]))] = pid
            self._spare = None
        finally:
            for fd in fds:
                os.close(fd)

    def _end_leaf(self, message: Message) -> None:
        pid = self._leaves.pop(int(str(message["id"])), None)
        if pid is None:  # refused
            return
        self._threads.forget(pid)
        if message["trace"]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGUSR1)  # faulthandler writes down where it was
            _wait(pid, 0.1)
        status = _wait(pid, float(str(message["grace"])))
        if status is None:
            _kill(pid)
        elif not self._confinement.plan.seccomp:
            _kill_group(pid, reaped=True)
        self._sweep()
        if message["report"]:
            send(self._host, {"t": "ended", "status": status})

    def _sweep(self) -> None:
        """Kill what leaves left behind, where nothing kept them from forking."""
        for _ in range(100):
            own = {*self._leaves.values(), *([self._spare[0]] if self._spare else [])}
            orphans = linux.children(self._children) - own
            if not orphans:
                return
            for pid in orphans:
                _kill(pid)

    def _fork(self) -> tuple[int, socket.socket]:
        """A process for the next leaf, forked and confined ahead of time. It waits for its descriptors."""
        ours, theirs = socket.socketpair()
        keeper = os.getpid()
        try:
            pid = linux.fork()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if pid:
            theirs.close()
            if self._gate is not None:
                self._threads.expect(pid, ours)
            return pid, ours
        status = 70
        try:
            self._be_leaf(theirs, keeper)
            status = 0
        except BaseException as error:
            with contextlib.suppress(BaseException):
                os.write(2, f"sandbox: {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)

    def _be_leaf(self, control: socket.socket, keeper: int) -> None:
        """The life of a leaf's process."""
        os.setsid()
        linux.die_with_parent(keeper)
        # No descriptor but the standard ones, the control socket and, for a moment, the ruleset.
        first, second = control.fileno(), self._ruleset or 2  # which is one of those that stay
        if second < first:
            first, second = second, first
        os.closerange(3, first)
        os.closerange(first + 1, second)
        os.closerange(second + 1, _ALL_DESCRIPTORS)
        failure = None
        try:
            self._confine_leaf(control)
        except BaseException as error:
            failure = f"{type(error).__name__}: {error}"
        mark, fds, _, _ = socket.recv_fds(control, 1, 2)
        if not mark or len(fds) != 2:
            return  # the keeper has gone, or does not need this process
        channel = socket.socket(fileno=fds[0])
        if failure is not None:
            # Fail closed: the code is not run by a process that is not confined.
            send(channel, {"t": "refused", "why": failure})
            return
        os.dup2(fds[1], 1)
        os.dup2(fds[1], 2)
        os.close(fds[1])
        control.close()
        leaf.serve(channel, self._decks)

    def _confine_leaf(self, control: socket.socket) -> None:
        linux.apply_limits(self._leaf_limits)
        if self._ruleset is not None:
            # The same rules again: a second layer makes this process a domain of its own, from which the keeper and
            # the other leaves cannot be signalled or traced.
            linux.landlock_restrict(self._ruleset)
            os.close(self._ruleset)
        if self._leaf_filter is not None and self._gate is not None:
            self._gate.shut(control)
            self._leaf_filter.load()


def limits_of(task: Message) -> dict[str, int]:
    """What a task's processes may use."""
    return {name: int(str(value)) for name, value in dict(task["limits"]).items()}  # type: ignore[call-overload]  # written by our own host


def confine_process(confinement: Confinement, limits: dict[str, int], *, privileged: bool) -> None:
    """Take away what no process below the zygote needs: memory, and privileges if it was not forked without them."""
    linux.set_limits(AS=limits["memory"], CORE=0, MEMLOCK=0, MSGQUEUE=0, FSIZE=limits["file_size"], NOFILE=256)
    if linux.LINUX:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        if confinement.plan.privileges:
            linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
            if privileged:
                linux.drop_capabilities()


def ruleset(confinement: Confinement, decks: Iterable[str], readable: Iterable[str]) -> int | None:
    """The Landlock rules of a process that reads these decks and files, as a descriptor; None without Landlock."""
    if not confinement.plan.landlock:
        return None
    rules = linux.landlock_ruleset(confinement.libraries, confinement.plan.landlock)
    for grant, paths in ((linux.grant_file, decks), (linux.grant_readable, readable)):
        for path in paths:
            with contextlib.suppress(OSError):  # a missing file is reported by whoever opens it
                grant(rules, path)
    return rules


def main(host: socket.socket, task: Message, confinement: Confinement, parent: int, decks: Decks) -> None:
    """The life of a keeper's process, just forked. Returns when its host has gone.

    decks: empty, or with the original that the process it was forked from holds.
    """
    os.setsid()
    linux.die_with_parent(parent)
    shims.install()
    keeper = Keeper(host, task, confinement, decks)
    try:
        keeper.confine()
    except BaseException as error:
        send(host, {"t": "refused", "why": f"{type(error).__name__}: {error}"})
        return
    try:
        keeper.parse()
        keeper.serve()
    finally:
        keeper.stop()


def _wait(pid: int, seconds: float) -> int | None:
    """The exit status of a child, or None if it has not ended by itself within `seconds`."""
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if time.monotonic() >= end:
            return None
        select.select([], [], [], 0.002)


def _kill(pid: int) -> None:
    """Kill a child and wait for its end."""
    _kill_group(pid)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _kill_group(pid: int, *, reaped: bool = False) -> None:
    """Kill a child with its process group. Once it is reaped its id may be another's, but not while its group lives."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if not reaped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
