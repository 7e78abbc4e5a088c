"""--ppteval-json: every task's verdict and scored tree, for other programs."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

NEEDS_MODEL = "def compute_score():\n    return llm_call(prompt='ok?'), 1.0\n"


def results_of(project: Project, *arguments: str) -> Any:
    project.run("--ppteval-json=out/results.json", *arguments)
    document = json.loads((project.pytester.path / "out" / "results.json").read_text("utf-8"))
    schema = json.loads(files("pytest_ppteval").joinpath("case/schema/results.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


# The second is slow: workers take seconds to start, and alone it is the same code.
@pytest.mark.parametrize("arguments", [(), pytest.param(("-n2",), marks=pytest.mark.slow)])
def test_the_file_holds_every_task_with_its_scored_tree(project: Project, arguments: tuple[str, ...]) -> None:
    group = {"name": "Group", "is_critical": True, "children": [leaf("A", 1.0), leaf("B", 0.5)]}
    project.task("short", rubric(group, leaf("C", 0.0)), threshold=0.9, tags=("text",))
    project.task("open", rubric(leaf("A", NEEDS_MODEL), leaf("B", 1.0)), budget={"seconds": 10})
    project.output("short")
    project.output("open", metrics={"seconds": 12.5})
    document = results_of(project, "--ppteval-sandbox=off", *arguments)

    # By hand: the group's mean is 0.75, and 0.75 - 0.3 * (1 - 0) = 0.45.
    assert document["summary"] == {
        "tasks": 2,
        "passed": 0,
        "failed": 2,
        "undetermined": 0,
        "error": 0,
        "mean_score_low": pytest.approx((0.45 + 0.5) / 2),
        "mean_score_high": pytest.approx((0.45 + 1.0) / 2),
        "strict_successes": 0,
        "strict_successes_possible": 0,
    }
    by_id = {task["task_id"]: task for task in document["tasks"]}
    short = by_id["short"]
    assert short["verdict"] == "failed"
    assert short["score"] == pytest.approx(0.45, abs=1e-12)
    assert (short["threshold"], short["strategy"], short["non_critical_weight"]) == (0.9, "default", 0.3)
    assert short["sandbox"].startswith("off")
    assert (short["nodeid"], short["file"], short["line"]) == ("cases/tasks.json::short", "cases/tasks.json", 2)
    root = short["scored_rubric"]["root"]
    assert [child["name"] for child in root["children"]] == ["Group", "C"]
    first = root["children"][0]["children"][1]
    assert (first["name"], first["score"], first["reason"], first["status"]) == ("B", 0.5, "it is 0.5", "scored")
    assert first["scorer"]["type"] == "function"
    assert first["file"] == "cases/rubrics/rubric_0.json"
    assert "short: Group (critical, 0.75), C (0.00)" in root["reason"]

    unscored = by_id["open"]
    assert (unscored["score"], unscored["low"], unscored["high"]) == (None, 0.5, 1.0)
    assert unscored["scored_rubric"]["root"]["children"][0]["status"] == "unscored"
    assert [(gate["name"], gate["score"]) for gate in unscored["budget"]] == [("budget: seconds", 0.0)]


def test_a_task_whose_setup_fails_is_in_the_file(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)))
    document = results_of(project)
    (task,) = document["tasks"]
    assert task["verdict"] == "error"
    assert "nothing to judge" in task["reasons"][0]
    assert document["summary"]["error"] == 1
    assert document["summary"]["mean_score_high"] == 1.0


def test_leaves_that_were_not_selected_are_marked(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0), leaf("B", 1.0)))
    project.outputs()
    document = results_of(project, "cases/tasks.json::t::B")
    (task,) = document["tasks"]
    assert task["verdict"] == "none"
    assert [leaf["selected"] for leaf in task["scored_rubric"]["root"]["children"]] == [False, True]
    assert document["summary"]["tasks"] == 0


def test_stale_scores_of_an_earlier_run_are_not_in_the_file(project: Project) -> None:
    stale = {**leaf("A", 1.0), "score": 0.123, "reason": "from last week"}
    project.task("t", rubric(stale))
    project.outputs()
    assert "from last week" not in json.dumps(results_of(project))
