"""The built-in agent's conversation, step by step: what is sent back, and when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.agent.builtin.ending import FAILED, FINISHED, Ending
from pytest_ppteval.agent.builtin.journal import Journal
from pytest_ppteval.agent.builtin.loop import run
from pytest_ppteval.agent.builtin.toolbox import Finish

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]


class Script:
    """Says what it was told to, and notes what it was sent."""

    system = "Be good."

    def __init__(self, *answers: tuple[str | None, list[Json]]) -> None:
        self._answers = list(answers)
        self.sent: list[list[Json]] = []

    def ask(self, messages: Sequence[Json]) -> Json:
        self.sent.append(list(messages))
        stop, content = self._answers[len(self.sent) - 1]
        return {"content": content, "stop_reason": stop}


class Tools:
    """Finishes when told to; everything else works."""

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self.used: list[str] = []

    def use(self, call: Json) -> Json:
        self.used.append(call["name"])
        if call["name"] == "finish":
            self.finish = Finish("Done.", True)
        return {"type": "tool_result", "tool_use_id": call["id"], "content": "fine"}


def call(name: str, id: str = "a") -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def go(script: Script, tools: Tools | None = None, turns: int = 9) -> Ending:
    return run("Go.", script, tools or Tools(), Journal(None, None), max_turns=turns, max_tokens=100)


def test_results_follow_their_calls() -> None:
    first = [text("Look."), call("look", "a"), call("see", "b")]
    script = Script(("tool_use", first), ("tool_use", [call("finish", "c")]))
    tools = Tools()
    assert go(script, tools) == Ending(FINISHED)
    assert tools.used == ["look", "see", "finish"]
    assert [message["role"] for message in script.sent[1]] == ["user", "assistant", "user"]
    assert [block["tool_use_id"] for block in script.sent[1][-1]["content"]] == ["a", "b"]


def test_ids_that_a_server_repeats_are_told_apart() -> None:
    script = Script(*[("tool_use", [call("look", "call_0")])] * 2, ("tool_use", [call("finish", "call_0")]))
    script._answers = [(stop, [dict(block) for block in content]) for stop, content in script._answers]
    go(script)
    ids = [message["content"][0]["id"] for message in script.sent[2] if message["role"] == "assistant"]
    results = [message["content"][0]["tool_use_id"] for message in script.sent[2][1:] if message["role"] == "user"]
    assert ids == results == ["call_0", "call_0-1"]


def test_tools_that_were_asked_for_beside_the_end_are_still_used() -> None:
    tools = Tools()
    assert go(Script(("tool_use", [call("finish", "a"), call("look", "b")])), tools) == Ending(FINISHED)
    assert tools.used == ["finish", "look"]


def test_a_paused_turn_goes_on_where_it_was() -> None:
    script = Script(("pause_turn", [text("Wait.")]), ("tool_use", [call("finish")]))
    assert go(script) == Ending(FINISHED)
    assert script.sent[1][-1] == {"role": "assistant", "content": [text("Wait.")]}


def test_what_the_api_does_not_take_back_is_left_out() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    script = Script(
        ("max_tokens", [thought]),
        ("max_tokens", [text("  "), thought, text("So"), thought]),
        ("end_turn", []),
        ("tool_use", [thought, call("finish")]),
    )
    assert go(script) == Ending(FINISHED)
    kept = [message["content"] for message in script.sent[-1] if message["role"] == "assistant"]
    assert kept == [[thought, text("So")]]


def test_cut_off_answers_end_it_only_in_a_row() -> None:
    cut: tuple[str, list[Json]] = ("max_tokens", [text("So")])
    works: tuple[str, list[Json]] = ("tool_use", [call("look")])
    assert go(Script(cut, cut, works, cut, cut, ("tool_use", [call("finish", "z")]))) == Ending(FINISHED)
    assert go(Script(cut, cut, cut)).code == FAILED


def test_what_begins_a_run_begins_with_the_first_answer() -> None:
    script, begun = Script(("tool_use", [call("look")]), ("tool_use", [call("finish", "b")])), []
    run(
        "Go.",
        script,
        Tools(),
        Journal(None, None),
        max_turns=9,
        max_tokens=100,
        begin=lambda: begun.append(len(script.sent)),
    )
    assert begun == [1]


def test_the_last_turn_may_be_the_end() -> None:
    script = Script(("tool_use", [call("look")]), ("tool_use", [call("finish", "b")]))
    assert go(script, turns=2) == Ending(FINISHED)
    assert go(Script(("tool_use", [call("look")])), turns=1) == Ending(FAILED, "not finished within max_turns=1")


def test_a_server_that_names_no_reason_is_taken_by_what_it_sends() -> None:
    assert go(Script((None, [call("finish")]))) == Ending(FINISHED)
