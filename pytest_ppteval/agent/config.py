"""ppteval.yaml: the agents that a run can be made with."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, cast

from pytest_ppteval.agent.presets import PRESETS
from pytest_ppteval.agent.spec import (
    DELAY,
    DISK_MEGABYTES,
    LINGER,
    MEGABYTE,
    OUTPUT_MEGABYTES,
    TIMEOUT,
    AgentSpec,
    Retries,
)
from pytest_ppteval.agent.template import template_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.agent.spec import Kind
    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key
    from pytest_ppteval.case.model import FormatError

NAMES = ("ppteval.yaml", "ppteval.yml", "ppteval.json")
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
# The built-in agent's options by what they are called in the file: "timeout" is that of the whole run there.
_OPTIONS = {
    "model": "model",
    "max_turns": "max_turns",
    "max_tokens": "max_tokens",
    "max_cost": "max_cost",
    "answer_timeout": "timeout",
    "code_timeout": "code_timeout",
}
_NUMBERS = ("timeout", "linger", "output_limit", "disk_limit", "max_cost", "answer_timeout", "code_timeout")


def find_config(*folders: Path) -> Path | None:
    """The settings file in the first of `folders` that has one. Raises FormatError where a folder has several."""
    for folder in folders:
        found = [folder / name for name in NAMES if os.path.lexists(folder / name)]
        if len(found) > 1:
            from pytest_ppteval.case.model import FormatError
            from pytest_ppteval.rubric.tree import Source

            raise FormatError(Source(str(found[1])), f"{found[0].name} is beside it, and both name agents: keep one")
        if found:
            return found[0]
    return None


def load_agents(path: Path, display: str | None = None) -> dict[str, AgentSpec]:
    """The agents in the file at `path`, by name.

    display: the file's name in errors, `path` unless given. Raises FormatError with every problem of the file.
    """
    # Imported late: a session without agents reads no such file.
    from pytest_ppteval.case.document import read_document
    from pytest_ppteval.case.validate import find_problems, raise_all

    document = read_document(path, display)
    raise_all(find_problems(document, "agents"))
    agents: Mapping[str, Any] = document.data["agents"]
    folder = path.absolute().parent
    problems = [problem for name in agents for problem in _problems(document, name, agents[name], folder)]
    raise_all(sorted(problems, key=lambda error: (error.source.line, error.source.column)))
    return {name: _spec(document, name, agents[name], folder) for name in agents}


def choose_agent(agents: Mapping[str, AgentSpec], name: str, path: Path) -> AgentSpec:
    """The agent `name` of the file at `path`. Raises ValueError with what to write instead."""
    if name in agents:
        return agents[name]
    from pytest_ppteval.case.validate import suggest

    hint = suggest(name, agents) if agents else f"{path} names none"
    raise ValueError(f"no agent {name!r} in {path}: {hint}")


def _problems(document: Document, name: str, given: Mapping[str, Any], folder: Path) -> Iterator[FormatError]:
    """What a schema can't say of an agent."""
    from pytest_ppteval.case.model import FormatError

    def wrong(message: str, *path: Key, key: bool = False) -> FormatError:
        place = ("agents", name, *path)
        return FormatError(document.key_source(*place) if key else document.source(*place), message)

    if not name.strip() or not name.isprintable() or "/" in name or "\\" in name:
        yield wrong(f"{name!r} can't name an agent: write letters, digits, '-', '_' or '.'", key=True)
    for index, one in enumerate(given.get("command", ())):
        if problem := _text_problem(one):
            yield wrong(problem, "command", index)
    if given.get("command", ["x"])[0] == "":
        yield wrong("the first member names the program: write it", "command", 0)
    if problem := _text_problem(given.get("stdin", "")):
        yield wrong(problem, "stdin")
    yield from (wrong(problem, *path) for problem, *path in _environment_problems(given.get("env", {})))
    for key in _NUMBERS:
        if key in given and not math.isfinite(given[key]):
            yield wrong(f"{key!r} is no finite number: write a limit", key)
    if not math.isfinite(given.get("retries", {}).get("delay", 0)):
        yield wrong("'delay' is no finite number: write seconds", "retries", "delay")
    if "function" in given and not _FUNCTION.fullmatch(given["function"]):
        message = f"{given['function']!r} names no function: write 'module:function'"
        yield wrong(message, "function")
    if "trace_format" in given:
        from pytest_ppteval.case.validate import suggest
        from pytest_ppteval.trace.read import formats

        known = sorted(formats())
        if given["trace_format"] not in known:
            message = f"unknown trace format {given['trace_format']!r}: {suggest(given['trace_format'], known)}"
            yield wrong(message, "trace_format")
    for key in ("trace", "response"):
        if key in given and (problem := _pattern_problem(given[key], home=key == "trace")):
            yield wrong(problem, key)
    if "skills" in given and (problem := _place_problem(given["skills"])):
        yield wrong(problem, "skills")
    for target, source in given.get("files", {}).items():
        if problem := _place_problem(target):
            yield wrong(problem, "files", target, key=True)
        elif problem := _source_problem(source, folder):
            yield wrong(problem, "files", target)
    if "outputs" in given and not _join(folder, given["outputs"]).is_dir():
        yield wrong(f"there is no folder {given['outputs']!r}: paths count from {folder}", "outputs")


