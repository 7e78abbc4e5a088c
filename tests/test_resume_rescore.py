"""--ppteval-resume goes on with a session; --ppteval-rescore judges its runs again, without the agent."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

from pytest_ppteval.cli import main

if TYPE_CHECKING:
    from agent_project import AgentProject


def edit(agents: AgentProject, old: str, new: str) -> None:
    """Change the rubric of the first task."""
    path = agents.pytester.path / "cases" / "rubrics" / "rubric_0.json"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def done(agents: AgentProject) -> AgentProject:
    """A session of a good run, a bad one, and trouble."""
    agents.does("right", "good")
    agents.does("wrong", "bad")
    agents.does("down", "busy")
    agents.run_agent()
    (agents.pytester.path / "started.txt").unlink()
    return agents


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])
def test_only_what_has_no_complete_record_is_run(done: AgentProject, workers: tuple[str, ...]) -> None:
    result = done.run_agent("--ppteval-resume=run", "-v", *workers)
    assert done.started() == ["busy", "busy"]  # two attempts; a failure of the agent is not run again
    assert result.parseoutcomes() == {"passed": 1, "failed": 2, "errors": 1, "subtests": 3}  # as ever
    result.stdout.fnmatch_lines(["1 passed, 1 failed, 1 error"])


def test_the_agent_and_the_trials_are_those_of_the_session(agents: AgentProject) -> None:
    agents.does("t", "good")
    agents.run_agent("--ppteval-trials=3")
    lines = (agents.pytester.path / "run" / "results.jsonl").read_text("utf-8").splitlines(keepends=True)
    (agents.pytester.path / "run" / "results.jsonl").write_text("".join(lines[:1]) + lines[1][:40], "utf-8")
    shutil.rmtree(agents.pytester.path / "run" / "artifacts" / "cases" / "t" / "trial-3")
    (agents.pytester.path / "started.txt").unlink()
    result = agents.run("--ppteval-resume=run")
    assert agents.started() == ["good"]  # trial 3; that of trial 2 was complete, its judgement was not
    result.stdout.fnmatch_lines(
        ["*::t: 3 of 3 trials passed*", "a record of a session that was killed could not be read*"]
    )
    assert set(agents.records()) == {("t", 1), ("t", 2), ("t", 3)}


def test_a_changed_rubric_judges_again_and_a_changed_goal_runs_again(done: AgentProject) -> None:
    edit(done, "it is {comment}", "it was {comment}")
    done.tasks["wrong"]["goal"] = "good"
    (done.pytester.path / "cases" / "tasks.json").write_text(json.dumps(done.tasks, indent=1), "utf-8")
    done.run_agent("--ppteval-resume=run", "-k", "not down")
    assert done.started() == ["good"]
    leaves = done.records()["right", 1]["scored_rubric"]["root"]["children"]
    assert leaves[0]["reason"] == "it was good"
    assert done.records()["wrong", 1]["verdict"] == "passed"


def test_another_agent_is_another_session(done: AgentProject) -> None:
    settings = done.pytester.path / "ppteval.yaml"
    settings.write_text(settings.read_text("utf-8").replace("program:", "other:"), "utf-8")
    result = done.run("--ppteval-resume=run", "--ppteval-agent=other")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*is of agent program, not other: start a session of its own"])


def test_runs_are_judged_again_by_today_s_rubric_and_the_difference_is_shown(done: AgentProject) -> None:
    edit(done, 'comment == \\"good\\"', 'comment != \\"good\\"')
    result = done.run("--ppteval-rescore=run", "--ppteval-results=again", "-k", "right or wrong")
    assert done.started() == []
    result.stdout.fnmatch_lines(
        ["*cases/tasks.json::right*passed*failed*", "*Good*1.00 -> 0.00*", "1 of 2 tasks changed*"]
    )
    record = done.records("again")["right", 1]
    assert (record["verdict"], record["previous"]["verdict"]) == ("failed", "passed")
    assert record["previous"]["leaves"] == {"Good": 1.0, "Fine": 1.0}
    assert done.records()["right", 1]["verdict"] == "passed"  # the session of before is as it was
    shutil.rmtree(done.pytester.path / "run")
    again = done.run("--ppteval-rescore=again", "-k", "right")  # the new one stands for itself
    again.stdout.fnmatch_lines(["0 of 1 task* changed"])


def test_a_strategy_or_a_leaf_alone_can_be_judged_again(done: AgentProject) -> None:
    by_leaf = done.run("--ppteval-rescore=run", "cases/tasks.json::wrong::Fine")
    assert by_leaf.ret == pytest.ExitCode.OK
    by_leaf.stdout.fnmatch_lines(["1 judged in part (no verdict)"])
    other = done.run("--ppteval-rescore=run", "--ppteval-strategy=mind2web2", "-k", "wrong")
    other.stdout.fnmatch_lines(["*1 failed*"])


def test_what_was_never_run_is_an_error_of_the_re_scoring(done: AgentProject) -> None:
    done.does("new", "good")
    result = done.run("--ppteval-rescore=run", "-k", "new or down")
    result.stdout.fnmatch_lines_random(
        ["*down: no complete run of this task is kept in *", "*new: no run of this task is kept in *"]
    )
    assert result.parseoutcomes()["errors"] == 2


def test_a_results_folder_of_the_reference_is_judged_again(agents: AgentProject) -> None:
    agents.does("t", "good")
    folder = agents.pytester.path / "results" / "shard_0" / "t"
    folder.mkdir(parents=True)
    shutil.copy(agents.deck, folder / "t_17253.pptx")
    told = {"task_id": "t", "goal": "good", "success": True, "score": 1.0, "reason": "", "execution_status": "success"}
    (folder / "result_evaluate.json").write_text(json.dumps(told), "utf-8")
    result = agents.run("--ppteval-rescore=results", "--ppteval-results=again")
    result.stdout.fnmatch_lines(["*cases/tasks.json::t*passed*failed*", "1 of 1 task* changed*"])


# The second is slow: workers take seconds to start, and alone it is the same code.
@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["alone", "workers"])
def test_a_results_folder_of_the_reference_is_gone_on_with(agents: AgentProject, workers: tuple[str, ...]) -> None:
    """In a run directory of its own: its complete runs are judged, the rest is run."""
    states = {"done": "success", "failed": "timeout", "lost": "infrastructure_failure"}
    for name, status in states.items():
        agents.does(name, "good")
        folder = agents.pytester.path / "results" / name
        folder.mkdir(parents=True)
        shutil.copy(agents.deck, folder / f"{name}_17253.pptx")
        told = {
            "task_id": name,
            "goal": "good",
            "success": False,
            "score": None,
            "reason": "",
            "execution_status": status,
        }
        (folder / "result_evaluate.json").write_text(json.dumps(told), "utf-8")
    agents.does("new", "good")
    alone = agents.run("--ppteval-resume=results", *workers)
    alone.stdout.fnmatch_lines_random(
        ["*new: no run of this task is kept in *", "*lost: no complete run of this task*"]
    )
    assert agents.started() == []
    agents.run("--ppteval-resume=results", "--ppteval-agent=program", *workers)
    assert agents.started() == ["good", "good"]
    newest = max((agents.pytester.path / ".ppteval" / "runs").iterdir())
    records = agents.records(str(newest))
    assert {name: records[name, 1]["verdict"] for name in (*states, "new")} == {
        "done": "failed",  # its deck is as it was given
        "failed": "failed",
        "lost": "passed",
        "new": "passed",
    }
    assert (newest / records["done", 1]["folder"] / "output.pptx").is_file()
    assert sorted(path.name for path in (agents.pytester.path / "results").iterdir()) == sorted(states)


def test_what_was_left_open_is_judged_again_without_its_agent(agents: AgentProject) -> None:
    asks = "def compute_score():\n    return 'asked', float(llm_call('well?') == 'YES')\n"
    agents.task("t", rubric(leaf("Asks", asks)))
    agents.tasks["t"]["goal"] = "good"
    (agents.pytester.path / "cases" / "tasks.json").write_text(json.dumps(agents.tasks, indent=1), "utf-8")
    agents.run_agent().stdout.fnmatch_lines(["1 undetermined"])
    agents.pytester.makeconftest("import pytest\n@pytest.fixture\ndef llm_call():\n    return lambda *a, **k: 'YES'\n")
    agents.run("--ppteval-resume=run").stdout.fnmatch_lines(["1 passed"])
    assert agents.started() == ["good"]


# The second is slow: workers take seconds to start, and alone it is the same code.
@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["alone", "workers"])
def test_a_session_goes_on_with_more_trials(agents: AgentProject, workers: tuple[str, ...]) -> None:
    agents.does("once", "good")
    agents.does("all", "good bad", trials=2)
    agents.run_agent()
    (agents.pytester.path / "started.txt").unlink()
    result = agents.run_agent("--ppteval-resume=run", "--ppteval-trials=3", *workers)
    assert sorted(agents.started()) == ["good", "good", "good"]
    result.stdout.fnmatch_lines_random(["*::once: 3 of 3 trials passed*", "*FAILED*::all: 2 of 3 trials passed*"])
    result.stdout.no_fnmatch_line("*1 of 2 trials*")
    # From now on the session is one of three trials.
    again = agents.run_agent("--ppteval-resume=run")
    again.stdout.fnmatch_lines_random(["*::once: 3 of 3 trials passed*", "*::all: 2 of 3 trials passed*"])
    assert len(agents.started()) == 3


def test_a_session_goes_on_with_fewer_trials(agents: AgentProject) -> None:
    agents.does("t", "good bad", trials=2)
    agents.run_agent()
    result = agents.run_agent("--ppteval-resume=run", "--ppteval-trials=1")
    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes()["passed"] == 1
    result.stdout.no_fnmatch_line("*UNDETERMINED*")


def test_by_leaf_the_difference_is_of_that_leaf(done: AgentProject) -> None:
    edit(done, "return 'it is 1.0', 1.0", "return 'it is 0.5', 0.5")
    result = done.run("--ppteval-rescore=run", "--ppteval-leaf=Fine", "-k", "right or wrong")
    result.stdout.fnmatch_lines(
        [
            "cases/tasks.json::right: judged in part",
            "    Fine: 1.00 -> 0.50",
            "1 of 2 tasks changed",
        ]
    )
    result.stdout.no_fnmatch_line("*Good: *")


def test_a_run_of_another_goal_is_not_taken_up(agents: AgentProject) -> None:
    agents.does("t", "bad")
    agents.run_agent()
    (agents.pytester.path / "run" / "results.jsonl").unlink()  # killed before the verdict
    agents.tasks["t"]["goal"] = "good"
    (agents.pytester.path / "cases" / "tasks.json").write_text(json.dumps(agents.tasks, indent=1), "utf-8")
    assert agents.run_agent("--ppteval-resume=run").ret == pytest.ExitCode.OK
    assert agents.started() == ["bad", "good"]


# The second is slow: workers take seconds to start, and alone it is the same code.
@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["alone", "workers"])
def test_each_trial_that_is_kept_can_be_approved(agents: AgentProject, workers: tuple[str, ...]) -> None:
    agents.does("t", "good bad", trials=2)
    agents.does("once", "good")
    agents.run_agent()
    result = agents.run("--ppteval-rescore=run", "--ppteval-record-baselines=candidates", *workers)
    result.stdout.fnmatch_lines(["candidates for approval: *candidates/trial-N (of tasks tried several times)"])
    folder = agents.pytester.path / "candidates"
    found = {str(path.parent.relative_to(folder)) for path in folder.rglob("run.json")}
    assert found == {"cases/once", "trial-1/cases/t", "trial-2/cases/t"}
    approve = ["approve", "t", "--by=me", "--why=it is good", "--yes", f"--from={folder / 'trial-1'}"]
    assert main([*approve, f"--cases={folder.parent / 'cases'}", f"--baselines={folder.parent / 'baselines'}"]) == 0
    run = folder.parent / "run" / "artifacts" / "cases" / "t" / "trial-1"
    approved = folder.parent / "baselines" / "cases" / "t" / "output.pptx"
    assert approved.read_bytes() == (run / "output.pptx").read_bytes()


def test_a_rerun_in_a_resumed_session_is_a_new_run(agents: AgentProject) -> None:
    pytest.importorskip("pytest_rerunfailures")
    agents.does("first", "good")
    agents.run_agent()
    agents.does("t", "bad")
    result = agents.run_agent("--ppteval-resume=run", "--reruns=2")
    result.stdout.fnmatch_lines(["*1 passed*2 rerun*"])
    assert agents.started() == ["good", "bad", "bad", "bad"]
