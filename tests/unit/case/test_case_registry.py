"""tasks.json: what loads, and every kind of mistake with its exact message."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.case.load import load
from pytest_ppteval.case.model import Registry, Settings
from pytest_ppteval.case.registry import load_registry
from pytest_ppteval.case.rubrics import load_rubric

LEAF = {"name": "L", "scorer": {"type": "function", "function_code": "x"}}
RUBRIC: dict[str, Any] = {"root": LEAF}


def entry(**changes: object) -> dict[str, object]:
    return {"goal": "Do it.", "file_path": "decks/a.pptx", "rubric_path": "rubrics/a.json"} | changes


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one rubric, rubrics/a.json; registries go to tasks/tasks.json. It is the current folder."""
    (tmp_path / "tasks").mkdir()
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "a.json").write_text(json.dumps(RUBRIC))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(suite: Path, text: str | dict[str, object]) -> Registry:
    """The registry of `text`, an entry to a line where it is an object."""
    if isinstance(text, dict):
        text = "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in text.items()) + "\n}"
    (suite / "tasks" / "tasks.json").write_text(text, encoding="utf-8")
    return load_registry(Path("tasks/tasks.json"))


def messages(suite: Path, text: str | dict[str, object]) -> list[str]:
    found = read(suite, text)
    assert not found.cases
    return [str(error) for error in found.errors]


def test_a_task_with_everything(suite: Path) -> None:
    misc = {
        "difficulty": "Hard",
        "threshold": 1,
        "strategy": "mind2web2",
        "non_critical_weight": 0.5,
        "unscored": "allow",
        "budget": {"seconds": 30, "cost_usd": 0.5},
        "owner": "me",
    }
    found = read(suite, {"first": entry(), "second": entry(tags=["chart", "多"], misc=misc)})
    assert found.errors == ()
    first, second = found.cases
    assert (first.id, first.suite, first.goal, first.tags, first.difficulty) == ("first", "tasks", "Do it.", (), None)
    assert first.original == suite / "decks" / "a.pptx", "which need not be there"
    assert str(first.source) == "tasks/tasks.json:2"
    assert first.rubric.source.path == "rubrics/a.json"
    assert (first.settings, first.budget, first.misc) == (Settings(), {}, {})
    assert (second.tags, second.difficulty, second.misc) == (("chart", "多"), "Hard", misc)
    assert second.settings == Settings(1.0, "mind2web2", 0.5, "allow")
    assert second.budget == {"seconds": 30.0, "cost_usd": 0.5}
    assert str(second.source) == "tasks/tasks.json:3"


def test_ids_as_people_write_them(suite: Path) -> None:
    ids = [
        "Revisiting Classical  Social Experiments [Autosaved]-021",
        "application+layer+slide-010",
        "v1.2 (final), 100%",
        "把标题改成红色",
        "Zoë's 😀 deck",
        "...",
        ".hidden",
        "a:b",
        "x" * 240,
    ]
    found = read(suite, {name: entry() for name in ids})
    assert found.errors == ()
    assert [case.id for case in found.cases] == ids


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "task id '' is empty: give the task a name"),
        ("  ", "task id '  ' is empty: give the task a name"),
        (".", "task id '.' names a folder of the file system: choose another"),
        ("..", "task id '..' names a folder of the file system: choose another"),
        ("a/b", "task id 'a/b' contains '/', it names folders and tests: choose an id without it"),
        ("a\\b", "task id 'a\\\\b' contains '\\\\', it names folders and tests: choose an id without it"),
        ("a::b", "task id 'a::b' contains '::', it names folders and tests: choose an id without it"),
        ("a\0b", "task id 'a\\x00b' contains a control character: choose an id without it"),
        ("a\nb", "task id 'a\\nb' contains a control character: choose an id without it"),
        ("a\x1b[31m", "task id 'a\\x1b[31m' contains a control character: choose an id without it"),
        ("a\u2028b", "task id 'a\\u2028b' contains a control character: choose an id without it"),
        (
            "多" * 81,
            f"task id '{'多' * 60}...' is longer than 240 bytes, it names folders: choose a shorter one",
        ),
    ],
)
def test_ids_that_name_no_folder(suite: Path, name: str, message: str) -> None:
    assert messages(suite, {name: entry()}) == [f"tasks/tasks.json:2:1: {message}"]


