"""No agent outlives its time, outgrows its disk, or holds anybody up by what it prints."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agents_here import alive, pids_in, wait_for

from pytest_ppteval.agent.process import Job, run_process
from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from agents_here import Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the agents here fork")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere orphans are not handed on")


def test_a_run_that_takes_too_long(bench: Bench) -> None:
    """What it did until then is kept, to be judged."""
    begun = time.monotonic()
    run = bench.run("start edit wait:60", "timeout: 1.5")
    assert time.monotonic() - begun < 20
    assert (run.status, run.reason, run.exit_code) == (
        "timeout",
        "it was still running after 1.5 s (its timeout)",
        None,
    )
    assert 1.5 <= run.seconds < 10
    assert (bench.into / "output.pptx").is_file()
    trace = Run(bench.into).trace
    assert isinstance(trace, Trace)
    assert (trace.status, len(trace.steps)) == ("truncated", 1)
    # So far, it took so many tokens: that is no number for metrics.json, which is taken to be exact.
    assert list(run.metrics) == ["seconds"]


def test_the_cases_own_time_wins(bench: Bench) -> None:
    assert (
        bench.run("start wait:60", "timeout: 60", timeout=0.5).reason
        == "it was still running after 0.5 s (its timeout)"
    )


def test_a_deck_that_is_never_finished(bench: Bench) -> None:
    run = bench.run("start half wait:60", "timeout: 1.5")
    assert run.status == "timeout"
    half = (bench.into / "output.pptx").read_bytes()
    assert len(half) == bench.deck.stat().st_size // 2


@on_linux
@pytest.mark.parametrize("does", ["edit", "crash", "wait:60", "deaf wait:60"])
def test_nothing_that_it_started_survives(does: str, bench: Bench) -> None:
    """A child, one in a session of its own and one whose parents are gone, all deaf to SIGTERM: at any end."""
    pids = bench.folder / "pids"
    bench.run(f"start children:{pids} {does}", "timeout: 2.5")
    assert len(pids_in(pids)) == 3
    assert [pid for pid in pids_in(pids) if alive(pid)] == []


@on_linux
def test_a_process_that_forks_without_end(bench: Bench) -> None:
    """All are halted before any is killed: else the others would go on."""
    code = (
        "import os, time\nend = time.time() + 30\n"
        "for _ in range(20):\n    if os.fork() == 0:\n        break\n"
        "while time.time() < end:\n    pid = os.fork()\n    if pid: os._exit(0)\n    time.sleep(0.001)\n"
    )
    script = bench.folder / "bomb.py"
    script.write_text(code)
    spec = bench.agent(f"kind: command\ncommand: ['{sys.executable}', -S, '{script}']\ntimeout: 0.5")
    begun = time.monotonic()
    run_agent(spec, bench.task(), bench.into)
    assert time.monotonic() - begun < 10
    mark = str(script).encode()
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark in read(path)]
    assert left == []


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def job_of(bench: Bench, code: str, **more: object) -> Job:
    base = bench.folder / "base"
    base.mkdir(exist_ok=True)
    fields: dict[str, object] = {
        "argv": (sys.executable, "-I", "-S", "-c", code),
        "cwd": base,
        "env": {"PATH": os.environ["PATH"]},
        "base": base,
        "stdout": bench.folder / "stdout.txt",
        "stderr": bench.folder / "stderr.txt",
        "timeout": 0.7,
    }
    return Job(**fields | more)  # type: ignore[arg-type]


@pytest.mark.slow  # five seconds: it waits for a time limit and for orphans
def test_without_linux_its_process_group_and_what_is_below_it_dies(bench: Bench) -> None:
    """An orphan in a session of its own gets away: nobody there can tell whose it was."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from agents.acting import children; from pathlib import Path\n"
        "children(Path(sys.argv[2])); import time; time.sleep(60)"
    )
    pids = bench.folder / "pids"
    job = job_of(bench, code, reach="group", timeout=2.5)
    ended = run_process(replace(job, argv=(*job.argv, str(Path(__file__).parent), str(pids))))
    assert ended.how == "timeout"
    survivors = [pid for pid in pids_in(pids) if alive(pid)]
    assert len(survivors) == 1
    assert os.getsid(survivors[0]) == survivors[0]
    os.kill(survivors[0], signal.SIGKILL)


# ---- what it prints --------------------------------------------------------------------------------------------------


