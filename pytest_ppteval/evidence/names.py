"""Decks by their names: what counts as one, and which of a folder's files a task's id means.

A file system may keep letters with marks in two ways (NFC, NFD), endings come in capitals, and a name that exists is
found without a look at the folder: there may be ten thousand tasks.
"""

from __future__ import annotations

import os
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DECKS = (".pptx", ".pptm")
# What people deliver in place of one.
_NEARLY = (".ppsx", ".ppsm", ".potx", ".potm", ".ppt", ".pps", ".odp", ".key", ".pdf")
# Lock files of Office, hidden files, what macOS leaves beside files.
_NOT_MEANT = ("~$", ".")
# How far below a folder a deck is looked for that may be told of.
_DEEP, _MOST = 4, 2000


def is_deck(name: str) -> bool:
    """Whether a file of this name is taken for a deck."""
    return name.lower().endswith(DECKS) and not name.startswith(_NOT_MEANT)


def named(folder: Path, name: str) -> Path:
    """The entry of `folder` that is called so, in whatever form of Unicode; folder / name where there is none."""
    if name.isascii() or os.path.lexists(folder / name):
        return folder / name
    same = _names(folder).get(unicodedata.normalize("NFC", name), ())
    return folder / (same[0] if same else name)


def flat_decks(folder: Path, task_id: str) -> list[Path]:
    """The decks straight in `folder` that are called after the task: "<id>.pptx", ".PPTX", ".pptm".

    Links, pipes and devices too: the guard says what is wrong with them.
    """
    own = unicodedata.normalize("NFC", task_id)
    found = {name for names in (_names(folder).get(f"{own}{end}", ()) for end in DECKS) for name in names}
    return [folder / name for name in sorted(found) if not os.path.isdir(folder / name)]


def decks_in(folder: Path) -> list[Path]:
    """The decks straight in a task's folder, by name."""
    names = (name for same in _names(folder).values() for name in same)
    return sorted(folder / name for name in names if is_deck(name))


def decks_below(folder: Path) -> list[str]:
    """Decks further down, as paths from `folder`: not looked for everywhere, and no link is followed."""
    found: list[str] = []
    pending, seen = [("", 0)], 0
    while pending and seen < _MOST:
        place, depth = pending.pop()
        for entry in _entries(folder / place):
            seen += 1
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEP:
                    pending.append((f"{place}{entry.name}/", depth + 1))
            elif place and is_deck(entry.name):
                found.append(f"{place}{entry.name}")
    return sorted(found)


def nearly(folder: Path, task_id: str) -> list[str]:
    """Files in `folder` that may have been meant as the task's deck: another format, other capitals, or blanks."""
    return sorted(_loosely_named(os.fspath(folder), _stamp(folder)).get(_loosely(task_id), ()))


def others(folder: Path) -> list[str]:
    """Files straight in `folder` that are no decks, of a format that might have been one."""
    return sorted(name for same in _names(folder).values() for name in same if name.lower().endswith(_NEARLY))


def _loosely(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _names(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """The names in `folder`, by themselves in NFC and with a deck's ending in small letters."""
    return _listed(os.fspath(folder), _stamp(folder))


def _stamp(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _loosely_named(folder: str, stamp: int) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name in (name for same in _listed(folder, stamp).values() for name in same):
        if name.lower().endswith((*DECKS, *_NEARLY)) and not name.startswith(_NOT_MEANT):
            key = _loosely(os.path.splitext(name)[0])
            found[key] = (*found.get(key, ()), name)
    return found


@lru_cache(maxsize=256)
def _listed(folder: str, stamp: int) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG001 - a folder that changed is another
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(Path(folder)):
        stem, end = os.path.splitext(unicodedata.normalize("NFC", entry.name))
        key = stem + (end.lower() if end.lower() in DECKS else end)
        found[key] = (*found.get(key, ()), entry.name)
    return found


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return
