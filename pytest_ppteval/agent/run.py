"""One run of an agent, from a fresh workspace to a complete folder."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_ppteval.agent.environment import environment
from pytest_ppteval.agent.left import Left, take
from pytest_ppteval.agent.process import Ended, Job, run_process
from pytest_ppteval.agent.spec import AgentRun, AgentStopped
from pytest_ppteval.agent.status import Outcome, judge, last_line
from pytest_ppteval.agent.template import fill
from pytest_ppteval.agent.trouble import trouble_in
from pytest_ppteval.agent.workspace import CannotPrepare, Workspace, prepare, prompt
from pytest_ppteval.files import tree
from pytest_ppteval.files.plain import NotPlain, apart, read_json
from pytest_ppteval.files.whole import write_whole
from pytest_ppteval.prose.shown import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_ppteval.agent.spec import AgentSpec, AgentTask

RECORD = "agent.json"
# What a run's folder holds beside its traces.
_NAMES = ("output.pptx", "response.md", "metrics.json", "stdout.txt", "stderr.txt")
_STDERR_READ = 4096
_LONGEST_NOTE = 1_000


def run_agent(
    spec: AgentSpec,
    task: AgentTask,
    into: Path,
    *,
    stop: threading.Event | None = None,
    on_start: Callable[[int], None] | None = None,
) -> AgentRun:
    """Run the agent on the task and leave what came of it in the folder `into` (docs/agents.md).

    A run that is there already is replaced. agent.json is written last: a folder without it is of no complete run.
    Infrastructure trouble that may pass is met with further attempts, each in a workspace of its own; only the last
    one's files are kept. on_start: called at each start with the number of the agent's process.

    Raises AgentStopped once `stop` is set or stop_all() was called, ValueError for an agent of kind recorded, OSError
    where `into` can't be written. Whatever is raised (Ctrl-C too), no process and no workspace is left.
    """
    if spec.kind == "recorded":
        raise ValueError(f"agent {spec.name!r} is of kind recorded: its runs are in {spec.outputs}")
    stop = stop or threading.Event()
    earlier: list[str] = []
    while True:
        clear(into)
        into.mkdir(parents=True, exist_ok=True)
        started = datetime.now(UTC)
        if stop.is_set():
            raise AgentStopped
        ended, outcome, left = _attempt(spec, task, into, stop, on_start)
        if outcome.status != "infrastructure" or not outcome.again or len(earlier) + 1 >= spec.retries.attempts:
            break
        earlier.append(outcome.reason)
        if stop.wait(min(spec.retries.delay * 2 ** (len(earlier) - 1), threading.TIMEOUT_MAX)):
            raise AgentStopped
    seconds = round(ended.seconds, 3)
    run = AgentRun(
        folder=into,
        agent=spec.name,
        kind=spec.kind,
        status=outcome.status,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=seconds,
        reason=outcome.reason,
        exit_code=ended.code,
        attempts=len(earlier) + 1,
        trial=task.trial,
        outside=_names(left.changes.written) if task.makes_deck else (),
        changed=_names(left.changes.changed),
        deleted=_names(left.changes.deleted),
        notes=tuple(one_line(note)[:_LONGEST_NOTE] for note in _names(left.notes)),
        earlier=tuple(earlier),
        metrics={"seconds": seconds, **left.metrics},
    )
    (into / "metrics.json").write_text(json.dumps(run.metrics, indent=1) + "\n", "utf-8")
    _write(into / RECORD, run.as_data())
    return run


def read_agent_run(folder: Path) -> AgentRun | None:
    """The run whose folder this is; None where it is not complete or its record can't be read."""
    from pytest_ppteval.evidence.outputs import read_metrics

    try:
        base, start = apart(folder)
        data: Any = read_json(base, start + RECORD)
        if data["format"] != 1:
            return None
        return AgentRun(
            folder=folder,
            agent=str(data["agent"]),
            kind=data["kind"],
            status=data["status"],
            started=str(data["started"]),
            seconds=float(data["seconds"]),
            reason=str(data["reason"]),
            exit_code=data["exit_code"],
            attempts=int(data["attempts"]),
            trial=int(data["trial"]),
            outside=tuple(data["outside"]),
            changed=tuple(data.get("changed", ())),
            deleted=tuple(data.get("deleted", ())),
            notes=tuple(data.get("notes", ())),
            earlier=tuple(data.get("earlier", ())),
            metrics=read_metrics(folder / "metrics.json")[0],
        )
    except (NotPlain, ValueError, TypeError, KeyError, OverflowError):
        return None


