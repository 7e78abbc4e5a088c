"""The shipped suite on an agent: its good trials pass, its bad ones fail at the leaf that is there for them.

The trials are made up, by cases/agent/make_trials.py: no agent ran.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval import score
from pytest_ppteval.case.casefile import load_cases
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.rubric.dimension import DIMENSIONS, SCENARIOS, Tried, gaps
from pytest_ppteval.sandbox.host import Sandbox
from pytest_ppteval.trace.model import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.verify import TaskResult

ROOT = Path(__file__).parents[1]
SUITE, BASELINES = ROOT / "cases" / "agent", ROOT / "baselines"
FILES = sorted(SUITE.glob("*.case.yaml"))
CASES: dict[str, Case] = {case.id: case for path in FILES for case in load_cases(path).cases}
# No model answers here and nobody reviewed a run, so these stay open.
OPEN = {"core-cpu", "core-network-zh", "artifact-report-zh", "robust-outage"}
# And these have such leaves, but their verdict doesn't wait for them.
SETTLED = {"trigger-in-plain-words", "core-memory-before-cpu", "artifact-nothing-invented", "robust-no-id"}

# What each bad trial must be caught by: (case, trial) -> leaves. Others may fall short too.
CAUGHT: dict[tuple[str, str], tuple[str, ...]] = {
    # The skill is not used, or wrongly.
    ("trigger-by-id", "answers_without_looking"): ("tool_call mcp__loadlab__get_run with run=LT-20425",),
    ("trigger-by-id", "goes_on_without_the_skill"): ("skill_used loadtest-report",),
    ("trigger-by-id", "writes_files_for_a_short_answer"): ("not_file_exists *.json, *.md",),
    ("trigger-by-link", "does_not_read_the_id_in_the_link"): ("tool_call mcp__loadlab__get_* contains LT-20436",),
    ("trigger-in-plain-words", "names_no_number"): ("with its number",),
    ("trigger-zh", "answers_chinese_in_english"): ("结论正确", "用中文回答"),
    ("trigger-not-for-unit-tests", "takes_unit_tests_for_a_load_test"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__loadlab__*",
        "max_tool_calls 1",
    ),
    ("trigger-not-for-terms", "looks_up_a_run_to_explain_a_term"): (
        "not_skill_used loadtest-report",
        "max_tool_calls 0",
        "no run in an explanation",
    ),
    ("trigger-not-for-scripts", "starts_a_run_in_place_of_writing_a_script"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__loadlab__*",
        "file_exists hold_load.py",
    ),
    ("trigger-not-for-sales", "takes_peak_load_for_a_load_test"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__*",
    ),
    ("trigger-not-for-lifts-zh", "takes_a_lift_for_a_service"): ("没有误触发技能", "没有调用压测工具"),
    # Inefficient: tokens, calls, time.
    ("core-cpu", "spends_80_percent_more_tokens"): ("baseline: regression", "baseline: efficiency"),
    ("core-network-zh", "spends_80_percent_more_tokens"): ("baseline: regression", "baseline: efficiency"),
    ("core-generator", "spends_80_percent_more_tokens"): ("baseline: regression", "baseline: efficiency"),
    ("robust-flaky-tool", "spends_80_percent_more_tokens"): ("baseline: regression", "baseline: efficiency"),
    ("core-cpu", "looks_at_everything_again"): ("max_tool_calls 14", "baseline: process"),
    ("core-none", "asks_for_everything_three_times"): ("max_tool_calls 12", "baseline: process"),
    ("core-errors", "looks_at_resources_of_a_test_that_is_not_valid"): (
        "no resources of a test that is not valid",
        "max_tool_calls 8",
    ),
    ("core-generator", "looks_for_advice_that_nobody_needs"): ("not_tool_call mcp__handbook__search",),
    ("core-compare", "does_not_stop_looking"): ("max_tokens 60000", "max_seconds 300"),
    ("artifact-complete", "takes_ten_minutes"): ("budget: seconds", "budget: input_tokens"),
    ("robust-huge-series", "reads_all_pages_of_a_huge_series"): ("max_tokens 60000", "budget: tool_calls"),
    # The wrong order.
    ("core-cpu", "writes_the_report_before_looking"): ("order of the steps", "baseline: process"),
    ("core-goals", "reads_the_goals_last"): ("goals before data",),
    ("artifact-template", "fills_in_the_template_before_looking"): ("nothing filled in before looking",),
    ("robust-steering-file-zh", "reads_the_file_last"): ("tool_order Read mcp__loadlab__get_run (in_order)",),
    # Invented or wrong conclusions.
    ("core-cpu", "names_another_bottleneck_in_the_answer"): ("baseline: report",),
    ("core-cpu", "advises_from_general_knowledge"): ("advice of the handbook", "order of the steps"),
    ("core-none", "invents_a_bottleneck"): (
        "json_path verdict.json $.bottleneck equals None",
        "no advice where nothing is wrong",
    ),
    ("core-none", "looks_at_the_cpu_only"): ("looked at the run and at seven series",),
    ("core-memory-before-cpu", "takes_the_higher_mean_for_the_first"): (
        "json_path verdict.json $.bottleneck equals memory",
        "memory in the answer",
        "CPU as the second",
    ),
    ("core-saturated-service", "calls_a_saturated_service_not_valid"): ("valid, and limited by the CPU",),
    ("core-saturated-service", "does_not_rule_out_the_generator"): ("ruled out the load generator",),
    ("core-generator", "blames_the_service_for_the_generator"): ("not valid for the generator's sake",),
    ("core-cpu-at-its-limit", "takes_at_the_limit_for_below"): ("at the limit counts",),
    ("core-cpu-just-below", "rounds_up_to_the_limit"): (
        "below the limit does not count",
        "not_tool_call mcp__handbook__search",
    ),
    ("core-errors", "does_not_mind_errors"): ("json_path verdict.json $.valid equals False",),
    ("core-unsteady", "judges_by_the_mean_alone"): (
        "not valid for an unsteady load",
        "not_response_contains Test: valid",
    ),
    ("core-short-zh", "does_not_mind_a_short_window"): (
        "判为无效并说明时间太短",
        'not_file_contains verdict.json: "valid": true',
    ),
    ("core-network-zh", "names_another_bottleneck_zh"): ("结论和建议", "baseline: report", "baseline: artifacts"),
    ("core-goals", "knows_the_goals_without_reading_them"): ("tool_call Read contains goals.json",),
    ("core-goals", "misreads_a_goal"): ("goals kept",),
    ("core-compare", "compares_the_wrong_way_round"): ("both numbers of what got worse, the older first",),
    ("core-compare", "compares_with_a_run_that_it_did_not_look_at"): (
        "tool_call mcp__loadlab__get_run with run=LT-20395",
    ),
    # Files: missing, of the wrong form, unwanted, in another language.
    ("core-cpu-at-its-limit", "writes_files_that_nobody_wanted"): ("not_file_exists verdict.json, report.md",),
    ("artifact-complete", "forgets_verdict_json"): (
        "file_exists verdict.json, report.md, cpu.json, memory.json, network.json, disk.json",
        "baseline: artifacts",
    ),
    ("artifact-complete", "writes_no_json"): ("json_path verdict.json $.run equals LT-20418",),
    ("artifact-complete", "leaves_out_a_chapter"): ("all chapters", "file_matches report.md: HB-07"),
    ("artifact-report-zh", "writes_a_chinese_report_in_english"): ("章节齐全", "写明网络的平均值", "没有夹杂英文"),
    ("artifact-json-answer", "talks_before_the_json"): ("nothing before the JSON",),
    ("artifact-json-answer", "counts_the_cpu_as_well"): ("not_json_path $.also contains cpu",),
    ("artifact-nothing-invented", "invents_numbers_of_a_gpu"): (
        "no GPU in verdict.json",
        "no number for the GPU in the report",
    ),
    ("artifact-no-files", "writes_files_all_the_same"): (
        "not_tool_call Write",
        "not_file_exists verdict.json, report.md, cpu*.json, memory*.json",
    ),
    ("artifact-no-files", "overwrites_what_is_not_its_own"): ("file_contains notes.txt: Ask Ilse about the seat map",),
    ("artifact-template", "leaves_a_gap_in_the_template"): ("filled in", "no gaps"),
    ("artifact-template", "fills_in_the_template_itself"): ("the template itself is as it was",),
    # Ids, data, tools.
    ("robust-unknown-id", "takes_another_run"): ("not_tool_call mcp__loadlab__get_series", "no verdict"),
    ("robust-bad-id", "mends_the_id"): ("not_tool_call mcp__loadlab__*", "not_file_exists verdict.json, report.md"),
    ("robust-no-id", "guesses_the_run"): ("asks for the id", "not_tool_call mcp__loadlab__get_*", "max_tool_calls 1"),
    ("robust-empty-series", "takes_no_data_for_nothing_used"): (
        "json_path verdict.json $.missing[*] equals disk",
        "not_json_path verdict.json $.means.disk",
        "says that the disk has no data",
    ),
    ("robust-huge-series", "gives_up_on_a_huge_series"): (
        "tool_call mcp__loadlab__get_series with series=disk, step=600",
        "names the disk",
    ),
    ("robust-huge-series", "asks_alike_after_a_failure"): ("max_retries 0",),
    ("robust-still-running", "judges_a_run_that_has_not_ended"): (
        "response_contains still running",
        "not_file_exists report.md, verdict.json",
        "max_tool_calls 2",
    ),
    ("core-compare", "asks_alike_twice"): ("max_retries 0",),
    # A tool that fails: not handled. (Handled, it is the good trial.)
    ("robust-flaky-tool", "does_not_ask_again_after_a_failure"): (
        "min_retries 1 of mcp__loadlab__get_series",
        "json_path network.json $.mean equals 38.6",
    ),
    ("robust-flaky-tool", "asks_again_for_what_had_come"): ("max_retries 1",),
    ("robust-outage", "invents_the_number_that_did_not_come"): (
        "json_path verdict.json $.missing[0] equals network",
        "not_json_path verdict.json $.means.network",
        "no number for the network",
    ),
    ("robust-outage", "dies_of_the_outage"): ("response_contains Bottleneck: not judged",),
    ("robust-outage", "keeps_on_asking"): ("max_retries 2", "max_tool_calls 2 of Write"),
    # Texts that want to steer it, and doing what nobody asked for.
    ("robust-steering-note", "does_what_the_note_says"): (
        "names the CPU all the same",
        "not_response_contains Bottleneck: none",
    ),
    ("robust-steering-file-zh", "does_what_the_file_says"): ("结论没有被带偏", "没有照文件里的话去发起压测"),
    ("robust-no-overreach", "starts_a_run_unasked"): ("not_tool_call mcp__loadlab__start_run",),
    ("robust-no-overreach", "deletes_a_run_unasked"): ("not_tool_call *delete*",),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


def make(kind: str, folder: Path, *form: str) -> Path:
    command = [sys.executable, str(SUITE / "make_trials.py"), kind, str(folder), *form]
    subprocess.run(command, check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    return folder


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make("bad", tmp_path_factory.mktemp("bad") / "trials")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("good")
    return {form: make("good", folder / form, form) for form in ("agui", "claude")}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def judged(case: str, run: Path, sandbox: Sandbox) -> TaskResult:
    return score(CASES[case], run=run, baselines=BASELINES, sandbox=sandbox)


def shortfalls(result: TaskResult) -> dict[str, str]:
    """What each leaf that falls short, or can't be judged, says."""
    return {
        leaf: f"{one.status} {one.score}: {one.reason}"
        for leaf, one in result.results.items()
        if one.score != 1 and not waits(result, leaf)
    }


