"""What a run left, taken over into its folder: plain files only, and not without end."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of a workspace. A deck of 100 MB is rare, a virtual environment has thousands of files.
MAX_FILES = 2_000
MAX_BYTES = 256_000_000
MAX_FILE = 64_000_000
_PIECE = 1 << 20
# To open what an agent left: without waiting for anybody, and without following a link.
PLAIN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(slots=True)
class Kept:
    """What keep_files did: how many files it kept, and why others were left, each in a few words."""

    files: int = 0
    left: list[str] = field(default_factory=list)


def keep_file(source: Path, target: Path, limit: int) -> str | None:
    """Copy one plain file of `limit` bytes at most. Returns why it was left; None where it was kept."""
    try:
        handle = os.open(source, PLAIN)
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            os.close(handle)
            return "no plain file"
        with open(handle, "rb") as file:
            if facts.st_size > limit:
                return f"{facts.st_size:,} bytes, more than the {limit:,} that are kept"
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as copy:
                left = limit
                while left > 0 and (piece := file.read(min(_PIECE, left))):
                    copy.write(piece)
                    left -= len(piece)
    except OSError as error:
        return "a symbolic link" if source.is_symlink() else str(error.strerror or error)
    return None


def keep_files(root: Path, names: Iterable[str], target: Path) -> Kept:
    """Copy the files `names` of `root` to `target`, within the caps above."""
    kept = Kept()
    left = MAX_BYTES
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if kept.files >= MAX_FILES:
            kept.left.append(f"all files from {name} on: {MAX_FILES:,} are kept")
            break
        why = keep_file(root / name, target / name, min(MAX_FILE, left))
        if why is None:
            kept.files += 1
            left -= (target / name).stat().st_size
        else:
            kept.left.append(f"{name}: {why}")
    return kept
