"""Journal records: made of a task's record and facts of its run, and read back into what was judged."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_ppteval.rubric.result import LeafResult, Usage, Votes
from pytest_ppteval.rubric.tree import Source
from pytest_ppteval.runs.facts import FORMAT, utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.trials import LeafOutcome, Trial, TrialOutcome
    from pytest_ppteval.verify import Rules

Record = dict[str, Any]
Node = dict[str, Any]

# What a journal adds to a task's record.
OWN = (
    *("format", "trial", "trials", "require", "agent", "folder", "finished", "complete", "run"),
    *("rubric_hash", "task_hash", "previous"),
)


def journal_record(
    task: Mapping[str, Any],
    *,
    trial: int = 1,
    trials: int = 1,
    require: int = 1,
    agent: str | None = None,
    folder: str | None = None,
    run: Mapping[str, Any] | None = None,
    hashes: Mapping[str, str] | None = None,
    previous: Mapping[str, Any] | None = None,
    complete: bool | None = None,
    finished: str | None = None,
) -> Record:
    """The line for a judged trial.

    task: as runs.results makes it, with the node id. trial: from 1, of `trials`, `require` of which must pass.
    folder: of its artifacts, relative to the run directory. run: its agent.json. hashes: see hashes_for.
    previous: what the judgement came to whose place this one takes in a re-scoring: before(record), or Stored.before.
    complete: whether a resumed session need not run the agent again; by its status, unless said. finished: now.
    """
    hashes = hashes or {}
    return {
        **task,
        "format": FORMAT,
        "trial": trial,
        "trials": trials,
        "require": require,
        "agent": agent,
        "folder": folder,
        "finished": finished or utc_now(),
        "complete": is_complete(task, run) if complete is None else complete,
        "run": None if run is None else dict(run),
        "rubric_hash": hashes.get("rubric_hash"),
        "task_hash": hashes.get("task_hash"),
        "previous": None if previous is None else dict(previous),
    }


def is_complete(task: Mapping[str, Any], run: Mapping[str, Any] | None) -> bool:
    """Whether the agent did its part, well or badly: not after infrastructure trouble, nor where it never began."""
    if run is not None:
        return bool(run["status"] != "infrastructure")
    return task["verdict"] not in ("error", "skipped")


def task_part(record: Mapping[str, Any]) -> Record:
    """A journal record as runs.results has tasks."""
    return {name: value for name, value in record.items() if name not in OWN}


def before(record: Mapping[str, Any]) -> Record:
    """What a record came to, for the one that takes its place."""
    return {
        "verdict": record["verdict"],
        "low": record["low"],
        "high": record["high"],
        "threshold": record.get("threshold"),
        "strategy": record.get("strategy"),
        "rubric_hash": record.get("rubric_hash"),
        "finished": record.get("finished"),
        "leaves": {leaf["leaf_id"]: leaf["score"] for leaf in leaves_of(record) if leaf["selected"]},
    }


def leaves_of(record: Mapping[str, Any]) -> Iterator[Node]:
    """The leaves of a record's scored tree in the order of the rubric, those that were not judged too; budgets last."""
    tree = record.get("scored_rubric")
    stack: list[Node] = [*reversed(record.get("budget", ())), *([tree["root"]] if tree else [])]
    while stack:
        node = stack.pop()
        if "children" in node:
            stack.extend(reversed(node["children"]))
        else:
            yield node


def results_of(record: Mapping[str, Any]) -> dict[str, LeafResult]:
    """What each judged leaf came to, by leaf id, as it was judged then; verify.conclude makes a verdict of it again."""
    return {leaf["leaf_id"]: _result(leaf) for leaf in leaves_of(record) if leaf["selected"]}


def _result(leaf: Node) -> LeafResult:
    at = leaf.get("error_at")
    return LeafResult(
        status=leaf["status"],
        score=leaf["score"],
        applies=leaf.get("applies", True),
        common=leaf.get("common", False),
        reason=leaf["reason"],
        seconds=leaf["seconds"],
        output=leaf.get("output", ""),
        traceback=leaf.get("traceback", ""),
        error_at=None if at is None else Source(at["file"], at["line"], at["column"]),
        details=leaf.get("details", ""),
        usage=_usage(leaf.get("judging")),
    )


def _usage(judging: Mapping[str, Any] | None) -> Usage:
    if judging is None:
        return Usage()
    counts = {name: judging[name] for name in ("live", "failed", "replayed", "missing", "unpriced")}
    tokens = {name: judging[name] for name in judging if name.endswith("_tokens")}
    cost = judging["cost_usd"]
    votes = tuple(Votes(**one) for one in judging.get("votes", ()))
    return Usage(**counts, **tokens, known_cost=Decimal(0) if cost is None else Decimal(repr(cost)), votes=votes)


def hashes_for(case: Case) -> dict[str, str]:
    """What a judgement of `case` depends on, as journal_record takes it: rubric_hash, task_hash."""
    from pytest_ppteval.baseline.hashes import hashes_of

    hashes = hashes_of(case)
    return {"rubric_hash": hashes.checks, "task_hash": hashes.task}


def outdated(record: Mapping[str, Any], case: Case, rules: Rules, hashes: Mapping[str, str] | None = None) -> list[str]:
    """Why a stored judgement is not what today's would be, a line each; nothing where it still holds.

    hashes: of `case` as hashes_for gives them, where they are known already.
    """
    hashes = hashes or hashes_for(case)
    found = []
    if record.get("task_hash") != hashes["task_hash"]:
        found.append("the prompt, an input or the deck changed")
    if record.get("rubric_hash") != hashes["rubric_hash"]:
        found.append("the rubric changed")
    found += [
        f"{name}: {record[name]} then, {getattr(rules, name)} now"
        for name in ("threshold", "strategy", "non_critical_weight", "unscored")
        if name in record and record[name] != getattr(rules, name)
    ]
    return found


def trial_of(record: Mapping[str, Any]) -> Trial | None:
    """A record as one of its task's trials; None where it was skipped or judged in part, which says nothing."""
    from pytest_ppteval.rubric.trials import Trial

    verdict = record["verdict"]
    if verdict in ("skipped", "none"):
        return None
    outcome: TrialOutcome = "passed" if verdict == "passed" else "failed" if verdict == "failed" else "open"
    leaves = {leaf["leaf_id"]: _outcome(leaf) for leaf in leaves_of(record) if leaf["selected"]}
    return Trial(record["trial"], outcome, record["low"], record["high"], leaves)


def _outcome(leaf: Node) -> LeafOutcome:
    return "open" if leaf["score"] is None else "full" if leaf["score"] == 1 else "short"
