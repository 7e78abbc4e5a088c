"""How much of a trace is read. A file beyond a limit is refused with the limit's name: its writer is at fault.

Reading takes a few times the size of what is read at once, which is a line, a document, or a sample of a log.
"""

from __future__ import annotations

import re

from pytest_ppteval.trace.model import TraceLimitError

MEBIBYTE = 1 << 20
MAX_FILE = 256 * MEBIBYTE  # bytes, also of what a zip holds, unpacked
MAX_DOCUMENT = 128 * MEBIBYTE  # bytes of JSON that is one document, or one sample
MAX_LINE = 64 * MEBIBYTE  # bytes of a line
MAX_VALUES = 2_000_000  # values of a document or a line: each takes some hundred bytes when it is read
MAX_BAD = 10_000  # items of arrays that are no JSON: each is looked at again, to say what is wrong
MAX_MEMBERS = 100_000  # files in a zip

_SMALL = 1 << 21  # characters that can't hold too many values
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def check(name: str, found: int, limit: int, what: str) -> None:
    """Raise TraceLimitError if there is more of something than the limit of that name allows."""
    if found > limit:
        raise TraceLimitError(f"{what}: more than the {limit:,} that are read (limit {name})", name)


def check_values(text: str, what: str) -> None:
    """Raise TraceLimitError if JSON text holds too many values."""
    if len(text) <= _SMALL:
        return
    if _separators(text) > MAX_VALUES:  # some may be in texts
        check("MAX_VALUES", _separators(_STRING.sub("", text)), MAX_VALUES, f"{what} holds too many values")


def _separators(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")