def test_ids_written_twice(suite: Path) -> None:
    one = json.dumps(entry())
    assert messages(suite, f'{{"a": {one},\n"b": {one},\n"a": {one}}}') == [
        "tasks/tasks.json:3:1: key 'a' is written twice, first in line 1: remove one or rename it"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the file is empty: write a rubric, tasks or cases into it, or remove it"),
        ("{}", "1:1: no tasks in this registry: add one"),
        ('{"$schema": "registry.schema.json"}', "1:1: no tasks in this registry: add one"),
        ("[]", "1:1: a registry must be an object: task id -> task"),
        ('{"a": 1}', "1:7: 'a' must be an object, not 1"),
        ('{"$schema": {}}', "1:13: 'goal' is missing: a task needs it"),
    ],
)
def test_what_is_no_registry(suite: Path, text: str, message: str) -> None:
    assert messages(suite, text)[0] == f"tasks/tasks.json:{message}"


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"rubric": "x"}, "rubric", "unknown key 'rubric' in a task: did you mean 'rubric_path'?"),
        ({"goal": 5}, "goal:", "'goal' must be text, not 5"),
        ({"file_path": ""}, "file_path:", "'file_path' is empty: write something"),
        ({"tags": "chart"}, "tags:", "'tags' must be a list, not 'chart'"),
        ({"tags": [1]}, "tags:[", "member 1 of 'tags' must be text, not 1"),
        ({"misc": []}, "misc:", "'misc' must be an object, not a list"),
        ({"misc": {"difficulty": 3}}, "difficulty:", "'difficulty' must be text, not 3"),
        ({"misc": {"threshold": 70}}, "threshold:", "'threshold' is 70: it must lie in 0..1"),
        (
            {"misc": {"dificulty": "Easy"}},
            "dificulty",
            "unknown setting 'dificulty': did you mean 'difficulty'? If not, choose a name less like it",
        ),
        (
            {"misc": {"budgets": {}}},
            "budgets",
            "unknown setting 'budgets': did you mean 'budget'? If not, choose a name less like it",
        ),
        ({"misc": {"budget": 5}}, "budget:", "'budget' must be an object, not 5"),
        ({"misc": {"budget": {"seconds": -1}}}, "seconds:", "'seconds' is -1: it must be 0 or more"),
        ({"misc": {"budget": {"seconds": "30"}}}, "seconds:", "'seconds' must be a number, not '30'"),
        (
            {"misc": {"budget": {"dollars": 1}}},
            "dollars",
            (
                "unknown key 'dollars' in a budget: known are 'seconds', 'input_tokens', 'output_tokens', "
                "'cost_usd' and 'tool_calls'"
            ),
        ),
    ],
)
def test_mistakes_in_a_task(suite: Path, changes: dict[str, object], key: str, message: str) -> None:
    """`key` says where the error points: at the key, at its value ("key:") or into its list ("key:[")."""
    line = f'"a": {json.dumps(entry(**changes))}'
    name, colon, bracket = key.partition(":")
    at = line.index(f'"{name}"') + 1
    if colon:
        at += len(f'"{name}": {bracket}')
    assert messages(suite, {"a": entry(**changes)}) == [f"tasks/tasks.json:2:{at}: {message}"]


def test_a_task_without_its_keys(suite: Path) -> None:
    assert messages(suite, {"a": {}}) == [
        "tasks/tasks.json:2:6: 'goal' is missing: a task needs it",
        "tasks/tasks.json:2:6: 'file_path' is missing: a task needs it",
        "tasks/tasks.json:2:6: 'rubric_path' is missing: a task needs it",
    ]


def test_a_limit_without_end(suite: Path) -> None:
    text = json.dumps({"a": entry(misc={"budget": {"seconds": 12345}})}).replace("12345", "1e999")
    column = text.index("1e999") + 1
    assert messages(suite, text) == [
        f"tasks/tasks.json:1:{column}: 'seconds' is no finite number: write a limit, or leave it out for none"
    ]


