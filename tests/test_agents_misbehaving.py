"""Agents that misbehave: none hangs a session, outlives it, breaks a later one, or gets away with its own limit.

What they do is in tests/agents/misbehaving.py; they are started as Claude Code is, unless said.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agents_here import CODEX, COPILOT, alive, pids_in, place_program

from pytest_ppteval.agent.process import Job, run_process
from pytest_ppteval.agent.run import read_agent_run, run_agent
from pytest_ppteval.agent.workspace import sweep
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from agents_here import Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the agents here fork")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere orphans are not handed on")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where workspaces are made, for one that looks at what is left there."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


# ---- what it leaves --------------------------------------------------------------------------------------------------


def test_folders_a_thousand_deep(bench: Bench, temporary: Path) -> None:
    """The deck is kept; what no path reaches is told of by its number; all of it is removed."""
    run = bench.run("start edit deep:1000")
    assert (run.status, (bench.into / "output.pptx").is_file()) == ("finished", True)
    # 1,000 folders and a file; 19 folders of 50 bytes have a path of 968.
    beyond = "982 files and folders lie more than 64 folders deep, or have paths of more than 1,000 bytes"
    assert run.notes == (f"{beyond}: the others are neither kept nor told of",)
    assert list(temporary.iterdir()) == []
    assert read_agent_run(bench.into) == run


def test_a_hundred_thousand_files(bench: Bench) -> None:
    run = bench.run("start edit many:20000")
    assert run.status == "finished"
    assert len(run.outside) > 9_990  # of 10,000 that are told of some are the task's own
    assert " files in the workspace, 10,000 are told of: the others are neither kept nor told of" in run.notes[0]
    assert len(list((bench.into / "workspace" / "many").iterdir())) == 2_000


def test_odd_names_and_locked_folders(bench: Bench, temporary: Path) -> None:
    run = bench.run("start edit odd-names")
    assert run.status == "finished"
    assert set(run.outside) == {
        "-rf", "\\udcff\\udcfe", "a\x1b[2Jb", "locked/in/file", "new\nline", "x" * 255,
    }  # fmt: skip
    assert list(temporary.iterdir()) == []
    assert read_agent_run(bench.into) == run


def test_the_sweep_takes_what_others_left_and_never_fails(tmp_path: Path) -> None:
    old = tmp_path / "ppteval-agent-old"
    old.mkdir()
    here = os.open(old, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    (tmp_path / "ppteval-agent-file").touch()
    (tmp_path / "ppteval-agent-link").symlink_to("/etc")
    os.utime(old, (1, 1))
    sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["ppteval-agent-file", "ppteval-agent-link"]
    sweep(tmp_path / "none")


def test_a_link_in_the_place_of_the_workspace(bench: Bench) -> None:
    """Nothing of the folder that it leads to is taken for the agent's work."""
    mine = bench.folder / "mine"
    mine.mkdir()
    for name in ("secret.txt", "output.pptx"):
        (mine / name).write_text("mine")
    run = bench.run(f"start look away:{mine}")
    assert not (bench.into / "output.pptx").exists()
    assert list((bench.into / "workspace").iterdir()) == []
    assert run.notes == ("the workspace is no folder of its own any more",)
    assert sorted(os.listdir(mine)) == ["output.pptx", "secret.txt"]


# ---- who watches it --------------------------------------------------------------------------------------------------


@on_linux
def test_a_child_that_clears_its_environment(bench: Bench) -> None:
    pids = bench.folder / "pids"
    bench.run(f"start flee:{pids} edit")
    assert [pid for pid in pids_in(pids) if alive(pid)] == []


@on_linux
def test_an_agent_that_kills_who_watches_it(bench: Bench) -> None:
    """It acted, so that what it left is judged; nothing that it started survives."""
    pids = bench.folder / "pids"
    run = bench.run(f"start edit flee:{pids} kill-supervisor")
    assert (run.status, run.reason) == ("failed", "the process that watches the agent ended")
    assert [pid for pid in pids_in(pids) if alive(pid)] == []
    assert (bench.into / "output.pptx").is_file()


@on_linux
def test_an_agent_that_halts_who_watches_it(bench: Bench) -> None:
    """It is set going again, so that the time limit holds."""
    pids = bench.folder / "pids"
    begun = time.monotonic()
    run = bench.run(f"start flee:{pids} halt-supervisor:100", "timeout: 3")
    assert time.monotonic() - begun < 90
    assert run.status == "timeout"
    assert [pid for pid in pids_in(pids) if alive(pid)] == []


