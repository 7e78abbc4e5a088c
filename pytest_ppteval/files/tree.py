"""Folders that an agent left: walked and removed, however deep, wide, locked up or oddly named they are.

Nothing here calls itself, and no path grows with the depth: folders are held by their handles, a few at a time. Only
the standard library is needed: the process that watches an agent runs this too.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# What lies deeper, or has a longer path (bytes), has no name here: it can be counted, but not kept or told of.
MAX_DEPTH = 64
MAX_PATH = 1_000
# Handles that a walk holds at most, of the folders above the one that it is in.
_WINDOW = 16
_FOLDER = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK"))
_BY_HANDLE = os.scandir in os.supports_fd and os.open in os.supports_dir_fd
# Of linux/fs.h: what `chattr` reads and sets.
_GET_FLAGS, _SET_FLAGS, _LOCKED = 0x80086601, 0x40086602, 0x10 | 0x20


class Found(NamedTuple):
    """Something in a tree. name: relative to its root, with "/"; None beyond the limits above. facts: of lstat."""

    name: str | None
    facts: os.stat_result


@dataclass(slots=True)
class _Level:
    """A folder on the way down. handle: None while it is closed. prefix: of the names in it (where it is removed, its
    own name). below: folders in it that were not yet seen."""

    handle: int | None
    mark: tuple[int, int]
    prefix: str | None
    below: list[str]


def walk(root: str | Path, *, unlock: bool = False, unread: list[str] | None = None) -> Iterator[Found]:
    """All that is below `root`, a folder before what is in it; links are not followed. No order is kept.

    unlock: give a folder that can't be read the rights to (it is removed afterwards anyway). unread: gets the names of
    those that can't be read.
    """
    if not _BY_HANDLE:
        yield from _walk_by_path(root)
        return
    handle = _open(str(root), None, unlock)
    if handle is None:
        return
    levels = [_Level(handle, _mark(handle), "", [])]
    try:
        yield from _list(levels[0])
        while True:
            level = levels[-1]
            if not level.below:
                levels.pop()
                if levels:
                    _come_back(levels[-1], level)
                _close(level)
                if not levels:
                    return
                continue
            name = level.below.pop()
            handle = _open(name, level.handle, unlock)
            if handle is None:
                if unread is not None:
                    unread.append(f"{level.prefix or ''}{name}")
                continue
            prefix = None if level.prefix is None or len(levels) >= MAX_DEPTH else f"{level.prefix}{name}/"
            levels.append(_Level(handle, _mark(handle), prefix, []))
            if len(levels) > _WINDOW:
                _close(levels[-1 - _WINDOW])
            yield from _list(levels[-1])
    finally:
        for level in levels:
            _close(level)


def files(root: str | Path, *, unlock: bool = False) -> Iterator[str]:
    """The names of all that is no folder below `root`, without order; what lies beyond the limits has none."""
    for found in walk(root, unlock=unlock):
        if found.name is not None and not stat.S_ISDIR(found.facts.st_mode):
            yield found.name


def _list(level: _Level) -> Iterator[Found]:
    assert level.handle is not None
    with contextlib.suppress(OSError), os.scandir(level.handle) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                name = None if level.prefix is None else level.prefix + entry.name
                if name is not None and len(os.fsencode(name)) > MAX_PATH:
                    name = None
                yield Found(name, facts)
                if stat.S_ISDIR(facts.st_mode):
                    level.below.append(entry.name)


def _come_back(above: _Level, left: _Level) -> None:
    """Open a folder again that was closed on the way down. If it is not there any more, its rest isn't looked at."""
    if above.handle is not None:
        return
    with contextlib.suppress(OSError):
        above.handle = os.open("..", _FOLDER, dir_fd=left.handle)
        if _mark(above.handle) == above.mark:
            return
    _close(above)
    above.below.clear()


def _close(level: _Level) -> None:
    if level.handle is not None:
        os.close(level.handle)
        level.handle = None


def _mark(handle: int) -> tuple[int, int]:
    facts = os.fstat(handle)
    return facts.st_dev, facts.st_ino


def _open(name: str, folder: int | None, unlock: bool) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        if not unlock:
            return None
    except OSError:
        return None
    try:
        # Nobody is left who could put a link here now.
        os.chmod(name, 0o700, dir_fd=folder)
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None


