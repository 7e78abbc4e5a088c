"""AG-UI servers that give every call a new id in each messages snapshot: a call is one call, whatever it is called."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, read_trace

SAMPLE = Path(__file__).parent / "data" / "traces" / "agb-llamaindex-gemini-run1-multi_tool.jsonl"
START, END = {"type": "RUN_STARTED", "threadId": "t"}, {"type": "RUN_FINISHED", "threadId": "t"}
Asked = tuple[str, str]


class Server:
    """Writes events; ids of snapshots are new each time."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = [START]
        self.number = count()

    def stream(self, name: str, tool: str, arguments: str) -> None:
        self.events += [
            {"type": "TOOL_CALL_START", "toolCallId": name, "toolCallName": tool},
            {"type": "TOOL_CALL_ARGS", "toolCallId": name, "delta": arguments},
            {"type": "TOOL_CALL_END", "toolCallId": name},
        ]

    def snapshot(self, *messages: list[Asked] | tuple[str, str]) -> None:
        """A list: the calls of a message. A tuple: the id of a call ("" for a new one), and its result."""
        said: list[dict[str, Any]] = [{"id": "u", "role": "user", "content": "Go"}]
        for message in messages:
            name = f"m{next(self.number)}"
            if isinstance(message, list):
                calls = [
                    {"id": f"new{next(self.number)}", "function": {"name": tool, "arguments": arguments}}
                    for tool, arguments in message
                ]
                said.append({"id": name, "role": "assistant", "toolCalls": calls})
            else:
                call, text = message
                said.append(
                    {"id": name, "role": "tool", "toolCallId": call or f"new{next(self.number)}", "content": text}
                )
        self.events.append({"type": "MESSAGES_SNAPSHOT", "messages": said})

    def trace(self) -> Trace:
        return read_trace("".join(json.dumps(event) + "\n" for event in [*self.events, END]).encode())


def made(trace: Trace) -> list[tuple[str, Any, str | None]]:
    return [(step.tool, step.args, step.result) for step in trace.steps]


def test_a_real_recording_whose_five_snapshots_have_five_ids_for_one_call() -> None:
    trace = read_trace(SAMPLE)
    assert made(trace) == [
        ("get_current_time", {}, "2026-02-06 11:47:21"),
        ("calculator", {"expression": "10 + 20"}, "10 + 20 = 30"),
    ]
    assert trace.final_response == "The current time is 2026-02-06 11:47:21 and 10 + 20 = 30."
    assert (trace.status, trace.diagnostics) == ("finished", ())


@pytest.mark.parametrize("answers", [("a", "b", "c"), ("", "", "")], ids=["ids of the stream", "ids of nobody"])
def test_equal_calls_stay_apart_by_their_order(answers: tuple[str, str, str]) -> None:
    server = Server()
    look, add = ("look", '{"n": 1}'), ("add", "{}")
    server.stream("a", *look)
    server.snapshot([look])
    server.snapshot([look], (answers[0], "one"))
    server.stream("b", *look)
    server.stream("c", *add)
    server.snapshot([look], (answers[0], "one"), [("look", '{"n":1.0}'), add])
    server.snapshot([look], (answers[0], "one"), [look, add], (answers[1], "two"), (answers[2], "sum"))
    trace = server.trace()
    assert made(trace) == [("look", {"n": 1}, "one"), ("look", {"n": 1}, "two"), ("add", {}, "sum")]
    assert trace.steps[1].group == trace.steps[2].group is not None


def test_a_snapshot_with_new_ids_still_corrects_the_arguments() -> None:
    """Parallel calls whose streamed arguments were mixed up: what is known of each is its tool and its place."""
    server = Server()
    server.stream("a", "look", '{"n": 1}{"n": 2}')
    server.stream("b", "look", "")
    server.snapshot([("look", '{"n": 1}'), ("look", '{"n": 2}')], ("a", "one"), ("b", "two"))
    trace = server.trace()
    assert made(trace) == [("look", {"n": 1}, "one"), ("look", {"n": 2}, "two")]
    assert {note.code for note in trace.diagnostics} == {"corrected"}


def test_a_call_that_only_the_snapshot_knows_is_added_where_it_stands() -> None:
    server = Server()
    server.stream("a", "look", '{"n": 2}')
    server.snapshot([("read", "{}")], [("look", '{"n": 2}')], ("a", "two"), [("write", "{}")])
    assert made(server.trace()) == [("read", {}, None), ("look", {"n": 2}, "two"), ("write", {}, None)]


def test_a_call_after_the_snapshot_is_a_new_one_though_it_is_equal() -> None:
    server = Server()
    server.stream("a", "look", "{}")
    server.snapshot([("look", "{}")], ("a", "one"))
    server.stream("b", "look", "{}")
    assert made(server.trace()) == [("look", {}, "one"), ("look", {}, None)]
