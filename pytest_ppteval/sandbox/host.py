"""The host's side of the sandbox, in pytest's process: starts it, opens tasks, runs leaves, reports what came of them.

Cheap to import. No deck is parsed and no rubric's code is run in this process.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_ppteval.sandbox import trace
from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.code import imports_of
from pytest_ppteval.sandbox.dialogue import Dialogue, Ending
from pytest_ppteval.sandbox.job import (
    Answer,
    DeckUnusable,
    Job,
    Limits,
    ModelRequest,
    Outcome,
    Picture,
    SandboxError,
    Which,
)
from pytest_ppteval.sandbox.policy import Layer, Mode, make_plan
from pytest_ppteval.sandbox.text import clean, one_line, size

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from pytest_ppteval.deck.model import PowerPointDiff

__all__ = [
    "Answer",
    "DeckUnusable",
    "Job",
    "Limits",
    "ModelRequest",
    "Outcome",
    "Picture",
    "Sandbox",
    "SandboxError",
    "TaskSession",
]

_CONTROL_LIMIT = 1 << 20
_DIFF_LIMIT = 1 << 30
_PATIENCE = 10.0  # seconds for the sandbox's own processes to do something that takes them milliseconds
_PACKAGES = ("pytest_ppteval", "pptx", "lxml", "PIL", "numpy", "typing_extensions", "xlsxwriter")


class Sandbox:
    """The sandbox of this process. Not for use from several threads.

    mode: "auto" takes what confinement there is, "require" insists on all of it, "off" does without.
    limits: what each leaf may use. preload: modules that leaves will import, see code.imports_of.
    layers, max_landlock_abi: for tests of the weaker levels.
    Raises SandboxUnavailable for mode "require" where the level is not "full".
    """

    def __init__(
        self,
        mode: Mode = "auto",
        *,
        limits: Limits | None = None,
        preload: Iterable[str] = (),
        layers: Iterable[Layer] | None = None,
        max_landlock_abi: int | None = None,
    ) -> None:
        self._plan, self.level = make_plan(mode, layers=layers, max_landlock_abi=max_landlock_abi)
        self.limits = limits or Limits()
        self._preload = sorted(set(preload))
        self._zygote: _Zygote | None = None
        self._owner = os.getpid()

    def start(self) -> None:
        """Start the sandbox's first process, and return at once: it gets ready in the background."""
        self._started()

    def open(self, original: Path | None, modified: Path | None, readable: Iterable[Path] = ()) -> TaskSession:
        """A session for one task's leaves. They can read its decks and the files in `readable` (pictures).

        Checking and parsing the decks goes on in the background; the session's first use waits for it.
        Raises SandboxError.
        """
        paths = {"original": original, "modified": modified}
        decks = {which: None if path is None else os.path.abspath(path) for which, path in paths.items()}
        session = TaskSession(self, decks, tuple(sorted({os.path.abspath(path) for path in readable})))
        session._connect()
        return session

    def close(self) -> None:
        """End the sandbox's processes. Sessions that are open are of no more use."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            if self._owner == os.getpid():
                zygote.close()
            else:
                zygote.forget()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _started(self) -> _Zygote:
        if not hasattr(os, "fork"):
            raise SandboxError(
                "rubric code cannot run on this system yet: the sandbox needs os.fork (Linux, macOS; on Windows use WSL)"
            )
        if self._owner != os.getpid() and self._zygote is not None:
            # A forked copy of pytest's process: the zygote belongs to the original.
            self._zygote.forget()
            self._zygote = None
        self._owner = os.getpid()
        if self._zygote is not None and not self._zygote.usable():
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            plan = self._plan
            config: Message = {
                "t": "config",
                "landlock": plan.landlock,
                "seccomp": plan.seccomp,
                "privileges": plan.privileges,
                "preload": self._preload,
            }
            self._zygote = _Zygote(config, self.limits.start, hide_host=plan.privileges and not plan.landlock)
        return self._zygote


class _Zygote:
    """The zygote's process, as the host sees it."""

    def __init__(self, config: Message, patience: float, *, hide_host: bool) -> None:
        self._hidden = hide_host and _set_dumpable(False)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _boot(theirs.fileno())],
                env=_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,
                cwd="/",
            )
        self._ready_by: float | None = time.monotonic() + patience
        self._number = 0
        self._exits: dict[int, int] = {}
        self._busy = True  # in the middle of a message, if an exception left it so
        send(self._control, config, deadline=self._ready_by)
        self._busy = False

    def usable(self) -> bool:
        return not self._busy and self._process.poll() is None

    def open(self, message: Message, theirs: socket.socket) -> int:
        """Ask for a keeper with `theirs` as its end of the session's socket; returns its number."""
        self._wait_ready()
        self._drain()
        self._number += 1
        self._send({**message, "t": "open", "id": self._number}, (theirs.fileno(),))
        return self._number

    def kill(self, number: int) -> None:
        """Kill a keeper, and with it its leaf."""
        with contextlib.suppress(SandboxError):
            self._send({"t": "kill", "id": number})

    def exit_status(self, number: int) -> int | None:
        """The wait status of a keeper that has ended or is ending; None if that cannot be told."""
        end = time.monotonic() + 2
        with contextlib.suppress(EOFError, ConnectionError, TimeoutError, BrokenMessageError):
            while number not in self._exits:
                self._note(receive(self._control, limit=_CONTROL_LIMIT, deadline=end))
        return self._exits.pop(number, None)

    def close(self) -> None:
        self._control.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._hidden:
            _set_dumpable(True)

    def forget(self) -> None:
        """Let go of it without ending it: it is another process's child."""
        self._control.close()
        self._log.close()
        self._process.returncode = 0  # else Popen's destructor warns of a child that still runs

    def _wait_ready(self) -> None:
        if self._ready_by is None:
            return
        self._busy = True
        try:
            receive(self._control, limit=_CONTROL_LIMIT, deadline=self._ready_by)
        except (EOFError, ConnectionError, TimeoutError, BrokenMessageError) as error:
            said = one_line(os.pread(self._log.fileno(), 1 << 16, 0).decode("utf-8", "replace")[-400:])
            what = "took too long to start" if isinstance(error, TimeoutError) else "could not start"
            raise SandboxError(f"the sandbox {what}: {said or type(error).__name__}") from None
        self._busy = False
        self._ready_by = None

    def _drain(self) -> None:
        """Take in the notices that have come, so that they don't pile up."""
        with contextlib.suppress(TimeoutError, BlockingIOError, EOFError, ConnectionError):
            while True:
                self._control.settimeout(0)
                if not self._control.recv(1, socket.MSG_PEEK):
                    return
                self._note(receive(self._control, limit=_CONTROL_LIMIT, deadline=time.monotonic() + _PATIENCE))

    def _note(self, message: Message) -> None:
        self._exits[int(str(message["id"]))] = int(str(message["status"]))
        while len(self._exits) > 100:
            self._exits.pop(next(iter(self._exits)))

    def _send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        self._busy = True
        try:
            send(self._control, message, fds, deadline=time.monotonic() + _PATIENCE)
        except (OSError, TimeoutError) as error:
            raise SandboxError(f"the sandbox's first process is gone ({type(error).__name__})") from None
        self._busy = False


