"""The fast yes-or-no check and jsonschema give the same answers, and the shipped schemas are valid schemas."""

from __future__ import annotations

import copy
import json
import random
from importlib.resources import files
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from pytest_ppteval.case.quick import compile_schema
from pytest_ppteval.case.validate import Shape, _compiled, _validator

FUNCTION = {"type": "function", "function_code": "x"}
MODEL = {"type": "llm", "system_prompt": "s", "user_prompt": "u"}
LEAF = {"name": "L", "description": "d", "is_critical": True, "metadata": {}, "scorer": FUNCTION, "score": 1}
MISC = {
    "difficulty": "Easy",
    "threshold": 0.5,
    "strategy": "default",
    "compute_strategy": "mind2web2",
    "non_critical_weight": 1,
    "unscored": "allow",
    "budget": {"seconds": 1, "input_tokens": 2, "output_tokens": 3, "cost_usd": 0.5, "tool_calls": 0},
    "free": [1],
}
ANSWER = {
    "leaf": "L",
    "call": 1,
    "key": "k",
    "kind": "vlm",
    "model": "m",
    "system": "s",
    "prompt": "p",
    "images": [{"name": "n", "sha256": "0"}],
    "temperature": 0.5,
    "max_tokens": 9,
    "vote": 2,
    "answer": "a",
    "answered_by": "b",
    "server": "h",
    "tokens": {"input": 1, "output": 2},
    "recorded_at": "then",
}
AGENT = {
    "stdin": "",
    "trace": "stdout",
    "trace_format": "f",
    "response": "r",
    "env": {"pass": ["A*"], "set": {"B": "c"}},
    "timeout": 0.5,
    "retries": {"attempts": 2, "delay": 0},
    "files": {"a": "b"},
    "skills": "s",
    "output_limit": 1,
    "disk_limit": 10.5,
}
VALID: dict[Shape, list[dict[str, Any]]] = {
    "rubric": [{"root": {}, "metadata": MISC | {"task": "t", "critical_node_weight": 0.7}, "$schema": "x"}],
    "node": [LEAF, {"name": "G", "children": [LEAF]}, LEAF | {"scorer": MODEL}],
    "entry": [{"goal": "g", "file_path": "f", "rubric_path": "r", "tags": ["a", "b"], "misc": MISC}],
    "task": [
        {"task_id": "t", "goal": "g", "input_file": "f", "tags": [], "metadata": MISC},
        {"instruction": "g", "file_path": "f"},
    ],
    "suite": [{"cases": [{}], "defaults": {}, "$schema": "x"}],
    "defaults": [{"skill": "s", "trials": 2, "expected_behavior": [{"tool_call": "t", "contains": ["a"]}]}],
    "case": [
        {
            "id": "c",
            "prompt": "p",
            "scenario": "core",
            "expected_behavior": [
                {"tool_call": "t", "contains": "a", "args": {"x": 1}, "dimension": "process", "critical": True},
                {"tool_order": {"tools": ["a"], "mode": "exact"}},
                {"not_tool_order": ["a", "b"]},
                {"skill_used": True},
                {"not_file_contains": {"file": "f", "text": ["a"]}},
                {"json_path": {"path": "$", "equals": None, "min": 1}},
                {"max_tokens": 10.5},
            ],
            "rubric": {"observation_points": ["a"], "scoring": {"process_score": "0-100"}, "votes": 3},
            "baseline": {"aspects": ["report"], "key_verdicts": ["a", {"name": "b", "path": "$"}], "min_match": 0.5},
            "human": [{"question": "q", "scale": ["a", "b"]}, {"question": "q", "scale": "1-5"}],
            "trials": 3,
            "threshold": 0.5,
        },
        {"goal": "g", "baseline": True, "budget": {"seconds": 1}, "tags": ["t"], "inputs": ["i"]},
    ],
    "review": [
        {
            "$schema": "s",
            "reviews": [{"by": "a", "at": "b", "score": score, "note": "n", "question": "q", "run": "0123456789ab"}],
        }
        for score in (1, "good", 0.5)
    ],
    "run": [
        {"approved_by": "a", "approved_at": "b", "why": "w", "agent": "x", "metrics": {"seconds": 1}},
        {
            "format": 1,
            "judged": {"verdict": "passed", "low": 1, "high": 1, "short": ["leaf"]},
            "hashes": {"task": "a", "checks": "b", "skill": "c"},
            "artifacts": [{"name": "n", "bytes": 0, "sha256": "s", "kept": True}],
            "deck": {"bytes": 1, "sha256": "s"},
        },
    ],
    "agents": [
        {
            "$schema": "s",
            "agents": {
                "r": {"kind": "recorded", "outputs": "o"},
                "c": AGENT | {"kind": "command", "command": ["x", ""]},
                "p": AGENT | {"preset": "codex"},
                "f": {"kind": "python", "function": "m:f", "options": {"a": [1]}, "timeout": 1},
                "b": {"kind": "claude", "model": "m", "max_turns": 1, "max_tokens": 9, "answer_timeout": 1},
            },
        },
        {"agents": {}},
    ],
    "recording": [{"format": 1, "suite": "s", "task": "t", "answers": [ANSWER, ANSWER | {"form": "verdict"}]}],
    "prices": [{"m": {"input": 1, "output": 0.5, "cache_read": 0, "cache_write": 2}, "n*": {"input": 0, "output": 1}}],
}
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    0.5,
    1.5,
    "",
    "x",
    "llm",
    "function",
    "default",
    [],
    [1],
    ["a"],
    {},
    {"a": 1},
]
KEYS = [
    "name",
    "children",
    "scorer",
    "type",
    "goal",
    "instruction",
    "input_file",
    "zzz",
    "metadata",
    "threshold",
    "misc",
]


