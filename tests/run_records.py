"""Records and run directories for the tests of runs/: judged by the real scoring, without an agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.folder import load_rubric_case
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.runs.facts import FORMAT, versions
from pytest_ppteval.runs.folder import RunFolder
from pytest_ppteval.runs.journal import append
from pytest_ppteval.runs.records import journal_record
from pytest_ppteval.runs.results import task_record
from pytest_ppteval.verify import Rules, conclude

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.case.model import Case

Json = dict[str, Any]
CODE = "def compute_score():\n    return 'x', 1.0\n"


def make_case(folder: Path, name: str, *leaves: str, code: str = CODE, **metadata: Any) -> Case:
    """A task with the given leaves; the first one is critical."""
    children = [
        {"name": leaf, "is_critical": leaf == leaves[0], "scorer": {"type": "function", "function_code": code}}
        for leaf in leaves
    ]
    path = folder / f"{name}.rubric.json"
    path.write_text(json.dumps({"root": {"name": "all", "children": children}, "metadata": metadata}), "utf-8")
    return load_rubric_case(path)


def scores(**found: float | None) -> dict[str, LeafResult]:
    """Results of leaves by score; None is unscored."""
    return {
        name: LeafResult(status="unscored", reason="no model")
        if score is None
        else LeafResult(status="scored", score=score, reason=f"it is {score}", seconds=0.25)
        for name, score in found.items()
    }


def make_record(
    case: Case, results: Mapping[str, LeafResult], trial: int = 1, trials: int = 1, require: int = 1, **more: Any
) -> Json:
    """What the journal holds of a judged trial."""
    task = task_record(conclude(case, results, Rules()), level="full")
    name = f"{case.id}[trial-{trial}]" if trials > 1 else case.id
    more = {"finished": "2026-03-01T10:00:00+00:00", **more}
    return journal_record(
        {**task, "file": "cases/tasks.json", "nodeid": f"cases/tasks.json::{name}"},
        trial=trial,
        trials=trials,
        require=require,
        **more,
    )


def make_run(path: Path, *records: Json, **facts: Any) -> RunFolder:
    """A run directory with these records; each that names a folder gets one with a deck and a trace in it."""
    started = {"started": "2026-03-01T09:00:00+00:00", "ended": "2026-03-01T11:00:00+00:00"}
    folder = RunFolder.create(path, {"format": FORMAT, "versions": versions(), **started, **facts})
    for record in records:
        if record["folder"] is not None:
            kept = path / record["folder"]
            (kept / "workspace").mkdir(parents=True, exist_ok=True)
            (kept / "output.pptx").write_bytes(f"deck of {record['nodeid']}".encode())
            (kept / "workspace" / "notes.txt").write_text(record["task_id"], "utf-8")
            (kept / "metrics.json").write_text('{"seconds": 12.5, "tool_calls": 2}', "utf-8")
            (kept / "agent.json").write_text('{"format": 1, "status": "finished"}', "utf-8")
            step = {"step": 1, "timestamp": 1.5, "action_type": "look", "params": {"slide": 1}, "duration_ms": 20}
            (kept / "trace.json").write_text(json.dumps([step, step | {"step": 2, "timestamp": 2.5}]), "utf-8")
        append(path, record)
    return folder
