"""Agents that are Python: how their process is started, and the one of kind python inside of it.

In the child: the task is one JSON object on stdin; see `Task` for what the function gets.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.agent.spec import AgentSpec, AgentTask
    from pytest_ppteval.agent.workspace import Workspace

_BUILTIN = "pytest_ppteval.agent.builtin"
_OWN = "pytest_ppteval.agent.inpython"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a function of kind python is asked. Paths are absolute.

    goal: what to do, in words. prompt: the goal, and for a deck where it is and where the result goes.
    input: the deck to start from, or None. output: where the deck goes; None where no deck is asked for.
    workspace: the folder to work in, the current one. task_file: TASK.md there. trial: from 1.
    options: as written below `options` in ppteval.yaml.
    """

    goal: str
    prompt: str
    input: Path | None
    output: Path | None
    workspace: Path
    task_file: Path
    trial: int
    options: Mapping[str, Any] = field(default_factory=dict)


class Temporary(Exception):  # noqa: N818 - it names what happened
    """To be raised by a function that can't work now through no fault of the agent's: the run is tried again."""


def arguments(spec: AgentSpec) -> tuple[str, ...]:
    """The argument vector of the child. It finds what this process finds, and modules beside the settings file."""
    places = [str(spec.folder)] if spec.kind == "python" else []
    places += [os.path.abspath(place) for place in sys.path if place]
    module = _OWN if spec.kind == "python" else _BUILTIN
    # runpy would run this module a second time under another name, and `Task` would be two classes.
    call = (
        "from pytest_ppteval.agent.inpython import main; raise SystemExit(main())"
        if spec.kind == "python"
        else f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    boot = f"import sys; sys.path[:] = {json.dumps(list(dict.fromkeys(places)))}\n{call}"
    more = (str(spec.function),) if spec.kind == "python" else ()
    # -P: the current folder is the agent's, whose files are no modules.
    return (sys.executable, "-P", "-c", boot, *more)


def task_data(spec: AgentSpec, task: AgentTask, workspace: Workspace) -> dict[str, Any]:
    """The task as the child gets it."""
    from pytest_ppteval.agent.workspace import prompt

    return {
        "goal": task.goal,
        "prompt": prompt(task, workspace),
        "input": None if workspace.deck is None else str(workspace.deck),
        "output": None if workspace.output is None else str(workspace.output),
        "workspace": str(workspace.root),
        "task_file": str(workspace.task_file),
        "trial": task.trial,
        "options": dict(spec.options),
    }


def main() -> int:
    """Call the function that the argument names with the task on stdin. Returns the exit code."""
    import traceback

    from pytest_ppteval.agent.status import TEMPORARY

    task = _task(json.load(sys.stdin))
    try:
        returned = _function(sys.argv[1])(task)
        if hasattr(returned, "__await__"):
            import asyncio

            returned = asyncio.run(_awaited(returned))
        _keep(returned)
    except Temporary as trouble:
        print(str(trouble) or "the agent can't work now", file=sys.stderr)
        return TEMPORARY
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def _task(data: dict[str, Any]) -> Task:
    def path(name: str) -> Path | None:
        return None if data[name] is None else Path(data[name])

    return Task(
        goal=data["goal"],
        prompt=data["prompt"],
        input=path("input"),
        output=path("output"),
        workspace=Path(data["workspace"]),
        task_file=Path(data["task_file"]),
        trial=data["trial"],
        options=data["options"],
    )


def _function(name: str) -> Any:
    from importlib import import_module

    module, _, path = name.partition(":")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


async def _awaited(value: Any) -> Any:
    return await value


def _keep(returned: Any) -> None:
    """Text is the final response; an object with only "trace" and "response" is both; other data is the trace."""
    if returned is None:
        return
    trace, response = returned, None
    if isinstance(returned, str):
        trace, response = None, returned
    elif isinstance(returned, dict) and returned and set(returned) <= {"trace", "response"}:
        trace, response = returned.get("trace"), returned.get("response")
    if response is not None:
        _place("PPTEVAL_RESPONSE").write_text(str(response), "utf-8", "replace")
    if trace is not None:
        text = trace if isinstance(trace, str) else json.dumps(trace, default=_plain)
        _place("PPTEVAL_TRACE").write_text(text, "utf-8", "replace")


def _place(variable: str) -> Path:
    return Path(os.environ[variable])


def _plain(value: Any) -> Any:
    """Messages and events of SDKs as JSON has them."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"the function returned a {type(value).__name__} inside of its trace: make it JSON data")
