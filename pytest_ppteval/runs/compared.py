"""Kept runs as compare/ takes them: this package's run directories, and PPT-Eval's results folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.compare.model import Leaf, Run, Task
from pytest_ppteval.evidence.outputs import read_metrics
from pytest_ppteval.rubric.trials import Trial, gather
from pytest_ppteval.runs.journal import key_of
from pytest_ppteval.runs.judged import trials_by_task
from pytest_ppteval.runs.records import leaves_of
from pytest_ppteval.runs.stored import open_stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_ppteval.runs.folder import RunFolder
    from pytest_ppteval.runs.journal import Record
    from pytest_ppteval.runs.reference import Reference, ReferenceRun


def read_run(path: Path) -> Run:
    """The run kept in `path`. Raises RunFolderError where none is."""
    stored = open_stored(path)
    if stored.run is None:
        assert stored.reference is not None
        return _of_reference(path.name or str(path), stored.reference)
    facts = stored.run.facts()
    notes = [*stored.problems]
    if stored.torn:
        notes.append(
            f"{stored.torn} unfinished {'line' if stored.torn == 1 else 'lines'} of a killed session passed over"
        )
    if facts.get("ended") is None:
        notes.append("it has no end: its session was killed, or still runs")
    return Run(
        path.resolve().name,
        tasks_of(stored.run, list(stored.records.values())),
        facts.get("agent"),
        bool(facts.get("options", {}).get("no_skill")),
        tuple(notes),
    )


def tasks_of(run: RunFolder, records: Sequence[Record]) -> dict[str, Task]:
    """The tasks that were judged in whole, by name."""
    by_task: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: record["trial"]):
        if record["verdict"] not in ("skipped", "none"):
            by_task.setdefault(key_of(record)[0], []).append(record)
    return {
        name: Task(
            name,
            by_task[name][0]["task_id"],
            trials,
            tuple(dict(_leaves(record)) for record in by_task[name]),
            tuple(metrics_of_record(run, record) for record in by_task[name]),
            by_task[name][0].get("scenario"),
            by_task[name][0].get("polarity") or "positive",
        )
        for name, trials in trials_by_task(records).items()
    }


def metrics_of_record(run: RunFolder, record: Mapping[str, object]) -> dict[str, float]:
    """What a trial's agent took: by the metrics that its run left, else by the clock; empty where nothing is known."""
    folder, told = record.get("folder"), record.get("run")
    where = run.locate(folder) if isinstance(folder, str) else None
    metrics, _ = read_metrics(where / "metrics.json") if where is not None else ({}, None)
    if "seconds" not in metrics and isinstance(told, dict) and "seconds" in told:
        metrics = {**metrics, "seconds": told["seconds"]}
    return metrics


def _leaves(record: Mapping[str, object]) -> Iterator[tuple[str, Leaf]]:
    gates = {id(gate) for gate in record.get("budget", ())}  # type: ignore[attr-defined]
    for leaf in leaves_of(record):
        if leaf["selected"] and leaf.get("applies", True):
            rule = leaf["scorer"].get("rule")
            critical = leaf["is_critical"] or id(leaf) in gates
            yield leaf["leaf_id"], Leaf(leaf["score"], critical, rule if isinstance(rule, str) else None)


def _of_reference(name: str, reference: Reference) -> Run:
    tasks = {task_id: _reference_task(task_id, run) for task_id, run in reference.runs.items()}
    return Run(name, tasks, notes=reference.problems)


def _reference_task(task_id: str, run: ReferenceRun) -> Task:
    judged = run.judged
    if judged is None or not run.complete:
        return Task(task_id, task_id, gather([Trial(1, "open")], planned=1, require=1))
    outcome = judged.outcome
    trial = Trial(
        1, "passed" if outcome == "passed" else "failed" if outcome == "failed" else "open", judged.low, judged.high
    )
    return Task(
        task_id,
        task_id,
        gather([trial], planned=1, require=1),
        ({leaf: Leaf(score) for leaf, score in judged.leaves.items()},),
    )
