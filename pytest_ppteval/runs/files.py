"""Files that are whole or not there: what is written survives the death of this process at any moment."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.rubric.text import json_escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def json_line(record: Mapping[str, Any]) -> str:
    """A record as JSON on one line, whatever counts as a line break to whom. Raises ValueError for NaN."""
    import json

    return json_escaped(json.dumps(record, ensure_ascii=False, allow_nan=False))


def write_json(path: Path, record: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write a JSON file, in whole or not at all; it is on disk when this returns."""
    import json

    write_whole(path, json_escaped(json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False)) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a text file, in whole or not at all; it is on disk when this returns."""
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Have the names in a folder on disk, where the system can do that."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems can't
        pass
    finally:
        os.close(handle)


def copy_tree(source: Path, target: Path) -> list[str]:
    """Copy a folder that an agent left; what was not copied, as "name: why".

    Links stay links: they may lead anywhere. Files that are there already stay as they are.
    """
    left: list[str] = []

    def tell(path: Path, why: str) -> None:
        left.append(f"{path.relative_to(source).as_posix()}: {why}")

    def unlisted(error: OSError) -> None:
        tell(Path(error.filename), f"can't be read: {error.strerror}")

    target.mkdir(parents=True, exist_ok=True)
    for folder, below, names in os.walk(source, onerror=unlisted):
        here = target / Path(folder).relative_to(source)
        for name in sorted([*below, *names]):
            path, copy = Path(folder) / name, here / name
            if os.path.lexists(copy):
                continue
            try:
                _copy_one(path, copy)
            except _NoFileError:
                tell(path, "neither file nor folder nor link")
            except PermissionError as error:
                tell(path, f"can't be read: {error.strerror}")
    return left


class _NoFileError(Exception):
    pass


def _copy_one(path: Path, copy: Path) -> None:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        copy.symlink_to(os.readlink(path))
    elif stat.S_ISDIR(mode):
        copy.mkdir()
    elif stat.S_ISREG(mode):
        shutil.copy2(path, copy)
    else:
        raise _NoFileError