def test_a_flood_of_output_is_cut_and_says_so(bench: Bench) -> None:
    """20 MB through a limit of 0.4 MB; the end is kept, where a trace has its result."""
    run = bench.run("start flood:20000", "output_limit: 0.4")
    assert run.status == "finished"
    text = (bench.into / "stdout.txt").read_bytes()
    assert len(text) < 400_100
    (line,) = [line for line in text.splitlines() if line.startswith(b"[ppteval: ")]
    cut = int(line.removeprefix(b"[ppteval: ").split()[0].replace(b",", b""))
    assert line.endswith(b" bytes cut here]")
    assert cut > 19_000_000
    trace = Run(bench.into).trace
    assert isinstance(trace, Trace)
    assert (trace.status, trace.final_response) == ("finished", "Done: the lecture is number 4.")


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 1500])
def test_output_is_whole_up_to_its_limit(size: int, bench: Bench) -> None:
    code = f"import sys; sys.stdout.write('x' * {size}); sys.stderr.write('y' * {size})"
    ended = run_process(job_of(bench, code, output_limit=1000, timeout=10))
    assert (ended.how, ended.code) == ("exited", 0)
    out = (bench.folder / "stdout.txt").read_bytes()
    if size <= 1000:
        assert out == b"x" * size
    else:
        assert out == b"x" * 750 + f"\n[ppteval: {size - 1000:,} bytes cut here]\n".encode() + b"x" * 250
    assert (bench.folder / "stderr.txt").stat().st_size == len(out)


def test_an_agent_that_does_not_read_its_stdin(bench: Bench) -> None:
    """More than a pipe holds: nobody waits for it to be read."""
    spec = bench.agent("kind: command\ncommand: [echo, done]\nstdin: '{goal}'\nresponse: stdout")
    assert run_agent(spec, bench.task(goal="x" * 1_000_000), bench.into).status == "finished"


def test_stdin_is_empty_unless_said(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [cat]\nresponse: stdout\ntimeout: 5")
    assert run_agent(spec, bench.task(), bench.into).status == "finished"


def test_output_that_cannot_be_written(bench: Bench) -> None:
    """Nothing is started then."""
    started: list[int] = []
    ended = run_process(job_of(bench, "", stdout=bench.folder), on_start=started.append)
    assert (ended.how, started) == ("lost", [])
    assert ended.reason.startswith("the process that watches the agent ended: IsADirectoryError: ")


# ---- its disk --------------------------------------------------------------------------------------------------------


def test_a_workspace_that_is_filled(bench: Bench) -> None:
    run = bench.run("start look fill", "disk_limit: 30")
    assert (run.status, run.reason) == ("failed", "it filled its workspace: more than 30 MB (its disk_limit)")
    kept = sum(path.stat().st_size for path in bench.into.rglob("*") if path.is_file())
    assert kept < 400_000_000


def test_a_temporary_folder_that_is_filled(bench: Bench) -> None:
    """It counts too, and goes with the workspace."""
    spec = bench.agent(
        "kind: command\ncommand: [sh, -c, 'head -c 30000000 /dev/zero > $TMPDIR/x; sleep 60']\ndisk_limit: 20\n"
        "timeout: 30"
    )
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.reason) == ("failed", "it filled its workspace: more than 20 MB (its disk_limit)")


def test_one_file_can_not_outrun_the_watch(bench: Bench) -> None:
    """The kernel stops a file beyond the limit, however fast it is written."""
    code = "f = open('big', 'wb')\ntry:\n    while True: f.write(b'x' * 4_000_000)\nexcept OSError as e: print(e.errno)"
    run_process(job_of(bench, code, disk_limit=10_000_000, timeout=20))
    assert (bench.folder / "base" / "big").stat().st_size <= 10_000_000 + (16 << 20)


# ---- being stopped ---------------------------------------------------------------------------------------------------


@on_linux
def test_nothing_survives_when_the_watching_process_is_killed(bench: Bench) -> None:
    pids = bench.folder / "pids"
    spec = bench.claude_code(f"start children:{pids} wait:60")

    def kill_supervisor() -> None:
        wait_for(lambda: pids.exists() and len(pids_in(pids)) == 3)
        stat = Path(f"/proc/{started[0]}/stat").read_text("utf-8").rpartition(")")[2].split()
        os.kill(int(stat[1]), signal.SIGKILL)

    started: list[int] = []
    killer = threading.Thread(target=kill_supervisor)
    killer.start()
    run = run_agent(spec, bench.task(), bench.into, on_start=started.append)
    killer.join()
    assert (run.status, run.reason) == ("infrastructure", "the process that watches the agent ended")
    assert [pid for pid in [*started, *pids_in(pids)] if alive(pid)] == []