def _walk_by_path(root: str | Path) -> Iterator[Found]:
    """Where folders have no handles (Windows): by their paths, which end at what the system takes."""
    waiting = [(str(root), "", 1)]
    while waiting:
        folder, prefix, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    name = prefix + entry.name
                    short = depth <= MAX_DEPTH and len(os.fsencode(name)) <= MAX_PATH
                    yield Found(name if short else None, facts)
                    if entry.is_dir(follow_symlinks=False) and getattr(facts, "st_reparse_tag", 0) == 0:
                        waiting.append((entry.path, f"{name}/", depth + 1))


def remove(root: str | Path) -> bool:
    """Remove a folder and all that is below it, whatever rights were taken away; links are removed, not followed.

    Never raises for what is there. Returns whether all of it is gone.
    """
    path = os.path.abspath(root)
    if not os.path.lexists(path):
        return True
    if not _BY_HANDLE or os.unlink not in os.supports_dir_fd:
        _remove_by_path(path)
    elif os.path.islink(path) or not os.path.isdir(path):
        with contextlib.suppress(OSError):
            os.unlink(path)
    else:
        with contextlib.suppress(OSError):
            _empty(path)
    return not os.path.lexists(path)


def _empty(path: str) -> None:
    """Folder by folder, each emptied of files on the way down and removed on the way up."""
    handle = _open(path, None, unlock=True)
    if handle is None:
        return
    with contextlib.suppress(OSError):
        os.chmod(path, 0o700)
    levels = [_Level(handle, _mark(handle), "", _unlink_all(handle))]
    try:
        while True:
            level = levels[-1]
            assert level.handle is not None
            if level.below:
                name = level.below.pop()
                with contextlib.suppress(OSError):
                    os.chmod(name, 0o700, dir_fd=level.handle)
                handle = _open(name, level.handle, unlock=False)
                if handle is not None:
                    levels.append(_Level(handle, _mark(handle), name, _unlink_all(handle)))
                    if len(levels) > _WINDOW:
                        _close(levels[-1 - _WINDOW])
                continue
            if len(levels) == 1:
                break
            levels.pop()
            above = levels[-1]
            _come_back(above, level)
            _close(level)
            if above.handle is None:  # moved away from under us: what is left of it stays
                return
            name, folder = level.prefix or "", above.handle
            _insist(lambda: os.rmdir(name, dir_fd=folder), name, folder)  # noqa: B023 - called at once
    finally:
        for level in levels:
            _close(level)
    os.rmdir(path)


def _unlink_all(handle: int) -> list[str]:
    """Unlink what is no folder; the folders' names."""
    below = []
    for name, is_folder in _names(handle):
        if is_folder:
            below.append(name)
        else:
            _insist(lambda: os.unlink(name, dir_fd=handle), name, handle)  # noqa: B023 - called at once
    return below


def _names(handle: int) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    with contextlib.suppress(OSError), os.scandir(handle) as entries:
        for entry in entries:
            is_folder = False
            with contextlib.suppress(OSError):
                is_folder = entry.is_dir(follow_symlinks=False)
            found.append((entry.name, is_folder))
    return found


def _insist(do: Callable[[], None], name: str, folder: int) -> None:
    """Do it; where that is not permitted, once more without the flags by which root's files are made immutable."""
    try:
        do()
    except PermissionError:
        _set_free(name, folder)
        with contextlib.suppress(OSError):
            do()
    except OSError:
        pass


def _set_free(name: str, folder: int) -> None:
    if sys.platform != "linux":
        return
    import fcntl
    import struct

    with contextlib.suppress(OSError):
        fcntl.ioctl(folder, _SET_FLAGS, struct.pack("l", 0))
    with contextlib.suppress(OSError):
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode):
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            try:
                (flags,) = struct.unpack("l", fcntl.ioctl(handle, _GET_FLAGS, struct.pack("l", 0)))
                fcntl.ioctl(handle, _SET_FLAGS, struct.pack("l", flags & ~_LOCKED))
            finally:
                os.close(handle)


def _remove_by_path(path: str) -> None:
    import shutil

    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(path, ignore_errors=True)
