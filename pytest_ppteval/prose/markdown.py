"""Somebody else's words in Markdown: shown as they are, and never markup, a link, a mention or a command. Pure."""

from __future__ import annotations

import re

from pytest_ppteval.prose.shown import shown_name

_TICKS = re.compile("`+")
# A bar ends a table's cell in a code span too, and a backslash before it may or may not help.
_ACTS = re.compile(r"[^\w\s]")


def code(text: str, limit: int = 300) -> str:
    """`text` as a code span in one line, cut to `limit` characters: there GitHub reads nothing into it."""
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    line = shown_name(cut)
    if not line.strip():
        return "` `"
    if "|" in line:
        return f"<code>{_ACTS.sub(lambda match: f'&#{ord(match[0])};', line)}</code>"
    ticks = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def within(text: str, limit: int, note: str) -> str:
    """A document of whole lines within `limit` bytes of UTF-8; where lines are left out, `note` says so at the end."""
    if len(text.encode()) <= limit:
        return text
    room, kept = limit - len(note.encode()) - 2, []
    for line in text.splitlines(keepends=True):
        room -= len(line.encode())
        if room < 0:
            break
        kept.append(line)
    return f"{''.join(kept)}\n{note}\n"
