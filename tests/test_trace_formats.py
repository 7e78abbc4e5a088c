"""What no sample shows: each format's further forms and traps, by small traces that are written out here."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, Usage, detect, read_trace, read_traces
from pytest_ppteval.trace.show import all_data, as_data


def read(format_name: str, *records: Any, document: bool = False) -> Trace:
    """Read records, one a line (or the one document), by the format that is recognised."""
    data = json.dumps(records[0]) if document else "".join(json.dumps(record) + "\n" for record in records)
    assert detect(data.encode()) == format_name
    return read_trace(data.encode())


def calls(trace: Trace) -> list[tuple[str, Any, str | None, bool | None]]:
    return [(step.tool, step.args, step.result, step.failed) for step in trace.steps]


def codes(trace: Trace) -> set[str]:
    return {note.code for note in trace.diagnostics}


def batches(trace: Trace) -> list[bool]:
    return [step.group is not None for step in trace.steps]


# AG-UI

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def snapshot(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def asked(message: str, *made: tuple[str, str, str]) -> dict[str, Any]:
    tool_calls = [
        {"id": call, "type": "function", "function": {"name": tool, "arguments": arguments}}
        for call, tool, arguments in made
    ]
    return {"id": message, "role": "assistant", "toolCalls": tool_calls}


def chunk(call: str | None, delta: str | None, tool: str | None = None, lane: str | None = None) -> dict[str, Any]:
    fields = {"toolCallId": call, "toolCallName": tool, "delta": delta, "subagentRunId": lane}
    return {"type": "TOOL_CALL_CHUNK", **{name: value for name, value in fields.items() if value is not None}}


def test_agui_a_snapshot_is_right_where_the_stream_disagrees() -> None:
    trace = read(
        "agui",
        START,
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"q": "one"}{"q": "two"}'},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "TOOL_CALL_START", "toolCallId": "d", "toolCallName": "serch"},
        {"type": "TOOL_CALL_END", "toolCallId": "d"},
        snapshot(
            {"id": "u", "role": "user", "content": "Find them"},
            asked("m", ("c", "search", '{"q": "one"}'), ("d", "search", '{"q": "two"}')),
            {"id": "x", "role": "tool", "toolCallId": "c", "content": "found"},
            {"id": "y", "role": "tool", "toolCallId": "d", "content": "", "error": "timed out"},
        ),
        FINISH,
    )
    assert calls(trace) == [("search", {"q": "one"}, "found", None), ("search", {"q": "two"}, "", True)]
    assert trace.steps[1].error == "timed out"
    assert batches(trace) == [True, True]
    assert codes(trace) == {"corrected"}
    assert [message.role for message in trace.messages] == ["user"]


def test_agui_a_snapshot_puts_earlier_calls_first() -> None:
    trace = read(
        "agui",
        START,
        {"type": "TOOL_CALL_START", "toolCallId": "new", "toolCallName": "new"},
        {"type": "TOOL_CALL_END", "toolCallId": "new"},
        snapshot(asked("m", ("old", "old", "{}")), asked("n", ("new", "new", "{}"))),
        FINISH,
    )
    assert [step.tool for step in trace.steps] == ["old", "new"]


def test_agui_one_pending_chunk_stream_a_lane() -> None:
    trace = read(
        "agui",
        START,
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "helper", "parentToolCallId": "a"},
        chunk("a", '{"x": ', "main"),
        chunk("b", '{"y": ', "sub", lane="s"),
        chunk(None, "1}"),  # of the main agent's call
        chunk(None, "2}", lane="s"),
        chunk("c", "{}", "next"),  # a new id closes the one before
        chunk(None, None),
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Do"},
        {"type": "RAW", "event": {}},  # may come between
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "ne."},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    )
    assert [(step.id, step.tool, step.args, step.parent) for step in trace.steps] == [
        ("a", "main", {"x": 1}, None),
        ("b", "sub", {"y": 2}, "a"),
        ("c", "next", {}, None),
    ]
    assert trace.final_response == "Done."
    assert codes(trace) == set()


def test_agui_a_chunk_that_continues_nothing() -> None:
    trace = read(
        "agui", START, chunk("a", "{", "one"), {"type": "STATE_SNAPSHOT", "snapshot": {}}, chunk(None, "}"), FINISH
    )
    assert codes(trace) == {"chunk_without_id", "bad_arguments"}


def test_agui_subagents_say_and_do_things_of_their_own() -> None:
    trace = read(
        "agui",
        START,
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "helper"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant", "subagentRunId": "s"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I, the helper", "subagentRunId": "s"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": "s"},
        {"type": "TEXT_MESSAGE_START", "messageId": "n", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "n", "delta": "I, the agent"},
        {"type": "TEXT_MESSAGE_END", "messageId": "n"},
        {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "lost"},
        FINISH,
    )
    assert [(message.text, message.parent) for message in trace.messages] == [
        ("I, the helper", "s"),
        ("I, the agent", None),
    ]
    assert trace.final_response == "I, the agent"
    assert codes(trace) == {"subagent_error"}


@pytest.mark.parametrize(
    ("outcome", "status"), [("success", "finished"), ("interrupt", "cancelled"), ("cancelled", "cancelled")]
)
def test_agui_outcomes(outcome: str, status: str) -> None:
    assert read("agui", START, {**FINISH, "outcome": {"type": outcome}}).status == status


def test_agui_usage_is_summed_by_model_and_its_parts_are_parts() -> None:
    def used(model: str | None, total: int, out: int, **more: int) -> dict[str, Any]:
        return {**({"model": model} if model else {}), "inputTokens": total, "outputTokens": out, **more}

    trace = read(
        "agui",
        START,
        {**FINISH, "usage": [used("a", 10, 1, cachedInputTokens=8, reasoningTokens=1), used("b", 5, 2)]},
        START,
        {"type": "RUN_ERROR", "message": "quota", "usage": [used("a", 20, 3, cachedInputTokens=0, reasoningTokens=2)]},
    )
    assert trace.usage == {
        "a": Usage(input_total=30, cache_read=8, output=4, reasoning=3),
        "b": Usage(input_total=5, output=2),
    }
    assert trace.total_usage == Usage(input_total=35, output=6)  # unknown parts make unknown sums
    assert trace.total_usage is not None
    assert trace.total_usage.tokens == 41


# Claude Code


def said(kind: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A line of stream-json."""
    fields = {key: more.pop(key) for key in ("id", "model", "usage") if key in more}
    return {"type": kind, "session_id": "s", "message": {"role": kind, "content": list(content), **fields}, **more}


