"""Puts leaf and task records on pytest's reports, in the process that judged them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.report.leaf import place_of
from pytest_ppteval.report.shown import leaf_properties
from pytest_ppteval.runs.results import task_record, unjudged_record
from pytest_ppteval.session.stash import CURRENT_LEAF, KEYWORDS, PICTURES, TASK_RESULT, Task

if TYPE_CHECKING:
    from pytest_ppteval.report.leaf import LeafRecord


# In a record that comes from another machine: what the run left there.
PARCEL = "parcel"


def attach(item: pytest.Item, task: Task, report: pytest.TestReport) -> None:
    """Add to `report` what it is about: `ppteval_leaf` on a leaf's, `ppteval_task` on the report that ends a task."""
    leaf = item.stash.get(CURRENT_LEAF, None)
    if report.when == "call" and leaf is not None:
        _attach_leaf(report, leaf)
        # Each report gets a copy of its item's keywords, and pytest keeps every report: one copy a task will do.
        report.keywords = item.stash.setdefault(KEYWORDS, report.keywords)
    elif report.when == "call" and TASK_RESULT in item.stash:
        _attach(
            report, "ppteval_task", dict(_judged(item, task) if task.stored is None else _told(item, task, task.stored))
        )
        _point_at(report, task.case.source.path, task.case.source.line)
    elif not report.passed and report.when in ("setup", "call"):
        outcome = "skipped" if report.skipped else "error"
        record = unjudged_record(task.case, outcome, _why(report))
        _attach(report, "ppteval_task", dict(_kept(item, task, {**record, "nodeid": report.nodeid})))
    if report.when == "teardown" and TASK_RESULT in item.stash:
        del item.stash[TASK_RESULT]  # items live as long as the session, and there may be ten thousand


def _why(report: pytest.TestReport) -> str:
    """What went wrong in words, before the traceback where there is one."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return report.longreprtext if crash is None else f"{crash.message}\n{report.longreprtext}"


def _judged(item: pytest.Item, task: Task) -> Mapping[str, Any]:
    from pytest_ppteval.picture.source import renderer_of
    from pytest_ppteval.session.process import sandbox_of

    record = task_record(
        item.stash[TASK_RESULT],
        level=str(sandbox_of(item.config).level),
        renderer=renderer_of(item.stash.get(PICTURES, {}).values()),
    )
    return _kept(item, task, {**record, "nodeid": item.nodeid})


def _told(item: pytest.Item, task: Task, stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record of a session before; of another verdict where only some of its leaves are asked for now."""
    result, trial = item.stash[TASK_RESULT], task.trial
    # The session may go on with another number of trials.
    trials = {"nodeid": item.nodeid, "trial": trial.number, "trials": trial.planned, "require": trial.require}
    if result.verdict.outcome != "none":
        return {**stored, **trials}
    record = task_record(result, level=stored["sandbox"], renderer=stored["renderer"])
    return {**stored, **record, **trials}


def _kept(item: pytest.Item, task: Task, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record as it goes to the journal, in a session that is kept or tries its tasks several times."""
    from pytest_ppteval.session.obtain import keep, parcel_of
    from pytest_ppteval.session.run_directory import runs_of

    if runs_of(item.config) is None and task.trial.planned == 1:
        return record
    kept = keep(item, task.case, record)
    parcel = parcel_of(item)
    return kept if parcel is None else {**kept, PARCEL: parcel}


def _attach_leaf(report: pytest.TestReport, leaf: LeafRecord) -> None:
    _attach(report, "ppteval_leaf", dict(leaf))
    report.duration = leaf["seconds"]
    report.user_properties = leaf_properties(leaf)
    # Annotations and folded skips point at the rubric's file, not at a line of this package.
    _point_at(report, *place_of(leaf))


def _point_at(report: pytest.TestReport, file: str, line: int) -> None:
    _, _, name = report.location
    report.location = (file, line - 1, name)
    if isinstance(report.longrepr, tuple):
        report.longrepr = (file, line, report.longrepr[2])


def _attach(report: pytest.TestReport, name: str, value: dict[str, object]) -> None:
    setattr(report, name, value)
