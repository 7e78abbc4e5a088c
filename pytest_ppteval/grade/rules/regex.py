"""Regular expressions over an agent's text, within a time limit.

Python's matcher takes exponential time on some patterns and can't be told to stop. So it runs in a process of its own
that is ended when it takes too long. (A thread could not be ended, an alarm is taken by other plugins.) A pattern that
can't take long, having nothing that repeats or chooses, is matched here: a process takes some 20 ms to start.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TIME_LIMIT = 5.0
Span = tuple[int, int]

_PROGRAM = """\
import json, re, sys
asked = json.load(sys.stdin.buffer)
found = [[re.search(pattern, text) for pattern in asked["patterns"]] for text in asked["texts"]]
group = asked["group"]
print(json.dumps([[one and one.span(min(group, one.re.groups)) for one in row] for row in found]))
"""


class RegexTimeoutError(RuntimeError):
    """Matching took too long."""


def search(patterns: Sequence[str], text: str, limit: float | None = None) -> list[Span | None]:
    """Where each pattern is first found in `text`, as re.search finds it.

    limit: seconds for all of them together, TIME_LIMIT unless given.
    Raises RegexTimeoutError.
    """
    return search_each(patterns, [text], limit)[0]


def search_each(
    patterns: Sequence[str], texts: Sequence[str], limit: float | None = None, *, group: int = 0
) -> list[list[Span | None]]:
    """The same for several texts, all within the limit together; a list for each text.

    group: 1 for the place of a pattern's first group, where it has one; (-1, -1) where that took no part.
    """
    if not any(set(pattern) & set("*+{?|") for pattern in patterns):
        found = [[re.search(pattern, text) for pattern in patterns] for text in texts]
        return [[one.span(min(group, one.re.groups)) if one else None for one in row] for row in found]
    limit = TIME_LIMIT if limit is None else limit
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            input=json.dumps({"texts": list(texts), "patterns": list(patterns), "group": group}).encode(),
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RegexTimeoutError(
            f"the search took more than {limit:g} s in {sum(map(len, texts)):,} characters: "
            "write the pattern without repetition inside of repetition"
        ) from None
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise RegexTimeoutError(f"the search failed: {''.join(last) or f'exit code {done.returncode}'}")
    rows: list[list[list[int] | None]] = json.loads(done.stdout)
    return [[(span[0], span[1]) if span else None for span in row] for row in rows]
