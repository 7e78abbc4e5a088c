"""What an agent left, taken out of its workspace into the run's folder: deck, trace, response, files, numbers."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.agent.collect import MAX_BYTES, keep_file, keep_files
from pytest_ppteval.agent.workspace import Changes, changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.agent.spec import AgentSpec, AgentTask
    from pytest_ppteval.agent.workspace import Workspace
    from pytest_ppteval.trace.model import Trace

# A file system's clock may be behind by a tick of the kernel's.
_TICK = 0.1


@dataclass(slots=True)
class Left:
    """What was found. output: whether there is a deck, or, where none is asked for, any file that the agent wrote.

    trace: the file, as it was written.
    """

    output: bool = False
    trace: Path | None = None
    traces: list[Trace] = field(default_factory=list)
    changes: Changes = field(default_factory=Changes)
    notes: list[str] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)


def take(spec: AgentSpec, task: AgentTask, workspace: Workspace, into: Path, began: float) -> Left:
    """Fill the run's folder `into`, in which stdout.txt and stderr.txt are. began: seconds since 1970."""
    left = Left(changes=changes(workspace))
    if left.changes.cut:
        left.notes.append(left.changes.cut)
    if not workspace.is_whole:
        if spec.trace == "stdout":
            _take_trace(spec, workspace, into, began, left)
        (into / "workspace").mkdir(exist_ok=True)
        return left
    if workspace.output is not None and os.path.lexists(workspace.output):
        why = keep_file(workspace.root, workspace.output.name, into / "output.pptx", MAX_BYTES)
        if why is not None:
            left.notes.append(f"{workspace.output.name} was not kept: it {why}")
    _take_trace(spec, workspace, into, began, left)
    _take_response(spec, workspace, into, left)
    left.output = (
        (into / "output.pptx").is_file() if task.makes_deck else bool(left.changes.written or left.changes.changed)
    )
    kept = keep_files(workspace.root, _worth_keeping(task, workspace, left.changes), into / "workspace")
    left.notes += [f"not kept: {why}" for why in kept.left[:50]]
    if len(kept.left) > 50:
        left.notes.append(f"not kept: {len(kept.left) - 50:,} more files")
    return left


def _worth_keeping(task: AgentTask, workspace: Workspace, found: Changes) -> list[str]:
    """Of a task about a deck, what the agent wrote; of a case, all but what is the agent's own and as it was."""
    same = set(workspace.given) - set(found.changed)
    unneeded = same if task.makes_deck else same & workspace.ours
    output = workspace.output.name if workspace.output is not None else None
    return [name for name in found.files if name not in unneeded and name != output]


def _take_trace(spec: AgentSpec, workspace: Workspace, into: Path, began: float, left: Left) -> None:
    if spec.trace == "stdout":
        source, target = into / "stdout.txt", into / "trace.jsonl"
    elif spec.trace is not None:
        found = _matching(spec.trace, workspace, began, left.changes)
        if len(found) != 1:
            what = ", ".join(map(str, found[:4])) if found else "none was written during the run"
            left.notes.append(f"no trace was kept: {len(found)} files match {spec.trace} ({what})")
            return
        source = found[0]
        target = into / f"trace{source.suffix or '.jsonl'}"
    elif os.path.lexists(workspace.trace):
        source, target = workspace.trace, into / "trace.json"
    else:
        return
    # stdout has its own line on what was cut.
    why = keep_file(source.parent, source.name, target, spec.output_limit + 4096)
    if why is not None:
        left.notes.append(f"the trace was not kept: {source.name} {why}")
        return
    _set_apart(source, workspace, left)
    if not target.stat().st_size:
        left.notes.append("the trace is empty")
        return
    _read_trace(spec, into, target, left)


