"""What a run comes to: finished, failed, timeout, or infrastructure trouble, which is never the agent's score."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.run import RECORD, clear, read_agent_run, run_agent
from pytest_ppteval.agent.spec import AgentStopped

if TYPE_CHECKING:
    from pathlib import Path

    from agents_here import Bench


@pytest.mark.parametrize(
    ("does", "status", "reason"),
    [
        pytest.param("start edit", "finished", "", id="good"),
        pytest.param("start look", "finished", "", id="ends well, leaves no deck: the judges' business"),
        pytest.param("crash", "infrastructure", "it ended with exit code 1 before it did anything: Traceback: it broke",
                     id="crashes before it begins"),
        pytest.param("start crash", "infrastructure", "it ended with exit code 1 before it did anything: Traceback: it "
                     "broke", id="crashes before acting"),
        pytest.param("start look crash", "failed", "it ended with exit code 1: Traceback: it broke",
                     id="crashes after a call"),
        pytest.param("start look abort", "failed", "it ended with signal 6 (SIGABRT)", id="killed by a signal"),
        pytest.param("start half crash", "failed", "it ended with exit code 1: Traceback: it broke",
                     id="crashes while writing the deck"),
        pytest.param("start look busy", "infrastructure", "no seat is free", id="exit code 75, whatever it did"),
        pytest.param("start look fail:API_Error:_529_overloaded_error", "infrastructure",
                     "API Error: 529 overloaded error", id="overloaded"),
        pytest.param("start edit fail:API_Error:_500_Internal_server_error", "infrastructure",
                     "API Error: 500 Internal server error", id="server error after the deck was made"),
        pytest.param("start fail:API_Error:_Rate_limit_reached", "infrastructure", "API Error: Rate limit reached",
                     id="rate limit"),
        pytest.param("start fail:Invalid_API_key._Please_run_/login", "infrastructure",
                     "it ended with exit code 1 before it did anything: Invalid API key. Please run /login",
                     id="not logged in"),
        pytest.param("start look fail:The_billing_and_authentication_slides_are_missing", "failed",
                     "it ended with exit code 1: The billing and authentication slides are missing",
                     id="words of the model's"),
        pytest.param("start look fail:I_give_up_on_slide_500", "failed",
                     "it ended with exit code 1: I give up on slide 500", id="gives up"),
        pytest.param("start garbage", "finished", "", id="garbage between the events"),
    ],
)  # fmt: skip
def test_how_it_ended(does: str, status: str, reason: str, bench: Bench) -> None:
    run = bench.run(does)
    assert (run.status, run.reason) == (status, reason)
    assert read_agent_run(bench.into) == run


def test_an_agent_of_nothing_but_garbage(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [head, -c, '9000', /dev/urandom]\ntrace: stdout\nresponse: stdout")
    run = run_agent(spec, bench.task(), bench.into)
    assert run.status == "finished"
    assert run.notes[0].startswith("the trace can't be read: trace.jsonl: no trace format recognised")
    assert (bench.into / "stdout.txt").stat().st_size == 9000


@pytest.mark.parametrize(
    ("program", "content", "reason"),
    [
        pytest.param("./agent", None, "there is no ./agent in the workspace: {{here}} is ", id="not there"),
        pytest.param("{}/agent", "#!/bin/sh\n", "{}/agent is not executable: chmod +x, ", id="not executable"),
        pytest.param("{}/agent", "#!/no/such/shell\n", "{}/agent names an interpreter in its first line that is not ",
                     id="no interpreter"),
        pytest.param("{}/agent", "\x00\x01", "{}/agent is no program: it needs a first line with #!", id="no program"),
    ],
)  # fmt: skip
def test_a_program_that_cannot_start(program: str, content: str | None, reason: str, bench: Bench) -> None:
    path = bench.folder / "agent"
    if content is not None:
        path.write_text(content)
        path.chmod(0o644 if "not executable" in reason else 0o755)
    started: list[int] = []
    spec = bench.agent(f"kind: command\ncommand: ['{program.format(bench.folder)}']\nretries: {{delay: 60}}")
    run = run_agent(spec, bench.task(), bench.into, on_start=started.append)
    assert run.status == "infrastructure"
    assert run.reason.startswith(reason.format(bench.folder))
    # Waiting won't put a program there.
    assert (run.attempts, started) == (1, [])


def test_a_goal_too_long_for_an_argument(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [echo, '{goal}']")
    run = run_agent(spec, bench.task(goal="x" * 3_000_000), bench.into)
    assert run.status == "infrastructure"
    assert run.reason == "the arguments for echo are too long: give the task by stdin or by {task_file}"


def test_a_goal_that_no_argument_can_hold(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [echo, '{goal}']")
    run = run_agent(spec, bench.task(goal="a\0b"), bench.into)
    assert (run.status, run.reason) == ("infrastructure", "echo can't be started: embedded null byte")


def test_a_deck_that_is_not_there(bench: Bench) -> None:
    run = bench.run("start edit", deck=bench.folder / "gone.pptx")
    assert run.status == "infrastructure"
    assert run.reason == f"the deck {bench.folder}/gone.pptx can't be read: No such file or directory"


# ---- trying again ----------------------------------------------------------------------------------------------------


def test_infrastructure_trouble_is_tried_again(bench: Bench) -> None:
    """Each attempt in a workspace of its own; the last one's files are kept."""
    started: list[int] = []
    retries = "retries: {attempts: 3, delay: 0.05}"
    spec = bench.claude_code(f"write:mess.txt first-time:{bench.folder}/tried start edit", retries)
    run = run_agent(spec, bench.task(), bench.into, on_start=started.append)
    assert (run.status, run.attempts, len(set(started))) == ("finished", 2, 2)
    assert run.earlier == ("it ended with exit code 1 before it did anything: the first attempt fails",)
    assert run.outside == ("mess.txt",)
    assert (bench.into / "stderr.txt").read_text() == ""