def use(call: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def result(call: str, text: str, *, failed: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": text, **({"is_error": True} if failed else {})}


TOKENS = {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 4}


def test_claude_code_counts_the_usage_of_a_message_once_and_adds_the_cache() -> None:
    more: dict[str, Any] = {"id": "m1", "model": "opus", "usage": TOKENS}
    trace = read(
        "claude-code",
        said("assistant", {"type": "text", "text": "I look"}, **more),
        said("assistant", use("a", "Task", prompt="look"), **more),
        said("assistant", use("b", "Grep", pattern="x"), parent_tool_use_id="a", id="m2", model="haiku", usage=TOKENS),
        said("user", result("b", "no match", failed=True), parent_tool_use_id="a"),
        said("user", result("a", "nothing there")),
    )
    assert calls(trace) == [
        ("Task", {"prompt": "look"}, "nothing there", False),
        ("Grep", {"pattern": "x"}, "no match", True),
    ]
    assert [step.parent for step in trace.steps] == [None, "a"]
    one = Usage(input_total=240, cache_read=200, cache_write=30, output=4)
    assert trace.usage == {"opus": one, "haiku": one}
    assert (trace.status, trace.cost_usd) == ("truncated", None)


def test_claude_codes_costs_are_cumulative() -> None:
    end = {"type": "result", "subtype": "success", "session_id": "s", "duration_ms": 1500}
    model = {"inputTokens": 1, "cacheReadInputTokens": 2, "cacheCreationInputTokens": 3, "outputTokens": 4}
    trace = read(
        "claude-code",
        said("user", {"type": "text", "text": "one"}),
        {**end, "total_cost_usd": 0.25, "result": "first", "modelUsage": {"opus": model}},
        said("user", {"type": "text", "text": "two"}),
        {**end, "total_cost_usd": 0.75, "result": "second", "modelUsage": {"opus": {**model, "outputTokens": 9}}},
    )
    assert (trace.cost_usd, trace.duration_s, trace.final_response) == (0.75, 3.0, "second")
    assert trace.usage == {"opus": Usage(input_total=6, cache_read=2, cache_write=3, output=9)}


@pytest.mark.parametrize(
    ("subtype", "status"),
    [
        ("error_max_turns", "cancelled"),  # stopped at a limit
        ("error_max_budget_usd", "cancelled"),
        ("error_during_execution", "error"),
    ],
)
def test_claude_code_failures(subtype: str, status: str) -> None:
    trace = read(
        "claude-code",
        said("assistant", {"type": "text", "text": "half way"}, id="m"),
        {"type": "result", "subtype": subtype, "session_id": "s", "is_error": False},
    )
    assert (trace.status, trace.error, trace.final_response) == (status, subtype, "half way")


def done(**more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "session_id": "s", "is_error": False, **more}


PIECES = [("m", "Two decks."), ("m", "Both are fine."), ("m", "Shall I go on?")]
WHOLE = "Two decks.\n\nBoth are fine.\n\nShall I go on?"


@pytest.mark.parametrize("kept", ["Two decks.", "Shall I go on?", WHOLE, "", None], ids=str)
def test_claude_codes_last_message_in_pieces_is_the_final_response(kept: str | None) -> None:
    """`result` holds one of them, all, or nothing."""
    pieces = [said("assistant", {"type": "text", "text": text}, id=name) for name, text in [("l", "Hm."), *PIECES]]
    thought = said("assistant", {"type": "thinking", "thinking": "..."}, id="m")
    trace = read("claude-code", *pieces[:2], thought, *pieces[2:], done(result=kept, num_turns=1))
    assert trace.final_response == WHOLE


def test_claude_codes_result_is_the_final_response_where_no_message_has_it() -> None:
    trace = read("claude-code", said("assistant", {"type": "text", "text": "Hm."}, id="m"), done(result='{"a": 1}'))
    assert trace.final_response == '{"a": 1}'


def test_claude_sessions_last_message_in_pieces_is_the_final_response() -> None:
    pieces = [
        line("assistant", str(number), {"type": "text", "text": text})
        for number, (_, text) in enumerate([("l", "Hm."), *PIECES])
    ]
    for piece in pieces[1:]:
        piece["message"]["id"] = "m"
    trace = read("claude-session", line("user", "u", "Go"), *pieces)
    assert (trace.status, trace.final_response) == ("finished", WHOLE)


@pytest.mark.parametrize("result", [{"result": "API Error: 529 Overloaded"}, {"is_error": True}, {}], ids=str)
def test_an_error_in_the_clients_words_is_no_response(result: dict[str, Any]) -> None:
    text = {"type": "text", "text": "API Error: 529 Overloaded"}
    trace = read(
        "claude-code",
        said("assistant", {"type": "text", "text": "half way"}, id="m"),
        said("assistant", text, id="x", model="<synthetic>"),
        done(**result),
    )
    assert (trace.status, trace.error, trace.final_response) == ("error", "API Error: 529 Overloaded", "half way")


@pytest.mark.parametrize("turns", [1, 7])
def test_claude_codes_output_format_json_does_not_tell_the_calls(turns: int) -> None:
    usage = {"input_tokens": 4, "output_tokens": 2}
    trace = read("claude-code", done(result="Done.", num_turns=turns, usage=usage, total_cost_usd=0.1), document=True)
    assert (trace.status, trace.final_response, trace.cost_usd) == ("finished", "Done.", 0.1)
    assert trace.calls_unknown is not None
    assert "--output-format json" in trace.calls_unknown


def test_claude_codes_result_counts_turns_for_which_there_are_no_calls() -> None:
    spoken = said("assistant", {"type": "text", "text": "Done."}, id="m")
    assert read("claude-code", spoken, done(num_turns=4)).calls_unknown is not None
    assert read("claude-code", spoken, done(num_turns=1)).calls_unknown is None


def line(kind: str, uuid: str, *content: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    """A line of a session file."""
    words: Any = content[0] if isinstance(content[0], str) else list(content)
    message: dict[str, Any] = {"role": kind, "content": words}
    if kind == "assistant":
        message |= {"id": f"msg-{uuid}", "model": "opus", "usage": TOKENS}
    base = {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": "2026-02-08T17:28:31Z", "message": message}
    return {**base, **more}


MAIN = [
    line("user", "1", "Look twice"),
    line("assistant", "2", use("a", "Task", prompt="look here"), use("b", "Task", prompt="look there")),
]
ENDS = [
    line("user", "8", result("a", "found"), toolUseResult={"agentId": "one"}),
    line("user", "9", result("b", "nothing")),
    line("assistant", "10", {"type": "text", "text": "Found it here."}),
]


def subagent(agent: str | None, prompt: str, first: str) -> list[dict[str, Any]]:
    more: dict[str, Any] = {"isSidechain": True, **({"agentId": agent} if agent else {})}
    return [
        line("user", f"{first}1", prompt, parentUuid=None, **more),
        line("assistant", f"{first}2", use(first, "Grep", pattern=prompt), parentUuid=f"{first}1", **more),
        line("user", f"{first}3", result(first, "lines"), parentUuid=f"{first}2", **more),
        line("assistant", f"{first}4", {"type": "text", "text": "Done."}, parentUuid=f"{first}3", **more),
    ]


def test_claude_sessions_with_subagents_in_the_file() -> None:
    trace = read("claude-session", *MAIN, *subagent(None, "look there", "x"), *subagent("one", "look here", "y"), *ENDS)
    assert [(step.id, step.parent) for step in trace.steps] == [("a", None), ("b", None), ("x", "b"), ("y", "a")]
    assert (trace.status, trace.final_response) == ("finished", "Found it here.")
    tokens = Usage(input_total=240 * 6, cache_read=200 * 6, cache_write=30 * 6, output=4 * 6)
    assert trace.usage == {"opus": tokens}


def test_claude_sessions_with_subagents_in_files_of_their_own(tmp_path: Path) -> None:
    session = tmp_path / "abc.jsonl"
    session.write_text("".join(json.dumps(record) + "\n" for record in MAIN + ENDS))
    folder = tmp_path / "abc" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-one.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in subagent("one", "look here", "y"))
    )
    trace = read_trace(session)
    assert [(step.id, step.parent) for step in trace.steps] == [("a", None), ("b", None), ("y", "a")]
    assert trace.final_response == "Found it here."


def test_claude_sessions_resumed_repeat_lines() -> None:
    trace = read("claude-session", *MAIN, *MAIN, *ENDS)
    assert [step.id for step in trace.steps] == ["a", "b"]
    assert len(trace.messages) == 2


def test_claude_sessions_interrupted() -> None:
    trace = read("claude-session", *MAIN, line("user", "3", "[Request interrupted by user for tool use]"))
    assert trace.status == "cancelled"


# Codex


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{fields.pop('event', 'completed')}", "item": {"type": kind, **fields}}


def test_codex_exec_items() -> None:
    trace = read(
        "codex-exec",
        {"type": "thread.started", "thread_id": "th"},
        {"type": "turn.started"},
        item("command_execution", id="1", command="ls", aggregated_output="", status="in_progress", event="started"),
        item("mcp_tool_call", id="2", server="perf", tool="load", arguments={"n": 1}, event="started"),
        item("command_execution", id="1", command="ls", aggregated_output="no\n", exit_code=2, status="failed"),
        item(
            "mcp_tool_call",
            id="2",
            server="perf",
            tool="load",
            arguments={"n": 1},
            result={"content": [{"type": "text", "text": "ok"}]},
            status="completed",
        ),
        item("file_change", id="3", changes=[{"path": "a", "kind": "add"}], status="completed"),
        item("web_search", id="4", query="decks"),
        item("todo_list", id="5", items=[{"text": "do", "completed": False}]),
        item("reasoning", id="6", text="Hm."),
        item("agent_message", id="7", text="Done."),
        {"type": "turn.completed", "usage": {"input_tokens": 9, "cached_input_tokens": 3, "output_tokens": 2}},
        {"type": "turn.started"},
        {"type": "turn.failed", "error": {"message": "quota"}},
    )
    assert calls(trace) == [
        ("command_execution", {"command": "ls"}, "no\n", True),
        ("mcp__perf__load", {"n": 1}, "ok", False),
        ("file_change", {"changes": [{"path": "a", "kind": "add"}]}, None, False),
        ("web_search", {"query": "decks"}, None, None),
        ("todo_list", {"items": [{"text": "do", "completed": False}]}, None, None),
    ]
    assert trace.steps[0].error == "exit code 2"
    assert batches(trace) == [True, True, False, False, False]
    assert trace.usage == {"unknown": Usage(input_total=9, cache_read=3, output=2)}
    assert (trace.status, trace.error, trace.run, trace.duration_s) == ("error", "quota", "th", None)


def command(name: str, text: str, event: str = "completed", **more: Any) -> dict[str, Any]:
    return item("command_execution", id=name, command=text, event=event, **more)


def ran(*items: dict[str, Any], thread: str = "th", tokens: int = 5) -> list[dict[str, Any]]:
    """What one process of `codex exec` writes."""
    used = {"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": 2}
    begin = [{"type": "thread.started", "thread_id": thread}, {"type": "turn.started"}]
    return [*begin, *items, {"type": "turn.completed", "usage": used}]


def test_codex_exec_and_resume_in_one_file_number_their_items_anew() -> None:
    first = ran(
        command("item_0", "ls", "started"),
        command("item_0", "ls", aggregated_output="a", exit_code=0, status="completed"),
        item("agent_message", id="item_1", text="One."),
    )
    second = ran(
        command("item_0", "ls", aggregated_output="a b", exit_code=0, status="completed"),  # the same call again
        command("item_1", "rm a", "started"),
        command("item_1", "rm a", aggregated_output="no", exit_code=1, status="failed"),
        item("agent_message", id="item_2", text="Two."),
        tokens=12,
    )
    trace = read("codex-exec", *first, *second)
    assert calls(trace) == [
        ("command_execution", {"command": "ls"}, "a", False),
        ("command_execution", {"command": "ls"}, "a b", False),
        ("command_execution", {"command": "rm a"}, "no", True),
    ]
    assert len({step.id for step in trace.steps}) == 3
    # A resumed thread counts its tokens from the start of the thread.
    assert trace.usage == {"unknown": Usage(input_total=12, cache_read=0, output=2)}
    assert (trace.status, trace.final_response, trace.run) == ("finished", "Two.", "th")


def test_codex_exec_of_two_threads_is_two_runs() -> None:
    data = [
        *ran(command("item_0", "ls", exit_code=0), thread="a"),
        *ran(command("item_0", "rm", exit_code=0), thread="b"),
    ]
    traces = read_traces("".join(json.dumps(record) + "\n" for record in data).encode())
    assert [(trace.run, [step.args for step in trace.steps]) for trace in traces] == [
        ("a", [{"command": "ls"}]),
        ("b", [{"command": "rm"}]),
    ]


@pytest.mark.parametrize(
    ("fields", "failed"),
    [
        ({"status": "completed", "exit_code": 0}, False),
        ({"status": "completed", "exit_code": 3}, True),
        ({"status": "failed", "exit_code": None}, True),
        ({"status": "declined"}, True),
        ({"status": "completed", "exit_code": None}, None),  # left to itself
        ({"status": "completed"}, None),
        ({"status": "in_progress"}, None),
        ({}, None),
    ],
)
def test_codex_exec_says_whether_a_command_failed(fields: dict[str, Any], failed: bool | None) -> None:
    (step,) = read("codex-exec", *ran(command("item_0", "ls", aggregated_output="a", **fields))).steps
    assert step.failed is failed


def rollout(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T00:00:{second:02}Z", "type": kind, "payload": payload}


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\na", False),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nExit code: 0", True),
        ("Chunk ID: 1\nProcess exited with code 1\nOutput:\n", True),
        ("Process running with session ID 7\nOutput:\nExit code: 1", None),
        ("Exit code: 1", None),  # the words of some other tool
    ],
)
def test_codex_rollouts_say_in_words_whether_a_command_failed(output: str, failed: bool | None) -> None:
    trace = read(
        "codex-rollout",
        rollout("response_item", 1, type="function_call", name="shell", call_id="a", arguments="{}"),
        rollout("response_item", 2, type="function_call_output", call_id="a", output=output),
    )
    assert [(step.result, step.failed) for step in trace.steps] == [(output, failed)]


