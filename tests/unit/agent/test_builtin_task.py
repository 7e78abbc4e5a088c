"""The built-in agent's task and options: read from JSON, with errors that say what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.agent.builtin.ending import Trouble
from pytest_ppteval.agent.builtin.task import OPTIONS, Options, read_options, read_task


def text(folder: Path, **more: Any) -> str:
    return json.dumps({"goal": "Do it.", "workspace": str(folder), "output": str(folder / "out.pptx"), **more})


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    task = read_task(text(tmp_path, input=None, options={"model": None}, trial=3, task_file="TASK.md"))
    assert (task.goal, task.input, task.output, task.workspace) == ("Do it.", None, tmp_path / "out.pptx", tmp_path)
    assert task.options == Options()


def test_a_task_may_be_about_no_deck(tmp_path: Path) -> None:
    assert read_task(text(tmp_path, output=None)).output is None


def test_options_are_taken_as_given() -> None:
    given = {
        "model": "anthropic/claude-opus-5-5",
        "max_turns": 3,
        "max_tokens": 500,
        "max_cost": 0.5,
        "prices": "/prices.yaml",
        "timeout": 10,
        "code_timeout": 2.5,
        "renderer": "none",
        "sandbox": "off",
    }
    assert set(given) == set(OPTIONS)
    options = read_options(given)
    assert (options.model, options.prices) == ("claude-opus-5-5", Path("/prices.yaml"))
    assert [getattr(options, name) for name in OPTIONS if name not in ("model", "prices")] == [
        given[name] for name in OPTIONS if name not in ("model", "prices")
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "the task's options are not a JSON object"),
        ({"modle": "x"}, "the built-in agent has no option 'modle': do you mean model?"),
        ({"model": ""}, "option model of the built-in agent is '': give a text"),
        ({"max_turns": 0}, "option max_turns of the built-in agent is 0: give a whole number above 0"),
        ({"max_turns": 2.5}, "option max_turns of the built-in agent is 2.5: give a whole number above 0"),
        ({"max_tokens": True}, "option max_tokens of the built-in agent is True: give a whole number above 0"),
        ({"timeout": "5"}, "option timeout of the built-in agent is '5': give a number above 0"),
        ({"max_cost": -1}, "option max_cost of the built-in agent is -1: give a number above 0"),
        ({"renderer": "word"}, "option renderer of the built-in agent is 'word': use one of auto, "),
        ({"sandbox": False}, "option sandbox of the built-in agent is False: use one of auto, require, off"),
        ({"prices": "prices.yaml"}, "the task's prices is not an absolute path: 'prices.yaml'"),
    ],
)
def test_a_wrong_option_is_named(options: object, told: str) -> None:
    with pytest.raises(Trouble) as raised:
        read_options(options)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("", "the task on standard input is not JSON: "),
        ("[]", "the task on standard input is not a JSON object"),
        ({"goal": " "}, "the task has no goal"),
        ({"workspace": None}, "the task has no workspace"),
        ({"workspace": "here"}, "the task's workspace is not an absolute path: 'here'"),
        ({"workspace": "/nowhere/at/all"}, "there is no folder /nowhere/at/all, which the task names as its workspace"),
        ({"output": "/elsewhere/out.pptx"}, "the output /elsewhere/out.pptx is not in the workspace "),
        ({"input": 5}, "the task's input is not an absolute path: 5"),
    ],
)
def test_a_task_that_is_none_is_told_apart(task: str | dict[str, object], told: str, tmp_path: Path) -> None:
    with pytest.raises(Trouble) as raised:
        read_task(task if isinstance(task, str) else text(tmp_path, **task))
    assert str(raised.value).startswith(told)


def test_an_output_beside_the_workspace_by_a_way_around_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="is not in the workspace"):
        read_task(text(tmp_path, output=f"{tmp_path}/../out.pptx"))
