"""What a run left, taken over into its folder: plain files only, and not without end."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_ppteval.files.plain import NotPlain, open_plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import BufferedReader
    from pathlib import Path

# Of a workspace. A deck of 100 MB is rare, a virtual environment has thousands of files.
MAX_FILES = 2_000
MAX_BYTES = 256_000_000
MAX_FILE = 64_000_000
_PIECE = 1 << 20


@dataclass(slots=True)
class Kept:
    """What keep_files did: how many files it kept, and why others were left, each in a few words."""

    files: int = 0
    left: list[str] = field(default_factory=list)


def keep_file(root: Path, name: str, target: Path, limit: int) -> str | None:
    """Copy the plain file `name` of `root`, `limit` bytes at most. Returns why it was left; None where it is kept."""
    try:
        with _open(root, name, limit) as file:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as copy:
                left = limit
                while left > 0 and (piece := file.read(min(_PIECE, left))):
                    copy.write(piece)
                    left -= len(piece)
    except NotPlain as problem:
        return str(problem) if problem.name != name else problem.why
    except OSError as error:
        return str(error.strerror or error)
    return None


def _open(root: Path, name: str, limit: int) -> BufferedReader:
    try:
        return open_plain(root, name, limit)
    except NotPlain as problem:
        if problem.fault != "nobody":
            raise
        with contextlib.suppress(OSError):  # the right to read was taken away: it is no secret of its own user's
            os.chmod(root / name, 0o600)
        return open_plain(root, name, limit)


def keep_files(root: Path, names: Iterable[str], target: Path) -> Kept:
    """Copy the files `names` of `root` to `target`, within the caps above."""
    kept = Kept()
    left = MAX_BYTES
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if kept.files >= MAX_FILES:
            kept.left.append(f"all files from {name} on: {MAX_FILES:,} are kept")
            break
        why = keep_file(root, name, target / name, min(MAX_FILE, left))
        if why is None:
            kept.files += 1
            left -= (target / name).stat().st_size
        else:
            kept.left.append(f"{name} {why}")
    return kept
