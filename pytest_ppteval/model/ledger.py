"""What a run has asked and spent so far, kept in one file for all of its processes, and the limits on it."""

from __future__ import annotations

import json
import os
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.locks import locked
from pytest_ppteval.files.whole import write_whole
from pytest_ppteval.model.question import NoAnswerError
from pytest_ppteval.rubric.result import Usage

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE = 0.05
_COUNTS = (
    "live",
    "failed",
    "replayed",
    "missing",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "unpriced",
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may ask and spend; None for no limit. cost: USD."""

    calls: int | None = None
    cost: Decimal | None = None


class BudgetReachedError(NoAnswerError):
    """A limit is reached: nothing more is sent."""


class Ledger:
    """The accounts of a run, in `folder`. Every process of the run opens it on the same folder.

    A question is entered before it is sent, with the most that it can cost, and settled by what it did cost. While
    questions are under way that could together reach the limit on cost, further ones wait. So the limit holds as
    strictly over many processes as in one: no question is sent once what is spent has reached it.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder = folder
        self._limits = limits or Limits()
        self._path = folder / "ledger.json"
        self._lock = folder / "ledger.lock"

    def enter(self, most: Decimal) -> str:
        """Enter a question that may cost up to `most`. Returns its ticket. Raises BudgetReachedError."""
        ticket = uuid.uuid4().hex
        while True:
            with locked(self._lock):
                usage, pending = self._read()
                if self._may_go(usage, pending):
                    pending[ticket] = {"most": str(most), "process": os.getpid()}
                    self._write(usage, pending)
                    return ticket
            time.sleep(_PAUSE)

    def _may_go(self, usage: Usage, pending: dict[str, Any]) -> bool:
        calls, cost = self._limits.calls, self._limits.cost
        sent = usage.live + len(pending)
        if calls is not None and sent >= calls:
            raise BudgetReachedError(f"the limit of {calls} model calls is reached (--ppteval-max-calls)")
        if cost is None:
            return True
        if usage.known_cost >= cost:
            raise BudgetReachedError(f"the limit of ${cost} for judging is reached (--ppteval-max-cost)")
        if usage.unpriced:
            raise BudgetReachedError("an answer came without a price, so --ppteval-max-cost can't be kept any more")
        at_most = usage.known_cost + sum((Decimal(entry["most"]) for entry in pending.values()), Decimal(0))
        return at_most < cost or not pending

    def settle(self, ticket: str, usage: Usage) -> None:
        """Replace an entered question by what came of it."""
        with locked(self._lock):
            before, pending = self._read()
            pending.pop(ticket, None)
            self._write(before + usage, pending)

    def note(self, usage: Usage) -> None:
        """Add what was not sent anywhere: replayed and missing answers."""
        with locked(self._lock):
            before, pending = self._read()
            self._write(before + usage, pending)

    def totals(self) -> Usage:
        """What the run has asked and spent."""
        with locked(self._lock):
            return self._read()[0]

    def _read(self) -> tuple[Usage, dict[str, Any]]:
        try:
            data = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return Usage(), {}
        usage = Usage(known_cost=Decimal(data["known_cost"]), **{name: data[name] for name in _COUNTS})
        pending: dict[str, Any] = data["pending"]
        for ticket, entry in list(pending.items()):
            if not _alive(entry["process"]):  # a worker that died with a question under way: it was sent
                del pending[ticket]
                usage += Usage(live=1, failed=1)
        return usage, pending

    def _write(self, usage: Usage, pending: dict[str, Any]) -> None:
        data = {name: getattr(usage, name) for name in _COUNTS}
        text = json.dumps({**data, "known_cost": str(usage.known_cost), "pending": pending})
        write_whole(self._path, text, sync=False)


def _alive(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":  # there, signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
