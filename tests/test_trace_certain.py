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
        json.dumps([ASKED, {"role": "assistant", "content": "Done.", "extra": {"n": 1}}]).encode(),
        ["openai-chat", "anthropic"],
        id="texts by role, with a key of another format",
    ),
    pytest.param(
        json.dumps({"messages": [ASKED, {"role": "assistant", "content": "Done."}], "info": {"n": 1}}).encode(),
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


@pytest.mark.parametrize(
    "wrap", [lambda said: said, lambda said: {"model": "gpt", "messages": said}], ids=["list", "request"]
)
def test_texts_by_role_and_nothing_else_are_chat_completions(wrap: Any) -> None:
    said = [ASKED, {"role": "assistant", "content": "Done."}]
    trace = read_trace(json.dumps(wrap(said)).encode())
    assert (trace.format, trace.status, trace.final_response) == ("openai-chat", "finished", "Done.")
    assert trace.calls_unknown is None


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


# OpenTelemetry: a span that is missing is no proof


def span(name: str, number: int, *, under: int | None = 1, **attributes: Any) -> dict[str, Any]:
    """Attributes by their names with "__" for "."; texts, or lists of texts."""
    pairs = []
    for key, value in attributes.items():
        kind: dict[str, Any] = {"stringValue": value}
        if isinstance(value, list):
            kind = {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
        pairs.append({"key": key.replace("__", "."), "value": kind})
    parent = {} if under is None else {"parentSpanId": f"{under:016x}"}
    times = {"startTimeUnixNano": f"{number}000000000", "endTimeUnixNano": f"{number + 1}000000000"}
    return {"traceId": "t", "spanId": f"{number:016x}", "name": name, "attributes": pairs, **parent, **times}


def spans(*found: dict[str, Any]) -> Trace:
    agent = span("invoke_agent main", 1, under=None, gen_ai__operation__name="invoke_agent")
    return read_trace(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [agent, *found]}]}]}).encode())


def asked(number: int, *reasons: str, **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"gen_ai__response__finish_reasons": list(reasons)} if reasons else {}
    return span("chat gpt", number, gen_ai__operation__name="chat", **said, **more)


CALL = span("execute_tool look", 3, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look")
PART = {"type": "tool_call", "id": "a", "name": "look", "arguments": {"n": 1}}
MADE = json.dumps([{"role": "assistant", "parts": [PART]}])
SPOKEN = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Done."}], "finish_reason": "stop"}])


@pytest.mark.parametrize(
    ("found", "count", "known"),
    [
        pytest.param([asked(2, "stop")], 0, True, id="every answer ended by itself"),
        pytest.param([asked(2, gen_ai__output__messages=SPOKEN)], 0, True, id="every answer is there"),
        pytest.param([asked(2, "tool_calls"), CALL, asked(5, "stop")], 1, True, id="a call and its span"),
        pytest.param([asked(2, "tool_calls"), asked(5, "stop")], 0, False, id="an answer that asks for a call"),
        pytest.param([asked(2, "tool_use"), CALL, asked(5, "tool_use")], 1, False, id="two that ask, one span"),
        pytest.param([asked(2)], 0, False, id="nobody says why an answer ended"),
        pytest.param([], 0, False, id="no answer has a span"),
        pytest.param([asked(2, "stop"), span("tools/call look", 3)], 0, False, id="a span of another name"),
        pytest.param(
            [asked(2, "stop", gen_ai__completion__0__tool_calls__0__name="look")],
            0,
            False,
            id="OpenLLMetry's way",
        ),
        pytest.param(
            [asked(2, "stop", pydantic_ai__all_messages=MADE)], 0, False, id="history in an attribute of another name"
        ),
    ],
)
def test_otel_calls_without_spans(found: list[dict[str, Any]], count: int, known: bool) -> None:
    trace = spans(*found)
    assert (trace.status, len(trace.steps), trace.calls_unknown is None) == ("finished", count, known)


def test_otel_a_call_that_only_a_message_tells_is_a_step() -> None:
    named = span("execute_tool add", 3, gen_ai__operation__name="execute_tool", gen_ai__tool__call__id="b")
    trace = spans(named, asked(5, "stop", gen_ai__output__messages=MADE))
    assert {(step.id, step.tool) for step in trace.steps} == {("b", "add"), ("a", "look")}


@pytest.mark.parametrize(
    "call",
    [
        span(
            "ai.toolCall",
            3,
            ai__operationId="ai.toolCall",
            ai__toolCall__name="look",
            ai__toolCall__args='{"n": 1}',
            ai__toolCall__result="one",
        ),
        span(
            "look.tool",
            3,
            traceloop__span__kind="tool",
            traceloop__entity__name="look",
            traceloop__entity__input='{"n": 1}',
            traceloop__entity__output="one",
        ),
    ],
    ids=["Vercel AI SDK", "OpenLLMetry"],
)
def test_otel_calls_in_other_words(call: dict[str, Any]) -> None:
    trace = spans(asked(2, "tool-calls"), call, asked(5, "stop"))
    assert [(step.tool, step.args, step.result) for step in trace.steps] == [("look", {"n": 1}, "one")]
    assert trace.calls_unknown is None


def test_otel_the_inside_of_a_call_is_no_second_one() -> None:
    fields = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "look"}
    inner = span("tools/call look", 4, under=3, mcp__method__name="tools/call", **fields)
    assert len(spans(asked(2, "tool_calls"), CALL, inner, asked(6, "stop")).steps) == 1


