"""A session that is killed at any moment loses what ran then and nothing else; --ppteval-resume does the rest."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.runs.journal import read

if TYPE_CHECKING:
    from pathlib import Path

    from agent_project import AgentProject

TASKS = 6


@pytest.fixture
def slow_tasks(agents: AgentProject) -> AgentProject:
    for number in range(TASKS):
        agents.does(f"t{number}", "sleep=0.2")
    return agents


def start(agents: AgentProject, *arguments: str, stdout: Path | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "cases", "-p", "no:cacheprovider", "--ppteval-agent=program", *arguments]
    with open(stdout or os.devnull, "wb") as shown:
        return subprocess.Popen(
            command, cwd=agents.pytester.path, stdout=shown, stderr=subprocess.DEVNULL, start_new_session=True
        )


def judged(agents: AgentProject, run: str) -> set[str]:
    if not (agents.pytester.path / run / "run.json").exists():
        return set()
    journal = read(agents.pytester.path / run)
    assert journal.problems == ()
    return {str(record["task_id"]) for record in journal.records.values() if record["complete"]}


def starts(agents: AgentProject) -> int:
    return len(agents.started())


def kill_and_resume(agents: AgentProject, run: str, seconds: float, workers: tuple[str, ...]) -> None:
    """Kill a session after so long, the controller alone, and look that another one ends the work."""
    process = start(agents, f"--ppteval-results={run}", *workers)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 20  # what it left behind ends by itself: workers, agents
    while _children_of_session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _children_of_session(process.pid)
    before, started = judged(agents, run), starts(agents)
    if not (agents.pytester.path / run / "run.json").exists():
        return  # killed before there was a session
    assert start(agents, f"--ppteval-resume={run}").wait(timeout=120) == 0
    assert judged(agents, run) == {f"t{number}" for number in range(TASKS)}
    # What was judged is not run again. What had been run, and not judged, may have its run used.
    assert starts(agents) - started <= TASKS - len(before)


def _children_of_session(session: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_session_is_resumed(slow_tasks: AgentProject) -> None:
    kill_and_resume(slow_tasks, "run", 3.0, ())


@pytest.mark.slow  # thirty sessions and as many resumed ones: about four minutes
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_sessions_killed_at_thirty_random_moments_are_resumed(slow_tasks: AgentProject) -> None:
    chance = random.Random(6)
    for number in range(30):
        workers = ("-n2",) if number % 3 == 0 else ()
        kill_and_resume(slow_tasks, f"run-{number}", chance.uniform(0.6, 6.0), workers)


@pytest.mark.slow  # two sessions, one with an agent that sleeps: ten seconds
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_ctrl_c_ends_the_agents_and_leaves_a_session_to_resume(slow_tasks: AgentProject) -> None:
    slow_tasks.does("t0", "sleep=30")
    process = start(slow_tasks, "--ppteval-results=run", stdout=slow_tasks.pytester.path / "shown.txt")
    deadline = time.monotonic() + 60
    while not slow_tasks.started() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=20) == pytest.ExitCode.INTERRUPTED
    shown = (slow_tasks.pytester.path / "shown.txt").read_text("utf-8")
    assert f"what is not done yet is run by --ppteval-resume={slow_tasks.pytester.path / 'run'}" in shown
    assert _children_of_session(process.pid) == []
    slow_tasks.does("t0", "good")
    assert start(slow_tasks, "--ppteval-resume=run").wait(timeout=120) == 0
    assert len(judged(slow_tasks, "run")) == TASKS