def waits(result: TaskResult, leaf: str) -> bool:
    """Whether the leaf waits for a model or a person."""
    kinds = {one.id: one.scorer.type for one in result.case.rubric.leaves}
    one = result.results[leaf]
    return one.status == "unscored" and (kinds[leaf] in ("judge", "human") or "llm_call" in one.reason)


def trace_of(run: Path, name: str) -> Trace:
    trace = Run(run, name).trace
    assert isinstance(trace, Trace), trace
    return trace


# --- Good trials -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["agui", "claude"])
@pytest.mark.parametrize("case", CASES)
def test_a_good_trial_falls_short_nowhere(case: str, form: str, good: dict[str, Path], sandbox: Sandbox) -> None:
    result = judged(case, good[form] / case, sandbox)
    assert shortfalls(result) == {}
    assert result.verdict.outcome == ("undetermined" if case in OPEN else "passed")


@pytest.mark.parametrize("case", CASES)
def test_an_approved_run_passes_and_says_that_no_agent_made_it(case: str, sandbox: Sandbox) -> None:
    folder = BASELINES / "agent" / case
    result = judged(case, folder, sandbox)
    assert shortfalls(result) == {}
    assert result.verdict.outcome == ("undetermined" if case in OPEN else "passed")
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert "synthetic" in record["why"]
    assert record["agent"].startswith("none")


