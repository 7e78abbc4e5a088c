"""Nobody is told "finished, 0 calls" of a run that made some: what is not certain is refused, what is lost is told.

A rule that forbids calls would otherwise pass by accident, in a format that its reader only seems to know.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, TraceError, detect, read_trace
from pytest_ppteval.trace.model import HIDDEN_CALLS
from pytest_ppteval.trace.show import as_data, as_table


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def hidden(trace: Trace) -> list[str]:
    return [note.text for note in trace.diagnostics if note.code == HIDDEN_CALLS]


WORDS = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
ASKED = {"role": "user", "content": "Count the slides."}

SIMILAR = [
    pytest.param(
        lines(
            {"type": "assistant", "message": WORDS, "session_id": "s"},
            {"type": "some_agents_call", "subtype": "started", "some_call": {"readTool": {}}, "session_id": "s"},
            {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"},
        ),
        ["claude-code"],
        id="lines like Claude Code's, of another agent",
    ),
    pytest.param(
        json.dumps([ASKED, {"role": "assistant", "content": "Done."}]).encode(),
        ["openai-chat", "anthropic"],
        id="texts by role, as many formats have them",
    ),
    pytest.param(
        json.dumps({"messages": [ASKED, {"role": "assistant", "content": "Done."}]}).encode(),
        ["openai-chat", "anthropic"],
        id="the same in an object",
    ),
    pytest.param(
        lines({"type": "RUN_COMPLETED", "runId": "r"}, {"type": "TOOL_CALL_MADE", "name": "x"}),
        ["agui"],
        id="events with names like AG-UI's",
    ),
    pytest.param(
        lines({"type": "turn.started"}, {"type": "turn.completed"}), ["codex-exec"], id="events with names like Codex's"
    ),
    pytest.param(
        json.dumps(
            {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "spanId": "s", "name": "GET /"}]}]}]}
        ).encode(),
        ["otel"],
        id="spans that have nothing of an agent",
    ),
]


@pytest.mark.parametrize(("data", "candidates"), SIMILAR)
def test_a_format_that_is_not_certain_is_refused_with_what_it_might_be(data: bytes, candidates: list[str]) -> None:
    assert detect(data) is None
    with pytest.raises(
        TraceError, match="no trace format recognised: the format is not certain, it might be: "
    ) as info:
        read_trace(data)
    told = str(info.value)
    assert all(f"{name} (" in told for name in candidates)
    # Who names the format answers for it.
    assert read_trace(data, candidates[0]).format == candidates[0]


def test_a_file_with_signs_of_two_formats_is_refused_with_both() -> None:
    data = lines({"type": "RUN_STARTED", "threadId": "t"}, {"type": "thread.started", "thread_id": "t"})
    with pytest.raises(TraceError, match=r"it has signs of several formats: agui \(.*; codex-exec \("):
        read_trace(data)


START, END = {"type": "RUN_STARTED", "threadId": "t"}, {"type": "RUN_FINISHED", "threadId": "t"}
INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "mcp_servers": []}
RESULT = {"type": "result", "subtype": "success", "num_turns": 1, "session_id": "s", "result": "Done."}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            lines(START, {"type": "TOOL_INVOKED", "name": "x"}, END), id="an event whose name speaks of tools"
        ),
        pytest.param(lines(START, {"type": "NEW", "toolCallId": "1"}, END), id="an unknown event with a call's id"),
        pytest.param(
            lines(INIT, {"type": "tool_call", "id": "1", "session_id": "s"}, RESULT), id="a line of a new type"
        ),
        pytest.param(
            lines(START, {"type": "CUSTOM", "value": {"tool_calls": [{"name": "x"}]}}, END),
            id="calls inside an event that is known for something else",
        ),
        pytest.param(lines(START) + b'{"type": "TOOL_CALL_START", "toolCallId": "1\n' + lines(END), id="a broken line"),
        pytest.param(lines(START, {"tipe": "TOOL_CALL_START"}, END), id="an object without a type"),
    ],
)
def test_what_may_have_been_a_call_leaves_the_calls_unknown(data: bytes) -> None:
    trace = read_trace(data)
    assert (trace.status, trace.steps) == ("finished", ())
    assert trace.calls_unknown is not None
    assert " | at least 0 tool calls | " in as_table(trace)
    again = read_trace(json.dumps(as_data(trace)).encode())
    assert again.calls_unknown == trace.calls_unknown


def test_a_run_without_calls_has_none_for_certain() -> None:
    said = {"type": "CUSTOM", "name": "note", "value": "tool_calls are none"}
    offered = {"type": "STATE_SNAPSHOT", "snapshot": {"tools": [{"type": "function", "name": "x"}], "tool_calls": []}}
    before = {**START, "input": {"messages": [{"role": "assistant", "toolCalls": [{"id": "of an earlier run"}]}]}}
    trace = read_trace(lines(before, said, offered, END))
    assert (trace.status, trace.steps, trace.calls_unknown, hidden(trace)) == ("finished", (), None, [])


def test_a_run_without_an_end_leaves_the_calls_unknown() -> None:
    assert read_trace(lines(START)).calls_unknown == "the trace records no end of the run"
