"""running/: what runs now, a file each, so that progress can be shown whichever process runs it."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.files.whole import write_json
from pytest_ppteval.runs.facts import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Running:
    """A trial that runs. task: the node id without the trial. started: UTC, ISO 8601. pid, host: of its process."""

    task: str
    trial: int
    agent: str | None
    pid: int
    started: str
    host: str = ""


def mark_running(folder: Path, task: str, trial: int, agent: str | None = None) -> Path:
    """Say in the run directory `folder` that this process runs a trial from now on; the mark, for `unmark`."""
    marks = folder / "running"
    marks.mkdir(exist_ok=True)
    name = hashlib.sha256(f"{trial} {task}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    mark = marks / f"{name}.json"
    own = {"task": task, "trial": trial, "agent": agent, "pid": os.getpid(), "started": utc_now()}
    write_json(mark, {**own, "host": socket.gethostname(), "born": _born(os.getpid())})
    return mark


def unmark(mark: Path) -> None:
    """Take a mark back; one that is gone is no fault."""
    mark.unlink(missing_ok=True)


@contextmanager
def running(folder: Path, task: str, trial: int, agent: str | None = None) -> Iterator[None]:
    """A trial runs, as long as this lasts."""
    mark = mark_running(folder, task, trial, agent)
    try:
        yield
    finally:
        unmark(mark)


def list_running(folder: Path) -> list[Running]:
    """What runs now, the longest first. Marks of dead processes are dropped; those of other hosts are believed."""
    found: list[Running] = []
    for mark in sorted((folder / "running").glob("*.json")):
        try:
            data = json.loads(mark.read_text("utf-8"))
            one = Running(**{name: data[name] for name in Running.__slots__})
        except (OSError, ValueError, KeyError, TypeError):
            continue  # taken back this moment, or nobody's
        if one.host != socket.gethostname() or (_alive(one.pid) and _born(one.pid) == data.get("born")):
            found.append(one)
    return sorted(found, key=lambda one: (one.started, one.task, one.trial))


def _born(pid: int) -> str | None:
    """When a process started, by the kernel's clock, where that can be had: process ids are used again."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]


if sys.platform == "win32":

    def _alive(pid: int) -> bool:
        import ctypes

        # os.kill would end the process here.
        handle = ctypes.windll.kernel32.OpenProcess(0x00100000, False, pid)  # SYNCHRONIZE
        if not handle:
            return False
        ended = ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == 0
        ctypes.windll.kernel32.CloseHandle(handle)
        return not ended

else:

    def _alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True
