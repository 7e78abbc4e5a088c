"""llm leaves: the built-in model must answer in form, and gets one chance to put it right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from messages_server import error, says, verdict
from model_leaves import leaves_of, results_of
from small_project import rubric

if TYPE_CHECKING:
    from messages_server import Server
    from small_project import Project


@pytest.fixture
def judged(project: Project, server: Server) -> Project:
    """A project with one llm leaf that passes at 0.5."""
    scorer = {"type": "llm", "system_prompt": "You judge decks.", "user_prompt": 'Is it clear? {"a": 1}'}
    project.task("t", rubric({"name": "Tone", "scorer": scorer}), threshold=0.5)
    project.outputs()
    return project


def leaf_of(project: Project, *arguments: str) -> Any:
    return leaves_of(results_of(project, *arguments))["Tone"]


def test_the_model_answers_by_a_tool_it_must_use(judged: Project, server: Server) -> None:
    server.queue.append(verdict({"reason": "clear", "score": 0.75}))
    node = leaf_of(judged)
    assert (node["status"], node["score"], node["reason"]) == ("scored", 0.75, "clear")
    (request,) = server.requests
    assert request["system"] == "You judge decks."
    assert request["messages"] == [{"role": "user", "content": [{"type": "text", "text": 'Is it clear? {"a": 1}'}]}]
    assert request["tool_choice"] == {"type": "tool", "name": "verdict", "disable_parallel_tool_use": True}
    (tool,) = request["tools"]
    schema = tool["input_schema"]
    assert (tool["name"], schema["required"], schema["additionalProperties"]) == ("verdict", ["reason", "score"], False)


@pytest.mark.parametrize("wrong", [{"reason": "x", "score": 7}, {"score": 1}, {"reason": 1, "score": 1}, "x", None])
def test_an_answer_out_of_form_is_put_right_once(judged: Project, server: Server, wrong: object) -> None:
    server.queue.extend([verdict(wrong), verdict({"reason": "after all", "score": 1})])
    node = leaf_of(judged)
    assert (node["score"], node["reason"], node["judging"]["live"]) == (1.0, "after all", 2)
    first, second = server.requests
    assert second["messages"][0] == first["messages"][0]
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "user"]


def test_after_that_the_leaf_is_unscored_with_what_the_model_said(judged: Project, server: Server) -> None:
    server.queue.extend([says("Rather clear."), says("I said it is clear.")])
    node = leaf_of(judged)
    assert (node["status"], node["score"]) == ("unscored", None)
    assert "I said it is clear." in node["reason"]
    assert len(server.requests) == 2


def test_a_verdict_in_text_counts_too(judged: Project, server: Server) -> None:
    server.queue.append(says('Well:\n```json\n{"reason": "clear", "score": 0.5}\n```'))
    assert leaf_of(judged)["score"] == 0.5
    assert len(server.requests) == 1


def test_a_server_without_forced_tools_is_asked_without_force(judged: Project, server: Server) -> None:
    server.queue.append(error(400, "invalid_request_error", "tool_choice: this model thinks and can't be forced"))
    server.queue.append(verdict({"reason": "clear", "score": 1}))
    assert leaf_of(judged)["score"] == 1
    assert ["tool_choice" in request for request in server.requests] == [True, False]
    assert all("tools" in request for request in server.requests)


def test_verdicts_and_their_repair_are_replayed(
    judged: Project, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.queue.extend([verdict({"score": 7}), verdict({"reason": "after all", "score": 1})])
    assert leaf_of(judged, "--ppteval-record=once")["score"] == 1
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    node = leaf_of(judged, "--ppteval-record=replay")
    assert (node["reason"], node["judging"]["replayed"]) == ("after all", 2)
    assert len(server.requests) == 2


def test_recordings_hold_no_paths_of_this_machine(project: Project, server: Server) -> None:
    scorer = {"type": "llm", "system_prompt": "You judge.", "user_prompt": "{original_ppt_path} {modified_ppt_path}"}
    project.task("t", rubric({"name": "Paths", "scorer": scorer}))
    project.outputs()
    server.queue.append(verdict({"reason": "yes", "score": 1}))
    project.run("--ppteval-record=once").assert_outcomes(passed=1)
    text = (project.pytester.path / "recordings" / "cases" / "t.yaml").read_text("utf-8")
    assert "prompt: <original deck> <modified deck>\n" in text
    assert str(project.pytester.path) not in text


def test_without_a_model_the_leaf_is_unscored(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    result = judged.run()
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: llm_call: no model configured: set ANTHROPIC_API_KEY*"])
