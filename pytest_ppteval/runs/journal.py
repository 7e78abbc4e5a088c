"""results.jsonl: a line for each judged trial, on disk before anything else happens.

Writers are many (pytest-xdist's workers) and may be killed at any moment. So each line is written under a lock, is on
disk before `append` returns, and starts on a fresh line whatever the writer before it left behind. A reader passes over
a line that a killed writer left unfinished, and counts it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.locks import locked
from pytest_ppteval.files.whole import json_line, sync_folder
from pytest_ppteval.runs.folder import RESULTS
from pytest_ppteval.runs.schema import find_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Record = dict[str, Any]
# Node id without the part [trial-n], and the trial.
Key = tuple[str, int]

_LOCK = "results.lock"
# A literal or an escape that is cut short is reported where it starts, this far from the end of the text at most.
_NEAR_END = 12
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Journal:
    """What a journal says.

    records: the latest of each key, in the order in which keys first came. lines: where it is written, from 1.
    superseded: how many records a later one took the place of. torn: lines that killed writers left unfinished.
    problems: lines that can't be used though somebody finished them, each as "file:line: why".
    """

    path: Path
    records: Mapping[Key, Record]
    lines: Mapping[Key, int]
    superseded: int = 0
    torn: int = 0
    problems: tuple[str, ...] = ()


def append(folder: Path, record: Mapping[str, Any]) -> None:
    """Add a record to the journal of the run directory `folder`; it is on disk when this returns.

    Raises OSError where it can't be written in whole (a full disk): nothing of it stays then.
    """
    append_all(folder, [record])


def append_all(folder: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """As `append`, for several records; nothing of any stays where one can't be written."""
    lines = "".join(json_line(record) + "\n" for record in records).encode()
    path = folder / RESULTS
    with locked(folder / _LOCK):
        fresh = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            end = os.lseek(handle, 0, os.SEEK_END)
            if end:
                os.lseek(handle, end - 1, os.SEEK_SET)
                if os.read(handle, 1) != b"\n":
                    lines = b"\n" + lines
            os.lseek(handle, end, os.SEEK_SET)
            try:
                _write(handle, lines)
            except OSError:
                os.ftruncate(handle, end)
                raise
            os.fsync(handle)
        finally:
            os.close(handle)
        if fresh:
            sync_folder(folder)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def read(folder: Path) -> Journal:
    """The journal of the run directory `folder`; an empty one where nothing was judged yet."""
    path = folder / RESULTS
    records: dict[Key, Record] = {}
    lines: dict[Key, int] = {}
    problems: list[str] = []
    superseded = torn = 0
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return Journal(path, {}, {})
    with file:
        for number, raw in enumerate(file, 1):
            text = raw.rstrip(b"\r\n\0").decode("utf-8", "replace").lstrip("\0")
            if not text.strip() or "\0" in text:
                torn += b"\0" in raw  # what a lost power supply leaves of a write
                continue
            try:
                record = json.loads(text, parse_constant=_refuse)
            except (ValueError, RecursionError) as error:
                if _is_unfinished(text, error):
                    torn += 1
                else:
                    problems.append(f"{path}:{number}: no JSON ({error}): mend the line or take it out")
                continue
            wrong = find_problems(record, "journal-record")
            if wrong:
                more = f" (and {len(wrong) - _SHOWN} more)" if len(wrong) > _SHOWN else ""
                problems.append(f"{path}:{number}: {'; '.join(wrong[:_SHOWN])}{more}")
                continue
            key = key_of(record)
            superseded += key in records
            records[key], lines[key] = record, number
    return Journal(path, records, lines, superseded, torn, tuple(problems))


def key_of(record: Mapping[str, Any]) -> Key:
    """What a record is about: the task's node id without its trial, and the trial."""
    return base_nodeid(record["nodeid"], record["trial"], record["trials"]), record["trial"]


def base_nodeid(nodeid: str, trial: int, trials: int) -> str:
    """A node id without the part that names the trial: "f::task[trial-2]" and "f::task[a-trial-2]" of several trials.

    Where a task is tried once, its node id names no trial, and a task named "x[trial-1]" keeps its name.
    """
    if trials == 1:
        return nodeid
    # The last one: a task's name, and values of other parameters, may hold brackets and such words too.
    found = next(reversed([*re.finditer(rf"[\[-]trial-{trial}(?=-|\]$)", nodeid)]), None)
    if found is None or not nodeid.endswith("]"):
        return nodeid
    before, rest = nodeid[: found.start()], nodeid[found.end() :]
    if found[0][0] == "-":
        return before + rest
    return before if rest == "]" else f"{before}[{rest[1:]}"


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _is_unfinished(text: str, error: Exception) -> bool:
    """Whether more text could have made it a record: what a killed writer leaves."""
    if not text.startswith("{") or not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _NEAR_END
