"""The big APIs' server-sent events, as recorded: each stream is the response that it amounts to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, Usage, detect, read_trace

HERE = Path(__file__).parent / "data" / "traces"


def calls(trace: Trace) -> list[tuple[str, Any, str | None]]:
    return [(step.tool, step.args, step.result) for step in trace.steps]


def sse(*events: Any) -> bytes:
    named = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
    return "".join(f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(named, events, strict=True)).encode()


def test_a_recorded_stream_of_anthropics() -> None:
    trace = read_trace(HERE / "stream-anthropic-tool_use.sse")
    assert trace.format == "anthropic"
    assert calls(trace) == [("get_weather", {"location": "Paris"}, None)]
    assert [message.text for message in trace.messages] == ["I'll check the current weather in Paris for you."]
    used = Usage(input_total=377, cache_read=0, cache_write=0, output=65)
    assert trace.usage == {"claude-sonnet-4-20250514": used}
    assert trace.status == "truncated"  # it waits for the result


def test_a_recorded_stream_of_chat_completions() -> None:
    trace = read_trace(HERE / "stream-groq-tool-call.jsonl")
    assert trace.format == "openai-chat"
    assert calls(trace) == [("weather", {}, None)]
    assert trace.usage == {"llama-3.3-70b-versatile": Usage(input_total=210, output=15)}
    assert trace.status == "truncated"


def test_a_recorded_stream_of_responses_that_failed() -> None:
    trace = read_trace(HERE / "stream-openai-response-failed.jsonl")
    assert (trace.format, trace.status, trace.steps) == ("openai-responses", "error", ())
    assert trace.error is not None
    assert trace.error.startswith("Request too large for gpt-4o-mini")


# Two turns: a call, its result in the next request, an answer.

ASKED = [{"role": "user", "content": "Count"}]


def chat_chunk(name: str, delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": name, "object": "chat.completion.chunk", "model": "gpt", "choices": [choice], **more}


def chat_call(index: int | None, name: str | None, tool: str | None, arguments: str) -> dict[str, Any]:
    function = {key: value for key, value in (("name", tool), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": name, "function": function}
    return {"tool_calls": [{key: value for key, value in fields.items() if value is not None}]}


CHAT_CALLS = [
    pytest.param(
        [
            chat_call(0, "a", "look", ""),
            chat_call(0, None, None, '{"n"'),
            chat_call(0, None, None, ": 1}"),
            chat_call(1, "b", "add", "{}"),
        ],
        id="pieces by index",
    ),
    pytest.param(
        [chat_call(0, "a", "look", '{"n": 1}'), chat_call(1, "b", "add", ""), chat_call(0, None, None, "")],
        id="mixed",
    ),
    pytest.param([chat_call(0, "a", "look", '{"n": 1}'), chat_call(0, "b", "add", "{}")], id="every index is 0"),
    pytest.param([chat_call(None, "a", "look", '{"n": 1}'), chat_call(None, "b", "add", "{}")], id="no index"),
]


@pytest.mark.parametrize("pieces", CHAT_CALLS)
def test_chat_streams_of_a_loop(pieces: list[dict[str, Any]]) -> None:
    first = [
        chat_chunk("1", {"role": "assistant", "content": "I "}),
        chat_chunk("1", {"content": "look."}),
        *(chat_chunk("1", piece) for piece in pieces),
        chat_chunk("1", {}, "tool_calls"),
        {**chat_chunk("1", {}), "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    ]
    made = [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}},
        {"id": "b", "type": "function", "function": {"name": "add", "arguments": "{}"}},
    ]
    request = {
        "messages": [
            *ASKED,
            {"role": "assistant", "content": "I look.", "tool_calls": made},
            {"role": "tool", "tool_call_id": "a", "content": "two"},
            {"role": "tool", "tool_call_id": "b", "content": "sum"},
        ]
    }
    second = [chat_chunk("2", {"role": "assistant", "content": "Two."}), chat_chunk("2", {}, "stop")]
    data = sse({"messages": ASKED}, *first, request, *second) + b"data: [DONE]\n\n"
    trace = read_trace(data)
    assert calls(trace) == [("look", {"n": 1}, "two"), ("add", {}, "sum")]
    assert trace.steps[0].group == trace.steps[1].group is not None
    assert (trace.status, trace.final_response, trace.calls_unknown) == ("finished", "Two.", None)
    assert trace.usage == {"gpt": Usage(input_total=5, output=2)}


def test_a_chat_stream_with_the_older_function_call() -> None:
    data = sse(
        chat_chunk("1", {"role": "assistant", "function_call": {"name": "look", "arguments": '{"n"'}}),
        chat_chunk("1", {"function_call": {"arguments": ": 1}"}}),
        chat_chunk("1", {}, "function_call"),
    )
    assert calls(read_trace(data)) == [("look", {"n": 1}, None)]


def block(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def delta(index: int, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": fields}


def begun(name: str) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": name,
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "model": "m",
    }
    return {"type": "message_start", "message": {**message, "usage": {"input_tokens": 3, "output_tokens": 1}}}


def ended(reason: str) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]


MESSAGES = [
    begun("1"),
    block(0, "thinking", thinking=""),
    delta(0, type="thinking_delta", thinking="Hm."),
    block(1, "tool_use", id="a", name="look", input={}),
    delta(1, type="input_json_delta", partial_json='{"n"'),
    delta(1, type="input_json_delta", partial_json=": 1}"),
    block(2, "tool_use", id="b", name="add", input={}),
    *ended("tool_use"),
    begun("2"),
    block(0, "text", text=""),
    delta(0, type="text_delta", text="Two."),
    *ended("end_turn"),
]


def test_anthropics_streams_of_a_loop() -> None:
    trace = read_trace(sse(*MESSAGES))
    assert calls(trace) == [("look", {"n": 1}, None), ("add", {}, None)]
    assert [(message.role, message.text) for message in trace.messages] == [("reasoning", "Hm."), ("assistant", "Two.")]
    assert (trace.status, trace.final_response, trace.usage["m"].output) == ("finished", "Two.", 8)


def test_anthropics_stream_that_ends_with_an_error() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    trace = read_trace(sse(*MESSAGES[:6], error))
    assert (trace.status, trace.error) == ("error", "Overloaded")
    assert calls(trace) == [("look", {"n": 1}, None)]


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **fields}


FUNCTION = {"type": "function_call", "id": "f", "call_id": "a", "name": "look", "arguments": ""}
ARGUMENTS = [event("function_call_arguments.delta", output_index=0, delta=part) for part in ('{"n"', ": 1}")]
WHOLE = {"id": "r", "object": "response", "model": "gpt", "status": "completed"}
RESPONSES = [
    event("created", response={"id": "r", "object": "response", "status": "in_progress", "output": []}),
    event("output_item.added", output_index=0, item=FUNCTION),
    *ARGUMENTS,
    event("output_item.done", output_index=0, item={**FUNCTION, "arguments": '{"n": 1}'}),
    event("completed", response={**WHOLE, "output": [{**FUNCTION, "arguments": '{"n": 1}'}]}),
]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param(RESPONSES, id="whole"),
        pytest.param(
            [*RESPONSES[:-1], event("completed", response={**WHOLE, "output": []})], id="an empty output at the end"
        ),
        pytest.param([*RESPONSES[:-1], event("completed")], id="no response at the end"),
        pytest.param(RESPONSES[:-1], id="cut off before the end"),
        pytest.param(RESPONSES[:4], id="cut off before the item is done"),
        pytest.param(
            [
                RESPONSES[0],
                event("output_item.added", item=FUNCTION),
                *({**part, "item_id": "f", "output_index": None} for part in ARGUMENTS),
                event("output_item.done", item={"type": "function_call", "id": "f"}),
            ],
            id="items by id, and one that is done without its arguments",
        ),
    ],
)
def test_responses_streams(events: list[dict[str, Any]]) -> None:
    assert detect(sse(*events)) == "openai-responses"
    trace = read_trace(sse(*events))
    assert calls(trace) == [("look", {"n": 1}, None)]
    assert trace.status == "truncated"  # it waits for the result


def test_responses_stream_that_ends_with_an_error() -> None:
    trace = read_trace(sse(*RESPONSES[:4], {"type": "error", "code": "server_error", "message": "Sorry"}))
    assert (trace.status, trace.error, calls(trace)) == ("error", "Sorry", [("look", {"n": 1}, None)])


@pytest.mark.parametrize(
    "events",
    [[chat_chunk("1", {"role": "assistant", "content": "Two."})], MESSAGES[:-2], [RESPONSES[0]]],
    ids=["chat", "anthropic", "responses"],
)
def test_a_stream_without_its_end_is_truncated(events: list[dict[str, Any]]) -> None:
    trace = read_trace(sse(*events))
    assert trace.status == "truncated"
    assert trace.calls_unknown is not None


@pytest.mark.parametrize(
    "events",
    [
        [chat_chunk("1", {"role": "assistant", "content": "x"}), chat_chunk("1", {}, "tool_calls")],
        [begun("1"), block(0, "text", text="x"), *ended("tool_use")],
    ],
    ids=["chat", "anthropic"],
)
def test_a_stream_that_says_it_called_and_has_no_call(events: list[dict[str, Any]]) -> None:
    assert read_trace(sse(*events)).calls_unknown is not None
