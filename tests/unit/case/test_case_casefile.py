"""Case files become trees; what is wrong with one is told with its line and a remedy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agent_run import load_case

from pytest_ppteval.case.casefile import load_cases
from pytest_ppteval.case.discover import kind_of
from pytest_ppteval.case.rules import KINDS, RULES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.rubric.tree import Leaf

SEED = """\
id: tperf-cpu
prompt: 分析压测任务 7 的结果
expected_behavior:
  - tool_call: "mcp"
    contains: "tperf-mcp"
  - file_exists: ["cpu.json", "nic.json"]
  - response_contains: ["测试有效", "出现CPU瓶颈"]
  - max_tool_calls: 10
rubric:
  observation_points: ["…", "…"]
  scoring: {process_score: 0-100, result_score: 0-100}
"""
SEED_IN_CHINESE = """\
id: tperf
prompt: 分析压测任务
# 过程检查
expected_behavior:
# 过程检查：是否调用了指定工具
- tool_call: "mcp"
  contains: "tperf-mcp"
# 结果检查：产物是否存在
- file_exists:
  - "cpu.json"
  - "nic.json"
# 响应检查：是否包含关键结论
- response_contains:
  - "测试有效"
  - "出现CPU瓶颈"
  - "业务QPS平稳"
# 效率检查：工具调用次数
- max_tool_calls: 10
rubric:
  observation_points:
    - 回答是否基于项目规范/知识库而非通用知识
    - 推理过程是否清晰连贯
    - 是否存在幻觉或编造内容
  scoring:
    process_score: 0-100 # 过程分
    result_score: 0-100 # 结果分