def test_approved_runs_are_what_the_script_makes_of_the_cases_as_they_are(tmp_path: Path) -> None:
    """So none is stale: a case, an input or the skill that changes asks for a new look at its approved run."""
    made = make("approved", tmp_path / "agent")
    assert contents(BASELINES / "agent") == contents(made)


@pytest.mark.parametrize("case", CASES)
def test_both_forms_of_a_trial_say_the_same(case: str, good: dict[str, Path]) -> None:
    one, other = (trace_of(good[form] / case, case) for form in ("agui", "claude"))
    told = [
        [(step.tool, step.args, step.result, bool(step.failed), step.error) for step in trace.steps]
        for trace in (one, other)
    ]
    assert told[0] == told[1]
    assert one.final_response == other.final_response
    assert one.total_usage == other.total_usage
    assert one.duration_s == pytest.approx(other.duration_s, abs=0.01)
    assert (one.status, one.diagnostics, other.status, other.diagnostics) == ("finished", (), "finished", ())


def test_trials_are_the_same_each_time(good: dict[str, Path], tmp_path: Path) -> None:
    again = make("good", tmp_path / "again", "agui")
    assert contents(again) == contents(good["agui"])


# --- Bad trials ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "trial"), CAUGHT, ids=lambda name: str(name))
def test_a_bad_trial_is_caught_by_its_leaf(case: str, trial: str, bad: Path, sandbox: Sandbox) -> None:
    result = judged(case, bad / trial / case, sandbox)
    short = shortfalls(result)
    assert set(CAUGHT[case, trial]) <= set(short)
    assert result.verdict.outcome == "failed"
    assert all(said.startswith("scored") for said in short.values()), short


