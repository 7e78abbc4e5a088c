"""misc.budget: what a run may cost, each limit a leaf of the task that gates its verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project


def test_a_run_within_its_budget_passes(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), budget={"seconds": 60, "tool_calls": 5})
    project.output("t", metrics={"seconds": 60, "tool_calls": 3})
    result = project.run("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*SUBPASSED[[]budget: seconds[]]*", "*SUBPASSED[[]budget: tool_calls[]]*"])


def test_a_run_over_its_budget_fails_at_that_leaf_and_keeps_its_score(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), budget={"cost_usd": 0.5})
    project.output("t", metrics={"cost_usd": 0.75})
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "budget, score 0.00: cost_usd: 0.75, over the budget of 0.5",
            "cases/tasks.json:*: budget: cost_usd",
            "failed: score 1.00, threshold 1",
            "  budget 'budget: cost_usd' falls short*",
        ]
    )


def test_a_budget_without_data_is_unscored_and_leaves_the_task_open(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), budget={"input_tokens": 1000})
    project.outputs()
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*input_tokens: not in the run's metrics (metrics.json beside the output)*"])


def test_metrics_that_make_no_sense_are_named(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), budget={"seconds": 10})
    project.output("t", metrics={"seconds": "12s"})
    result = project.run()
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*metrics.json: seconds is '12s', expected a number from 0 to a billion billion*"])


def test_what_the_metrics_do_not_say_comes_from_a_trace_beside_the_deck(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)), budget={"tool_calls": 0, "seconds": 10})
    deck = project.output("t", metrics={"seconds": 5})
    call = {"id": "1", "type": "function", "function": {"name": "edit", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "Done."},
    ]
    (deck.parent / "trace.json").write_text(json.dumps({"messages": messages}), "utf-8")
    result = project.run("-v")
    result.stdout.fnmatch_lines(["*SUBPASSED[[]budget: seconds[]]*"])
    result.stdout.fnmatch_lines(["budget, score 0.00: tool_calls: 1, over the budget of 0"])
