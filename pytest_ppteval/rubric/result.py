"""What a grader says of one leaf."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_ppteval.rubric.tree import Source

Status = Literal["scored", "unscored", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """How often one question was answered YES, NO, and with neither."""

    yes: int
    no: int
    neither: int = 0

    @property
    def split(self) -> bool:
        """Whether they disagree."""
        return max(self.yes, self.no, self.neither) < self.yes + self.no + self.neither

    def __str__(self) -> str:
        parts = ((self.yes, "YES"), (self.no, "NO"), (self.neither, "neither"))
        return ", ".join(f"{number} {word}" for number, word in parts if number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What judging asked of models and took, apart from what the judged agent itself spent. Adds up.

    live: questions sent to a model. failed: those of them that brought no answer. replayed: answers taken from
    recordings. missing: answers that a recording should have held.
    input_tokens: without those that the provider's cache served (cache_read_tokens) or took up (cache_write_tokens).
    known_cost: USD, of the answers whose price is known. unpriced: the number of those whose price is not.
    votes: of each question that was put to the vote.
    """

    live: int = 0
    failed: int = 0
    replayed: int = 0
    missing: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    known_cost: Decimal = Decimal(0)
    unpriced: int = 0
    votes: tuple[Votes, ...] = ()

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            live=self.live + other.live,
            failed=self.failed + other.failed,
            replayed=self.replayed + other.replayed,
            missing=self.missing + other.missing,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            known_cost=self.known_cost + other.known_cost,
            unpriced=self.unpriced + other.unpriced,
            votes=self.votes + other.votes,
        )

    @property
    def cost(self) -> Decimal | None:
        """USD; None where some answer's price is not known."""
        return None if self.unpriced else self.known_cost

    @property
    def asked(self) -> int:
        """Questions, however they were answered."""
        return self.live + self.replayed + self.missing

    @property
    def borderline(self) -> bool:
        """Whether votes on a question were split."""
        return any(votes.split for votes in self.votes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafResult:
    """The outcome of one leaf.

    status: "scored"; "unscored" where the means of judging were missing (no model, no pictures, no data: nobody's
        fault, judge again); "error" where the leaf itself is wrong (it raised, returned no valid score, broke a limit).
    score: 0..1 if and only if scored.
    applies: False where there is nothing that the leaf could judge by, ever (an approved run without tokens, say): it
        is unscored, and its tree is scored without it.
    enough: the score is a measure of the leaf that may stay below 1 without a fault: its tree counts the leaf in full.
    reason: one or more lines for people.
    seconds: wall-clock time that judging took.
    output: what the leaf printed, cut to a limit.
    traceback: the leaf's own lines of a Python traceback, where it raised.
    error_line: the line of its code, from 1, at which it raised or was stopped, where that is known.
    error_at: where that line is written in the rubric's file.
    details: what people need to see beside the reason, such as an account of what else changed in the deck.
    usage: what it asked of models.
    common: whether the reason is that of the whole run (no deck, an unusable one), and no leaf's own: it is told once.
    """

    status: Status
    score: float | None = None
    applies: bool = True
    enough: bool = False
    reason: str = ""
    seconds: float = 0.0
    output: str = ""
    traceback: str = ""
    error_line: int | None = None
    error_at: Source | None = None
    details: str = ""
    usage: Usage = field(default_factory=Usage)
    common: bool = False

    def __post_init__(self) -> None:
        if (self.status == "scored") != (self.score is not None):
            raise ValueError(f"status {self.status!r} with score {self.score!r}")
        if not self.applies and self.status != "unscored":
            raise ValueError(f"status {self.status!r} of a leaf that doesn't apply")
        if self.enough and self.status != "scored":
            raise ValueError(f"status {self.status!r} of a leaf that is good enough")
        if self.score is not None and not 0 <= self.score <= 1:
            raise ValueError(f"score {self.score!r} is outside 0..1")