def test_copilots_calls_that_never_started_are_calls() -> None:
    def event(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "id": "e", "timestamp": "2026-01-01T00:00:00Z"}

    asked = [{"toolCallId": name, "name": "bash", "arguments": {"command": name}} for name in ("a", "b")]
    trace = read(
        "copilot",
        event("session.start", sessionId="s"),
        event("assistant.message", messageId="m", content="", toolRequests=asked),
        event("tool.execution_start", toolCallId="a", toolName="bash", arguments={"command": "a"}),
        event("tool.execution_complete", toolCallId="a", success=True, result={"content": "x"}),
        event("session.shutdown", shutdownType="routine"),
    )
    assert calls(trace) == [("bash", {"command": "a"}, "x", False), ("bash", {"command": "b"}, None, None)]
    assert batches(trace) == [True, True]
    asks = event("tool.execution_delegated", toolCallId="c")
    assert read("copilot", event("session.start"), asks, event("session.shutdown")).calls_unknown is not None


def test_codex_rollouts() -> None:
    def count(total: int) -> dict[str, Any]:
        used = {"input_tokens": total, "cached_input_tokens": 5, "output_tokens": 7, "reasoning_output_tokens": 1}
        return rollout("event_msg", 6, type="token_count", info={"total_token_usage": used})

    trace = read(
        "codex-rollout",
        rollout("session_meta", 0, id="th"),
        rollout("turn_context", 1, model="gpt-5"),
        rollout("response_item", 2, type="message", role="user", content=[{"type": "input_text", "text": "Go"}]),
        rollout("response_item", 2, type="function_call", name="shell", call_id="a", arguments='{"command": ["ls"]}'),
        rollout("response_item", 2, type="custom_tool_call", name="apply_patch", call_id="b", input="*** Begin"),
        rollout("response_item", 4, type="custom_tool_call_output", call_id="b", output="ok"),
        rollout(
            "response_item",
            5,
            type="function_call_output",
            call_id="a",
            output=json.dumps({"output": "no such file", "metadata": {"exit_code": 1}}),
        ),
        count(50),
        rollout("event_msg", 7, type="agent_message", message="Done."),
        rollout(
            "response_item", 7, type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]
        ),
        count(90),  # sums so far: the last counts
        rollout("event_msg", 8, type="task_complete", last_agent_message="Done."),
    )
    assert calls(trace) == [
        ("shell", {"command": ["ls"]}, "no such file", True),
        ("apply_patch", {"input": "*** Begin"}, "ok", None),
    ]
    assert batches(trace) == [True, True]
    assert [step.ended for step in trace.steps] == [1767225605.0, 1767225604.0]
    assert trace.usage == {"gpt-5": Usage(input_total=90, cache_read=5, output=7, reasoning=1)}
    assert (trace.status, trace.final_response, trace.duration_s) == ("finished", "Done.", 8.0)
    assert [message.text for message in trace.messages] == ["Go", "Done."]


