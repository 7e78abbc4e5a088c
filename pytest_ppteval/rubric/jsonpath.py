"""A small part of JSONPath (RFC 9535): $ .name ['name'] [0] [-1] [*] .* and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Part = str | int | None  # a name, an index, or None for every member

_PART = re.compile(
    r"""\.(?P<name>[^\W\d][\w-]*)|\.(?P<all>\*)|\[\s*(?:(?P<index>-?\d{1,9})|(?P<every>\*)
    |'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\]""",
    re.VERBOSE,
)


class PathError(ValueError):
    """A path that can't be read; its text says where and what is known."""


def parse_path(path: str) -> tuple[Part, ...]:
    """The parts of `path`. Raises PathError."""
    if not path.startswith("$"):
        raise PathError(f"JSON path {path!r} must start with $, the whole value: write ${'.' + path.lstrip('.')}")
    parts: list[Part] = []
    at = 1
    while at < len(path):
        found = _PART.match(path, at)
        if found is None:
            raise PathError(
                f"JSON path {path!r} can't be read from {path[at:]!r} on: known are .name, ['name'], [0], [-1], [*], .*"
            )
        at = found.end()
        quoted = found["single"] if found["single"] is not None else found["double"]
        if found["index"] is not None:
            parts.append(int(found["index"]))
        elif found["all"] or found["every"]:
            parts.append(None)
        else:
            parts.append(found["name"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
    return tuple(parts)


def select(value: object, parts: Sequence[Part]) -> list[object]:
    """The values at the path, in order; none where it leads nowhere."""
    found = [value]
    for part in parts:
        found = [below for one in found for below in _below(one, part)]
    return found


def farthest(value: object, parts: Sequence[Part]) -> tuple[int, object]:
    """How many parts of the path lead somewhere, and the first value that they lead to."""
    here = [value]
    for number, part in enumerate(parts):
        below = [next_one for one in here for next_one in _below(one, part)]
        if not below:
            return number, here[0]
        here = below
    return len(parts), here[0]


def show_path(parts: Sequence[Part]) -> str:
    """The path in words of its own: $.a[0]['b c'][*]."""
    return "$" + "".join(map(_show, parts))


def _show(part: Part) -> str:
    if part is None:
        return "[*]"
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if re.fullmatch(r"[^\W\d][\w-]*", part) else f"[{part!r}]"


def _below(value: object, part: Part) -> Iterator[object]:
    if isinstance(value, dict):
        if part is None:
            yield from value.values()
        elif isinstance(part, str) and part in value:
            yield value[part]
    elif isinstance(value, list):
        if part is None:
            yield from value
        elif isinstance(part, int) and -len(value) <= part < len(value):
            yield value[part]