def _text_problem(text: str) -> str | None:
    return "a NUL character: no program takes one" if "\0" in text else template_problem(text)


def _environment_problems(env: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for index, name in enumerate(env.get("pass", ())):
        if "=" in name or "\0" in name:
            yield f"{name!r} names no variable: values go below 'set'", "env", "pass", index
    for name, value in env.get("set", {}).items():
        if not name or "=" in name or "\0" in name:
            yield f"{name!r} can't name a variable", "env", "set", name
        elif problem := _text_problem(value):
            yield problem, "env", "set", name


def _pattern_problem(pattern: str, *, home: bool) -> str | None:
    """Why `pattern` can't say where something is in the workspace, or, with `home`, anywhere."""
    if "\0" in pattern:
        return "a NUL character: no path has one"
    if home and _is_absolute(pattern):
        return None
    if _is_absolute(pattern) or ".." in re.split(r"[/\\]", pattern):
        return f"{pattern!r} is not below the workspace: write 'stdout' or a path relative to it"
    return None


def _place_problem(name: str) -> str | None:
    """Why `name` can't be a place in the workspace."""
    parts = re.split(r"[/\\]", name)
    if not name.isprintable() or _is_absolute(name) or ".." in parts or all(part in ("", ".") for part in parts):
        return f"{name!r} is no place in the workspace: write a relative path below it"
    return "TASK.md is what the task is written to: choose another name" if name == "TASK.md" else None


def _source_problem(name: str, folder: Path) -> str | None:
    from pytest_ppteval.case.paths import path_problem

    problem = path_problem(name, folder)
    if problem is None and not _join(folder, name).exists():
        return f"there is no {name!r}: paths count from {folder}"
    return problem


def _is_absolute(name: str) -> bool:
    windows = PureWindowsPath(name)
    return name.startswith(("/", "~")) or bool(windows.drive or windows.root)


def _join(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / Path(name).expanduser()))


def _spec(document: Document, name: str, given: Mapping[str, Any], folder: Path) -> AgentSpec:
    preset = given.get("preset")
    default: Mapping[str, Any] = PRESETS[preset] if preset else {}
    kind: Kind = "command" if preset else given["kind"]
    fields = {**default, **given}
    if kind == "claude":
        options: Mapping[str, Any] = {own: given[key] for key, own in _OPTIONS.items() if key in given}
    else:
        options = given.get("options", {})
    retries, env = given.get("retries", {}), given.get("env", {})
    passed = (*default.get("env", {}).get("pass", ()), *env.get("pass", ()))
    return AgentSpec(
        name=name,
        kind=kind,
        source=document.key_source("agents", name),
        folder=folder,
        preset=preset,
        outputs=_join(folder, given["outputs"]) if "outputs" in given else None,
        command=tuple(fields.get("command", ())),
        stdin=fields.get("stdin"),
        trace=fields.get("trace"),
        trace_format=fields.get("trace_format"),
        response=fields.get("response"),
        function=fields.get("function"),
        options=options,
        env_pass=cast("tuple[str, ...]", passed),
        env_set=dict(env.get("set", {})),
        timeout=float(fields.get("timeout", TIMEOUT)),
        linger=float(fields.get("linger", LINGER)),
        retries=Retries(int(retries.get("attempts", Retries().attempts)), float(retries.get("delay", DELAY))),
        files={os.path.normpath(target): _join(folder, source) for target, source in given.get("files", {}).items()},
        skills=fields.get("skills", "skills"),
        output_limit=int(fields.get("output_limit", OUTPUT_MEGABYTES) * MEGABYTE),
        disk_limit=int(fields.get("disk_limit", DISK_MEGABYTES) * MEGABYTE),
    )
