"""What the built-in agent is asked: one JSON object on its standard input."""

from __future__ import annotations

import difflib
import json
import math
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import cast

from pytest_ppteval.agent.builtin.ending import Trouble
from pytest_ppteval.choices import DEFAULT_MODEL, RENDERERS, SANDBOX_MODES, RendererChoice, SandboxMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the agent works.

    max_turns: answers of the model, at most. max_tokens: of one answer. max_cost: USD for the run, None for no limit.
    prices: a file of prices (model.price.Prices), for models whose price is not published.
    timeout: seconds for one attempt of a question to the model. code_timeout: seconds for one run_python.
    renderer: what draws slides for see_slide. sandbox: "off" runs code unconfined; the others are alike here.
    """

    model: str = DEFAULT_MODEL
    max_turns: int = 50
    max_tokens: int = 16_000
    max_cost: float | None = None
    prices: Path | None = None
    timeout: float = 300.0
    code_timeout: float = 60.0
    renderer: RendererChoice = "auto"
    sandbox: SandboxMode = "auto"


OPTIONS = tuple(option.name for option in fields(Options))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """goal: what to do, in words. input: the deck to edit, None to start from nothing.

    output: where the deck goes; None for a task without one. workspace: the folder that the agent's code may write to;
        `output` lies in it. All paths are absolute.
    """

    goal: str
    input: Path | None
    output: Path | None
    workspace: Path
    options: Options = field(default_factory=Options)


def read_task(text: str) -> Task:
    """The task in a JSON text. Keys that are for other agents are left alone. Raises Trouble where it is none."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise Trouble(f"the task on standard input is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise Trouble("the task on standard input is not a JSON object")
    goal = data.get("goal")
    if not isinstance(goal, str) or not goal.strip():
        raise Trouble("the task has no goal")
    workspace, output = _path(data, "workspace"), _path(data, "output")
    if workspace is None:
        raise Trouble("the task has no workspace")
    if not workspace.is_dir():
        raise Trouble(f"there is no folder {workspace}, which the task names as its workspace")
    if output is not None and workspace not in output.parents:
        raise Trouble(f"the output {output} is not in the workspace {workspace}: the agent's code can't write it")
    return Task(
        goal=goal,
        input=_path(data, "input"),
        output=output,
        workspace=workspace,
        options=read_options(data.get("options")),
    )


def read_options(data: object) -> Options:
    """Options from an object of JSON; what is null is as if it were not there. Raises Trouble for what is wrong."""
    if data is None:
        return Options()
    if not isinstance(data, dict):
        raise Trouble("the task's options are not a JSON object")
    given = {name: value for name, value in data.items() if value is not None}
    for name in given:
        if name not in OPTIONS:
            near = difflib.get_close_matches(str(name), OPTIONS, 1)
            raise Trouble(f"the built-in agent has no option {name!r}{f': do you mean {near[0]}?' if near else ''}")
    defaults = Options()
    return Options(
        model=_text(given, "model", defaults.model).strip().removeprefix("anthropic/"),
        max_turns=int(_number(given, "max_turns", defaults.max_turns, whole=True)),
        max_tokens=int(_number(given, "max_tokens", defaults.max_tokens, whole=True)),
        max_cost=_number(given, "max_cost", 0) if "max_cost" in given else None,
        prices=_path(given, "prices"),
        timeout=_number(given, "timeout", defaults.timeout),
        code_timeout=_number(given, "code_timeout", defaults.code_timeout),
        renderer=cast(RendererChoice, _choice(given, "renderer", RENDERERS, defaults.renderer)),
        sandbox=cast(SandboxMode, _choice(given, "sandbox", SANDBOX_MODES, defaults.sandbox)),
    )


def _path(data: dict[str, object], name: str) -> Path | None:
    value = data.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not os.path.isabs(value):
        raise Trouble(f"the task's {name} is not an absolute path: {value!r}")
    return Path(os.path.normpath(value))


def _text(given: dict[str, object], name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str) or not value.strip():
        raise Trouble(f"option {name} of the built-in agent is {value!r}: give a text")
    return value


def _number(given: dict[str, object], name: str, default: float, *, whole: bool = False) -> float:
    value = given.get(name, default)
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
    if not good or (whole and value != int(cast(float, value))):
        raise Trouble(f"option {name} of the built-in agent is {value!r}: give a {'whole ' * whole}number above 0")
    return cast(float, value)


def _choice(given: dict[str, object], name: str, choices: tuple[str, ...], default: str) -> str:
    value = given.get(name, default)
    if value not in choices:
        raise Trouble(f"option {name} of the built-in agent is {value!r}: use one of {', '.join(choices)}")
    return value
