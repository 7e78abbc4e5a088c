"""From a line of a leaf's Python code to the place in the rubric file where people can edit it."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from pytest_ppteval.case.document import line_starts
from pytest_ppteval.rubric.tree import Source

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.rubric.tree import Leaf

# A literal block: "|", perhaps with indentation and chomping, perhaps a comment, after perhaps an anchor.
_LITERAL = re.compile(r"(?:&\S+\s+)?\|[0-9+-]*[ \t]*(?:#[^\n]*)?\r?\n")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def code_source(text: str, leaf: Leaf, python_line: int) -> Source:
    """Where line `python_line` (from 1) of the function_code of `leaf` is written.

    text: the rubric file's text. Lines count in function_code as the file has it: a grader
    that takes a ```python fence off adds the lines that it took.
    A JSON string sits on one line of its file, so the column tells where its line starts. In YAML a literal block
    ("|") has a line for each line of code; other forms fold lines, and their start is the answer.
    """
    start = leaf.scorer.source
    text = text.removeprefix("\ufeff")  # positions don't count it
    starts = line_starts(text)
    if start.line > len(starts) or python_line < 1:
        return start
    offset = starts[start.line - 1] + start.column - 1
    literal = _LITERAL.match(text, offset)
    if literal:
        line = start.line + python_line
        if line > len(starts):
            return start
        written = text[starts[line - 1] :].split("\n", 1)[0]
        return Source(start.path, line, len(written) - len(written.lstrip(" ")) + 1)
    quoted = _QUOTED.match(text, offset)
    if quoted:
        # Step from escape to escape: a backslash before an n may itself be escaped.
        begins = [offset + 1]
        begins += [found.end() for found in _ESCAPE.finditer(text, offset, quoted.end()) if found[1] == "n"]
        if python_line <= len(begins):
            begin = begins[python_line - 1]
            row = bisect_right(starts, begin)
            return Source(start.path, row, begin - starts[row - 1] + 1)
    return start


def find_code(leaf: Leaf, python_line: int, base: Path) -> Source:
    """As `code_source`, in the leaf's own file, whose path counts from `base`; the code's start if it can't be read."""
    start = leaf.scorer.source
    try:
        text = (base / start.path).read_bytes().decode("utf-8")
    except (OSError, ValueError):
        return start
    return code_source(text, leaf, python_line)


def code_line(text: str, leaf: Leaf, python_line: int) -> int:
    """The line alone of `code_source`."""
    return code_source(text, leaf, python_line).line
