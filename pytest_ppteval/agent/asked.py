"""What an agent is told: a case as a task, and the task in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.agent.spec import AgentTask

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.case.model import Case


def task_of(case: Case, trial: int = 1, *, without_skill: bool = False) -> AgentTask:
    """What trial number `trial` of `case` is about. A skill that is a folder is given too, unless it is to be
    done without."""
    facts = case.facts
    if facts is None:
        return AgentTask(name=case.id, goal=case.goal, trial=trial, deck=case.original)
    skill = facts.skill_path
    return AgentTask(
        name=case.id,
        goal=case.goal,
        trial=trial,
        makes_deck=False,
        inputs=facts.inputs,
        skill=skill if skill is not None and skill.is_dir() and not without_skill else None,
        cases=facts.folder,
        timeout=facts.timeout,
    )


def prompt_of(task: AgentTask, deck: Path | None, output: Path | None) -> str:
    """What the agent is asked in one text.

    Where no deck is asked for, it is the goal as the case has it: a word more might be what makes a skill start.
    """
    if output is None:
        return task.goal
    given = "" if deck is None else f"The presentation is {deck}. Leave that file as it is.\n"
    return f"{task.goal.rstrip()}\n\n{given}Save the result as {output}\n"


def task_file(task: AgentTask, deck: Path | None, output: Path | None, given: list[str]) -> str:
    """The text of TASK.md. given: the names of inputs in the workspace."""
    text = f"# Task\n\n{prompt_of(task, deck, output).rstrip()}\n"
    if given:
        text += "\n## Files that are given\n\n" + "".join(f"- {name}\n" for name in given)
    return text
