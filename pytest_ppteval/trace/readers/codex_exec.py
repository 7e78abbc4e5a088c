"""Codex: `codex exec --json`. Items start, are updated, and complete; there are no times and no costs."""

from __future__ import annotations

from itertools import pairwise

from pytest_ppteval.trace.build import Builder, StepDraft
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_text, dumps, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.signs import is_call_word
from pytest_ppteval.trace.source import Source

_NOT_ARGUMENTS = frozenset(("id", "type", "tool", "status", "result", "error", "agents_states"))
_KINDS = frozenset(
    ("thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.completed")
)
_FAILED = ("failed", "declined")


def _call(item: Record) -> tuple[str, Json, str | None] | None:
    """Tool, arguments and result of an item that is a call."""
    kind = as_text(item.get("type")) or ""
    if kind == "command_execution":
        return kind, {"command": item.get("command")}, as_output(item.get("aggregated_output"))
    if kind == "file_change":
        return kind, {"changes": item.get("changes")}, None
    if kind == "mcp_tool_call":
        # Named as Claude Code does, so that traces of both compare.
        name = f"mcp__{as_text(item.get('server')) or ''}__{as_text(item.get('tool')) or ''}"
        arguments = item.get("arguments")
        return name, arguments if arguments is not None else {}, _result(item.get("result"))
    if kind == "web_search":
        return kind, {"query": item.get("query")}, None
    if kind == "todo_list":
        return kind, {"items": item.get("items")}, None
    tool = as_text(item.get("tool"))
    if kind.endswith("_tool_call") and tool is not None:
        arguments = {key: value for key, value in item.items() if key not in _NOT_ARGUMENTS}
        return tool, arguments, _result(item.get("result") or item.get("agents_states"))
    return None


def as_output(value: Json) -> str | None:
    """An output, of which "" is one too."""
    return value if isinstance(value, str) else None


def _result(value: Json) -> str | None:
    if value is None:
        return None
    content = as_dict(value).get("content")
    return text_of(content) if content is not None else value if isinstance(value, str) else dumps(value)


class _Thread:
    """The events of one thread; `codex exec` and `codex exec resume` of it may be in one file."""

    def __init__(self, source: Source, name: str | None) -> None:
        self.build = Builder("codex-exec", source.notes, name)
        self.running: set[str] = set()  # steps
        self.batch = 0
        self.named: dict[str, str] = {}  # an item's id -> its step, in the process that writes now
        self.used: list[Usage] = []

    def begin(self) -> None:
        """A process starts: it numbers its items from the start again."""
        self.named.clear()
        self.running.clear()

    def event(self, kind: str, record: Record, line: int) -> None:
        build = self.build
        if kind == "turn.started":
            build.status, build.error = "truncated", None
            self.named = {name: step for name, step in self.named.items() if step in self.running}
        elif kind == "turn.completed":
            build.status, build.error = "finished", None
            usage = as_dict(record.get("usage"))
            self.used.append(
                Usage(
                    input_total=as_count(usage.get("input_tokens")),
                    cache_read=as_count(usage.get("cached_input_tokens")),
                    output=as_count(usage.get("output_tokens")),
                    reasoning=as_count(usage.get("reasoning_output_tokens")),
                )
            )
        elif kind in ("turn.failed", "error"):
            error = record.get("error")
            words = as_text(as_dict(error).get("message")) or as_text(record.get("message")) or text_of(error)
            build.status, build.error = "error", words or "the turn failed"
        elif kind.startswith("item."):
            self.item(kind, as_dict(record.get("item")), line)
        else:
            build.keep_unknown(record, kind, line)

    def item(self, kind: str, item: Record, line: int) -> None:
        found = _call(item)
        if found is None:
            if kind == "item.completed":
                _say(self.build, item, line)
            elif is_call_word(str(item.get("type"))):
                self.build.hidden(f"an item {item.get('type')}", line, about=str(item.get("type")))
            return
        tool, arguments, result = found
        name = as_text(item.get("id"))
        step = self.build.steps.get(self.named.get(name or "", ""))
        if step is None or self.is_another(kind, step, tool, arguments):
            self.batch += not self.running  # what starts while something runs was asked for with it
            step = self.build.call(self.build.free_id(name), tool, group=f"batch-{self.batch}")
        step.tool, step.args = tool, arguments
        if name is not None:
            self.named[name] = step.id
        if kind == "item.completed":
            self.running.discard(step.id)
            _complete(self.build, item, step.id, result, line)
        else:
            self.running.add(step.id)

    def is_another(self, kind: str, step: StepDraft, tool: str, arguments: Json) -> bool:
        """Whether an item with the id of a call that is over is a call of its own: ids were numbered anew."""
        if step.id in self.running or kind == "item.updated":
            return False
        return kind == "item.started" or (step.tool, step.args) != (tool, arguments)

    def trace(self) -> Trace:
        if self.used:
            # A thread that is resumed goes on counting from where it was. Where the counts go down, they are of turns.
            sums = all(_is_sum(one, two) for one, two in pairwise(self.used))
            for usage in self.used[-1:] if sums else self.used:
                self.build.spend(None, usage)
        return self.build.trace()


