"""Which files are ours: asked of every file that pytest meets in any project, so it is cheap and never raises."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["registry", "task", "rubric", "case"]

RUBRICS_BESIDE_TASK = ("rubric.json", "rubric.yaml", "rubric.yml", "grading_rubric.json")
_ENDINGS = (".json", ".yaml", ".yml")
_CASE_ENDINGS = (".case.json", ".case.yaml", ".case.yml")
_RUBRIC_ENDINGS = (".rubric.json", ".rubric.yaml", ".rubric.yml")


def _keys(*names: str) -> re.Pattern[bytes]:
    """These as keys, not inside a string: there, quotes have a backslash before them."""
    return re.compile(rb"""(?:^|[\s{,"'])(?<!\\")(%s)["']?\s*:""" % "|".join(names).encode())


_RUBRIC_PATH = _keys("rubric_path")
_TASK_ID = _keys("task_id", "instruction")
_TASK = _keys("task_id", "instruction", "goal", "input_file", "file_path")
_CASE = _keys("expected_behavior", "observation_points")
_PROMPT, _ASKED = _keys("prompt"), _keys("expected", "rubric", "human", "baseline")
_ROOT, _RUBRIC = _keys("root"), _keys("root", "scorer", "function_code", "is_critical")
# Enough of a larger file to know it by.
_LOOK = 64 * 1024 * 1024


def kind_of(path: Path, *, named: bool) -> Kind | None:
    """What the file at `path` is, None if it is not for us.

    named: the user named this very file. Any JSON or YAML file is then looked at, and one that looks like nothing
    known counts as a rubric, so that its loader says what is wrong with it. Otherwise a name and what is inside must
    look like ours, since such names are used by others too: *.rubric.json, .yaml or .yml with a key of rubrics;
    *.case.json, .yaml or .yml with rules or questions; a tasks.json that mentions rubric_path; a task.json with two
    keys of tasks and a rubric beside it.
    """
    name = path.name
    if not name.endswith(_ENDINGS):
        return None
    if not named:
        return _kind_by_look(path)
    if name.endswith(_RUBRIC_ENDINGS):
        return "rubric"
    if name.endswith(_CASE_ENDINGS):
        return "case"
    if name == "task.json" and _rubric_beside(path):
        return "task"
    head = _head(path) or b""
    if name == "tasks.json" or _RUBRIC_PATH.search(head):
        return "registry"
    if name == "task.json":
        return "task"
    if _CASE.search(head) and not _ROOT.search(head):
        return "case"
    return "task" if _TASK_ID.search(head) and not _ROOT.search(head) else "rubric"


def _kind_by_look(path: Path) -> Kind | None:
    """What a file is that nobody named. One that can't be read may be ours: its loader says so."""
    name = path.name
    kind: Kind
    if name.endswith(_RUBRIC_ENDINGS):
        kind = "rubric"
    elif name.endswith(_CASE_ENDINGS):
        kind = "case"
    elif name == "tasks.json":
        kind = "registry"
    elif name == "task.json" and _rubric_beside(path):
        kind = "task"
    else:
        return None
    head = _head(path)
    if head is None:
        return kind
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head[:4]:
        # UTF-16, which the loader refuses with the remedy: passed over here, tasks would vanish.
        head = head.replace(b"\0", b"")
    match kind:
        case "rubric":
            ours = bool(_RUBRIC.search(head))
        case "case":
            ours = bool(_CASE.search(head) or (_PROMPT.search(head) and _ASKED.search(head)))
        case "registry":
            ours = b"rubric_path" in head
        case "task":
            ours = len(set(_TASK.findall(head))) > 1
    return kind if ours else None


def _rubric_beside(path: Path) -> bool:
    folder = path.parent
    return any(os.path.exists(folder / name) for name in RUBRICS_BESIDE_TASK)


def _head(path: Path) -> bytes | None:
    """The beginning of a plain file; nothing of what is none, and None where it can't be read."""
    try:
        # Asked before opening: opening a FIFO would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as file:
            return file.read(_LOOK)
    except PermissionError:
        return None
    except (OSError, ValueError):
        return b""
