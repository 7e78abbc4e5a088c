"""PPT-Eval's results folders as stored runs, beside this package's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_records import make_case, make_record, make_run, scores

from pytest_ppteval.runs.folder import RunFolderError
from pytest_ppteval.runs.journal import append
from pytest_ppteval.runs.judged import Judged, judged_before
from pytest_ppteval.runs.records import before
from pytest_ppteval.runs.reference import is_reference, read_reference
from pytest_ppteval.runs.schema import find_problems
from pytest_ppteval.runs.stored import open_stored

Json = dict[str, Any]


def node(name: str, score: float | None, *children: Json, critical: bool = False) -> Json:
    own = {"name": name, "description": "", "is_critical": critical, "metadata": {}, "score": score, "reason": "r"}
    if children:
        return {**own, "children": list(children)}
    return {**own, "scorer": {"type": "function", "function_code": "def compute_score(): ..."}}


def result(folder: Path, status: str = "success", score: float | None = 1.0, tree: Json | None = None) -> None:
    """A task's folder as PPT-Eval writes it."""
    folder.mkdir(parents=True)
    record = {
        "task_id": folder.name,
        "goal": "g",
        "success": score == 1.0,
        "score": score,
        "reason": "why",
        "execution_status": status,
        "verification_status": "success" if score is not None else "error",
        "agent_steps": 4,
        "evaluation_time_seconds": 1.5,
    }
    (folder / "result_evaluate.json").write_text(json.dumps(record), "utf-8")
    (folder / f"{folder.name}_1700000000.pptx").write_bytes(b"deck")
    if tree is not None:
        (folder / "scored_rubric.json").write_text(json.dumps({"root": tree, "metadata": {}}), "utf-8")


def test_scores_of_tasks_and_leaves_are_read_over_all_shards(tmp_path: Path) -> None:
    group = node("Group", 0.5, node("Font", 1.0), node("Size", 0.0))
    result(tmp_path / "shard_0" / "deck [Autosaved]-001", score=0.35, tree=node("all", 0.35, group, node("Font", 0.2)))
    result(tmp_path / "shard_1" / "other  one", score=1.0, tree=node("only", 1.0))
    assert is_reference(tmp_path)
    found = read_reference(tmp_path)
    assert found.problems == ()
    first = found.runs["deck [Autosaved]-001"]
    # Leaf ids are those that the same rubric has in a pytest run.
    assert first.judged == Judged("failed", 0.35, 0.35, {"Group / Font": 1.0, "Size": 0.0, "Font": 0.2})
    assert (first.status, first.complete, first.reason) == ("success", True, "why")
    assert found.runs["other  one"].judged == Judged("passed", 1.0, 1.0, {"only": 1.0})


@pytest.mark.parametrize(
    ("status", "score", "complete", "judged"),
    [
        ("success", 1.0, True, True),
        ("success", None, True, False),
        ("error", 0.0, True, True),
        ("timeout", 0.0, True, True),
        ("infrastructure_failure", None, False, False),
        ("infrastructure_failure", 0.0, False, False),
    ],
)
def test_infrastructure_failures_are_no_complete_runs(
    tmp_path: Path, status: str, score: float | None, complete: bool, judged: bool
) -> None:
    result(tmp_path / "t", status, score)
    run = read_reference(tmp_path).runs["t"]
    assert (run.complete, run.judged is not None) == (complete, judged)


def test_of_a_task_in_several_shards_the_complete_one_counts(tmp_path: Path) -> None:
    result(tmp_path / "shard_0" / "t", "infrastructure_failure", None)
    result(tmp_path / "shard_1" / "t", score=0.5)
    result(tmp_path / "shard_2" / "t", score=1.0)
    found = read_reference(tmp_path)
    assert found.runs["t"].judged == Judged("failed", 0.5, 0.5)
    (problem,) = found.problems
    assert problem == f"{tmp_path / 'shard_2' / 't'}: task 't' is in {tmp_path / 'shard_1' / 't'} too, which counts"


@pytest.mark.parametrize(
    ("name", "text", "said", "complete"),
    [
        ("result_evaluate.json", "{", "result_evaluate.json:1:", False),
        ("result_evaluate.json", "[]", "not a JSON object", False),
        ("result_evaluate.json", '{"score": 1.5}', "score is 1.5, not a number from 0 to 1", True),
        ("result_evaluate.json", '{"score": true}', "score is True, not a number from 0 to 1", True),
        ("scored_rubric.json", "{", "scored_rubric.json:1:", True),
        ("scored_rubric.json", "{}", "no 'root'", True),
        ("scored_rubric.json", '{"root": {"children": [1]}}', "not a scored rubric", True),
        ("scored_rubric.json", '{"root": {"name": "x", "score": "high"}}', "not a scored rubric", True),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, name: str, text: str, said: str, complete: bool) -> None:
    result(tmp_path / "t", tree=node("a", 1.0))
    (tmp_path / "t" / name).write_text(text, "utf-8")
    found = read_reference(tmp_path)
    (problem,) = found.problems
    assert said in problem
    assert found.runs["t"].complete is complete


def test_one_way_to_look_up_runs_of_either_kind(tmp_path: Path) -> None:
    result(tmp_path / "reference" / "t", score=0.5)
    stored = open_stored(tmp_path / "reference")
    found = stored.find("cases/tasks.json::t", "t")
    assert found is not None
    assert (found.folder, found.complete, found.record) == (tmp_path / "reference" / "t", True, None)
    assert found.judged == Judged("failed", 0.5, 0.5)
    assert stored.find("cases/tasks.json::t", "t", trial=2) is None
    case = make_case(tmp_path, "t", "A")
    again = make_record(case, scores(A=1.0), previous=found.before)
    assert find_problems(again, "journal-record") == []
    assert judged_before(again) == found.judged
    assert stored.find("cases/tasks.json::u", "u") is None

    records = [make_record(case, scores(A=1.0), n, 2, 2, folder=f"artifacts/s/t/trial-{n}") for n in (1, 2)]
    records[1] |= {"complete": False, "folder": "../../outside"}
    make_run(tmp_path / "run", records[0])
    append(tmp_path / "run", records[1])
    with (tmp_path / "run" / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write("rubbish\n")
    own = open_stored(tmp_path / "run")
    first, second = (own.find("cases/tasks.json::t", "t", trial) for trial in (1, 2))
    assert first is not None
    assert second is not None
    assert (first.folder, first.complete, first.record) == (tmp_path / "run/artifacts/s/t/trial-1", True, records[0])
    assert first.before == before(records[0])
    assert first.judged == Judged("passed", 1.0, 1.0, {"A": 1.0})
    assert (second.folder, second.complete) == (None, False)
    assert [problem.split(": ")[0] for problem in own.problems] == [f"{tmp_path / 'run' / 'results.jsonl'}:3"]


def test_a_folder_that_is_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"no run directory: run.json is not in it; it is no results folder of"):
        open_stored(tmp_path)
    with pytest.raises(RunFolderError, match=r"nowhere is not there: name the directory of a run"):
        open_stored(tmp_path / "nowhere")
