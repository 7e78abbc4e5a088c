"""Agents end when they are told to, when Ctrl-C is pressed, and when pytest itself is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agents_here import alive, pids_in, wait_for

from pytest_ppteval.agent.process import stop_all
from pytest_ppteval.agent.run import read_agent_run, run_agent
from pytest_ppteval.agent.spec import AgentStopped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agents_here import Bench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the agents' children flee from their group")

# A process as pytest is one: it runs an agent, and may be interrupted or killed.
HOST = """\
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is started without one
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from agents_here import Bench
from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.agent.spec import AgentStopped
folder = Path(sys.argv[2])
bench = Bench(folder, folder / "intro.pptx")
spec = bench.claude_code(sys.argv[3])
if sys.argv[4] == "thread":
    thread = threading.Thread(target=run_agent, args=(spec, bench.task(), bench.into))
    thread.start()
    thread.join()
try:
    run_agent(spec, bench.task(), bench.into, on_start=lambda pid: print(pid, flush=True))
except KeyboardInterrupt:
    sys.exit(130)
"""


def children_up(pids: Path) -> bool:
    return pids.exists() and len(pids_in(pids)) == 3


def left_running(bench: Bench) -> list[int]:
    return [pid for pid in pids_in(bench.folder / "pids") if alive(pid)]


@pytest.mark.parametrize("how", ["event", "stop_all"])
@pytest.mark.parametrize("does", ["", "deaf"])
def test_a_run_that_is_stopped(how: str, does: str, bench: Bench) -> None:
    """It counts as not made, and nothing of it goes on."""
    pids = bench.folder / "pids"
    stop = threading.Event()

    def end() -> None:
        wait_for(lambda: children_up(pids))
        if how == "event":
            stop.set()
        else:
            stop_all()
            # It has waited for the end.
            assert left_running(bench) == []
            ended.set()

    ended = threading.Event()
    thread = threading.Thread(target=end)
    thread.start()
    spec = bench.claude_code(f"{does} start edit children:{pids} wait:60")
    with pytest.raises(AgentStopped):
        run_agent(spec, bench.task(), bench.into, stop=stop)
    thread.join()
    assert how == "event" or ended.is_set()
    assert left_running(bench) == []
    assert read_agent_run(bench.into) is None


def test_a_run_that_is_stopped_before_it_began(bench: Bench) -> None:
    stop = threading.Event()
    stop.set()
    started: list[int] = []
    with pytest.raises(AgentStopped):
        run_agent(bench.claude_code("start"), bench.task(), bench.into, stop=stop, on_start=started.append)
    assert started == []


def test_what_on_start_raises_ends_the_agent(bench: Bench) -> None:
    started: list[int] = []

    def refuse(pid: int) -> None:
        started.append(pid)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_agent(bench.claude_code("start wait:60"), bench.task(), bench.into, on_start=refuse)
    assert not alive(started[0])
    assert read_agent_run(bench.into) is None


def test_several_agents_at_once_are_all_stopped(bench: Bench) -> None:
    spec = bench.claude_code("start wait:60")
    started: list[int] = []
    stopped: list[int] = []

    def run(number: int) -> None:
        try:
            run_agent(spec, bench.task(), bench.folder / str(number), on_start=started.append)
        except AgentStopped:
            stopped.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(started) == 4)
    stop_all()
    for thread in threads:
        thread.join()
    assert sorted(stopped) == [0, 1, 2, 3]
    assert not any(map(alive, started))


def test_a_forked_child_that_exits_has_no_say(bench: Bench) -> None:
    """What is registered to run at the exit of pytest runs in the child as well."""

    def fork(pid: int) -> None:
        child = os.fork()
        if child == 0:
            stop_all()
            os._exit(0)
        os.waitpid(child, 0)

    run = run_agent(bench.claude_code("start wait:0.5 edit"), bench.task(), bench.into, on_start=fork)
    assert run.status == "finished"


# ---- the end of pytest -----------------------------------------------------------------------------------------------


@pytest.fixture
def temporary(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the host makes workspaces: a folder of its own, so that one can see what it leaves there."""
    path = bench.folder / "tmp"
    path.mkdir()
    return path


def host(bench: Bench, temporary: Path, does: str, thread: str = "main") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOST, str(Path(__file__).parent), str(bench.folder), does, thread],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_ctrl_c(bench: Bench, temporary: Path) -> None:
    """The terminal's signal is for pytest; the agent, in a session of its own, is ended by it."""
    pids = bench.folder / "pids"
    with host(bench, temporary, f"start children:{pids} wait:60") as process:
        wait_for(lambda: children_up(pids), 30)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (130, "")
    assert left_running(bench) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("thread", ["main", "thread"])
def test_pytest_is_killed(number: signal.Signals, thread: str, bench: Bench, temporary: Path) -> None:
    """Nothing of the agent survives it, and its workspace is removed."""
    pids = bench.folder / "pids"
    with host(bench, temporary, f"deaf start children:{pids} wait:60", thread) as process:
        wait_for(lambda: children_up(pids), 30)
        process.send_signal(number)
        process.wait(30)
    wait_for(lambda: not left_running(bench) and not list(temporary.iterdir()))
    assert read_agent_run(bench.into) is None


@pytest.fixture
def forked_child() -> Iterator[list[int]]:
    pids: list[int] = []
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def test_pytest_is_killed_and_a_child_of_it_lives_on(bench: Bench, temporary: Path, forked_child: list[int]) -> None:
    """A child that a test forked has what pytest has open; the agent's end must not depend on that."""
    script = HOST.replace(
        "lambda pid: print(pid, flush=True)", "lambda pid: print(os.fork() or __import__('time').sleep(60), flush=True)"
    )
    pids = bench.folder / "pids"
    with subprocess.Popen(
        [sys.executable, "-c", f"import os\n{script}", str(Path(__file__).parent), str(bench.folder),
         f"start children:{pids} wait:60", "main"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        forked_child.append(int(process.stdout.readline()))
        wait_for(lambda: children_up(pids), 30)
        process.kill()
        process.wait(30)
        wait_for(lambda: not left_running(bench))
        assert alive(forked_child[0])
