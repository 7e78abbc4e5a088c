"""An agent's run as this package sees it, whatever wrote it down: frozen data, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Status = Literal["finished", "error", "truncated", "cancelled"]

ENDLESS = "the trace records no end of the run"
HIDDEN_CALLS = "hidden_calls"
# Codes of diagnostics after which calls may be missing from a trace's steps: signs of calls that could not be read as
# such, and pieces of the file that could not be read at all.
OPEN_CODES = frozenset((HIDDEN_CALLS, "bad_json", "no_type", "cut_off", "bad_zip", "compression"))


class TraceError(ValueError):
    """A file that can't be read as a trace at all: empty, of no known format, or with a choice left open."""


class TraceLimitError(TraceError):
    """A file that goes beyond what is read of a trace. limit: the limit's name."""

    def __init__(self, message: str, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One tool call. None always means that the trace doesn't say.

    id: unique within its trace.
    tool: the tool's name; "" where only the result of the call is in the trace.
    args: the arguments, mostly a dict; None where they are unknown or not whole.
    args_raw: the arguments as JSON text, also where it isn't whole.
    result: what the tool answered, as text (other values as JSON text).
    failed: True or False where the trace says so.
    error: the failure in words, where failed.
    started, ended: seconds since 1970; `ended` is when the result came.
    group: steps beside each other with the same group were asked for at once (a parallel batch).
    parent: the step (or, where no step is named, the subagent's run) that this call was made under; None for the
        main agent.
    """

    id: str
    tool: str
    args: Json = None
    args_raw: str | None = None
    result: str | None = None
    failed: bool | None = None
    error: str | None = None
    started: float | None = None
    ended: float | None = None
    group: str | None = None
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What was said. Tool results are in the steps.

    role: user, assistant, system, reasoning (the agent's own thinking), or as the trace says.
    parent: as in Step.
    """

    role: str
    text: str
    id: str | None = None
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model. None: unknown, which is not 0.

    input_total: all input, tokens read from and written to the cache included.
    cache_read, cache_write, reasoning: parts of the totals, never to be added to them.
    """

    input_total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Field by field; a sum with an unknown part is unknown."""
        return Usage(
            input_total=_sum(self.input_total, other.input_total),
            cache_read=_sum(self.cache_read, other.cache_read),
            cache_write=_sum(self.cache_write, other.cache_write),
            output=_sum(self.output, other.output),
            reasoning=_sum(self.reasoning, other.reasoning),
        )

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        return _sum(self.input_total, self.output)


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something that the reader put up with.

    code: a fixed word, for programs.
    text: for people; it tells of the first occurrence.
    line: of the first occurrence, from 1 (in a JSON array on one line and in a list of named arrays: the item).
    count: how often.
    """

    code: str
    text: str
    line: int | None = None
    count: int = 1

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"{where}{self.text}" + (f" ({self.count} times)" if self.count > 1 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One run of an agent. None means that the trace doesn't say; it never stands for 0 or for no text.

    format: the name of the reader.
    run: the name of the run within its file: a thread, a session, a sample.
    usage: tokens by model; the model is "unknown" where the trace doesn't name it. Empty: nothing known.
    status: finished; error (the run failed); truncated (no end is recorded, or the file is cut); cancelled (somebody
        or something stopped it, or it waits for a person).
    error: the run's failure in words.
    unknown: events that the reader doesn't know, as they stand (the first hundred).
    skills: the names that the trace lists as the agent's to use; empty where it lists none.
    """

    format: str
    run: str | None = None
    steps: tuple[Step, ...] = ()
    messages: tuple[Message, ...] = ()
    final_response: str | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = None
    duration_s: float | None = None
    status: Status = "truncated"
    error: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    unknown: tuple[dict[str, Json], ...] = ()
    skills: tuple[str, ...] = ()

    @property
    def calls_unknown(self) -> str | None:
        """Why there may have been calls that are not among the steps, in words; None where the steps are all of them.

        What follows from a call that is missing (not_tool_call, max_tool_calls, an exact order) is open then; what
        follows from a call that is there holds.
        """
        hidden = next((note for note in self.diagnostics if note.code == HIDDEN_CALLS), None)
        if self.parts_lost is not None or hidden is None:
            return self.parts_lost
        return f"the trace may have had more calls than could be read: {hidden}"

    @property
    def parts_lost(self) -> str | None:
        """Why pieces of the run are not in the trace, of whatever kind, in words; None where all of it could be read.

        The last words may not be the final ones then, and tokens, cost and time are at least what is told.
        """
        if self.status == "truncated":
            return ENDLESS
        lost = next((note for note in self.diagnostics if note.code in OPEN_CODES - {HIDDEN_CALLS}), None)
        return None if lost is None else f"the trace may have had more than could be read: {lost}"

    @property
    def total_usage(self) -> Usage | None:
        """All models together; None where nothing is known."""
        total: Usage | None = None
        for usage in self.usage.values():
            total = usage if total is None else total + usage
        return total