def clear(folder: Path) -> None:
    """Take a run's files out of its folder, the mark of its completeness first; others stay."""
    for name in (RECORD, *_NAMES):
        (folder / name).unlink(missing_ok=True)
    for path in [*folder.glob("trace.*"), *folder.glob("trace-as-written*")]:
        path.unlink()
    workspace = folder / "workspace"
    if workspace.is_symlink():
        workspace.unlink()
    elif workspace.exists():
        tree.remove(workspace)


def _attempt(
    spec: AgentSpec,
    task: AgentTask,
    into: Path,
    stop: threading.Event,
    on_start: Callable[[int], None] | None,
) -> tuple[Ended, Outcome, Left]:
    try:
        workspace = prepare(spec, task)
    except CannotPrepare as problem:
        return Ended("refused"), Outcome("infrastructure", str(problem)), Left()
    try:
        began = datetime.now(UTC).timestamp()
        ended = run_process(_job(spec, task, workspace, into), stop=stop, on_start=on_start)
        if ended.how == "stopped":
            raise AgentStopped
        left = take(spec, task, workspace, into, began)
        if ended.how == "lingered":
            left.notes.append(f"it went on for {spec.linger:g} s after its final event, and was stopped")
    finally:
        workspace.remove()
    outcome = judge(
        ended,
        left.traces,
        last_line(_end_of(into / "stderr.txt")),
        (_timeout(spec, task), spec.disk_limit),
        left_output=left.output,
        trouble=None if left.trace is None else trouble_in(left.trace),
    )
    return ended, outcome, left


def _timeout(spec: AgentSpec, task: AgentTask) -> float:
    return task.timeout if task.timeout is not None else spec.timeout


def _job(spec: AgentSpec, task: AgentTask, workspace: Workspace, into: Path) -> Job:
    values = {
        "goal": task.goal,
        "prompt": prompt(task, workspace),
        "input": "" if workspace.deck is None else str(workspace.deck),
        "output": "" if workspace.output is None else str(workspace.output),
        "workspace": str(workspace.root),
        "task_file": str(workspace.task_file),
        "trial": str(task.trial),
        "here": str(spec.folder),
    }
    own = {
        "PWD": str(workspace.root),
        "TMPDIR": str(workspace.temporary),
        "TEMP": str(workspace.temporary),
        "TMP": str(workspace.temporary),
        "PPTEVAL_TRACE": str(workspace.trace),
        "PPTEVAL_RESPONSE": str(workspace.response),
    }
    stdin: str | None
    if spec.kind == "command":
        argv = tuple(fill(one, values) for one in spec.command)
        stdin = None if spec.stdin is None else fill(spec.stdin, values)
    else:
        from pytest_ppteval.agent.inpython import arguments, task_data

        argv = arguments(spec)
        stdin = json.dumps(task_data(spec, task, workspace))
    if stdin is not None:
        # A file, not a pipe: an agent that doesn't read holds nobody up.
        (workspace.base / "stdin").write_text(stdin, "utf-8", "surrogatepass")
    filled = {name: fill(value, values) for name, value in spec.env_set.items()}
    return Job(
        argv=argv,
        cwd=workspace.root,
        env=environment(spec, os.environ, own, filled),
        base=workspace.base,
        stdin=None if stdin is None else workspace.base / "stdin",
        stdout=into / "stdout.txt",
        stderr=into / "stderr.txt",
        timeout=_timeout(spec, task),
        linger=spec.linger,
        traces=_trace_files(spec, workspace),
        output_limit=spec.output_limit,
        disk_limit=spec.disk_limit,
    )


def _trace_files(spec: AgentSpec, workspace: Workspace) -> tuple[str, ...]:
    """Where a trace is written that may end with a final event; the output is looked at anyway."""
    if spec.trace is None:
        return (str(workspace.trace),)
    return () if spec.trace == "stdout" or "**" in spec.trace else (os.path.expanduser(spec.trace),)


def _end_of(path: Path) -> str:
    with contextlib.suppress(OSError), path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _STDERR_READ))
        return file.read().decode("utf-8", "replace")
    return ""


def _names(names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """File names as text that can be written anywhere: a name may hold bytes that are not UTF-8."""
    return tuple(name.encode("utf-8", "backslashreplace").decode() for name in names)


def _write(path: Path, data: dict[str, Any]) -> None:
    """Write a file so that it is there whole or not at all."""
    write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
