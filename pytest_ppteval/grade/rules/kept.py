"""Files that a run wrote, read or kept, by what the workspace has and by any call that does it, whatever its name."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.evidence.workspace import Unreadable
from pytest_ppteval.files.plain import MAX_TEXT
from pytest_ppteval.grade.rules.calls import json_texts, place_in, short
from pytest_ppteval.grade.rules.commands import commands_of, reads_file, writes_file
from pytest_ppteval.grade.rules.files import holds
from pytest_ppteval.grade.rules.finding import Finding, seen, some
from pytest_ppteval.trace.families import family_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.workspace import Workspace
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.trace.model import Step, Trace

_SHORTEST_SIGN = 12  # characters of an input's line by which its content is known again


def inputs_of(case: Case | None) -> dict[str, Path]:
    """The case's input files by their names in the workspace."""
    found: dict[str, Path] = {}
    for path in case.facts.inputs if case is not None and case.facts is not None else ():
        if path.is_dir():
            below = [one for one in sorted(path.rglob("*")) if one.is_file()]
            found |= {f"{path.name}/{one.relative_to(path).as_posix()}": one for one in below}
        else:
            found[path.name] = path
    return found


def file_written(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the files were written: they are there, with something in them, and not as the inputs had them.

    For a negated rule none may be there so, nor may a call have written one.
    """
    workspace = evidence.run.workspace
    inputs = inputs_of(evidence.case)
    calls = _writing_calls(rule.value, evidence) if rule.negated else []
    if isinstance(workspace, Lacking):
        return Finding(False, f"written: {some(calls)}") if calls else workspace
    written: list[str] = []
    not_written: list[str] = []
    for name in rule.value:
        found = [one for one in workspace.matching(name) if not _is_as_given(one, workspace, inputs)]
        full = [one for one in found if workspace.size(one)]
        if full or (found and rule.negated):
            written.append(some(full or found, 3))
        elif found:
            not_written.append(f"{found[0]} is empty")
        else:
            as_given = name in inputs and name in workspace.files
            not_written.append(f"{name} is as it was given" if as_given else f"there is no {name}")
    if rule.negated:
        missing = workspace.missing
        wrong = [*written, *calls, *([f"not all that the agent left can be looked at: {missing}"] if missing else [])]
        return Finding(not wrong, f"written: {some(wrong)}" if wrong else "; ".join(not_written))
    if not_written:
        return Finding(False, f"{'; '.join(not_written)}; {holds(workspace, rule.value)}")
    return Finding(True, f"written: {some(written)}")


def _writing_calls(names: list[str], evidence: Evidence) -> list[str]:
    """The calls that wrote one of the files, though they may be gone."""
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return []
    found = []
    for step in trace.steps:
        family = family_of(trace.format, step.tool, step.args) if step.tool and not step.failed else None
        if family == "write":
            wrote = any(fnmatchcase(_last(text), name) for text in _paths(step) for name in names)
        elif family == "shell":
            plain = [name for name in names if "*" not in name and "?" not in name]
            wrote = any(writes_file(command, name) for command in commands_of(step) for name in plain)
        else:
            wrote = False
        if wrote:
            found.append(f"call {place_in(step, trace)}: {short(step)}")
    return found


def file_kept(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether input files are in the workspace as they were given."""
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return workspace
    inputs = inputs_of(evidence.case)
    kept: list[str] = []
    not_kept: list[str] = []
    for name in rule.value:
        problem = workspace.look(name)
        if problem is not None:
            not_kept.append(problem.reason)
        elif _is_as_given(name, workspace, inputs):
            kept.append(name)
        else:
            not_kept.append(f"{name} was changed")
    if rule.negated:
        return Finding(not kept, f"as given: {some(kept)}" if kept else "; ".join(not_kept))
    return Finding(not not_kept, "; ".join(not_kept) if not_kept else f"as given: {some(kept)}")


def _is_as_given(name: str, workspace: Workspace, inputs: dict[str, Path]) -> bool:
    """Whether a file is an input, byte by byte but for line ends."""
    if name not in inputs or inputs[name].stat().st_size > MAX_TEXT:
        return False
    text = workspace.text(name)
    given = inputs[name].read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return not isinstance(text, Unreadable) and text.replace("\r\n", "\n") == given.replace("\r\n", "\n")


def file_read(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the files were read: by a tool that reads, by a shell's command, or as a call's result shows."""
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    inputs = inputs_of(evidence.case)
    how: list[str] = []
    unread: list[str] = []
    for name in rule.value:
        signs = _signs(inputs.get(name))
        told = [(step, _reads(step, name, signs, trace)) for step in trace.steps]
        hit = next((step for step, does in told if does), None)
        doubtful = next((step for step, does in told if does is None), None)
        if hit is not None:
            how.append(f"{name}: call {place_in(hit, trace)}: {short(hit)}")
        elif doubtful is not None:
            what = f"call {place_in(doubtful, trace)}: {short(doubtful)}"
            return Finding(None, f"the trace doesn't tell whether this reads {name}: {what}")
        else:
            unread.append(name)
    if rule.negated:
        return seen(bool(how), f"read: {some(how)}" if how else f"nothing read {some(unread)}", rule, trace)
    return seen(not unread, f"nothing read {some(unread)}" if unread else f"read: {some(how, 3)}", rule, trace)


def _signs(path: Path | None) -> list[str]:
    """Lines by which a file's content is known again in a result."""
    if path is None or path.stat().st_size > MAX_TEXT:
        return []
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    long = sorted((line.strip() for line in lines), key=len, reverse=True)
    return [line for line in long[:3] if len(line) >= _SHORTEST_SIGN]


def _reads(step: Step, name: str, signs: list[str], trace: Trace) -> bool | None:
    """Whether a call reads the file; None where the trace doesn't tell."""
    if step.failed:
        return False
    if step.result and signs and any(sign in step.result for sign in signs):
        return True
    if not step.tool:
        return None
    family = family_of(trace.format, step.tool, step.args)
    known = step.args is not None
    if family == "read":
        return any(_is_path_to(text, name) for text in _paths(step)) or (False if known else None)
    if family == "shell":
        return any(reads_file(command, name) for command in commands_of(step)) or (False if known else None)
    return False


def _paths(step: Step) -> list[str]:
    texts = list(json_texts(step.args))
    return texts or ([step.args_raw] if step.args_raw else [])


def _last(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _is_path_to(text: str, name: str) -> bool:
    """Whether an argument is the file's path: as it is in the workspace, or with folders before it."""
    path = text.replace("\\", "/").removeprefix("./")
    return path == name or path.endswith(f"/{name}")
