"""Case files under pytest: cases are items, their rules subtests, judged by what an agent left."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from pytest_ppteval import score
from pytest_ppteval.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = """\
defaults: {skill: load-report}
cases:
  - id: cpu
    prompt: 分析压测任务 7
    scenario: core
    tags: [Chinese]
    expected_behavior:
      - tool_call: mcp
        contains: tperf-mcp
      - file_exists: cpu.json
      - response_contains: [测试有效]
      - max_tool_calls: 1
    budget: {tool_calls: 3}
  - id: weather
    prompt: How is the weather?
    scenario: trigger
    polarity: negative
    dimension: robustness
    expected_behavior:
      - not_skill_used: true
    human:
      - question: Is the answer kind?
"""


def chat(*calls: tuple[str, str], answer: str) -> str:
    """A conversation in OpenAI's form: these calls (tool, arguments), then an answer."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "go"}]
    for number, (tool, arguments) in enumerate(calls):
        call = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    return json.dumps({"messages": [*messages, {"role": "assistant", "content": answer}]})


# One rule, and a judge that is asked after it.
JUDGED = """\
id: cpu
prompt: look at the load
expected_behavior:
  - file_exists: cpu.json
rubric:
  observation_points: [it looks]
"""
CONFTEST = """\
from pathlib import Path
import pytest

@pytest.fixture
def llm_call():
    def call(prompt, **_):
        {change}
        return "no judgement"
    return call
"""


