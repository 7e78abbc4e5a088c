"""A run directory in PPT-Eval's own result layout, for tools that read that one.

Each task gets a folder by its id, with result_evaluate.json, scored_rubric.json, the deck as <id>_<digits>.pptx, and
actions.json where there is a trace; benchmark_summary.json sums up. What that layout has no place for lies beside it
(trace, response, metrics, workspace), so that the folder can be judged again as --ppteval-outputs.
"""

from __future__ import annotations

import datetime
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.paths import id_problem
from pytest_ppteval.evidence.run import RESPONSES, WORKSPACE, Lacking, Run
from pytest_ppteval.files.plain import NotPlain, apart, is_folder, open_plain
from pytest_ppteval.files.whole import copy_tree, write_json
from pytest_ppteval.runs.folder import RunFolder
from pytest_ppteval.runs.journal import key_of, read
from pytest_ppteval.runs.reference import INFRASTRUCTURE, RESULT, SCORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.runs.journal import Record

DECK = "output.pptx"
ACTIONS = "actions.json"
SUMMARY = "benchmark_summary.json"
# agent.json's status in PPT-Eval's words.
_STATUS = {"finished": "success", "failed": "error", "timeout": "timeout", "infrastructure": INFRASTRUCTURE}
_NODE = ("name", "description", "is_critical", "metadata", "score", "reason")


class ExportError(ValueError):
    """A run that can't be exported; each problem is a line of its text."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written. folders: one for each trial, each a results folder. notes: what the reader should know."""

    folders: tuple[Path, ...]
    tasks: int
    notes: tuple[str, ...]


