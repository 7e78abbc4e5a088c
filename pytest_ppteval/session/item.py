"""Leaves become subtests: a task as pytest's item."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.prose.shown import hanging, quoted
from pytest_ppteval.report.leaf import LeafRecord, headline, judged_leaves, leaf_record
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.runs.records import results_of
from pytest_ppteval.session.process import options_of
from pytest_ppteval.session.selection import selected_leaves
from pytest_ppteval.session.stash import CURRENT_LEAF, TASK, TASK_RESULT, Task
from pytest_ppteval.verify import TaskResult, conclude, settle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.session.trials import Trial

# How leaves without a score are shown.
UNSCORED = ("unscored", "not applicable")

FAILED_SUBTESTS: pytest.StashKey[Any] = getattr(
    sys.modules.get("_pytest.subtests"), "failed_subtests_key", pytest.StashKey()
)


class LeafShort(AssertionError):  # noqa: N818 - shown to people as a kind of assertion
    """A leaf that falls short or could not be judged; its text says it all, without a traceback of ours."""


class TaskFailed(AssertionError):  # noqa: N818
    """A task that fails."""


class TaskUndetermined(AssertionError):  # noqa: N818
    """A task on which nothing can be said: leaves are unscored or in error."""


class TaskItem(pytest.Function):
    """One task. Its leaves are judged first, all of them, and reported as subtests after."""

    def __init__(self, *, trial: Trial, stored: Mapping[str, Any] | None = None, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.trial = trial
        # What a session before came to, where that still holds.
        self.stored = stored
        # Since 9.2 ids are structured, and one that is parsed back from text (in reports, in the cache) takes a "[" in
        # a name for parameters. The item's own must equal it, or --lf and the progress count know the task twice.
        parse = getattr(type(getattr(self, "_id", None)), "parse", None)
        if parse is not None:
            self._id = parse(self.nodeid)
        self.case: Case = self.function.ppteval_case
        self.stash[TASK] = Task(self.case, trial, stored)
        # The JUnit rewrite finds our test cases by this property; it is there even when a task is aborted.
        self.user_properties.append(("ppteval.task", self.nodeid))
        self.extra_keyword_matches.update(leaf.id for leaf in self.case.rubric.leaves)

    def judge(self, request: pytest.FixtureRequest) -> None:
        """Judge the selected leaves, report each as a subtest, and raise what the verdict asks for."""
        del self.user_properties[1:]  # a rerun must not add to the numbers of the attempt before it
        leaves = selected_leaves(self)
        if self.stored is None:
            results, aborted = self._grade(request, leaves)
        else:
            results, aborted = results_of(self.stored), None
            results = {leaf.id: results[leaf.id] for leaf in leaves if leaf.id in results}
        rules = options_of(self.config).rules(self.case)
        result = conclude(self.case, results, rules, complete=len(leaves) == len(self.case.rubric.leaves))
        self.stash[TASK_RESULT] = result
        records = [leaf_record(node, result) for node in judged_leaves(result)]
        self._report(request, records)
        self.user_properties += [
            ("ppteval.verdict", result.verdict.outcome),
            ("ppteval.score_low", result.verdict.low),
            ("ppteval.score_high", result.verdict.high),
            ("ppteval.threshold", rules.threshold),
        ]
        if aborted is not None:
            raise TaskUndetermined(f"judging was cut short: {aborted}\n{result.verdict}") from None
        self._keep(request, result, records)
        raise_verdict(result, records, tolerated=self.trial.tolerated)

    def _grade(
        self, request: pytest.FixtureRequest, leaves: Sequence[Leaf]
    ) -> tuple[dict[str, LeafResult], BaseException | None]:
        """Each leaf's result, and the exception that cut judging short, if one did (pytest-timeout's, say)."""
        from pytest_ppteval.grade import grade
        from pytest_ppteval.session.evidence import evidence_for, means_for
        from pytest_ppteval.session.lookahead import look_ahead

        results: dict[str, LeafResult] = {}
        evidence, means = evidence_for(request), means_for(request)
        evidence.leaves = leaves
        look_ahead(self, evidence)
        for leaf in leaves:
            try:
                results[leaf.id] = grade(leaf, evidence, means)
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException as error:
                results[leaf.id] = LeafResult(status="error", reason=f"judging was cut short: {error}")
                for rest in leaves[len(results) :]:
                    results[rest.id] = LeafResult(status="unscored", reason="not judged: the task was cut short")
                return results, error
        return settle(leaves, results, evidence, self.config.rootpath), None

    def _keep(self, request: pytest.FixtureRequest, result: TaskResult, records: Sequence[LeafRecord]) -> None:
        """Record the run as a candidate for approval, if this session does that."""
        options = options_of(self.config)
        if options.record_baselines is None or self.stored is not None:
            return
        from pytest_ppteval.baseline.approve import record_candidate
        from pytest_ppteval.session.evidence import evidence_for

        judged = {
            "verdict": result.verdict.outcome,
            "low": result.verdict.low,
            "high": result.verdict.high,
            "short": [record["id"] for record in records if record["shown"] in ("failed", "error", "unscored")],
        }
        folder = options.record_baselines
        if self.trial.planned > 1:
            folder /= f"trial-{self.trial.number}"  # or the last one would take the place of the others
        record_candidate(folder, options.baselines, evidence_for(request), judged)

    def _report(self, request: pytest.FixtureRequest, records: Sequence[LeafRecord]) -> None:
        subtests: pytest.Subtests = request.getfixturevalue("subtests")
        # What fails comes first: some readers keep only the first report of a test.
        for record in sorted(records, key=lambda r: not is_told(r)):
            self.stash[CURRENT_LEAF] = record
            try:
                with subtests.test(record["id"]):
                    if record["shown"] in UNSCORED:
                        pytest.skip(hanging(record["reason"]))
                    if is_told(record) and (record["shown"] == "error" or not self.trial.tolerated):
                        raise LeafShort(headline(record))
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException:
                pass
            finally:
                self.stash[CURRENT_LEAF] = None
        # The task fails by its own verdict. Core would fail it for leaves of an attempt that was run again, too.
        failed_subtests: dict[Any, int] = self.config.stash.get(FAILED_SUBTESTS, {})
        failed_subtests.pop(getattr(self, "id", self.nodeid), None)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the task is written, and how failures are headed.

        Not by the bare name: the terminal takes dots in it for a class and its methods (v1.2 would show as v1::2).
        """
        return self.path, self.case.source.line - 1, f"task {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # str or a repr of core's
        """Our own outcomes in words, without a Python traceback."""
        if isinstance(excinfo.value, LeafShort):
            record = self.stash.get(CURRENT_LEAF, None)
            if record is not None:
                return leaf_text(record)
        if isinstance(excinfo.value, LeafShort | TaskFailed | TaskUndetermined):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def is_told(record: LeafRecord) -> bool:
    """Whether a leaf is reported as one that falls short: not where that has one cause, which its task tells."""
    return record["shown"] in ("failed", "error") and not record["common"]


