"""What a run came to, from how its process ended and from what its trace tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.agent.process import Ended
    from pytest_ppteval.agent.spec import Status
    from pytest_ppteval.trace.model import Trace

# EX_TEMPFAIL of sysexits.h: by it an agent says that it is not to blame, and that trying again may help.
TEMPORARY = 75
_LONGEST = 400
# A run that failed in such words failed on the way to a model. Numbers count beside a word for what they are only.
_TRANSIENT = re.compile(
    r"\b(?:api[ _]error|http(?:/\d(?:\.\d)?)?|status(?:[ _]code)?|error(?:[ _]code)?)\W{0,4}(?:408|409|429|5\d\d)\b"
    r"|overloaded|rate.?limit|too many requests|internal server error|service unavailable|bad gateway"
    r"|gateway time-?out|connection (?:error|refused|reset|closed|timed out)|stream disconnected|retry limit"
    r"|econnre(?:set|fused)|etimedout|enotfound|eai_again|network error|fetch failed",
    re.IGNORECASE,
)
# As much the surroundings' fault, but trying again won't help.
_LASTING = re.compile(
    r"\b(?:api[ _]error|http(?:/\d(?:\.\d)?)?|status(?:[ _]code)?|error(?:[ _]code)?)\W{0,4}(?:401|402|403)\b"
    r"|authentication|unauthori[sz]ed|(?:invalid|incorrect|missing) api.key|api.key (?:is )?(?:invalid|missing)"
    r"|not logged in|please (?:run /)?log ?in|credit balance|insufficient.quota|exceeded your (?:current )?quota"
    r"|(?:usage|hour|daily|weekly|session) limit|hit your (?:\w+ )?limit|billing",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A status and its reason, one line. again: whether another attempt may help."""

    status: Status
    reason: str = ""
    again: bool = False


def judge(
    ended: Ended, traces: Sequence[Trace], last_words: str, limits: tuple[float, int], *, left_output: bool
) -> Outcome:
    """What the run came to.

    last_words: the last line of its stderr. limits: seconds and bytes on disk that it had.
    left_output: whether there is a deck, or, where none is asked for, any file that the agent wrote.
    """
    if ended.how == "refused":
        return Outcome("infrastructure", ended.reason)
    if ended.how == "lost":
        return Outcome("infrastructure", ended.reason, again=True)
    if ended.how == "timeout":
        return Outcome("timeout", f"it was still running after {limits[0]:g} s")
    if ended.how == "disk":
        return Outcome("failed", f"it filled its workspace: more than {limits[1] / 1e6:,.6g} MB")
    trouble = _trouble(traces)
    if trouble is not None:
        return trouble
    if ended.code == TEMPORARY:
        return Outcome("infrastructure", last_words or f"it ended with exit code {TEMPORARY}", again=True)
    failure = next((trace.error for trace in reversed(traces) if trace.status in ("error", "cancelled")), None)
    if ended.code == 0:
        return Outcome("finished", f"its trace says: {_short(failure)}" if failure else "")
    how = f"exit code {ended.code}" if ended.code is None or ended.code > 0 else _signal(-ended.code)
    words = _short(failure or "") or last_words
    said = f": {words}" if words else ""
    if left_output or any(trace.steps for trace in traces):
        return Outcome("failed", f"it ended with {how}{said}")
    return Outcome("infrastructure", f"it ended with {how} before it did anything{said}", again=True)


def last_line(text: str) -> str:
    """The last line that says something, short."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""


def _trouble(traces: Sequence[Trace]) -> Outcome | None:
    """Infrastructure trouble that ended the run, as its trace tells it."""
    for trace in reversed(traces):
        if trace.status == "error" and trace.error:
            if _LASTING.search(trace.error):
                return Outcome("infrastructure", _short(trace.error))
            if _TRANSIENT.search(trace.error):
                return Outcome("infrastructure", _short(trace.error), again=True)
    return None


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def _signal(number: int) -> str:
    import signal

    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
