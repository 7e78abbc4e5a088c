"""The quick check of journal records says what jsonschema says, and each problem is told in words."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from run_records import make_case, make_record, scores

from pytest_ppteval.runs.facts import session_facts
from pytest_ppteval.runs.records import before, leaves_of
from pytest_ppteval.runs.schema import Shape, _check, _schema, find_problems

ODD = [None, True, False, 0, 1, 1.0, 2, -1, 0.5, "", "passed", "core", [], ["x"], {}, {"x": 1}, [None]]


@pytest.fixture
def valid(tmp_path: Path) -> dict[Shape, list[Any]]:
    case = make_case(tmp_path, "t", "A", "B", budget={"seconds": 3})
    first = make_record(case, scores(A=1.0, B=None), run={"status": "finished", "exit_code": None, "attempts": 1})
    second = make_record(case, scores(A=0.5, B=0.0), 2, 3, 2, agent="a", folder="artifacts/x", previous=before(first))
    git = {"commit": "abc", "branch": None, "dirty": True}
    facts = {**session_facts(tmp_path, sandbox="full", models={"judge": None}), "git": git, "resumed": ["then"]}
    shard = {name: value for name, value in facts.items() if name != "format"}
    return {
        "journal-record": [first, second, {**second, "suite": "s", "scenario": None, "polarity": "positive"}],
        "run-directory": [facts, {**facts, "shards": [{"name": "one", **shard}]}],
        "node": [*leaves_of(second), first["scored_rubric"]["root"]],
    }


def spoil(value: Any, rng: random.Random) -> Any:
    """A copy of `value` with one thing changed, added or taken out, at any depth."""
    value = copy.copy(value)
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        action = rng.random()
        if action < 0.15:
            del value[key]
        elif action < 0.25:
            value["odd"] = rng.choice(ODD)
        else:
            value[key] = spoil(value[key], rng)
        return value
    if isinstance(value, list) and value and rng.random() < 0.5:
        index = rng.randrange(len(value))
        value[index] = spoil(value[index], rng)
        return value
    return rng.choice(ODD)


@pytest.mark.parametrize("shape", ["journal-record", "run-directory", "node"])
def test_both_validators_agree(shape: Shape, valid: dict[Shape, list[Any]]) -> None:
    rng = random.Random(1)
    quick, slow = _check(shape), Draft202012Validator(_schema(shape))
    answers = {True: 0, False: 0}
    for good in valid[shape]:
        assert find_problems(good, shape) == []
        assert slow.is_valid(good)
    for _ in range(800):
        value = spoil(rng.choice(valid[shape]), rng)
        assert quick(value) == slow.is_valid(value), value
        assert bool(find_problems(value, shape)) or quick(value)
        answers[quick(value)] += 1
    assert min(answers.values()) > 50, "both answers must have been put to the test"


def test_what_is_wrong_deep_in_a_tree_is_found_whatever_its_depth(valid: dict[Shape, list[Any]]) -> None:
    record = copy.deepcopy(valid["journal-record"][0])
    root = record["scored_rubric"]["root"]
    for _ in range(190):
        root = {**root, "children": [root]}
    record["scored_rubric"]["root"] = root
    assert find_problems(record, "journal-record") == []
    record["budget"][0]["low"] = 7
    while "children" in root["children"][0]:
        root = root["children"][0]
    root["children"][0]["reason"] = None
    assert find_problems(record, "journal-record") == [
        f"scored_rubric.root{'.children.0' * 191}.reason: None is not of type 'string'",
        "budget.low: 7 is greater than the maximum of 1",
    ]