@pytest.mark.parametrize("key", ["file_path", "rubric_path"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../a.json", "path '../a.json' climbs out of {root}: keep files below it"),
        ("decks/../../a.json", "path 'decks/../../a.json' climbs out of {root}: keep files below it"),
        ("..", "path '..' climbs out of {root}: keep files below it"),
        ("/etc/passwd", "path '/etc/passwd' is absolute: write it relative to {root}"),
        ("C:\\decks\\a.json", "path 'C:\\\\decks\\\\a.json' is absolute: write it relative to {root}"),
        ("a\0.json", "path 'a\\x00.json' contains a control character: correct it"),
    ],
)
def test_paths_that_leave_the_suite(suite: Path, key: str, path: str, message: str) -> None:
    line = f'"a": {json.dumps(entry(**{key: path}))}'
    column = line.index(json.dumps(path)) + 1
    expected = f"tasks/tasks.json:2:{column}: {message.format(root=suite)}"
    assert messages(suite, {"a": entry(**{key: path})}) == [expected]


def test_a_path_with_dots_that_stays_inside(suite: Path) -> None:
    assert read(suite, {"a": entry(rubric_path="decks/../rubrics/./a.json")}).errors == ()


def test_a_rubric_that_is_not_there(suite: Path) -> None:
    column = json.dumps(entry()).index('"rubrics/a.json"') + len('"a": ') + 1
    (message,) = messages(suite, {"a": entry(rubric_path="rubrics/b.json")})
    assert message == (
        f"tasks/tasks.json:2:{column}: rubric 'rubrics/b.json' is not there: "
        f"looked for {suite}/rubrics/b.json and {suite}/tasks/rubrics/b.json, "
        "since paths count from the folder above the registry's, else from its own"
    )


def test_a_missing_rubric_is_told_once_however_many_tasks_name_it(suite: Path) -> None:
    told = messages(suite, {name: entry(rubric_path="gone.json") for name in "abc"})
    assert len(told) == 1
    assert "rubric 'gone.json' is not there (3 tasks name it)" in told[0]


def test_a_rubric_that_is_beside_the_registry(suite: Path) -> None:
    """As whoever writes a first registry lays it out; the benchmark's rule comes first."""
    shutil.copy(suite / "rubrics" / "a.json", suite / "tasks" / "b.json")
    (suite / "tasks" / "b.pptx").touch()
    found = read(suite, {"a": entry(rubric_path="b.json", file_path="b.pptx")})
    assert found.errors == ()
    assert found.cases[0].original == suite / "tasks" / "b.pptx"
    (suite / "b.pptx").touch()
    assert read(suite, {"a": entry(file_path="b.pptx")}).cases[0].original == suite / "b.pptx"


def test_one_bad_rubric_leaves_the_other_tasks(suite: Path) -> None:
    (suite / "rubrics" / "bad.json").write_text('{"root": {}}')
    bad = entry(rubric_path="rubrics/bad.json")
    found = read(suite, {"a": entry(), "b": bad, "c": bad, "d": entry()})
    assert [case.id for case in found.cases] == ["a", "d"]
    assert [str(error) for error in found.errors] == [
        "rubrics/bad.json:1:10: 'name' is missing: a node needs it",
        "rubrics/bad.json:1:10: this node has neither 'children' nor 'scorer': give it one",
    ], "said once, however many tasks share it"


