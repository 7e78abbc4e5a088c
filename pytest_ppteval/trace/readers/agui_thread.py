"""The state of one AG-UI thread while its events are applied one by one. No format by itself."""

from __future__ import annotations

from collections.abc import Callable

from pytest_ppteval.trace.build import Builder, MessageDraft, StepDraft, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Status, Trace, Usage
from pytest_ppteval.trace.source import Source

# Events that say nothing of what this package judges.
_SILENT = frozenset(
    [
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_START",
        "REASONING_END",
        "THINKING_START",
        "THINKING_END",
        "REASONING_ENCRYPTED_VALUE",
        "RAW",
        "CUSTOM",
    ]
)
# Events that may come between the chunks of one message or call.
_BETWEEN = frozenset(["RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"])
_OUTCOMES: dict[str, Status] = {"success": "finished", "interrupt": "cancelled", "cancelled": "cancelled"}

Lane = str | None  # the subagent whose events these are; None: the main agent


class Thread:
    """The runs of one thread: their events, applied one by one."""

    def __init__(
        self, source: Source, name: str | None, apply_snapshot: Callable[[Thread, list[Record]], None]
    ) -> None:
        self._apply_snapshot = apply_snapshot
        self.build = Builder("agui", source.notes, name)
        self.notes = self.build.notes
        self.line = 0  # of the event that is applied, and its time
        self.time: float | None = None
        self.texts: dict[str, MessageDraft] = {}
        self.open_texts: set[str] = set()
        self.open_calls: set[str] = set()
        self.restarted: set[str] = set()
        self.open_steps: dict[tuple[Lane, str], int] = {}
        self.pending: dict[Lane, tuple[str, str]] = {}
        self.batches: dict[Lane, tuple[str, str | None]] = {}
        self.subagents: dict[str, str] = {}
        self.aliases: dict[str, str] = {}  # further ids of a call, which snapshots gave it
        self.batch_count = 0
        self.running = False
        self.ended = False
        self.run_first: float | None = None
        self.run_last: float | None = None
        self.handlers: dict[str, Callable[[Record], None]] = {
            "RUN_STARTED": self._run_started,
            "RUN_FINISHED": self._run_finished,
            "RUN_ERROR": self._run_error,
            "STEP_STARTED": self._step_started,
            "STEP_FINISHED": self._step_finished,
            "TEXT_MESSAGE_START": self._text_start,
            "TEXT_MESSAGE_CONTENT": self._text_content,
            "TEXT_MESSAGE_END": self._text_end,
            "TEXT_MESSAGE_CHUNK": self._chunk,
            "REASONING_MESSAGE_START": self._text_start,
            "REASONING_MESSAGE_CONTENT": self._text_content,
            "REASONING_MESSAGE_END": self._text_end,
            "REASONING_MESSAGE_CHUNK": self._chunk,
            "TOOL_CALL_START": self._call_start,
            "TOOL_CALL_ARGS": self._call_args,
            "TOOL_CALL_END": self._call_end,
            "TOOL_CALL_CHUNK": self._chunk,
            "TOOL_CALL_RESULT": self._call_result,
            "MESSAGES_SNAPSHOT": self._snapshot,
            "SUBAGENT_STARTED": self._subagent_started,
            "SUBAGENT_FINISHED": self._nothing,
            "SUBAGENT_ERROR": self._subagent_error,
            "USAGE_METADATA": self._usage_metadata,
        }
        self.handlers.update(dict.fromkeys(_SILENT, self._nothing))

    def apply(self, kind: str, event: Record, line: int) -> None:
        """One event."""
        self.line = line
        handler = self.handlers.get(kind)
        if handler is None:
            self.build.keep_unknown(event, kind, line)
            return
        stamp = event.get("timestamp")
        self.time = time = when(stamp) if stamp is not None else None
        if time is not None and kind != "RUN_STARTED":  # which ends the time of the run before
            self.run_first = time if self.run_first is None else self.run_first
            self.run_last = time
        if self.ended and kind != "RUN_STARTED":
            self.note("event_after_end", f"{kind} after the end of the run")
        if self.pending and kind not in _BETWEEN and not kind.endswith("_CHUNK"):
            self._close_lanes(event, kind)
        handler(event)

    def note(self, code: str, text: str, *, about: str = "") -> None:
        """Something odd about the event that is applied."""
        self.notes.add(code, text, self.line, about=about)

    def _nothing(self, event: Record) -> None:
        """For events that are known and don't matter here."""

    # Runs

    def _run_started(self, event: Record) -> None:
        if self.running:
            self.note("run_not_ended", "a run starts while another is open")
        self._end_run()
        self.run_first = self.run_last = self.time
        self.running, self.ended = True, False
        self.build.status, self.build.error = "truncated", None
        self.open_texts.clear()
        self.open_calls.clear()
        self.open_steps.clear()
        self.pending.clear()
        self.batches.clear()
        for message in as_dicts(as_dict(event.get("input")).get("messages")):
            # What earlier runs did isn't this trace's, but what the user asked is.
            name = as_text(message.get("id"))
            if message.get("role") in ("user", "system", "developer") and name not in self.texts:
                draft = self.message(name or f"input-{self.line}-{len(self.texts)}", str(message["role"]), None)
                draft.text.write(text_of(message.get("content")))

    def _end_run(self) -> None:
        """Add the time of the run that ends to the thread's."""
        if self.run_first is not None and self.run_last is not None and self.run_last > self.run_first:
            self.build.duration_s = (self.build.duration_s or 0.0) + self.run_last - self.run_first
        self.run_first = self.run_last = None

    def _run_finished(self, event: Record) -> None:
        if not self.running and not self.ended:
            self.note("run_without_start", "RUN_FINISHED without RUN_STARTED")
        unclosed = (
            ("message", len(self.open_texts)),
            ("tool call", len(self.open_calls)),
            ("step", sum(count > 0 for count in self.open_steps.values())),
        )
        for what, count in unclosed:
            if count:
                self.note("unclosed", f"the run finishes with an open {what}", about=what)
        self._spend(event)
        failed_before = self.ended and self.build.status == "error"
        self.running, self.ended = False, True
        if failed_before:  # noted as an event after the end: the failure stands
            return
        outcome = event.get("outcome")
        kind = as_text(as_dict(outcome).get("type")) or as_text(outcome) or "success"
        self.build.status = _OUTCOMES.get(kind, "finished")
        if kind != "success":
            self.note("outcome", f"the run's outcome is {kind}", about=kind)
        result = as_text(event.get("result"))
        self.build.final = None
        if result is not None and not any(d.role == "assistant" and d.text.tell() for d in self.build.messages):
            self.build.final = result

    def _run_error(self, event: Record) -> None:
        message = event.get("message")
        if message is None:
            message = event.get("error")
            self.note("error_without_message", "RUN_ERROR without a message")
        self._spend(event)
        self.running, self.ended = False, True
        self.build.status = "error"
        self.build.error = text_of(message) or as_text(event.get("code")) or "the run failed"

    def _spend(self, event: Record) -> None:
        usage = event.get("usage")
        for part in as_dicts([usage] if isinstance(usage, dict) else usage):
            self.build.spend(
                as_text(part.get("model")) or as_text(part.get("provider")),
                Usage(
                    input_total=as_count(part.get("inputTokens")),
                    cache_read=as_count(part.get("cachedInputTokens")),
                    cache_write=as_count(part.get("cacheWriteInputTokens")),
                    output=as_count(part.get("outputTokens")),
                    reasoning=as_count(part.get("reasoningTokens")),
                ),
            )

    def _usage_metadata(self, event: Record) -> None:
        """No event of the protocol, but several servers send it, and their recordings have no other count."""
        self.build.keep_unknown(event, "USAGE_METADATA", self.line)
        usage = Usage(input_total=as_count(event.get("input_tokens")), output=as_count(event.get("output_tokens")))
        self.build.spend(as_text(event.get("model")), usage)

    def _step_started(self, event: Record) -> None:
        key = (as_text(event.get("subagentRunId")), str(event.get("stepName")))
        self.open_steps[key] = self.open_steps.get(key, 0) + 1

    def _step_finished(self, event: Record) -> None:
        key = (as_text(event.get("subagentRunId")), str(event.get("stepName")))
        if self.open_steps.get(key, 0) < 1:
            self.note("step_not_open", f"step {key[1]} finishes without having started")
        else:
            self.open_steps[key] -= 1

    # Messages

    def message(self, name: str, role: str, lane: Lane) -> MessageDraft:
        """The message of that id, new where it is unknown or somebody else's."""
        draft = self.texts.get(name)
        if draft is None or draft.role != role:
            draft = self.texts[name] = MessageDraft(role, name, self._parent(lane))
            self.build.messages.append(draft)
        return draft

    def _parent(self, lane: Lane) -> str | None:
        return None if lane is None else self.subagents.get(lane, lane)

    def _text_start(self, event: Record) -> None:
        thinking = str(event["type"]).startswith("REASONING")
        lane = as_text(event.get("subagentRunId"))
        name = as_text(event.get("messageId"))
        if name is None:
            self.note("no_id", f"{event['type']} without a message id")
            name = f"message-{self.line}"
        if name in self.open_texts:
            self.note("duplicate_start", f"message {name} starts twice")
        self.open_texts.add(name)
        self.batches.pop(lane, None)
        role = "reasoning" if thinking else as_text(event.get("role")) or "assistant"
        draft = self.texts.get(name)
        if draft is not None and draft.role != role:
            # An id used again for somebody else's words, as after a snapshot: a new message.
            del self.texts[name]
        self.message(name, role, lane)

    def _text_content(self, event: Record) -> None:
        name = event.get("messageId")
        draft = self.texts.get(name) if isinstance(name, str) else None
        if draft is None:
            self.note("content_without_start", "content of a message that hasn't started")
            role = "reasoning" if str(event["type"]).startswith("REASONING") else "assistant"
            draft = self.message(as_text(name) or "message", role, as_text(event.get("subagentRunId")))
        delta = event.get("delta")
        if isinstance(delta, str):
            draft.text.write(delta)
        else:
            self.note("bad_delta", f"{event['type']} without a text to add")

    def _text_end(self, event: Record) -> None:
        name = as_text(event.get("messageId"))
        if name not in self.open_texts:
            self.note("end_without_start", "a message ends that hasn't started")
        elif name is not None:
            self.open_texts.discard(name)

    # Calls

    def _step(self, call: str, lane: Lane, parent_message: str | None) -> StepDraft:
        """The call of that id. Calls that start with nothing heard between them are one parallel batch."""
        step = self.build.steps.get(call)
        if step is not None:
            return step
        batch = self.batches.get(lane)
        other = batch is not None and None not in (batch[1], parent_message) and batch[1] != parent_message
        if batch is None or other:
            self.batch_count += 1
            batch = (f"batch-{self.batch_count}", parent_message)
            self.batches[lane] = batch
        step = self.build.call(call, None, group=batch[0], parent=self._parent(lane), started=self.time)
        step.closed = False
        return step

    def _call_id(self, event: Record) -> str:
        name = as_text(event.get("toolCallId"))
        if name is None:
            self.note("no_id", f"{event['type']} without a tool call id")
            return f"call-at-{self.line}"
        return self.known(name) or name

    def known(self, name: str | None) -> str | None:
        """The id under which a call is known."""
        return name if name is None or name in self.build.steps else self.aliases.get(name, name)

    def _call_start(self, event: Record) -> None:
        name = self._call_id(event)
        known = name in self.build.steps
        step = self._step(name, as_text(event.get("subagentRunId")), as_text(event.get("parentMessageId")))
        if known and (name in self.open_calls or step.closed):
            self.note("duplicate_start", f"call {name} starts twice")
            if step.closed:  # sent again from the start: its arguments will be too
                self.restarted.add(name)
        step.started = step.started if step.started is not None else self.time
        step.tool = as_text(event.get("toolCallName")) or step.tool
        self.open_calls.add(name)

    def _call_args(self, event: Record) -> None:
        name = self._call_id(event)
        step = self.build.steps.get(name)
        if step is None:
            self.note("arguments_without_call", "arguments of a call that hasn't started")
            step = self._step(name, as_text(event.get("subagentRunId")), None)
        elif step.closed and name not in self.restarted:
            self.note("arguments_after_end", f"arguments of call {name} after its end")
        if name in self.restarted:
            self.restarted.discard(name)
            step.set_raw("")
            step.closed = False
        self._add_delta(step, event.get("delta"))

    def _add_delta(self, step: StepDraft, delta: Json) -> None:
        if isinstance(delta, str):
            step.add_raw(delta)
        elif delta is not None:
            self.note("bad_delta", "arguments that are no text")
            step.add_raw(dumps(delta))

    def _call_end(self, event: Record) -> None:
        name = self._call_id(event)
        if name not in self.build.steps:
            self.note("end_without_start", "a call ends that hasn't started")
        self.open_calls.discard(name)
        self.restarted.discard(name)
        step = self._step(name, as_text(event.get("subagentRunId")), None)
        self._close(step)

    @staticmethod
    def _close(step: StepDraft) -> None:
        step.closed = True
        step.add_raw("")  # a call that ends without arguments has none, which is known

    def _call_result(self, event: Record) -> None:
        name = self._call_id(event)
        if name in self.open_calls:
            self.note("result_before_end", f"the result of call {name} before its end")
        content = event.get("content")
        if content is None and "result" in event:
            self.note("result_without_content", 'TOOL_CALL_RESULT with "result" in place of "content"')
            content = event["result"]
        lane = as_text(event.get("subagentRunId"))
        if name not in self.build.steps:
            self.build.call(name, None, parent=self._parent(lane))
            self.note("result_without_call", "a result whose call is not in the trace")
        self.build.result(name, text_of(content), ended=self.time, line=self.line)
        self.batches.pop(lane, None)

    # Chunks: one open message or call a lane, closed by whatever else comes in it

    def _chunk(self, event: Record) -> None:
        kind = str(event["type"])[:4]
        lane = as_text(event.get("subagentRunId"))
        key = "toolCallId" if kind == "TOOL" else "messageId"
        name = self.known(as_text(event.get(key))) if kind == "TOOL" else as_text(event.get(key))
        open_now = self.pending.get(lane)
        if open_now is not None and open_now[0] == kind and name in (None, open_now[1]):
            name = open_now[1]
        elif kind == "REAS" and name in self.open_texts:
            pass  # a chunk inside of a message that was started: as content
        else:
            self._close_lane(lane)
            if name is None:
                self.note("chunk_without_id", f"{event['type']} that opens nothing and continues nothing")
                return
            self.pending[lane] = (kind, name)
        delta = event.get("delta")
        if kind == "TOOL":
            step = self._step(name, lane, as_text(event.get("parentMessageId")))
            step.tool = as_text(event.get("toolCallName")) or step.tool
            self._add_delta(step, delta)
            return
        if name not in self.texts:
            self.batches.pop(lane, None)
        role = "reasoning" if kind == "REAS" else as_text(event.get("role"))
        draft = self.texts.get(name)
        if draft is None or (role is not None and draft.role != role):
            self.texts.pop(name, None)
            draft = self.message(name, role or "assistant", lane)
        if isinstance(delta, str):
            draft.text.write(delta)

    def _close_lanes(self, event: Record, kind: str) -> None:
        if kind == "MESSAGES_SNAPSHOT" or kind.startswith("RUN_"):
            for lane in list(self.pending):
                self._close_lane(lane)
        else:
            self._close_lane(as_text(event.get("subagentRunId")))

    def _close_lane(self, lane: Lane) -> None:
        kind, name = self.pending.pop(lane, ("", ""))
        if kind == "TOOL":
            self._close(self.build.steps[name])

    def _snapshot(self, event: Record) -> None:
        self._apply_snapshot(self, self.build.listed(event, "messages", self.line, must=True))

    # Subagents

    def _subagent_started(self, event: Record) -> None:
        name = as_text(event.get("subagentRunId"))
        if name is not None:
            self.subagents[name] = as_text(event.get("parentToolCallId")) or name

    def _subagent_error(self, event: Record) -> None:
        self.note("subagent_error", f"a subagent failed: {text_of(event.get('message'))}")

    def trace(self) -> Trace:
        """What the thread was, as far as it was told."""
        self._end_run()
        for lane in list(self.pending):
            if self.build.status != "truncated":
                self._close_lane(lane)
        return self.build.trace()
