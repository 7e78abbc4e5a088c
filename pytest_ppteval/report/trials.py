"""The verdict on a task that is tried several times: a report of its own, once all its trials are in."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.report.junit import TRIALS_PROPERTY
from pytest_ppteval.runs.journal import base_nodeid, key_of
from pytest_ppteval.runs.judged import trials_by_task
from pytest_ppteval.runs.junit import trial_properties
from pytest_ppteval.runs.verdicts import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_ppteval.rubric.trials import Trials

Record = dict[str, Any]
MOST_SHOWN = 20
_TRIAL = re.compile(r"[\[-]trial-([1-9][0-9]*)(?=-|\]$)")


class TrialReports:
    """Watches the trials of each task as they end, and reports the task when the last one has."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._ended: dict[str, set[int]] = {}
        # Trials whose worker died, by the node id that is all there is of them.
        self._lost: dict[str, dict[int, str]] = {}
        self._reported: set[str] = set()

    def ended(self, nodeid: str, tasks: Mapping[str, Record]) -> None:
        """A trial has ended: its last report is in."""
        record = tasks.get(nodeid)
        if record is None or record.get("trials", 1) == 1:
            return
        base = key_of(record)[0]
        self._ended.setdefault(base, set()).add(record["trial"])
        self._conclude(base, tasks)

    def lost(self, nodeid: str, tasks: Mapping[str, Record]) -> None:
        """A trial's worker died; that of a task that is tried once, too."""
        found = _TRIAL.findall(nodeid)
        if found:
            trial = int(found[-1])
            base = base_nodeid(nodeid, trial, 2)
            self._lost.setdefault(base, {})[trial] = nodeid
            self._conclude(base, tasks)

    def settle(self, tasks: Mapping[str, Record]) -> bool:
        """The session is over: report tasks that can't pass any more, though some trials were not run here.

        Whether there are any.
        """
        before = len(self._reported)
        for base in self._ended:
            self._conclude(base, tasks, last=True)
        return len(self._reported) > before

    def _conclude(self, base: str, tasks: Mapping[str, Record], *, last: bool = False) -> None:
        if base in self._reported:
            return
        own = [one for one in tasks.values() if one.get("trials", 1) > 1 and key_of(one)[0] == base]
        if not own:
            return
        lost = self._lost.get(base, {})
        for trial, nodeid in lost.items():
            if tasks[nodeid].get("trial") is None:
                known = {name: own[0][name] for name in ("trials", "require", "finished")}
                tasks[nodeid].update(known, trial=trial)
                own.append(tasks[nodeid])
        complete = len(self._ended.get(base, set()) | lost.keys()) == own[0]["trials"]
        if not complete and not last:
            return
        trials = trials_by_task(own).get(base)
        # None where no trial got a verdict: skipped, or judged on some leaves.
        if trials is not None and (complete or trials.verdict == "failed"):
            self._reported.add(base)
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
