"""Where a run's trace, response and workspace are found, and what is said where one is not to be had."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from agent_run import judge_run, load_case, outcome, tokens, trace_of

from pytest_ppteval.case.model import Case, Facts
from pytest_ppteval.evidence.measure import Measure, measure
from pytest_ppteval.evidence.outputs import find_output
from pytest_ppteval.evidence.run import Lacking, Run
from pytest_ppteval.rubric.tree import Node, Rubric, Source
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from pathlib import Path

# An OpenAI conversation: one call of get, then an answer.
CALLS = [{"id": "1", "type": "function", "function": {"name": "get", "arguments": '{"id": 7}'}}]
CHAT = {
    "messages": [
        {"role": "user", "content": "Look at 7"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "1", "content": "fine"},
        {"role": "assistant", "content": "7 is fine."},
    ]
}


def agui(thread: str, text: str) -> str:
    """One AG-UI run: a message and an end."""
    run = {"threadId": thread, "runId": f"run of {thread}"}
    events: list[dict[str, object]] = [
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_START", "messageId": thread, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": thread, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": thread},
        {"type": "RUN_FINISHED", **run},
    ]
    return "".join(json.dumps(event) + "\n" for event in events)


def test_a_trace_of_any_known_format_is_read(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(json.dumps(CHAT))
    run = Run(tmp_path)
    assert isinstance(run.trace, Trace)
    assert [(step.tool, step.args) for step in run.trace.steps] == [("get", {"id": 7})]
    assert run.response == "7 is fine."


def test_of_several_runs_in_one_file_the_one_named_after_the_case_counts(tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text(agui("one", "first") + agui("two", "second"))
    assert Run(tmp_path, "two").response == "second"
    found = Run(tmp_path, "three").trace
    assert isinstance(found, Lacking)
    assert found.reason.endswith("trace.jsonl holds 2 runs, and not one of them is named 'three': one, two")


RULES = ["max_tool_calls: 5", "not_tool_call: bash", "max_retries: 0", "max_tokens: 9", "not_skill_used: x"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_trace_is_the_agents_failure_and_never_no_calls(tmp_path: Path, rule: str, content: str) -> None:
    case = load_case(tmp_path, f"prompt: p\nexpected_behavior: [{{{rule}}}]\n")
    run = tmp_path / "run"
    run.mkdir()
    (run / "trace.jsonl").write_text(content)
    score, reason = outcome(judge_run(case, Run(run)))
    assert score == 0
    assert "the trace is empty: nothing is recorded in " in reason


@pytest.mark.parametrize("rule", RULES)
def test_a_trace_that_cannot_be_read_leaves_it_open_in_the_readers_words(tmp_path: Path, rule: str) -> None:
    case = load_case(tmp_path, f"prompt: p\nexpected_behavior: [{{{rule}}}]\n")
    run = tmp_path / "run"
    run.mkdir()
    (run / "trace.json").write_text("no trace at all")
    score, reason = outcome(judge_run(case, Run(run)))
    assert score == "unscored"
    assert "the trace can't be read: " in reason
    assert "no trace format recognised; name it if it is one of" in reason


def test_several_traces_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "trace.jsonl")
    pipe = Run(tmp_path).trace
    assert isinstance(pipe, Lacking)
    assert pipe.reason.endswith("trace.jsonl is no plain file: it is a pipe")
    (tmp_path / "trace.json").write_text("{}")
    several = Run(tmp_path).trace
    assert isinstance(several, Lacking)
    assert several.reason.endswith("(trace.json, trace.jsonl): keep one")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seconds", 5),
        ("input_tokens", 100),
        ("output_tokens", 20),
        ("tokens", 120),
        ("cost_usd", 0.5),
        ("tool_calls", 2),
    ],
)
def test_numbers_come_from_the_trace(key: str, value: float) -> None:
    run = Run(None, given=trace_of("a", "b", usage=tokens(100, 20), cost_usd=0.5, duration_s=5))
    assert measure(key, {}, None, run) == Measure(value)
    assert measure(key, {"input_tokens": 1, "output_tokens": 2, key: 7}, None, run) == Measure(
        3 if key == "tokens" else 7
    )


def test_unknown_numbers_are_lacking_and_never_0() -> None:
    run = Run(None, given=trace_of())
    for key in ("seconds", "input_tokens", "output_tokens", "tokens", "cost_usd"):
        assert isinstance(measure(key, {}, None, run), Lacking)
    assert measure("tool_calls", {}, None, run) == Measure(0)


def test_metrics_that_cannot_be_used_are_not_replaced() -> None:
    found = measure("tool_calls", {}, "metrics.json: no number", Run(None, given=trace_of()))
    assert found == Lacking("metrics.json: no number")


@pytest.fixture
def case(tmp_path: Path) -> Case:
    node = Node("c", Source("c.case.yaml"))
    return Case("c", Rubric(node, node.source), node.source, suite="agent", facts=Facts(tmp_path))


def test_the_output_of_a_case_is_the_folder_named_after_it(tmp_path: Path, case: Case) -> None:
    folder = tmp_path / "outputs" / "c"
    folder.mkdir(parents=True)
    (folder / "trace.json").write_text("{}")
    (folder / "metrics.json").write_text('{"seconds": 3}')
    found = find_output(case, tmp_path / "outputs", tmp_path / "baselines")
    assert (found.folder, found.deck, found.problem, found.metrics) == (folder, None, None, {"seconds": 3})


@pytest.mark.parametrize("made", [False, True])
def test_an_agent_that_left_nothing_is_at_fault(tmp_path: Path, case: Case, made: bool) -> None:
    (tmp_path / "outputs" / "c").mkdir(parents=True) if made else (tmp_path / "outputs").mkdir()
    found = find_output(case, tmp_path / "outputs", tmp_path / "baselines")
    assert found.fault == "agent"
    assert found.problem == (
        f"the agent left nothing: looked for trace.*, response.md, response.txt or workspace in {tmp_path}/outputs/c"
    )


def test_without_outputs_the_approved_run_is_judged(tmp_path: Path, case: Case) -> None:
    folder = tmp_path / "baselines" / "agent" / "c"
    assert find_output(case, None, tmp_path / "baselines").fault == "setup"
    folder.mkdir(parents=True)
    (folder / "response.md").write_text("x")
    (folder / "run.json").write_text('{"metrics": {"tool_calls": 2}}')
    found = find_output(case, None, tmp_path / "baselines")
    assert (found.folder, found.problem, found.metrics) == (folder, None, {"tool_calls": 2})
