"""The process between pytest and an agent: keeps its time, its disk and its output in bounds, and ends all it started.

A program of its own (python -I -S supervisor.py), which needs nothing but the standard library. stdin: the job as one
line of JSON (see process.Job), and then nothing until it is closed or says "stop"; when it closes, pytest is gone.
stdout: {"t": "started", "pid"} or {"t": "refused", "errno", "file"}, then {"t": "ended", "how", "code", "seconds",
"killed"}.

What ends with the agent: on Linux everything that it started, since orphans become children of this process
(PR_SET_CHILD_SUBREAPER), wherever they fled to; on other POSIX systems its process group, and what `ps` shows below
it; on Windows what taskkill finds below it. A service that was asked to start something (systemd, docker, at) is
nobody's child: what it started stays.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

if sys.platform != "win32":
    import resource

LINUX = sys.platform == "linux"
POSIX = os.name == "posix"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_TICK = 0.2
_PIECE = 1 << 16
# Kept of the end of an output that is cut: the result of a trace is there.
_TAIL = 1 << 20
_KILL_SECONDS = 10.0


class Output(threading.Thread):
    """Reads one of the agent's streams to its end, so that the agent never waits for it, and keeps so much of it."""

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(daemon=True)
        self.stream: IO[bytes] | None = None
        self._tail = b""
        self._room = min(_TAIL, limit // 4)
        self._head = limit - self._room
        self._kept = self._seen = 0
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = open(path, "wb", buffering=0)  # noqa: SIM115 - closed by finish
        self._last = b""

    def run(self) -> None:
        """Read until all who could write are gone."""
        assert self.stream is not None
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self.stream.fileno(), _PIECE):
                with self._lock:
                    if self._file is None:
                        return
                    self._take(piece)

    def _take(self, piece: bytes) -> None:
        assert self._file is not None
        self._seen += len(piece)
        head = piece[: max(0, self._head - self._kept)]
        if head:
            with contextlib.suppress(OSError):  # a full disk costs output, not the run
                self._file.write(head)
            self._kept += len(head)
            self._last = head[-1:]
        self._tail += piece[len(head) :]
        if len(self._tail) > 2 * self._room + _PIECE:
            self._tail = self._tail[len(self._tail) - self._room :]

    def finish(self, seconds: float) -> None:
        """Write what is left; a line says how much is missing."""
        self.join(seconds)
        with self._lock:
            assert self._file is not None
            tail = self._tail[len(self._tail) - self._room :] if len(self._tail) > self._room else self._tail
            cut = self._seen - self._kept - len(tail)
            with self._file as file, contextlib.suppress(OSError):
                if cut > 0:
                    line = f"[ppteval: {cut:,} bytes cut here]\n".encode()
                    file.write((b"" if self._last in (b"", b"\n") else b"\n") + line)
                file.write(tail)
            self._file = None


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
    whole = LINUX and job["reach"] == "all" and _prctl(_PR_SET_CHILD_SUBREAPER, 1)
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
    how = _watch(job, agent, control, wake, started)
    seconds = time.monotonic() - started
    below = {} if whole or how == "exited" else _listed(agent.pid)
    if how != "exited":
        _ask_to_end(agent, job["grace"])
    killed = _kill_all(agent) if whole else _kill_group(agent, below)
    code = agent.returncode if how == "exited" else None
    for output in outputs:
        output.finish(_KILL_SECONDS if whole else 1.0)
    if control.alone:
        shutil.rmtree(job["remove"], ignore_errors=True)
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
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        most = min(disk_limit, 1 << 60) + (16 << 20)  # so that it is the watch that speaks
        for kind, value in ((resource.RLIMIT_FSIZE, most), (resource.RLIMIT_CORE, 0)):
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, hard))


def _watch(
    job: dict[str, Any], agent: subprocess.Popen[bytes], control: Control, wake: threading.Event, started: float
) -> str:
    """Wait for the agent's end or for a reason to end it."""
    deadline = started + job["timeout"]
    parent = os.getppid()
    look = started
    while True:
        now = time.monotonic()
        if agent.returncode is not None:
            return "exited"
        # A child that pytest forked may hold the pipe open when pytest is gone.
        if POSIX and os.getppid() != parent:
            control.alone = control.stop = True
        if control.stop:
            return "stopped"
        if now >= deadline:
            return "timeout"
        if now >= look:
            if _used(job["watch"], job["disk_limit"]) > job["disk_limit"]:
                return "disk"
            # Large workspaces are looked at less often, so that looking takes a tenth of a core at most.
            look = time.monotonic() + max(_TICK, 9 * (time.monotonic() - now))
        _reap(agent.pid)
        wake.wait(min(_TICK, max(0.0, deadline - time.monotonic())))


