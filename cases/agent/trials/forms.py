"""A trial written down as AG-UI events and as Claude Code's stream-json. No agent ran: each form says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trials.session import Trial

MODEL = "synthetic"
START = 1793523600000  # milliseconds: 2026-11-01, 09:00 UTC


def _line(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"


def agui(trial: Trial) -> str:
    """AG-UI 1.0, a line an event. Which calls failed is told by the messages snapshot, the only place for it."""
    now = float(START)
    lines: list[str] = []
    history: list[dict[str, object]] = [{"id": "user-1", "role": "user", "content": trial.prompt}]

    def event(kind: str, **fields: object) -> None:
        lines.append(_line({"type": kind, "timestamp": int(now), **fields}))

    event(
        "RUN_STARTED",
        threadId=trial.case,
        runId="run-1",
        protocolVersion="1.0.0",
        input={
            "threadId": trial.case,
            "runId": "run-1",
            "state": {},
            "messages": list(history),
            "tools": [],
            "context": [],
            "forwardedProps": {"synthetic": True},
        },
    )
    number = 0
    for index, turn in enumerate(trial.turns, 1):
        message = f"message-{index}"
        now += 1000 * (turn.seconds - 0.6)
        if turn.thought:
            event("REASONING_MESSAGE_START", messageId=f"thought-{index}", role="reasoning")
            event("REASONING_MESSAGE_CONTENT", messageId=f"thought-{index}", delta=turn.thought)
            event("REASONING_MESSAGE_END", messageId=f"thought-{index}")
        if turn.text:
            event("TEXT_MESSAGE_START", messageId=message, role="assistant")
            event("TEXT_MESSAGE_CONTENT", messageId=message, delta=turn.text)
            event("TEXT_MESSAGE_END", messageId=message)
        calls: list[dict[str, object]] = []
        results: list[dict[str, object]] = []
        for call in turn.calls:
            number += 1
            name, arguments = f"call-{number}", json.dumps(call.args, ensure_ascii=False)
            event("TOOL_CALL_START", toolCallId=name, toolCallName=call.tool, parentMessageId=message)
            event("TOOL_CALL_ARGS", toolCallId=name, delta=arguments)
            event("TOOL_CALL_END", toolCallId=name)
            calls.append({"id": name, "type": "function", "function": {"name": call.tool, "arguments": arguments}})
            result: dict[str, object] = {
                "id": f"result-{number}",
                "role": "tool",
                "toolCallId": name,
                "content": call.result,
            }
            results.append({**result, "error": call.result} if call.failed else result)
        now += 600
        for result in results:
            event(
                "TOOL_CALL_RESULT",
                messageId=result["id"],
                toolCallId=result["toolCallId"],
                content=result["content"],
                role="tool",
            )
        history += [{"id": message, "role": "assistant", "content": turn.text, "toolCalls": calls}, *results]
    usage = trial.usage()
    now += 1000 * (1.5 + usage[-1][1] / 60)
    if trial.answer is not None:
        event("TEXT_MESSAGE_START", messageId="answer", role="assistant")
        for line in trial.answer.splitlines(keepends=True):
            event("TEXT_MESSAGE_CONTENT", messageId="answer", delta=line)
        event("TEXT_MESSAGE_END", messageId="answer")
        history.append({"id": "answer", "role": "assistant", "content": trial.answer})
    if any(call.failed for call in trial.calls):
        event("MESSAGES_SNAPSHOT", messages=history)
    given, made = (sum(part) for part in zip(*usage, strict=True))
    spent = [
        {"provider": "none", "model": MODEL, "inputTokens": given, "outputTokens": made, "totalTokens": given + made}
    ]
    if trial.error:
        event("RUN_ERROR", message=trial.error, usage=spent)
    else:
        event("RUN_FINISHED", threadId=trial.case, runId="run-1", outcome={"type": "success"}, usage=spent)
    return "".join(lines)


def claude(trial: Trial) -> str:
    """Claude Code's --output-format stream-json. No cost: nobody paid for it."""
    session = f"synthetic-{trial.case}"
    lines = [
        _line(
            {
                "type": "system",
                "subtype": "init",
                "session_id": session,
                "cwd": "/workspace",
                "model": MODEL,
                "synthetic": True,
            }
        )
    ]

    def add(kind: str, message: dict[str, object]) -> None:
        lines.append(_line({"type": kind, "session_id": session, "parent_tool_use_id": None, "message": message}))

    add("user", {"role": "user", "content": [{"type": "text", "text": trial.prompt}]})
    usage = trial.usage()
    number, seconds = 0, 0.0
    for index, (turn, (given, made)) in enumerate(zip(trial.turns, usage, strict=False), 1):
        content: list[dict[str, object]] = []
        if turn.thought:
            content.append({"type": "thinking", "thinking": turn.thought})
        if turn.text:
            content.append({"type": "text", "text": turn.text})
        results: list[dict[str, object]] = []
        for call in turn.calls:
            number += 1
            content.append({"type": "tool_use", "id": f"toolu_{number:02}", "name": call.tool, "input": call.args})
            result: dict[str, object] = {
                "type": "tool_result",
                "tool_use_id": f"toolu_{number:02}",
                "content": call.result,
            }
            results.append({**result, "is_error": True} if call.failed else result)
        spent = {"input_tokens": given, "output_tokens": made}
        add(
            "assistant",
            {
                "id": f"msg_{index:02}",
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": content,
                "usage": spent,
            },
        )
        add("user", {"role": "user", "content": results})
        seconds += turn.seconds
    given, made = (sum(part) for part in zip(*usage, strict=True))
    seconds += 1.5 + usage[-1][1] / 60
    result = {
        "type": "result",
        "session_id": session,
        "duration_ms": int(seconds * 1000),
        "num_turns": len(usage),
        "usage": {"input_tokens": given, "output_tokens": made},
    }
    if trial.answer is not None:
        last = {"input_tokens": usage[-1][0], "output_tokens": usage[-1][1]}
        add(
            "assistant",
            {
                "id": "msg_answer",
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": [{"type": "text", "text": trial.answer}],
                "usage": last,
            },
        )
    if trial.error:
        result |= {"subtype": "error_during_execution", "is_error": True, "errors": [trial.error]}
    else:
        result |= {"subtype": "success", "is_error": False, "result": trial.answer}
    return "".join([*lines, _line(result)])


FORMS = {"agui": agui, "claude": claude}
