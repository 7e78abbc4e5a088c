"""Templates of commands: {name} is filled in, {{ and }} are literal braces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# goal: what the task says; prompt: the goal, and for a deck where it is and where the result goes; input: the deck;
# output: where the result goes; workspace: the agent's folder; task_file: TASK.md; trial: its number; here: the folder
# of the settings file.
PLACES = ("goal", "prompt", "input", "output", "workspace", "task_file", "trial", "here")
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def template_problem(text: str) -> str | None:
    """Why `text` can't be a template, and what to do; None if it can."""
    for piece in _PIECE.finditer(text):
        if piece[0] in ("{", "}"):
            return f"a lone {piece[0]!r}: write {piece[0] * 2!r} for a literal brace"
        if piece[1] is not None and piece[1] not in PLACES:
            from pytest_ppteval.case.validate import suggest

            return f"unknown place {piece[0]}: {suggest(piece[1], PLACES)}; a literal brace is written twice"
    return None


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text`, which template_problem let pass, with its places filled in. What is filled in is not looked at again."""
    return _PIECE.sub(lambda piece: piece[0][0] if piece[1] is None else values[piece[1]], text)
