"""Whether a kept run is still what was recorded: its files and its record by their digests."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import RESPONSES, WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DECK = "output.pptx"
DIGEST = "digest"
# Who approved a run and why may be put in better words; what it is may not. Without the case's hashes, or with others,
# it is not fresh anyway.
_OF_THE_APPROVAL = ("approved_by", "approved_at", "why", "hashes", "$schema", DIGEST)


def digest_of(record: Mapping[str, Any]) -> str:
    """SHA-256 of what a record tells of its run: metrics, digests of files, the verdict."""
    told = {key: value for key, value in record.items() if key not in _OF_THE_APPROVAL}
    return hashlib.sha256(json.dumps(_plain(told), sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """1.0 is 1, as whoever reads and writes JSON may have it."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def changes(record: Mapping[str, Any], folder: Path) -> Iterator[tuple[Path, str]]:
    """What of a kept run is not as it was recorded: the file, and what is wrong with it, in words after its name.

    Runs that were approved before digests were kept of all are held to what they have.
    """
    if record.get(DIGEST, digest_of(record)) != digest_of(record):
        yield folder / "run.json", "is not what was recorded"
    wanted = {f"{WORKSPACE}/{one['name']}": one["sha256"] for one in record.get("artifacts", ()) if one["kept"]}
    wanted |= record.get("texts", {})
    if "deck" in record:
        wanted[DECK] = record["deck"]["sha256"]
    for name, digest in wanted.items():
        path = folder / name
        if path.is_symlink() or not path.is_file() or not _is(path, digest):
            yield path, "is not what was recorded"
    told = set(wanted)
    if "texts" not in record:
        told |= {name for name in _pieces(folder) if "/" not in name}
        if not _is_json(folder / "trace.json"):
            yield folder / "trace.json", "is no whole JSON document"
    if "artifacts" not in record:
        told |= {name for name in _pieces(folder) if "/" in name}
    if "deck" not in record and "texts" not in record:
        told.add(DECK)
    for name in sorted(_pieces(folder) - told):
        yield folder / name, "was not there when the run was recorded"


def _is(path: Path, digest: str) -> bool:
    """Whether a file has this digest, the line ends that git may have put in aside."""
    data = path.read_bytes()
    return digest in (hashlib.sha256(one).hexdigest() for one in (data, data.replace(b"\r\n", b"\n")))


def _is_json(path: Path) -> bool:
    """Whether the trace, if it is of this name, can be read: a conflict's marks in it would only be skipped."""
    try:
        json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return True
    except (OSError, ValueError, RecursionError):
        return False
    return True


def _pieces(folder: Path) -> set[str]:
    """All in the folder that would count as a piece of the run, links included."""
    beside = {path.name for path in folder.iterdir() if path.name in (*RESPONSES, DECK) or path.match("trace.*")}
    below = {
        (Path(place) / name).relative_to(folder).as_posix()
        for place, folders, names in os.walk(folder / WORKSPACE)
        for name in [*names, *(one for one in folders if (Path(place) / one).is_symlink())]
    }
    return beside | below
