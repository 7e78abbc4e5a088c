"""Agents as they speak on the wire: Claude Code and Codex by their presets, an AG-UI server by its log of events.

The programs are in tests/agents. Each sees the command line, the stdin and the environment that the real one would.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from agents_here import AGUI, CODEX, COPILOT, place_program

from pytest_ppteval.agent.run import read_agent_run, run_agent
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from pathlib import Path

    from agents_here import Bench

    from pytest_ppteval.agent.spec import AgentRun


def trace_of(run: AgentRun) -> Trace:
    """The trace as graders find it in the run's folder."""
    trace = Run(run.folder).trace
    assert isinstance(trace, Trace)
    return trace


def test_claude_code(bench: Bench) -> None:
    run = bench.run("start look edit")
    assert (run.status, run.reason, run.exit_code, run.attempts) == ("finished", "", 0, 1)
    names = sorted(path.relative_to(bench.into).as_posix() for path in bench.into.rglob("*"))
    assert names == [
        "agent.json",
        "metrics.json",
        "output.pptx",
        "stderr.txt",
        "stdout.txt",
        "trace.jsonl",
        "workspace",
    ]
    assert b"Lecture 4" in deck_xml(bench.into / "output.pptx")
    trace = trace_of(run)
    assert (trace.format, [step.tool for step in trace.steps]) == ("claude-code", ["Read", "Bash"])
    assert Run(run.folder).response == "Done: the lecture is number 4."
    metrics = json.loads((bench.into / "metrics.json").read_text())
    assert metrics == run.metrics
    assert {name: value for name, value in metrics.items() if name != "seconds"} == {
        "input_tokens": 3000,
        "output_tokens": 60,
        "cost_usd": 0.03,
        "tool_calls": 2,
    }
    assert 0 < metrics["seconds"] < 10
    assert read_agent_run(bench.into) == run


def deck_xml(path: Path) -> bytes:
    import zipfile

    with zipfile.ZipFile(path) as deck:
        return deck.read("ppt/slides/slide1.xml")


def test_codex(bench: Bench) -> None:
    place_program(bench.folder / "bin" / "codex", CODEX)
    path = f"{bench.folder / 'bin'}:{os.environ['PATH']}"
    spec = bench.agent(f"preset: codex\nenv: {{set: {{PATH: '{path}', AGENT_DOES: start edit}}}}")
    run = run_agent(spec, bench.task(), bench.into)
    assert run.status == "finished"
    trace = trace_of(run)
    assert (trace.format, trace.final_response) == ("codex-exec", "Done: the lecture is number 4.")
    assert (run.metrics["input_tokens"], run.metrics["tool_calls"]) == (4000, 1)
    assert "cost_usd" not in run.metrics  # Codex doesn't say


def test_copilot(bench: Bench) -> None:
    place_program(bench.folder / "bin" / "copilot", COPILOT)
    path = f"{bench.folder / 'bin'}:{os.environ['PATH']}"
    spec = bench.agent(f"preset: copilot\nenv: {{set: {{PATH: '{path}', AGENT_DOES: start edit}}}}")
    run = run_agent(spec, bench.task(goal="-h 'quoted' $HOME"), bench.into)
    assert (run.status, run.reason) == ("finished", "")
    trace = trace_of(run)
    assert (trace.format, [step.tool for step in trace.steps]) == ("copilot", ["bash"])
    assert trace.final_response == "Done: the lecture is number 4."
    assert run.metrics["input_tokens"] == 2500


def test_a_program_beside_the_settings_file(bench: Bench) -> None:
    (bench.folder / "copy.py").write_text("import shutil, sys\nshutil.copy(*sys.argv[1:])\n")
    spec = bench.agent(f"kind: command\ncommand: ['{sys.executable}', '{{here}}/copy.py', '{{input}}', '{{output}}']")
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.outside) == ("finished", ())


