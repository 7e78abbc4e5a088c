"""The built-in agent: a whole run over HTTP, what it leaves, and how it ends when something is amiss.

The model is a server on loopback that says what a test told it to; SDK, tools, confinement and renderers are real.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import time
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from builtin_agent import Bench, files_below, finishes, titles_of, turn, uses
from messages_server import KEY, MODEL, Answer, error, message, says
from renderers_here import RENDERERS, needs
from sandbox_processes import descendants, gone

from pytest_ppteval.agent.builtin.ending import FAILED, FINISHED, INFRASTRUCTURE, Ending
from pytest_ppteval.choices import DEFAULT_MODEL
from pytest_ppteval.sandbox.confine.policy import LAYERS_VARIABLE, probe
from pytest_ppteval.trace.model import Usage
from pytest_ppteval.trace.read import detect

if TYPE_CHECKING:
    from pathlib import Path

    from messages_server import Server

pytestmark = pytest.mark.skipif(probe("auto").name != "full", reason="the agent's code can't be confined here")

RENAME = """\
from pptx import Presentation
deck = Presentation(OUTPUT)
deck.slides[0].shapes.title.text = "Tides"
deck.save(OUTPUT)
print("renamed")
"""


@pytest.fixture
def bench(tmp_path: Path, small_deck: Path, server: Server) -> Bench:
    bench = Bench(tmp_path / "run", tmp_path / "run" / "workspace" / "intro.pptx", server)
    bench.workspace.mkdir(parents=True)
    shutil.copyfile(small_deck, bench.workspace / "intro.pptx")
    return bench


def test_a_whole_run_edits_the_deck_and_leaves_a_trace_that_is_read_back(bench: Bench) -> None:
    bench.server.queue += [
        turn("Let me look.", uses("list_slides"), uses("read_slide", number=1)),
        turn(uses("run_python", code="print(open('/etc/shadow').read())")),
        turn(uses("run_python", code=RENAME), usage={"input_tokens": 300, "output_tokens": 30}),
        finishes("The first slide is called Tides now."),
    ]
    code, out, err = bench.run(renderer="none")
    assert (code, err) == (FINISHED, "")
    assert out.splitlines() == [
        "turn 1: list_slides, read_slide",
        "turn 2: run_python (error)",
        "turn 3: run_python",
        "turn 4: finish",
    ]
    # The deck was edited at the output path; the one that came with the task is as it was.
    assert titles_of(bench.output) == ["Tides", "Thanks"]
    assert titles_of(bench.workspace / "intro.pptx") == ["Lecture 3", "Thanks"]
    assert sorted(os.listdir(bench.workspace)) == ["intro.pptx", "result.pptx"]
    assert bench.response == "The first slide is called Tides now.\n"

    assert detect(bench.trace_path) == "anthropic"
    trace = bench.trace
    assert (trace.status, trace.diagnostics) == ("finished", ())
    assert [(step.tool, step.failed) for step in trace.steps] == [
        ("list_slides", False),
        ("read_slide", False),
        ("run_python", True),
        ("run_python", False),
        ("finish", False),
    ]
    listed, read, refused, renamed, _ = trace.steps
    assert listed.result is not None
    assert listed.result.startswith("2 slides of 9144000 x 6858000 EMU")
    assert read.args == {"number": 1}
    assert '"Lecture 3"' in str(read.result)
    assert "PermissionError" in str(refused.error)
    assert (renamed.args, renamed.result) == ({"code": RENAME}, "renamed\n")
    assert listed.group == read.group is not None  # asked for at once
    assert trace.final_response == "The first slide is called Tides now."
    assert trace.usage == {MODEL: Usage(input_total=600, output=60)}
    assert [text.role for text in trace.messages] == ["system", "user", "assistant", "assistant"]
    assert trace.messages[1].text.startswith("Call the first slide 'Tides'.")

    first, *_, last = bench.server.requests
    assert first["model"] == DEFAULT_MODEL
    assert [tool["name"] for tool in first["tools"]] == [
        "list_slides",
        "read_slide",
        "see_slide",
        "run_python",
        "finish",
    ]
    assert [entry["role"] for entry in last["messages"]] == ["user", "assistant"] * 3 + ["user"]
    assert not any(path.parts[-2:] == ("tmp", path.name) for path in files_below(bench.root))
    assert os.listdir(bench.root / "tmp") == []


def test_the_key_is_in_no_file_even_if_a_server_repeats_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [
        turn(f"My key is {KEY}.", uses("run_python", code=f"print('{KEY[:10]}' + '{KEY[10:]}')\nopen('x', 'w')")),
        error(400, "invalid_request_error", f"bad key {KEY}"),
    ]
    ending = bench.here(monkeypatch)
    assert ending == Ending(INFRASTRUCTURE, "127.0.0.1 refused the question (400): bad key [secret]")
    files = files_below(bench.root)
    assert bench.trace_path in files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert "My key is [secret]." in bench.response


# ------------------------------------------------------------------------------------------------ how it may end

OVERLOADED = error(529, "overloaded_error", retry_after_ms="1")


LOOK: Answer = turn(uses("read_slide"))  # of no slide: that takes no process, and so no time


@dataclass(frozen=True)
class End:
    """name: what happens. answers: the server's, then `otherwise` for ever. environment: variables; None unsets."""

    name: str
    code: int
    reason: str
    answers: tuple[Answer, ...] = ()
    otherwise: Answer = field(default_factory=lambda: LOOK)
    options: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str | None] = field(default_factory=dict)


