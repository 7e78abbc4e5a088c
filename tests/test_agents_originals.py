"""An agent that changes the user's own files: its run gets no verdict, and nothing is judged by what it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_project import AgentProject


def test_an_original_that_an_agent_edits(agents: AgentProject) -> None:
    """The run before it counts; its own is an error that names it; those after it are not even started."""
    agents.does("a", "good")
    agents.does("b", "spoil=intro.pptx")
    agents.does("c", "good")
    result = agents.run_agent("-rA")
    result.assert_outcomes(passed=1, errors=2)
    text = " ".join(result.stdout.str().split())
    deck = agents.pytester.path / "cases" / "intro.pptx"
    assert f"agent program's run of cases/tasks.json::b changed {deck}, which is given to agents or judged by" in text
    assert f"{deck} is not as it was when the session began: agent program's run of cases/tasks.json::b changed" in text
    assert agents.started() == ["good", "spoil=intro.pptx"]
    records = agents.records()
    assert {key[0]: record["complete"] for key, record in records.items()} == {"a": True, "b": False, "c": False}


def test_once_it_is_restored_the_session_goes_on(agents: AgentProject) -> None:
    agents.does("b", "spoil=intro.pptx")
    agents.does("plain", "good")
    deck = agents.pytester.path / "cases" / "intro.pptx"
    before = deck.read_bytes()
    agents.run_agent().assert_outcomes(errors=2)
    deck.write_bytes(before)
    result = agents.run_agent("--ppteval-resume=run", "-k", "plain")
    result.assert_outcomes(passed=1)


def test_pictures_of_the_original_and_approved_runs_are_among_them(agents: AgentProject) -> None:
    """What appears beside the deck as its pictures, or as an approved run, would decide later verdicts too."""
    agents.does("a", "spoil=intro.zip")
    agents.does("b", "good")
    agents.run_agent().assert_outcomes(errors=2)
    (agents.pytester.path / "baselines" / "cases" / "b").mkdir(parents=True)
    agents.tasks.clear()
    (agents.pytester.path / "cases" / "intro.zip").unlink()
    agents.does("c", "spoil=../baselines/cases/b/output.pptx")
    agents.does("b", "good")
    result = agents.run_agent("--ppteval-results=second")
    result.assert_outcomes(errors=2)
    assert "baselines/cases/b/output.pptx is not as it was" in " ".join(result.stdout.str().split())


def test_a_file_that_no_task_is_given_is_the_users_business(agents: AgentProject) -> None:
    agents.does("a", "spoil=notes.txt")
    agents.does("b", "good")
    agents.run_agent().assert_outcomes(passed=2)


def test_with_several_workers_all_know_it(agents: AgentProject) -> None:
    """Whichever worker a later task comes to: the one whose agent spoilt the deck is named."""
    agents.does("a", "spoil=intro.pptx")
    for name in "bcd":
        agents.does(name, "sleep=3")
    result = agents.run_agent("-n", "2", "--dist", "load", "--maxprocesses", "2")
    # What ran beside it is not judged by the spoilt deck; what came after was not started.
    assert result.parseoutcomes() == {"errors": 4}
    assert "run of cases/tasks.json::a changed" in " ".join(result.stdout.str().split())