# OpenAI and Anthropic

FUNCTION = {"type": "function_call", "call_id": "a", "name": "search", "arguments": '{"q": 1}'}
ANSWER = {"type": "function_call_output", "call_id": "a", "output": "found"}
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Here."}]}


def response(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    used = {"input_tokens": 5, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 1}}
    return {"object": "response", "model": "gpt", "status": "completed", "output": list(output), "usage": used, **more}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([{"role": "user", "content": "Find"}, FUNCTION, ANSWER, MESSAGE], id="items"),
        pytest.param([response(FUNCTION), {"input": [ANSWER]}, response(MESSAGE)], id="responses and inputs"),
        pytest.param(
            [
                {"request": {"input": "Find"}, "response": response(FUNCTION)},
                {
                    "request": {"input": [{"role": "user", "content": "Find"}, FUNCTION, ANSWER]},
                    "response": response(MESSAGE),
                },
            ],
            id="pairs",
        ),
        pytest.param({"input": [FUNCTION, ANSWER, MESSAGE]}, id="a request"),
    ],
)
def test_openai_responses(document: Any) -> None:
    trace = read("openai-responses", document, document=True)
    assert calls(trace) == [("search", {"q": 1}, "found", None)]
    assert (trace.status, trace.final_response) == ("finished", "Here.")
    assert codes(trace) == set()