def _is_sum(before: Usage, after: Usage) -> bool:
    """Whether `after` may count all that `before` did."""
    counts = [(before.input_total, after.input_total), (before.output, after.output)]
    return all(one is not None and two is not None and one <= two for one, two in counts)


def _read(source: Source) -> list[Trace]:
    threads: dict[str | None, _Thread] = {}
    current: _Thread | None = None
    for line, record in source.records():
        kind = as_text(record.get("type"))
        if kind is None:
            source.notes.add("no_type", "an object without a type: skipped", line)
            continue
        if kind == "thread.started":
            name = as_text(record.get("thread_id"))
            if current is not None and None in threads:  # events before it are of the same thread
                threads[name] = threads.pop(None)
                current.build.run = name
            current = threads.setdefault(name, _Thread(source, name))
            current.begin()
            continue
        if current is None:
            current = threads.setdefault(None, _Thread(source, None))
        current.event(kind, record, line)
    return [thread.trace() for thread in threads.values()] or [Builder("codex-exec", source.notes).trace()]


def _complete(build: Builder, item: Record, name: str, result: str | None, line: int) -> None:
    code, status, error = item.get("exit_code"), as_text(item.get("status")), item.get("error")
    failed: bool | None = None
    if status in _FAILED or error:
        failed = True
    elif isinstance(code, int):
        failed = code != 0
    elif status == "completed" and "exit_code" not in item:
        # A command has an exit code where it ended; without, it was left to itself.
        failed = None if item.get("type") == "command_execution" else False
    words = as_text(as_dict(error).get("message")) or text_of(error)
    if failed and not words:
        words = f"exit code {code}" if code is not None else status or ""
    build.result(name, result, failed=failed, error=words, line=line)


def _say(build: Builder, item: Record, line: int) -> None:
    kind = as_text(item.get("type")) or ""
    if kind == "agent_message":
        build.say("assistant", as_text(item.get("text")) or "", message_id=as_text(item.get("id")))
    elif kind == "reasoning":
        build.say("reasoning", as_text(item.get("text")) or "", message_id=as_text(item.get("id")))
    elif kind == "error":
        build.notes.add("error_item", f"the agent met an error: {text_of(item.get('message'))}", line)
    else:
        build.keep_unknown(item, kind or "item without type", line)


def _recognise(head: Head) -> Sign | None:
    for record in head.records:
        kind, item = record.get("type"), as_dict(record.get("item"))
        if kind == "thread.started" and "thread_id" in record:
            return certain("thread.started with thread_id")
        if kind in ("item.started", "item.updated", "item.completed") and {"id", "type"} <= set(item):
            return certain("item events with an item")
        if kind == "turn.completed" and "usage" in record:
            return certain("turn.completed with usage")
    kinds = sorted({str(record.get("type")) for record in head.records} & _KINDS)
    return maybe(f"events named {kinds[0]}, without what Codex writes in them") if kinds else None


READER = Reader(name="codex-exec", title="Codex, exec --json", recognise=_recognise, read=_read)
