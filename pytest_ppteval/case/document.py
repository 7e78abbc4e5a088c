"""A JSON or YAML file as data that remembers where everything is written."""

from __future__ import annotations

import os
import stat
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.marks import Duplicate, Problem
from pytest_ppteval.case.model import FormatError
from pytest_ppteval.rubric.tree import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_ppteval.case.marks import Key, Mark

# A registry of 10,000 tasks takes about 5 MB. The cap keeps a file that was named by mistake out of memory.
MAX_BYTES = 64 * 1024 * 1024


class Document:
    """The data of a file and its positions. `path` is the file's name for people."""

    def __init__(self, path: str, text: str, data: Any, mark: Mark, *, yaml: bool) -> None:
        self.path = path
        self.text = text
        self.data = data
        self.mark = mark
        self.yaml = yaml

    @cached_property
    def _line_starts(self) -> list[int]:
        return line_starts(self.text)

    def at(self, offset: int) -> Source:
        """The place of an offset into the text."""
        row = bisect_right(self._line_starts, offset)
        return Source(self.path, row, offset - self._line_starts[row - 1] + 1)

    def source(self, *path: Key) -> Source:
        """Where the value at `path` starts; of what is not written, the nearest value around it."""
        return self.at(self.find(path).start)

    def key_source(self, *path: Key) -> Source:
        """Where the key that ends `path` is written; for a member of an array, its value."""
        around = self.find(path[:-1])
        if around.keys and path and path[-1] in around.keys:
            return self.at(around.keys[str(path[-1])])
        return self.source(*path)

    def find(self, path: Sequence[Key]) -> Mark:
        """The mark of the value at `path`, or of the nearest value around it."""
        mark = self.mark
        for key in path:
            below = mark.below.get(key) if mark.below else None
            if below is None:
                break
            mark = below
        return mark


def line_starts(text: str) -> list[int]:
    """The offset of the first character of each line."""
    starts = [0]
    offset = text.find("\n")
    while offset >= 0:
        starts.append(offset + 1)
        offset = text.find("\n", offset + 1)
    return starts


def read_document(path: Path, display: str | None = None) -> Document:
    """The document in the file at `path`: YAML where its name ends in .yaml or .yml, else JSON.

    display: the file's name in errors and positions, `path` unless given.
    Raises FormatError for a file that can't be read, is not UTF-8 (a byte order mark may lead), is empty, too large or
    nested too deep, is no valid JSON or YAML, or has a key twice.
    """
    shown = display if display is not None else str(path)
    return parse_document(_read(path, shown), shown, yaml=path.suffix.lower() in (".yaml", ".yml"))


def parse_document(text: str, display: str, *, yaml: bool) -> Document:
    """The document in `text`; see read_document."""
    # Imported late: each parser is needed for its own files only.
    if yaml:
        from pytest_ppteval.case.yaml_text import parse
    else:
        from pytest_ppteval.case.json_text import parse
    try:
        if not text.strip():
            raise Problem(0, "the file is empty: write a rubric, tasks or cases into it, or remove it")
        data, mark, duplicates = parse(text)
        if not duplicates:
            return Document(display, text, data, mark, yaml=yaml)
        # By place: an alias shows its duplicates wherever it stands.
        problems: list[Problem] = list({one.offset: one for one in duplicates}.values())
    except Problem as problem:
        problems = [problem]
    starts = line_starts(text)
    errors = [_error(problem, display, starts) for problem in sorted(problems, key=lambda p: p.offset)]
    raise FormatError(errors[0].source, errors[0].message, errors[1:])


def _error(problem: Problem, display: str, starts: list[int]) -> FormatError:
    row = bisect_right(starts, problem.offset)
    message = problem.message
    if isinstance(problem, Duplicate):
        first = bisect_right(starts, problem.first)
        message = f"key {message!r} is written twice, first in line {first}: remove one or rename it"
    return FormatError(Source(display, row, problem.offset - starts[row - 1] + 1), message)


def _read(path: Path, display: str) -> str:
    start = Source(display)
    try:
        # Asked before opening: opening a FIFO would wait for a writer.
        info = os.stat(path)
        if not stat.S_ISREG(info.st_mode):
            kind = "a folder" if stat.S_ISDIR(info.st_mode) else "a device or pipe"
            raise FormatError(start, f"this is {kind}, not a file: name a JSON or YAML file")
        if info.st_size > MAX_BYTES:
            size = f"{info.st_size / 1048576:.0f} MiB"
            raise FormatError(start, f"{size} is too large, the limit is {MAX_BYTES >> 20} MiB: split the file")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise FormatError(start, "no such file: correct the path") from None
    except OSError as error:
        raise FormatError(start, f"can't be read ({error.strerror or error}): correct the path or its rights") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(start, "this is UTF-16: save the file as UTF-8")
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        place = Source(display, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise FormatError(place, f"byte 0x{raw[error.start]:02X} is not UTF-8: save the file as UTF-8") from None