def test_openai_responses_as_a_stream() -> None:
    events = [
        {"type": "response.created", "response": {"object": "response", "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "item": FUNCTION},
        {"type": "response.completed", "response": response(FUNCTION)},
    ]
    data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    assert detect(data) == "openai-responses"
    trace = read_trace(data)
    assert calls(trace) == [("search", {"q": 1}, None, None)]
    assert trace.usage == {"gpt": Usage(input_total=5, cache_read=1, output=2)}
    assert trace.status == "truncated"  # it waits for the call's result


@pytest.mark.parametrize(
    ("more", "status", "error"),
    [
        ({"status": "failed", "error": {"message": "overloaded"}}, "error", "overloaded"),
        ({"status": "incomplete"}, "truncated", None),
        ({"status": "cancelled"}, "cancelled", None),
    ],
)
def test_openai_responses_that_did_not_complete(more: dict[str, Any], status: str, error: str | None) -> None:
    trace = read("openai-responses", response(MESSAGE, **more), document=True)
    assert (trace.status, trace.error) == (status, error)


CHAT = [
    {"role": "system", "content": "Be brief"},
    {"role": "user", "content": [{"type": "text", "text": "Find"}, {"type": "image_url", "image_url": {"url": "x"}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}},
            {"id": "b", "type": "function", "function": {"name": "search", "arguments": '{"q": '}},
        ],
    },
    {"role": "tool", "tool_call_id": "b", "content": "bad arguments"},
    {"role": "tool", "tool_call_id": "a", "content": "found"},
    {"role": "assistant", "content": "Here."},
]


@pytest.mark.parametrize("document", [CHAT, {"messages": CHAT, "model": "gpt"}], ids=["messages", "a request"])
def test_openai_chat(document: Any) -> None:
    trace = read("openai-chat", document, document=True)
    assert calls(trace) == [("search", {"q": 1}, "found", None), ("search", None, "bad arguments", None)]
    assert trace.steps[1].args_raw == '{"q": '
    assert batches(trace) == [True, True]
    assert [message.text for message in trace.messages] == ["Be brief", "Find[image_url]", "Here."]
    assert (trace.status, trace.final_response) == ("finished", "Here.")


def test_openai_chat_that_ends_with_a_call_has_no_end() -> None:
    assert read("openai-chat", CHAT[:3], document=True).status == "truncated"


MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Find"},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use("a", "search", q=1), use("b", "read")]},
    {"role": "user", "content": [result("a", "found"), result("b", "no such file", failed=True)]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Here."}]},
]


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(MESSAGES, id="messages"),
        pytest.param({"model": "opus", "system": "Be brief", "messages": MESSAGES}, id="a request"),
        pytest.param(
            [
                {
                    "request": {"messages": MESSAGES[:1]},
                    "response": {"type": "message", "stop_reason": "tool_use", "usage": TOKENS, **MESSAGES[1]},
                },
                {
                    "request": {"messages": MESSAGES[:3]},
                    "response": {"type": "message", "stop_reason": "end_turn", "usage": TOKENS, **MESSAGES[3]},
                },
            ],
            id="pairs",
        ),
    ],
)
def test_anthropic_messages(document: Any) -> None:
    trace = read("anthropic", document, document=True)
    assert calls(trace) == [("search", {"q": 1}, "found", False), ("read", {}, "no such file", True)]
    assert trace.steps[1].error == "no such file"
    assert batches(trace) == [True, True]
    assert (trace.status, trace.final_response) == ("finished", "Here.")
    assert "reasoning" in {message.role for message in trace.messages}
    if isinstance(document, list) and "request" in document[0]:
        assert trace.usage == {"unknown": Usage(input_total=480, cache_read=400, cache_write=60, output=8)}


