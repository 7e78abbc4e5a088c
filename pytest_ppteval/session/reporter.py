"""Collects what was judged, in the process that the user sees, and hands it to the reports at the end."""

from __future__ import annotations

import os
import re
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.session.declare import is_asked
from pytest_ppteval.session.process import hide_from_workers, judging_of, options_of
from pytest_ppteval.session.stash import case_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from pytest_ppteval.report.agents import AgentReport
    from pytest_ppteval.report.shown import ShownLeaf
    from pytest_ppteval.session.options import Options


class SessionReport:
    """A pytest plugin of the controlling process: every task and leaf passes through here."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        # By node id, in order of arrival; a rerun takes the place of the attempt before it.
        self.tasks: dict[str, dict[str, Any]] = {}
        self.session: pytest.Session | None = None
        self.leaves: dict[str, list[ShownLeaf]] = {}
        self._introduced = False
        self._agents: AgentReport | None = None

    @property
    def options(self) -> Options:
        """The run's options."""
        return options_of(self.config)

    @property
    def _concerned(self) -> bool:
        """Whether this run has anything for us: else each hook leaves it alone."""
        return bool(self.tasks) or is_asked(self.config) or "pytest_ppteval.session.item" in sys.modules

    @pytest.hookimpl(trylast=True)
    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        """Under pytest's header, in a run that has tasks: what their verdicts will rest on."""
        return self._introduction(item.nodeid for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The same where xdist's workers collect and this process doesn't."""
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        introduced, lines = self._introduced, self._introduction(ids)
        if self._introduced and not introduced:
            hide_from_workers(self.config)
        if terminal is not None and lines:
            terminal.ensure_newline()
            for line in lines:
                terminal.write_line(line)

    def _introduction(self, nodeids: Iterable[str]) -> list[str]:
        if self._introduced:
            return []
        if not any(map(self._is_ours, dict.fromkeys(nodeid.partition("::")[0] for nodeid in nodeids))):
            return []
        from pytest_ppteval.session.header import header_lines, warning_lines

        self._introduced = True
        if self._quiet:
            return warning_lines(self.options)
        return header_lines(self.options, self.config.rootpath)

    @property
    def _quiet(self) -> bool:
        """Whether the run begins without a word; its level is told at the end then."""
        return self.config.option.no_header or self.config.get_verbosity() < 0

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, whose count of failures reruns correct. Tell of agents from the start."""
        self.session = session
        if is_asked(self.config) and not self.config.option.collectonly:
            from pytest_ppteval.report.agents import AgentReport
            from pytest_ppteval.session.run_directory import runs_of

            if runs_of(self.config) is not None:
                self._agents = AgentReport(self.config, runs_of(self.config))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """Keep what concerns us; once a task's last trial has been shown, report the task."""
        self._keep(report)
        yield
        if hasattr(report, "ppteval_leaf"):
            self._remember(report)
        elif hasattr(report, "ppteval_task"):
            vars(report)["ppteval_task"] = self.tasks[report.nodeid]  # pytest keeps the report
        if self._agents is not None:
            self._agents.seen(report, self.tasks)

    def _keep(self, report: pytest.TestReport) -> None:
        if hasattr(report, "ppteval_task"):
            self.tasks[report.nodeid] = self._slim(self._received(report.ppteval_task))
            if self._agents is None and "trial" in report.ppteval_task:
                from pytest_ppteval.report.agents import AgentReport
                from pytest_ppteval.session.run_directory import runs_of

                self._agents = AgentReport(self.config, runs_of(self.config))
            if str(report.outcome) == "rerun":  # pytest-rerunfailures' own outcome
                self._forget(self.leaves.pop(report.nodeid, []))
        elif str(report.when) == "???" and self._is_ours(report.nodeid):  # xdist: the worker died
            from pytest_ppteval.runs.results import lost_record

            self.tasks.setdefault(report.nodeid, lost_record(report.nodeid, report.longreprtext))

    def _remember(self, report: pytest.TestReport) -> None:
        """Keep of a leaf that has been shown what the reports at the end need; pytest would keep it all."""
        from pytest_ppteval.report.shown import ShownLeaf

        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        unnamed = terminal.stats.get("", []) if terminal is not None else []
        dropped = bool(unnamed) and unnamed[-1] is report
        if dropped:
            unnamed.pop()  # passed, and shown by no word: pytest counts it nowhere
        shown, own = ShownLeaf.of(report, kept=not dropped), self.leaves.setdefault(report.nodeid, [])
        before = next((n for n, one in enumerate(own) if one.values[0] == shown.values[0]), None)
        if before is None:
            own.append(shown)
        else:  # of another worker: xdist's --dist each runs all tests in each
            own[before] = shown
        if report.passed and not dropped:  # counted, and otherwise done with
            leaf: dict[str, Any] = vars(report)["ppteval_leaf"]
            vars(report)["ppteval_leaf"] = {"id": leaf["id"], "shown": leaf["shown"]}
            report.user_properties = []

    def _slim(self, record: dict[str, Any]) -> dict[str, Any]:
        """Without its scored tree, where nobody asks for it: --ppteval-json does, trials do, suites of cases do."""
        if self.options.json or "trial" in record or "suite" in record:
            return record
        return {key: value for key, value in record.items() if key not in ("scored_rubric", "budget")}

    def _received(self, record: dict[str, Any]) -> dict[str, Any]:
        """A task's record; that of a worker on another machine is kept here first, with what its run left."""
        from pytest_ppteval.session.attach import PARCEL

        if PARCEL not in record:
            return record
        from pytest_ppteval.session.run_directory import receive, runs_of

        parcel, runs = record.pop(PARCEL), runs_of(self.config)
        if runs is not None:
            receive(runs, record, parcel)
        return record

    def _forget(self, leaves: list[ShownLeaf]) -> None:
        """Take back the leaves of an attempt that is run again: they are no failures of the session any more."""
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        stats: dict[str, list[object]] = terminal.stats if terminal else {}
        for reports in stats.values():
            reports[:] = [report for report in reports if not any(report is leaf.report for leaf in leaves)]
        if self.session is not None:
            self.session.testsfailed -= sum(leaf.outcome == "failed" for leaf in leaves)

    def _is_ours(self, nodeid: str) -> bool:
        path = nodeid.partition("::")[0]
        if path.endswith(".py"):
            return False
        from pytest_ppteval.case.discover import kind_of

        full, here = self.config.rootpath / path, self.config.invocation_params.dir
        # A file that is named on the command line may be called anything.
        named = any(os.path.abspath(here / one.partition("::")[0]) == str(full) for one in self.config.args)
        return kind_of(full, named=named) is not None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Write the reports once pytest has written its own."""
        if self._agents is not None:
            self._agents.finish()
        yield
        if not self._concerned:
            return
        if session.exitstatus == pytest.ExitCode.OK and not self.tasks and self._asked_for_tasks():
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
        if self.config.option.collectonly:
            return
        junit = getattr(self.config.option, "xmlpath", None)
        if junit and self.tasks:
            from pytest_ppteval.report.junit import rewrite

            each = getattr(self.config.option, "dist", "no") == "each"
            rewrite(junit, self.leaves, self.tasks, strict=self.options.junit_strict, each=each)
        if self.options.json:
            from pytest_ppteval.runs.results import write_results

            write_results(
                self.options.json,
                list(self.tasks.values()),
                self.options.as_data(),
                self.options.model,
                judging_of(self.config),
            )

    def _unmatched(self) -> list[str]:
        """The patterns of --ppteval-leaf that no leaf matches, where that can be told: of all that was judged."""
        stopped = self.session is not None and bool(self.session.shouldstop or self.session.shouldfail)
        if stopped or any(task["verdict"] in ("error", "skipped") for task in self.tasks.values()):
            return []
        judged = {leaf.values[0] for leaves in self.leaves.values() for leaf in leaves}
        return [
            pattern
            for pattern in self.options.leaves
            if not any(name == pattern or fnmatchcase(name, pattern) for name in judged)
        ]

    def _asked_for_tasks(self) -> bool:
        """Whether the command line is about tasks: then none judged is no success."""
        return bool(self.options.rubrics or self.options.leaves or self.options.json) and (
            not self.config.option.collectonly
        )

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The summary of tasks and leaves."""
        if not self._concerned:
            return
        from pytest_ppteval.report.terminal import SUMMARISING, name_in_full

        self.config.stash[SUMMARISING] = True
        name_in_full(terminalreporter.stats)
        if self.tasks:
            from pytest_ppteval.report.terminal import write_summary

            leaves = [{**leaf.record, "nodeid": node} for node, found in self.leaves.items() for leaf in found]
            full = self.options.summary == "full" or self.config.get_verbosity() > 0
            write_summary(terminalreporter, list(self.tasks.values()), leaves, full=full)
            if self._quiet:
                from pytest_ppteval.session.header import sandbox_line

                terminalreporter.write_line(sandbox_line(self.options))
            if self._agents is not None:
                self._agents.write_summary(terminalreporter, self.tasks)
        unmatched = self._unmatched() if not self.config.option.collectonly else []
        if unmatched and (self.tasks or not terminalreporter.stats.get("error")):
            names = ", ".join(map(repr, unmatched))
            terminalreporter.write_line(
                f"ppteval: no check is called {names} in what was collected (--ppteval-leaf)", red=True
            )
        elif not self.tasks and self._asked_for_tasks() and not terminalreporter.stats.get("error"):
            terminalreporter.write_line("ppteval: no task was judged; see the selection on the command line", red=True)
        if self._agents is not None and not self.tasks:  # interrupted before the first verdict
            self._agents.write_kept(terminalreporter)
        if self.options.json and not self.config.option.collectonly:
            terminalreporter.write_line(f"results of each task and leaf: {self.options.json}")
        if not self._narrowed:
            self._write_unclaimed(terminalreporter)
            self._write_untried(terminalreporter)
        self._write_baselines(terminalreporter)
        self._write_unknown_skills(terminalreporter)
        self._write_drawn_wrongly(terminalreporter)
        if self.tasks:
            from pytest_ppteval.report.closing import next_steps

            for line in next_steps([leaf.record for found in self.leaves.values() for leaf in found]):
                terminalreporter.write_line(line, yellow=True)
        judging = judging_of(self.config)
        if judging is not None and judging.asked:
            from pytest_ppteval.report.judging import summary

            terminalreporter.write_line(summary(judging, self.options.model))

    def _write_baselines(self, terminal: pytest.TerminalReporter) -> None:
        """Which tasks were compared with runs that were approved for another version of them; where candidates are."""
        stale = [
            node
            for node, leaves in self.leaves.items()
            if any(
                leaf["kind"] == "baseline" and leaf["reason"].startswith("STALE")
                for leaf in (one.record for one in leaves)
            )
        ]
        if stale:
            names = ", ".join(node.rpartition("::")[2] for node in stale[:5])
            more = f" and {len(stale) - 5} more" if len(stale) > 5 else ""
            terminal.write_line(
                f"compared with STALE baselines: {names}{more} (ppteval baselines says why)", yellow=True
            )
        if self.options.record_baselines and self.tasks:
            several = any(record.get("trials", 1) > 1 for record in self.tasks.values())
            folder = f"{self.options.record_baselines}{'/trial-N (of tasks tried several times)' if several else ''}"
            terminal.write_line(f"candidates for approval: ppteval approve CASE --by NAME --why TEXT --from {folder}")

    def _write_drawn_wrongly(self, terminal: pytest.TerminalReporter) -> None:
        """What the renderer is known to draw wrongly in pictures that leaves looked at, each kind once."""
        from pytest_ppteval.grade.pictures import DRAWN_WRONGLY

        reasons = [one.record["reason"] for leaves in self.leaves.values() for one in leaves]
        told = [line for reason in reasons for line in reason.splitlines() if line.startswith(DRAWN_WRONGLY)]
        notes = [re.sub(r" \((?:slides? [\d, ]+(?: of the original)?(?:, )?)+\)", "", line) for line in told]
        if notes:
            renderer = notes[0].removeprefix(DRAWN_WRONGLY).partition(":")[0].strip()
            kinds = dict.fromkeys(kind for note in notes for kind in note.partition(": ")[2].split("; "))
            leaves = f"{len(notes)} {'check' if len(notes) == 1 else 'checks'}"
            text = f"{leaves} looked at pictures in which {renderer} draws wrongly: {'; '.join(kinds)}"
            terminal.write_line(f"{text}; LibreOffice draws them", yellow=True)

    def _write_unknown_skills(self, terminal: pytest.TerminalReporter) -> None:
        """Skills that were not used and that no SKILL.md is known for: a misspelt one passes every not_skill_used."""
        from pytest_ppteval.grade.rules.finding import STANDS_IN, UNKNOWN_SKILL

        notes = [one.record["details"] for leaves in self.leaves.values() for one in leaves]
        told = [note.removeprefix(UNKNOWN_SKILL) for note in notes if note.startswith(UNKNOWN_SKILL)]
        names = list(dict.fromkeys(note.partition(":")[0].strip() for note in told))
        stand_ins = sum(
            str(one.record["reason"]).startswith(STANDS_IN) for leaves in self.leaves.values() for one in leaves
        )
        if stand_ins:
            terminal.write_line(f"rules that stand in for a judge of a claim in words: {stand_ins} (docs/cases.md)")
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            what = "a skill that no SKILL.md is" if len(names) == 1 else "skills that no SKILL.md is"
            terminal.write_line(f"rules on {what} known for, misspelt? {', '.join(names[:5])}{more}", yellow=True)

    @property
    def _narrowed(self) -> bool:
        """Whether this run is about a selection from its suites."""
        config = self.config
        narrowed = [config.getoption(name, None) for name in ("keyword", "markexpr", "deselect", "lf", "maxfail")]
        named = any("::" in argument for argument in config.invocation_params.args)
        return any(narrowed) or bool(self.options.leaves) or named

    def _write_unclaimed(self, terminal: pytest.TerminalReporter) -> None:
        """Decks that tasks did not find, and decks that no task is called after: a name mistyped?"""
        if self.options.outputs is None or not self.tasks:
            return
        from pytest_ppteval.report.closing import unfound

        for line in unfound(list(self.tasks.values()), self.options.outputs):
            terminal.write_line(line, yellow=True)

    def _write_untried(self, terminal: pytest.TerminalReporter) -> None:
        """What suites of cases leave untried. Said of whole suites only, not of a selection from them."""
        from pytest_ppteval.report.dimensions import tried_by, tried_in, untried

        config = self.config
        if config.option.collectonly:
            items = self.session.items if self.session is not None else []
            found = [tried_by(case, config.rootpath) for item in items if (case := case_of(item)) is not None]
        else:
            found = [tried_in(record, config.rootpath) for record in self.tasks.values()]
        for line in untried([one for one in found if one is not None]):
            terminal.write_line(line, yellow=True)
