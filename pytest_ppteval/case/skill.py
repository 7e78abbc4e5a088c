"""What a skill calls itself: the `name:` at the head of its SKILL.md, by which agents know it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SKILL_FILE = "SKILL.md"
_HEAD = re.compile(r"\s*---[ \t]*\r?\n(.*?)^---", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"^name[ \t]*:[ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^#\n]+))", re.MULTILINE)
_LOOK = 64 * 1024


def declared_name(folder: Path) -> str | None:
    """The name in the SKILL.md of `folder`; None where there is no such file, or no name in it."""
    try:
        with open(folder / SKILL_FILE, "rb") as file:
            text = file.read(_LOOK).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return None
    head = _HEAD.match(text)
    found = _NAME.search(head[1]) if head else None
    return None if found is None else (found[1] or found[2] or found[3]).strip() or None
