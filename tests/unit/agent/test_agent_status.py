"""Whose trouble a run's last words tell of."""

from __future__ import annotations

import pytest

from pytest_ppteval.agent.process import Ended
from pytest_ppteval.agent.status import Outcome, judge, last_line
from pytest_ppteval.trace.model import Status, Step, Trace

LIMITS = (600.0, 1_000_000)
CALL = Step(id="c", tool="Bash")


def after(words: str | None, status: Status = "error", code: int = 1) -> Outcome:
    """What a run comes to that made a call and ended with these words in its trace."""
    trace = Trace(format="by hand", steps=(CALL,), status=status, error=words)
    return judge(Ended("exited", code), [trace], "", LIMITS, left_output=True)


@pytest.mark.parametrize(
    "words",
    [
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "API Error (500 {...}): retrying",
        "API Error (Connection error.)",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "unexpected status 503 Service Unavailable",
        "stream disconnected before completion: error sending request",
        "HTTP/1.1 502 Bad Gateway",
        "status_code: 500",
        "Error code: 503 - {'error': ...}",
        "fetch failed: ECONNRESET",
        "getaddrinfo ENOTFOUND api.example.com",
        "Rate limit reached for requests",
    ],
)
def test_trouble_that_may_pass(words: str) -> None:
    assert after(words) == Outcome("infrastructure", words, again=True)
    # Also where the program itself ended well.
    assert after(words, code=0).status == "infrastructure"
    # A run that went on to its end had trouble on the way only.
    assert after(words, "finished").status == "failed"


@pytest.mark.parametrize(
    "words",
    [
        'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
        "Invalid API key · Please run /login",
        "Credit balance is too low",
        "You exceeded your current quota, please check your plan and billing details.",
        "You've hit your usage limit.",
        "You've hit your limit · resets 3pm",
        "5-hour limit reached ∙ resets 3pm",
        "unexpected status 403 Forbidden",
    ],
)
def test_trouble_that_stays(words: str) -> None:
    assert after(words) == Outcome("infrastructure", words, again=False)


@pytest.mark.parametrize(
    "words",
    [
        "error_max_turns",
        "slide 500 was not found",
        "the chart shows 503 orders at the status 12",
        "I could not open the deck",
        "exit code 1",
    ],
)
def test_the_agents_own_failure(words: str) -> None:
    assert after(words) == Outcome("failed", f"it ended with exit code 1: {words}")
    assert after(words, code=0) == Outcome("finished", f"its trace says: {words}")


@pytest.mark.parametrize(
    ("left_output", "steps", "status"),
    [(False, (), "infrastructure"), (True, (), "failed"), (False, (CALL,), "failed")],
)
def test_whether_it_acted(left_output: bool, steps: tuple[Step, ...], status: str) -> None:
    trace = Trace(format="by hand", steps=steps)
    assert judge(Ended("exited", 3), [trace], "", LIMITS, left_output=left_output).status == status


def test_the_last_line() -> None:
    assert last_line("one\ntwo\x1b[31m\n \n") == "two\\x1b[31m"
    assert last_line("\n") == ""
    assert len(last_line("x" * 10_000)) == 403