def _used(root: str, limit: int) -> int:
    """Bytes that the files below `root` take on disk; counting ends beyond `limit`."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(OSError):
                facts = os.lstat(os.path.join(folder, name))
                # Nothing is free: a million empty files is too much as well.
                total += 512 * max(1, getattr(facts, "st_blocks", facts.st_size // 512))
        total += 512
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


def _kill_all(agent: subprocess.Popen[bytes]) -> int:
    """Kill every descendant of this process (Linux). Returns how many were seen beside the agent."""
    if sys.platform != "linux":
        return 0
    deadline = time.monotonic() + _KILL_SECONDS
    killed: set[int] = set()
    while time.monotonic() < deadline:
        # By groups first: no fork gets out of a group's way, while a process that forks and ends at once is another
        # one before its number is read. All groups of a descendant are its own or a descendant's: the agent leads a
        # session of its own. Then one by one, all halted first, for those that make a session at each fork.
        seen = _descendants()
        killed |= seen.keys()
        for group in {agent.pid, *seen.values()} - {os.getpgid(0)}:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        halted: set[int] = set()
        for _ in range(50):
            fresh = _descendants().keys() - halted
            if not fresh:
                break
            halted |= fresh
            for pid in fresh:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSTOP)
        for pid in halted:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        killed |= halted
        _reap(agent.pid)
        if not halted:
            break
        time.sleep(0.005)
    with contextlib.suppress(subprocess.TimeoutExpired):
        agent.wait(1)
    _reap(agent.pid)
    return len(killed - {agent.pid})


def _descendants() -> dict[int, int]:
    """The living processes below this one, each with its group (Linux)."""
    parents: dict[int, int] = {}
    groups: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                # A process whose first thread has ended looks dead while others run.
                if fields[0] not in (b"Z", b"X") or int(fields[17]) > 1:
                    parents[int(name)], groups[int(name)] = int(fields[1]), int(fields[2])
    return {pid: groups[pid] for pid in _below(parents, os.getpid())}


def _below(parents: dict[int, int], root: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def _reap(agent: int) -> None:
    """Take leave of dead orphans; the agent's own end is for the thread that waits for it."""
    if sys.platform != "linux":
        return
    end = time.monotonic() + _TICK / 4  # they may come faster than they go
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if dead is None or dead.si_pid == agent:
                return
            os.waitpid(dead.si_pid, os.WNOHANG)


def _listed(agent: int) -> dict[int, int]:
    """What `ps` shows below the agent and in its group, each process with its group."""
    if not POSIX:
        return {}
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        done = subprocess.run(
            ["ps", "-axo", "pid=,ppid=,pgid="], capture_output=True, check=False, timeout=_KILL_SECONDS
        )
        rows = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
        below = _below({pid: parent for pid, parent, _ in rows}, agent)
        return {pid: group for pid, _, group in rows if pid in below or group == agent}
    return {}


def _kill_group(agent: subprocess.Popen[bytes], below: dict[int, int]) -> int:
    """Kill what can be found without the kernel's help. Returns how many that were beside the agent, if known.

    below: what was listed while the agent lived: when it is gone, nobody is below it.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(agent.pid)], capture_output=True, check=False)
        with contextlib.suppress(subprocess.TimeoutExpired):
            agent.wait(_KILL_SECONDS)
        return 0
    found = below | _listed(agent.pid)
    with contextlib.suppress(OSError):
        os.killpg(agent.pid, signal.SIGKILL)
    for pid, group in found.items():
        with contextlib.suppress(OSError):
            if pid != agent.pid and os.getpgid(pid) == group:  # else the number is another's by now
                os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        agent.wait(_KILL_SECONDS)
    return len(found.keys() - {agent.pid})


_libc = ctypes.CDLL(None) if LINUX else None


def _prctl(option: int, value: int) -> bool:
    assert _libc is not None
    zero = ctypes.c_ulong(0)
    return bool(_libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) == 0)


if __name__ == "__main__":
    main()