def export(path: Path, into: Path) -> Exported:
    """Write the run directory `path` to the new folder `into`, which is there in whole or not at all.

    PPT-Eval tries a task once. A run with several trials becomes a results folder for each, `into`/trial-<n>.
    Raises ExportError, RunFolderError for a path that is no run directory, OSError.
    """
    run = RunFolder.open(path)
    journal = read(path)
    records = [record for record in journal.records.values() if record["verdict"] not in ("skipped", "none")]
    problems = [*journal.problems, *_taken(records)]
    problems += [f"{r['nodeid']}: {why}" for r in records if (why := id_problem(r["task_id"])) is not None]
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        problems.append(f"{into} is there already and not empty: name a new folder")
    if into.resolve() == path.resolve() or path.resolve() in into.resolve().parents:
        problems.append(f"{into} is in the run: name a folder elsewhere")
    if not records and not problems:
        problems.append(f"{path}: nothing was judged in this run")
    if problems:
        raise ExportError("\n".join(problems))
    trials = sorted({record["trial"] for record in records})
    several = any(record["trials"] > 1 for record in records)
    into.parent.mkdir(parents=True, exist_ok=True)
    fresh = into.with_name(f".{into.name[:100]}.{os.getpid()}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    notes: list[str] = []
    try:
        for trial in trials:
            own = [record for record in records if record["trial"] == trial]
            notes += _write_trial(run, own, fresh / f"trial-{trial}" if several else fresh)
        if into.exists():
            into.rmdir()
        fresh.rename(into)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    folders = tuple(into / f"trial-{trial}" if several else into for trial in trials)
    skipped = len(journal.records) - len(records)
    if skipped:
        notes.append(
            f"{skipped} {'record' if skipped == 1 else 'records'} without a verdict (skipped, judged in part) left out"
        )
    return Exported(folders, len({key_of(record)[0] for record in records}), tuple(notes))


def _taken(records: Sequence[Record]) -> list[str]:
    """Tasks of one id: the layout has one folder for it. Some file systems take two cases of a letter for one, too."""
    first: dict[tuple[str, int], str] = {}
    found = []
    for record in records:
        task, trial = key_of(record)
        other = first.setdefault((record["task_id"].casefold(), trial), task)
        if other != task:
            found.append(
                f"task id {record['task_id']!r} is there twice, as {other} and as {task}: PPT-Eval's layout has one "
                "folder for it; run and export them apart"
            )
    return list(dict.fromkeys(found))


def _write_trial(run: RunFolder, records: Sequence[Record], into: Path) -> list[str]:
    into.mkdir(parents=True)
    notes: list[str] = []
    results = []
    for record in sorted(records, key=lambda one: (one["file"], one.get("line", 0), one["nodeid"])):
        folder = into / record["task_id"]
        folder.mkdir()
        kept = run.locate(record["folder"])
        steps = None
        if kept is None or not is_folder(kept):
            notes.append(f"{record['nodeid']}: what the agent left is not in the run")
        else:
            notes += _copy_kept(kept, record, folder)
            steps = _write_actions(kept, record, folder)
        result = _result(record, steps)
        results.append(result)
        write_json(folder / RESULT, result)
        if "scored_rubric" in record:
            tree = record["scored_rubric"]
            write_json(folder / SCORED, {"root": _node(tree["root"]), "metadata": tree["metadata"]})
    write_json(into / SUMMARY, _summary(run, results))
    return notes


def _result(record: Record, steps: int | None) -> dict[str, Any]:
    status = _STATUS[record["run"]["status"]] if record["run"] else "success" if record["complete"] else INFRASTRUCTURE
    root = record.get("scored_rubric", {}).get("root", {})
    # A task judged in full has one score; gates (budgets) are not PPT-Eval's, so that its success is the score alone.
    score = record["score"] if record["complete"] else None
    return {
        "task_id": record["task_id"],
        "goal": record.get("goal", ""),
        "success": score == 1,
        "score": score,
        "reason": "\n".join(record["reasons"]) or root.get("reason", ""),
        "execution_status": status,
        "verification_status": "success" if score is not None else "error",
        "agent_steps": steps,
        "evaluation_time_seconds": record.get("seconds"),
    }


def _node(node: dict[str, Any]) -> dict[str, Any]:
    """A scored node as PPT-Eval has it, without what is this package's own. Recursive: JSON is nested no deeper."""
    own = {name: node[name] for name in _NODE}
    if "children" in node:
        return {**own, "children": [_node(child) for child in node["children"]]}
    return {**own, "scorer": node["scorer"]}


def _copy_kept(kept: Path, record: Record, folder: Path) -> list[str]:
    """The deck and what lies beside the layout."""
    left: list[str] = []
    stamp = int(datetime.datetime.fromisoformat(record["finished"]).timestamp())
    beside = [path.name for path in sorted(kept.iterdir()) if path.name.startswith("trace.")]
    for name in (DECK, *beside, *RESPONSES, "metrics.json"):
        copy = f"{record['task_id']}_{stamp}.pptx" if name == DECK else name
        base, start = apart(kept)
        try:
            with open_plain(base, start + name) as file, open(folder / copy, "wb") as written:
                shutil.copyfileobj(file, written)
        except NotPlain as problem:
            left += [f"{name} {problem.why}"] if problem.there else []
    if os.path.lexists(kept / WORKSPACE):
        told = copy_tree(kept / WORKSPACE, folder / WORKSPACE, links=False)
        left += [f"{WORKSPACE}/{one}" for one in told]
    return [f"{record['nodeid']}: not copied: {one}" for one in left]


def _write_actions(kept: Path, record: Record, folder: Path) -> int | None:
    """actions.json from the trace; the number of steps, None where no trace says it."""
    trace = Run(kept, record["task_id"]).trace
    if isinstance(trace, Lacking):
        return None
    actions = []
    for number, step in enumerate(trace.steps, 1):
        took = None if step.started is None or step.ended is None else step.ended - step.started
        actions.append(
            {
                "step": number,
                "timestamp": step.started,
                "action_type": step.tool,
                "params": step.args if step.args is not None else {},
                "reasoning": "",
                "duration_ms": None if took is None else round(took * 1000, 3),
            }
        )
    write_json(folder / ACTIONS, actions)
    return len(actions)


def _summary(run: RunFolder, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    facts = run.facts()
    scores = [result["score"] for result in results if result["score"] is not None]
    steps = [result["agent_steps"] for result in results if result["agent_steps"] is not None]
    successes = sum(result["success"] for result in results)
    return {
        "benchmark_info": {
            "agent": facts.get("agent"),
            "models": facts.get("models", {}),
            "started": facts["started"],
            "ended": facts.get("ended"),
            "exported_from": "pytest-ppteval",
        },
        "overall_stats": {
            "total_tasks": len(results),
            "scored_tasks": len(scores),
            "successful_tasks": successes,
            "success_rate": successes / len(results),
            # Of what has a score: a task that could not be judged is no 0.
            "avg_score": sum(scores) / len(scores) if scores else None,
            "avg_steps": sum(steps) / len(steps) if steps else None,
        },
        "task_results": list(results),
    }
