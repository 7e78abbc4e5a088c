"""What the model is told before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_ppteval.agent.builtin.task import Task

_MOST_FILES = 50
_SYSTEM = """\
You edit PowerPoint decks. You are given a task and do it on your own: nobody answers questions.

- Look before you change: list_slides and read_slide show what is in the deck, see_slide shows how a slide looks.
- Change the deck with run_python and python-pptx: open OUTPUT, change it, save it to OUTPUT.
- Change what the task asks for and leave everything else as it is: other slides, layouts, notes, animations.
- Keep to the deck's own fonts, colours, layouts and placeholders. Text must fit its shape, and shapes must not overlap.
- After each change, look at the slides that you changed with see_slide, and put right what is off.
- A tool's error is told to you: find another way.
- When the task is done, call finish. If it can't be done, say so with finish and completed=false.

You have at most {turns} turns.
"""


def system(task: Task) -> str:
    """The system prompt."""
    return _SYSTEM.format(turns=task.options.max_turns)


def opening(task: Task) -> str:
    """The first message. The workspace is looked into for it."""
    if task.output is None:
        deck = "This task is about no deck, but about the files of the workspace; OUTPUT is None."
    elif task.input is None:
        deck = f"There is no deck yet: make one at OUTPUT = {task.output}"
    else:
        deck = f"The deck to edit, {task.input.name}, was copied to OUTPUT = {task.output}"
    files = f"The workspace folder is {task.workspace}; in it: {', '.join(_files(task)) or 'nothing'}"
    return f"{task.goal.rstrip()}\n\n{deck}\n{files}\n"


def _files(task: Task) -> list[str]:
    found = sorted(path for path in task.workspace.rglob("*") if path.is_file() and path != task.output)
    names = [str(path.relative_to(task.workspace)) for path in found[:_MOST_FILES]]
    return [*names, f"and {len(found) - _MOST_FILES} more"] if len(found) > _MOST_FILES else names
