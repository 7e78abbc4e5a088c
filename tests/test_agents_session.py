"""--ppteval-agent: pytest runs the agent on each task, and judges what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from agent_project import AgentProject


def kept(agents: AgentProject, task: str, trial: int = 1, folder: str = "run") -> Path:
    return agents.pytester.path / folder / "artifacts" / "cases" / task / f"trial-{trial}"


def test_the_agent_runs_and_its_deck_is_judged(agents: AgentProject) -> None:
    agents.does("right", "good")
    agents.does("wrong", "bad")
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*critical leaf 'Good' falls short: 0.00: it is bad", "1 passed, 1 failed"])
    assert agents.started() == ["good", "bad"]
    assert (kept(agents, "right") / "output.pptx").is_file()
    told = json.loads((kept(agents, "right") / "agent.json").read_text("utf-8"))
    assert (told["status"], told["exit_code"], told["agent"]) == ("finished", 0, "program")


def test_an_agent_that_leaves_no_deck_fails_its_task(agents: AgentProject) -> None:
    agents.does("idle", "nothing")
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*the agent left no deck*", "1 failed"])


def test_infrastructure_trouble_is_an_error_after_retries_and_never_a_score(agents: AgentProject) -> None:
    agents.does("down", "busy")
    agents.does("again", "once")
    result = agents.run_agent("-v")
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(["agent program: *(2 attempts): no run, so that nothing is scored"])
    assert agents.started() == ["busy", "busy", "once", "once"]
    record = agents.records()["down", 1]
    assert (record["verdict"], record["score"], record["complete"]) == ("error", None, False)
    assert agents.records()["again", 1]["run"]["attempts"] == 2


def test_what_the_agent_writes_beside_its_output_is_told(agents: AgentProject) -> None:
    agents.does("messy", "litter")
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["OUTSIDE cases/tasks.json::messy: the agent also wrote notes.txt"])


def test_the_session_is_kept_by_default(agents: AgentProject) -> None:
    agents.does("right", "good")
    result = agents.run("--ppteval-agent=program")
    (folder,) = (agents.pytester.path / ".ppteval" / "runs").iterdir()
    result.stdout.fnmatch_lines([f"kept in {folder}"])
    assert (agents.pytester.path / ".ppteval" / ".gitignore").read_text("utf-8") == "*\n"
    told = json.loads((folder / "run.json").read_text("utf-8"))
    assert told["agent"] == "program"
    assert told["options"]["outputs"] is None
    assert told["ended"] >= told["started"]
    assert [*(folder / "running").glob("*.json")] == []


def test_workers_keep_every_record_and_run_no_more_agents_than_allowed(agents: AgentProject) -> None:
    for number in range(4):
        agents.does(f"t{number}", "sleep=0.4")
    result = agents.run_agent("-n2", "--ppteval-max-agents=1")
    assert result.ret == pytest.ExitCode.OK
    assert set(agents.records()) == {(f"t{number}", 1) for number in range(4)}
    assert all(record["verdict"] == "passed" for record in agents.records().values())

    def times(name: str) -> list[float]:
        return [float(line.split()[3]) for line in (agents.pytester.path / name).read_text("utf-8").splitlines()]

    started, ended = times("started.txt"), times("ended.txt")
    assert all(end <= start for end, start in zip(ended[:-1], started[1:], strict=True))


def test_without_agents_results_are_kept_where_asked(agents: AgentProject) -> None:
    agents.does("t", "good")
    agents.outputs()
    agents.run("--ppteval-results=run")
    record = agents.records()["t", 1]
    assert (record["agent"], record["run"], record["verdict"]) == (None, None, "failed")
    assert (kept(agents, "t") / "output.pptx").read_bytes() == (
        agents.pytester.path / "outputs" / "t" / "output.pptx"
    ).read_bytes()


def test_a_run_that_collects_only_makes_no_folder(agents: AgentProject) -> None:
    agents.does("t", "good good", trials=2)
    result = agents.run("--ppteval-agent=program", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["cases/tasks.json::t[[]trial-1[]]", "cases/tasks.json::t[[]trial-2[]]"])
    assert not (agents.pytester.path / ".ppteval").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ppteval-agent=progam"], "*no agent 'progam' in *ppteval.yaml: did you mean 'program'?*"),
        (["--ppteval-agent=program", "--ppteval-rescore=x"], "*--ppteval-rescore*"),
        (["--ppteval-resume=none"], "*--ppteval-resume: no such folder: *none"),
        (["--ppteval-resume=cases"], "*cases is no run directory: run.json is not in it*"),
        (["--ppteval-trials=0"], "*'0' is not a whole number of 1 or more*"),
        (["--ppteval-agent=program", "--ppteval-results=cases"], "*cases*"),
    ],
)
def test_options_that_can_t_be_met_stop_the_run_at_once(
    agents: AgentProject, arguments: list[str], message: str
) -> None:
    agents.does("t", "good")
    result = agents.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert agents.started() == []


def test_a_missing_settings_file_is_told_of(agents: AgentProject) -> None:
    agents.does("t", "good")
    (agents.pytester.path / "ppteval.yaml").unlink()
    result = agents.run("--ppteval-agent=program")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--ppteval-agent program: there is no ppteval.yaml in *: write one (docs/agents.md)"])


def test_tasks_of_one_id_in_two_files_keep_their_runs_apart(agents: AgentProject) -> None:
    agents.does("t", "good")
    other = json.loads((agents.pytester.path / "cases" / "tasks.json").read_text("utf-8"))
    other["t"]["goal"] = "bad"
    (agents.pytester.path / "cases" / "more.json").write_text(json.dumps(other), "utf-8")
    files = ("cases/tasks.json", "cases/more.json")
    result = agents.run_agent(*files)
    result.stdout.fnmatch_lines(["1 passed, 1 failed"])
    (agents.pytester.path / "started.txt").unlink()
    again = agents.run("--ppteval-rescore=run", *files)
    again.stdout.fnmatch_lines(["1 passed, 1 failed", "0 of 2 tasks changed"])
    # The second alone, its judgement lost: it takes up its own run.
    journal = agents.pytester.path / "run" / "results.jsonl"
    journal.write_text(journal.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    alone = agents.run_agent("--ppteval-resume=run", "cases/more.json")
    alone.stdout.fnmatch_lines(["1 failed"])
    assert agents.started() == []


@pytest.mark.parametrize("name", ["modified_ppt_path", "ppteval_evidence"])
def test_a_fixture_in_the_place_of_the_run_is_an_error_and_no_score(agents: AgentProject, name: str) -> None:
    agents.does("t", "good")
    body = "return 'cases/intro.pptx'" if name == "modified_ppt_path" else "return None"
    agents.pytester.makeconftest(f"import pytest\n@pytest.fixture\ndef {name}():\n    {body}\n")
    result = agents.run_agent()
    result.stdout.fnmatch_lines(["agent program is to run, but a conftest.py has a modified_ppt_path or ppteval_evid*"])
    record = agents.records()["t", 1]
    assert (record["verdict"], record["score"], record["complete"]) == ("error", None, False)


def test_a_fixture_around_the_run_is_fine(agents: AgentProject) -> None:
    agents.does("t", "good")
    agents.pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef modified_ppt_path(modified_ppt_path):\n    return modified_ppt_path\n"
    )
    assert agents.run_agent().ret == pytest.ExitCode.OK
    assert agents.started() == ["good"]


def test_outputs_on_the_command_line_win_over_an_agent_of_the_ini_file(agents: AgentProject) -> None:
    agents.does("t", "good")
    agents.outputs()
    agents.pytester.makeini("[pytest]\nppteval_agent = program\n")
    result = agents.run()
    result.stdout.fnmatch_lines(["*1 failed*"])
    assert agents.started() == []


def test_a_session_without_an_agent_is_resumed_whatever_the_ini_file_says(agents: AgentProject) -> None:
    agents.does("t", "good")
    agents.outputs()
    agents.run("--ppteval-results=run")
    agents.pytester.makeini("[pytest]\nppteval_agent = program\n")
    result = agents.run("--ppteval-resume=run")
    result.stdout.fnmatch_lines(["*1 failed*"])
    assert agents.started() == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting a small file system takes root")
def test_a_full_disk_ends_the_session_with_words(agents: AgentProject) -> None:
    for number in range(4):
        agents.does(f"t{number}", "good")
    small = agents.pytester.mkdir("small")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48k", "none", small], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine doesn't let a process mount")
    try:
        result = agents.run_agent("--ppteval-results=small/run")
    finally:
        subprocess.run(["umount", small], check=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    text = result.stdout.str() + result.stderr.str()
    assert "can't be kept: make room, then go on with --ppteval-resume=" in text
    assert "INTERNALERROR" not in text
    assert "Traceback" not in text


def test_what_is_left_to_do_is_told(agents: AgentProject) -> None:
    agents.does("down", "busy")
    result = agents.run_agent()
    folder = agents.pytester.path / "run"
    result.stdout.fnmatch_lines([f"kept in {folder}", f"what is not done yet is run by --ppteval-resume={folder}"])
    agents.does("down", "good")
    done = agents.run_agent("--ppteval-resume=run", "-k", "down")
    done.stdout.no_fnmatch_line("what is not done yet*")


def test_an_agent_that_pytest_timeout_ends_is_an_error_told_in_words(agents: AgentProject) -> None:
    pytest.importorskip("pytest_timeout")
    agents.does("t", "sleep=30")
    result = agents.run_agent("-o", "timeout=2")
    result.stdout.fnmatch_lines(["ERROR cases/tasks.json::t: score 0.00..1.00: *Timeout *"])
    record = agents.records()["t", 1]
    assert (record["verdict"], record["complete"]) == ("error", False)
