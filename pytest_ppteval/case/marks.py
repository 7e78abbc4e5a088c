"""Where the values of a text stand, and what is wrong at a place of it: what the parsers of JSON and YAML give."""

from __future__ import annotations

# Nesting of objects and arrays; a level of a rubric takes two. Below it, no parser of any Python runs out of stack.
MAX_NESTING = 400

Key = str | int  # a step of a path: the key of an object, or an index from 0


class Mark:
    """Where a value starts, as an offset into the text, with the marks of the values inside it.

    keys: of an object, where each key starts. below: the values, by key or by index.
    """

    __slots__ = ("below", "keys", "start")

    def __init__(self, start: int, keys: dict[str, int] | None, below: dict[Key, Mark] | None) -> None:
        self.start = start
        self.keys = keys
        self.below = below


class Problem(Exception):  # noqa: N818 - it becomes a FormatError once the file's name is known
    """Something wrong at an offset of a text."""

    def __init__(self, offset: int, message: str) -> None:
        self.offset = offset
        self.message = message
        super().__init__(message)


class Duplicate(Problem):
    """A key that an object has twice; `first` is the offset of the first place."""

    def __init__(self, offset: int, key: str, first: int) -> None:
        super().__init__(offset, key)
        self.first = first
