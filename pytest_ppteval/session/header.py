"""What a run's verdicts rest on, told before the first of them: the sandbox, the renderer, the model."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.picture.renderers import NoRenderer, choose
from pytest_ppteval.report.judging import header
from pytest_ppteval.sandbox.confine.policy import make_plan, probe

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.session.options import Options

_KEY = re.compile(r"(API_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|SECRET)(_|$)", re.IGNORECASE)


def header_lines(options: Options, rootpath: Path) -> list[str]:
    """How far rubric code is confined on this machine, what draws slides, and which model is asked."""
    renderer = choose(options.renderer)
    why = f" ({renderer.reason})" if isinstance(renderer, NoRenderer) else ""
    return [
        sandbox_line(options),
        *warning_lines(options),
        f"ppteval: renderer {renderer}{why}",
        f"ppteval: {header(options.model, rootpath)}",
    ]


def sandbox_line(options: Options) -> str:
    """How far rubric code is confined."""
    return f"ppteval: sandbox {probe(_mode(options))}"


def warning_lines(options: Options) -> list[str]:
    """What has to be said at a run's start, however quiet it is: that rubric code can read the user's keys."""
    # Landlock keeps a leaf from every other process's files in /proc; without it the environment of those that this
    # package did not start, the shell's for one, is open to all processes of the user.
    if make_plan(_mode(options))[0].landlock:
        return []
    keys = sorted(name for name, value in os.environ.items() if value and _KEY.search(name))
    if not keys:
        return []
    shown = ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
    where = "in the environment of what started this process"
    remedy = "judge rubrics that you don't trust without keys, or where the sandbox is full"
    return [f"ppteval: rubric code can read {shown} here, {where}: {remedy}"]


def _mode(options: Options) -> Literal["off", "auto"]:
    # A level that is required and not to be had stops the run once there is a task, not here.
    return "off" if options.sandbox == "off" else "auto"
