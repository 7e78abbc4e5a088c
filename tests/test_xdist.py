"""pytest -n: the same outcomes as without, and nothing lost when a worker dies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

RAISES = "def compute_score():\n    raise ValueError('boom')\n"


@pytest.fixture
def many(project: Project) -> Project:
    project.task("passes", rubric(leaf("A", 1.0), leaf("B", 0.5)), threshold=0.5, tags=("text",))
    project.task("fails [1]", rubric(leaf("A", 0.0, critical=True), leaf("B", 1.0)), difficulty="Hard")
    project.task("errs", rubric(leaf("A", RAISES)))
    project.outputs()
    return project


# Three of them are slow: they differ in xdist alone, and take five seconds each.
@pytest.mark.parametrize(
    "distribution",
    ["load", "each", *(pytest.param(one, marks=pytest.mark.slow) for one in ("worksteal", "loadscope", "loadfile"))],
)
def test_outcomes_and_summary_are_the_same_with_workers(many: Project, distribution: str) -> None:
    alone = many.run("-v")
    # --dist=each runs every task on each worker; one worker is enough to see that it works.
    workers = "--tx=popen" if distribution == "each" else "-n2"
    spread = many.run("-v", workers, f"--dist={distribution}")
    assert spread.ret == alone.ret == 1
    assert spread.parseoutcomes() == alone.parseoutcomes()

    def summary(result: pytest.RunResult) -> list[str]:
        lines = result.outlines
        start = next(i for i, line in enumerate(lines) if "ppteval: 3 tasks" in line)
        end = lines.index("slowest leaves:")
        return sorted(lines[start:end])

    assert summary(spread) == summary(alone)


def test_a_leaf_address_works_with_workers(many: Project) -> None:
    result = many.run("-n2", "-v", "cases/tasks.json::fails [1]::B")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 judged in part (no verdict)"])


def test_a_malformed_file_stops_the_run_with_workers(many: Project) -> None:
    (many.pytester.path / "cases" / "tasks.json").write_text('{"t": {"rubric_path": 1}}', "utf-8")
    result = many.run("-n2")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*cases/tasks.json:1:*"])


def test_the_task_of_a_worker_that_dies_is_an_error_in_the_results(many: Project) -> None:
    many.pytester.makeconftest(
        """
        import os, pytest
        @pytest.fixture(autouse=True)
        def dies(request):
            if request.node.name == "errs":
                os._exit(3)
        """
    )
    result = many.run("-n2", "--ppteval-json=results.json")
    assert result.ret == 1
    results = json.loads((many.pytester.path / "results.json").read_text("utf-8"))
    assert {task["task_id"]: task["verdict"] for task in results["tasks"]} == {
        "passes": "passed",
        "fails [1]": "failed",
        "errs": "error",
    }
