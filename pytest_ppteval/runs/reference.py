"""PPT-Eval's results folder as stored runs: [shard_K/]<task id>/ with result_evaluate.json, scored_rubric.json."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.plain import NotPlain, apart, open_plain
from pytest_ppteval.rubric.tree import Node, Rubric, Scorer, Source
from pytest_ppteval.runs.judged import Judged

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RESULT = "result_evaluate.json"
SCORED = "scored_rubric.json"
# The agent never came to work: nobody's failure.
INFRASTRUCTURE = "infrastructure_failure"


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """One task's run. status: execution_status (success, error, timeout, infrastructure_failure).

    complete: whether the agent did its part. judged: what PPT-Eval's judge said; None where it said nothing.
    problems: what could not be read, each as "file: why".
    """

    task_id: str
    folder: Path
    status: str
    complete: bool
    judged: Judged | None
    reason: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """A results folder: its runs by task id, in order. problems: of all runs, and tasks that are there twice."""

    path: Path
    runs: Mapping[str, ReferenceRun]
    problems: tuple[str, ...] = ()


def is_reference(path: Path) -> bool:
    """Whether a folder looks like one of PPT-Eval's."""
    return next(path.glob(f"*/{RESULT}"), None) is not None or next(path.glob(f"shard_*/*/{RESULT}"), None) is not None


def harness_made(results: Path, deck: Path) -> bool:
    """Whether a deck lies in a results folder as PPT-Eval's own harness leaves it, so that what lies beside it is the
    harness's, too: <task id>_<digits>.pptx with both records, in a folder where every task with a deck has both.

    One agent can write these files into its own task's folder, but not into those of the others.
    """

    def complete(folder: Path) -> bool:
        return all((folder / name).is_file() and not (folder / name).is_symlink() for name in (RESULT, SCORED))

    folder = deck.parent
    if folder.parent != results and not (folder.parent.parent == results and folder.parent.name.startswith("shard_")):
        return False
    if not re.fullmatch(re.escape(folder.name) + r"_\d+\.pptx", deck.name) or not complete(folder):
        return False
    return all(complete(other.parent) for other in folder.parent.glob("*/*.pptx"))


def read_reference(path: Path) -> Reference:
    """The runs in a results folder.

    A task that is there several times counts where it is complete, and first in the order of evidence.outputs, which
    finds its deck: the folder itself, then its shards by name.
    """
    runs: dict[str, ReferenceRun] = {}
    problems: list[str] = []
    places = [path, *sorted(one for one in path.glob("shard_*") if one.is_dir())]
    for place in places:
        for folder in sorted(one.parent for one in place.glob(f"*/{RESULT}")):
            run = _read_run(folder)
            problems += run.problems
            first = runs.get(run.task_id)
            if first is not None and first.complete:
                if run.complete:
                    problems.append(f"{folder}: task {run.task_id!r} is in {first.folder} too, which counts")
                continue
            runs[run.task_id] = run
    return Reference(path, runs, tuple(problems))


def _read_run(folder: Path) -> ReferenceRun:
    name = folder.name  # the deck is looked for by this name, whatever task_id says
    result, problem = _read(folder / RESULT)
    if problem is not None:
        return ReferenceRun(name, folder, "error", complete=False, judged=None, problems=(problem,))
    status = str(result.get("execution_status", "success"))
    complete = status != INFRASTRUCTURE
    reason = str(result.get("reason") or "")
    score = result.get("score")
    if not complete or score is None:
        return ReferenceRun(name, folder, status, complete, None, reason)
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        wrong = f"{folder / RESULT}: score is {score!r}, not a number from 0 to 1"
        return ReferenceRun(name, folder, status, complete, None, reason, (wrong,))
    leaves, problems = _leaf_scores(folder / SCORED)
    # PPT-Eval's success is a score of exactly 1.
    outcome = "passed" if result.get("success", score == 1) is True else "failed"
    judged = Judged(outcome, float(score), float(score), leaves)
    return ReferenceRun(name, folder, status, complete, judged, reason, problems)


def _leaf_scores(path: Path) -> tuple[dict[str, float | None], tuple[str, ...]]:
    if not path.exists():
        return {}, ()
    data, problem = _read(path)
    if problem is not None:
        return {}, (problem,)
    found: dict[int, float | None] = {}
    root = data.get("root")
    if not isinstance(root, dict):
        return {}, (f"{path}: no 'root'",)
    try:
        rubric = Rubric(_node(root, str(path), found), Source(str(path)))
        return {leaf.id: found[id(leaf.node)] for leaf in rubric.leaves}, ()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return {}, (f"{path}: not a scored rubric ({type(error).__name__}: {error})",)


def _node(data: Mapping[str, Any], path: str, scores: dict[int, float | None]) -> Node:
    """A node as far as ids of leaves need it. Recursive: what json reads is nested no deeper than Python's stack."""
    children = tuple(_node(child, path, scores) for child in data.get("children") or ())
    scorer = None if children else Scorer("function", {}, Source(path))
    node = Node(
        str(data["name"]), Source(path), is_critical=bool(data.get("is_critical")), children=children, scorer=scorer
    )
    if not children:
        score = data.get("score")
        scores[id(node)] = None if score is None else float(score)
    return node


def _read(path: Path) -> tuple[dict[str, Any], str | None]:
    from pytest_ppteval.case.document import read_document
    from pytest_ppteval.case.model import FormatError

    base, start = apart(path.parent)
    try:
        open_plain(base, start + path.name).close()
        data = read_document(path).data
    except NotPlain as problem:
        return {}, f"{path}: {problem.why}" if problem.there else f"{path}: no such file"
    except FormatError as error:
        return {}, str(error)
    return (data, None) if isinstance(data, dict) else ({}, f"{path}: not a JSON object")
