"""What no sample shows of further agents, SDKs and tracing services: other forms and traps, by traces written here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_trace_formats import calls, codes, read

from pytest_ppteval.trace import Trace, TraceError, Usage, detect, read_trace, read_traces


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def told(trace: Trace) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in trace.messages]


# Cursor

INIT = {"type": "system", "subtype": "init", "apiKeySource": "login", "session_id": "s", "model": "Auto"}
DONE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "duration_ms": 5,
    "result": "Done.",
    "session_id": "s",
}


def cursor_call(subtype: str, call: str, **tool: Any) -> dict[str, Any]:
    return {"type": "tool_call", "subtype": subtype, "call_id": call, "tool_call": tool, "session_id": "s"}


def cursor_said(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, "session_id": "s", **more}


@pytest.mark.parametrize(
    ("result", "text", "failed", "error"),
    [
        ({"success": {"exitCode": 3, "stdout": "a", "stderr": "b"}}, "ab", True, "exit code 3"),
        ({"failure": {"exitCode": 1, "stdout": "", "stderr": "no"}}, "no", True, "exit code 1"),
        ({"timeout": {"command": "sleep 9"}}, '{"command": "sleep 9"}', True, "timeout"),
        ({"permissionDenied": {"error": "not there"}}, '{"error": "not there"}', True, "not there"),
        ({"success": {"content": [{"text": {"text": "no"}}], "isError": True}}, "no", True, "no"),
        ({"something": {"a": 1}}, '{"a": 1}', None, None),
        (None, None, None, None),
    ],
)
def test_cursor_results(result: Any, text: str | None, failed: bool | None, error: str | None) -> None:
    trace = read(
        "cursor",
        INIT,
        cursor_call("started", "c", shellToolCall={"args": {"command": "x"}}),
        cursor_call("completed", "c", shellToolCall={"args": {"command": "x"}, "result": result}),
        DONE,
    )
    (step,) = trace.steps
    assert (step.tool, step.args, step.result, step.failed) == ("shell", {"command": "x"}, text, failed)
    assert step.error == error


def test_cursor_a_call_that_never_ended_and_a_tool_in_the_general_form() -> None:
    trace = read(
        "cursor",
        INIT,
        cursor_call("started", "c", readToolCall={"args": {"path": "a"}}),
        cursor_call("started", "d", function={"name": "lookup", "arguments": '{"q": 1}'}),
    )
    assert calls(trace) == [("read", {"path": "a"}, None, None), ("lookup", {"q": 1}, None, None)]
    assert trace.status == "truncated"


def test_cursor_pieces_without_times_are_one_message() -> None:
    trace = read(
        "cursor",
        INIT,
        cursor_call("started", "c", readToolCall={"args": {"path": "a"}}),
        cursor_said("I ran "),
        cursor_said("npm test."),
        {**DONE, "result": "I ran npm test."},
    )
    assert (told(trace), trace.final_response) == ([("assistant", "I ran npm test.")], "I ran npm test.")


def test_cursor_failures() -> None:
    end = {**DONE, "subtype": "error", "is_error": True, "result": "quota", "request_id": "r"}
    trace = read("cursor", INIT, cursor_said("Half"), end)
    assert (trace.status, trace.error, trace.final_response) == ("error", "quota", "Half")


def test_cursor_is_known_by_the_times_of_its_pieces() -> None:
    assert read("cursor", INIT, *(cursor_said("a ", timestamp_ms=1789467330000) for _ in range(50)), DONE).steps == ()


def test_cursors_json_output_has_no_calls_and_says_so() -> None:
    trace = read("cursor", {**DONE, "request_id": "r"})
    assert (trace.status, trace.steps, trace.final_response) == ("finished", (), "Done.")
    assert trace.calls_unknown is not None
    assert "stream-json has the calls" in trace.calls_unknown


def test_cursors_lines_without_anything_that_only_cursor_has_are_refused() -> None:
    with pytest.raises(TraceError, match=r"the format is not certain, it might be: .*cursor \(lines as Cursor's"):
        read_trace(lines(INIT, cursor_said("Done."), DONE))


# Gemini CLI


def gemini(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026-01-01T00:00:00Z", **fields}


GEMINI = gemini("init", session_id="s", model="gemini-2.5-pro")


def test_gemini_counts_more_calls_than_it_shows() -> None:
    stats = {"total_tokens": 12, "input_tokens": 10, "output_tokens": 2, "cached": 0, "duration_ms": 9, "tool_calls": 4}
    trace = read(
        "gemini-cli",
        GEMINI,
        gemini("tool_use", tool_name="delegate", tool_id="a", parameters={}),
        gemini("tool_result", tool_id="a", status="success", output="ok"),
        gemini("error", severity="warning", message="Loop detected"),
        gemini("result", status="success", stats=stats),
    )
    assert calls(trace) == [("delegate", {}, "ok", False)]
    assert codes(trace) == {"hidden_calls", "error_item"}  # a subagent's calls
    assert trace.usage == {"gemini-2.5-pro": Usage(input_total=10, cache_read=0, output=2)}


def test_gemini_failures_and_breaks() -> None:
    failed = gemini("result", status="error", error={"type": "FatalTurnLimitedError", "message": "turns"})
    trace = read("gemini-cli", GEMINI, failed)
    assert (trace.status, trace.error, trace.usage) == ("error", "turns", {})
    assert (
        read("gemini-cli", GEMINI, gemini("message", role="assistant", content="I", delta=True)).status == "truncated"
    )


def message(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-01-01T00:00:00Z", "type": kind, "content": content, **more}


def tool_call(name: str, status: str, result: Any = None) -> dict[str, Any]:
    return {
        "id": name,
        "name": "glob",
        "args": {},
        "status": status,
        "result": result,
        "timestamp": "2026-01-01T00:00:01Z",
    }


def test_gemini_sessions_as_one_document() -> None:
    trace = read(
        "gemini-session",
        {
            "sessionId": "s",
            "projectHash": "p",
            "messages": [
                message("1", "user", "Look"),
                message("2", "gemini", "", toolCalls=[tool_call("a", "cancelled"), tool_call("b", "executing")]),
                message("3", "info", "Request cancelled."),
            ],
        },
        document=True,
    )
    assert calls(trace) == [("glob", {}, None, True), ("glob", {}, None, None)]
    assert (trace.status, trace.steps[0].error) == ("cancelled", "cancelled")


def test_gemini_sessions_take_back_what_was_rewound() -> None:
    answer = [{"functionResponse": {"id": "a", "name": "glob", "response": {"output": "x"}}}]
    trace = read(
        "gemini-session",
        {"sessionId": "s", "projectHash": "p", "kind": "main"},
        message("1", "user", [{"text": "One"}]),
        message("2", "gemini", "First", toolCalls=[tool_call("a", "success", answer)]),
        {"$rewindTo": "2"},
        message("3", "gemini", [{"text": "Second"}]),
    )
    assert (trace.steps, told(trace), trace.status) == ((), [("user", "One"), ("assistant", "Second")], "finished")


@pytest.mark.parametrize(
    ("format_name", "records"),
    [
        ("cursor", [INIT, cursor_call("started", "c", taskToolCall={"args": {"prompt": "look"}}), DONE]),
        (
            "gemini-session",
            [
                {"sessionId": "s", "projectHash": "p"},
                message("1", "gemini", "", toolCalls=[tool_call("a", "success") | {"name": "invoke_agent"}]),
                message("2", "gemini", "Done."),
            ],
        ),
        (
            "goose",
            [
                {
                    "role": "assistant",
                    "created": 1,
                    "content": [
                        {"type": "toolRequest", "id": "a", "toolCall": {"value": {"name": "summon__delegate"}}}
                    ],
                },
                {"role": "assistant", "created": 2, "content": [{"type": "text", "text": "Done."}]},
            ],
        ),
    ],
)
def test_what_a_subagent_did_elsewhere_is_not_known(format_name: str, records: list[Any]) -> None:
    trace = read(format_name, *records)
    assert (len(trace.steps), trace.status) == (1, "finished")
    assert trace.calls_unknown is not None
    assert "starts a subagent" in trace.calls_unknown


# opencode


def part(kind: str, event: str, **fields: Any) -> dict[str, Any]:
    inner = {"id": "p", "sessionID": "s", "messageID": "m", "type": kind, **fields}
    return {"type": event, "timestamp": 1767036059338, "sessionID": "s", "part": inner}


def test_opencode_exit_codes_subagents_and_a_run_that_goes_on() -> None:
    done = {"status": "completed", "time": {"start": 1767036059000, "end": 1767036059100}}
    trace = read(
        "opencode",
        part("step-start", "step_start"),
        part(
            "tool",
            "tool_use",
            callID="a",
            tool="bash",
            state={**done, "input": {}, "output": "no", "metadata": {"exit": 2}},
        ),
        part("tool", "tool_use", callID="b", tool="task", state={**done, "input": {"prompt": "x"}, "output": "ok"}),
        part(
            "step-finish",
            "step_finish",
            reason="tool-calls",
            cost=0.5,
            tokens={"input": 1, "output": 2, "reasoning": 3},
        ),
    )
    assert calls(trace) == [("bash", {}, "no", True), ("task", {"prompt": "x"}, "ok", False)]
    assert (trace.status, trace.cost_usd, trace.steps[0].error) == ("truncated", 0.5, "exit code 2")
    assert "hidden_calls" in codes(trace)  # what the subagent did
    # Whether the output has the reasoning in it isn't told without the total.
    assert trace.usage == {"unknown": Usage(input_total=1, reasoning=3)}


def test_opencode_names_the_tool_that_an_invalid_call_asked_for() -> None:
    error = "Model tried to call unavailable tool 'Read'."
    state = {
        "status": "completed",
        "input": {"tool": "Read", "error": error},
        "output": f"The arguments are invalid: {error}",
    }
    trace = read("opencode", part("tool", "tool_use", callID="a", tool="invalid", state=state))
    assert calls(trace) == [("Read", None, f"The arguments are invalid: {error}", True)]
    assert trace.steps[0].error == error


def test_opencode_says_when_it_is_done() -> None:
    text = part("text", "text", text="All done.", time={"start": 1, "end": 2})
    end = {"type": "done", "timestamp": 1767036059338, "sessionID": "s", "reason": "idle", "rejected": []}
    assert read("opencode", part("step-start", "step_start"), text, end).status == "finished"
    assert read("opencode", part("step-start", "step_start"), text).status == "truncated"


def test_opencode_exports_of_a_run_that_was_stopped() -> None:
    info = {"role": "assistant", "sessionID": "s", "id": "m", "modelID": "gpt-5", "time": {"created": 1767036059000}}
    error = {"name": "MessageAbortedError", "data": {"message": "aborted"}}
    trace = read(
        "opencode", {"info": {"id": "s"}, "messages": [{"info": {**info, "error": error}, "parts": []}]}, document=True
    )
    assert (trace.run, trace.status, trace.error) == ("s", "cancelled", "aborted")


# goose


def test_goose_older_results_and_a_run_that_failed() -> None:
    request = {"type": "toolRequest", "id": "a", "toolCall": {"Ok": {"name": "shell", "arguments": {}}}}
    answer = {
        "type": "toolResponse",
        "id": "a",
        "toolResult": {"status": "success", "value": [{"type": "text", "text": "x"}]},
    }
    trace = read(
        "goose",
        {"type": "message", "message": {"role": "assistant", "created": 1, "content": [request]}},
        {"type": "message", "message": {"role": "user", "created": 2, "content": [answer]}},
        {"type": "error", "error": "no credit"},
    )
    assert (calls(trace), trace.status, trace.error) == ([("shell", {}, "x", False)], "error", "no credit")


def test_goose_json_output() -> None:
    text = {"role": "assistant", "created": 2, "content": [{"type": "text", "text": "Done."}]}
    request = {"type": "toolRequest", "id": "a", "toolCall": {"status": "success", "value": {"name": "shell"}}}
    trace = read(
        "goose",
        {
            "messages": [{"role": "assistant", "created": 1, "content": [request]}, text],
            "metadata": {"total_tokens": 15, "input_tokens": 10, "output_tokens": 5, "status": "completed"},
        },
        document=True,
    )
    assert (calls(trace), trace.final_response) == ([("shell", {}, None, None)], "Done.")
    assert trace.usage == {"unknown": Usage(input_total=10, output=5)}


# Bedrock


def test_bedrock_streams() -> None:
    trace = read(
        "bedrock",
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hm."}}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "a", "name": "look"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"q"'}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ": 1}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 17, "cacheReadInputTokens": 10}}},
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Do"}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "ne."}}},
        {"messageStop": {"stopReason": "end_turn"}},
    )
    assert calls(trace) == [("look", {"q": 1}, None, None)]
    assert told(trace) == [("reasoning", "Hm."), ("assistant", "Done.")]
    # The total has the cache in it, the input doesn't.
    assert (trace.status, trace.usage) == ("finished", {"unknown": Usage(input_total=15, cache_read=10, output=2)})


def test_bedrocks_log_of_invocations_and_guardrails() -> None:
    asked = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
    answer = {
        "output": {"message": {"role": "assistant", "content": [{"text": "No."}]}},
        "stopReason": "guardrail_intervened",
    }
    trace = read(
        "bedrock",
        {
            "operation": "Converse",
            "modelId": "nova",
            "input": {"inputBodyJson": asked},
            "output": {"outputBodyJson": {**answer, "usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4}}},
        },
    )
    assert (trace.status, trace.error, told(trace)) == (
        "error",
        "guardrail_intervened",
        [("user", "Hi"), ("assistant", "No.")],
    )
    assert trace.usage == {"nova": Usage(input_total=3, output=1)}


def test_strands_session_files() -> None:
    use = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}
    result = {"toolResult": {"toolUseId": "a", "status": "error", "content": [{"text": "no"}, {"json": {"n": 1}}]}}
    trace = read(
        "bedrock",
        {"message": {"role": "assistant", "content": [use]}, "message_id": 1, "created_at": "2026-01-01T00:00:00Z"},
        {"message": {"role": "user", "content": [result]}, "message_id": 2, "created_at": "2026-01-01T00:00:02Z"},
    )
    assert (calls(trace), trace.status) == ([("look", {}, 'no\n{"n": 1}', True)], "truncated")


# AI SDK


def test_ai_sdk_4_steps() -> None:
    call = {"type": "tool-call", "toolCallId": "a", "toolName": "look", "args": {"q": 1}}
    step = {"stepType": "initial", "text": "I look.", "toolCalls": [call], "finishReason": "tool-calls"}
    trace = read(
        "ai-sdk",
        {
            "steps": [
                {
                    **step,
                    "toolResults": [{**call, "result": "found"}],
                    "usage": {"promptTokens": 5, "completionTokens": 2},
                },
                {
                    "stepType": "tool-result",
                    "text": "Here.",
                    "finishReason": "stop",
                    "usage": {"promptTokens": 9, "completionTokens": 3},
                },
            ]
        },
        document=True,
    )
    assert (calls(trace), told(trace)) == (
        [("look", {"q": 1}, "found", None)],  # version 4 doesn't tell whether a call failed
        [("assistant", "I look."), ("assistant", "Here.")],
    )
    assert trace.usage == {"unknown": Usage(input_total=14, output=5)}


def test_ai_sdk_4_messages() -> None:
    invocation = {"state": "result", "toolCallId": "a", "toolName": "look", "args": {}, "result": {"n": 1}}
    trace = read(
        "ai-sdk",
        [
            {"id": "1", "role": "user", "content": "Look"},
            {
                "id": "2",
                "role": "assistant",
                "content": "Here.",
                "parts": [{"type": "tool-invocation", "toolInvocation": invocation}, {"type": "text", "text": "Here."}],
            },
        ],
        document=True,
    )
    assert (calls(trace), told(trace)) == ([("look", {}, '{"n": 1}', None)], [("user", "Look"), ("assistant", "Here.")])


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"state": "input-streaming"}, (None, None, None)),
        ({"state": "input-available", "input": {"q": 1}}, ({"q": 1}, None, None)),
        ({"state": "output-available", "input": {"q": 1}, "output": "x"}, ({"q": 1}, "x", False)),
        ({"state": "output-error", "input": {"q": 1}, "errorText": "no"}, ({"q": 1}, None, True)),
        ({"state": "output-denied", "input": {"q": 1}}, ({"q": 1}, None, True)),
    ],
)
def test_ai_sdk_states_of_a_call(state: dict[str, Any], expected: tuple[Any, ...]) -> None:
    trace = read(
        "ai-sdk",
        [
            {
                "id": "1",
                "role": "assistant",
                "parts": [{"type": "dynamic-tool", "toolName": "look", "toolCallId": "a", **state}],
            }
        ],
        document=True,
    )
    assert calls(trace) == [("look", *expected)]
    assert trace.status == "truncated"


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        ({"type": "finish"}, "finished", None),  # older streams give no reason
        ({"type": "finish", "finishReason": "length"}, "truncated", None),
        ({"type": "error", "errorText": "quota"}, "error", "quota"),
        ({"type": "abort", "reason": "by the user"}, "cancelled", "by the user"),
        ({"type": "tool-approval-request", "approvalId": "x", "toolCallId": "a"}, "cancelled", None),
        ({"type": "data-progress", "data": 1}, "truncated", None),
    ],
)
def test_ai_sdk_streams_end(end: dict[str, Any], status: str, error: str | None) -> None:
    trace = read("ai-sdk-stream", {"type": "start-step"}, {"type": "text-delta", "id": "1", "delta": "So"}, end)
    assert (trace.status, trace.error, trace.final_response) == (status, error, "So")


def test_ai_sdk_streams_break_off_in_arguments() -> None:
    trace = read(
        "ai-sdk-stream",
        {"type": "tool-input-start", "toolCallId": "a", "toolName": "look"},
        {"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": '{"q": '},
    )
    assert (trace.steps[0].args, trace.steps[0].args_raw) == (None, '{"q": ')


# Services


def span(name: str, kind: str, parent: str | None = None, start: int = 0, **attributes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "context": {"trace_id": "t", "span_id": name},
        "parent_id": parent,
        "start_time": f"2026-01-01T00:00:0{start}Z",
        "end_time": f"2026-01-01T00:00:0{start + 1}Z",
        "status_code": "OK",
        "attributes": {"openinference": {"span": {"kind": kind}}, **attributes},
    }


def asking(call: str, tool: str, arguments: str) -> dict[str, Any]:
    function = {"function": {"name": tool, "arguments": arguments}, "id": call}
    output = [{"message": {"role": "assistant", "tool_calls": [{"tool_call": function}]}}]
    return {"output_messages": output, "token_count": {"prompt": 4, "completion": 1}, "cost": {"total": 0.25}}


def test_openinference_nested_subagents_and_calls_without_a_span() -> None:
    trace = read(
        "openinference",
        span("root", "AGENT", start=0, output={"value": "unused"}),
        span("ask", "LLM", "root", 0, llm=asking("a", "delegate", '{"task": "look"}')),
        span("delegate", "TOOL", "root", 1, input={"value": '{"task": "look"}'}, output={"value": "found"}),
        span("inner", "LLM", "delegate", 1, llm=asking("b", "grep", "{}")),
        span(
            "last",
            "LLM",
            "root",
            3,
            llm={
                "output_messages": [
                    {
                        "message": {
                            "role": "assistant",
                            "contents": [{"message_content": {"type": "text", "text": "Here."}}],
                        }
                    }
                ]
            },
        ),
    )
    assert [(step.id, step.tool, step.args, step.result, step.parent) for step in trace.steps] == [
        ("a", "delegate", {"task": "look"}, "found", None),
        ("b", "grep", {}, None, "a"),  # asked for, and no span of it
    ]
    assert (trace.final_response, trace.status) == ("Here.", "finished")
    assert trace.cost_usd is None  # the last request's isn't known


def test_openinference_tools_alone() -> None:
    trace = read(
        "openinference",
        {**span("root", "CHAIN", start=0), "status_code": "ERROR", "status_message": "lost"},
        span("grep", "TOOL", "root", 1, tool={"name": "grep", "parameters": '{"q": 1}'}, output={"value": "x"}),
        span("cat", "TOOL", "root", 2, input={"value": "a.txt"}),
    )
    assert calls(trace) == [("grep", {"q": 1}, "x", False), ("cat", {"input": "a.txt"}, None, False)]
    assert (trace.status, trace.error) == ("error", "lost")


def run(name: str, kind: str, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    times = {"start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:01"}
    return {
        "id": name,
        "name": name,
        "run_type": kind,
        "parent_run_id": parent,
        "trace_id": "t",
        "inputs": {},
        **times,
        **fields,
    }


@pytest.mark.parametrize(
    "outputs",
    [
        {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"q": 1}'}}
                        ],
                    }
                }
            ]
        },
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {"q": 1}}]},
        {"output": [{"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"q": 1}'}]},
        {"messages": [{"type": "ai", "content": "", "tool_calls": [{"id": "a", "name": "look", "args": {"q": 1}}]}]},
    ],
    ids=["OpenAI Chat", "Anthropic", "OpenAI Responses", "LangChain"],
)
def test_langsmith_holds_what_was_traced(outputs: dict[str, Any]) -> None:
    trace = read(
        "langsmith",
        {
            "runs": [
                run("root", "chain"),
                run("ask", "llm", "root", outputs=outputs),
                run("look", "tool", "root", outputs={"output": "x"}),
            ]
        },
        document=True,
    )
    assert [(step.id, step.tool, step.args, step.result, step.failed) for step in trace.steps] == [
        ("a", "look", {"q": 1}, "x", False)
    ]


def test_langsmith_runs_that_are_open_or_failed() -> None:
    trace = read(
        "langsmith",
        {**run("root", "chain"), "end_time": None},
        run("grep", "tool", "root", inputs={"input": "needle"}, error="ValueError: no"),
        {**run("sed", "tool", "root", inputs={"a": 1}), "end_time": None},
    )
    assert calls(trace) == [("grep", {"input": "needle"}, None, True), ("sed", {"a": 1}, None, None)]
    assert trace.status == "truncated"


def test_langsmith_trees_without_ids_and_times_and_values_as_text() -> None:
    trace = read(
        "langsmith",
        {
            "id": "r",
            "run_type": "chain",
            "inputs": {"input": "Book it"},
            "outputs": {"output": "Booked."},
            "child_runs": [
                {"name": "search", "run_type": "tool", "inputs": '{"to": "NRT"}', "outputs": '{"flights": ["JL5"]}'},
                {
                    "name": "book",
                    "run_type": "tool",
                    "inputs": {"flight": "JL5"},
                    "outputs": {"output": "ok"},
                    "status": "success",
                },
            ],
        },
        document=True,
    )
    assert calls(trace) == [
        ("search", {"to": "NRT"}, '{"flights": ["JL5"]}', None),
        ("book", {"flight": "JL5"}, "ok", False),
    ]
    assert (trace.run, trace.status, trace.final_response) == ("r", "finished", "Booked.")


def test_langsmith_each_trace_is_a_run() -> None:
    data = lines(run("one", "chain"), {**run("two", "chain"), "trace_id": "u"})
    assert [trace.run for trace in read_traces(data)] == ["t", "u"]


def observation(name: str, kind: str, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    times = {"startTime": "2026-01-01T00:00:00.000Z", "endTime": "2026-01-01T00:00:01.000Z"}
    return {"id": name, "traceId": "t", "type": kind, "name": name, "parentObservationId": parent, **times, **fields}


def test_langfuse_spans_may_be_tools() -> None:
    old = [
        observation("root", "SPAN"),
        observation(
            "ask", "GENERATION", "root", input="Where is it?", output="Let me look.", usage={"input": 40, "output": 5}
        ),
        observation("get_order", "SPAN", "root", input={"order": 1}, output={"ok": True}),
    ]
    trace = read("langfuse", *old)
    assert (trace.steps, codes(trace)) == ((), {"hidden_calls"})
    assert trace.usage == {"unknown": Usage(input_total=40, output=5)}
    assert told(trace) == [("user", "Where is it?"), ("assistant", "Let me look.")]
    # An answer that is there as a message would have its calls.
    old[1]["output"] = {"role": "assistant", "content": "It is here."}
    assert read("langfuse", *old).calls_unknown is None


def test_langfuse_downloads_of_older_versions() -> None:
    times = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:01Z"}
    answer = {"id": "g", "type": "GENERATION", "name": "ask", "output": "Here.", "model": "m", **times}
    trace = read(
        "langfuse",
        {
            "trace": {"id": "t", "totalCost": 0},
            "observations": [{**answer, "promptTokens": 7, "completionTokens": 2, "calculatedTotalCost": 0}],
        },
        document=True,
    )
    assert (trace.run, trace.status, trace.final_response) == ("t", "finished", "Here.")
    # 0 dollars stand there where the price isn't known.
    assert (trace.usage, trace.cost_usd) == ({"m": Usage(input_total=7, output=2)}, None)


def test_langfuse_values_as_json_text_and_failures() -> None:
    asked = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}],
    }
    usage = {"input": 21, "output": 4, "total": 25, "input_cached_tokens": 9}
    trace = read(
        "langfuse",
        {
            "data": [
                observation("root", "AGENT", level="ERROR", statusMessage="gave up"),
                observation(
                    "chat",
                    "GENERATION",
                    "root",
                    input='[{"role": "user", "content": "Where?"}]',
                    output=json.dumps(asked),
                    usageDetails=usage,
                    providedModelName="gpt-x",
                    costDetails={"total": 0.5},
                ),
                observation(
                    "look",
                    "TOOL",
                    "root",
                    input='{"order": "42"}',
                    output="late",
                    level="ERROR",
                    statusMessage="timeout",
                ),
            ]
        },
        document=True,
    )
    assert calls(trace) == [("look", {}, "late", True)]
    assert (trace.status, trace.error, trace.cost_usd) == ("error", "gave up", 0.5)
    assert trace.usage == {"gpt-x": Usage(input_total=21, cache_read=9, output=4)}


@pytest.mark.parametrize(
    ("records", "name"),
    [
        ([{"role": "user", "created": 1, "content": [{"type": "text", "text": "Hi"}]}], "goose"),
        ([{"role": "user", "content": [{"text": "Hi"}]}], "bedrock"),
        ([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}], "ai-sdk"),
        ([{"type": "text-delta", "id": "1", "delta": "Hi"}], "ai-sdk-stream"),
        ([{"type": "text", "sessionID": "s", "text": "Hi"}], "opencode"),
        ([{"run_type": "chain"}], "langsmith"),
        ([{"observations": []}], "langfuse"),
    ],
)
def test_what_is_merely_similar_is_refused_with_the_format_as_a_candidate(records: list[Any], name: str) -> None:
    assert detect(lines(*records)) is None
    with pytest.raises(TraceError, match=rf"might be: .*\b{name} \("):
        read_trace(lines(*records))
