"""Messages and items of the big APIs in the forms that people keep them: one a line, older, without ids, failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, detect, read_trace

ASKED = {"role": "user", "content": "Go"}
DONE = {"role": "assistant", "content": "Done."}


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


def one_a_line(records: list[Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def calls(trace: Trace) -> list[tuple[str, Any, str | None]]:
    return [(step.tool, step.args, step.result) for step in trace.steps]


def tool_calls(*made: tuple[str | None, str, str]) -> dict[str, Any]:
    calls = [
        {"id": name, "type": "function", "function": {"name": tool, "arguments": text}} for name, tool, text in made
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answer(name: str | None, text: str, **more: Any) -> dict[str, Any]:
    return {"role": "tool", **({"tool_call_id": name} if name is not None else {}), "content": text, **more}


LOOKS = [("look", {"n": 1}, "one"), ("look", {"n": 2}, "two")]
CHAT: dict[str, list[dict[str, Any]]] = {
    "ids": [
        tool_calls(("a", "look", '{"n": 1}'), ("b", "look", '{"n": 2}')),
        answer("b", "two"),
        answer("a", "one"),
    ],
    "ids used again": [
        tool_calls(("call_0", "look", '{"n": 1}')),
        answer("call_0", "one"),
        tool_calls(("call_0", "look", '{"n": 2}')),
        answer("call_0", "two"),
    ],
    "no ids": [
        tool_calls((None, "look", '{"n": 1}'), (None, "look", '{"n": 2}')),
        answer(None, "one"),
        answer(None, "two"),
    ],
    "empty ids": [
        tool_calls(("", "look", '{"n": 1}')),
        answer("", "one"),
        tool_calls(("", "look", '{"n": 2}')),
        answer("", "two"),
    ],
    "function_call": [
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"n": 1}'}},
        {"role": "function", "name": "look", "content": "one"},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"n": 2}'}},
        {"role": "function", "name": "look", "content": "two"},
    ],
}


@pytest.mark.parametrize("kept", [document, one_a_line], ids=["a list", "one a line"])
@pytest.mark.parametrize("form", CHAT)
def test_chat_calls_in_every_form(form: str, kept: Any) -> None:
    data = kept([ASKED, *CHAT[form], DONE])
    assert detect(data) == "openai-chat"
    trace = read_trace(data)
    assert calls(trace) == LOOKS
    assert (trace.status, trace.final_response, trace.calls_unknown) == ("finished", "Done.", None)


@pytest.mark.parametrize("form", CHAT)
def test_chat_that_ends_with_a_call_has_no_end(form: str) -> None:
    assert read_trace(document([ASKED, *CHAT[form][:-1]])).status == "truncated"


@pytest.mark.parametrize("form", ["ids", "no ids", "function_call"])
def test_a_history_that_is_sent_again_is_read_once(form: str) -> None:
    """As recorders write it: each request has all that was said, and what was empty may be there or not."""
    turns = [{"request": {"messages": [ASKED]}, "response": {"object": "chat.completion", "choices": []}}]
    history = [ASKED]
    for message in [*CHAT[form], DONE]:
        if message["role"] == "assistant":
            reply = {**message, "refusal": None, "tool_calls": message.get("tool_calls") or []}
            choice = {"message": reply, "finish_reason": "stop"}
            turns.append(
                {"request": {"messages": history[:]}, "response": {"object": "chat.completion", "choices": [choice]}}
            )
        history.append(message)
    assert calls(read_trace(document(turns))) == LOOKS


def test_an_item_of_tool_calls_that_is_no_function_leaves_the_calls_unknown() -> None:
    odd = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "mcp": {"name": "look"}}]}
    data = document({"object": "chat.completion", "choices": [{"message": odd, "finish_reason": "tool_calls"}]})
    assert read_trace(data).calls_unknown is not None


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-call", "toolCallId": "a", "toolName": "look", "input": {}},
        {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}},
        {"type": "toolRequest", "id": "a", "toolCall": {"value": {"name": "look"}}},
        {"functionCall": {"name": "look", "args": {}}},
    ],
    ids=["Vercel AI SDK", "Bedrock", "goose", "Gemini"],
)
@pytest.mark.parametrize("named", ["openai-chat", "anthropic"])
def test_calls_of_another_format_in_messages_are_never_no_calls(part: dict[str, Any], named: str) -> None:
    data = document([ASKED, {"role": "assistant", "content": [part]}, DONE])
    assert detect(data) not in ("openai-chat", "anthropic")
    trace = read_trace(data, named)  # somebody is wrong about it
    assert trace.calls_unknown is not None


ITEMS: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"n": 1}'},
    {"type": "function_call", "call_id": "b", "name": "look", "arguments": '{"n": 2}'},
    {"type": "function_call_output", "call_id": "a", "output": "one"},
    {"type": "function_call_output", "call_id": "b", "output": "two"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
]
BLOCKS: list[dict[str, Any]] = [
    ASKED,
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "look", "input": {"n": 1}},
            {"type": "tool_use", "id": "b", "name": "look", "input": {"n": 2}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {"type": "tool_result", "tool_use_id": "b", "content": "two"},
        ],
    },
    DONE,
]


@pytest.mark.parametrize("kept", [document, one_a_line], ids=["a list", "one a line"])
@pytest.mark.parametrize(("name", "records"), [("openai-responses", ITEMS), ("anthropic", BLOCKS)])
def test_items_and_blocks_one_a_line(name: str, records: list[Any], kept: Any) -> None:
    assert detect(kept(records)) == name
    trace = read_trace(kept(records))
    assert calls(trace) == LOOKS
    assert (trace.status, trace.final_response, trace.calls_unknown) == ("finished", "Done.", None)
    assert not [note for note in trace.diagnostics if note.code.startswith("no_")]


@pytest.mark.parametrize(
    ("more", "status", "error"),
    [
        ({"status": "failed", "error": {"code": "server_error", "message": "Sorry"}}, "error", "Sorry"),
        ({"status": "failed", "error": None}, "error", "failed"),
        ({"status": "cancelled"}, "cancelled", None),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "truncated",
            "max_output_tokens",
        ),
    ],
)
def test_a_response_object_without_output(more: dict[str, Any], status: str, error: str | None) -> None:
    trace = read_trace(document({"object": "response", "model": "gpt", "output": [], **more}))
    assert (trace.status, trace.error) == (status, error)


def test_lists_of_tools_are_no_calls_and_a_question_waits() -> None:
    listed = {"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": [{"name": "look"}]}
    said = ITEMS[-1]
    trace = read_trace(document({"object": "response", "status": "completed", "output": [listed, said]}))
    assert (trace.status, trace.calls_unknown) == ("finished", None)
    asks = {"type": "mcp_approval_request", "id": "q", "name": "look", "arguments": "{}", "server_label": "s"}
    trace = read_trace(document({"object": "response", "status": "completed", "output": [listed, asks]}))
    assert trace.status == "cancelled"