ENDS = [
    End(
        "no key",
        INFRASTRUCTURE,
        "no model to run the built-in agent with: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for another server)",
        environment={"ANTHROPIC_API_KEY": None},
    ),
    End(
        "a wrong key",
        INFRASTRUCTURE,
        "127.0.0.1 refused the key (401): check ANTHROPIC_API_KEY",
        otherwise=error(401, "authentication_error", f"invalid x-api-key {KEY}"),
    ),
    End(
        "no such model",
        INFRASTRUCTURE,
        "127.0.0.1 has no model 'claude-nought' (404): name another (model)",
        otherwise=error(404, "not_found_error"),
        options={"model": "claude-nought"},
    ),
    End(
        "too many requests for good",
        INFRASTRUCTURE,
        "127.0.0.1 still refused after retries: too many requests (429): as the test asked",
        otherwise=error(429, "rate_limit_error", retry_after_ms="1"),
    ),
    End(
        "a server that asks to wait for hours",
        INFRASTRUCTURE,
        "the server asks to wait 7200 s (429), longer than 300 s",
        otherwise=error(429, "rate_limit_error", retry_after="7200"),
    ),
    End(
        "a server that fails in the middle",
        INFRASTRUCTURE,
        "127.0.0.1 failed, also after retries (500): as the test asked",
        (LOOK,),
        error(500, retry_after_ms="1"),
    ),
    End("an overloaded server", INFRASTRUCTURE, "127.0.0.1 is overloaded, also after retries (529)", (), OVERLOADED),
    End(
        "no answer in time",
        INFRASTRUCTURE,
        "no answer from 127.0.0.1 within 0.2 s, also after retries (timeout)",
        otherwise=Answer(message(), delay=0.6),
        options={"timeout": 0.2},
    ),
    End(
        "no server",
        INFRASTRUCTURE,
        "no connection to 127.0.0.1: ConnectError",
        environment={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
    ),
    End(
        "an answer that is none",
        INFRASTRUCTURE,
        "127.0.0.1 sent something that is no message of the Messages API",
        otherwise=Answer({"hello": "world"}),
    ),
    End(
        "an answer that is not JSON",
        INFRASTRUCTURE,
        "127.0.0.1 sent something that is not JSON",
        otherwise=Answer(b"<html>"),
    ),
    End(
        "an option that there isn't",
        INFRASTRUCTURE,
        "the built-in agent has no option 'max_turn': do you mean max_turns?",
        options={"max_turn": 3},
    ),
    End(
        "a limit on the cost of a model without a price",
        INFRASTRUCTURE,
        "the price of a-model-of-mine is not known, so that max_cost can't be kept: "
        "pip install 'pytest-ppteval[prices]', or leave max_cost out",
        options={"model": "a-model-of-mine", "max_cost": 1},
    ),
    End("given up", FAILED, "given up: No slide 9.", (LOOK, finishes("No slide 9.", completed=False))),
    End(
        "given up in words that act in a terminal",
        FAILED,
        "given up: \\x1b[2J No.",
        (LOOK, finishes("\x1b[2J\nNo.", completed=False)),
    ),
    End("a refusal", FAILED, "the model refused to go on", (turn("No.", stop="refusal"),)),
    End("too many turns", FAILED, "not finished within max_turns=2", options={"max_turns": 2}),
    End(
        "words and no deeds", FAILED, "the model stopped without calling finish", (LOOK,), otherwise=says("It is done.")
    ),
    End(
        "answers cut off",
        FAILED,
        "the answer was cut off at max_tokens=99, 3 times in a row",
        otherwise=turn("Let me", stop="max_tokens"),
        options={"max_tokens": 99},
    ),
    End(
        "a conversation too long for the API",
        FAILED,
        "the conversation is too long for the model (400)",
        (LOOK, error(400, "invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum")),
    ),
    End(
        "a conversation too long for the model",
        FAILED,
        "the conversation is too long for the model",
        (LOOK, turn("So", stop="model_context_window_exceeded")),
    ),
]


def _script(end: End, bench: Bench) -> None:
    bench.server.queue.extend(end.answers)
    bench.server.otherwise = lambda body: end.otherwise


@pytest.mark.parametrize("end", ENDS, ids=[end.name for end in ENDS])
def test_each_way_to_end(end: End, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    # Ids of calls repeat here: the agent tells them apart.
    _script(end, bench)
    for name, value in end.environment.items():
        if value is None:
            monkeypatch.delenv(name)
        else:
            monkeypatch.setenv(name, value)
    assert bench.here(monkeypatch, **end.options) == Ending(end.code, end.reason)
    assert os.listdir(bench.root / "tmp") == []
    # Who never got an answer has done nothing; else the deck is there, and may be judged.
    answered = end.code == FAILED or bool(end.answers)
    assert bench.output.exists() == bench.trace_path.exists() == answered
    if answered:
        assert bench.trace.status in ("finished", "truncated")


@pytest.mark.slow  # each starts a process that imports the SDK
@pytest.mark.parametrize("end", ENDS, ids=[end.name for end in ENDS])
def test_each_way_to_end_by_exit_code_and_last_line(end: End, bench: Bench) -> None:
    _script(end, bench)
    # An empty variable is as good as none to the SDK.
    code, _, err = bench.run({name: value or "" for name, value in end.environment.items()}, **end.options)
    assert (code, err.splitlines()[-1]) == (end.code, end.reason)
    assert KEY not in err


def test_a_server_that_recovers_is_waited_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [OVERLOADED, error(500, retry_after_ms="1"), finishes()]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    assert len(bench.server.requests) == 3


def test_a_server_without_caching_is_asked_without(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [
        error(400, "invalid_request_error", "cache_control: Extra inputs are not permitted"),
        LOOK,
        finishes(),
    ]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    assert ["cache_control" in request for request in bench.server.requests] == [True, False, False]


def test_a_run_may_have_a_limit_on_its_cost(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = bench.root / "prices.yaml"
    prices.write_text("mine: {input: 1000, output: 1000}\n", "utf-8")  # USD a million: 110 tokens cost 0.11
    bench.server.otherwise = lambda body: LOOK
    ending = bench.here(monkeypatch, model="mine", prices=str(prices), max_cost=0.3)
    assert ending == Ending(FAILED, "max_cost=0.3 USD is spent: 0.3300")
    assert len(bench.server.requests) == 3


def test_words_without_a_tool_are_answered_by_a_reminder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [says("I am about to begin."), LOOK, says("Done, I think."), finishes()]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    assert "call finish" in bench.server.requests[1]["messages"][-1]["content"]


def test_a_call_that_was_cut_off_is_not_carried_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [
        turn(uses("run_python", code="open('half', 'w')"), stop="max_tokens"),
        turn(uses("run_python", code="open('whole', 'w')")),
        finishes(),
    ]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    assert not (bench.workspace / "half").exists()
    assert (bench.workspace / "whole").exists()
    first, second = bench.results()
    assert (first.get("is_error"), "cut off" in first["content"]) == (True, True)
    assert second.get("is_error") is None


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (uses("paint_slide"), "there is no tool 'paint_slide': use one of list_slides, "),
        (uses("read_slide"), "number is None: give the slide's place as a whole number, from 1"),
        (uses("read_slide", number="2"), "number is '2': give the slide's place as a whole number, from 1"),
        (uses("read_slide", number=3), "there is no slide 3: the deck has 2"),
        (uses("run_python", code=" "), "code is missing: give it as text"),
        (uses("run_python", code="x = = 1"), 'File "<run_python>", line 1\n    x = = 1'),
        (uses("run_python", code="import sys; sys.exit(3)"), "[exit code 3]"),
        (uses("finish"), "summary is missing: give it as text"),
    ],
)
def test_a_wrong_use_of_a_tool_is_told_and_the_run_goes_on(
    block: dict[str, Any], told: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.server.queue += [turn(block), finishes()]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    (result,) = bench.results()
    assert result["is_error"] is True
    assert told in result["content"]


def test_code_that_hangs_or_reaches_out_is_stopped_and_the_run_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else is tried: test_builtin_agent_escape.py."""
    bench.server.queue += [
        turn(
            uses("run_python", code="while True: pass"), uses("run_python", code="import os; os.kill(os.getppid(), 9)")
        ),
        turn(uses("run_python", code=RENAME)),
        finishes(),
    ]
    assert bench.here(monkeypatch, code_timeout=1) == Ending(FINISHED)
    hung, reached, renamed = bench.results()
    assert (hung["content"], hung["is_error"]) == ("[stopped after 1 s]", True)
    assert "PermissionError" in reached["content"]
    assert renamed["content"] == "renamed\n"
    assert titles_of(bench.output) == ["Tides", "Thanks"]


def test_code_that_ruins_the_deck_is_told_of_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    ruin = "open(OUTPUT, 'w').write('no deck')"
    bench.server.queue += [
        turn(uses("run_python", code=ruin)),
        turn(uses("list_slides"), uses("see_slide", number=1)),
        turn(uses("run_python", code="import os; os.unlink(OUTPUT)")),
        turn(uses("list_slides")),
        finishes(),
    ]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    _, listed, seen, _, missing = bench.results()
    assert listed["content"].startswith("The deck can't be read: result.pptx is not a PowerPoint file (no zip)")
    assert seen["is_error"] is True
    assert missing["content"].startswith("The deck can't be read: result.pptx there is no such file")


def test_a_deck_can_be_made_from_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.input = None
    make = (
        "from pptx import Presentation\ndeck = Presentation()\n"
        "deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = 'Tides'\ndeck.save(OUTPUT)"
    )
    bench.server.queue += [turn(uses("run_python", code=make)), finishes()]
    assert bench.here(monkeypatch) == Ending(FINISHED)
    assert titles_of(bench.output) == ["Tides"]
    assert "There is no deck yet" in bench.server.requests[0]["messages"][0]["content"]


# ---------------------------------------------------------------------------------------------------- see_slide


def _picture_in(result: dict[str, Any]) -> Any:
    from PIL import Image

    words, picture = result["content"]
    assert words["type"] == "text"
    assert (picture["type"], picture["source"]["media_type"]) == ("image", "image/png")
    return Image.open(BytesIO(base64.b64decode(picture["source"]["data"])))


@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_model_sees_the_slide_as_the_deck_is_now(
    renderer: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_by = needs(renderer)
    look = {"number": 1}
    bench.server.queue += [
        turn(uses("see_slide", **look)),
        turn(uses("run_python", code=RENAME)),
        turn(uses("see_slide", **look), uses("see_slide", number=3)),
        finishes(),
    ]
    assert bench.here(monkeypatch, renderer=renderer) == Ending(FINISHED)
    before, _, after, beyond = bench.results()
    assert before["content"][0]["text"] == f"slide 1, drawn by {drawn_by}"
    assert _picture_in(before).size == (1568, 1176)
    assert _picture_in(before).tobytes() != _picture_in(after).tobytes()
    assert (beyond["is_error"], beyond["content"]) == (True, "there is no slide 3: the deck has 2")
    # The trace says that there was a picture, but does not keep it.
    kept = bench.trace.steps[0].result or ""
    assert "[a picture, image/png, " in kept
    assert bench.trace_path.stat().st_size < 20_000
    assert os.listdir(bench.root / "tmp") == []


def test_without_a_renderer_the_model_is_told_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [turn(uses("see_slide", number=1)), finishes()]
    assert bench.here(monkeypatch, renderer="none") == Ending(FINISHED)
    (result,) = bench.results()
    assert result["is_error"] is True
    assert result["content"] == "no renderer draws slides here: --ppteval-renderer=none"


# ------------------------------------------------------------------------------------- where it can't be confined


@pytest.mark.parametrize("layers", ["none", "seccomp", "landlock"])
def test_without_confinement_nothing_is_run_or_asked(
    layers: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LAYERS_VARIABLE, layers)
    code, reason = bench.here(monkeypatch)
    assert code == INFRASTRUCTURE
    assert reason.startswith("the agent's code can't be confined here (")
    assert "switched off" in reason
    assert reason.endswith("or allow it to do what you can do (sandbox: off)")
    assert bench.server.requests == []


def test_a_user_may_do_without_confinement(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAYERS_VARIABLE, "none")
    bench.server.queue += [turn(uses("list_slides"), uses("run_python", code=RENAME)), finishes()]
    assert bench.here(monkeypatch, sandbox="off") == Ending(FINISHED)
    assert titles_of(bench.output) == ["Tides", "Thanks"]


# ------------------------------------------------------------------------------------------------- killed in the middle


@pytest.mark.slow  # two processes that import the SDK
@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_killed_at_work_it_leaves_a_whole_trace_and_no_process(how: str, bench: Bench) -> None:
    hang = "while 1: 0"
    bench.server.queue += [turn("To work.", uses("run_python", code=RENAME)), turn(uses("run_python", code=hang))]
    with bench.start() as process:
        assert process.stdin is not None
        process.stdin.write(bench.task(renderer="none"))
        process.stdin.close()
        end = time.monotonic() + 60
        while len(bench.server.requests) < 2 or len(descendants(process.pid)) < 1:
            assert time.monotonic() < end
            time.sleep(0.05)
        while hang not in bench.trace_path.read_text("utf-8"):
            assert time.monotonic() < end
            time.sleep(0.05)
        family = descendants(process.pid)
        process.send_signal(signal.Signals[how])
        process.wait(10)
    assert gone(family)
    trace = bench.trace
    assert trace.status == "truncated"
    assert [(step.tool, step.result) for step in trace.steps] == [("run_python", "renamed\n"), ("run_python", None)]
    assert bench.response == "To work.\n"
    assert titles_of(bench.output) == ["Tides", "Thanks"]
    if how == "SIGTERM":
        assert os.listdir(bench.root / "tmp") == []


def test_the_trace_is_lines_of_what_was_asked_and_answered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.server.queue += [LOOK, finishes()]
    bench.here(monkeypatch)
    lines = [json.loads(line) for line in bench.trace_path.read_text("utf-8").splitlines()]
    assert [len(line["request"]["messages"]) for line in lines] == [1, 1, 1]  # what is new, not all of it again
    assert lines[0]["response"]["usage"] == {"input_tokens": 100, "output_tokens": 10}
    assert "usage" not in lines[-1]["response"]  # the agent's own last words