def _read_trace(spec: AgentSpec, into: Path, path: Path, left: Left) -> None:
    # Imported late: the readers are many.
    from pytest_ppteval.trace.model import TraceError
    from pytest_ppteval.trace.read import detect, read_traces
    from pytest_ppteval.trace.show import as_data

    left.trace = path
    try:
        left.traces = read_traces(path, spec.trace_format)
        if spec.trace_format is not None and detect(path) != spec.trace_format:
            # Who reads the folder recognises formats by themselves.
            left.trace = path.rename(into / f"trace-as-written{path.suffix}")
            runs = [as_data(trace) for trace in left.traces]
            (into / "trace.json").write_text(json.dumps(runs[0] if len(runs) == 1 else {"runs": runs}), "utf-8")
    except (TraceError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        left.notes.append(f"the trace can't be read: {str(error).replace(str(path), path.name)}")
        return
    left.metrics = metrics_of(left.traces)


def metrics_of(traces: Sequence[Trace]) -> dict[str, float]:
    """Tokens, cost and calls, where the run's one trace tells them, and tells its end: else they may be more."""
    if len(traces) != 1 or traces[0].status == "truncated":
        return {}
    (trace,) = traces
    usage = trace.total_usage
    known: dict[str, float | None] = {
        "input_tokens": usage.input_total if usage else None,
        "output_tokens": usage.output if usage else None,
        "cost_usd": trace.cost_usd,
        "tool_calls": None if trace.calls_unknown else len(trace.steps),
    }
    return {name: value for name, value in known.items() if value is not None}


def _matching(pattern: str, workspace: Workspace, began: float, found: Changes) -> list[Path]:
    """The plain files that match and were written during the run: others are of other runs, or were given."""
    absolute = os.path.expanduser(pattern)
    if os.path.isabs(absolute):
        names = []
        with contextlib.suppress(RecursionError):
            names = glob.glob(absolute, recursive=True, include_hidden=True)
    else:
        # Among the names that are known: they are no links, and so many at most.
        fits = _of_glob(absolute)
        names = [name for name in (*found.written, *found.changed) if fits.fullmatch(name)]
    matching = []
    for name in sorted(names):
        with contextlib.suppress(OSError):
            facts = os.lstat(workspace.root / name)
            new = not os.path.isabs(name) or facts.st_mtime >= began - _TICK
            if stat.S_ISREG(facts.st_mode) and new:
                matching.append(workspace.root / name)
    return matching


def _one_of(found: re.Match[str]) -> str:
    return f"[{'^' if found[1] else ''}{found[2].replace(chr(92) + '-', '-')}]"


def _of_glob(pattern: str) -> re.Pattern[str]:
    """A glob as a regular expression of names with "/": ** is any number of folders, * and ? don't go over one."""
    parts = []
    for part in Path(pattern).as_posix().split("/"):
        if part == "**":
            parts.append("(?:[^/]+/)*")
        else:
            inside = re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
            parts.append(re.sub(r"\\\[(!?)(.+?)\\\]", _one_of, inside) + "/")
    return re.compile("".join(parts).removesuffix("/"), re.DOTALL)


def _set_apart(source: Path, workspace: Workspace, left: Left) -> None:
    """What the agent was set up to write is nothing that it left beside its output."""
    if source.is_relative_to(workspace.root):
        name = source.relative_to(workspace.root).as_posix()
        files = tuple(one for one in left.changes.files if one != name)
        written = tuple(one for one in left.changes.written if one != name)
        left.changes = replace(left.changes, written=written, files=files)


def _take_response(spec: AgentSpec, workspace: Workspace, into: Path, left: Left) -> None:
    if spec.response == "stdout":
        root, name = into, "stdout.txt"
    elif spec.response is not None:
        root, name = workspace.root, spec.response
    else:
        root, name = workspace.response.parent, workspace.response.name
    if not os.path.lexists(root / name):
        return
    why = keep_file(root, name, into / "response.md", spec.output_limit + 4096)
    if why is not None:
        left.notes.append(f"the response was not kept: {name} {why}")
    else:
        _set_apart(root / name, workspace, left)
