"""Locks between the processes and threads of a run, as locked files: the kernel frees what a dead process held."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE = 0.02


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock at `path`, alone among all processes and threads."""
    with path.open("ab") as file:
        while not _try(file):
            time.sleep(_PAUSE)
        yield


@contextmanager
def slot(folder: Path, count: int) -> Iterator[None]:
    """Hold one of `count` slots, waiting for a free one."""
    while (held := take_slot(folder, count)) is None:
        time.sleep(_PAUSE)
    with held:
        yield


def take_slot(folder: Path, count: int) -> IO[bytes] | None:
    """One of `count` slots, held until the file is closed; None where none is free."""
    for number in range(count):
        file = take_lock(folder / f"slot-{number}.lock")
        if file is not None:
            return file
    return None


def take_lock(path: Path) -> IO[bytes] | None:
    """The lock at `path`, held until the file is closed; None where another holds it."""
    file = path.open("ab")
    if _try(file):
        return file
    file.close()
    return None


if sys.platform == "win32":
    import msvcrt

    def _try(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(file: IO[bytes]) -> bool:
        # By open file, not by process: threads exclude each other too. Closing the file frees it.
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
