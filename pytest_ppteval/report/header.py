"""What a run's verdicts rest on, told before the first of them: the sandbox, the renderer, the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture.renderers import NoRenderer, choose
from pytest_ppteval.report.judging import header
from pytest_ppteval.sandbox.policy import probe

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.settings import Options


def header_lines(options: Options, rootpath: Path) -> list[str]:
    """How far rubric code is confined on this machine, what draws slides, and which model is asked."""
    # A level that is required and not to be had stops the run once there is a task, not here.
    level = probe("off" if options.sandbox == "off" else "auto")
    renderer = choose(options.renderer)
    why = f" ({renderer.reason})" if isinstance(renderer, NoRenderer) else ""
    return [
        f"ppteval: sandbox {level}",
        f"ppteval: renderer {renderer}{why}",
        f"ppteval: {header(options.model, rootpath)}",
    ]