# LangChain's other two serialisations

AI = {
    "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "a", "name": "search", "input": {}}],
    "tool_calls": [{"name": "search", "args": {"q": 1}, "id": "a", "type": "tool_call"}],
    "usage_metadata": {"input_tokens": 100, "output_tokens": 20, "input_token_details": {"cache_read": 64}},
    "response_metadata": {"model_name": "gpt"},
}
TOOL = {"content": "no", "tool_call_id": "a", "status": "error"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(
            [
                {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}
                for name, kwargs in (
                    ("HumanMessage", {"content": "Find"}),
                    ("AIMessage", AI),
                    ("ToolMessage", TOOL),
                    ("AIMessageChunk", {"content": "Here."}),
                )
            ],
            id="dumps",
        ),
        pytest.param(
            {
                "messages": [
                    {"type": "human", "content": "Find"},
                    {"type": "ai", **AI},
                    {"type": "tool", **TOOL},
                    {"type": "ai", "content": "Here.", "tool_calls": []},
                ]
            },
            id="a state of plain messages",
        ),
    ],
)
def test_langchain(document: Any) -> None:
    trace = read("langchain", document, document=True)
    assert calls(trace) == [("search", {"q": 1}, "no", True)]
    assert [message.text for message in trace.messages] == ["Find", "I look.", "Here."]
    assert trace.usage == {"gpt": Usage(input_total=100, cache_read=64, output=20)}
    assert (trace.status, trace.final_response) == ("finished", "Here.")


