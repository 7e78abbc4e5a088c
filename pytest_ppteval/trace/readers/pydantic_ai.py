"""Pydantic AI's message history: requests and responses made of parts."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source

_SAYS = {"system-prompt": "system", "user-prompt": "user", "text": "assistant", "thinking": "reasoning"}
_CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
_RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")


def _result(content: Json) -> str:
    """The tool's value; a list there is the tool's own, not a list of parts."""
    return content if isinstance(content, str) else dumps(content)


def _part(build: Builder, part: Record, group: str, time: float | None, line: int) -> None:
    kind = as_text(part.get("part_kind")) or "part without kind"
    call = as_text(part.get("tool_call_id"))
    tool = as_text(part.get("tool_name"))
    moment = when(part.get("timestamp")) or time
    build.at(moment)
    if kind in _SAYS:
        build.say(_SAYS[kind], text_of(part.get("content")))
    elif kind in _CALLS:
        arguments = part.get("args")
        build.call(call, tool, arguments if arguments is not None else {}, group=group)
        build.steps[call or next(reversed(build.steps))].started = time
    elif kind in _RETURNS:
        outcome = part.get("outcome")
        failed = None if not isinstance(outcome, str) else outcome != "success"
        build.result(call, _result(part.get("content")), failed=failed, ended=moment, line=line, tool=tool)
    elif kind == "retry-prompt":
        if call is None:
            build.say("user", text_of(part.get("content")))
        else:
            build.result(call, _result(part.get("content")), failed=True, ended=moment, line=line, tool=tool)
    else:
        build.keep_unknown(part, kind, line)


def _read(source: Source) -> list[Trace]:
    build = Builder("pydantic-ai", source.notes)
    for number, (line, message) in enumerate(source.records()):
        kind = message.get("kind")
        time = when(message.get("timestamp"))
        build.at(time)
        build.run = build.run or as_text(message.get("conversation_id"))
        build.say("system", text_of(message.get("instructions"))) if number == 0 else None
        parts = build.listed(message, "parts", line, must=True)
        for part in parts:
            _part(build, part, f"message-{number}", time, line)
        build.status = "truncated"
        if kind == "response":
            if not any(part.get("part_kind") == "tool-call" for part in parts):
                build.status = "finished"
            usage = as_dict(message.get("usage"))
            build.spend(
                as_text(message.get("model_name")),
                Usage(
                    input_total=as_count(usage.get("input_tokens")),
                    cache_read=as_count(usage.get("cache_read_tokens")),
                    cache_write=as_count(usage.get("cache_write_tokens")),
                    output=as_count(usage.get("output_tokens")),
                    reasoning=as_count(usage.get("output_reasoning_tokens")),
                ),
            )
            build.cost(as_number(usage.get("cost")))
        elif kind != "request":
            build.keep_unknown(message, str(kind), line)
    return [build.trace()]


def _recognise(head: Head) -> Sign | None:
    if any(
        record.get("kind") in ("request", "response")
        and any("part_kind" in part for part in as_dicts(record.get("parts")))
        for record in head.records
    ):
        return certain("requests and responses with parts of a part_kind")
    return None


READER = Reader(name="pydantic-ai", title="Pydantic AI messages", recognise=_recognise, read=_read)
