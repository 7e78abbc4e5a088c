"""What changed in a text, word by word. Standard library only."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# A word, a run of spaces, or one other character; Chinese, Japanese and Korean text has no spaces, so there each
# character is a word.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\s+|.", re.S
)
_MAX_TOKENS = 2_000  # difflib takes seconds beyond
_CONTEXT = 4  # words shown before and after a change


def word_diff(before: str, after: str) -> str:
    """The change as one line: words removed in [-...-], words added in {+...+}, and a few words around them."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > _MAX_TOKENS:
        return f"[-{len(before):,} characters-] {{+{len(after):,} characters+}}"
    pieces: list[str] = []
    steps = _joined(SequenceMatcher(None, old, new, autojunk=False).get_opcodes(), old)
    for place, (kind, i, j, k, m) in enumerate(steps):
        if kind == "equal":
            pieces.append(_shorten(old[i:j], first=place == 0, last=place == len(steps) - 1))
            continue
        if i < j:
            pieces.append(f"[-{''.join(old[i:j])}-]")
        if k < m:
            pieces.append(f"{{+{''.join(new[k:m])}+}}")
    return " ⏎ ".join("".join(pieces).split("\n"))


def _joined(steps: Sequence[tuple[str, int, int, int, int]], old: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Changes with nothing but a space between them read better as one."""
    done: list[tuple[str, int, int, int, int]] = []
    for place, (kind, i, j, k, m) in enumerate(steps):
        inner = 0 < place < len(steps) - 1
        if kind == "equal" and not (inner and "".join(old[i:j]).isspace()):
            done.append((kind, i, j, k, m))
        elif done and done[-1][0] != "equal":
            done[-1] = ("replace", done[-1][1], j, done[-1][3], m)
        else:
            done.append(("replace", i, j, k, m))
    return done


def _shorten(tokens: list[str], *, first: bool, last: bool) -> str:
    """Unchanged words, cut in the middle, or at the end that faces away from a change."""
    keep = 2 * _CONTEXT  # a word and the space beside it
    head, tail = (0 if first else keep), (0 if last else keep)
    if len(tokens) <= head + tail + 1:
        return "".join(tokens)
    return "".join(tokens[:head]) + "…" + "".join(tokens[len(tokens) - tail :])