# OpenTelemetry


def span(name: str, number: int, parent: int | None, start: int, end: int, **attributes: Any) -> dict[str, Any]:
    operation = name.split(" ")[0]
    pairs: list[dict[str, Any]] = [{"key": "gen_ai.operation.name", "value": {"stringValue": operation}}]
    for key, value in attributes.items():
        kind = "intValue" if isinstance(value, int) else "stringValue"
        pairs.append({"key": f"gen_ai.{key.replace('__', '.')}", "value": {kind: value}})
    return {
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": name,
        "startTimeUnixNano": start * 10**9,
        "endTimeUnixNano": str(end * 10**9),
        "status": {"code": 2, "message": "broken"} if attributes.get("tool__call__id") == "b" else {},
        "attributes": pairs,
    }


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def test_otel_spans_in_any_order_with_an_agent_inside() -> None:
    used = {"response__model": "gpt", "usage__input_tokens": 10, "usage__output_tokens": "3"}
    answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Here."}]}])
    trace = read(
        "otel",
        export(
            span("execute_tool search", 5, 4, 5, 6, tool__name="search", tool__call__id="c"),
            span("invoke_agent helper", 4, 3, 4, 7, usage__input_tokens=10, usage__output_tokens=3),
        ),
        export(
            span("execute_tool ask", 3, 1, 3, 8, tool__name="ask", tool__call__id="a", tool__call__arguments='{"q":1}'),
            span("execute_tool ask", 6, 1, 4, 8, tool__name="ask", tool__call__id="b", tool__call__result="x"),
            span("chat gpt", 7, 1, 9, 10, output__messages=answer, **used),
            span("chat gpt", 2, 1, 1, 2, **used),
            span("invoke_agent main", 1, None, 0, 10, usage__input_tokens=20, usage__output_tokens=6),
        ),
    )
    assert [(step.id, step.tool, step.args, step.result, step.failed, step.parent) for step in trace.steps] == [
        ("a", "ask", {"q": 1}, None, False, None),
        ("b", "ask", None, "x", True, None),
        ("c", "search", None, None, False, "a"),
    ]
    assert trace.steps[1].error == "broken"
    assert batches(trace) == [True, True, False]
    assert trace.usage == {"gpt": Usage(input_total=20, output=6)}  # not again from the agents' spans
    assert (trace.status, trace.final_response, trace.duration_s) == ("finished", "Here.", 10.0)


def test_otel_values_of_other_kinds_and_snake_case() -> None:
    arguments = {
        "kvlistValue": {
            "values": [
                {"key": "n", "value": {"intValue": "5"}},
                {"key": "list", "value": {"arrayValue": {"values": [{"boolValue": True}, {"doubleValue": 1.5}]}}},
            ]
        }
    }
    found = span("execute_tool t", 1, None, 0, 1, tool__name="t")
    found["attributes"].append({"key": "gen_ai.tool.call.arguments", "value": arguments})
    snake = {
        "trace_id": found.pop("traceId"),
        "span_id": found.pop("spanId"),
        "start_time_unix_nano": found.pop("startTimeUnixNano"),
        "end_time_unix_nano": found.pop("endTimeUnixNano"),
        **found,
    }
    trace = read("otel", {"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]})
    assert [step.args for step in trace.steps] == [{"n": 5, "list": [True, 1.5]}]
    assert trace.steps[0].id == "0000000000000001"


# Inspect

SAMPLE = {
    "id": "q",
    "epoch": 2,
    "messages": [
        {"role": "user", "content": "attachment://abc"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "function": "bash"}, {"id": "b", "function": "bash"}],
        },
        {"role": "tool", "content": "x", "tool_call_id": "a"},
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Here."}],
        },
    ],
    "events": [
        {
            "event": "tool",
            "id": "a",
            "function": "bash",
            "arguments": {"cmd": "attachment://abc"},
            "result": "x",
            "error": None,
            "timestamp": "2026-01-01T00:00:00+00:00",
            "completed": "2026-01-01T00:00:02+00:00",
        },
        {
            "event": "tool",
            "id": "b",
            "function": "bash",
            "arguments": {},
            "result": "",
            "error": {"type": "timeout", "message": "too slow"},
            "timestamp": "2026-01-01T00:00:00+00:00",
            "completed": None,
        },
    ],
    "attachments": {"abc": "a long text"},
    "output": {"choices": [{"stop_reason": "stop"}]},
    "model_usage": {
        "claude": {
            "input_tokens": 5,
            "output_tokens": 2,
            "total_tokens": 107,
            "input_tokens_cache_read": 100,
            "input_tokens_cache_write": 0,
        }
    },
    "total_time": 9.5,
}


