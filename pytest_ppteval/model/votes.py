"""YES or NO: whether an answer is one, and what several of them come to. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.rubric.result import Votes

if TYPE_CHECKING:
    from collections.abc import Sequence

YesNo = Literal["YES", "NO"]

# "Yes.", "**NO** - the title", "yes, it is". A bare "No" before a word is mostly no answer ("No text overflows"),
# so that one counts only in capitals or before punctuation.
_FIRST = re.compile(r"[\W_]*(?:(yes)\b|(?-i:(NO))\b|(no)(?=\s*(?:[^\w\s]|\Z|\n)))", re.IGNORECASE)
_LAST = re.compile(r"(?:.*\b(?:answer|verdict)\b\W*)?[\W_]*(yes|no)[\W_]*", re.IGNORECASE)


def yes_or_no(answer: str) -> YesNo | None:
    """What the answer says, by its first word or by its last line ("Answer: NO"); None where neither, or at odds."""
    found: set[YesNo] = set()
    if first := _FIRST.match(answer):
        found.add("YES" if first[1] else "NO")
    lines = answer.strip().splitlines()
    if lines and (last := _LAST.fullmatch(lines[-1])):
        found.add("YES" if last[1].lower() == "yes" else "NO")
    return found.pop() if len(found) == 1 else None


def count(answers: Sequence[str]) -> tuple[Votes, YesNo | None]:
    """The votes, and what more than half of them say; None where no side has that many."""
    said = [yes_or_no(answer) for answer in answers]
    votes = Votes(yes=said.count("YES"), no=said.count("NO"), neither=said.count(None))
    if votes.yes * 2 > len(said):
        return votes, "YES"
    if votes.no * 2 > len(said):
        return votes, "NO"
    return votes, None
