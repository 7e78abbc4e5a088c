"""A message in any form that tracing services keep: OpenAI's, Anthropic's, LangChain's. No format by itself."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_list, as_text, dumps
from pytest_ppteval.trace.model import Json
from pytest_ppteval.trace.readers.blocks import spoken

_ROLES = {
    **dict.fromkeys(("human", "HumanMessage", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("ai", "model", "AIMessage", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("developer", "SystemMessage"), "system"),
    **dict.fromkeys(("function", "ToolMessage", "FunctionMessage"), "tool"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """A message. calls: id, tool and arguments. answers: result, and whether it is a failure, by the call's id."""

    role: str
    words: str
    calls: tuple[tuple[str | None, str | None, Json], ...] = ()
    answers: tuple[tuple[str, str, bool | None], ...] = ()


def _fields(message: Record) -> tuple[str, Record]:
    """The role and the fields of a message, whatever it is wrapped in."""
    if message.get("lc") == 1:
        name = next((item for item in reversed(as_list(message.get("id"))) if isinstance(item, str)), "")
        return name, as_dict(message.get("kwargs"))
    kind, data = as_text(message.get("type")) or "", message.get("data")
    if isinstance(data, dict) and kind in _ROLES | {"system": "", "tool": ""}:
        return kind, data
    return as_text(message.get("role")) or kind, message


def _call(call: Record) -> tuple[str | None, str | None, Json]:
    function = as_dict(call.get("function"))
    args = function.get("arguments", call.get("args", call.get("arguments", call.get("input"))))
    name = as_text(function.get("name")) or as_text(call.get("name"))
    return as_text(call.get("id")) or as_text(call.get("call_id")), name, {} if args is None else args


def said(message: Record) -> Said:
    """The message; what isn't one has the role "" and no words."""
    role, fields = _fields(message)
    role = _ROLES.get(role, role)
    content = fields.get("content")
    calls = [_call(call) for call in as_dicts(fields.get("tool_calls"))]
    known = {name for name, _, _ in calls}
    answers: list[tuple[str, str, bool | None]] = []
    for block in as_dicts(content):
        kind = block.get("type")
        if kind in ("tool_use", "tool_call", "function_call") and _call(block)[0] not in known:
            calls.append(_call(block))
        elif kind == "tool_result" and isinstance(block.get("tool_use_id"), str):
            failed = block.get("is_error")
            answers.append(
                (str(block["tool_use_id"]), spoken(block.get("content")), failed if failed is True else None)
            )
    if not calls:
        calls += [_call(call) for call in as_dicts(as_dict(fields.get("additional_kwargs")).get("tool_calls"))]
    if fields.get("type") == "function_call":  # an item of OpenAI's Responses
        calls.append(_call(fields))
        role = role if role != "function_call" else "assistant"
    if fields.get("type") == "function_call_output" and isinstance(fields.get("call_id"), str):
        output = fields.get("output")
        answers.append((str(fields["call_id"]), output if isinstance(output, str) else dumps(output), None))
        role = "tool"
    call_id = as_text(fields.get("tool_call_id"))
    if call_id is not None:
        status = fields.get("status")
        text = content if isinstance(content, str) else spoken(content)
        answers.append((call_id, text, status == "error" if isinstance(status, str) else None))
        return Said("tool", "", tuple(calls), tuple(answers))
    return Said(role, spoken(content) if role != "tool" else "", tuple(calls), tuple(answers))


def all_said(value: Json) -> list[Said]:
    """The messages in a list, in a list of lists (a batch: its first), in an object, or the one that it is."""
    if isinstance(value, dict):
        for key in ("messages", "message"):
            if isinstance(value.get(key), list | dict):
                return all_said(value[key])
        choices, generations, output = value.get("choices"), value.get("generations"), value.get("output")
        if isinstance(choices, list):
            return [one for choice in as_dicts(choices)[:1] for one in all_said(choice)]
        if isinstance(generations, list):
            first = generations[0] if generations else None
            return all_said(first if isinstance(first, list) else generations[:1])
        if isinstance(output, list | dict):
            return all_said(output)
        if {"role", "lc", "tool_calls"} & set(value) or (
            "type" in value and {"content", "data", "call_id"} & set(value)
        ):
            return [said(value)]
        if isinstance(value.get("text"), str):  # a generation without a message
            return [Said("assistant", str(value["text"]))]
        return []
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return all_said(value[0])
        return [one for item in as_dicts(value) for one in all_said(item)]
    return []
