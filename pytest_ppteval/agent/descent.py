"""What an agent started, found and killed: on Linux by who comes from whom, elsewhere by what psutil shows.

It runs in the process that watches the agent, and in pytest's where that one is gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Collection

    import psutil

LINUX = sys.platform == "linux"
KILL_SECONDS = 10.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None) if LINUX else None


def adopt(on: bool) -> bool:
    """Whether from now on orphans below this process become its children (Linux)."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, int(on))


def die_with_parent() -> None:
    """In a child, before its program: it is killed when its parent ends (Linux)."""
    if sys.platform != "win32":
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> bool:
    if _libc is None:
        return False
    zero = ctypes.c_ulong(0)
    return bool(_libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) == 0)


def below(root: int, spare: Collection[int] = ()) -> dict[int, int]:
    """The living processes below `root`, each with its group; not `spare`, nor what is below those (Linux)."""
    parents: dict[int, int] = {}
    groups: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                # A process whose first thread has ended looks dead while others run.
                if fields[0] not in (b"Z", b"X") or int(fields[17]) > 1:
                    parents[int(name)], groups[int(name)] = int(fields[1]), int(fields[2])
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        if pid not in spare:
            children.setdefault(parent, []).append(pid)
    found: dict[int, int] = {}
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found[pid] = groups[pid]
                waiting.append(pid)
    return found


def children_of_ours() -> frozenset[int]:
    """The children of this process (Linux)."""
    found: set[int] = set()
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                found.update(map(int, file.read().split()))
    except (OSError, ValueError):  # a kernel without that file, or a thread that has just ended
        own = os.getpid()
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == own:
                        found.add(int(name))
    return frozenset(found)


def kill_below(spare: Collection[int] = (), agent: subprocess.Popen[bytes] | None = None) -> int:
    """Kill every descendant of this process but `spare` and theirs (Linux). Returns how many beside the agent."""
    if sys.platform != "linux":
        return 0
    deadline = time.monotonic() + KILL_SECONDS
    killed: set[int] = set()
    own = agent.pid if agent is not None else 0
    while time.monotonic() < deadline:
        # By groups first: no fork gets out of a group's way, while a process that forks and ends at once is another
        # one before its number is read. All groups of a descendant are its own or a descendant's: the agent leads a
        # session of its own. Then one by one, all halted first, for those that make a session at each fork.
        seen = below(os.getpid(), spare)
        killed |= seen.keys()
        for group in ({own} if own else set()) | set(seen.values()) - {os.getpgid(0)}:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        halted: set[int] = set()
        for _ in range(50):
            fresh = below(os.getpid(), spare).keys() - halted
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
        if agent is not None:
            reap(agent.pid)
        else:
            _take_leave(killed)
        if not halted:
            break
        time.sleep(0.005)
    return len(killed - {own})


def reap(agent: int, seconds: float = 0.05) -> None:
    """Take leave of dead orphans; the agent's own end is for who waits for it (Linux)."""
    if sys.platform != "linux":
        return
    end = time.monotonic() + seconds  # they may come faster than they go
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if dead is None or dead.si_pid == agent:
                return
            os.waitpid(dead.si_pid, os.WNOHANG)


def _take_leave(pids: set[int]) -> None:
    if sys.platform != "win32":
        for pid in pids:
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)


# ---- without the kernel's help ---------------------------------------------------------------------------------------


def shown_below(agent: int) -> list[psutil.Process]:
    """What the system shows below the agent, and in its group."""
    import psutil

    found: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error, OSError):
        found |= {one.pid: one for one in psutil.Process(agent).children(recursive=True)}
    if sys.platform != "win32":
        for one in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if one.pid != agent and os.getpgid(one.pid) == agent:
                    found[one.pid] = one
    return list(found.values())


def kill_shown(agent: subprocess.Popen[bytes], before: list[psutil.Process]) -> int:
    """Kill the agent and what can be found below it. Returns how many that were beside the agent.

    before: what was shown while the agent lived: when it is gone, nobody is below it.
    """
    import psutil

    found = {one.pid: one for one in [*before, *shown_below(agent.pid)]}
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(agent.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        agent.kill()
    for one in found.values():
        with contextlib.suppress(psutil.Error, OSError):
            one.kill()  # it knows when the process began: a number that is another's by now is left alone
    return len(found)
