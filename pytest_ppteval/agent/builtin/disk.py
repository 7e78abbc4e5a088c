"""How much the agent's code has put on disk, looked at while it runs: no limit of the kernel's covers a folder."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.text import size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DEEPEST = 40
_EVERY = 0.25  # seconds


class Disk:
    """The folders that code may write to: so many bytes and files at most. What was over before may stay, not grow."""

    def __init__(self, folders: Sequence[Path], most_bytes: int, most_files: int) -> None:
        self._folders = folders
        used, files = _used(folders, sys.maxsize)
        self._bytes, self._files = max(most_bytes, used), max(most_files, files)
        self._next = 0.0

    def exceeded(self) -> str:
        """Why code has to be stopped, "" if it is within its limits, or was a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + _EVERY
        used, files = _used(self._folders, self._files)
        if used > self._bytes:
            return f"stopped: more than {size(self._bytes)} in the workspace"
        if files > self._files:
            return f"stopped: more than {self._files:,} files in the workspace, or folders too deep in each other"
        return ""


def _used(folders: Sequence[Path], most: int) -> tuple[int, int]:
    """Bytes and files, not counted to their end beyond `most`. Too deep a folder counts as if there were no end."""
    total = files = 0
    waiting = [(str(folder), 0) for folder in folders]
    while waiting:
        folder, depth = waiting.pop()
        if depth > _DEEPEST:
            return total, sys.maxsize
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if files > most:
                        return total, files
        except OSError:  # gone in the meantime
            continue
    return total, files
