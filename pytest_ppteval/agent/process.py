"""An agent's process as pytest sees it: started under a supervisor, waited for, ended with all that it started."""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_ppteval.agent.descent import LINUX, adopt, children_of_ours, kill_below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

How = Literal["exited", "lingered", "timeout", "disk", "stopped", "refused", "lost"]
# In the agent's environment: by it a process is known that nobody watches any more.
MARK = "PPTEVAL_AGENT_RUN"
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_POLL = 0.1
# The supervisor takes up to 10 s to kill what fights back, and then as long to read what was said.
_PATIENCE = 45.0
# What a loader, or Windows' own libraries, cannot do without.
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "SYSTEMDRIVE")
_live: set[_Supervisor] = set()
_live_lock = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run, and its limits.

    base: the folder whose size is watched; removed by the supervisor if this process dies. stdin: a file, or None.
    stdout, stderr: files that are written anew, `output_limit` bytes each, and a line on what was cut.
    timeout, grace: seconds; grace is between asking an agent to end and killing it. linger: seconds after a final event
        that it may go on. traces: globs for files that may end with that event, beside stdout. disk_limit: bytes.
    reach: "all", or "group": as on systems that don't hand orphans to the supervisor (for tests).
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    base: Path
    stdout: Path
    stderr: Path
    timeout: float
    stdin: Path | None = None
    output_limit: int = 32_000_000
    disk_limit: int = 1_024_000_000
    grace: float = 1.0
    linger: float = 10.0
    traces: tuple[str, ...] = ()
    reach: Literal["all", "group"] = "all"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended.

    how: exited (by itself: `code` is its exit code, -n for signal n); lingered (it had told of its end, and went on);
    timeout, disk, stopped (it was killed); refused (it could not be started: `reason`); lost (the supervisor died; what
    it had started is killed).
    seconds: from start to end. killed: how many processes were left to kill beside the agent's first.
    """

    how: How
    code: int | None = None
    seconds: float = 0.0
    reason: str = ""
    killed: int = 0


def run_process(
    job: Job, *, stop: threading.Event | None = None, on_start: Callable[[int], None] | None = None
) -> Ended:
    """Run a job to its end. Whatever is raised here (Ctrl-C too), all that the job started is ended first.

    stop: when it is set, the job is ended. on_start: called with the number of the agent's process.
    """
    with _live_lock:
        # Where the agent kills the one that watches it, its orphans are ours to kill.
        adopt(True)
        supervisor = _Supervisor(job)
        _live.add(supervisor)
    try:
        return supervisor.wait(stop, on_start)
    finally:
        try:
            supervisor.close()
        finally:
            with _live_lock:
                _live.discard(supervisor)
                if not _live:
                    adopt(False)


def stop_all() -> None:
    """End every agent that this process runs, and wait for it. Each run_process returns with "stopped"."""
    with _live_lock:
        live = list(_live)
    for supervisor in live:
        supervisor.stop()
    for supervisor in live:
        supervisor.wait_gone(_PATIENCE)


atexit.register(stop_all)


class _Supervisor:
    def __init__(self, job: Job) -> None:
        self._gone = threading.Event()
        self._job = job
        self._owner = os.getpid()
        self._mark = uuid.uuid4().hex
        self._ours: frozenset[int] = children_of_ours() if LINUX else frozenset()
        self._lock = threading.Lock()
        self._messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SUPERVISOR), *_places()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=job.base,
            # The agent may look into it, being of the same user: no key of pytest's environment is found there.
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            # Ctrl-C at the terminal is for pytest, which then ends the agents.
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, stop: threading.Event | None, on_start: Callable[[int], None] | None) -> Ended:
        self._send(json.dumps(self._data()).encode() + b"\n")
        began = time.monotonic()
        # The supervisor keeps the time. This is for the case that the agent keeps it from doing so.
        deadline = began + self._job.timeout + self._job.grace + _PATIENCE
        while True:
            if stop is not None and stop.is_set():
                self.stop()
                stop = None
            try:
                message = self._messages.get(timeout=_POLL)
            except queue.Empty:
                self._watch_over()
                if time.monotonic() > deadline:
                    self._end_it()
                    return Ended("timeout", seconds=self._job.timeout, reason="what watches it did not answer")
                continue
            if message is None:
                self._end_it()
                self._log.seek(0)
                words = self._log.read().decode("utf-8", "replace").strip().splitlines()
                said = f": {words[-1]}" if words else ""
                took = time.monotonic() - began
                return Ended("lost", seconds=took, reason=f"the process that watches the agent ended{said}")
            if message["t"] == "started" and on_start is not None:
                on_start(message["pid"])
            elif message["t"] == "refused":
                return Ended("refused", reason=self._refusal(message["errno"], message["text"]))
            elif message["t"] == "ended":
                return Ended(message["how"], message["code"], message["seconds"], killed=message["killed"])

    def _watch_over(self) -> None:
        """Set the supervisor going again if the agent has halted it, and learn who are children of our own."""
        if sys.platform == "win32":
            return
        with contextlib.suppress(OSError):
            self._process.send_signal(signal.SIGCONT)
        if LINUX:
            ours = children_of_ours()
            # As long as it lives, orphans of the agent's are its children, not ours.
            if self._process.poll() is None:
                self._ours = ours

    def _end_it(self) -> None:
        """Without the supervisor, which is ended if it is not: kill all that came from the agent."""
        self._process.kill()
        self._process.wait()
        if LINUX:
            with _live_lock:
                others = {one._process.pid for one in _live}
            kill_below(self._ours | others)
        _kill_marked(self._mark)

    def stop(self) -> None:
        if self._owner == os.getpid():  # a forked child that exits has no say
            self._send(b"stop\n")

    def wait_gone(self, seconds: float) -> None:
        if self._owner == os.getpid():
            self._gone.wait(seconds)

    def close(self) -> None:
        """End it; it ends the agent first."""
        if self._process.poll() is None:
            self.stop()
        end = time.monotonic() + _PATIENCE
        try:
            while True:
                try:
                    self._process.wait(_POLL)
                    break
                except subprocess.TimeoutExpired:
                    self._watch_over()
                    if time.monotonic() > end:
                        self._end_it()
                        break
        finally:  # also where a second Ctrl-C comes in between: it ends when it hears nobody
            with self._lock, contextlib.suppress(OSError):
                assert self._process.stdin is not None
                self._process.stdin.close()
            self._log.close()
            self._gone.set()
        self._reader.join()

    def _data(self) -> dict[str, Any]:
        job = self._job
        return {
            "argv": list(job.argv),
            "cwd": str(job.cwd),
            "env": {**job.env, MARK: self._mark},
            "stdin": None if job.stdin is None else str(job.stdin),
            "stdout": str(job.stdout.absolute()),
            "stderr": str(job.stderr.absolute()),
            "output_limit": job.output_limit,
            "disk_limit": job.disk_limit,
            "timeout": job.timeout,
            "grace": job.grace,
            "linger": job.linger,
            "traces": list(job.traces),
            "watch": str(job.base),
            "remove": str(job.base),
            "reach": job.reach,
        }

    def _send(self, data: bytes) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):  # gone: the reader says so
            assert self._process.stdin is not None
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                with contextlib.suppress(ValueError):
                    self._messages.put(json.loads(line))
        self._messages.put(None)

    def _refusal(self, number: int | None, text: str) -> str:
        program = self._job.argv[0]
        if number == errno.ENOENT:
            if os.sep in program and Path(self._job.cwd, program).exists():
                return f"{program} names an interpreter in its first line that is not there"
            if os.sep in program and not os.path.isabs(program):
                return f"there is no {program} in the workspace: {{here}} is the folder of ppteval.yaml"
            return f"there is no program {program}: install it, or correct the command or PATH"
        if number == errno.EACCES:
            return f"{program} is not executable: chmod +x, or name its interpreter in the command"
        if number == errno.ENOEXEC:
            return f"{program} is no program: it needs a first line with #!, or its interpreter in the command"
        if number == errno.E2BIG:
            return f"the arguments for {program} are too long: give the task by stdin or by {{task_file}}"
        return f"{program} can't be started: {text}"


def _places() -> list[str]:
    """Where the supervisor finds this package and psutil: it starts without site-packages, which take their time."""
    from importlib.util import find_spec

    package, psutil = Path(__file__).parents[2], find_spec("psutil")
    found = None if psutil is None or psutil.origin is None else Path(psutil.origin).parents[1]
    return list(dict.fromkeys(str(one) for one in (package, found) if one is not None))


def _kill_marked(mark: str) -> None:
    """Kill what has the mark in its environment (Linux): nobody is left who knows it as a child."""
    if sys.platform != "linux":
        return
    wanted = f"{MARK}={mark}".encode()
    for _ in range(20):
        found = False
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError, ValueError):
                if wanted in entry.read_bytes().split(b"\0"):
                    os.kill(int(entry.parent.name), signal.SIGKILL)
                    found = True
        if not found:
            return
