"""The built-in agent as an agent of ppteval.yaml: its process under the same limits, its key passed to it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from builtin_agent import finishes, turn, uses
from messages_server import error

from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from agents_here import Bench
    from messages_server import Server

CODE = (
    "from pptx import Presentation\ndeck = Presentation(OUTPUT)\n"
    "deck.slides[0].shapes.title.text = 'Lecture 4'\ndeck.save(OUTPUT)"
)


@pytest.mark.slow  # its process imports the SDK, which takes seconds
def test_a_key_is_enough(bench: Bench, server: Server) -> None:
    server.queue += [turn(uses("run_python", code=CODE)), finishes("It is lecture 4.")]
    spec = bench.agent("kind: claude\nmodel: claude-test\nmax_turns: 5\nretries: {attempts: 1}")
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.reason, run.kind) == ("finished", "", "claude")
    assert [request["model"] for request in server.requests] == ["claude-test"] * 2
    trace = Run(bench.into).trace
    assert isinstance(trace, Trace)
    assert [step.tool for step in trace.steps] == ["run_python", "finish"]
    assert Run(bench.into).response == "It is lecture 4.\n"
    assert (run.outside, run.changed, run.deleted) == ((), (), ())
    assert (bench.into / "output.pptx").read_bytes() != bench.deck.read_bytes()
    assert run.metrics.keys() >= {"seconds", "input_tokens", "output_tokens", "tool_calls"}


@pytest.mark.slow  # as above, twice
def test_a_server_in_trouble_is_no_score(bench: Bench, server: Server) -> None:
    server.otherwise = lambda body: error(529, "overloaded_error", **{"x-should-retry": "false"})
    spec = bench.agent("kind: claude\nretries: {attempts: 2, delay: 0}")
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.attempts) == ("infrastructure", 2)
    assert "overloaded" in run.reason.lower() or "529" in run.reason
