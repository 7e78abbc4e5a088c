"""Bounds on tool calls, retries, tokens, cost and seconds; what is unknown is never 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_run import judge, outcome, step, tokens, trace_of, unrecorded

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.trace.model import Trace

CUT = "the trace records no end of the run, what came after is not known"
CALLS = trace_of("a", "b", "a")
SPENT = trace_of("a", usage=tokens(1200, 300), cost_usd=0.05, duration_s=12.5)


@pytest.mark.parametrize(
    ("rule", "trace", "score", "reason"),
    [
        ("max_tool_calls: 3", CALLS, 1, "3 tool calls, at most 3 expected; 3 calls: a x2, b"),
        ("max_tool_calls: 2", CALLS, 0, "3 tool calls, at most 2 expected; 3 calls: a x2, b"),
        ("min_tool_calls: 3", CALLS, 1, "3 tool calls, at least 3 expected; 3 calls: a x2, b"),
        ("min_tool_calls: 4", CALLS, 0, "3 tool calls, at least 4 expected; 3 calls: a x2, b"),
        ("not_max_tool_calls: 2", CALLS, 1, "3 tool calls, more than 2 expected; 3 calls: a x2, b"),
        ("not_min_tool_calls: 3", CALLS, 0, "3 tool calls, less than 3 expected; 3 calls: a x2, b"),
        ("max_tool_calls: 1\ntool: a", CALLS, 0, "2 tool calls of a, at most 1 expected; 3 calls: a x2, b"),
        ("max_tool_calls: 0", trace_of(), 1, "0 tool calls, at most 0 expected; no tool was called"),
        ("max_tokens: 1500", SPENT, 1, "1,500 tokens, at most 1,500 expected"),
        ("max_tokens: 1499", SPENT, 0, "1,500 tokens, at most 1,499 expected"),
        ("max_cost: 0.05", SPENT, 1, "0.05 USD, at most 0.05 expected"),
        ("max_cost: 0.049", SPENT, 0, "0.05 USD, at most 0.049 expected"),
        ("min_seconds: 12.5", SPENT, 1, "12.5 s, at least 12.5 expected"),
        ("max_seconds: 12", SPENT, 0, "12.5 s, at most 12 expected"),
    ],
)
def test_bounds(tmp_path: Path, rule: str, trace: Trace, score: float, reason: str) -> None:
    assert outcome(judge(tmp_path, rule, trace)) == (score, reason)


@pytest.mark.parametrize(
    ("rule", "what"), [("max_tokens: 0", "input_tokens"), ("max_cost: 0", "cost_usd"), ("min_seconds: 0", "seconds")]
)
def test_what_the_trace_does_not_say_is_unscored_and_never_0(tmp_path: Path, rule: str, what: str) -> None:
    found = outcome(judge(tmp_path, rule, trace_of("a")))
    name = {"input_tokens": "tokens", "cost_usd": "cost"}.get(what, what)
    assert found == (
        "unscored",
        f"{name}: not in the run's metrics (metrics.json beside the output) nor in its trace",
    )


def test_half_known_tokens_are_unknown(tmp_path: Path) -> None:
    assert judge(tmp_path, "max_tokens: 10", trace_of(usage=tokens(5, None))).status == "unscored"


def test_metrics_come_before_the_trace(tmp_path: Path) -> None:
    result = judge(tmp_path, "max_seconds: 10", SPENT, metrics={"seconds": 9})
    assert outcome(result) == (1, "9 s, at most 10 expected")


def test_calls_are_counted_in_the_trace_and_without_one_taken_from_the_metrics(tmp_path: Path) -> None:
    result = judge(tmp_path, "max_tool_calls: 2", CALLS, metrics={"tool_calls": 1})
    assert result.score == 0
    (tmp_path / "b").mkdir()
    assert outcome(judge(tmp_path / "b", "max_tool_calls: 2", metrics={"tool_calls": 1})) == (
        1,
        "1 tool call, at most 2 expected",
    )


def test_calls_of_one_tool_need_the_trace(tmp_path: Path) -> None:
    result = judge(tmp_path, "max_tool_calls: 2\ntool: a", metrics={"tool_calls": 1})
    assert result.status == "unscored"
    assert result.reason.startswith("no trace: looked for trace.* in ")


@pytest.mark.parametrize(
    ("rule", "score"),
    [("max_tool_calls: 5", None), ("max_tool_calls: 2", 0), ("min_tool_calls: 2", 1), ("min_tool_calls: 5", None)],
)
def test_a_trace_without_an_end_says_at_least_how_many(tmp_path: Path, rule: str, score: float | None) -> None:
    result = judge(tmp_path, rule, trace_of("a", "b", "a", status="truncated"))
    assert result.score == score
    assert result.reason.endswith(CUT) == (score is None)


def failed(tool: str, **args: object) -> object:
    return step(tool, args, failed=True)


def worked(tool: str, **args: object) -> object:
    return step(tool, args, failed=False)


RETRIES = [
    # steps, retries
    ([failed("get", id=1), worked("get", id=1)], 1),
    ([failed("get", id=1), failed("get", id=1.0), worked("get", id=1)], 2),
    ([failed("get", id=1), worked("get", id=2)], 0),  # other arguments: another attempt
    ([failed("get", id=1), worked("put", id=1)], 0),
    ([worked("get", id=1), worked("get", id=1)], 0),  # again, but nothing had failed
    ([failed("get", id=1), worked("get", id=1), worked("get", id=1)], 1),  # the last one had not failed
    ([failed("get", id=1), worked("list"), worked("get", id=1)], 1),
]


@pytest.mark.parametrize(("steps", "number"), RETRIES)
def test_a_retry_is_the_same_call_after_it_failed(tmp_path: Path, steps: list[object], number: int) -> None:
    trace = trace_of(*steps)  # type: ignore[arg-type]  # Steps
    result = judge(tmp_path, f"max_retries: {number}", trace)
    assert result.score == 1
    assert result.reason.startswith(f"{number} {'retry' if number == 1 else 'retries'}, at most {number} expected")
    (tmp_path / "b").mkdir()
    assert judge(tmp_path / "b", f"min_retries: {number + 1}", trace).score == 0


def test_two_equal_calls_at_once_are_no_retry(tmp_path: Path) -> None:
    trace = trace_of(step("get", {}, failed=True, group="g"), step("get", {}, failed=False, group="g"))
    assert judge(tmp_path, "max_retries: 0", trace).score == 1


def test_retries_are_open_where_the_trace_does_not_say_what_failed(tmp_path: Path) -> None:
    trace = trace_of(step("get", {"id": 1}), step("get", {"id": 1}))
    assert outcome(judge(tmp_path, "max_retries: 0", trace)) == (
        "unscored",
        "0 retries, 1 if all calls failed of which the trace doesn't say so",
    )
    (tmp_path / "b").mkdir()
    assert judge(tmp_path / "b", "max_retries: 1", trace).score == 1


def test_calls_of_unknown_arguments_may_be_retries(tmp_path: Path) -> None:
    trace = trace_of(unrecorded("get", failed=True), unrecorded("get", failed=False))
    assert judge(tmp_path, "max_retries: 0", trace).status == "unscored"


def test_retries_of_one_tool(tmp_path: Path) -> None:
    trace = trace_of(step("a", {}, failed=True), step("a", {}), step("b", {}, failed=True), step("b", {}, failed=False))
    assert outcome(judge(tmp_path, "max_retries: 0\ntool: b", trace)) == (
        0,
        "1 retry, at most 0 expected; again: 1 call: b",
    )