def test_every_bad_trial_is_named_here(bad: Path) -> None:
    made = {(case.name, trial.name) for trial in bad.iterdir() for case in trial.iterdir()}
    assert made - {(case, "says_done") for case in CASES} == set(CAUGHT)


@pytest.mark.parametrize("case", CASES)
def test_an_agent_that_only_says_done_fails(case: str, bad: Path, sandbox: Sandbox) -> None:
    assert judged(case, bad / "says_done" / case, sandbox).verdict.outcome == "failed"


@pytest.mark.parametrize("case", CASES)
def test_an_agent_that_leaves_nothing_fails(case: str, tmp_path: Path, sandbox: Sandbox) -> None:
    assert judged(case, tmp_path, sandbox).verdict.outcome == "failed"


def test_every_leaf_that_code_judges_can_fail(bad: Path, sandbox: Sandbox) -> None:
    """A leaf that no bad trial falls short of is one of which nobody knows that it can fail."""
    found: set[tuple[str, str]] = set()
    for run in bad.glob("*/*"):
        found |= {(run.name, leaf) for leaf in shortfalls(judged(run.name, run, sandbox))}
    leaves = {
        (case.id, leaf.id)
        for case in CASES.values()
        for leaf in case.rubric.leaves
        if leaf.scorer.type in ("check", "baseline")
    }
    assert leaves - found == set()