class _Keeper:
    """A keeper's process, as the host sees it."""

    def __init__(self, zygote: _Zygote, number: int, sock: socket.socket) -> None:
        self.zygote = zygote
        self.number = number
        self._sock = sock
        self._busy = False

    @property
    def in_step(self) -> bool:
        """Whether no message was cut short by an exception."""
        return not self._busy

    def send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        self._busy = True
        send(self._sock, message, fds, deadline=time.monotonic() + _PATIENCE)
        self._busy = False

    def receive(self, patience: float, limit: int = _CONTROL_LIMIT) -> Message:
        self._busy = True
        message = receive(self._sock, limit=limit, deadline=time.monotonic() + patience)
        self._busy = False
        return message

    def close(self) -> None:
        self._sock.close()
        self.zygote.kill(self.number)


class TaskSession:
    """One task's decks, and its leaves, one at a time."""

    def __init__(self, sandbox: Sandbox, decks: dict[str, str | None], readable: tuple[str, ...]) -> None:
        self._sandbox = sandbox
        self._limits = sandbox.limits
        self._decks = decks
        self._readable = readable
        self._keeper: _Keeper | None = None
        self._ready = False
        self._unusable: DeckUnusable | None = None
        self._has_diff = False
        self._diff: PowerPointDiff | None = None
        self._leaves = 0
        self._closed = False

    def ready(self) -> None:
        """Wait until the decks are parsed.

        Raises DeckUnusable where the guard or python-pptx refuses one, SandboxError where the sandbox fails.
        """
        if self._unusable is not None:
            raise self._unusable
        if self._closed:
            raise SandboxError("this task's session is closed")
        if self._keeper is None:
            self._connect()
        if not self._ready:
            self._wait_parsed()

    def diff(self) -> PowerPointDiff:
        """The diff of the two decks, computed in the sandbox, once. Raises as `ready`, and SandboxError without decks."""
        if self._diff is None:
            from pytest_ppteval.deck.model import PowerPointDiff

            data = self._compute_diff(wanted=True)
            assert isinstance(data, dict)
            self._diff = PowerPointDiff.from_dict(data)
        return self._diff

    def run(self, job: Job, answer: Answer) -> Outcome:
        """Run one leaf. Raises as `ready`, and whatever BaseException interrupts it or `answer`, the leaf then killed."""
        started = time.perf_counter()
        self.ready()
        if job.diff is None and not self._has_diff and None not in self._decks.values() and _may_use_diff(job.code):
            self._compute_diff(wanted=False)
        keeper = self._keeper
        assert keeper is not None
        self._leaves += 1
        ours, theirs = socket.socketpair()
        with ours, _output_file() as output:
            try:
                try:
                    with theirs:
                        keeper.send({"t": "leaf", "id": self._leaves}, (theirs.fileno(), output.fileno()))
                except OSError:
                    return self._lost(started)
                ending = Dialogue(ours, job, answer, self._limits).run(uses_numpy=_uses_numpy(job.code))
            except BaseException:
                self._abandon()
                raise
            return self._conclude(job, ending, output.fileno(), started)

    def close(self) -> None:
        """Let go of the task: its processes are killed."""
        self._closed = True
        self._drop()

    def __enter__(self) -> TaskSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------ the keeper

    def _connect(self) -> None:
        zygote = self._sandbox._started()
        limits = self._limits
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                message: Message = {
                    **self._decks,
                    "readable": list(self._readable),
                    "limits": {
                        "cpu": limits.cpu,
                        "memory": limits.memory,
                        "file_size": limits.file_size,
                        "open_files": limits.open_files,
                    },
                }
                number = zygote.open(message, theirs)
        except BaseException:
            ours.close()
            raise
        self._keeper = _Keeper(zygote, number, ours)
        self._ready = self._has_diff = False

    def _drop(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def _wait_parsed(self) -> None:
        keeper = self._keeper
        assert keeper is not None
        which: Which | None = None
        try:
            while True:
                message = keeper.receive(self._limits.parse)
                if message["t"] == "ready":
                    self._ready = True
                    return
                if message["t"] == "parsing":
                    which = "original" if message.get("which") == "original" else "modified"
                    continue
                why = one_line(str(message.get("why")))
                if message["t"] == "refused":
                    raise SandboxError(f"a task's process could not be started or confined: {why}")
                break
        except TimeoutError:
            why = f"checking and opening it took more than {self._limits.parse:g} s"
        except (EOFError, ConnectionError, BrokenMessageError):
            why = f"the process that parses it was lost ({self._keeper_fate(keeper)})"
            if which is None:
                raise SandboxError(f"a task's process was lost ({self._keeper_fate(keeper)})") from None
        finally:
            if not self._ready:
                self._drop()
        if why == "memory":
            why = f"opening it needs more than the memory limit of {size(self._limits.memory)}"
        if which is None:
            raise SandboxError(f"a task's process does not answer: {why}")
        self._unusable = DeckUnusable(which, why)
        raise self._unusable

    def _compute_diff(self, *, wanted: bool) -> object:
        self.ready()
        keeper = self._keeper
        assert keeper is not None
        try:
            keeper.send({"t": "diff", "wanted": wanted})
            message = keeper.receive(self._limits.parse, _DIFF_LIMIT)
        except BaseException as error:
            fate = ""
            if isinstance(error, (EOFError, ConnectionError)):
                fate = f"its process was lost ({self._keeper_fate(keeper)})"
            elif isinstance(error, TimeoutError):
                fate = f"it took more than {self._limits.parse:g} s"
            self._drop()
            if not fate:
                raise
            raise SandboxError(f"no diff of the decks: {fate}") from None
        if "data" not in message:
            why = one_line(str(message.get("why")))
            if why == "memory":
                why = f"it needs more than the memory limit of {size(self._limits.memory)}"
            raise SandboxError(f"no diff of the decks: {why}")
        self._has_diff = True
        return message["data"]

    @staticmethod
    def _keeper_fate(keeper: _Keeper) -> str:
        status = keeper.zygote.exit_status(keeper.number)
        return "cause unknown" if status is None else _fate(status)

    # --------------------------------------------------------------------------------------------------- a leaf

    def _abandon(self) -> None:
        """Kill the leaf that runs, after an exception came between."""
        keeper = self._keeper
        if keeper is None:
            return
        if keeper.in_step:
            with contextlib.suppress(OSError):
                self._end_leaf(keeper)
                return
        self._drop()

    def _end_leaf(self, keeper: _Keeper, *, trace: bool = False, grace: float = 0.0, report: bool = False) -> None:
        keeper.send({"t": "end", "id": self._leaves, "trace": trace, "grace": grace, "report": report})

    def _conclude(self, job: Job, ending: Ending, output: int, started: float) -> Outcome:
        keeper = self._keeper
        assert keeper is not None
        printed = os.fstat(output).st_size
        status: int | None = None
        lost = False
        silent = ending.status in ("timeout", "gone")
        try:
            # A leaf that is gone gets a moment to finish dying, so that its own fate is reported and not our signal.
            self._end_leaf(
                keeper, trace=ending.status == "timeout", grace=0.5 if ending.status == "gone" else 0, report=silent
            )
            if silent:
                status = int(str(keeper.receive(_PATIENCE)["status"]))
        except (OSError, EOFError, BrokenMessageError):
            lost = True
        except BaseException:
            self._drop()
            raise
        if lost:
            if ending.status == "gone":
                return self._lost(started)
            self._drop()  # what the leaf said stands; the next one gets a new keeper
        reason, violation = ending.reason, ending.violation
        if ending.status == "timeout":
            reason = f"no answer within {self._limits.wall:g} s"
        elif ending.status == "gone" and status is not None:
            reason, violation = _crash(status, self._limits)
        kept = os.pread(output, self._limits.output + 1, 0)
        frames = ending.frames
        if ending.status == "timeout":
            frames = trace.frames_of_dump(os.pread(output, 1 << 16, printed), job.name)
            kept = kept[:printed]
        elif ending.status == "gone":
            kept, frames = trace.split_crash(kept, os.pread(output, 1 << 16, max(0, printed - (1 << 16))), job.name)
        frames = trace.within(frames, job.code)
        return Outcome(
            status=ending.status if ending.status in ("scored", "unscored") else "error",
            score=ending.score,
            reason=reason,
            traceback=trace.render(frames, job.code, job.name),
            error_line=frames[-1][0] if frames else None,
            output=clean(kept[: self._limits.output].decode("utf-8", "replace"), self._limits.output)
            + ("…[cut]" if len(kept) > self._limits.output else ""),
            seconds=time.perf_counter() - started,
            violation=violation,
        )

    def _lost(self, started: float) -> Outcome:
        """The outcome of a leaf whose keeper died under it: no fault of the leaf's, as far as can be told."""
        keeper = self._keeper
        assert keeper is not None
        fate = self._keeper_fate(keeper)
        self._drop()
        return Outcome(
            status="unscored",
            reason=f"sandbox failure: the task's process was lost ({fate})",
            seconds=time.perf_counter() - started,
        )


def _fate(status: int) -> str:
    """A wait status for people."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return f"killed by {signal.Signals(number).name}"
        except ValueError:
            return f"killed by signal {number}"
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def _crash(status: int, limits: Limits) -> tuple[str, bool]:
    """The reason of a leaf that ended without a word, and whether that was a violation."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGSYS:
            return "sandbox violation: a system call of a foreign architecture (killed by SIGSYS)", True
        if number == signal.SIGXCPU:
            return f"processor time limit of {limits.cpu} s", False
        return _fate(status), False
    return f"{_fate(status)} without a result", False


def _may_use_diff(code: str) -> bool:
    # Rather too often than not: by name, or by a name made up at run time.
    return "diff" in code or any(word in code for word in ("globals", "vars(", "eval", "exec", "locals"))


def _uses_numpy(code: str) -> bool:
    return "numpy" in code and any(name.partition(".")[0] == "numpy" for name in imports_of(code))


def _output_file() -> IO[bytes]:
    """A file without a name, for what a leaf prints."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("leaf output", os.MFD_CLOEXEC), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def _environment() -> dict[str, str]:
    """The sandbox's environment: nothing of the user's but what the loader may need to start Python at all."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def _boot(fd: int) -> str:
    """The zygote's program: finds the packages that this process would import, wherever they are installed."""
    places = []
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin)
            place = str((origin.parent.parent if spec.submodule_search_locations else origin.parent).resolve())
            if place not in places:
                places.append(place)
    return (
        f"import sys; sys.path.extend(p for p in {json.dumps(places)} if p not in sys.path)\n"
        f"from pytest_ppteval.sandbox.zygote import main\nmain({fd})"
    )


def _set_dumpable(value: bool) -> bool:
    """Whether other processes of this user may look into this one (Linux). Returns whether it was changed."""
    from pytest_ppteval.sandbox import linux

    if not linux.LINUX or bool(linux.prctl(linux.PR_GET_DUMPABLE)) == value:
        return False
    linux.prctl(linux.PR_SET_DUMPABLE, int(value))
    return True
