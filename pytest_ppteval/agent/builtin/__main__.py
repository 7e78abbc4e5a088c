"""The built-in agent's process: a task on standard input; trace and response as the environment says; an exit code."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import traceback
import warnings
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.agent.builtin import words
from pytest_ppteval.agent.builtin.confined import Confined, Limits, plan_for
from pytest_ppteval.agent.builtin.ending import INFRASTRUCTURE, Ending, Trouble
from pytest_ppteval.agent.builtin.journal import Journal
from pytest_ppteval.agent.builtin.loop import run
from pytest_ppteval.agent.builtin.model import Model
from pytest_ppteval.agent.builtin.pictures import Pictures
from pytest_ppteval.agent.builtin.task import Task, read_task
from pytest_ppteval.agent.builtin.toolbox import TOOLS, Toolbox
from pytest_ppteval.model.failures import redact, secrets_of_environment

if TYPE_CHECKING:
    from types import FrameType

TRACE_VARIABLE = "PPTEVAL_TRACE"
RESPONSE_VARIABLE = "PPTEVAL_RESPONSE"


def main() -> int:
    """Work on the task; the exit code. The reason of any but 0 is the last line of standard error."""
    warnings.simplefilter("ignore")  # that a model is to be retired, ...
    signal.signal(signal.SIGTERM, _leave)
    _shut_out_others()
    try:
        ending = _work(read_task(sys.stdin.read()))
    except Trouble as trouble:
        ending = Ending(INFRASTRUCTURE, str(trouble))
    except Exception as error:  # a fault of this program's, about which no agent can be blamed
        for line in traceback.format_exc().splitlines():
            print(redact(line, secrets_of_environment()), file=sys.stderr)
        ending = Ending(INFRASTRUCTURE, f"the built-in agent broke: {type(error).__name__}: {error}")
    if ending.reason:
        print(redact(ending.reason, secrets_of_environment()), file=sys.stderr, flush=True)
    return ending.code


def _work(task: Task) -> Ending:
    plan = plan_for(task.options)
    limits = Limits(wall=task.options.code_timeout, cpu=2 * max(1, round(task.options.code_timeout)))
    with (
        closing(Model(task.options, words.system(task), TOOLS)) as model,
        closing(Toolbox(task, Confined(plan, task.workspace, limits), Pictures(task.options, plan))) as tools,
    ):
        return run(
            words.opening(task),
            model,
            tools,
            Journal(_path(TRACE_VARIABLE), _path(RESPONSE_VARIABLE), model.secrets),
            max_turns=task.options.max_turns,
            max_tokens=task.options.max_tokens,
            begin=lambda: _copy(task),
            tell=lambda line: print(line, flush=True),
        )


def _copy(task: Task) -> None:
    """Put the deck to edit where the result goes, to be edited there."""
    if task.input is None or task.output is None or task.input == task.output:
        return
    try:
        task.output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(task.input, task.output)
    except OSError as error:
        raise Trouble(f"the deck can't be copied to {task.output}: {error.strerror or error}") from None


def _path(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None


def _shut_out_others() -> None:
    """Have the kernel refuse others of this user a look into this process, whose environment holds the key."""
    if sys.platform == "linux":
        from pytest_ppteval.sandbox import linux

        linux.prctl(linux.PR_SET_DUMPABLE, 0)


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal has it
    raise SystemExit(128 + number)  # by way of everything that closes and removes what this process made


if __name__ == "__main__":
    sys.exit(main())