"""


def leaves(folder: Path, text: str) -> dict[str, Leaf]:
    return {leaf.id: leaf for leaf in load_case(folder, text).rubric.leaves}


def test_the_form_of_the_specification_loads_as_it_stands(tmp_path: Path) -> None:
    found = leaves(tmp_path, SEED)
    assert [
        (name, leaf.is_critical, leaf.scorer.type, leaf.node.metadata["dimension"]) for name, leaf in found.items()
    ] == [
        ("tool_call mcp contains tperf-mcp", True, "check", "correctness"),
        ("file_exists cpu.json, nic.json", True, "check", "correctness"),
        ("response_contains 测试有效, 出现CPU瓶颈", True, "check", "correctness"),
        ("result_score", False, "judge", "correctness"),
        ("process_score", False, "judge", "process"),
        ("max_tool_calls 10", False, "check", "efficiency"),
    ]
    assert found["tool_call mcp contains tperf-mcp"].scorer.args == {
        "rule": "tool_call",
        "value": "mcp",
        "options": {"contains": ["tperf-mcp"]},
    }
    assert found["process_score"].scorer.args == {
        "part": "process",
        "low": 0,
        "high": 100,
        "observation_points": ["…", "…"],
        "task": "分析压测任务 7 的结果",
        "expected": None,
        "skill": None,
        "votes": None,
    }


def test_the_same_with_comments_and_lists_over_several_lines(tmp_path: Path) -> None:
    found = leaves(tmp_path, SEED_IN_CHINESE)
    assert found["response_contains 测试有效, 出现CPU瓶颈, 业务QPS平稳"].scorer.source.line == 13
    assert found["result_score"].scorer.args["observation_points"][2] == "是否存在幻觉或编造内容"


def test_a_tree_has_a_group_for_each_dimension_that_has_leaves(tmp_path: Path) -> None:
    root = load_case(tmp_path, SEED).rubric.root
    assert [(group.name, group.is_critical, dict(group.metadata)) for group in root.children] == [
        ("correctness", True, {"dimension": "correctness", "priority": "P0"}),
        ("process", False, {"dimension": "process", "priority": "P1"}),
        ("efficiency", False, {"dimension": "efficiency", "priority": "P1"}),
    ]


@pytest.mark.parametrize(
    ("case", "rule", "dimension", "critical"),
    [
        ("", "tool_call: a", "correctness", True),
        ("", "skill_used: a", "correctness", True),
        ("", "not_response_contains: a", "correctness", True),
        ("", "max_seconds: 1", "efficiency", False),
        ("", "not_min_retries: 1", "efficiency", False),
        ("", "max_tool_calls: 1\n    critical: true", "efficiency", True),
        ("", "tool_call: a\n    critical: false", "correctness", False),
        ("", "tool_call: a\n    dimension: process", "process", False),
        ("", "max_tokens: 1\n    dimension: robustness", "robustness", True),
        # The case's dimension stands in for the general one.
        ("dimension: robustness", "tool_call: a", "robustness", True),
        ("dimension: experience", "response_contains: a", "experience", False),
        ("dimension: robustness", "max_tokens: 1", "efficiency", False),
        ("dimension: robustness", "tool_call: a\n    dimension: process", "process", False),
    ],
)
def test_dimension_and_criticality(tmp_path: Path, case: str, rule: str, dimension: str, critical: bool) -> None:
    text = f"id: c\nprompt: p\n{case}\nexpected_behavior:\n  - {rule}\n"
    (leaf,) = leaves(tmp_path, text).values()
    assert (leaf.node.metadata["dimension"], leaf.is_critical) == (dimension, critical)


VALUES: dict[str, Any] = {
    "tool_call": "a",
    "tool_order": ["a"],
    "skill_used": "a",
    "file_exists": "a",
    "file_contains": {"file": "a", "text": "b"},
    "file_matches": {"file": "a", "pattern": "b"},
    "json_path": {"path": "$.a"},
    "response_contains": "a",
    "response_matches": ["a"],
    "only_tools": ["a"],
    "no_effect": True,
    "only_effects": "a",
    "file_written": "a",
    "file_read": "a",
    "file_kept": "kept.txt",
    "file_parses": "a.py",
    "json_schema": {"schema": {"type": "object"}},
    "says": {"value": 1, "about": "a"},
    "answered_from": "a",
    "grounded": True,
    "any_of": [{"tool_call": "a"}, {"file_exists": "b"}],
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_and_its_negation_loads(tmp_path: Path, rule: str) -> None:
    value = VALUES.get(rule.removeprefix("not_"), 3)
    (tmp_path / "kept.txt").touch()
    case = {"id": "c", "prompt": "p", "inputs": ["kept.txt"], "writes": ["w"], "expected_behavior": [{rule: value}]}
    (leaf,) = load_case(tmp_path, json.dumps(case), "c.case.json").rubric.leaves
    assert leaf.scorer.args["rule"] == rule
    assert leaf.id.startswith(f"{rule} ")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("no_effect: true", "no_effect needs the case's 'writes': the tools that change something"),
        ("grounded: false", "grounded: false says nothing: write not_grounded: true"),
        ("file_kept: other.txt", "'other.txt' is none of the case's inputs: only those can be kept"),
        ("says: {about: a}", "says has no value: give it one of 'value', 'any' and 'all'"),
        ("says: {value: 1, any: [2]}", "says has 'value' and 'any': give it one of 'value', 'any' and 'all'"),
        ("says: {value: a, unit: kg}", "'unit' goes with numbers: take it out, or write the value without quotes"),
        ("says: {value: a, among: [b, c]}", "'a' is not among 'b' and 'c'"),
        ("says: {value: a, among: [a, c], tolerance: 1}", "'tolerance' doesn't go with 'among': take it out"),
        ("json_schema: {schema: {type: thing}}", "this is no JSON schema: $.type: 'thing' is not valid under any of"),
        ("json_path: {path: $.a, tolerance: 1}", "'tolerance' needs equals: write the number that it is about"),
        ("any_of: [{tool_call: a, name: n}, {tool_call: b}]", "'name' belongs to any_of as a whole"),
        ("any_of: [{tool_call: a, tool: n}, {tool_call: b}]", "'tool' doesn't go with tool_call: take it out"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(tmp_path: Path, rule: str, said: str) -> None:
    path = tmp_path / "c.case.yaml"
    path.write_text(f"prompt: p\nexpected_behavior:\n  - {rule}\n")
    (error,) = load_cases(path).errors
    assert error.message.startswith(said)


def test_a_case_with_vars_is_a_case_for_each_set_of_values(tmp_path: Path) -> None:
    path = tmp_path / "c.case.yaml"
    path.write_text(
        "defaults: {skill: '${skill}'}\n"
        "cases:\n"
        "- id: sum\n"
        "  prompt: What is ${a} and ${b}?\n"
        "  vars: [{a: 1, b: 2, sum: 3, skill: x}, {a: 5, b: 5, sum: 10, skill: y}]\n"
        "  expected_behavior: [says: {value: '${sum}'}, not_skill_used: true]\n"
    )
    registry = load_cases(path)
    assert registry.errors == ()
    assert [(case.id, case.goal) for case in registry.cases] == [
        ("sum-1", "What is 1 and 2?"),
        ("sum-5", "What is 5 and 5?"),
    ]
    assert [leaf.id for case in registry.cases for leaf in case.rubric.leaves] == [
        *("says 3", "not_skill_used x"),
        *("says 10", "not_skill_used y"),
    ]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("prompt: '${b}'\nvars: [{a: 1}]", "no value for ${b} here: known are 'a'"),
        (
            "prompt: p\nvars: [{a: 1}, {a: 1}]",
            "case id 'c-1' is taken, first in line 1: ids name outputs and approved runs",
        ),
        ("prompt: p\nvars: [{}]", "these variables have no values: write name: value, or take the entry out"),
    ],
)
def test_what_is_wrong_with_vars_is_said(tmp_path: Path, case: str, said: str) -> None:
    path = tmp_path / "c.case.yaml"
    path.write_text(f"id: c\n{case}\nexpected_behavior: [tool_call: a]\n")
    assert [error.message for error in load_cases(path).errors] == [said]


def test_the_rules_are_those_of_the_specification() -> None:
    bounds = {
        f"{side}_{what}" for side in ("max", "min") for what in ("tool_calls", "retries", "tokens", "cost", "seconds")
    }
    assert set(KINDS) == set(VALUES) | bounds


def test_defaults_stand_where_a_case_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.case.yaml"
    path.write_text(
        "defaults: {skill: report, scenario: trigger, timeout: 60, expected_behavior: [{skill_used: true}]}\n"
        "cases:\n"
        "- {id: a, prompt: p}\n"
        "- {id: b, prompt: q, polarity: negative, expected_behavior: [not_skill_used: true]}\n"
    )
    registry = load_cases(path)
    assert registry.errors == ()
    one, other = registry.cases
    assert one.facts is not None
    assert other.facts is not None
    assert (one.facts.scenario, one.facts.polarity, one.facts.timeout) == ("trigger", "positive", 60)
    assert (other.facts.scenario, other.facts.polarity, other.facts.skill) == ("trigger", "negative", "report")
    assert [leaf.id for leaf in one.rubric.leaves] == ["skill_used report"]
    assert [leaf.id for leaf in other.rubric.leaves] == ["not_skill_used report"]
    assert (one.source.line, other.source.line) == (3, 4)


def test_a_list_of_cases_and_a_case_named_after_its_file(tmp_path: Path) -> None:
    rules = "expected_behavior: [tool_call: t]"
    (tmp_path / "two.case.yaml").write_text(f"- {{id: a, prompt: p, {rules}}}\n- {{id: b, goal: q, {rules}}}\n")
    assert [case.id for case in load_cases(tmp_path / "two.case.yaml").cases] == ["a", "b"]
    assert load_case(tmp_path, f"prompt: p\n{rules}\n", "alone.case.yml").id == "alone"


def test_everything_that_a_case_may_say(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    case = load_case(
        tmp_path,
        """\