@on_linux
def test_pytest_keeps_a_deadline_of_its_own(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the case that the supervisor doesn't come to its senses."""
    monkeypatch.setattr("pytest_ppteval.agent.process._PATIENCE", 1.0)
    pids = bench.folder / "pids"
    base = bench.folder / "base"
    base.mkdir()
    # It never lets go of the supervisor, from several processes.
    code = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1]); from agents.misbehaving import flee\n"
        "flee(sys.argv[2]); watcher = os.getppid(); os.fork(); os.fork()\n"
        "while True: os.kill(watcher, signal.SIGSTOP)\n"
    )
    job = Job(
        argv=(sys.executable, "-I", "-S", "-c", code, str(Path(__file__).parent), str(pids)),
        cwd=base,
        env={"PATH": os.environ["PATH"]},
        base=base,
        stdout=bench.folder / "stdout.txt",
        stderr=bench.folder / "stderr.txt",
        timeout=2,
    )
    begun = time.monotonic()
    assert run_process(job).how == "timeout"
    assert time.monotonic() - begun < 60
    assert [pid for pid in pids_in(pids) if alive(pid)] == []


# ---- its limits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["", "gone", "sparse"])
def test_a_file_that_grows_beyond_the_disk_limit(how: str, bench: Bench) -> None:
    """The kernel's refusal comes before the watch can see the disk: it is the agent's failure all the same."""
    run = bench.run(f"start too-large:{how}", "disk_limit: 10\nretries: {attempts: 2, delay: 1}")
    assert (run.status, run.attempts) == ("failed", 1)
    assert run.reason == "it filled its workspace: more than 10 MB (its disk_limit)"


@pytest.mark.slow  # six seconds: there must be millions
def test_millions_of_short_lines(bench: Bench) -> None:
    """They are cut, and a line says so: reading them as a trace would take minutes."""
    run = bench.run("start look short-lines:3000000 edit", "output_limit: 8")
    text = (bench.into / "stdout.txt").read_bytes()
    assert text.count(b"\n") < 8_000_000 // 64 + 20_000 + 3
    assert b" bytes cut here]\n" in text
    assert text.count(b"[ppteval: ") == 1
    assert run.status == "finished"
    assert Run(bench.into).response == "Done: the lecture is number 4."


# ---- after its end ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "program", "script"),
    [
        pytest.param("claude-code", "claude", None, id="claude-code"),
        pytest.param("codex", "codex", CODEX, id="codex"),
        pytest.param("copilot", "copilot", COPILOT, id="copilot"),
    ],
)
def test_a_preset_that_hangs_after_its_final_event(
    preset: str, program: str, script: Path | None, bench: Bench
) -> None:
    """It finished: it is stopped after a short grace, and its time is that of the event."""
    does, more = "start edit end wait:100", "timeout: 90\nlinger: 0.5"
    if script is None:
        run = bench.run(does, more)
    else:
        place_program(bench.folder / "bin" / program, script)
        path = f"{bench.folder / 'bin'}:{os.environ['PATH']}"
        spec = bench.agent(f"preset: {preset}\nenv: {{set: {{PATH: '{path}', AGENT_DOES: '{does}'}}}}\n{more}")
        run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.reason, run.exit_code) == ("finished", "", None)
    assert run.notes == ("it went on for 0.5 s after its final event, and was stopped",)
    assert run.seconds < 60
    trace = Run(bench.into).trace
    assert isinstance(trace, Trace)
    assert (trace.status, trace.final_response) == ("finished", "Done: the lecture is number 4.")


@pytest.mark.parametrize("where", ["stdout", "logs/*.jsonl", None])
def test_any_command_that_hangs_after_its_final_event(where: str | None, bench: Bench) -> None:
    """AG-UI's events, on stdout, in a file that a glob names, and in $PPTEVAL_TRACE."""
    events = [
        '{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}',
        '{"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}',
        '{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Done."}',
        '{"type": "TEXT_MESSAGE_END", "messageId": "m"}',
        '{"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}',
    ]
    target = {"stdout": "/dev/stdout", "logs/*.jsonl": "logs/a.jsonl", None: '"$PPTEVAL_TRACE"'}[where]
    script = bench.folder / "agent.sh"
    text = "".join(f"echo '{event}' >> {target}\n" for event in events)
    script.write_text(f"mkdir -p logs\n{text}sleep 100\n")
    more = "" if where is None else f"trace: '{where}'\n"
    spec = bench.agent(f"kind: command\ncommand: [sh, '{script}']\n{more}timeout: 90\nlinger: 0.5")
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.reason) == ("finished", "")
    assert "it went on for 0.5 s after its final event, and was stopped" in run.notes
    assert Run(bench.into).response == "Done."


def test_what_goes_on_after_an_event_of_that_kind_has_not_ended(bench: Bench) -> None:
    """A result in the middle is none; neither is a tool's, whatever its program calls it."""
    run = bench.run("start end look wait:1.5 edit", "timeout: 60\nlinger: 1")
    assert (run.status, run.exit_code, run.notes) == ("finished", 0, ())
    lines = "; ".join(f"echo '{line}'; sleep 1.5" for line in ('{"type": "result", "tool": "x"}', '{"type": "end"}'))
    script = bench.folder / "agent.sh"
    script.write_text(f"{lines}\n")
    spec = bench.agent(f"kind: command\ncommand: [sh, '{script}']\nlinger: 0.2")
    assert run_agent(spec, bench.task(), bench.into).exit_code == 0