def test_a_shared_rubric_is_parsed_once(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def counting(path: Path, display: str | None = None) -> object:
        seen.append(path)
        return load_rubric(path, display)

    monkeypatch.setattr("pytest_ppteval.case.registry.load_rubric", counting)
    found = read(suite, {"a": entry(), "b": entry(misc={"budget": {"seconds": 1}})})
    assert len(seen) == 1
    one, other = found.cases
    assert one.rubric.root is other.rubric.root
    assert (len(one.rubric.gates), len(other.rubric.gates)) == (0, 1)


def test_misc_wins_over_the_rubric(suite: Path) -> None:
    metadata = {
        "threshold": 0.5,
        "compute_strategy": "mind2web2",
        "non_critical_weight": 0.3,
        "budget": {"seconds": 60, "tool_calls": 9},
    }
    (suite / "rubrics" / "a.json").write_text(json.dumps(RUBRIC | {"metadata": metadata}))
    misc = {"threshold": 0.8, "strategy": "default", "budget": {"seconds": 30}}
    plain, own = read(suite, {"plain": entry(), "own": entry(misc=misc)}).cases
    assert plain.settings == Settings(0.5, "mind2web2", 0.3, None)
    assert plain.budget == {"seconds": 60.0, "tool_calls": 9.0}
    assert own.settings == Settings(0.8, "default", 0.3, None)
    assert own.budget == {"seconds": 30.0, "tool_calls": 9.0}


def test_budgets_are_gates(suite: Path) -> None:
    budget = {"seconds": 30, "input_tokens": 12000, "output_tokens": 0, "cost_usd": 0.5, "tool_calls": 2.5}
    line = f'"a": {json.dumps(entry(misc={"budget": budget}))}'
    (case,) = read(suite, {"a": entry(misc={"budget": budget})}).cases
    gates = [leaf for leaf in case.rubric.leaves if leaf.is_gate]
    assert [(gate.id, gate.node.description) for gate in gates] == [
        ("budget: seconds", "at most 30 s"),
        ("budget: input_tokens", "at most 12,000 input tokens"),
        ("budget: output_tokens", "at most 0 output tokens"),
        ("budget: cost_usd", "at most $0.50"),
        ("budget: tool_calls", "at most 2.5 tool calls"),
    ]
    for gate, (key, limit) in zip(gates, budget.items(), strict=True):
        assert gate.is_critical
        assert gate.scorer.type == "budget"
        assert gate.scorer.args == {"key": key, "limit": float(limit)}
        assert gate.scorer.source == gate.node.source
        assert (gate.node.source.line, gate.node.source.column) == (2, line.index(f'"{key}"') + 1)


def test_how_files_are_shown(suite: Path) -> None:
    read(suite, {"a": entry()})
    absolute = suite / "tasks" / "tasks.json"
    assert load_registry(absolute).cases[0].source.path == str(absolute)
    assert load_registry(absolute).cases[0].rubric.source.path == str(suite / "rubrics" / "a.json")
    assert load_registry(absolute, suite).cases[0].rubric.source.path == "rubrics/a.json"
    assert load_registry(absolute, suite / "tasks").cases[0].source.path == "tasks.json"


def test_a_registry_in_the_current_folder(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read(suite, {"a": entry()})
    monkeypatch.chdir(suite / "tasks")
    found = load_registry(Path("tasks.json"))
    assert [case.suite for case in found.cases] == ["tasks"]
    assert found.cases[0].source.path == "tasks.json"


def test_a_registry_and_a_rubric_in_yaml(suite: Path) -> None:
    (suite / "rubrics" / "b.yml").write_text("root: {name: L, scorer: {type: function, function_code: x}}")
    path = suite / "tasks" / "suite.yaml"
    path.write_text("a b:\n  goal: Do it.\n  file_path: d.pptx\n  rubric_path: rubrics/b.yml\n")
    (case,) = load(path, "registry").cases
    assert (case.id, case.rubric.leaves[0].id, case.source.line) == ("a b", "L", 1)


@pytest.mark.slow  # a stated size: it writes and loads 10,000 rubric files
def test_ten_thousand_tasks_with_a_rubric_each(suite: Path) -> None:
    for number in range(10_000):
        (suite / "rubrics" / f"{number}.json").write_text(json.dumps(RUBRIC))
    tasks: dict[str, object] = {
        f"task {number}": entry(rubric_path=f"rubrics/{number}.json", tags=["a"], misc={"difficulty": "Easy"})
        for number in range(10_000)
    }
    start = time.perf_counter()
    found = read(suite, tasks)
    taken = time.perf_counter() - start
    assert (len(found.cases), found.errors) == (10_000, ())
    assert found.cases[-1].source.line == 10_001
    # 2.5 s where it was written; the limit leaves room for a busy machine, and none for anything quadratic.
    assert taken < 30
