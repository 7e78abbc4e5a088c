"""Codex's session files (rollout-*.jsonl): {timestamp, type, payload}. Token counts there are sums so far."""

from __future__ import annotations

import re

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, loads, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})$", re.MULTILINE)
_KINDS = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")


class _Rollout:
    def __init__(self, source: Source) -> None:
        self.build = Builder("codex-rollout", source.notes)
        self.model: str | None = None
        self.total: Usage | None = None
        self.batch = 0
        self.asking = False  # the calls so far were made together
        self.answered = False

    def line(self, kind: str, payload: Record, time: float | None, line: int) -> None:
        self.build.at(time)
        if kind == "session_meta":
            self.build.run = as_text(payload.get("id"))
        elif kind == "turn_context":
            self.model = as_text(payload.get("model")) or self.model
        elif kind == "response_item":
            self.item(payload, time, line)
        elif kind == "event_msg":
            self.event(payload, line)
        elif kind != "compacted":
            self.build.keep_unknown(payload, kind, line)

    def item(self, item: Record, time: float | None, line: int) -> None:
        build = self.build
        kind = as_text(item.get("type")) or ""
        call = as_text(item.get("call_id")) or as_text(item.get("id"))
        if kind == "message":
            role = as_text(item.get("role")) or "unknown"
            build.say("system" if role == "developer" else role, text_of(item.get("content")))
            self.asking = False
            self.answered = role == "assistant"
        elif kind == "reasoning":
            build.say("reasoning", "\n\n".join(text_of(part.get("text")) for part in as_dicts(item.get("summary"))))
        elif kind.endswith("_output"):
            self.asking = False
            result, failed = _output(item.get("output"))
            build.result(call, result, failed=failed, ended=time, line=line)
        elif kind.endswith("_call"):
            self.batch += not self.asking
            self.asking, self.answered = True, False
            tool = as_text(item.get("name")) or kind.removesuffix("_call")
            build.call(call, tool, _arguments(kind, item), group=f"batch-{self.batch}", started=time)
        else:
            build.keep_unknown(item, kind or "item without type", line)

    def event(self, event: Record, line: int) -> None:
        kind = as_text(event.get("type"))
        if kind == "token_count":
            total = as_dict(as_dict(event.get("info")).get("total_token_usage"))
            if total:
                self.total = Usage(
                    input_total=as_count(total.get("input_tokens")),
                    cache_read=as_count(total.get("cached_input_tokens")),
                    output=as_count(total.get("output_tokens")),
                    reasoning=as_count(total.get("reasoning_output_tokens")),
                )
        elif kind == "task_started":
            self.build.status, self.build.error = "truncated", None
        elif kind == "task_complete":
            self.build.status = "finished"
            self.build.final = as_text(event.get("last_agent_message"))
        elif kind == "turn_aborted":
            self.build.status = "cancelled"
            self.build.error = as_text(event.get("reason"))
        elif kind in ("error", "stream_error"):
            words = text_of(event.get("message"))
            self.build.notes.add("error_event", f"the agent met an error: {words}", line)
            if kind == "error":
                self.build.status, self.build.error = "error", words

    def trace(self) -> Trace:
        if self.total is not None:
            self.build.spend(self.model, self.total)
        if self.answered and self.build.status == "truncated":
            self.build.status = "finished"
        return self.build.trace()


def _arguments(kind: str, item: Record) -> Json:
    if kind == "function_call":
        return item.get("arguments")
    if kind == "custom_tool_call":  # free text, not JSON
        return {"input": item.get("input")}
    return item.get("action")


def _output(output: Json) -> tuple[str, bool | None]:
    """The text of a result and whether the call failed. Older versions wrap both in JSON text."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            wrapped = as_dict(loads(output))
        except ValueError:
            wrapped = {}
        code = as_dict(wrapped.get("metadata")).get("exit_code")
        if isinstance(wrapped.get("output"), str):
            return text_of(wrapped["output"]), None if not isinstance(code, int) else code != 0
    if isinstance(output, str):  # the shell's results begin with lines about it
        head, _, _ = output.partition("\nOutput:")
        found = _EXIT.search(head) if head != output else None
        if found is not None:
            return output, int(found[1]) != 0
    if isinstance(output, dict):
        success = output.get("success")
        return text_of(output.get("content")), not success if isinstance(success, bool) else None
    return text_of(output), None


def _read(source: Source) -> list[Trace]:
    rollout = _Rollout(source)
    for line, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            rollout.build.notes.add("no_type", "an object without a type: skipped", line)
        else:
            rollout.line(kind, as_dict(record.get("payload")), when(record.get("timestamp")), line)
    return [rollout.trace()]


def _recognise(head: Head) -> Sign | None:
    lines = [
        record for record in head.records if record.get("type") in _KINDS and isinstance(record.get("payload"), dict)
    ]
    if any("timestamp" in line for line in lines):
        return certain("session lines with timestamp, type and payload")
    return maybe("lines with type and payload, but without timestamp") if lines else None


READER = Reader(name="codex-rollout", title="Codex, session file (rollout)", recognise=_recognise, read=_read)
