"""One task from its text to its end: what the process of the built-in agent does, without what makes it a process."""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from contextlib import closing
from pathlib import Path

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
from pytest_ppteval.sandbox.text import one_line

TRACE_VARIABLE = "PPTEVAL_TRACE"
RESPONSE_VARIABLE = "PPTEVAL_RESPONSE"


def work(text: str) -> Ending:
    """Do the task that the JSON text tells of; trace and response go where the environment says. Raises nothing."""
    try:
        ending = _work(read_task(text))
    except Trouble as trouble:
        ending = Ending(INFRASTRUCTURE, str(trouble))
    except Exception as error:  # a fault of this program's, for which no agent can be blamed
        for line in traceback.format_exc().splitlines():
            print(redact(line, secrets_of_environment()), file=sys.stderr)
        ending = Ending(INFRASTRUCTURE, f"the built-in agent broke: {type(error).__name__}: {error}")
    return ending._replace(reason=one_line(redact(ending.reason, secrets_of_environment())))


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
            tell=lambda line: print(one_line(line), flush=True),
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
