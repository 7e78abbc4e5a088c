"""What is shown beside verdicts where agents run or runs are kept: progress, trials, differences, what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.prose.shown import shown_name
from pytest_ppteval.report.progress import LOGGED, WATCHED, Progress, Spent, metrics_of
from pytest_ppteval.report.trials import TrialReports, trial_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.runs.source import Runs

Record = dict[str, Any]
MOST_SHOWN = 5


class AgentReport:
    """Of the controlling process of a session with a run directory or with trials."""

    def __init__(self, config: pytest.Config, runs: Runs | None) -> None:
        self._config = config
        self._runs = runs
        self._trials = TrialReports(config)
        self._spent = Spent()
        self._done = 0
        self._tasks: Mapping[str, Record] = {}
        self._progress: Progress | None = None
        self._watch(config)

    def _watch(self, config: pytest.Config) -> None:
        terminal = config.pluginmanager.getplugin("terminalreporter")
        if self._runs is not None and self._runs.agent is not None and terminal is not None:
            seconds = WATCHED if terminal.isatty else LOGGED

            def write(line: str) -> None:
                terminal.ensure_newline()
                terminal.write_line(line)

            self._progress = Progress(self._runs.folder.path, write, self._state, seconds)

    def _state(self) -> str:
        # With xdist too: its controller is told how many items the workers have.
        session = self._config.pluginmanager.getplugin("session")
        total = max(getattr(session, "testscollected", 0), self._done)
        return f"{self._done} of {total} {'run' if total == 1 else 'runs'} judged, agents spent {self._spent}"

    def seen(self, report: pytest.TestReport, tasks: Mapping[str, Record]) -> None:
        """A report has been shown."""
        self._tasks = tasks
        record = tasks.get(report.nodeid)
        if hasattr(report, "ppteval_task") and record is not None and self._runs is not None:
            self._done += 1
            if self._runs.again:
                return  # what its agent spent was spent in another session
            metrics = metrics_of(record, self._runs.folder.locate(record.get("folder")))
            if metrics is not None:
                self._spent.add(report.nodeid, metrics)
        elif report.when == "teardown" and not hasattr(report, "ppteval_trials"):
            self._trials.ended(report.nodeid, tasks)
        elif str(report.when) == "???" and record is not None:
            self._trials.lost(report.nodeid, tasks)

    def finish(self) -> None:
        """The session is over: no further progress is told, and tasks that failed by the trials that ran are."""
        if self._progress is not None:
            self._progress.stop()
        session = self._config.pluginmanager.getplugin("session")
        if self._trials.settle(self._tasks) and session is not None and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def write_summary(self, terminal: pytest.TerminalReporter, tasks: Mapping[str, Record]) -> None:
        """Tasks by their trials; what was written where it should not be; the difference to a judgement before."""
        records = list(tasks.values())
        for line in trial_lines(records):
            terminal.write_line(line)
        self._write_outside(terminal, records)
        runs = self._runs
        if runs is None:
            return
        if runs.again:
            self._write_difference(terminal, records)
        if self._spent:
            terminal.write_line(f"agents spent {self._spent}")
        if runs.stored is not None:
            for problem in runs.stored.problems[:MOST_SHOWN]:
                terminal.write_line(problem, yellow=True)
            if runs.stored.torn:
                torn = "a record" if runs.stored.torn == 1 else f"{runs.stored.torn} records"
                terminal.write_line(f"{torn} of a session that was killed could not be read: judged anew", yellow=True)
        self.write_kept(terminal)

    def write_kept(self, terminal: pytest.TerminalReporter) -> None:
        """Where the session is kept, and how it is gone on with where something was not done."""
        runs = self._runs
        if runs is None or not (self._tasks or (runs.folder.path / "artifacts").exists()):
            return
        terminal.write_line(f"kept in {runs.folder.path}")
        session = self._config.pluginmanager.getplugin("session")
        stopped = session is not None and session.exitstatus == pytest.ExitCode.INTERRUPTED
        if stopped or any(not record.get("complete", False) for record in self._tasks.values()):
            again = "judged" if runs.again else "run"
            terminal.write_line(f"what is not done yet is {again} by --ppteval-resume={runs.folder.path}")

    def _write_outside(self, terminal: pytest.TerminalReporter, records: list[Record]) -> None:
        for record in records:
            run = record.get("run")
            if run is None:
                continue
            strays = [*run["outside"], *(f"{name} (changed)" for name in run.get("changed", ()))]
            strays += [f"{name} (deleted)" for name in run.get("deleted", ())]
            if strays:
                shown = ", ".join(map(shown_name, strays[:MOST_SHOWN]))
                more = f" and {len(strays) - MOST_SHOWN} more" if len(strays) > MOST_SHOWN else ""
                terminal.write_line(f"OUTSIDE {record['nodeid']}: the agent also wrote {shown}{more}", yellow=True)

    def _write_difference(self, terminal: pytest.TerminalReporter, records: list[Record]) -> None:
        from pytest_ppteval.runs.difference import rescored

        for line in rescored(records).lines():
            terminal.write_line(line)