def spoil(value: Any, rng: random.Random) -> Any:
    """A copy of `value` with one thing changed, added or taken out, at any depth."""
    value = copy.deepcopy(value)
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        action = rng.random()
        if action < 0.2:
            del value[key]
        elif action < 0.35:
            value[rng.choice(KEYS)] = rng.choice(ODD)
        else:
            value[key] = spoil(value[key], rng)
        return value
    if isinstance(value, list) and value and rng.random() < 0.5:
        index = rng.randrange(len(value))
        value[index] = spoil(value[index], rng)
        return value
    return rng.choice(ODD)


@pytest.mark.parametrize("shape", get_args(Shape))
def test_both_validators_agree(shape: Shape) -> None:
    rng = random.Random(1)
    quick, _ = _compiled(shape)
    slow = _validator(shape)
    answers = {True: 0, False: 0}
    for valid in VALID[shape]:
        assert quick(valid)
        assert slow.is_valid(valid)
    for _ in range(1500):
        value = rng.choice(VALID[shape])
        for _ in range(rng.randint(1, 3)):
            value = spoil(value, rng)
        assert quick(value) == slow.is_valid(value), value
        answers[quick(value)] += 1
    assert min(answers.values()) > 50, "both answers must have been put to the test"


def test_a_keyword_that_the_quick_check_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown schema keyword 'pattern'"):
        compile_schema({"type": "string", "pattern": "^a"}, {})


@pytest.mark.parametrize("name", ["rubric", "registry", "task"])
def test_the_shipped_schemas_stand_on_their_own(name: str) -> None:
    """As an editor uses them: file by file, references followed by file name, the tree checked to its leaves."""
    folder = files("pytest_ppteval.case") / "schema"
    schemas = {
        f"{one}.schema.json": json.loads((folder / f"{one}.schema.json").read_text(encoding="utf-8"))
        for one in ("rubric", "registry", "task")
    }
    schema = schemas[f"{name}.schema.json"]
    Draft202012Validator.check_schema(schema)
    assert schema["title"]
    assert schema["description"]
    registry = Registry().with_resources((uri, Resource.from_contents(one)) for uri, one in schemas.items())
    validator = Draft202012Validator({"$ref": f"{name}.schema.json"}, registry=registry)
    good: dict[str, Any] = {
        "rubric": {"root": {"name": "G", "children": [LEAF]}},
        "registry": {"a": VALID["entry"][0]},
        "task": VALID["task"][0],
    }[name]
    bad: dict[str, Any] = {
        "rubric": {"root": {"name": "G", "children": [LEAF | {"typo": 1}]}},
        "registry": {"a": VALID["entry"][0] | {"misc": {"threshold": 2}}},
        "task": VALID["task"][0] | {"metadata": {"budget": {"second": 1}}},
    }[name]
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)
