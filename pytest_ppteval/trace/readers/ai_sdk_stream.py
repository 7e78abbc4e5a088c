"""Vercel's AI SDK as it streams: the parts of fullStream one a line, and the UI message stream (server-sent events).

fullStream: text-delta, tool-input-delta, tool-call, tool-result, tool-error, finish-step {usage}, finish. The UI stream
has tool-input-available, tool-output-available, tool-output-error in their place, and no tokens (but what an app puts
into messageMetadata.usage).

Not told: the prompt; costs; times; models in the UI stream; in fullStream as JSON the words of an error, which is {}.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, MessageDraft
from pytest_ppteval.trace.jsontext import Record, as_dict, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.ai_sdk import asked_for, ending, output_of, usage_of, words_of
from pytest_ppteval.trace.source import Source

_OWN = frozenset(
    (
        *("start-step", "finish-step", "tool-input-start", "tool-input-delta", "tool-input-available"),
        *("tool-input-error", "tool-output-available", "tool-output-error", "tool-output-denied"),
    )
)
_TEXTS = ("text-delta", "reasoning-delta", "reasoning")
_QUIET = frozenset(
    (
        *("text-start", "text-end", "reasoning-start", "reasoning-end", "tool-input-end", "source", "source-url"),
        *("source-document", "file", "raw", "message-metadata", "tool-call-streaming-start", "tool-approval-response"),
        *("reasoning-signature", "redacted-reasoning"),
    )
)


class _Stream:
    def __init__(self, source: Source) -> None:
        self.build = Builder("ai-sdk-stream", source.notes)
        self.texts: dict[tuple[int, str, str], MessageDraft] = {}
        self.steps = 0
        self.called = False  # in this step
        self.counted = False  # tokens, by step

    def event(self, kind: str, record: Record, line: int) -> None:
        build = self.build
        call = as_text(record.get("toolCallId")) or as_text(record.get("id"))
        if kind in _TEXTS:
            self.text(kind, record)
        elif kind in ("start-step", "step-start"):
            self.steps += 1
            self.called = False
        elif kind == "tool-input-start":
            self.called = True
            build.call(call, as_text(record.get("toolName")), group=f"step-{self.steps}").closed = False
        elif kind in ("tool-input-delta", "tool-call-delta"):
            delta = record.get("inputTextDelta", record.get("delta", record.get("argsTextDelta")))
            step = build.call(call, as_text(record.get("toolName")), group=f"step-{self.steps}")
            step.closed = False
            step.add_raw(text_of(delta))
        elif kind in ("tool-call", "tool-input-available", "tool-input-error"):
            self.called = True
            step = build.call(call, as_text(record.get("toolName")), group=f"step-{self.steps}")
            step.raw, step.args, step.closed = None, asked_for(record), True
            if isinstance(step.args, str):
                step.set_raw(step.args)
            if kind == "tool-input-error":
                build.result(step.id, None, failed=True, error=as_text(record.get("errorText")), line=line)
        elif kind in ("tool-result", "tool-output-available"):
            if record.get("preliminary") is not True:
                known = "output" in record
                text, failed = output_of(record.get("output", record.get("result")))
                build.result(call, text, failed=failed if known else None, line=line)
        elif kind in ("tool-error", "tool-output-error"):
            error = as_text(record.get("errorText")) or words_of(record.get("error"))
            build.result(call, None, failed=True, error=error, line=line)
        elif kind == "tool-output-denied":
            build.result(call, None, failed=True, error="denied", line=line)
        else:
            self.end(kind, record, line)

    def text(self, kind: str, record: Record) -> None:
        role = "assistant" if kind == "text-delta" else "reasoning"
        key = (self.steps, role, as_text(record.get("id")) or "")
        if key not in self.texts:
            self.texts[key] = MessageDraft(role)
            self.build.messages.append(self.texts[key])
        self.texts[key].text.write(text_of(record.get("delta", record.get("text", record.get("textDelta")))))

    def end(self, kind: str, record: Record, line: int) -> None:
        build = self.build
        if kind in ("finish-step", "step-finish"):
            usage = usage_of(as_dict(record.get("usage")))
            self.counted = self.counted or usage != Usage()
            build.spend(as_text(as_dict(record.get("response")).get("modelId")), usage)
        elif kind == "finish":
            metadata = as_dict(record.get("messageMetadata"))
            total = as_dict(record.get("totalUsage", record.get("usage", metadata.get("usage"))))
            if not self.counted:
                build.spend(as_text(metadata.get("model")), usage_of(total))
            if build.status not in ("error", "cancelled"):
                reason = record.get("finishReason")
                # Older versions of the UI stream give no reason.
                build.status = ending(reason) if reason is not None else "truncated" if self.called else "finished"
                build.error = text_of(reason) if build.status == "error" else None
        elif kind == "error":
            build.status = "error"
            build.error = as_text(record.get("errorText")) or words_of(record.get("error")) or "the run failed"
        elif kind == "abort":
            build.status, build.error = "cancelled", as_text(record.get("reason"))
        elif kind == "tool-approval-request":
            build.status = "cancelled"
        elif kind == "start":
            build.run = build.run or as_text(record.get("messageId"))
        elif kind not in _QUIET and not kind.startswith("data-"):
            build.keep_unknown(record, kind, line)


def _read(source: Source) -> list[Trace]:
    stream = _Stream(source)
    for line, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            source.notes.add("no_type", "an object without a type: skipped", line)
        else:
            stream.event(kind, record, line)
    return [stream.build.trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        kind = as_text(record.get("type")) or ""
        if kind in _OWN or (kind in ("tool-call", "tool-result") and {"toolCallId", "toolName"} <= set(record)):
            return certain(f"parts of a stream of type {kind}")
        alike = alike or kind in _TEXTS
    return maybe("parts of a stream of type text-delta, but none that only the AI SDK has") if alike else None


READER = Reader(name="ai-sdk-stream", title="Vercel AI SDK, streams", recognise=_recognise, read=_read)
