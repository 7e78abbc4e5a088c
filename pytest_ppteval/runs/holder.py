"""Whose a run directory is at the moment: one session works in it, and another that wants to is told which."""

from __future__ import annotations

import json
import os
import socket
from typing import IO, TYPE_CHECKING

from pytest_ppteval.files.locks import take_lock
from pytest_ppteval.files.whole import write_json
from pytest_ppteval.runs.facts import utc_now
from pytest_ppteval.runs.folder import RunFolderError

if TYPE_CHECKING:
    from pathlib import Path

_LOCK, _HOLDER = ".session.lock", ".session.json"


def hold(folder: Path) -> IO[bytes]:
    """Take the run directory for this session: until the file is closed, or the process ends, however it ends.

    Raises RunFolderError where another session has it, OSError where it can't be written.
    """
    file = take_lock(folder / _LOCK)
    if file is None:
        raise RunFolderError(f"{folder} is in use by {_holder(folder)}: wait until it has ended, or end it")
    write_json(folder / _HOLDER, {"pid": os.getpid(), "host": socket.gethostname(), "since": utc_now()})
    return file


def _holder(folder: Path) -> str:
    try:
        told = json.loads((folder / _HOLDER).read_text("utf-8"))
        return f"another session (process {told['pid']} on {told['host']}, since {told['since']})"
    except (OSError, ValueError, KeyError, TypeError):  # it has only just begun
        return "another session"
