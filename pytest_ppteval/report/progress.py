"""A line from time to time while agents run: what is done, what runs, what was spent.

Agents take minutes, and with xdist nothing is shown of an item that runs. The controller reads the marks that every
process leaves in the run directory, and counts the records that have arrived.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_ppteval.runs.running import list_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pytest_ppteval.runs.running import Running

# Seconds between two lines: where a person looks on, and in a log.
WATCHED, LOGGED = 10.0, 60.0
MOST_SHOWN = 4


class Progress:
    """Writes a line every `seconds` from a thread of its own, as long as something runs."""

    def __init__(self, folder: Path, write: Callable[[str], None], state: Callable[[], str], seconds: float) -> None:
        """folder: the run directory. write: shows a line. state: what is done and was spent, in words."""
        self._folder = folder
        self._write = write
        self._state = state
        self._seconds = seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="ppteval-progress", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._done.wait(self._seconds):
            found = list_running(self._folder)
            if found:
                self._write(f"ppteval: {self._state()}; running: {describe(found, datetime.now(UTC))}")

    def stop(self) -> None:
        """Write no further line."""
        self._done.set()
        self._thread.join(timeout=5)


def describe(found: Iterable[Running], now: datetime) -> str:
    """What runs now, the longest first: "review-003 (41 s), tides-001[trial-2] (12 s) and 3 more"."""
    parts = []
    for one in found:
        seconds = max(0.0, (now - datetime.fromisoformat(one.started)).total_seconds())
        task = one.task.rpartition("::")[2]
        trial = f"[trial-{one.trial}]" if one.trial > 1 else ""
        parts.append(f"{task}{trial} ({seconds:.0f} s)")
    more = f" and {len(parts) - MOST_SHOWN} more" if len(parts) > MOST_SHOWN else ""
    return ", ".join(parts[:MOST_SHOWN]) + more


class Spent:
    """What agents spent, by the metrics that their runs left; a run that is told twice counts once."""

    def __init__(self) -> None:
        self._runs: dict[str, Mapping[str, float]] = {}

    def add(self, nodeid: str, metrics: Mapping[str, float]) -> None:
        """A run has ended."""
        self._runs[nodeid] = metrics

    def __bool__(self) -> bool:
        return bool(self._runs)

    @property
    def totals(self) -> dict[str, float]:
        """Sums by metric, of the runs that say it."""
        found: dict[str, float] = {}
        for metrics in self._runs.values():
            for name, value in metrics.items():
                found[name] = found.get(name, 0) + value
        return found

    def __str__(self) -> str:
        totals, count = self.totals, len(self._runs)
        parts = []
        for name, word in (("input_tokens", "tokens in"), ("output_tokens", "out")):
            if name in totals:
                parts.append(f"{totals[name]:,.0f} {word}")
        if "cost_usd" in totals:
            priced = sum("cost_usd" in metrics for metrics in self._runs.values())
            parts.append(f"${totals['cost_usd']:.4f}" + ("" if priced == count else f" ({priced} of {count} priced)"))
        return ", ".join(parts) if parts else "no tokens known"


def metrics_of(record: Mapping[str, Any], folder: Path | None) -> Mapping[str, float] | None:
    """What the agent of a record spent; None where no agent ran, or nothing is known."""
    if folder is None or record.get("run") is None:
        return None
    from pytest_ppteval.evidence.outputs import read_metrics

    metrics, _ = read_metrics(folder / "metrics.json")
    return metrics or {"seconds": record["run"]["seconds"]}