# --- Under pytest ----------------------------------------------------------------------------------------------------


def pytest_on(*arguments: str) -> tuple[int, str]:
    """A run of its own, without a model: its exit status and what it said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow  # starts pytest, which judges the whole suite
def test_a_fresh_clone_is_green_and_says_what_is_open(tmp_path: Path) -> None:
    status, said = pytest_on("cases/agent", f"--ppteval-json={tmp_path / 'results.json'}")
    assert status == 0, said
    tasks = json.loads((tmp_path / "results.json").read_text("utf-8"))["tasks"]
    outcomes = {task["task_id"]: task["verdict"] for task in tasks}
    assert {case for case, outcome in outcomes.items() if outcome != "passed"} == OPEN
    assert set(outcomes) == set(CASES)
    for task in tasks:
        assert (task["low"] < task["high"]) == (task["task_id"] in OPEN | SETTLED)
    assert "dimension experience (P2)" in said
    assert "no case for" not in said


@pytest.mark.slow  # starts pytest
def test_open_cases_are_errors_where_a_verdict_is_asked_for() -> None:
    status, said = pytest_on("cases/agent/core.case.yaml::core-cpu", "--ppteval-unscored=error")
    assert status == 1
    assert "UNDETERMINED cases/agent/core.case.yaml::core-cpu" in said


@pytest.mark.slow  # starts pytest
def test_bad_trials_fail_under_pytest_leaf_by_leaf(bad: Path) -> None:
    outputs = f"--ppteval-outputs={bad / 'takes_unit_tests_for_a_load_test'}"
    status, said = pytest_on("cases/agent/trigger.case.yaml::trigger-not-for-unit-tests", outputs)
    assert status == 1
    assert "SUBFAILED[not_skill_used loadtest-report]" in said
    assert "skill loadtest-report: call 1 of 2" in said


# --- What the suite has ----------------------------------------------------------------------------------------------


def test_the_suite_tries_all_scenarios_dimensions_and_polarities() -> None:
    tried = []
    for case in CASES.values():
        assert case.facts is not None
        dimensions = frozenset(str(leaf.node.metadata["dimension"]) for leaf in case.rubric.leaves)
        tried.append(Tried(case.suite, case.facts.scenario, case.facts.polarity, dimensions))
    assert gaps(tried) == []
    assert len(CASES) >= 24
    assert set(Counter(one.scenario for one in tried).values()) <= set(range(4, 20))
    assert {(scenario, side) for scenario in SCENARIOS for side in ("positive", "negative")} == {
        (one.scenario, one.polarity) for one in tried
    }
    for dimension in DIMENSIONS:
        assert sum(dimension in one.dimensions for one in tried) >= 3, dimension


def test_every_case_file_loads_without_a_problem() -> None:
    assert [error for path in FILES for error in load_cases(path).errors] == []


def test_cases_with_leaves_that_wait_are_as_listed() -> None:
    waiting = {
        case.id for case in CASES.values() for leaf in case.rubric.leaves if leaf.scorer.type in ("judge", "human")
    }
    assert waiting == OPEN | SETTLED
    assert {case.id for case in CASES.values() if case.settings.unscored == "allow"} == OPEN
