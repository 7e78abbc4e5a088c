"""--ppteval-votes: a YES or NO is the majority of several answers, and a split is shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from messages_server import error, says, verdict
from model_leaves import asks, leaves_of, results_of
from small_project import rubric

if TYPE_CHECKING:
    from messages_server import Server
    from small_project import Project


def test_the_majority_is_the_answer_and_a_split_is_borderline(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.extend([says("No."), says("**YES**, all done"), says("Yes.")])
    result = project.run("--ppteval-votes=3", "--ppteval-json=r.json", "--junitxml=j.xml", "--ppteval-record=once")
    assert len(server.requests) == 3
    # The leaf saw an answer of the majority; the server gives the second and third to either of the calls under way.
    result.stdout.fnmatch_lines(
        ["BORDERLINE cases/tasks.json::t::Asks - score ?.00: * [[]borderline votes: 2 YES, 1 NO[]]"]
    )
    properties = {p.get("name"): p.get("value") for p in ET.parse(project.pytester.path / "j.xml").iter("property")}
    assert (properties["borderline"], properties["judge_live"]) == ("true", "3")
    document = results_of(project, "--ppteval-votes=3", "--ppteval-record=replay")
    judging = leaves_of(document)["Asks"]["judging"]
    assert judging["votes"] == [{"yes": 2, "no": 1, "neither": 0}]
    assert judging["borderline"] is True
    assert (judging["live"], judging["replayed"]) == (0, 3)
    assert len(server.requests) == 3


def test_a_unanimous_vote_is_shown_and_not_borderline(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.otherwise = lambda body: says("NO, nothing is done")
    document = results_of(project, "--ppteval-votes=5")
    node = leaves_of(document)["Asks"]
    assert (node["score"], node["reason"]) == (0.0, "NO, nothing is done [votes: 5 NO]")
    assert node["judging"]["borderline"] is False


def test_an_answer_that_is_neither_stands_and_nothing_more_is_asked(project: Project, server: Server) -> None:
    project.task("t", rubric(asks("What colour?")))
    project.outputs()
    server.queue.append(says("Blue, YES blue"))
    document = results_of(project, "--ppteval-votes=3")
    node = leaves_of(document)["Asks"]
    assert (node["reason"], node["judging"]["votes"]) == ("Blue, YES blue", [])
    assert len(server.requests) == 1


def test_no_majority_leaves_the_leaf_unscored(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.extend([says("YES"), says("NO"), says("I can't tell.")])
    project.run("--ppteval-votes=3").stdout.fnmatch_lines(
        ["*UNSCORED 1 leaf: *no majority in 3 votes: 1 YES, 1 NO, 1 neither*"]
    )


def test_a_vote_that_fails_leaves_the_leaf_unscored(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.extend([says("YES"), says("YES"), error(401)])
    result = project.run("--ppteval-votes=3")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *refused the key*", "judging by *: 3 live (1 failed)*"])


def test_a_recording_without_votes_serves_as_the_first(
    project: Project, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.run("--ppteval-record=once").assert_outcomes(passed=1)
    project.run("--ppteval-record=new", "--ppteval-votes=3").stdout.fnmatch_lines(["judging by *: 2 live, 1 replayed*"])
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    project.run("--ppteval-record=replay", "--ppteval-votes=3").assert_outcomes(passed=1)
    project.run("--ppteval-record=replay", "--ppteval-votes=5").stdout.fnmatch_lines(
        ["*vote: recorded *, now *", "judging by *: 0 live, 3 replayed, 2 missing"]
    )


def test_verdicts_of_llm_leaves_are_not_voted_on(project: Project, server: Server) -> None:
    scorer = {"type": "llm", "system_prompt": "You judge.", "user_prompt": "Well?"}
    project.task("t", rubric({"name": "Tone", "scorer": scorer}))
    project.outputs()
    server.queue.append(verdict({"reason": "yes", "score": 1}))
    project.run("--ppteval-votes=3").assert_outcomes(passed=1)
    assert len(server.requests) == 1
