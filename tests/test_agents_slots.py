"""At most so many agents at once, over all processes of a run."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.slots import agent_slot
from pytest_ppteval.agent.spec import AgentStopped

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """\
import sys, threading, time
from pathlib import Path
from pytest_ppteval.agent.slots import agent_slot
with agent_slot(Path(sys.argv[1]), int(sys.argv[2]), threading.Event()):
    print("held", flush=True)
    time.sleep(float(sys.argv[3]))
"""


def hold(folder: Path, count: int, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(folder), str(count), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_never_more_than_so_many(tmp_path: Path) -> None:
    """Threads here, as many as there are processes in a large run."""
    lock = threading.Lock()
    running = most = done = 0

    def work() -> None:
        nonlocal running, most, done
        with agent_slot(tmp_path / "slots", 3, threading.Event()):
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.05)
            with lock:
                running -= 1
                done += 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (3, 12)


def test_other_processes_hold_them_too_and_a_killed_one_gives_its_back(tmp_path: Path) -> None:
    with hold(tmp_path, 1, 60) as process:
        assert heard(process) == "held\n"
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(AgentStopped), agent_slot(tmp_path, 1, stop):
            pytest.fail("two hold it")
        process.kill()
        process.wait()
        with agent_slot(tmp_path, 1, threading.Event()):
            pass


def test_a_slot_comes_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), agent_slot(tmp_path, 1, threading.Event()):
        raise ZeroDivisionError
    with agent_slot(tmp_path, 1, threading.Event()):
        pass
