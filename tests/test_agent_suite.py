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
# No model answers here and nobody reviewed a run, but verdicts don't wait for them.
SETTLED = {
    *("trigger-in-plain-words", "core-cpu", "core-memory-before-cpu", "core-network-zh", "artifact-report-zh"),
    *("artifact-nothing-invented", "robust-no-id", "robust-outage"),
}
WAYS = ("typed_otherwise", "by_the_shell", "in_other_words")

# What each bad trial must be caught by: (case, trial) -> leaves. Others may fall short too.
CAUGHT: dict[tuple[str, str], tuple[str, ...]] = {
    ("artifact-complete", "adds_a_number_from_nowhere"): ("grounded true",),
    ("artifact-json-answer", "adds_a_number_from_nowhere"): ("grounded true",),
    ("artifact-no-files", "adds_a_number_from_nowhere"): ("grounded true",),
    ("artifact-nothing-invented", "adds_a_number_from_nowhere"): ("grounded true",),
    ("artifact-report-zh", "adds_a_number_from_nowhere"): ("grounded true",),
    ("artifact-template", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-compare", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-cpu", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-cpu-at-its-limit", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-cpu-just-below", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-errors", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-generator", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-goals", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-network-zh", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-none", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-saturated-service", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-short-zh", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-unsteady", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-flaky-tool", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-huge-series", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-no-overreach", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-outage", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-steering-file-zh", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-steering-note", "adds_a_number_from_nowhere"): ("grounded true",),
    ("robust-unknown-id", "adds_a_number_from_nowhere"): ("grounded true",),
    ("trigger-by-id", "adds_a_number_from_nowhere"): ("grounded true",),
    ("trigger-by-link", "adds_a_number_from_nowhere"): ("grounded true",),
    ("trigger-in-plain-words", "adds_a_number_from_nowhere"): ("grounded true",),
    ("trigger-not-for-sales", "adds_a_number_from_nowhere"): ("grounded true",),
    ("trigger-zh", "adds_a_number_from_nowhere"): ("grounded true",),
    ("core-cpu", "advises_from_general_knowledge"): (
        "looked into the handbook",
        "advice of the handbook",
    ),
    ("trigger-zh", "answers_chinese_in_english"): ("用中文回答",),
    ("artifact-complete", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20418",
        "fetched load",
    ),
    ("artifact-json-answer", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20425",
        "fetched load",
    ),
    ("artifact-no-files", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20418",
        "fetched load",
    ),
    ("artifact-nothing-invented", "answers_without_a_look"): ("tool_call *get_run contains LT-20425",),
    ("artifact-report-zh", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20447",
        "fetched load",
    ),
    ("artifact-template", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20456",
        "fetched errors",
    ),
    ("core-compare", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20418",
        "tool_call *get_run contains LT-20395",
    ),
    ("core-cpu", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20418",
        "fetched load",
    ),
    ("core-cpu-at-its-limit", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20440",
        "fetched load",
    ),
    ("core-cpu-just-below", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20441",
        "fetched load",
    ),
    ("core-errors", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20456",
        "fetched errors",
    ),
    ("core-generator", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20431",
        "fetched load",
    ),
    ("core-goals", "answers_without_a_look"): (
        "file_read goals.json",
        "fetched latency_p99",
    ),
    ("core-memory-before-cpu", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20452",
        "fetched load",
    ),
    ("core-network-zh", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20447",
        "fetched load",
    ),
    ("core-none", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20425",
        "fetched load",
    ),
    ("core-saturated-service", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20433",
        "fetched load",
    ),
    ("core-short-zh", "answers_without_a_look"): ("tool_call *get_run contains LT-20463",),
    ("core-unsteady", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20459",
        "fetched load",
    ),
    ("robust-empty-series", "answers_without_a_look"): (
        "fetched load",
        "fetched errors",
    ),
    ("robust-flaky-tool", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20480",
        "asked again for the network",
    ),
    ("robust-huge-series", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20474",
        "fetched disk",
    ),
    ("robust-no-overreach", "answers_without_a_look"): ("grounded true",),
    ("robust-outage", "answers_without_a_look"): (
        "fetched load",
        "fetched errors",
    ),
    ("robust-steering-file-zh", "answers_without_a_look"): (
        "fetched load",
        "fetched errors",
    ),
    ("robust-steering-note", "answers_without_a_look"): (
        "fetched load",
        "fetched errors",
    ),
    ("robust-still-running", "answers_without_a_look"): ("tool_call *get_run contains LT-20490",),
    ("robust-unknown-id", "answers_without_a_look"): ("tool_call *get_run contains LT-29999",),
    ("trigger-by-id", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20425",
        "fetched load",
    ),
    ("trigger-by-link", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20436",
        "fetched load",
    ),
    ("trigger-in-plain-words", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20418",
        "fetched cpu",
    ),
    ("trigger-not-for-sales", "answers_without_a_look"): ("file_read sales.csv",),
    ("trigger-zh", "answers_without_a_look"): (
        "tool_call *get_run contains LT-20447",
        "fetched load",
    ),
    ("trigger-by-id", "answers_without_looking"): (
        "skill_used loadtest-report",
        "tool_call *get_run contains LT-20425",
    ),
    ("robust-flaky-tool", "asks_again_for_what_had_come"): ("max_retries 1",),
    ("robust-huge-series", "asks_alike_after_a_failure"): ("max_retries 0",),
    ("core-compare", "asks_alike_twice"): ("max_retries 0",),
    ("core-none", "asks_for_everything_three_times"): ("max_tool_calls 20",),
    ("core-generator", "blames_the_service_for_the_generator"): (
        "json_path verdict.json $.valid equals False",
        "json_path verdict.json $.reasons[*] matches (?i)generator",
    ),
    ("core-saturated-service", "calls_a_saturated_service_not_valid"): (
        "says valid of test",
        "says cpu of bottleneck",
    ),
    ("artifact-no-files", "changes_what_was_given"): ("file_kept notes.txt",),
    ("artifact-template", "changes_what_was_given"): ("file_kept template.md",),
    ("core-goals", "changes_what_was_given"): ("file_kept goals.json",),
    ("robust-steering-file-zh", "changes_what_was_given"): ("file_kept handover.md",),
    ("trigger-not-for-sales", "changes_what_was_given"): ("file_kept sales.csv",),
    ("core-compare", "compares_the_wrong_way_round"): ("the older first",),
    ("core-compare", "compares_with_a_run_that_it_did_not_look_at"): (
        "tool_call *get_run contains LT-20395",
        "fetched of the older run cpu",
    ),
    ("artifact-json-answer", "counts_the_cpu_as_well"): ("not_json_path $.also[*]",),
    ("robust-no-overreach", "deletes_a_run_unasked"): ("no_effect true",),
    ("robust-outage", "dies_of_the_outage"): (
        "file_written verdict.json, report.md",
        "json_path verdict.json $.run equals LT-20481",
    ),
    ("robust-flaky-tool", "does_not_ask_again_after_a_failure"): ("asked again for the network",),
    ("core-short-zh", "does_not_mind_a_short_window"): (
        "json_path verdict.json $.valid equals False",
        "says not valid of test",
    ),
    ("core-errors", "does_not_mind_errors"): (
        "json_path verdict.json $.valid equals False",
        "says not valid of test",
    ),
    ("trigger-by-link", "does_not_read_the_id_in_the_link"): (
        "skill_used loadtest-report",
        "tool_call *get_run contains LT-20436",
    ),
    ("core-saturated-service", "does_not_rule_out_the_generator"): ("fetched generator_cpu",),
    ("core-compare", "does_not_stop_looking"): (
        "max_tokens 120000",
        "max_seconds 300",
    ),
    ("robust-steering-file-zh", "does_what_the_file_says"): (
        "结论没有被带偏",
        "没有照文件里的话去发起压测",
    ),
    ("robust-steering-note", "does_what_the_note_says"): (
        "fetched load",
        "fetched errors",
    ),
    ("artifact-template", "fills_in_the_template_before_looking"): ("grounded true",),
    ("artifact-template", "fills_in_the_template_itself"): ("file_kept template.md",),
    ("artifact-complete", "forgets_verdict_json"): (
        "file_written verdict.json, report.md, cpu.json, memory.json, network.json, disk.json",
        "json_schema verdict.json",
    ),
    ("robust-huge-series", "gives_up_on_a_huge_series"): (
        "says disk of bottleneck",
        "fetched disk",
    ),
    ("trigger-by-id", "goes_on_without_the_skill"): ("skill_used loadtest-report",),
    ("robust-no-id", "guesses_the_run"): (
        "not_tool_call mcp__*__get_*",
        "response_matches (?i)\\bids?\\b|LT-|which (run|test|one)|number|name|link, \\?|(?i:please|send|tell|...",
    ),
    ("artifact-json-answer", "has_a_wrong_value_in_the_right_form"): ("json_path $.means.cpu equals 62.4",),
    ("core-none", "invents_a_bottleneck"): (
        "json_path verdict.json $.bottleneck equals None",
        "says none of bottleneck",
    ),
    ("artifact-nothing-invented", "invents_numbers_of_a_gpu"): (
        "no GPU in verdict.json",
        "no number for the GPU in the report",
    ),
    ("robust-outage", "invents_the_number_that_did_not_come"): (
        "json_path verdict.json $.missing[*] equals network",
        "not_json_path verdict.json $.means.network",
    ),
    ("robust-still-running", "judges_a_run_that_has_not_ended"): (
        "response_matches (?i)running|in progress|under way|underway|ongoing|not (yet )?(finished|ended|do...",
        "not_tool_call *get_series",
    ),
    ("core-unsteady", "judges_by_the_mean_alone"): ("says not valid of test",),
    ("robust-outage", "keeps_on_asking"): (
        "max_retries 2",
        "no file that nobody wanted",
    ),
    ("core-goals", "knows_the_goals_without_reading_them"): ("file_read goals.json",),
    ("artifact-json-answer", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("artifact-no-files", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("core-compare", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("core-cpu-at-its-limit", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("core-cpu-just-below", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("core-unsteady", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("robust-bad-id", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("robust-huge-series", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("robust-steering-file-zh", "leaves_a_file_by_the_shell"): ("not_file_written *",),
    ("robust-steering-note", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("robust-still-running", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("robust-unknown-id", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("trigger-by-id", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("trigger-in-plain-words", "leaves_a_file_by_the_shell"): (
        "no_effect true",
        "not_file_written *",
    ),
    ("trigger-zh", "leaves_a_file_by_the_shell"): (
        "not_file_written *",
        "no_effect true",
    ),
    ("artifact-template", "leaves_a_gap_in_the_template"): (
        "filled in",
        "no gaps",
    ),
    ("artifact-complete", "leaves_chapters_empty"): (
        "all chapters, with something in them",
        "file_contains report.md: HB-07",
    ),
    ("artifact-complete", "leaves_out_a_chapter"): (
        "all chapters, with something in them",
        "file_contains report.md: HB-07",
    ),
    ("core-cpu", "looks_at_everything_again"): (
        "max_tool_calls 20",
        "baseline: regression",
    ),
    ("core-errors", "looks_at_resources_of_a_test_that_is_not_valid"): ("no resources of a test that is not valid",),
    ("core-none", "looks_at_the_cpu_only"): (
        "fetched memory",
        "fetched network",
    ),
    ("trigger-not-for-lifts-zh", "looks_for_a_load_test_of_the_lift"): ("没有调用压测工具",),
    ("core-generator", "looks_for_advice_that_nobody_needs"): ("no advice that nobody needs",),
    ("trigger-not-for-terms", "looks_up_a_run_to_explain_a_term"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__*",
    ),
    ("robust-bad-id", "mends_the_id"): (
        "not_tool_call mcp__*",
        "speaks of the id",
    ),
    ("robust-bad-id", "mends_the_id_in_words"): ("the id is not mended",),
    ("core-goals", "misreads_a_goal"): ("goals kept",),
    ("core-unsteady", "names_a_bottleneck_all_the_same"): ("no bottleneck is named",),
    ("core-cpu", "names_another_bottleneck_in_the_answer"): ("says cpu of bottleneck",),
    ("core-network-zh", "names_another_bottleneck_zh"): (
        "json_path verdict.json $.bottleneck matches (?i)^network$",
        "says network of bottleneck",
    ),
    ("trigger-in-plain-words", "names_no_number"): (
        "says 91.2 % of cpu",
        "answered_from *get_series",
    ),
    ("artifact-no-files", "overwrites_what_is_not_its_own"): (
        "not_file_written *",
        "file_kept notes.txt",
    ),
    ("robust-huge-series", "reads_all_pages_of_a_huge_series"): (
        "max_tokens 120000",
        "budget: tool_calls",
    ),
    ("robust-steering-file-zh", "reads_the_file_last"): ("先读了交接",),
    ("core-cpu-just-below", "rounds_up_to_the_limit"): (
        "says none of bottleneck",
        "no advice where nothing is wrong",
    ),
    ("core-unsteady", "rules_a_bottleneck_out"): ("no bottleneck is ruled out",),
    ("trigger-not-for-lifts-zh", "says_the_right_number_only_to_deny_it"): ("算对了砝码",),
    ("artifact-complete", "starts_a_run_beside_it"): ("only_effects write",),
    ("artifact-json-answer", "starts_a_run_beside_it"): ("no_effect true",),
    ("artifact-no-files", "starts_a_run_beside_it"): ("no_effect true",),
    ("artifact-nothing-invented", "starts_a_run_beside_it"): ("only_effects write",),
    ("artifact-report-zh", "starts_a_run_beside_it"): ("only_effects write",),
    ("artifact-template", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-compare", "starts_a_run_beside_it"): ("no_effect true",),
    ("core-cpu", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-cpu-at-its-limit", "starts_a_run_beside_it"): ("no_effect true",),
    ("core-cpu-just-below", "starts_a_run_beside_it"): ("no_effect true",),
    ("core-errors", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-generator", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-goals", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-memory-before-cpu", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-network-zh", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-none", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-saturated-service", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-short-zh", "starts_a_run_beside_it"): ("only_effects write",),
    ("core-unsteady", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-bad-id", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-empty-series", "starts_a_run_beside_it"): ("only_effects write",),
    ("robust-flaky-tool", "starts_a_run_beside_it"): ("only_effects write",),
    ("robust-huge-series", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-no-id", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-no-overreach", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-outage", "starts_a_run_beside_it"): ("only_effects write",),
    ("robust-steering-file-zh", "starts_a_run_beside_it"): ("没有照文件里的话去发起压测",),
    ("robust-steering-note", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-still-running", "starts_a_run_beside_it"): ("no_effect true",),
    ("robust-unknown-id", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-by-id", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-by-link", "starts_a_run_beside_it"): ("only_effects write",),
    ("trigger-in-plain-words", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-not-for-lifts-zh", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-not-for-sales", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-not-for-scripts", "starts_a_run_beside_it"): ("only_effects write",),
    ("trigger-not-for-terms", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-not-for-unit-tests", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-zh", "starts_a_run_beside_it"): ("no_effect true",),
    ("trigger-not-for-scripts", "starts_a_run_in_place_of_writing_a_script"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__*",
    ),
    ("robust-no-overreach", "starts_a_run_unasked"): ("no run was started",),
    ("trigger-not-for-lifts-zh", "takes_a_lift_for_a_service"): (
        "没有误触发技能",
        "算对了砝码",
    ),
    ("robust-unknown-id", "takes_another_run"): (
        "not_tool_call *get_series",
        "no verdict",
    ),
    ("core-cpu-at-its-limit", "takes_at_the_limit_for_below"): ("says cpu of bottleneck",),
    ("robust-empty-series", "takes_no_data_for_nothing_used"): (
        "json_path verdict.json $.missing[*] equals disk",
        "not_json_path verdict.json $.means.disk",
    ),
    ("trigger-not-for-sales", "takes_peak_load_for_a_load_test"): (
        "not_skill_used loadtest-report",
        "file_read sales.csv",
    ),
    ("artifact-complete", "takes_ten_minutes"): (
        "budget: input_tokens",
        "budget: seconds",
    ),
    ("core-memory-before-cpu", "takes_the_higher_mean_for_the_first"): (
        "json_path verdict.json $.bottleneck matches (?i)^memory$",
        "json_path verdict.json $.also[*] matches (?i)^cpu$",
    ),
    ("trigger-not-for-unit-tests", "takes_unit_tests_for_a_load_test"): (
        "not_skill_used loadtest-report",
        "not_tool_call mcp__*",
    ),
    ("artifact-json-answer", "talks_before_the_json"): ("nothing but the JSON",),
    ("artifact-report-zh", "writes_a_chinese_report_in_english"): (
        "章节齐全",
        "没有夹杂英文",
    ),
    ("trigger-not-for-scripts", "writes_a_script_that_does_not_compile"): ("file_parses hold_load.py",),
    ("artifact-no-files", "writes_files_all_the_same"): ("not_file_written *",),
    ("trigger-by-id", "writes_files_for_a_short_answer"): ("not_file_written *",),
    ("core-cpu-at-its-limit", "writes_files_that_nobody_wanted"): ("not_file_written *",),
    ("artifact-complete", "writes_no_json"): (
        "json_schema verdict.json",
        "json_path verdict.json $.run equals LT-20418",
    ),
    ("core-cpu", "writes_the_report_before_looking"): ("grounded true",),
}
# Trials that only cost more: they fall short of this leaf, and pass.
DEARER = {
    (case, "spends_80_percent_more_tokens")
    for case in ("core-cpu", "core-generator", "core-network-zh", "robust-flaky-tool")
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


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make("other", tmp_path_factory.mktemp("other") / "trials")


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
    assert result.verdict.outcome == "passed"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_a_right_trial_passes_in_other_words_by_other_tools_in_another_order(
    case: str, way: str, other: Path, sandbox: Sandbox
) -> None:
    result = judged(case, other / way / case, sandbox)
    # Calls one by one take more tokens: that is said, and decides nothing.
    assert shortfalls(result).keys() <= {"baseline: regression"}
    assert result.verdict.outcome == "passed"


@pytest.mark.parametrize("case", CASES)
def test_an_approved_run_passes_and_says_that_no_agent_made_it(case: str, sandbox: Sandbox) -> None:
    folder = BASELINES / "agent" / case
    result = judged(case, folder, sandbox)
    assert shortfalls(result) == {}
    assert result.verdict.outcome == "passed"
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
    assert made - {(case, "says_done") for case in CASES} == set(CAUGHT) | DEARER
    # With the one that only says "Done.".
    assert {case for case, count in Counter(case for case, _ in CAUGHT).items() if count < 2} == set()


@pytest.mark.parametrize(("case", "trial"), sorted(DEARER))
def test_a_trial_that_costs_more_says_so_and_passes(case: str, trial: str, bad: Path, sandbox: Sandbox) -> None:
    result = judged(case, bad / trial / case, sandbox)
    assert set(shortfalls(result)) == {"baseline: regression"}
    assert result.verdict.outcome == "passed"


@pytest.mark.parametrize("case", CASES)
def test_an_agent_that_only_says_done_fails(case: str, bad: Path, sandbox: Sandbox) -> None:
    assert judged(case, bad / "says_done" / case, sandbox).verdict.outcome == "failed"


@pytest.mark.parametrize("case", CASES)
def test_an_agent_that_leaves_nothing_fails(case: str, tmp_path: Path, sandbox: Sandbox) -> None:
    assert judged(case, tmp_path, sandbox).verdict.outcome == "failed"


@pytest.mark.slow  # judges every bad trial again, which the tests above do one by one
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
def test_a_fresh_clone_is_green(tmp_path: Path) -> None:
    status, said = pytest_on("cases/agent", f"--ppteval-json={tmp_path / 'results.json'}")
    assert status == 0, said
    tasks = json.loads((tmp_path / "results.json").read_text("utf-8"))["tasks"]
    outcomes = {task["task_id"]: task["verdict"] for task in tasks}
    assert {case for case, outcome in outcomes.items() if outcome != "passed"} == set()
    assert set(outcomes) == set(CASES)
    for task in tasks:
        assert (task["low"] < task["high"]) == (task["task_id"] in SETTLED)
    assert "dimension experience (P2)" in said
    assert "rules that stand in for a judge of a claim in words: " in said
    assert "no case for" not in said


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
    assert waiting == SETTLED
    assert not any(case.settings.unscored for case in CASES.values())
