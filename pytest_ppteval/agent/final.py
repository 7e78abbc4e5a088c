"""Which events say that an agent's run is over: its program may hang after them, which is no more of the run.

Only the standard library is needed: the process that watches an agent looks at each line with this.
"""

from __future__ import annotations

import json
from typing import Any

# A line longer than this is no final event; Claude Code's holds the whole last answer.
MAX_LINE = 4 << 20
_TYPES = frozenset(
    (
        "turn.completed",  # codex exec --json
        "turn.failed",
        "session.shutdown",  # Copilot CLI
        "session.idle",
        "RUN_FINISHED",  # AG-UI
        "RUN_ERROR",
    )
)


def is_final(line: bytes) -> bool:
    """Whether the line (JSON, or `data:` of server-sent events) is the last event of a run."""
    text = line.strip()
    if text.startswith(b"data:"):
        text = text[5:].strip()
    # Most lines are not looked at any closer.
    if len(text) > MAX_LINE or not text.startswith(b"{") or not text.endswith(b"}"):
        return False
    try:
        event: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    kind = event.get("type")
    if kind == "result":
        # Claude Code and Cursor CLI; Gemini CLI. Other programs call the results of tools so.
        return isinstance(event.get("is_error"), bool) or (isinstance(event.get("stats"), dict) and "status" in event)
    return isinstance(kind, str) and kind in _TYPES
