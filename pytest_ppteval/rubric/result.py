"""What a grader says of one leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["scored", "unscored", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafResult:
    """The outcome of one leaf.

    status: "scored"; "unscored" where the means of judging were missing (no model, no pictures, no data: nobody's
        fault, judge again); "error" where the leaf itself is wrong (it raised, returned no valid score, broke a limit).
    score: 0..1 if and only if scored.
    reason: one or more lines for people.
    seconds: wall-clock time that judging took.
    output: what the leaf printed, cut to a limit.
    traceback: the leaf's own lines of a Python traceback, where it raised.
    """

    status: Status
    score: float | None = None
    reason: str = ""
    seconds: float = 0.0
    output: str = ""
    traceback: str = ""

    def __post_init__(self) -> None:
        if (self.status == "scored") != (self.score is not None):
            raise ValueError(f"status {self.status!r} with score {self.score!r}")
        if self.score is not None and not 0 <= self.score <= 1:
            raise ValueError(f"score {self.score!r} is outside 0..1")
