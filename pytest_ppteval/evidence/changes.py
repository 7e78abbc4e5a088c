"""What is judged must stay as it is meanwhile: decks and a run's files, by what changes when they are written to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_ppteval.files.tree import files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Signature = tuple[int, int, int, int]


def signature(path: str | Path | None) -> Signature | None:
    """What changes when the file is written to or replaced; None where there is none."""
    if path is None:
        return None
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ino, facts.st_dev


def signatures(folder: Path | None, names: frozenset[str], below: str) -> dict[str, Signature]:
    """The signatures of a run's files by name: trace.*, those of `names`, and all in the folder `below`.

    Links are taken as they are, not followed: what a name in the run stands for may lie anywhere.
    """
    if folder is None:
        return {}
    found = {}
    for path in _files(folder, names, below):
        facts = signature(path)
        if facts is not None:
            found[os.path.relpath(path, folder).replace(os.sep, "/")] = facts
    return found


def _files(folder: Path, names: frozenset[str], below: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.name in names or entry.name.startswith("trace."))
    except OSError:
        return
    yield from (os.path.join(folder / below, name) for name in files(folder / below))


def difference(before: Mapping[str, Signature], now: Mapping[str, Signature]) -> str | None:
    """The first file, by name, that is another, in words; None while all are the same."""
    for name in sorted({*before, *now}):
        if name not in now:
            return f"{name} was removed"
        if name not in before:
            return f"{name} appeared"
        if before[name] != now[name]:
            return f"{name} changed"
    return None
