"""The verdict on a task that is tried several times: a report of its own, once all its trials are in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.report.junit import TRIALS_PROPERTY
from pytest_ppteval.runs.journal import key_of
from pytest_ppteval.runs.judged import trials_by_task
from pytest_ppteval.runs.junit import trial_properties
from pytest_ppteval.runs.verdicts import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_ppteval.rubric.trials import Trials

Record = dict[str, Any]
MOST_SHOWN = 20


class TrialReports:
    """Watches the trials of each task as they end, and reports the task when the last one has."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._ended: dict[str, set[int]] = {}
        self._reported: set[str] = set()

    def ended(self, nodeid: str, tasks: Mapping[str, Record]) -> None:
        """A trial has ended: its last report is in."""
        record = tasks.get(nodeid)
        if record is None or record.get("trials", 1) == 1:
            return
        base = key_of(record)[0]
        self._ended.setdefault(base, set()).add(record["trial"])
        if len(self._ended[base]) == record["trials"] and base not in self._reported:
            self._reported.add(base)
            own = [one for one in tasks.values() if one.get("trials", 1) > 1 and key_of(one)[0] == base]
            trials = trials_by_task(own).get(base)
            if trials is not None:  # else no trial got a verdict: skipped, or judged on some leaves
                self._report(base, trials, own)

    def _report(self, base: str, trials: Trials, own: list[Record]) -> None:
        text = describe(trials)
        failed = trials.verdict != "passed"
        report: Any = pytest.TestReport(
            nodeid=base,
            location=(own[0]["file"], own[0].get("line", 1) - 1, f"task {base.rpartition('::')[2]}"),
            keywords={},
            outcome="failed" if failed else "passed",
            longrepr=f"{trials.verdict}: {text}" if failed else None,
            when="call",
            duration=0.0,
            user_properties=[(TRIALS_PROPERTY, base), *trial_properties(trials)],
        )
        report.ppteval_trials = {"verdict": trials.verdict, "text": text}
        end: Any = pytest.TestReport(
            nodeid=base,
            location=report.location,
            keywords={},
            outcome="passed",
            longrepr=None,
            when="teardown",
            duration=0.0,
            user_properties=report.user_properties,
        )
        end.ppteval_trials = report.ppteval_trials
        with self._beside_progress(report):
            for one in (report, end):
                self._config.hook.pytest_runtest_logreport(report=one)
        self._correct(base, trials, own)

    @contextmanager
    def _beside_progress(self, report: Any) -> Iterator[None]:
        """The task is no item: it takes no part in pytest's count of them, which would go beyond 100 %."""
        terminal: Any = self._config.pluginmanager.getplugin("terminalreporter")
        shown = getattr(terminal, "_show_progress_info", None)
        if shown is not None:
            terminal._show_progress_info = False
        try:
            yield
        finally:
            if shown is not None:
                terminal._show_progress_info = shown
            # Since pytest 9.2 a set of structured ids, before one of texts.
            getattr(terminal, "_progress_nodeids_reported", set()).difference_update(
                {report.nodeid, getattr(report, "id", report.nodeid)}
            )

    def _correct(self, base: str, trials: Trials, own: list[Record]) -> None:
        """--lf means the task's failing trials: the task itself can't be run."""
        last_failed = getattr(self._config.pluginmanager.getplugin("lfplugin"), "lastfailed", None)
        if last_failed is not None:
            last_failed.pop(base, None)
            if trials.verdict == "failed":
                last_failed.update({one["nodeid"]: True for one in own if one["verdict"] == "failed"})


def trial_lines(records: Iterable[Record]) -> list[str]:
    """A line for each task that was tried several times; those that did not pass come first."""
    tried = trials_by_task([record for record in records if record.get("trials", 1) > 1])
    order = sorted(tried, key=lambda base: tried[base].verdict == "passed")
    lines = []
    for base in order[:MOST_SHOWN]:
        trials = tried[base]
        missing = (
            f"; {len(trials.trials)} of {trials.planned} trials ran here (ppteval merge)" if trials.missing else ""
        )
        lines.append(f"  {trials.verdict.upper():12} {base}: {describe(trials)}{missing}")
    if len(order) > MOST_SHOWN:
        lines.append(f"  and {len(order) - MOST_SHOWN} more tasks")
    return [f"{len(tried)} {'task' if len(tried) == 1 else 'tasks'} tried several times:", *lines] if lines else []
