"""Runs one agent for pytest, and leaves nothing of it behind: also when pytest is killed.

It is started by its path, as a process of its own. argv: folders in which modules are found (this package, psutil).
stdin: the job as one line of JSON (see process.Job), and then nothing until it is closed or says "stop"; when it
closes, pytest is gone. stdout: {"t": "started", "pid"} or {"t": "refused", "errno", "file"}, then {"t": "ended", "how",
"code", "seconds", "killed"}.

What ends with the agent: on Linux everything that it started, since orphans become children of this process
(PR_SET_CHILD_SUBREAPER), wherever they fled to; on other POSIX systems its process group, and what psutil shows below
it; on Windows what psutil shows. A service that was asked to start something (systemd, docker, at) is nobody's child:
what it started stays.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

sys.path += sys.argv[1:]

from pytest_ppteval.agent.descent import (
    KILL_SECONDS,
    LINUX,
    adopt,
    die_with_parent,
    kill_below,
    kill_shown,
    reap,
    shown_below,
)
from pytest_ppteval.agent.final import is_final
from pytest_ppteval.agent.output import Output
from pytest_ppteval.files.tree import remove, walk

if sys.platform != "win32":
    import resource

POSIX = os.name == "posix"
_TICK = 0.2
# How often traces in files are looked at, and how much of their end.
_LOOK = 1.0
_END = 1 << 16


class Control(threading.Thread):
    """Listens to pytest: told to stop, or left alone."""

    def __init__(self, wake: threading.Event) -> None:
        super().__init__(daemon=True)
        self.stop = False
        self.alone = False
        self._wake = wake

    def run(self) -> None:
        """Wait for a word, or for the end of pytest."""
        # Not by sys.stdin: a thread inside of it when the interpreter ends would abort the process.
        with contextlib.suppress(OSError):
            if not os.read(0, 16):
                self.alone = True
        self.stop = True
        self._wake.set()


def say(message: dict[str, Any]) -> None:
    """Tell pytest, if it is there."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(message).encode() + b"\n")


def main() -> None:
    """Run one job."""
    job = json.loads(_line())
    wake = threading.Event()
    control = Control(wake)

    def end(*_: object) -> None:
        control.stop = True
        wake.set()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
    whole = job["reach"] == "all" and adopt(True)
    outputs = [Output(job[name], job["output_limit"]) for name in ("stdout", "stderr")]
    started = time.monotonic()
    try:
        agent = _start(job)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        say({"t": "refused", "errno": getattr(error, "errno", None), "text": str(error)})
        return
    # Not before: a process with threads had better not fork.
    control.start()
    say({"t": "started", "pid": agent.pid})
    for output, stream in zip(outputs, (agent.stdout, agent.stderr), strict=True):
        output.stream = stream
        output.start()

    def wait() -> None:
        agent.wait()
        wake.set()

    threading.Thread(target=wait, daemon=True).start()
    how, seconds = _watch(job, agent, control, wake, started, outputs[0])
    before = [] if whole or (how in ("exited", "disk") and agent.returncode is not None) else shown_below(agent.pid)
    if agent.returncode is None:
        _ask_to_end(agent, job["grace"])
    killed = kill_below(agent=agent) if whole else kill_shown(agent, before)
    with contextlib.suppress(subprocess.TimeoutExpired):
        agent.wait(KILL_SECONDS)
    reap(agent.pid)
    code = agent.returncode if how == "exited" else None
    for output in outputs:
        output.finish(KILL_SECONDS if whole else 1.0)
    if control.alone:
        remove(job["remove"])
    say({"t": "ended", "how": how, "code": code, "seconds": seconds, "killed": killed})


def _line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            raise SystemExit("no job")
        line += piece
    return line


def _start(job: dict[str, Any]) -> subprocess.Popen[bytes]:
    limit = job["disk_limit"]
    stdin = open(job["stdin"], "rb") if job["stdin"] else None  # noqa: SIM115 - closed below
    more: dict[str, Any] = {"start_new_session": True, "preexec_fn": lambda: _prepare(limit)} if POSIX else {}
    if sys.platform == "win32":
        more = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(
            job["argv"],
            cwd=job["cwd"],
            env=job["env"],
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )
    finally:
        if stdin is not None:
            stdin.close()