def check_inspect(trace: Trace) -> None:
    assert calls(trace) == [("bash", {"cmd": "a long text"}, "x", False), ("bash", {}, "", True)]
    assert [step.error for step in trace.steps] == [None, "too slow"]
    assert batches(trace) == [True, True]
    assert [(step.started, step.ended) for step in trace.steps] == [(1767225600.0, 1767225602.0), (1767225600.0, None)]
    assert trace.usage == {"claude": Usage(input_total=105, cache_read=100, cache_write=0, output=2)}
    assert (trace.run, trace.status, trace.duration_s) == ("q_epoch_2", "finished", 9.5)
    assert [message.text for message in trace.messages] == ["a long text", "Hm.", "Here."]


def archive(*samples: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_journal/start.json", "{}")
        for number, sample in enumerate(samples):
            file.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
        file.writestr("header.json", "{}")
    return stream.getvalue()


def test_inspect_tool_events() -> None:
    check_inspect(read("inspect", {"version": 2, "eval": {}, "samples": [SAMPLE]}, document=True))
    assert detect(archive(SAMPLE)) == "inspect"
    check_inspect(read_trace(archive(SAMPLE)))


def test_inspect_a_zip_without_its_end() -> None:
    whole = archive(SAMPLE, SAMPLE | {"id": "r"})
    trace = read_traces(whole[: whole.index(b"header.json") - 30])[0]
    assert calls(trace) == [("bash", {"cmd": "a long text"}, "x", False), ("bash", {}, "", True)]
    assert trace.status == "truncated"
    assert "cut_off" in codes(trace)


@pytest.mark.parametrize(
    ("more", "status", "error"),
    [
        ({"error": {"message": "out of memory"}}, "error", "out of memory"),
        ({"limit": {"type": "token", "limit": 1000}}, "cancelled", "limit reached: token 1000"),
    ],
)
def test_inspect_samples_that_did_not_finish(more: dict[str, Any], status: str, error: str) -> None:
    trace = read_trace(archive({**SAMPLE, **more}))
    assert (trace.status, trace.error) == (status, error)


# ATIF and PPT-Eval


def test_atif_copied_context_and_observations_by_id() -> None:
    made = [{"tool_call_id": name, "function_name": "run", "arguments": {"n": name}} for name in "ab"]
    step = {
        "step_id": 2,
        "timestamp": "2026-01-01T00:00:00Z",
        "source": "agent",
        "message": "I run.",
        "tool_calls": made,
        "observation": {"results": [{"source_call_id": "b", "content": "B"}, {"source_call_id": "a", "content": "A"}]},
        "metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 4, "cost_usd": 0.5},
        "model_name": "one",
    }
    other = {**step, "step_id": 3, "tool_calls": [], "observation": None, "model_name": "two", "message": "Done."}
    trace = read(
        "atif",
        {
            "schema_version": "ATIF-v1.6",
            "session_id": "s",
            "steps": [{**step, "step_id": 1, "is_copied_context": True}, step, other],
        },
        document=True,
    )
    assert calls(trace) == [("run", {"n": "a"}, "A", None), ("run", {"n": "b"}, "B", None)]
    assert batches(trace) == [True, True]
    one = Usage(input_total=10, cache_read=4, output=2)
    assert trace.usage == {"one": one, "two": one}
    assert (trace.cost_usd, trace.final_response, trace.status) == (1.0, "Done.", "truncated")


def test_ppteval_actions() -> None:
    trace = read(
        "ppteval-actions",
        [
            {
                "step": 1,
                "timestamp": "2026-01-01T00:00:00+00:00",
                "action_type": "insert_slide",
                "params": {"after": 2},
                "reasoning": "A title is missing.",
                "duration_ms": 1500,
            },
            {"step": 2, "timestamp": 1767225603.0, "action_type": "save", "params": {}, "duration_ms": 500},
        ],
        document=True,
    )
    assert calls(trace) == [("insert_slide", {"after": 2}, None, None), ("save", {}, None, None)]
    assert [(step.started, step.ended) for step in trace.steps] == [
        (1767225600.0, 1767225601.5),
        (1767225603.0, 1767225603.5),
    ]
    assert (trace.duration_s, trace.final_response, trace.usage) == (3.5, None, {})
    assert [(message.role, message.text) for message in trace.messages] == [("reasoning", "A title is missing.")]


# Our own form


def test_what_is_printed_as_json_is_read_again() -> None:
    trace = read("claude-session", *MAIN, *ENDS)
    data = as_data(trace)
    assert read_trace(json.dumps(data).encode()) == trace
    both = json.dumps(all_data("x", [trace, read_trace(archive(SAMPLE))]))
    assert detect(both.encode()) == "ppteval"
    assert [again.run for again in read_traces(both.encode())] == ["s", "q_epoch_2"]
    truncated = read_trace(json.dumps(data, indent=1).encode()[:-200], "ppteval")
    assert truncated.status == "truncated"
