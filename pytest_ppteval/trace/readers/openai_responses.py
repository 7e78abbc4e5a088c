"""OpenAI Responses: responses, requests, recorded pairs, lists of items, or the events of a stream."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Status, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.readers.conversation import Conversation, exchanges
from pytest_ppteval.trace.readers.streams import is_event
from pytest_ppteval.trace.source import Source

_STATUS: dict[str, Status] = {
    "completed": "finished",
    "failed": "error",
    "incomplete": "truncated",
    "cancelled": "cancelled",
    "in_progress": "truncated",
    "queued": "truncated",
}
_KEYS = ("type", "role", "content", "call_id", "arguments", "output")
_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")
# Lists of what there is, and questions whether a call may be made: a call that is made has an item of its own.
_SILENT = ("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction")
# Of a built-in tool's item, what went in and what came out.
_IN = ("queries", "action", "code", "arguments", "input", "prompt", "container_id")
_OUT = ("results", "outputs", "output", "result")


class _Items:
    def __init__(self, source: Source) -> None:
        self.build = Builder("openai-responses", source.notes)
        self.batch = 0
        self.asking = False
        self.last = ""

    def read(self, item: Record, line: int) -> None:
        build = self.build
        kind = as_text(item.get("type")) or ("message" if "role" in item else "item without type")
        call = as_text(item.get("call_id")) or as_text(item.get("id"))
        self.last = kind if kind != "message" else str(item.get("role"))
        if kind == "message":
            role = as_text(item.get("role")) or "unknown"
            build.say("system" if role == "developer" else role, text_of(item.get("content")))
            self.asking = False
        elif kind == "reasoning":
            build.say("reasoning", "\n\n".join(text_of(part.get("text")) for part in as_dicts(item.get("summary"))))
        elif kind.endswith("_call_output"):
            self.asking = False
            build.result(call, text_of(item.get("output")), line=line)
        elif kind.endswith("_call"):
            self.batch += not self.asking
            self.asking = True
            self.call(kind, call, item)
        elif kind not in _SILENT:
            build.keep_unknown(item, kind, line)

    def call(self, kind: str, call: str | None, item: Record) -> None:
        name = as_text(item.get("name")) or kind.removesuffix("_call")
        arguments: Json
        if kind == "function_call":
            arguments = item.get("arguments")
        elif kind == "custom_tool_call":
            arguments = {"input": item.get("input")}
        elif kind == "mcp_call":
            name = f"mcp__{as_text(item.get('server_label')) or ''}__{name}"
            arguments = item.get("arguments")
        else:
            arguments = {key: item[key] for key in _IN if item.get(key) is not None}
        step = self.build.call(call, name, arguments, group=f"batch-{self.batch}")
        if kind in ("function_call", "custom_tool_call"):
            return  # its result is an item of its own
        self.asking = False
        found = next((item[key] for key in _OUT if item.get(key) is not None), None)
        error = item.get("error")
        status = item.get("status")
        failed = True if error or status == "failed" else False if status == "completed" else None
        result = None if found is None else found if isinstance(found, str) else dumps(found)
        self.build.result(step.id, result, failed=failed, error=text_of(error))


def _read(source: Source) -> list[Trace]:
    items = _Items(source)
    build = items.build
    conversation = Conversation()
    settled = False
    for line, found, answer in exchanges(source):
        request, response = found, answer
        given = request.get("input")
        asked = [] if isinstance(given, str) else build.listed(request, "input", line)
        if isinstance(given, str):
            asked = [{"role": "user", "content": given}]
        output = build.listed(response, "output", line) if response.get("object") == "response" else []
        if not asked and not output and response.get("object") != "response":
            build.notes.add("no_items", "an exchange without items: skipped", line)
            continue
        for item in conversation.news(asked, _KEYS):
            items.read(item, line)
        for item in output:
            items.read(item, line)
        conversation.news([*asked, *output], _KEYS)
        if response.get("object") == "response":
            status = as_text(response.get("status")) or "completed"
            build.status = _STATUS.get(status, "finished")
            build.error = None
            reason = as_text(as_dict(response.get("error")).get("message"))
            reason = reason or as_text(as_dict(response.get("incomplete_details")).get("reason"))
            if build.status in ("error", "cancelled") or (build.status == "truncated" and reason):
                build.error = reason or (status if build.status == "error" else None)
            elif items.last == "mcp_approval_request":
                build.status = "cancelled"  # it waits for a person
            elif build.status == "finished" and items.last in _ITEMS:
                build.status = "truncated"  # it asks for a call whose answer it never got
            settled = True
            usage = as_dict(response.get("usage"))
            build.spend(
                as_text(response.get("model")),
                Usage(
                    input_total=as_count(usage.get("input_tokens")),
                    cache_read=as_count(as_dict(usage.get("input_tokens_details")).get("cached_tokens")),
                    output=as_count(usage.get("output_tokens")),
                    reasoning=as_count(as_dict(usage.get("output_tokens_details")).get("reasoning_tokens")),
                ),
            )
    if not settled and items.last == "assistant":
        build.status = "finished"
    return [build.trace()]


def _recognise(head: Head) -> Sign | None:
    for record in head.records:
        parts = (record, as_dict(record.get("response")))
        if any(part.get("object") == "response" for part in parts):
            return certain("object: response")
        if str(record.get("type")).startswith("response.") and is_event(record):
            return certain(f"events named {record['type']}")
        given = as_dicts(record.get("input")) + as_dicts(as_dict(record.get("request")).get("input"))
        items = [record] if "payload" not in record else []
        kind = next(
            (str(item["type"]) for item in items + given if item.get("type") in _ITEMS and "call_id" in item), None
        )
        if kind is not None:
            return certain(f"items of type {kind} with call_id")
    return None


READER = Reader(name="openai-responses", title="OpenAI Responses, also as a stream", recognise=_recognise, read=_read)
