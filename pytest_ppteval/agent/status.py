"""What a run came to, from how its process ended and from what its trace tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.agent.trouble import LASTING
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.agent.process import Ended
    from pytest_ppteval.agent.spec import Status
    from pytest_ppteval.agent.trouble import Trouble
    from pytest_ppteval.trace.model import Trace

# EX_TEMPFAIL of sysexits.h: by it an agent says that it is not to blame, and that trying again may help.
TEMPORARY = 75
_LONGEST = 400
_TOO_LARGE = re.compile(r"File too large|EFBIG|SIGXFSZ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A status and its reason, one line. again: whether another attempt may help."""

    status: Status
    reason: str = ""
    again: bool = False


def judge(
    ended: Ended,
    traces: Sequence[Trace],
    last_words: str,
    limits: tuple[float, int],
    *,
    left_output: bool,
    trouble: Trouble | None = None,
) -> Outcome:
    """What the run came to.

    last_words: the last line of its stderr. limits: seconds and bytes on disk that it had. trouble: on the way to a
    model, as its program records it. left_output: whether there is a deck, or, where none is asked for, any file that
    the agent wrote.

    Infrastructure trouble is what the agent's program records as that, and an end without any action. Words that a
    model may have written decide nothing: what was delivered is judged.
    """
    if ended.how == "refused":
        return Outcome("infrastructure", ended.reason)
    acted = left_output or any(trace.steps for trace in traces)
    if ended.how == "lost":
        return Outcome("failed", ended.reason) if acted else Outcome("infrastructure", ended.reason, again=True)
    if ended.how == "timeout":
        told = f": {ended.reason}" if ended.reason else ""
        return Outcome("timeout", f"it was still running after {limits[0]:g} s (its timeout){told}")
    # The kernel's refusal comes before the watch sees the disk, and the file may be gone again: these words are taken
    # for true, since they only blame the agent.
    if ended.how == "disk" or (ended.how == "exited" and ended.code != 0 and _TOO_LARGE.search(last_words)):
        return Outcome("failed", f"it filled its workspace: more than {limits[1] / 1e6:,.6g} MB (its disk_limit)")
    failure = next((trace.error for trace in reversed(traces) if trace.status in ("error", "cancelled")), None)
    if trouble is not None and failure is not None:
        return Outcome("infrastructure", _short(failure), again=not trouble.lasting)
    if ended.code == TEMPORARY:
        return Outcome("infrastructure", last_words or f"it ended with exit code {TEMPORARY}", again=True)
    if ended.code == 0 or ended.how == "lingered":
        return Outcome("finished", f"its trace says: {_short(failure)}" if failure else "")
    how = f"exit code {ended.code}" if ended.code is None or ended.code > 0 else _signal(-ended.code)
    words = _short(failure or "") or last_words
    said = f": {words}" if words else ""
    if acted:
        return Outcome("failed", f"it ended with {how}{said}")
    # Nothing was done, so that nothing hangs on these words but whether trying again is worth the time.
    again = LASTING.search(words) is None
    return Outcome("infrastructure", f"it ended with {how} before it did anything{said}", again=again)


def last_line(text: str) -> str:
    """The last line that says something, short."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def _signal(number: int) -> str:
    import signal

    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
