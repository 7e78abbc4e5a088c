"""trials and require: a task is tried several times, and its verdict counts how many trials pass."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from agent_project import AgentProject

WORKERS = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])


@WORKERS
def test_enough_trials_pass_and_one_may_fail(agents: AgentProject, workers: tuple[str, ...]) -> None:
    agents.does("t", "good bad good", trials=3, require=2)
    result = agents.run_agent("-v", *workers)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines_random(
        [
            "*TRIAL FAILED*",
            "*SUBSHORT[[]Good[]]*",
            "1 task tried several times:",
            "  PASSED       cases/tasks.json::t: 2 of 3 trials passed, 2 required; pass@2 1.00; pass^2 0.33; *",
            "*; success rate 67% (95%: 21%..94%); consistency 0.83; flaky: Good",
            "*[[]100%[]]*",
        ]
    )
    assert not [line for line in result.outlines if "150%" in line or "133%" in line]
    assert {key: record["verdict"] for key, record in agents.records().items()} == {
        ("t", 1): "passed",
        ("t", 2): "failed",
        ("t", 3): "passed",
    }


@WORKERS
def test_too_few_trials_pass(agents: AgentProject, workers: tuple[str, ...]) -> None:
    agents.does("t", "bad bad good", trials=3, require=2)
    result = agents.run_agent(*workers, "--junitxml=j.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["failed: 1 of 3 trials passed, 2 required; *", "FAILED cases/tasks.json::t - failed: 1 of 3 *"]
    )
    assert result.parseoutcomes()["failed"] == 1  # the task; its trials may fail
    suite = ET.parse(agents.pytester.path / "j.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("10", "1", "0")
    task = next(case for case in suite if case.get("name") == "t")
    assert (task.get("file"), task.get("line")) == ("cases/tasks.json", "2")
    properties = {p.get("name"): p.get("value") for p in task.iterfind("properties/property")}
    assert [properties[f"ppteval.{name}"] for name in ("trials", "require", "passes", "open")] == ["3", "2", "1", "0"]
    assert float(str(properties["ppteval.success_rate_95_low"])) == pytest.approx(0.0615, abs=1e-4)
    assert float(str(properties["ppteval.success_rate_95_high"])) == pytest.approx(0.7923, abs=1e-4)
    assert properties["ppteval.flaky"] == "Good"
    assert task.find("failure") is not None


def test_where_every_trial_must_pass_one_that_fails_is_a_failure(agents: AgentProject) -> None:
    agents.does("t", "good bad", trials=2)
    result = agents.run_agent("-v")
    result.stdout.fnmatch_lines(["*t[[]trial-2[]] FAILED*"])
    assert result.parseoutcomes()["failed"] == 3  # the leaf, the trial, the task


def test_trials_that_could_not_be_judged_leave_the_task_open(agents: AgentProject) -> None:
    agents.does("t", "good busy", trials=2, require=2)
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "undetermined: 1 of 2 trials passed, 2 required (1 open)*",
            "UNDETERMINED cases/tasks.json::t - undetermined: 1 of*",
        ]
    )


def test_the_option_says_how_often_whatever_the_task_says(agents: AgentProject) -> None:
    agents.does("all", "good")
    agents.does("some", "good bad good bad good", trials=3, require=2)
    result = agents.run_agent("--ppteval-trials=5")
    assert result.ret == pytest.ExitCode.OK
    assert len(agents.records()) == 10
    result.stdout.fnmatch_lines_random(
        ["*::all: 5 of 5 trials passed, 5 required*", "*::some: 3 of 5 trials passed, 2 required*"]
    )


def test_one_trial_can_be_run_alone_and_gives_no_verdict_on_the_task(agents: AgentProject) -> None:
    agents.does("t", "good bad good", trials=3, require=2)
    result = agents.run_agent("cases/tasks.json::t[trial-2]")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*UNDETERMINED cases/tasks.json::t: 0 of 3 trials passed*; 1 of 3 trials ran here*"])


def test_trials_on_disk_are_judged_as_they_are_found(agents: AgentProject) -> None:
    agents.does("t", "good bad", trials=2, require=1)
    agents.run_agent()
    kept = agents.pytester.path / "run" / "artifacts" / "cases" / "t"
    (agents.pytester.path / "outputs").mkdir()
    kept.rename(agents.pytester.path / "outputs" / "t")
    result = agents.run("-v")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*t[[]trial-2[]] TRIAL FAILED*", "*::t: 1 of 2 trials passed, 1 required*"])


def test_the_trials_of_a_recorded_agent_are_those_on_disk(agents: AgentProject) -> None:
    agents.does("t", "good bad good")
    agents.run_agent("--ppteval-trials=3")
    (agents.pytester.path / "before").mkdir()
    (agents.pytester.path / "run" / "artifacts" / "cases" / "t").rename(agents.pytester.path / "before" / "t")
    settings = "agents: {last-week: {kind: recorded, outputs: before}}\n"
    (agents.pytester.path / "ppteval.yaml").write_text(settings, "utf-8")
    agents.run("--ppteval-agent=last-week", "--ppteval-results=again")
    verdicts = [agents.records("again")["t", trial]["verdict"] for trial in (1, 2, 3)]
    assert verdicts == ["passed", "failed", "passed"]


def test_last_failed_means_the_trials_that_failed(agents: AgentProject) -> None:
    agents.does("t", "bad good", trials=2, require=2)
    run = agents.pytester.runpytest_inprocess
    run("cases", "--ppteval-agent=program")
    again = run("cases", "--ppteval-agent=program", "--lf", "-v")
    again.stdout.fnmatch_lines(["*t[[]trial-1[]] FAILED*"])
    again.stdout.no_fnmatch_line("*trial-2*PASSED*")


def test_more_trials_required_than_planned_is_an_error_of_the_file(agents: AgentProject) -> None:
    agents.does("t", "good", trials=2, require=3)
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*cases/tasks.json:*: 'require' asks for 3 of 2 trials: raise 'trials' or lower it*"])


def test_a_part_of_the_trials_that_settles_it_fails_the_task(agents: AgentProject) -> None:
    agents.does("t", "bad bad good", trials=3, require=2)
    result = agents.run_agent("-k", "trial-1 or trial-2", "--junitxml=j.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["failed: 0 of 3 trials passed, 2 required (1 open, 1 of them not run)*"])
    suite = ET.parse(agents.pytester.path / "j.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "1", "0")


@pytest.mark.slow  # six seconds: workers start, and one is started again
def test_a_trial_whose_worker_died_is_open_and_the_task_gets_its_verdict(agents: AgentProject) -> None:
    agents.does("t", "kill good", trials=2, require=2)
    result = agents.run_agent("-n2", "--junitxml=j.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*undetermined: 1 of 2 trials passed, 2 required (1 open)*"])
    suite = ET.parse(agents.pytester.path / "j.xml").getroot().find("testsuite")
    assert suite is not None
    # The trial that passed with its two leaves, the lost one, the task.
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "0", "2")
    assert set(agents.records()) == {("t", 2)}  # the other is run when the session is resumed


def test_values_of_a_fixture_may_hold_brackets(agents: AgentProject) -> None:
    agents.does("t", "good bad", trials=2, require=1)
    agents.pytester.makeconftest(
        "import pytest\n@pytest.fixture(params=['a[1]', 'trial-1'], autouse=True)\n"
        "def colour(request):\n    return request.param\n"
    )
    result = agents.run_agent()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines_random(
        ["*::t[[]a[[]1[]][]]: 1 of 2 trials passed*", "*::t[[]trial-1[]]: 1 of 2 trials passed*"]
    )
    artifacts = agents.pytester.path / "run" / "artifacts" / "cases" / "t"
    assert len([*artifacts.iterdir()]) == 4