id: all
goal: Do it
scenario: robustness
polarity: negative
dimension: robustness
tags: [slow case]
difficulty: Hard
timeout: 90.5
budget: {seconds: 60, tool_calls: 5}
agent: claude
skill: skills/report
inputs: [data]
trials: 3
require: 2
expected: The answer is 4.
threshold: 0.8
strategy: mind2web2
unscored: allow
expected_behavior: [{not_tool_call: bash, name: No shell, description: It must not open one.}]
rubric: {observation_points: [clear?], scoring: {result_score: 0-10}, critical: true, votes: 3}
baseline: {aspects: [process, report], seconds: 120, min_match: 0.5, key_verdicts: [valid, {name: cpu, pattern: CPU}]}
human: [{question: Is it kind?, scale: [no, yes], dimension: experience}]
""".replace("[no, yes]", '["no", "yes"]'),
    )
    facts = case.facts
    assert facts is not None
    assert (facts.agent, facts.skill, facts.skill_name, facts.timeout) == ("claude", "skills/report", "report", 90.5)
    assert (facts.inputs, facts.trials, facts.require) == ((tmp_path / "data",), 3, 2)
    assert (case.goal, case.suite, case.difficulty, case.tags) == ("Do it", tmp_path.name, "Hard", ("slow case",))
    assert (case.settings.threshold, case.settings.strategy, case.settings.unscored) == (0.8, "mind2web2", "allow")
    assert case.budget == {"seconds": 60, "tool_calls": 5}
    by_id = {leaf.id: leaf for leaf in case.rubric.leaves}
    assert list(by_id) == [
        "result_score",
        "baseline: report",
        "baseline: process",
        "No shell",
        "Is it kind?",
        "budget: seconds",
        "budget: tool_calls",
    ]
    assert by_id["No shell"].node.description == "It must not open one."
    assert by_id["result_score"].is_critical
    args = by_id["result_score"].scorer.args
    assert (args["high"], args["expected"], args["skill"], args["votes"]) == (10, "The answer is 4.", "report", 3)
    assert by_id["baseline: process"].scorer.args == {
        "aspect": "process",
        "named": True,
        "case": "all",
        "suite": tmp_path.name,
        "seconds": 120,
        "min_process": None,
        "min_match": 0.5,
        "key_verdicts": [{"name": "valid"}, {"name": "cpu", "pattern": "CPU"}],
        "report": {},
        "artifacts": None,
    }
    assert by_id["budget: seconds"].node.metadata == {"dimension": "efficiency", "priority": "P1"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("report", "report"),
        ("loads:report", "loads:report"),
        ("skills/report/", "report"),
        ("..", "report"),
        ("../../report", "report"),
        (".", "evals"),
    ],
)
def test_a_skill_is_a_name_or_a_folder_wherever_it_lies(tmp_path: Path, written: str, name: str) -> None:
    folder = tmp_path / "report" / "evals"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "SKILL.md").write_text("# A skill", "utf-8")
    case = load_case(folder, f"prompt: p\nskill: {written!r}\nexpected_behavior: [{{skill_used: true}}]\n")
    assert case.facts is not None
    assert case.facts.skill_name == name
    assert [leaf.scorer.args["value"] for leaf in case.rubric.leaves] == [name]


def test_a_plain_baseline_compares_what_code_can_compare(tmp_path: Path) -> None:
    found = leaves(tmp_path, "id: c\nprompt: p\nbaseline: true\n")
    assert list(found) == ["baseline: artifacts", "baseline: process", "baseline: efficiency", "baseline: regression"]
    assert not any(leaf.is_critical for leaf in found.values())


WRONG = [
    # the case's lines from the third on, then what is said
    (
        "expected_behaviour: [tool_call: a]",
        "3:1: unknown key 'expected_behaviour' in a case: did you mean 'expected_behavior'?",
    ),
    ("expected_behavior: [{tool_cal: a}]", "3:22: unknown key 'tool_cal' in a rule: did you mean 'tool_call'?"),
    (
        "expected_behavior: [{tool_call: a, contians: b}]",
        "3:36: unknown key 'contians' in a rule: did you mean 'contains'?",
    ),
    (
        "expected_behavior: [{tool_call: a, max_tokens: 1}]",
        "3:21: this rule has 'tool_call' and 'max_tokens': write a rule for each",
    ),
    ("expected_behavior: [{name: x}]", "3:21: this rule checks nothing: known are 'tool_call', 'tool_order', "),
    ("expected_behavior: [{file_exists: a, contains: b}]", "3:38: 'contains' doesn't go with file_exists: take it out"),
    ("expected_behavior: [{max_seconds: 1, tool: b}]", "3:38: 'tool' doesn't go with max_seconds: take it out"),
    ("expected_behavior: [{tool_call: [a, b]}]", "3:33: 'tool_call' must be text, not a list"),
    ("expected_behavior: [{max_tokens: many}]", "3:34: 'max_tokens' must be a number, not 'many'"),
    ("expected_behavior: [{max_tokens: -1}]", "3:34: 'max_tokens' is -1: it must be 0 or more"),
    ("expected_behavior: [{tool_order: a}]", "3:34: 'tool_order' must be an object or a list, not 'a'"),
    ("expected_behavior: [{tool_order: {tools: [a], mode: strict}}]", "3:53: 'mode' is 'strict': known are 'exact', "),
    ("expected_behavior: [{response_matches: '(a'}]", "3:40: '(a' is no regular expression: missing ), unterminated"),
    ("expected_behavior: [{file_exists: [a, ../b]}]", "3:39: path '../b' climbs out of the workspace"),
    ("human: [{question: a}, {question: b, name: a}]", "3:24: another question has the same words or name"),
    ("baseline: {key_verdicts: [a, {name: a, pattern: x}]}", "3:30: key verdict 'a' is there twice: remove or rename"),
    (
        "skill: ../other\nexpected_behavior: [{tool_call: a}]",
        "3:8: skill '../other' is neither a name nor the folder of",
    ),
    ("skill: ..\nexpected_behavior: [{tool_call: a}]", "3:8: skill '..' is neither a name nor the folder of a skill"),
    ("skill: a/../..\nexpected_behavior: [{tool_call: a}]", "3:8: skill 'a/../..' is neither a name nor"),
    ("skill: /etc\nexpected_behavior: [{tool_call: a}]", "3:8: path '/etc' is absolute"),
    ("skill: ./\nexpected_behavior: [{tool_call: a}]", "3:8: skill './' is neither a name nor"),
    ("expected_behavior: [{file_exists: a/../b}]", "3:35: path 'a/../b' has '..' in it: write where the file is"),
    (
        "expected_behavior: [{file_exists: /etc/passwd}]",
        "3:35: path '/etc/passwd' is absolute: write it relative to the",
    ),
    ("expected_behavior: [{file_contains: a}]", "3:37: 'file_contains' must be an object, not 'a'"),
    (
        "expected_behavior: [{json_path: {path: a.b}}]",
        "3:40: JSON path 'a.b' must start with $, the whole value: write $.a.b",
    ),
    (
        "expected_behavior: [{json_path: {path: $..a}}]",
        "3:40: JSON path '$..a' can't be read from '..a' on: known are .name",
    ),
    ("expected_behavior: [{json_path: {path: $.a, min: 2, max: 1}}]", "3:50: min 2 is above max 1: swap them"),
    (
        "expected_behavior: [{json_path: {path: $.a, min: 2, equals: 1}}]",
        "3:33: json_path has 'equals' and 'min or max': write",
    ),
    ("expected_behavior: [{skill_used: true}]", "3:34: skill_used: true means the case's skill, and it has none"),
    ("expected_behavior: []", "3:20: 'expected_behavior' is empty: give it at least one member"),
    ("scenario: triger\nbaseline: true", "3:11: 'scenario' is 'triger': did you mean 'trigger'?"),
    ("dimension: tone\nbaseline: true", "3:12: 'dimension' is 'tone': known are 'correctness', "),
    ("trials: 2\nrequire: 3\nbaseline: true", "4:10: require is 3, of 2 trials: it can't be more"),
    ("trials: 1.5\nbaseline: true", "3:9: 'trials' must be a whole number, not 1.5"),
    ("inputs: [gone.csv]\nbaseline: true", "3:10: input 'gone.csv' is not there: paths count from "),
    (
        "rubric: {observation_points: [a], scoring: {process_score: 0-0}}",
        "3:60: process_score is '0-0': write a range such as 0-100",
    ),
    (
        "rubric: {observation_points: [a], scoring: {proces_score: 0-9}}",
        "unknown key 'proces_score' in a scoring: did you mean 'process_score'?",
    ),
    ("human: [{question: q, scale: high}]", "3:30: scale 'high' can't be read: write a range such as 1-5"),
    ("baseline: {key_verdicts: [{name: a, pattern: x, path: $.a}]}", "a key verdict has 'pattern' or 'path', not both"),
    ("tags: [a]", "1:1: this case checks nothing: give it 'expected_behavior', 'rubric', 'baseline' or 'human'"),
    ("goal: p\nbaseline: true", "3:1: this case has both 'prompt' and 'goal': keep one"),
    ("budget: {secs: 1}\nbaseline: true", "3:10: unknown key 'secs' in a budget: "),
]


@pytest.mark.parametrize(("lines", "said"), WRONG)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, lines: str, said: str) -> None:
    path = tmp_path / "x.case.yaml"
    path.write_text(f"id: c\nprompt: p\n{lines}\n")
    registry = load_cases(path)
    assert registry.cases == ()
    (error,) = registry.errors
    assert said in str(error)
    assert str(error).startswith(f"{path}:")


def test_a_case_with_a_problem_is_left_out_and_the_others_load(tmp_path: Path) -> None:
    path = tmp_path / "x.case.yaml"
    path.write_text(
        "cases:\n"
        "- {id: a, prompt: p, baseline: true}\n"
        "- {id: b, prompt: p, baselin: true}\n"
        "- {id: a, prompt: p, baseline: true}\n"
        "- {prompt: p, baseline: true}\n"
        "- {id: c/d, prompt: p, baseline: true}\n"
        "- {id: e, baseline: true}\n"
    )
    registry = load_cases(path)
    assert [case.id for case in registry.cases] == ["a"]
    assert [str(error).removeprefix(f"{path}:") for error in registry.errors] == [
        "3:22: unknown key 'baselin' in a case: did you mean 'baseline'?",
        "4:8: case id 'a' is taken, first in line 2: ids name outputs and approved runs",
        "5:3: 'id' is missing: a case in a list needs it",
        "6:8: case id 'c/d' contains '/', it names folders and tests: choose an id without it",
        "7:3: this case has neither 'prompt' nor 'goal': give it one",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no cases in this file: add one"),
        ("just text", "a case file must be a case, a list of cases, or an object with 'cases'"),
        ("defaults: {skill: a}", "'cases' is missing: a suite needs it"),
        ("{cases: [], defaults: {}}", "'cases' is empty: give it at least one member"),
        (
            "{cases: [{id: a, prompt: p, baseline: true}], defualts: {}}",
            "unknown key 'defualts' in a suite: did you mean 'defaults'?",
        ),
        ("{cases: [{id: a, prompt: p, baseline: true}], defaults: {id: x}}", "unknown key 'id' in a defaults"),
    ],
)
def test_files_of_no_known_form(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.case.yaml"
    path.write_text(text)
    assert said in str(load_cases(path).errors[0])


def test_which_files_are_case_files(tmp_path: Path) -> None:
    for name in ("a.case.yaml", "a.case.yml", "a.case.json"):
        (tmp_path / name).write_text('{"prompt": "p", "expected_behavior": []}')
        assert kind_of(tmp_path / name, named=False) == "case"
    other = tmp_path / "other.yaml"
    other.write_text("prompt: p\nexpected_behavior: []\n")
    assert kind_of(other, named=False) is None
    assert kind_of(other, named=True) == "case"
