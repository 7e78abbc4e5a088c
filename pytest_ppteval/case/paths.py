"""Names that come out of files and go into paths: what is refused, and how paths are shown to people."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PureWindowsPath

from pytest_ppteval.prose.shown import shown_name

# A file system takes 255 bytes a name; ".pptx" and the like come behind the id.
_LONGEST = 240


def id_problem(name: str) -> str | None:
    """Why `name` can't be a task's id, None if it can. Ids name folders, files and pytest's node ids."""
    shown = repr(name if len(name) <= 60 else name[:60] + "...")
    if not name.strip():
        return f"task id {shown} is empty: give the task a name"
    if name in (".", ".."):
        return f"task id {shown} names a folder of the file system: choose another"
    for bad in ("/", "\\", "::"):
        if bad in name:
            return f"task id {shown} contains {bad!r}, it names folders and tests: choose an id without it"
    # Cc are control characters (NUL, line breaks); Zl and Zp break lines too.
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in name if not character.isalnum()):
        return f"task id {shown} contains a control character: choose an id without it"
    if shown_name(name) != name:
        return f"task id {shown} contains a mark that reorders text: choose an id without it"
    if len(name.encode("utf-8", "replace")) > _LONGEST:
        return f"task id {shown} is longer than {_LONGEST} bytes, it names folders: choose a shorter one"
    return None


def path_problem(name: str, root: Path) -> str | None:
    """Why `name`, written in a file, can't be a path under `root`; None if it can."""
    if any(unicodedata.category(character) == "Cc" for character in name):
        return f"path {name!r} contains a control character: correct it"
    windows = PureWindowsPath(name)
    if os.path.isabs(name) or windows.drive or windows.root:
        return f"path {name!r} is absolute: write it relative to {root}"
    # Judged by its words alone, so that a link inside `root` may point where its owner likes.
    if ".." in Path(os.path.normpath(name)).parts or (os.sep == "\\" and ".." in windows.parts):
        return f"path {name!r} climbs out of {root}: keep files below it"
    return None


def join_path(root: Path, name: str) -> Path:
    """The path that `name`, which path_problem let pass, stands for under `root`."""
    # Normalised by its words, as it was judged: "a/../b" is "b", whether there is an "a" or not.
    return root / os.path.normpath(name)


def own_deck(path: Path) -> Path:
    """The file behind `path`, a deck of the user's own: git-annex, DVC or Bazel may have put a link there.

    What an agent left is never followed so: its link could name any file of the user's.
    """
    return Path(os.path.realpath(path)) if path.is_symlink() and path.is_file() else path


def show_path(path: Path, base: Path | None) -> str:
    """`path` for people: relative to `base` where it is below it."""
    if base is not None:
        try:
            return str(path.relative_to(base))
        except ValueError:
            pass
    return str(path)