def test_it_is_tried_so_often_and_no_more(bench: Bench) -> None:
    begun = time.monotonic()
    run = bench.run("busy", "retries: {attempts: 3, delay: 0.1}")
    assert (run.status, run.attempts, run.earlier) == ("infrastructure", 3, ("no seat is free",) * 2)
    # 0.1 s before the second attempt, twice that before the third.
    assert time.monotonic() - begun > 0.3


@pytest.mark.parametrize("does", ["start look crash", "start fail:Invalid_API_key"])
def test_what_trying_again_cannot_mend_is_not_tried_again(does: str, bench: Bench) -> None:
    assert bench.run(does, "retries: {attempts: 3, delay: 60}").attempts == 1


def test_a_stop_ends_the_waiting(bench: Bench) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    spec = bench.claude_code("busy", "retries: {attempts: 3, delay: 60}")
    with pytest.raises(AgentStopped):
        run_agent(spec, bench.task(), bench.into, stop=stop)
    assert read_agent_run(bench.into) is None


# ---- the record ------------------------------------------------------------------------------------------------------


def test_the_record(bench: Bench) -> None:
    run = bench.run("start edit write:notes.txt", trial=3)
    assert json.loads((bench.into / RECORD).read_text()) == {
        "format": 1,
        "agent": "a",
        "kind": "command",
        "status": "finished",
        "reason": "",
        "exit_code": 0,
        "started": run.started,
        "seconds": run.seconds,
        "attempts": 1,
        "trial": 3,
        "outside": ["notes.txt"],
        "changed": [],
        "deleted": [],
        "notes": [],
        "earlier": [],
    }


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"format": 2}', '{"format": 1, "agent": "a"}'])
def test_a_record_that_is_none(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / RECORD).write_text(content)
    assert read_agent_run(tmp_path) is None


def test_a_run_takes_the_place_of_the_one_before(bench: Bench) -> None:
    bench.into.mkdir(parents=True)
    for name in ("agent.json", "output.pptx", "trace.sse", "response.md", "results.mine"):
        (bench.into / name).write_text("old")
    (bench.into / "workspace").mkdir()
    (bench.into / "workspace" / "old.txt").write_text("old")
    bench.run("start look")
    names = sorted(path.relative_to(bench.into).as_posix() for path in bench.into.rglob("*"))
    assert names == [
        "agent.json",
        "metrics.json",
        "results.mine",
        "stderr.txt",
        "stdout.txt",
        "trace.jsonl",
        "workspace",
    ]


def test_a_link_in_the_place_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "workspace").symlink_to(tmp_path / "mine")
    clear(tmp_path / "run")
    assert os.listdir(tmp_path / "run") == []
    assert (tmp_path / "mine" / "file").exists()


def test_stored_runs_are_not_run(bench: Bench) -> None:
    spec = bench.agent("kind: recorded\noutputs: .")
    with pytest.raises(ValueError, match="agent 'a' is of kind recorded: its runs are in "):
        run_agent(spec, bench.task(), bench.into)
