"""`ppteval export RUN --into DIR`: a run in PPT-Eval's own result layout, from which the same scores come back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from run_records import make_case, make_record, make_run, scores
from small_project import leaf, rubric

from pytest_ppteval.case.rubrics import load_rubric
from pytest_ppteval.cli import main
from pytest_ppteval.evidence.outputs import find_output
from pytest_ppteval.runs.folder import RunFolder
from pytest_ppteval.runs.journal import append
from pytest_ppteval.runs.judged import judged
from pytest_ppteval.runs.records import journal_record
from pytest_ppteval.runs.reference import read_reference
from pytest_ppteval.trace import detect, read_trace

if TYPE_CHECKING:
    from small_project import Project

FINISHED = {"status": "finished"}


def read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "Lecture  3 [Autosaved]-021"
    case, other = make_case(tmp_path, name, "A", "B"), make_case(tmp_path, "gone", "A")
    full = make_record(case, scores(A=1.0, B=0.5), run=FINISHED, folder="artifacts/cases/x/trial-1")
    trouble = make_record(other, scores(A=None), run={"status": "infrastructure"})
    make_run(tmp_path / "run", full, trouble, agent="some-agent")
    out = tmp_path / "out"
    assert main(["export", str(tmp_path / "run"), "--into", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out == f"exported: 2 tasks to {out}\n"
    assert said.err == "note: cases/tasks.json::gone: what the agent left is not in the run\n"

    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == [
        f"{name}/{file}"
        for file in (
            f"{name}_1772359200.pptx",  # 2026-03-01T10:00:00Z
            "actions.json",
            "metrics.json",
            "result_evaluate.json",
            "scored_rubric.json",
            "trace.json",
            "workspace/notes.txt",
        )
    ] + ["benchmark_summary.json", "gone/result_evaluate.json", "gone/scored_rubric.json"]
    result = read_json(out / name / "result_evaluate.json")
    assert result == {
        "task_id": name,
        "goal": "",
        "success": False,
        "score": 0.85,
        "reason": "score 0.85 is below the threshold 1",
        "execution_status": "success",
        "verification_status": "success",
        "agent_steps": 2,
        "evaluation_time_seconds": 0.5,
    }
    lost = read_json(out / "gone" / "result_evaluate.json")
    assert (lost["execution_status"], lost["score"], lost["success"]) == ("infrastructure_failure", None, False)
    summary = read_json(out / "benchmark_summary.json")
    assert summary["task_results"] == [result, lost]
    assert summary["benchmark_info"]["agent"] == "some-agent"
    # What could not be judged is no 0 in the mean.
    assert summary["overall_stats"] == {
        "total_tasks": 2,
        "scored_tasks": 1,
        "successful_tasks": 0,
        "success_rate": 0.0,
        "avg_score": 0.85,
        "avg_steps": 2.0,
    }
    tree = read_json(out / name / "scored_rubric.json")
    assert set(tree["root"]) == {"name", "description", "is_critical", "metadata", "score", "reason", "children"}
    assert [child["score"] for child in tree["root"]["children"]] == [1.0, 0.5]
    # It is a rubric again, with stale scores that are passed over.
    assert [one.id for one in load_rubric(out / name / "scored_rubric.json").leaves] == ["A", "B"]
    assert detect(out / name / "actions.json") == "ppteval-actions"
    steps = read_trace(out / name / "actions.json").steps
    assert [(step.tool, step.args, step.started, step.ended) for step in steps] == [
        ("look", {"slide": 1}, 1.5, 1.52),
        ("look", {"slide": 1}, 2.5, 2.52),
    ]


@pytest.mark.parametrize(
    ("status", "said", "complete"),
    [
        ("finished", "success", True),
        ("failed", "error", True),
        ("timeout", "timeout", True),
        ("infrastructure", "infrastructure_failure", False),
    ],
)
def test_how_the_agent_ended_and_what_it_scored_come_back(
    tmp_path: Path, status: str, said: str, complete: bool
) -> None:
    case = make_case(tmp_path, "t", "A", "B")
    record = make_record(case, scores(A=1.0, B=1 / 3), run={"status": status}, folder="artifacts/s/t/trial-1")
    make_run(tmp_path / "run", record)
    assert main(["export", str(tmp_path / "run"), "--into", str(tmp_path / "out")]) == 0
    back = read_reference(tmp_path / "out")
    assert back.problems == ()
    run = back.runs["t"]
    assert (run.status, run.complete) == (said, complete)
    assert run.judged == (judged(record) if complete else None)
    assert (read_json(tmp_path / "out" / "t" / "result_evaluate.json")["score"] is None) is not complete
    found = find_output(case, tmp_path / "out", tmp_path / "baselines")
    assert found.deck == tmp_path / "out" / "t" / "t_1772359200.pptx"
    assert found.metrics == {"seconds": 12.5, "tool_calls": 2}


def test_a_score_that_is_open_stays_open(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A", "B")
    make_run(tmp_path / "run", make_record(case, scores(A=1.0, B=None), run=FINISHED))
    assert main(["export", str(tmp_path / "run"), "--into", str(tmp_path / "out")]) == 0
    result = read_json(tmp_path / "out" / "t" / "result_evaluate.json")
    assert (result["score"], result["success"], result["verification_status"]) == (None, False, "error")
    run = read_reference(tmp_path / "out").runs["t"]
    assert (run.complete, run.judged) == (True, None)
    leaves = read_json(tmp_path / "out" / "t" / "scored_rubric.json")["root"]["children"]
    assert [one["score"] for one in leaves] == [1.0, None]


def test_each_trial_is_a_results_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = make_case(tmp_path, "t", "A")
    records = [make_record(case, scores(A=n - 1.0), n, 2, folder=f"artifacts/cases/t/trial-{n}") for n in (1, 2)]
    make_run(tmp_path / "run", *records)
    out = tmp_path / "out"
    assert main(["export", str(tmp_path / "run"), "--into", str(out)]) == 0
    assert capsys.readouterr().out == f"exported: 1 task to {out / 'trial-1'}, {out / 'trial-2'}\n"
    for record, name in zip(records, ("trial-1", "trial-2"), strict=True):
        assert read_reference(out / name).runs["t"].judged == judged(record)
        assert read_json(out / name / "benchmark_summary.json")["overall_stats"]["total_tasks"] == 1


def test_judged_again_as_outputs_an_export_scores_as_the_run_did(project: Project) -> None:
    check = (
        "from pptx import Presentation\n"
        "def compute_score():\n"
        "    titles = [slide.shapes.title.text for slide in Presentation(modified_ppt_path).slides]\n"
        "    return str(titles), titles.count('Lecture 4') / 2\n"
    )
    for name in ("plain", "v1.2 [x]  y"):
        project.task(name, rubric(leaf("Title", check), leaf("Fixed", 0.25, critical=True)), budget={"seconds": 10})

    def edit(deck: Any) -> None:
        deck.slides[0].shapes.title.text = "Lecture 4"

    project.output("plain", edit, metrics={"seconds": 4})
    project.output("v1.2 [x]  y", metrics={"seconds": 40})
    project.run("--ppteval-json=first.json", "--ppteval-sandbox=off")
    tasks = read_json(project.pytester.path / "first.json")["tasks"]
    assert [task["score"] for task in tasks] == [pytest.approx(0.25 - 0.3 * 0.5), 0.0]

    run = make_run(project.pytester.path / "run")
    for task in tasks:
        kept = run.artifacts("cases", task["task_id"], 1)
        shutil.copytree(project.pytester.path / "outputs" / task["task_id"], kept)
        append(run.path, journal_record(task, folder=run.relative(kept)))
    assert main(["export", str(run.path), "--into", str(project.pytester.path / "exported")]) == 0
    project.pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "cases", "--ppteval-outputs=exported", "--ppteval-json=again.json",
        "--ppteval-sandbox=off",
    )  # fmt: skip
    again = read_json(project.pytester.path / "again.json")["tasks"]
    for before, after in zip(tasks, again, strict=True):
        assert judged({**before, "trial": 1}) == judged({**after, "trial": 1})
        assert [gate["score"] for gate in before["budget"]] == [gate["score"] for gate in after["budget"]]


@pytest.mark.parametrize(
    ("into", "said"),
    [
        ("full", "full is there already and not empty: name a new folder"),
        ("run/below", "below is in the run: name a folder elsewhere"),
        ("out", "task id 'T' is there twice, as cases/tasks.json::t and as other/tasks.json::T"),
    ],
)
def test_what_cannot_be_exported_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], into: str, said: str
) -> None:
    record = make_record(make_case(tmp_path, "t", "A"), scores(A=1.0))
    make_run(tmp_path / "run", record, {**record, "task_id": "T", "nodeid": "other/tasks.json::T"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    assert main(["export", str(tmp_path / "run"), "--into", str(tmp_path / into)]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*.new"))


def test_a_run_without_a_verdict_is_nothing_to_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run")
    assert main(["export", str(run.path), "--into", str(tmp_path / "out")]) == 1
    assert "nothing was judged in this run" in capsys.readouterr().err
    case = make_case(tmp_path, "t", "A", "B")
    append(run.path, {**make_record(case, scores(A=1.0)), "verdict": "none"})
    append(run.path, make_record(make_case(tmp_path, "u", "A"), scores(A=1.0)))
    assert main(["export", str(run.path), "--into", str(tmp_path / "out")]) == 0
    assert "1 record without a verdict (skipped, judged in part) left out" in capsys.readouterr().err
    assert RunFolder.open(run.path) == run
