"""The one way to open a file that an agent, or whoever filled a folder of results, left.

A name there may be a link to anywhere, a pipe that nobody writes to, a device that never ends, or far too large. So: a
plain file, reached without a link at any step below the folder that the user named, opened without waiting for anybody,
and read up to a limit. What a reader meets instead is a NotPlain, whose words name what it is and which limit it met.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

MEBIBYTE = 1024 * 1024
# Of text that is held in memory, and of records of a few lines.
MAX_TEXT = 16 * MEBIBYTE
MAX_RECORD = 4 * MEBIBYTE

_HERE = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_NOCTTY", "O_BINARY"))
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | sum(getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW"))
_KINDS = (
    (stat.S_ISLNK, "is a symbolic link, which is not followed"),
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is no plain file: it is a pipe"),
    (stat.S_ISSOCK, "is no plain file: it is a socket"),
)


class NotPlain(Exception):  # noqa: N818 - often no error: there is no such file
    """Why there is no such plain file to read.

    name: of the file, or of the folder or link on the way to it. why: what follows the name in a sentence.
    there: whether there is anything of that name. fault: "nobody" where it may be good, and the system doesn't give it.
    """

    def __init__(self, name: str, why: str, *, there: bool = True, fault: Literal["agent", "nobody"] = "agent") -> None:
        self.name = name
        self.why = why
        self.there = there
        self.fault: Literal["agent", "nobody"] = fault
        super().__init__(f"{name} {why}")


def open_plain(root: Path, name: str, limit: int | None = None) -> BufferedReader:
    """The plain file `name` ("/" between its parts) below the folder `root`, open for reading.

    root: named by the user; links on the way to it are the user's. limit: bytes that it may have. Raises NotPlain.
    """
    if not name or os.path.isabs(name) or "\0" in name or ".." in Path(name).parts:
        raise NotPlain(name.replace("\0", "\\0"), f"is not below {root}", there=False)
    with _folder_of(root, name) as (folder, last):
        facts = _facts(folder, last, name)
        _must_be_plain(facts, name)
        try:
            handle = os.open(last, _FILE, dir_fd=folder) if folder is not None else os.open(last, _FILE)
        except OSError as error:
            raise _cannot(error, name) from None
    file = os.fdopen(handle, "rb")
    facts = os.fstat(handle)
    try:
        _must_be_plain(facts, name)
        if limit is not None and facts.st_size > limit:
            raise NotPlain(name, f"has {facts.st_size:,} bytes, more than the {limit:,} that are read")
    except NotPlain:
        file.close()
        raise
    return file


def read_plain(root: Path, name: str, limit: int = MAX_TEXT) -> bytes:
    """The bytes of the plain file `name` below `root`, of which there are `limit` at most. Raises NotPlain."""
    try:
        with open_plain(root, name, limit) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise _cannot(error, name) from None
    if len(data) > limit:  # it grew
        raise NotPlain(name, f"has more than the {limit:,} bytes that are read")
    return data


def read_json(root: Path, name: str, limit: int = MAX_RECORD) -> object:
    """The JSON value in the plain file `name` below `root`. Raises NotPlain, also where it is none."""
    import json

    data = read_plain(root, name, limit)
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise NotPlain(name, "is nested too deep to be read as JSON") from None
    except ValueError as error:  # not UTF-8, no JSON, a number of thousands of digits
        raise NotPlain(name, f"can't be read as JSON: {error}") from None


def apart(folder: Path) -> tuple[Path, str]:
    """A folder that others filled as `root` and the beginning of names, so that a link in its own place counts too."""
    path = Path(os.path.abspath(folder))
    return (path.parent, f"{path.name}/") if path.name else (path, "")


def is_folder(root: Path, name: str = "") -> bool:
    """Whether `name` below `root` (or `root` itself) is a folder that no link leads to or stands for."""
    try:
        if not name:
            base, start = apart(root)
            return not start or is_folder(base, start.rstrip("/"))
        with _folder_of(root, name) as (folder, last):
            return stat.S_ISDIR(_facts(folder, last, name).st_mode)
    except NotPlain:
        return False


def link_in(root: Path, name: str) -> str | None:
    """The first of the steps from `root` to `name` that is a link; None where none is, or nothing is there."""
    parts = Path(name).parts
    for count in range(1, len(parts) + 1):
        with contextlib.suppress(OSError, ValueError):
            if _is_link(os.lstat(root.joinpath(*parts[:count]))):
                return "/".join(parts[:count])
    return None


def _is_link(facts: os.stat_result) -> bool:
    # Windows has other reparse points that lead elsewhere (junctions); st_reparse_tag is of those alone.
    return stat.S_ISLNK(facts.st_mode) or getattr(facts, "st_reparse_tag", 0) == 0xA0000003


@contextlib.contextmanager
def _folder_of(root: Path, name: str) -> Iterator[tuple[int | None, str]]:
    """The folder in which `name` lies, held open, and the last part of the name; without such handles, its path."""
    parts = Path(name).parts
    if not _HERE:
        found = link_in(root, name)
        if found is not None:
            raise NotPlain(found, _KINDS[0][1])
        yield None, str(root / name)
        return
    folder = _enter(None, str(root), str(root))
    try:
        for count, part in enumerate(parts[:-1], 1):
            way = "/".join(parts[:count])
            if not stat.S_ISDIR(mode := _facts(folder, part, way).st_mode):
                # A link is told as what it is; else there is nothing below.
                why = _KINDS[0][1] if stat.S_ISLNK(mode) else "is no folder"
                raise NotPlain(way, why, there=stat.S_ISLNK(mode))
            below = _enter(folder, part, way)
            os.close(folder)
            folder = below
        yield folder, parts[-1]
    finally:
        os.close(folder)


def _enter(folder: int | None, part: str, name: str) -> int:
    flags = _FOLDER if folder is not None else _FOLDER & ~getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        raise _cannot(error, name) from None


def _facts(folder: int | None, part: str, name: str) -> os.stat_result:
    try:
        return os.stat(part, dir_fd=folder, follow_symlinks=False) if folder is not None else os.lstat(part)
    except OSError as error:
        raise _cannot(error, name) from None
    except ValueError as error:  # half a character in a name, where names are text
        raise NotPlain(name, f"can't be looked at: {error}", there=False) from None


def _must_be_plain(facts: os.stat_result, name: str) -> None:
    if stat.S_ISREG(facts.st_mode) and not _is_link(facts):
        return
    why = next((why for is_kind, why in _KINDS if is_kind(facts.st_mode)), "is no plain file: it is a device")
    raise NotPlain(name, why)


def _cannot(error: OSError, name: str) -> NotPlain:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotPlain(name, "is not there", there=False)
    return NotPlain(name, f"can't be read: {error.strerror or error}", fault="nobody")