# Where only the result tells the tool's name


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("openai-chat", [{"role": "tool", "tool_call_id": "a", "name": "look", "content": "x"}]),
        ("langchain", [{"type": "tool", "data": {"tool_call_id": "a", "name": "look", "content": "x"}}]),
        (
            "pydantic-ai",
            [{"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "look", "content": "x"}]}],
        ),
        (
            "inspect",
            {
                "eval": {},
                "samples": [
                    {"id": 1, "messages": [{"role": "tool", "tool_call_id": "a", "function": "look", "content": "x"}]}
                ],
            },
        ),
        (
            "adk",
            {
                "eval_cases": [
                    {
                        "conversation": [
                            {"intermediate_data": {"tool_responses": [{"id": "a", "name": "look", "response": "x"}]}}
                        ]
                    }
                ]
            },
        ),
    ],
)
def test_a_result_without_its_call_names_the_tool(name: str, data: Any) -> None:
    trace = read_trace(json.dumps(data).encode(), name)
    assert [(step.tool, step.result) for step in trace.steps] == [("look", "x")]


# Inspect's samples


def sample(**fields: Any) -> Trace:
    whole = {"id": 1, "epoch": 1, "output": {"choices": [{"stop_reason": "stop"}]}, **fields}
    return read_trace(json.dumps({"eval": {}, "samples": [whole]}).encode())


def test_inspect_calls_that_messages_or_models_tell_beside_the_events() -> None:
    call = {"id": "a", "function": "bash", "arguments": {"cmd": "ls"}}
    event = {"event": "tool", "id": "b", "function": "python", "arguments": {}, "result": "x"}
    asks = {"role": "assistant", "content": "", "tool_calls": [call]}
    answers = {"role": "tool", "tool_call_id": "a", "function": "bash", "content": "y"}
    trace = sample(events=[event], messages=[asks, answers])
    assert {(step.tool, step.result) for step in trace.steps} == {("python", "x"), ("bash", "y")}
    model = {"event": "model", "tools": [{"name": "bash"}], "output": {"choices": [{"message": asks}]}}
    assert sample(events=[model]).calls_unknown is not None
    quiet = {
        **model,
        "output": {"choices": [{"message": {"role": "assistant", "content": "x"}, "stop_reason": "stop"}]},
    }
    assert sample(events=[quiet]).calls_unknown is None
