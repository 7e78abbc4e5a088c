"""Rules about what is said: says, answered_from, grounded, json_schema, any_of, and texts in other notations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_run import judge, judge_run, load_case, step, trace_of

from pytest_ppteval.evidence.run import Run

if TYPE_CHECKING:
    from pathlib import Path

WORDS = """words:
  bottleneck: [limiting resource, 瓶颈]
  cpu: [processor]
  memory: [RAM, 内存]
  none: [no bottleneck, 无]
  not valid: [invalid, 无效]
  valid: [有效]
"""
KG = "says: {value: 1250, unit: [kg, 公斤]}"
LOAD = "says: {value: 91.2, unit: '%', about: cpu}"
NEAR = "says: {value: 55.1, unit: '%', about: memory}"
BOTTLENECK = "says: {value: memory, about: bottleneck, among: [cpu, memory, network, none]}"
VALID = "says: {value: valid, among: [valid, not valid]}"


@pytest.mark.parametrize(
    ("rule", "response", "score"),
    [
        # A number, in any notation.
        (LOAD, "CPU: 91.2 %", 1),
        (LOAD, "the processor stood at 91.2% on average", 1),
        (LOAD, "CPU 平均91.2％", 1),
        (LOAD, "- **CPU**\r\n- mean 91,2 %\r\n", 1),
        (LOAD, "cpu share: 0.912", 1),
        (LOAD, "| resource | mean |\n|---|---|\n| CPU | 91.2 |", 1),
        (LOAD, "CPU: 9.12 %", 0),
        (LOAD, "CPU: 91.2 ms", 0),
        (LOAD, "CPU: high", 0),
        ("says: {value: 91, unit: '%', tolerance: 0.5}", "91.2 percent", 1),
        ("says: {value: 91, unit: '%', tolerance: 0.1}", "91.2 percent", 0),
        ("says: {value: 347, unit: ms}", "0.347 s at p99", 1),
        ("says: {value: 240, unit: [s, 秒]}", "稳定期只有240秒", 1),
        ("says: {value: 240, unit: s}", "4 min were steady", 1),
        ("says: {value: 12000}", "about 12k of them", 1),
        # Of what it is said.
        (NEAR, "CPU 91.2 %, memory 55.1 %", 1),
        (NEAR, "CPU 55.1 %, memory 91.2 %", 0),
        (NEAR, "Memory was at 55.1 %, and CPU at 91.2 %", 1),
        # Denied.
        (KG, "要放 1,250 公斤。", 1),
        (KG, "1.25 t", 1),
        (KG, "Not 1250 kg, 1000 kg should be loaded", 0),
        (KG, "不是 1250 公斤，而是 1000 公斤", 0),
        (KG, "not more than 1250 kg", 1),
        # Several.
        ("says: {all: [231, 250]}", "231 of 250 ms", 1),
        ("says: {all: [231, 250]}", "231 ms", 0),
        ("says: {any: ['19:00', '7 pm']}", "Peak at 7 PM", 1),
        ("says: {any: ['19:00', '7 pm']}", "Peak at 18:00", 0),
        # One of a list.
        (BOTTLENECK, "Bottleneck: memory", 1),
        (BOTTLENECK, "**Bottleneck:** Memory  \r\n\r\nCPU is also at its limit", 1),
        (BOTTLENECK, "瓶颈：内存", 1),
        (BOTTLENECK, '{"bottleneck": "memory", "also": ["cpu"]}', 1),
        (BOTTLENECK, "RAM was the limiting resource; the CPU came later.", 1),
        (BOTTLENECK, "The limiting resource was memory, not the CPU.", 1),
        (BOTTLENECK, "Bottleneck: CPU. Memory is fine.", 0),
        (BOTTLENECK, "Bottleneck: memory\nBottleneck: CPU", 0),
        (BOTTLENECK, "Memory 95 %", 0),
        (BOTTLENECK.replace("value: memory", "value: none"), "There is no bottleneck: CPU 62 %.", 1),
        (VALID, "The test is valid.", 1),
        (VALID, "Test: not valid (errors)", 0),
        (VALID, "测试：无效", 0),
        # A file.
        ("says: {value: 5, file: a.md}", "nothing", 1),
    ],
)
def test_says(tmp_path: Path, rule: str, response: str, score: float) -> None:
    files: dict[str, str | bytes] = {"response.md": response.encode(), "a.md": "5 of them"}
    result = judge(tmp_path, rule, files=files, more=WORDS)
    assert result.score == score, result.reason


@pytest.mark.parametrize(
    "rule",
    [
        "response_contains: 'Test: valid'",
        "response_matches: '(?m)^Test: valid$'",
        "response_matches: '(?m)^Load: \"78 %\"$'",
        "response_contains: doesn't end",
    ],
)
def test_line_ends_widths_marks_and_quotes_decide_nothing(tmp_path: Path, rule: str) -> None:
    said = "**Test:** valid  \r\n\r\nLoad: “78\u00a0％” \r\nIt doesn’t\nend"
    assert judge(tmp_path, rule, files={"response.md": said.encode()}).score == 1


@pytest.mark.parametrize(
    ("rule", "score"),
    [("{any: [a, z]}", 1), ("{all: [a, z]}", 0), ("[a, b]", 1), ("{any: [x, z]}", 0)],
)
def test_any_or_all_of_several_texts(tmp_path: Path, rule: str, score: float) -> None:
    assert judge(tmp_path, f"response_contains: {rule}", files={"response.md": "a b c"}).score == score


SALES = trace_of(
    step("Read", {"file_path": "/w/sales.csv"}, result="19:00,412\n20:00,305"),
    step("get", {"run": 7}, result='{"mean": 91.23, "target": 4000, "load": 3982}'),
    response="Peak: 412 tickets at 19:00, CPU 91.2 %.",
)


@pytest.mark.parametrize(
    ("rule", "score"),
    [
        ("answered_from: read", 1),
        ("answered_from: {tool: read, value: 412}", 1),
        ("answered_from: {tool: [shell, read], value: ['19:00', 412]}", 1),
        ("answered_from: {tool: get, value: 91.2}", 1),
        ("answered_from: {tool: get, value: 412}", 0),
        ("answered_from: {tool: read, value: 305}", 0),  # not said
        ("answered_from: shell", 0),
        ("not_answered_from: shell", 1),
        ("tool_call: read\nresult_contains: '19:00,412'", 1),
        ("tool_call: read\nresult_contains: '500'", 0),
        ("max_tool_calls: 0\ntool: get\nargs: {run: 7}", 0),
        ("max_tool_calls: 0\ntool: get\nargs: {run: 8}", 1),
        ("json_path: {file: v.json, path: $.cpu, equals: 91.2, tolerance: 0.05}", 1),
        ("json_path: {file: v.json, path: $.cpu, equals: 91.2, tolerance: 0.01}", 0),
        ("json_schema: {file: v.json, schema: {required: [cpu], properties: {id: {pattern: '^LT-[0-9]+$'}}}}", 1),
        ("json_schema: {file: v.json, schema: {properties: {id: {pattern: '^HB-[0-9]+$'}}}}", 0),
        ("json_schema: {file: v.json, schema: {required: [gpu]}}", 0),
        ("not_json_schema: {file: v.json, schema: {required: [gpu]}}", 1),
        ("any_of: [{tool_call: nothing}, {file_exists: v.json}]", 1),
        ("any_of: [{tool_call: nothing}, {file_exists: w.json}]", 0),
        ("not_any_of: [{tool_call: nothing}, {file_exists: w.json}]", 1),
    ],
)
def test_where_an_answer_is_from_and_what_files_hold(tmp_path: Path, rule: str, score: float) -> None:
    result = judge(tmp_path, rule, SALES, files={"v.json": '{"id": "LT-20418", "cpu": 91.23}'})
    assert result.score == score, result.reason


def test_a_rule_that_stands_in_for_a_judge_says_so(tmp_path: Path) -> None:
    rule = "response_contains: no run\nstands_in: says that there is no such run"
    result = judge(tmp_path, rule, files={"response.md": "There is no run 5."})
    assert result.reason.startswith("stands in for a judge of 'says that there is no such run': ")


RESULT = (
    '{"mean": 91.23, "max": 97.5, "target": 4000, "load": 3982, "id": "LT-20418", "points": [[0, 88.1], [60, 90.4]]}'
)


@pytest.mark.parametrize(
    ("said", "invented"),
    [
        ("LT-20418: mean 91.23 %, max 97.5 %", ""),
        ("mean 91.2%, or 0.912; 91 ％ rounded", ""),
        ("The load was 3,982 of 4,000, that is 99.6 %, 18 short", ""),
        ("97.5 - 91.23 is 6.27", ""),
        ("Two of 3 hosts, see 1. and 2.", ""),
        ("The prompt's 85 % and the file's 250 ms", ""),
        ("CPU 93.7 %", "93.7 %"),
        ("LT-20499 is better", "LT-20499"),
        ("Next (HB-07): profile", "HB-07"),
        ("7777 users", "7777"),
        ("Mean 91.9 %", "91.9 %"),
    ],
)
def test_grounded(tmp_path: Path, said: str, invented: str) -> None:
    (tmp_path / "goals.txt").write_text("p99 below 250 ms")
    case = load_case(
        tmp_path, "id: c\nprompt: Is it below 85 %?\ninputs: [goals.txt]\nexpected_behavior: [grounded: true]\n"
    )
    (tmp_path / "run" / "workspace").mkdir(parents=True)
    (tmp_path / "run" / "workspace" / "report.md").write_text(said)
    for response in ("Done.", said):
        trace = trace_of(step("get", result=RESULT), response=response)
        result = judge_run(case, Run(tmp_path / "run", "c", trace))
        assert result.score == (0 if invented else 1), result.reason
        assert invented in result.reason


def test_what_an_agent_told_its_shell_grounds_nothing(tmp_path: Path) -> None:
    trace = trace_of(step("bash", {"command": "echo 93.7"}, result="93.7"), response="CPU 93.7 %")
    assert judge(tmp_path, "grounded: true", trace, files={}).score == 0


def test_what_came_after_a_file_was_written_does_not_ground_it(tmp_path: Path) -> None:
    write = step("Write", {"path": "report.md", "content": "CPU 91.23 %"})
    for place, steps in enumerate([(write, step("get", result=RESULT)), (step("get", result=RESULT), write)]):
        folder = tmp_path / str(place)
        folder.mkdir()
        result = judge(folder, "grounded: true", trace_of(*steps), files={"report.md": "CPU 91.23 %"})
        assert result.score == place, result.reason
