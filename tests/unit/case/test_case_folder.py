"""A task in a folder of its own, and a rubric that stands alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.case.folder import load_rubric_case, load_task_folder
from pytest_ppteval.case.model import Case, FormatError, Settings

RUBRIC: dict[str, Any] = {"root": {"name": "L", "scorer": {"type": "function", "function_code": "x"}}}
TASK: dict[str, Any] = {"task_id": "t 1", "goal": "Do it.", "input_file": "deck.pptx"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """suite/one, an empty folder; its suite's parent is the current folder."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "suite" / "one"
    made.mkdir(parents=True)
    return made


def read(folder: Path, task: object, *rubrics: str) -> Case:
    (folder / "task.json").write_text(task if isinstance(task, str) else json.dumps(task))
    for name in rubrics or ("rubric.json",):
        (folder / name).write_text(json.dumps(RUBRIC))
    return load_task_folder(Path("suite/one/task.json"))


def messages(folder: Path, task: object, *rubrics: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read(folder, task, *rubrics)
    return [str(error) for error in caught.value.all]


def test_a_task_with_everything(folder: Path) -> None:
    metadata = {"difficulty": "Easy", "threshold": 0.7, "budget": {"tool_calls": 3}, "from": "me"}
    case = read(folder, TASK | {"tags": ["a"], "metadata": metadata})
    assert (case.id, case.suite, case.goal, case.tags, case.difficulty) == ("t 1", "suite", "Do it.", ("a",), "Easy")
    assert case.original == folder / "deck.pptx"
    assert case.settings == Settings(threshold=0.7)
    assert case.budget == {"tool_calls": 3.0}
    assert case.misc == metadata
    assert str(case.source) == "suite/one/task.json:1"
    assert case.rubric.source.path == "suite/one/rubric.json"
    assert [leaf.id for leaf in case.rubric.leaves] == ["L", "budget: tool_calls"]


def test_the_other_names_of_the_same_things(folder: Path) -> None:
    case = read(folder, {"instruction": "Do it.", "file_path": "in/deck.pptx"})
    assert (case.id, case.goal, case.original) == ("one", "Do it.", folder / "in" / "deck.pptx")


@pytest.mark.parametrize("name", ["rubric.json", "rubric.yaml", "rubric.yml", "grading_rubric.json"])
def test_each_name_of_a_rubric(folder: Path, name: str) -> None:
    assert read(folder, TASK, name).rubric.source.path == f"suite/one/{name}"


def test_two_rubrics(folder: Path) -> None:
    assert messages(folder, TASK, "rubric.yaml", "grading_rubric.json") == [
        "suite/one/task.json:1:1: 'rubric.yaml' and 'grading_rubric.json' are both beside this task: keep one"
    ]


def test_no_rubric(folder: Path) -> None:
    (folder / "task.json").write_text(json.dumps(TASK))
    with pytest.raises(FormatError) as caught:
        load_task_folder(folder / "task.json", folder)
    assert str(caught.value) == (
        "task.json:1:1: no rubric beside this task: "
        "add 'rubric.json', 'rubric.yaml', 'rubric.yml' or 'grading_rubric.json'"
    )


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("[1]", ["1:1: the file must be an object, not a list"]),
        ({"input_file": "d"}, ["1:1: this task folder has neither 'goal' nor 'instruction': give it one"]),
        ({"goal": "x"}, ["1:1: this task folder has neither 'input_file' nor 'file_path': give it one"]),
        (TASK | {"instruction": "x"}, ["1:1: this task folder has both 'goal' and 'instruction': keep one"]),
        (TASK | {"file_path": "x"}, ["1:1: this task folder has both 'input_file' and 'file_path': keep one"]),
        ({"task_ids": "x"} | TASK, ["1:2: unknown key 'task_ids' in a task folder: did you mean 'task_id'?"]),
        ({"task_id": 5} | TASK | {"task_id": 5}, ["1:13: 'task_id' must be text, not 5"]),
        (
            {"task_id": "a/b", "goal": "x", "input_file": "../d"},
            [
                "1:13: task id 'a/b' contains '/', it names folders and tests: choose an id without it",
                "1:47: path '../d' climbs out of {folder}: keep files below it",
            ],
        ),
        (
            {"metadata": {"treshold": 1}} | TASK,
            ["1:15: unknown setting 'treshold': did you mean 'threshold'? If not, choose a name less like it"],
        ),
    ],
)
def test_mistakes_in_task_json(folder: Path, task: object, expected: list[str]) -> None:
    assert messages(folder, task) == [f"suite/one/task.json:{one.format(folder=folder)}" for one in expected]


def test_a_mistake_in_the_rubric(folder: Path) -> None:
    (folder / "task.json").write_text(json.dumps(TASK))
    (folder / "rubric.yml").write_text("root:\n  nam: x\n")
    with pytest.raises(FormatError) as caught:
        load_task_folder(Path("suite/one/task.json"))
    assert [str(error) for error in caught.value.all] == [
        "suite/one/rubric.yml:2:3: 'name' is missing: a node needs it",
        "suite/one/rubric.yml:2:3: unknown key 'nam' in a node: did you mean 'name'?",
        "suite/one/rubric.yml:2:3: this node has neither 'children' nor 'scorer': give it one",
    ]


@pytest.mark.parametrize(
    ("name", "case_id"),
    [
        ("intro.rubric.json", "intro"),
        ("intro v1.2 [x].rubric.yaml", "intro v1.2 [x]"),
        ("标题.rubric.yml", "标题"),
        ("intro.json", "intro"),
        ("grading_rubric.json", "grading_rubric"),
    ],
)
def test_a_rubric_alone_is_named_after_its_file(tmp_path: Path, name: str, case_id: str) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(RUBRIC))
    case = load_rubric_case(path, base=tmp_path)
    assert (case.id, case.suite, case.goal, case.original) == (case_id, tmp_path.name, "", None)
    assert str(case.source) == f"{name}:1"


def test_a_rubric_alone_with_settings_and_a_deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    metadata = {"task": "Do it.", "threshold": 0, "unscored": "error", "budget": {"seconds": 5}}
    (tmp_path / "a.rubric.json").write_text(json.dumps(RUBRIC | {"metadata": metadata}))
    case = load_rubric_case(Path("a.rubric.json"), original=Path("deck.pptx"))
    assert (case.goal, case.original) == ("Do it.", tmp_path / "deck.pptx")
    assert case.settings == Settings(threshold=0.0, unscored="error")
    assert case.budget == {"seconds": 5.0}


def test_a_file_whose_name_is_no_id(tmp_path: Path) -> None:
    (tmp_path / "a::b.rubric.json").write_text(json.dumps(RUBRIC))
    with pytest.raises(FormatError) as caught:
        load_rubric_case(tmp_path / "a::b.rubric.json", base=tmp_path)
    assert str(caught.value) == (
        "a::b.rubric.json:1:1: task id 'a::b' contains '::', it names folders and tests: "
        "choose an id without it (it is the file's name)"
    )