def test_an_agui_server(bench: Bench) -> None:
    """By a command of the user's own, which leaves the events in a file in the workspace."""
    spec = bench.agent(
        f"kind: command\ncommand: ['{sys.executable}', '{AGUI}', '{{input}}', '{{output}}', logs/run.sse]\n"
        "stdin: 'Trial {trial}: {goal}'\ntrace: logs/*.sse\nenv: {set: {AGENT_DOES: start look edit}}"
    )
    run = run_agent(spec, bench.task(trial=2), bench.into)
    assert (run.status, run.trial) == ("finished", 2)
    # What it was set up to write is not "outside of the output path".
    assert (run.outside, run.notes) == ((), ())
    trace = trace_of(run)
    assert (trace.format, [step.tool for step in trace.steps]) == ("agui", ["Read", "Bash"])
    assert (bench.into / "trace.sse").is_file()


def test_the_trace_is_elsewhere(bench: Bench) -> None:
    """As with agents that keep their sessions below the home folder. What lay there before is of other runs."""
    sessions = bench.folder / "home" / "sessions"
    sessions.mkdir(parents=True)
    old = sessions / "old.sse"
    old.write_text("data: {}\n\n")
    os.utime(old, (1, 1))
    command = f"['{sys.executable}', '{AGUI}', '{{input}}', '{{output}}', '{sessions}/new.sse']"
    home = f"{{set: {{AGENT_DOES: start edit, HOME: '{bench.folder}/home'}}}}"
    spec = bench.agent(f"kind: command\ncommand: {command}\nstdin: x\ntrace: '{sessions}/*.sse'\nenv: {home}")
    assert trace_of(run_agent(spec, bench.task(), bench.into)).format == "agui"
    # Of two that were written during the run nobody knows which is the run's: none is taken.
    spec = bench.agent(f"kind: command\ncommand: {command}\nstdin: x\ntrace: '{sessions}/*'\nenv: {home}")
    os.utime(old, None)
    os.utime(old, (2_000_000_000 * 2, 2_000_000_000 * 2))
    run = run_agent(spec, bench.task(), bench.into)
    assert not list(bench.into.glob("trace.*"))
    (note,) = run.notes
    assert note.startswith(f"no trace was kept: 2 files match {sessions}/* ({sessions}/new.sse, {sessions}/old.sse)")


def test_an_agent_that_leaves_no_trace(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [cp, '{input}', '{output}']")
    run = run_agent(spec, bench.task(), bench.into)
    assert (run.status, run.notes, list(run.metrics)) == ("finished", (), ["seconds"])
    assert not list(bench.into.glob("trace.*"))
    assert (bench.into / "output.pptx").read_bytes() == bench.deck.read_bytes()


def test_a_response_by_stdout_or_by_file(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [echo, 'I would: {goal}']\nresponse: stdout")
    run = run_agent(spec, bench.task(), bench.into)
    assert Run(run.folder).response == "I would: Make it lecture 4.\n"
    script = "echo in a file > answer.md"
    spec = bench.agent(f"kind: command\ncommand: [sh, -c, '{script}']\nresponse: answer.md")
    run = run_agent(spec, bench.task(), bench.into)
    assert (Run(run.folder).response, run.outside) == ("in a file\n", ())


def test_a_format_that_is_not_recognised_by_itself(bench: Bench) -> None:
    """A named format is read as that; graders, who look for themselves, find the trace in a form that they know."""
    event = '{"type": "CUSTOM", "name": "x", "value": 1}'
    keys = f"kind: command\ncommand: [echo, '{{{event}}}']\ntrace: stdout\n"
    spec = bench.agent(keys)
    run = run_agent(spec, bench.task(), bench.into)
    assert run.notes[0].startswith("the trace can't be read: trace.jsonl: no trace format recognised")
    spec = bench.agent(keys + "trace_format: agui")
    run = run_agent(spec, bench.task(), bench.into)
    assert run.notes == ()
    assert trace_of(run).format == "agui"
    assert (bench.into / "trace-as-written.jsonl").read_text() == event + "\n"


@pytest.mark.parametrize("preset", ["claude-code", "codex", "copilot"])
def test_a_program_that_is_not_installed(preset: str, bench: Bench) -> None:
    spec = bench.agent(f"preset: {preset}\nenv: {{set: {{PATH: '{bench.folder}'}}}}")
    run = run_agent(spec, bench.task(), bench.into)
    name = {"claude-code": "claude"}.get(preset, preset)
    assert (run.status, run.attempts, run.exit_code) == ("infrastructure", 1, None)
    assert run.reason == f"there is no program {name}: install it, or correct the command or PATH"
