"""Files that are whole or not there: what is written survives the death of this process at any moment."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_ppteval.files.plain import NotPlain, apart, is_folder, open_plain
from pytest_ppteval.files.tree import MAX_DEPTH, MAX_PATH, walk
from pytest_ppteval.prose.shown import json_escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def json_line(record: Mapping[str, Any]) -> str:
    """A record as JSON on one line, whatever counts as a line break to whom. Raises ValueError for NaN."""
    import json

    return json_escaped(json.dumps(record, ensure_ascii=False, allow_nan=False))


def write_json(path: Path, record: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write a JSON file, in whole or not at all; it is on disk when this returns."""
    import json

    write_whole(path, json_escaped(json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False)) + "\n")


def write_whole(path: Path, text: str, *, sync: bool = True) -> None:
    """Write a text file, in whole or not at all; see `writing`."""
    with writing(path, sync=sync) as file:
        file.write(text.encode())


@contextmanager
def writing(path: Path, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` once all is written; where that fails, what was there stays.

    sync: have it on disk by then, which takes its time: else it survives this process, but not the machine.
    """
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sync:
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


def copy_tree(source: Path, target: Path, *, links: bool = True) -> list[str]:
    """Copy a folder that an agent left; what was not copied, as "name: why".

    links: whether links stay links, which may lead anywhere; else they are left out. `source` is no link itself. Files
    that are there already stay as they are.
    """
    left: list[str] = []
    target.mkdir(parents=True, exist_ok=True)
    base, start = apart(source)
    if not is_folder(source):
        return [f"{source.name}: no folder"]
    unread: list[str] = []
    beyond = 0
    for name, facts in walk(source, unread=unread):
        if name is None:
            beyond += 1
            continue
        copy = target / name
        if os.path.lexists(copy):
            continue
        try:
            if stat.S_ISDIR(facts.st_mode):
                copy.mkdir()
            elif stat.S_ISLNK(facts.st_mode) and links:
                copy.symlink_to(os.readlink(source / name))
            else:
                with open_plain(base, start + name) as file, open(copy, "wb") as written:
                    shutil.copyfileobj(file, written)
                copy.chmod(stat.S_IMODE(facts.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
                os.utime(copy, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        except NotPlain as problem:
            left.append(f"{name}: {problem.why}")
        except PermissionError as error:
            left.append(f"{name}: can't be read: {error.strerror}")
    left += [f"{name}: can't be read" for name in unread]
    if beyond:
        left.append(f"{beyond:,} files and folders more than {MAX_DEPTH} deep or with paths of over {MAX_PATH:,} bytes")
    return left
