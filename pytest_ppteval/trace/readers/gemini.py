"""Gemini CLI's `gemini -p --output-format stream-json`, and its `json`, which has the answer and sums only.

Lines: init, message (the assistant's in pieces, delta: true), tool_use {tool_name, tool_id, parameters}, tool_result
{tool_id, status, output, error}, error {severity}, result {status, stats}. A tool's output there is what a person is
shown: that of read_file is "" (the session file has it). The sum of output tokens leaves out the thoughts, the total
has them.

Not told: costs; thoughts; what subagents did (their calls are in the sum of calls).
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, Pieces, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_number, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.source import Source

_OWN = frozenset(("init", "message", "tool_use", "tool_result", "error", "result"))


class _Run:
    def __init__(self, source: Source) -> None:
        self.build = Builder("gemini-cli", source.notes)
        self.model: str | None = None
        self.words = Pieces()
        self.running: set[str] = set()
        self.batch = 0

    def line(self, kind: str, record: Record, number: int) -> None:
        build = self.build
        time = when(record.get("timestamp"))
        build.at(time)
        role = as_text(record.get("role")) or "unknown"
        if kind != "message" or role != "assistant" or record.get("delta") is not True:
            self.flush()
        call = as_text(record.get("tool_id"))
        if kind == "init":
            build.run, self.model = as_text(record.get("session_id")), as_text(record.get("model"))
        elif kind == "message":
            if role == "assistant":
                self.words.add(text_of(record.get("content")))
            else:
                build.say(role, text_of(record.get("content")))
                build.status, build.error = "truncated", None
        elif kind == "tool_use":
            self.batch += not self.running  # what starts while something runs was asked for with it
            tool = as_text(record.get("tool_name"))
            step = build.call(call, tool, record.get("parameters"), group=f"batch-{self.batch}", started=time)
            self.running.add(step.id)
        elif kind == "tool_result":
            self.running.discard(call or "")
            status, error = record.get("status"), as_dict(record.get("error"))
            failed = True if error or status == "error" else False if status == "success" else None
            output = record.get("output")
            text = None if output is None else text_of(output)
            build.result(call, text, failed=failed, error=as_text(error.get("message")), ended=time, line=number)
        elif kind == "error":
            build.notes.add("error_item", f"the agent met an error: {text_of(record.get('message'))}", number)
        elif kind == "result":
            self.end(record, number)
        else:
            build.keep_unknown(record, kind, number)

    def flush(self) -> None:
        self.build.say("assistant", self.words.take())

    def end(self, record: Record, number: int) -> None:
        build = self.build
        failed = record.get("status") != "success"
        build.status = "error" if failed else "finished"
        error = as_dict(record.get("error"))
        build.error = (as_text(error.get("message")) or "the run failed") if failed else None
        stats = as_dict(record.get("stats"))
        milliseconds = as_number(stats.get("duration_ms"))
        build.duration_s = None if milliseconds is None else milliseconds / 1000
        for model, usage in (as_dict(stats.get("models")) or {self.model or "": stats}).items():
            build.spend(model or None, _stream_usage(as_dict(usage)))
        count = as_count(stats.get("tool_calls"))
        if count is not None and count > len(build.steps):
            build.hidden(f"{count} calls are counted, {len(build.steps)} are in the file", number)


def _stream_usage(stats: Record) -> Usage:
    asked, total = as_count(stats.get("input_tokens")), as_count(stats.get("total_tokens"))
    said = as_count(stats.get("output_tokens"))
    if asked is not None and total is not None and total - asked >= (said or 0):
        said = total - asked
    return Usage(input_total=asked, cache_read=as_count(stats.get("cached")), output=said)


def tokens(fields: Record, prompt: str, answer: str) -> Usage:
    """Tokens with the thoughts beside the answer, and what tools added to the prompt beside the prompt."""
    asked, said = as_count(fields.get(prompt)), as_count(fields.get(answer))
    thought = as_count(fields.get("thoughts"))
    return Usage(
        input_total=None if asked is None else asked + (as_count(fields.get("tool")) or 0),
        cache_read=as_count(fields.get("cached")),
        output=None if said is None else said + (thought or 0),
        reasoning=thought,
    )


def _summary(source: Source, record: Record, line: int) -> Trace:
    """The one object of --output-format json."""
    build = Builder("gemini-cli", source.notes, as_text(record.get("session_id")))
    build.say("assistant", text_of(record.get("response")))
    stats, error = as_dict(record.get("stats")), record.get("error")
    for model, usage in as_dict(stats.get("models")).items():
        build.spend(model, tokens(as_dict(as_dict(usage).get("tokens")), "prompt", "candidates"))
    build.status = "error" if error else "finished"
    build.error = (as_text(as_dict(error).get("message")) or text_of(error)) if error else None
    count = as_count(as_dict(stats.get("tools")).get("totalCalls"))
    if count != 0:
        many = "calls" if count is None else f"{count} calls"
        build.hidden(f"the json output only counts {many}: stream-json has them", line)
    return build.trace()


def _read(source: Source) -> list[Trace]:
    runs: list[_Run] = []
    summaries: list[Trace] = []
    for number, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            if "response" in record or "stats" in record:
                summaries.append(_summary(source, record, number))
            else:
                source.notes.add("no_type", "an object without a type: skipped", number)
            continue
        if not runs or (kind == "init" and runs[-1].build.run not in (None, record.get("session_id"))):
            runs.append(_Run(source))
        runs[-1].line(kind, record, number)
    for run in runs:
        run.flush()
    return [run.build.trace() for run in runs] + summaries or [Builder("gemini-cli", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    alike = False
    for record in head.records:
        kind = record.get("type")
        stats = as_dict(record.get("stats"))
        if kind in ("tool_use", "tool_result") and "tool_id" in record:
            return certain(f"{kind} lines with tool_id")
        if kind == "result" and {"tool_calls", "total_tokens", "duration_ms"} <= set(stats):
            return certain("a result with stats of tokens and tool_calls")
        if kind is None and {"models", "tools"} <= set(stats) and {"response", "error"} & set(record):
            return certain("an object with a response and stats of models and tools")
        if kind == "init" and {"session_id", "model", "timestamp"} <= set(record):
            return certain("an init line with session_id, model and timestamp")
        alike = alike or (as_text(kind) in _OWN and "timestamp" in record and "role" in record)
    return maybe("messages with type, role and timestamp, but no init line") if alike else None


READER = Reader(name="gemini-cli", title="Gemini CLI, stream-json", recognise=_recognise, read=_read)
