"""Results as JSON: one record a task, with its scored tree in PPT-Eval's form (case/schema/results.schema.json)."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from pytest_ppteval.files.whole import write_json
from pytest_ppteval.rubric.result import Usage
from pytest_ppteval.rubric.score import NOT_SELECTED, ScoredNode
from pytest_ppteval.runs.usage import session_record, usage_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.model.settings import ModelSettings
    from pytest_ppteval.rubric.tree import Source
    from pytest_ppteval.verify import TaskResult

SCHEMA_VERSION = 1
Record = dict[str, Any]


class Place(TypedDict):
    """Where something is written; line and column count from 1."""

    file: str
    line: int
    column: int


def task_record(result: TaskResult, *, level: str, renderer: str | None = None) -> Record:
    """A judged task. `level` is the sandbox's; `renderer` made the pictures that it was judged by, if any."""
    verdict, rules = result.verdict, result.rules
    return {
        **_identity(result.case),
        "verdict": verdict.outcome,
        "score": verdict.score,
        "low": verdict.low,
        "high": verdict.high,
        "reasons": list(verdict.reasons),
        "threshold": rules.threshold,
        "strategy": rules.strategy,
        "non_critical_weight": rules.non_critical_weight,
        "unscored": rules.unscored,
        "sandbox": level,
        "renderer": renderer,
        "seconds": sum(leaf.seconds for leaf in result.results.values()),
        "scored_rubric": {"root": node_record(result.tree), "metadata": dict(result.case.rubric.metadata)},
        "budget": [node_record(gate) for gate in result.gates],
        "judging": usage_record(sum((leaf.usage for leaf in result.results.values()), Usage())),
    }


def unjudged_record(case: Case, outcome: str, reason: str) -> Record:
    """A task that never came to be judged: its set-up failed ("error") or it was skipped ("skipped")."""
    from pytest_ppteval.rubric.score import score_leaf, score_tree

    return {
        **_identity(case),
        "verdict": outcome,
        "score": None,
        "low": 0.0,
        "high": 1.0,
        "reasons": [reason],
        "scored_rubric": {
            "root": node_record(score_tree(case.rubric, {})),
            "metadata": dict(case.rubric.metadata),
        },
        "budget": [node_record(score_leaf(leaf, None)) for leaf in case.rubric.leaves if leaf.is_gate],
    }


def lost_record(nodeid: str, reason: str) -> Record:
    """A task of which only the node id is left, its worker having died."""
    file, _, task = nodeid.partition("::")
    return {
        "task_id": task,
        "nodeid": nodeid,
        "file": file,
        "verdict": "error",
        "score": None,
        "low": 0.0,
        "high": 1.0,
        "reasons": [reason],
    }


def _identity(case: Case) -> Record:
    facts = case.facts
    own = {} if facts is None else {"suite": case.suite, "scenario": facts.scenario, "polarity": facts.polarity}
    return {
        **own,
        "task_id": case.id,
        "goal": case.goal,
        "difficulty": case.difficulty,
        "tags": list(case.tags),
        "file": case.source.path,
        "line": case.source.line,
    }


def node_record(tree: ScoredNode) -> Record:
    """A scored node and all below it, as PPT-Eval's scored_rubric.json has them, and more. Not recursive."""
    done: dict[int, Record] = {}
    stack: list[tuple[ScoredNode, bool]] = [(tree, False)]
    while stack:
        scored, below_done = stack.pop()
        if scored.children and not below_done:
            stack.append((scored, True))
            stack.extend((child, False) for child in scored.children)
            continue
        done[id(scored)] = _node(scored, [done[id(child)] for child in scored.children])
    return done[id(tree)]


def _node(scored: ScoredNode, children: list[Record]) -> Record:
    node = scored.node
    record: Record = {
        "name": node.name,
        "description": node.description,
        "is_critical": node.is_critical,
        "metadata": dict(node.metadata),
        "score": scored.score,
        "reason": scored.reason,
        "status": scored.status,
        "low": scored.low,
        "high": scored.high,
        "file": node.source.path,
        "line": node.source.line,
    }
    if not scored.applies:
        record["applies"] = False
    if scored.children:
        record["seconds"] = sum(child["seconds"] for child in children)
        record["children"] = children
        return record
    result = scored.result
    record["seconds"] = result.seconds if result else 0.0
    record["leaf_id"] = scored.leaf.id if scored.leaf else node.name
    record["selected"] = scored.reason != NOT_SELECTED or result is not None
    if node.scorer is not None:
        record["scorer"] = {"type": node.scorer.type, **node.scorer.args}
    if result is not None and (result.usage.asked or result.usage.votes):
        record["judging"] = usage_record(result.usage)
    if result is not None and result.common:
        record["common"] = True
    if result is not None and result.output:
        record["output"] = result.output
    if result is not None and result.traceback:
        record["traceback"] = result.traceback
    if result is not None and result.error_at is not None:
        record["error_at"] = place_record(result.error_at)
    if result is not None and result.details:
        record["details"] = result.details
    return record


def place_record(source: Source | None) -> Place | None:
    """A place as builtins."""
    return None if source is None else Place(file=source.path, line=source.line, column=source.column)


def summarise(records: Iterable[Mapping[str, Any]]) -> Record:
    """Counts by verdict, bounds on the mean score, and the strict successes, of tasks that got a verdict."""
    judged = [record for record in records if record["verdict"] not in ("none", "skipped")]
    verdicts = [record["verdict"] for record in judged]
    count = len(judged)
    return {
        "tasks": count,
        "passed": verdicts.count("passed"),
        "failed": verdicts.count("failed"),
        "undetermined": verdicts.count("undetermined"),
        "error": verdicts.count("error"),
        "mean_score_low": sum(record["low"] for record in judged) / count if count else None,
        "mean_score_high": sum(record["high"] for record in judged) / count if count else None,
        # PPT-Eval's success: a score of exactly 1. What is open may become one.
        "strict_successes": sum(record["low"] == 1 and record["verdict"] == "passed" for record in judged),
        "strict_successes_possible": sum(
            record["high"] == 1 and record["verdict"] in ("passed", "undetermined", "error") for record in judged
        ),
    }


def write_results(
    path: Path, tasks: list[Record], options: Mapping[str, Any], model: ModelSettings, judging: Usage | None
) -> None:
    """Write the results of a session to `path`, in whole or not at all.

    options: the run's, as JSON. judging: what the whole session asked of models; None where that is nothing.
    """
    from pytest_ppteval import __version__
    from pytest_ppteval.runs.records import task_part

    document = {
        "schema_version": SCHEMA_VERSION,
        "ppteval_version": __version__,
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "options": dict(options),
        "summary": summarise(tasks),
        "judging": session_record(judging or Usage(), model),
        "tasks": sorted(map(task_part, tasks), key=lambda task: (task["file"], task.get("line", 0), task["nodeid"])),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, document)