def _prepare(disk_limit: int) -> None:
    """In the agent's process, before its program: it dies with this one, and no file outgrows the disk's limit."""
    if sys.platform != "win32":
        if LINUX:
            die_with_parent()
        most = min(disk_limit, 1 << 60) + (16 << 20)  # so that it is the watch that speaks
        for kind, value in ((resource.RLIMIT_FSIZE, most), (resource.RLIMIT_CORE, 0)):
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, hard))


def _watch(
    job: dict[str, Any],
    agent: subprocess.Popen[bytes],
    control: Control,
    wake: threading.Event,
    started: float,
    stdout: Output,
) -> tuple[str, float]:
    """Wait for the agent's end or for a reason to end it. Returns which, and how many seconds the run took."""
    deadline = started + job["timeout"]
    parent = os.getppid()
    look = started
    traces = Traces(job["traces"], job["cwd"], started)
    while True:
        now = time.monotonic()
        if agent.returncode is not None:
            # What came before the watch could see it: the kernel's word (SIGXFSZ), or a disk that is full.
            full = sys.platform != "win32" and agent.returncode == -signal.SIGXFSZ
            if full or _used(job["watch"], job["disk_limit"]) > job["disk_limit"]:
                return "disk", now - started
            return "exited", now - started
        # A child that pytest forked may hold the pipe open when pytest is gone.
        if POSIX and os.getppid() != parent:
            control.alone = control.stop = True
        if control.stop:
            return "stopped", now - started
        final = stdout.final if stdout.final is not None else traces.final(now)
        if final is not None and now >= final + job["linger"]:
            return "lingered", final - started
        if now >= deadline:
            if final is not None:
                return "lingered", final - started
            return "timeout", now - started
        if now >= look:
            if _used(job["watch"], job["disk_limit"]) > job["disk_limit"]:
                return "disk", now - started
            # Large workspaces are looked at less often, so that looking takes a tenth of a core at most.
            look = time.monotonic() + max(_TICK, 9 * (time.monotonic() - now))
        reap(agent.pid, _TICK / 4)
        wake.wait(min(_TICK, max(0.0, deadline - time.monotonic())))


class Traces:
    """Traces that the agent writes to files: whether the one that was written to last ends with a final event."""

    def __init__(self, patterns: list[str], cwd: str, started: float) -> None:
        self._patterns = patterns
        self._cwd = cwd
        self._began = time.time() - (time.monotonic() - started)
        self._next = 0.0
        self._known: tuple[str, int, int] | None = None
        self._final: float | None = None

    def final(self, now: float) -> float | None:
        """When the final event was seen, by the clock of `now`; None where there is none, or something after it."""
        if not self._patterns or now < self._next:
            return self._final
        self._next = now + _LOOK
        with contextlib.suppress(OSError, ValueError, RecursionError):
            newest = max(filter(None, map(self._facts, self._found())), default=None)
            if newest is None:
                self._final = None
            elif newest[1:] != self._known:
                self._known = newest[1:]
                self._final = now if _ends(newest[1], newest[3]) else None
        return self._final

    def _found(self) -> list[str]:
        found: list[str] = []
        for pattern in self._patterns:
            found += [os.path.join(self._cwd, one) for one in glob.iglob(pattern, root_dir=self._cwd)][:1000]
        return found

    def _facts(self, path: str) -> tuple[int, str, int, int] | None:
        with contextlib.suppress(OSError):
            facts = os.lstat(path)
            if facts.st_mode & 0o170000 == 0o100000 and facts.st_mtime >= self._began - 1:
                return facts.st_mtime_ns, path, facts.st_mtime_ns, facts.st_size
        return None


def _ends(path: str, size: int) -> bool:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        file.seek(max(0, size - _END))
        lines = file.read(_END).splitlines()
    return bool(lines) and is_final(lines[-1])


def _used(root: str, limit: int) -> int:
    """Bytes that the files below `root` take on disk; counting ends beyond `limit`."""
    total = 0
    for found in walk(root):
        # Nothing is free: a million empty files is too much as well.
        total += 512 * max(1, getattr(found.facts, "st_blocks", found.facts.st_size // 512))
        if total > limit:
            break
    return total


def _ask_to_end(agent: subprocess.Popen[bytes], grace: float) -> None:
    """Let the agent end by itself, so that it can write down what it knows."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            agent.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            os.killpg(agent.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        agent.wait(grace)


if __name__ == "__main__":
    main()
