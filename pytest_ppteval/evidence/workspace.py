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
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.files.plain import MAX_TEXT, NotPlain, apart, open_plain, read_plain
from pytest_ppteval.files.tree import MAX_DEPTH, MAX_PATH, walk

if TYPE_CHECKING:
    from io import BufferedReader

# More files than that are counted, not named.
MAX_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file's text is not to be had. there: whether anything of that name is. fault: as in evidence.run."""

    reason: str
    there: bool = True
    fault: Literal["agent", "nobody"] = "agent"


class Workspace:
    """A folder that is read, never written to. Names are relative to it, with "/"; wildcards are * and ?."""

    def __init__(self, root: Path, missing: str = "") -> None:
        self.root = root
        self._missing = missing
        self._base, self._start = apart(root)

    @cached_property
    def missing(self) -> str:
        """Why not all that the agent left can be looked at (then nothing is surely absent); "" where it can."""
        if not self._missing and any(one.name is None for one in walk(self.root)):
            return f"files lie more than {MAX_DEPTH} folders deep, or have paths of more than {MAX_PATH:,} bytes"
        return self._missing

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The names of plain files, in order, the first 10,000 of them."""
        return tuple(islice((name for name, plain in self._names if plain), MAX_FILES))

    @cached_property
    def _names(self) -> tuple[tuple[str, bool], ...]:
        """All that is no folder, in order, and whether it is a plain file."""
        found = [
            (one.name, stat.S_ISREG(one.facts.st_mode))
            for one in walk(self.root)
            if one.name is not None and not stat.S_ISDIR(one.facts.st_mode)
        ]
        return tuple(sorted(found, key=lambda one: _place(one[0])))

    def matching(self, pattern: str) -> list[str]:
        """The plain files whose name, or path, fits the pattern, however many there are; * goes over folders too."""
        pattern = pattern.removeprefix("./")
        return [name for name, plain in self._names if plain and fnmatchcase(name, pattern)]

    def look(self, name: str) -> Unreadable | None:
        """Why `name` is no plain file of this folder; None if it is one."""
        try:
            self._open(name).close()
        except NotPlain as problem:
            return _unreadable(problem, name)
        return None

    def size(self, name: str) -> int:
        """Bytes of a plain file; 0 where it went meanwhile: no verdict holds on a run that changes."""
        try:
            with self._open(name) as file:
                return os.fstat(file.fileno()).st_size
        except NotPlain:
            return 0

    def text(self, name: str) -> str | Unreadable:
        """The text of the file `name`; bytes that are not UTF-8 show as U+FFFD."""
        return read_text(self._base, self._start + name, name)

    def _open(self, name: str) -> BufferedReader:
        if os.path.isabs(name) or ".." in Path(name).parts:
            raise NotPlain(name, "is not below the workspace", there=False)
        return open_plain(self._base, self._start + name)


def _place(name: str) -> list[tuple[bool, str]]:
    """By it a folder's files come in order, and then its folders."""
    *folders, last = name.split("/")
    return [*((True, folder) for folder in folders), (False, last)]


def read_text(root: Path, name: str, shown_as: str) -> str | Unreadable:
    """The text of the plain file `name` below `root`, 16 MiB at most; bytes that are not UTF-8 show as U+FFFD."""
    try:
        data = read_plain(root, name, MAX_TEXT)
    except NotPlain as problem:
        return _unreadable(problem, shown_as)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _unreadable(problem: NotPlain, name: str) -> Unreadable:
    """In words about `name`, on whose way there may be something else."""
    if not problem.there and problem.why == "is not there":
        return Unreadable(f"there is no {name}", there=False)
    way = Path(problem.name).name
    why = problem.why if way == Path(name).name else f"can't be reached: {way} {problem.why}"
    return Unreadable(f"{name} {why}", problem.there, problem.fault)


def shown(path: Path) -> str:
    """`path` for people: from the current folder where it is below it."""
    return str(path).removeprefix(os.getcwd() + os.sep)