class Suite:
    """cases/agent/load.case.yaml and what an agent left for its cases under outputs/."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.write("cases/agent/load.case.yaml", CASES)
        self.output(
            "cpu",
            {"trace.json": chat(("mcp", '{"server": "tperf-mcp"}'), answer="测试有效。"), "workspace/cpu.json": "{}"},
        )
        self.output("weather", {"trace.json": chat(answer="Sunny.")})

    def write(self, name: str, text: str) -> Path:
        path = self.pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def output(self, case: str, content: Mapping[str, str]) -> None:
        shutil.rmtree(self.pytester.path / "outputs" / case, ignore_errors=True)
        for name, text in content.items():
            self.write(f"outputs/{case}/{name}", text)

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", "--ppteval-outputs=outputs", *(arguments or ("cases",))
        )


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    return Suite(pytester)


def test_cases_are_items_and_rules_are_subtests(suite: Suite) -> None:
    result = suite.run("-v", "cases", "--ppteval-unscored=allow")
    result.assert_outcomes(passed=1, skipped=2)  # the question to people is open, and with it its case
    result.stdout.fnmatch_lines(
        [
            "*load.case.yaml::cpu SUBPASSED[[]tool_call mcp contains tperf-mcp[]]*",
            "*load.case.yaml::cpu SUBPASSED[[]file_exists cpu.json[]]*",
            "*load.case.yaml::cpu SUBPASSED[[]response_contains 测试有效[]]*",
            "*load.case.yaml::cpu SUBPASSED[[]max_tool_calls 1[]]*",
            "*load.case.yaml::cpu SUBPASSED[[]budget: tool_calls[]]*",
            "*load.case.yaml::weather SUBPASSED[[]not_skill_used load-report[]]*",
            "*load.case.yaml::weather SUBUNSCORED[[]Is the answer kind?[]]*",
        ]
    )


def test_a_rule_that_falls_short_says_what_was_found_and_where_it_is_written(suite: Suite) -> None:
    suite.output(
        "cpu", {"trace.json": chat(("mpc", "{}"), ("read", "{}"), answer="不知道"), "workspace/gpu.json": "{}"}
    )
    result = suite.run("cases/agent/load.case.yaml::cpu")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "critical, score 0.00: mcp was not called; 2 calls: mpc, read",
            "cases/agent/load.case.yaml:8: tool_call mcp contains tperf-mcp",
            "critical, score 0.00: there is no cpu.json; the workspace holds gpu.json",
            "critical, score 0.00: '测试有效' is not in the final response; it begins: \"不知道\"",
            "score 0.00: 2 tool calls, at most 1 expected; 2 calls: mpc, read",
        ]
    )


def test_an_agent_that_left_nothing_fails(suite: Suite) -> None:
    shutil.rmtree(suite.pytester.path / "outputs" / "cpu")
    result = suite.run("cases/agent/load.case.yaml::cpu")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*the agent left nothing: looked for trace.*"])


CHANGES = {
    "workspace/cpu.json changed": "Path('outputs/cpu/workspace/cpu.json').write_text('{}')",
    "workspace/cpu.json was removed": "Path('outputs/cpu/workspace/cpu.json').unlink()",
    "workspace/late.txt appeared": "Path('outputs/cpu/workspace/late.txt').touch()",
    "trace.json changed": "open('outputs/cpu/trace.json', 'a').write(' ')",
    "response.md appeared": "Path('outputs/cpu/response.md').write_text('Done.')",
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_run_that_changes_while_it_is_judged_gets_no_verdict(suite: Suite, what: str) -> None:
    suite.output("cpu", {"trace.json": chat(answer="Done."), "workspace/cpu.json": '{"load": 1}'})
    suite.write("cases/agent/load.case.yaml", JUDGED)
    suite.write("conftest.py", CONFTEST.format(change=CHANGES[what]))
    result = suite.run()
    assert result.ret == 1
    said = f"the run's {what} while the task was judged, so that no verdict on it holds: judge it again once nothing"
    result.stdout.fnmatch_lines([f"*{said} writes to outputs/cpu"])
    result.stdout.no_fnmatch_line("*SUBPASSED*")


def test_reading_a_run_is_no_change(suite: Suite) -> None:
    suite.output("cpu", {"trace.json": chat(answer="Done."), "workspace/cpu.json": '{"load": 1}'})
    suite.write("cases/agent/load.case.yaml", JUDGED)
    suite.write("conftest.py", CONFTEST.format(change="Path('outputs/cpu/workspace/cpu.json').read_bytes()"))
    result = suite.run("-v", "cases")
    result.stdout.fnmatch_lines(["*SUBPASSED[[]file_exists cpu.json[]]*"])
    result.stdout.no_fnmatch_line("*while the task was judged*")


def test_results_by_dimension_what_the_suite_lacks_and_reviews_wanted(suite: Suite) -> None:
    result = suite.run()
    result.stdout.fnmatch_lines(
        [
            "  dimension correctness (P0)  mean       1.00  full 3/3",
            "  dimension efficiency (P1)   mean       1.00  full 2/2",
            "  dimension robustness (P0)   mean 0.50..1.00  full 1/2, 1 unscored",
            "UNSCORED 1 leaf: needs review: answer in cases/agent/reviews/weather.yaml on the scale 1-5, for run *",
            "ppteval: 1 review by people wanted, of 1 case",
            "ppteval: no case for: scenario artifact, scenario robustness, scenario trigger (positive), *",
        ]
    )


@pytest.mark.parametrize(
    "arguments", [("cases", "-k", "cpu"), ("cases", "-m", "core"), ("cases/agent/load.case.yaml::cpu",)]
)
def test_a_selection_from_a_suite_is_not_told_what_it_lacks(suite: Suite, arguments: tuple[str, ...]) -> None:
    suite.run(*arguments).stdout.no_fnmatch_line("*no case for*")


def test_one_file_of_a_suite_of_several_is_not_told_what_it_lacks(suite: Suite) -> None:
    suite.write("cases/agent/more.case.yaml", "prompt: p\nscenario: artifact\nexpected_behavior: [file_exists: a]\n")
    suite.run("cases/agent/load.case.yaml").stdout.no_fnmatch_line("*no case for*")
    suite.run().stdout.fnmatch_lines(["ppteval: no case for: scenario robustness, scenario trigger (positive), *"])


def test_collecting_tells_what_a_suite_lacks(suite: Suite) -> None:
    result = suite.run("--collect-only", "-q", "cases")
    result.stdout.fnmatch_lines(
        [
            "cases/agent/load.case.yaml::cpu",
            "cases/agent/load.case.yaml::weather",
            "ppteval: no case for: scenario artifact*",
        ]
    )


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("core", ["cpu"]),
        ("negative", ["weather"]),
        ("trigger and negative", ["weather"]),
        ("efficiency", ["cpu"]),
        ("p1", ["cpu"]),
        ("p0", ["cpu", "weather"]),
        ("robustness", ["weather"]),
        ("chinese", ["cpu"]),
    ],
)
def test_markers(suite: Suite, expression: str, selected: list[str]) -> None:
    result = suite.run("--collect-only", "-q", "--strict-markers", "-m", expression, "cases")
    assert [line.rpartition("::")[2] for line in result.outlines if "::" in line] == selected


def test_one_rule_alone(suite: Suite) -> None:
    result = suite.run("cases/agent/load.case.yaml::cpu::max_tool_calls 1", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*SUBPASSED*tool_call mcp*")


def test_junit_and_json_have_dimension_and_priority(suite: Suite) -> None:
    suite.run("cases", "--junitxml=report.xml", "--ppteval-json=results.json")
    root = ET.parse(suite.pytester.path / "report.xml").getroot()
    found = {
        str(case.get("name")): {p.get("name"): p.get("value") for p in case.iterfind("properties/property")}
        for case in root.iter("testcase")
    }
    limit = found["cpu::max_tool_calls 1"]
    assert (limit["dimension"], limit["priority"]) == ("efficiency", "P1")
    assert found["weather::not_skill_used load-report"]["dimension"] == "robustness"
    results = json.loads((suite.pytester.path / "results.json").read_text("utf-8"))
    schema = json.loads((files("pytest_ppteval.case") / "schema" / "results.schema.json").read_text("utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(results)] == []
    cpu, weather = results["tasks"]
    assert (weather["suite"], weather["scenario"], weather["polarity"]) == ("agent", "trigger", "negative")
    leaf = cpu["scored_rubric"]["root"]["children"][0]["children"][0]
    assert leaf["metadata"] == {"dimension": "correctness", "priority": "P0"}
    assert leaf["scorer"] == {
        "type": "check",
        "rule": "tool_call",
        "value": "mcp",
        "options": {"contains": ["tperf-mcp"]},
    }


def test_approved_runs_are_judged_where_no_outputs_are_named(suite: Suite) -> None:
    approved = suite.pytester.path / "baselines" / "agent"
    shutil.copytree(suite.pytester.path / "outputs" / "cpu", approved / "cpu")
    result = suite.pytester.runpytest_inprocess("-p", "no:cacheprovider", "cases", "-k", "cpu")
    result.assert_outcomes(passed=1)
    result = suite.pytester.runpytest_inprocess("-p", "no:cacheprovider", "cases", "-k", "weather")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*nothing to judge: no --ppteval-outputs, and no approved run of this case in *weather"]
    )


def test_what_an_approved_run_has_nothing_to_compare_with_does_not_count(suite: Suite) -> None:
    suite.write("cases/agent/load.case.yaml", "id: cpu\nprompt: p\nskill: s\nbaseline: true\n")
    suite.output("cpu", {"trace.json": chat(("look", "{}"), answer="Done.")})
    suite.run("--ppteval-record-baselines=candidates", "cases")
    assert main(["approve", "cpu", "--by", "A. Reader", "--why", "it looked", "--yes"]) == 0
    result = suite.run("--ppteval-json=results.json", "-v", "cases")
    result.assert_outcomes(passed=1, skipped=2)  # neither files nor tokens and time: two aspects
    result.stdout.fnmatch_lines(
        [
            "*SUBNOTAPPLICABLE[[]baseline: artifacts[]]*",
            "*SUBNOTAPPLICABLE[[]baseline: efficiency[]]*",
            "1 passed",
            "  dimension process (P1)     mean       1.00  full 1/1",
            "  dimension efficiency (P1)  mean       1.00  full 1/1",
        ]
    )
    document = json.loads((suite.pytester.path / "results.json").read_text("utf-8"))
    (task,) = document["tasks"]
    assert task["verdict"] == "passed"
    counted = {group["name"]: group.get("applies", True) for group in task["scored_rubric"]["root"]["children"]}
    assert counted == {"correctness": False, "process": True, "efficiency": True}
    schema = json.loads((files("pytest_ppteval.case") / "schema" / "results.schema.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(document)) == []


def test_a_review_beside_the_cases_settles_its_leaf(suite: Suite) -> None:
    suite.write("cases/agent/reviews/weather.yaml", "reviews:\n- {by: Ann, at: 2026-05-31, score: 5}\n")
    result = suite.run()
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*wanted*")


def test_a_trace_of_ones_own(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        import dataclasses, pytest

        @pytest.fixture
        def trace(trace):
            return dataclasses.replace(trace, steps=trace.steps * 2)
        """
    )
    result = suite.run("cases/agent/load.case.yaml::cpu")
    result.stdout.fnmatch_lines(["score 0.00: 2 tool calls, at most 1 expected; 2 calls: mcp x2"])


