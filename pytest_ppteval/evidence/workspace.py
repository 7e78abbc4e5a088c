"""The files that an agent left, looked at from outside: never a path out of the folder, never a pipe, never too much.

What lies there is the agent's work: names may be links to anywhere, files may be pipes that block or devices that never
end.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from pathlib import Path

MAX_BYTES = 16 * 1024 * 1024
# More files than that are counted, not named.
MAX_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file's text is not to be had. there: whether anything of that name is."""

    reason: str
    there: bool = True


class Workspace:
    """A folder that is read, never written to. Names are relative to it, with "/"; wildcards are * and ?."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = root.resolve()

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The names of plain files, in order, the first 10,000 of them. Links to folders are not followed."""
        return tuple(islice(filter(self._is_plain, self._names), MAX_FILES))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """All that is no folder, in order."""
        found: list[str] = []
        for folder, below, names in os.walk(self.root):
            below.sort()
            here = Path(folder).relative_to(self.root)
            found += [(here / name).as_posix() for name in sorted(names)]
        return tuple(found)

    def matching(self, pattern: str) -> list[str]:
        """The plain files whose name, or path, fits the pattern, however many there are; * goes over folders too."""
        pattern = pattern.removeprefix("./")
        return [name for name in self._names if fnmatchcase(name, pattern) and self._is_plain(name)]

    def _is_plain(self, name: str) -> bool:
        """Whether `name`, met on the way through the folder, is a plain file of it."""
        try:
            mode = os.lstat(self.root / name).st_mode
        except OSError:
            return False
        # No link led here: only one that stands at the end needs a closer look, which takes its time.
        return stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and self.look(name) is None)

    def look(self, name: str) -> Unreadable | None:
        """Why `name` is no plain file of this folder; None if it is one."""
        path = self.root / name
        if os.path.isabs(name) or ".." in Path(name).parts:
            return Unreadable(f"{name} is not below the workspace", there=False)
        try:
            if not os.path.lexists(path):
                return Unreadable(f"there is no {name}", there=False)
            real = path.resolve()
            if not real.is_relative_to(self._real):
                return Unreadable(f"{name} is a link out of the workspace")
            mode = os.stat(real).st_mode
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
            return Unreadable(f"{name} can't be looked at: {getattr(error, 'strerror', None) or error}")
        if stat.S_ISREG(mode):
            return None
        return Unreadable(f"{name} is {'a folder' if stat.S_ISDIR(mode) else 'no plain file (a pipe or device)'}")

    def size(self, name: str) -> int:
        """Bytes of a plain file."""
        return (self.root / name).stat().st_size

    def text(self, name: str) -> str | Unreadable:
        """The text of the file `name`; bytes that are not UTF-8 show as U+FFFD."""
        return self.look(name) or read_plain(self.root / name, name)


def read_plain(path: Path, name: str = "") -> str | Unreadable:
    """The text of a plain file of 16 MiB at most; it is opened without waiting for anybody."""
    name = name or shown(path)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                return Unreadable(f"{name} is no plain file")
            if facts.st_size > MAX_BYTES:
                return Unreadable(f"{name} has {facts.st_size:,} bytes, more than the {MAX_BYTES:,} that are read")
            data = file.read(MAX_BYTES)
    except OSError as error:
        return Unreadable(f"{name} can't be read: {error.strerror or error}")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def shown(path: Path) -> str:
    """`path` for people: from the current folder where it is below it."""
    return str(path).removeprefix(os.getcwd() + os.sep)
