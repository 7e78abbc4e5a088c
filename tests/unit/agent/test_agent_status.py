"""Whose trouble a run's end tells of: what a program records as trouble counts, what a model wrote never does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.process import Ended
from pytest_ppteval.agent.status import Outcome, judge, last_line
from pytest_ppteval.agent.trouble import Trouble, trouble_in, trouble_of
from pytest_ppteval.trace.model import Status, Step, Trace

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = (600.0, 1_000_000)
CALL = Step(id="c", tool="Bash")


def claude(words: str, *, synthetic: bool = False) -> list[dict[str, object]]:
    model = "<synthetic>" if synthetic else "claude-sonnet-5"
    message = {"model": model, "role": "assistant", "content": [{"type": "text", "text": words}]}
    return [
        {"type": "assistant", "message": message},
        {"type": "result", "subtype": "success", "is_error": True, "result": words},
    ]


def codex(words: str) -> list[dict[str, object]]:
    return [{"type": "error", "message": words}, {"type": "turn.failed", "error": {"message": words}}]


@pytest.mark.parametrize(
    "events",
    [
        claude('API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
        claude("API Error (500 {...}): retrying"),
        claude("API Error (Connection error.)"),
        claude("Connection error.", synthetic=True),
        codex("exceeded retry limit, last status: 429 Too Many Requests"),
        codex("unexpected status 503 Service Unavailable"),
        codex("stream disconnected before completion: error sending request"),
        [{"type": "RUN_ERROR", "message": "Error code: 503 - {'error': ...}"}],
        [{"type": "RUN_ERROR", "message": "the model is busy", "code": "rate_limit_exceeded"}],
        [{"type": "session.error", "data": {"errorType": "query", "message": "fetch failed: ECONNRESET"}}],
        [{"type": "error", "error": {"name": "APIError", "data": {"statusCode": 500, "message": "no"}}}],
        [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
        [{"status": "failed", "error": {"code": "server_error", "message": "The server had an error"}}],
    ],
)
def test_trouble_that_may_pass(events: list[dict[str, object]]) -> None:
    trouble = trouble_of(events)
    assert trouble is not None
    assert not trouble.lasting


@pytest.mark.parametrize(
    "events",
    [
        claude('API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'),
        claude("Invalid API key · Please run /login", synthetic=True),
        claude("Credit balance is too low", synthetic=True),
        claude("You've hit your limit · resets 3pm", synthetic=True),
        claude("5-hour limit reached ∙ resets 3pm", synthetic=True),
        codex("You exceeded your current quota, please check your plan and billing details."),
        codex("You've hit your usage limit."),
        codex("unexpected status 403 Forbidden"),
        [{"type": "RUN_ERROR", "message": "no", "code": "insufficient_quota"}],
        [{"type": "error", "error": {"type": "billing_error", "message": "no"}}],
    ],
)
def test_trouble_that_stays(events: list[dict[str, object]]) -> None:
    trouble = trouble_of(events)
    assert trouble is not None
    assert trouble.lasting


@pytest.mark.parametrize(
    "events",
    [
        # Of what a slide says, of what was asked for, of tools: words of a model, or of nobody's trouble.
        claude("The billing slide and its authentication section could not be finished"),
        claude("I hit the rate limit of the chart service: overloaded, 503 Service Unavailable, status 429"),
        claude("Invalid API key is the title of slide 3"),
        claude("error_max_turns"),
        codex("the chart shows 503 orders at the status 12"),
        codex("The billing slide can't be made"),
        [{"type": "item.completed", "item": {"type": "agent_message", "text": "API Error: 529 overloaded"}}],
        [{"role": "assistant", "content": "API Error: 529 overloaded"}],
        [{"type": "result", "subtype": "success", "is_error": False, "result": "API Error: 529 was on the slide"}],
        [{"type": "tool_result", "error": "Rate limit reached"}],
        [{"type": "RUN_FINISHED", "result": "503 Service Unavailable"}],
        [],
        [None, "API Error: 529", 5],
    ],
)
def test_words_that_are_no_trouble(events: list[object]) -> None:
    assert trouble_of(events) is None


def test_the_end_of_a_file(tmp_path: Path) -> None:
    """Lines, server-sent events, and one document; only the end of a long file."""
    lines = "".join(json.dumps(event) + "\n" for event in claude("API Error: 529 overloaded"))
    (tmp_path / "a.jsonl").write_text("x" * 500_000 + "\n" + lines)
    assert trouble_in(tmp_path / "a.jsonl") == Trouble("API Error: 529 overloaded", lasting=False)
    (tmp_path / "a.sse").write_text('data: {"type": "RUN_ERROR", "message": "status 401"}\n\n')
    assert trouble_in(tmp_path / "a.sse") == Trouble("status 401", lasting=True)
    (tmp_path / "a.json").write_text('{\n"error": {"code": "server_error"}\n}')
    assert trouble_in(tmp_path / "a.json") == Trouble("server_error", lasting=False)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    for name in ("deep.json", "link.jsonl", "none"):
        assert trouble_in(tmp_path / name) is None


def after(
    words: str | None, trouble: Trouble | None, status: Status = "error", code: int = 1, *, acted: bool = True
) -> Outcome:
    """What a run comes to that ended with these words in its trace."""
    steps = (CALL,) if acted else ()
    trace = Trace(format="by hand", steps=steps, status=status, error=words)
    return judge(Ended("exited", code), [trace], "", LIMITS, left_output=acted, trouble=trouble)


def test_recorded_trouble_is_infrastructure() -> None:
    for code in (0, 1):
        assert after("Overloaded", Trouble("Overloaded", lasting=False), code=code) == Outcome(
            "infrastructure", "Overloaded", again=True
        )
    assert after("no login", Trouble("no login", lasting=True)) == Outcome("infrastructure", "no login", again=False)
    # A run that went on to its end had trouble on the way only.
    assert after(None, Trouble("Overloaded", lasting=False), "finished").status == "failed"


@pytest.mark.parametrize("words", ["billing", "authentication failed on slide 3", "API Error: 529", "rate limit"])
def test_words_alone_are_the_agents_own_failure(words: str) -> None:
    assert after(words, None) == Outcome("failed", f"it ended with exit code 1: {words}")
    assert after(words, None, code=0) == Outcome("finished", f"its trace says: {words}")
    # It did nothing, and ended badly: then nothing was delivered that could be judged.
    assert after(words, None, acted=False).status == "infrastructure"


@pytest.mark.parametrize(
    ("left_output", "steps", "status"),
    [(False, (), "infrastructure"), (True, (), "failed"), (False, (CALL,), "failed")],
)
@pytest.mark.parametrize("how", ["exited", "lost"])
def test_whether_it_acted(how: str, left_output: bool, steps: tuple[Step, ...], status: str) -> None:
    trace = Trace(format="by hand", steps=steps)
    ended = Ended("exited", 3) if how == "exited" else Ended("lost", reason="killed")
    assert judge(ended, [trace], "", LIMITS, left_output=left_output).status == status


def test_a_refused_login_is_not_tried_again() -> None:
    assert after("Invalid API key", None, acted=False).again is False
    assert after("no", None, acted=False).again is True


def test_the_last_line() -> None:
    assert last_line("one\ntwo\x1b[31m\n \n") == "two\\x1b[31m"
    assert last_line("\n") == ""
    assert len(last_line("x" * 10_000)) == 403