def test_an_ordinary_test_may_use_the_trace(suite: Suite) -> None:
    suite.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.ppteval_task("cases/agent/load.case.yaml", "cpu")
        def test_tools(trace):
            assert [step.tool for step in trace.steps] == ["mcp"]

        @pytest.mark.ppteval_task("cases/agent/load.case.yaml", "weather")
        def test_missing(trace):
            pass
        """
    )
    (suite.pytester.path / "outputs" / "weather" / "trace.json").rename(
        suite.pytester.path / "outputs" / "weather" / "response.md"
    )
    result = suite.run("test_an_ordinary_test_may_use_the_trace.py")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["no trace: looked for trace.* in outputs/weather"])


def test_two_files_of_a_suite_cannot_share_an_id(suite: Suite) -> None:
    suite.write("cases/agent/more.case.yaml", "id: cpu\nprompt: p\nbaseline: true\n")
    result = suite.run()
    # The other file's cases are judged; one of them waits for somebody's review.
    result.assert_outcomes(passed=1, skipped=1, errors=2)
    result.stdout.fnmatch_lines(
        ["*more.case.yaml:1:1: case id 'cpu' is taken in this folder, by cases/agent/load.case.yaml:3: rename one"]
    )


def test_a_file_that_is_wrong_is_an_error_of_collection_without_a_traceback(suite: Suite) -> None:
    suite.write("cases/agent/load.case.yaml", CASES.replace("tool_call", "tool_cal", 1))
    result = suite.run()
    result.stdout.fnmatch_lines(
        ["cases/agent/load.case.yaml:8:9: unknown key 'tool_cal' in a rule: did you mean 'tool_call'?"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_budget_takes_its_numbers_from_the_trace(suite: Suite) -> None:
    suite.write("cases/agent/load.case.yaml", CASES.replace("tool_calls: 3", "tool_calls: 0"))
    result = suite.run("cases/agent/load.case.yaml::cpu")
    result.stdout.fnmatch_lines(["budget, score 0.00: tool_calls: 1, over the budget of 0"])


def test_without_pytest(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite.pytester.path)
    path = suite.write("one.case.yaml", "prompt: p\nexpected_behavior:\n- tool_call: mcp\n- max_tool_calls: 0\n")
    found = score(path, run="outputs/cpu")
    assert str(found.verdict) == "failed: score 0.70, threshold 1"
    assert found.results["max_tool_calls 0"].reason == "1 tool call, at most 0 expected; 1 call: mcp"
    assert score(path, run="outputs/none").results["tool_call mcp"].reason == "the agent left nothing in outputs/none"
    with pytest.raises(ValueError, match="holds 2 cases"):
        score("cases/agent/load.case.yaml", run="outputs/cpu")
    with pytest.raises(ValueError, match="give one"):
        score(path)


def test_the_summary_names_skills_that_no_file_is_known_for(suite: Suite) -> None:
    told = "rules on a skill that no SKILL.md is known for, misspelt? load-report"
    suite.run().stdout.fnmatch_lines([told])
    suite.write("cases/agent/load-report/SKILL.md", "---\nname: load-report\n---\n")
    suite.run().stdout.no_fnmatch_line(told)
