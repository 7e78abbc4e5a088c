"""Agents of kind python: a function in a process of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from agents_here import Bench

    from pytest_ppteval.agent.spec import AgentRun

EVENTS = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "add_slide"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


def run(bench: Bench, body: str, more: str = "", **task: object) -> AgentRun:
    """A run of the function with this body, in a module beside the settings file."""
    lines = "\n    ".join(body.splitlines())
    head = "import shutil, sys\n\nasync def nothing(): ...\n"
    (bench.folder / "my_agent.py").write_text(f"{head}\ndef run(task):\n    {lines}\n")
    spec = bench.agent(f"kind: python\nfunction: my_agent:run\nretries: {{attempts: 1}}\n{more}")
    return run_agent(spec, bench.task(**task), bench.into)


def trace_of(run: AgentRun) -> Trace:
    trace = Run(run.folder).trace
    assert isinstance(trace, Trace)
    return trace


def test_it_gets_the_task_and_leaves_the_deck(bench: Bench) -> None:
    body = (
        "assert task.goal == 'Make it lecture 4.' and task.prompt.startswith(task.goal)\n"
        "assert task.input.parent == task.output.parent == task.workspace == task.workspace.cwd()\n"
        "assert task.task_file.read_text().startswith('# Task')\n"
        "assert (task.trial, task.options) == (2, {'depth': 3})\n"
        "shutil.copy(task.input, task.output)"
    )
    result = run(bench, body, "options: {depth: 3}", trial=2)
    assert (result.status, result.reason) == ("finished", "")
    assert (bench.into / "output.pptx").is_file()
    assert not list(bench.into.glob("trace.*"))


def test_text_is_its_response(bench: Bench) -> None:
    result = run(bench, "return 'I made it 4 \\u2713'")
    assert Run(result.folder).response == "I made it 4 ✓"


def test_data_is_its_trace(bench: Bench) -> None:
    trace = trace_of(run(bench, f"return {EVENTS!r}"))
    assert (trace.format, [step.tool for step in trace.steps]) == ("agui", ["add_slide"])


def test_both(bench: Bench) -> None:
    lines = "\n".join(map(json.dumps, EVENTS))
    result = run(bench, f"return {{'trace': {lines!r}, 'response': 'Done.'}}")
    assert (len(trace_of(result).steps), Run(result.folder).response) == (1, "Done.")


def test_messages_of_an_sdk_are_written_as_data(bench: Bench) -> None:
    body = (
        "class Event:\n"
        "    def __init__(self, data): self.data = data\n"
        "    def model_dump(self, mode): return self.data\n"
        f"return [Event(event) for event in {EVENTS!r}]"
    )
    assert len(trace_of(run(bench, body)).steps) == 1


def test_a_coroutine_is_awaited(bench: Bench) -> None:
    assert run(bench, "async def work():\n    await nothing()\n    return 'Done.'\nreturn work()").status == "finished"
    assert (bench.into / "response.md").read_text() == "Done."


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        pytest.param("1 / 0", "infrastructure", "it ended with exit code 1 before it did anything: ZeroDivisionError: "
                     "division by zero", id="fails before it acts"),
        pytest.param("shutil.copy(task.input, task.output)\n1 / 0", "failed", "it ended with exit code 1: "
                     "ZeroDivisionError: division by zero", id="fails after it acted"),
        pytest.param("from pytest_ppteval.agent.inpython import Temporary\nraise Temporary('no seat is free')",
                     "infrastructure", "no seat is free", id="says that it can't work now"),
        pytest.param("sys.exit(3)", "infrastructure", "it ended with exit code 3 before it did anything", id="exits"),
        pytest.param("shutil.copy(task.input, task.output)\nreturn [object()]", "failed", "it ended with exit code 1: "
                     "TypeError: the function returned a object inside of its trace: make it JSON data",
                     id="returns what is no data"),
        pytest.param("import time; time.sleep(60)", "timeout", "it was still running after 1 s (its timeout)",
                     id="hangs"),
        pytest.param("import os; os.abort()", "infrastructure", "it ended with signal 6 (SIGABRT) before it did "
                     "anything", id="dies"),
    ],
)  # fmt: skip
def test_how_it_ends(body: str, status: str, reason: str, bench: Bench) -> None:
    result = run(bench, body, "timeout: 1" if "sleep" in body else "")
    assert (result.status, result.reason) == (status, reason)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("no_such_module:run", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("my_agent:walk", "AttributeError: module 'my_agent' has no attribute 'walk'"),
    ],
)
def test_a_function_that_is_not_there(function: str, reason: str, bench: Bench) -> None:
    (bench.folder / "my_agent.py").touch()
    spec = bench.agent(f"kind: python\nfunction: {function}\nretries: {{attempts: 1}}")
    result = run_agent(spec, bench.task(), bench.into)
    assert result.reason == f"it ended with exit code 1 before it did anything: {reason}"


def test_files_in_the_workspace_are_no_modules(bench: Bench) -> None:
    """An input named as a module of the standard library would be imported in its place."""
    (bench.folder / "wrong.py").write_text("raise SystemExit('imported the wrong one')")
    spec = bench.agent("kind: python\nfunction: my_agent:run\nfiles: {json.py: wrong.py}")
    (bench.folder / "my_agent.py").write_text("def run(task):\n    import json\n    return json.dumps('right')\n")
    run_agent(spec, bench.task(), bench.into)
    assert (bench.into / "response.md").read_text() == '"right"'