def raise_verdict(result: TaskResult, records: Sequence[LeafRecord], *, tolerated: bool = False) -> None:
    """Fail, skip or pass the task's own test as its verdict says.

    tolerated: it is a trial that may fail: what its task comes to is told once all trials are in.
    """
    verdict = result.verdict
    lines = [str(verdict), *(f"  {hanging(reason)}" for reason in verdict.reasons)]
    text = "\n".join(lines)
    in_error = [record for record in records if record["shown"] == "error"]
    errors = [record for record in in_error if not record["common"]]
    if verdict.outcome == "failed":
        if tolerated:
            return
        raise TaskFailed(text)
    if verdict.outcome == "none":
        common = next((record for record in records if record["common"]), None)
        if common is not None:
            raise (TaskUndetermined if common["shown"] == "error" else TaskFailed)(hanging(common["reason"]))
        if errors:
            names = ", ".join(record["id"] for record in errors)
            raise TaskUndetermined(f"of the {len(records)} selected leaves in error: {names} (no verdict on the task)")
        short = [record for record in records if record["shown"] == "failed"]
        if short:
            raise TaskFailed(f"{len(short)} of the {len(records)} selected leaves fall short (no verdict on the task)")
        if records and all(record["shown"] in UNSCORED for record in records):
            pytest.skip("no selected leaf could be scored")
        return
    if in_error:
        names = f"\n  in error: {', '.join(r['id'] for r in errors)}" if errors else ""
        raise TaskUndetermined(f"{text}{names}")
    if verdict.outcome == "undetermined":
        if result.rules.unscored == "allow":
            pytest.skip(text)
        raise TaskUndetermined(text)


def leaf_text(record: LeafRecord) -> str:
    """A leaf that falls short, for people: where it stands, what it is, its score and reason, what its code said."""
    at = record["error_at"]
    place = f"{at['file']}:{at['line']}:{at['column']}" if at else f"{record['file']}:{record['line']}"
    lines = [headline(record), f"{place}: {record['id']}"]
    if record["traceback"]:
        lines += ["", record["traceback"].rstrip()]
    if record["details"]:
        heading = "what changed in the deck:" if record["kind"] == "function" else "details:"
        lines += ["", heading, *(f"  {line}" for line in record["details"].splitlines())]
    if record["output"]:
        lines += ["", "printed by the leaf:", quoted(record["output"])]
    return "\n".join(lines)
