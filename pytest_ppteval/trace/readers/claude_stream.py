"""Claude Code's --output-format stream-json: JSON Lines that end with a result. With json it is the result alone.

One message of the API comes in several lines, each with the whole usage, so that usage counts once a message. The
result line's sums are over all of it and win.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_list, as_number, as_text, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.blocks import read_blocks, tokens
from pytest_ppteval.trace.source import Source

# Lines about the tool itself, and pieces of messages that come whole as well.
_SILENT = frozenset(
    (
        "system",
        "stream_event",
        "control_request",
        "control_response",
        "keep_alive",
        "rate_limit_event",
        "tool_progress",
        "auth_status",
        "tool_use_summary",
        "prompt_suggestion",
    )
)


_LIMITS = ("error_max_turns", "error_max_budget_usd")
_KINDS = ("system", "assistant", "user", "result", "stream_event")
_RESULT = frozenset(("num_turns", "total_cost_usd", "modelUsage", "permission_denials"))


class _Session:
    """The lines of one session."""

    def __init__(self, source: Source, name: str | None) -> None:
        self.build = Builder("claude-code", source.notes, name)
        self.by_message: dict[str, tuple[str | None, Usage]] = {}
        self.by_turn: Usage | None = None
        self.by_model: dict[str, Usage] = {}
        self.seen: set[str] = set()
        self.turns = 0.0
        self.last_result: str | None = None
        self.api_error: str | None = None  # what the client said in place of an answer

    def line(self, kind: str, record: Record, number: int) -> None:
        if kind == "system" and record.get("subtype") == "init":
            # A skill can be called as a command, and stands in both lists or in one, by the version.
            for key in ("skills", "slash_commands"):
                names = [as_text(name) for name in as_list(record.get(key))]
                self.build.skills |= dict.fromkeys(name.removeprefix("/") for name in names if name)
        if kind in _SILENT:
            return
        name = as_text(record.get("uuid"))
        if name is not None and name in self.seen:
            self.build.notes.add("duplicate_line", "a line with a uuid that was there before: skipped", number)
            return
        self.seen.update([name] if name is not None else [])
        if kind in ("assistant", "user"):
            message = as_dict(record.get("message"))
            parent = as_text(record.get("parent_tool_use_id"))
            message_id = as_text(message.get("id"))
            content = message.get("content")
            if message.get("model") == "<synthetic>":  # words of the client, not of a model
                self.api_error = text_of(content) if _is_api_error(record, content) else self.api_error
                read_blocks(self.build, "system", content, parent=parent, line=number)
                return
            self.api_error = None if kind == "assistant" else self.api_error
            own_id = message_id if kind == "assistant" else None
            group = message_id or name
            read_blocks(self.build, kind, content, group=group, parent=parent, line=number, message_id=own_id)
            if kind == "assistant" and "usage" in message:
                usage = tokens(as_dict(message.get("usage")))
                self.by_message[message_id or f"line {number}"] = (as_text(message.get("model")), usage)
        elif kind == "result":
            self.result(record)
        else:
            self.build.keep_unknown(record, kind, number)

    def result(self, record: Record) -> None:
        build = self.build
        subtype = as_text(record.get("subtype")) or "success"
        errors = record.get("errors")
        words = "; ".join(text_of(error) for error in errors) if isinstance(errors, list) else ""
        text = as_text(record.get("result"))
        if self.api_error is not None and text in (None, self.api_error):
            text = words = self.api_error
        failed = record.get("is_error") is True or subtype != "success" or bool(words)
        build.status = "cancelled" if subtype in _LIMITS else "error" if failed else "finished"
        self.last_result = None if failed else text
        build.error = (words or text or subtype) if failed else None
        self.turns += as_number(record.get("num_turns")) or 0
        build.cost_usd = as_number(record.get("total_cost_usd"))  # of the session so far
        milliseconds = as_number(record.get("duration_ms"))
        if milliseconds is not None:
            build.duration_s = (build.duration_s or 0.0) + milliseconds / 1000
        if "usage" in record:
            turn = tokens(as_dict(record.get("usage")))
            self.by_turn = turn if self.by_turn is None else self.by_turn + turn
        models = as_dict(record.get("modelUsage"))
        if models:
            self.by_model = {model: tokens(as_dict(usage)) for model, usage in models.items()}
            if build.cost_usd is None:
                costs = [as_number(as_dict(usage).get("costUSD")) for usage in models.values()]
                build.cost_usd = sum(cost for cost in costs if cost is not None) if None not in costs else None
        for denial in build.listed(record, "permission_denials"):
            # The agent asked for it, so it is a step; that it was refused is its failure.
            call = as_text(denial.get("tool_use_id"))
            build.call(call, as_text(denial.get("tool_name")), denial.get("tool_input"))
            if call is not None:
                build.result(call, None, failed=True, error="permission denied")

    def trace(self) -> Trace:
        build = self.build
        # The result has the first text of the last message, or none, where that came in several pieces.
        if self.last_result is not None and not _holds(build.last_words(), self.last_result):
            build.final = self.last_result
        if self.turns > 1 and not build.steps:
            build.hidden(f"the result counts {self.turns:g} turns, and there is no call")
        if len(self.by_model) == 1 and self.by_turn is not None:
            # The session's sums may leave out the cache, which the turn's have.
            (model, usage), turn = next(iter(self.by_model.items())), self.by_turn
            if usage.cache_read is None and usage.input_total == turn.input_total:
                self.by_model[model] = turn
        if self.by_model:
            for model, usage in self.by_model.items():
                build.spend(model, usage)
        elif self.by_turn is not None:
            models = {model for model, _ in self.by_message.values()}
            build.spend(models.pop() if len(models) == 1 else None, self.by_turn)
        else:
            for name, usage in self.by_message.values():
                build.spend(name, usage)
        return build.trace()


def _is_api_error(record: Record, content: Json) -> bool:
    return bool(record.get("error")) or text_of(content).startswith("API Error")


def _holds(text: str | None, part: str) -> bool:
    """Whether a text has another in it, white space aside."""
    return text is not None and " ".join(part.split()) in " ".join(text.split())


def _read(source: Source) -> list[Trace]:
    sessions: dict[str | None, _Session] = {}
    current: _Session | None = None
    results_only = True
    for number, record in source.records():
        kind = record.get("type")
        results_only = results_only and kind == "result"
        if not isinstance(kind, str):
            source.notes.add("no_type", "an object without a type: skipped", number)
            continue
        name = as_text(record.get("session_id"))
        if current is None or (name is not None and name != current.build.run):
            if name not in sessions:
                sessions[name] = _Session(source, name)
            current = sessions[name]
        current.line(kind, record, number)
    for session in sessions.values() if results_only else ():
        session.build.hidden(
            "the file holds the result only, as --output-format json writes it; stream-json has the calls"
        )
    return [session.trace() for session in sessions.values()] or [Builder("claude-code", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    lines = [r for r in head.records if r.get("type") in _KINDS and "session_id" in r]
    for line in lines:
        kind, message = line["type"], as_dict(line.get("message"))
        if "parent_tool_use_id" in line and (message or kind == "stream_event"):
            return certain("messages with parent_tool_use_id")
        if kind == "system" and line.get("subtype") == "init" and {"tools", "mcp_servers"} <= set(line):
            return certain("system/init with tools and mcp_servers")
        blocks = {as_text(block.get("type")) for block in as_dicts(message.get("content"))}
        if (kind == "assistant" and "id" in message) or blocks & {"tool_use", "tool_result"}:
            return certain("messages of Anthropic's API with a session_id")
        if kind == "result" and not _RESULT.isdisjoint(line):
            return certain("a result with num_turns, total_cost_usd or permission_denials")
        if kind == "result" and str(line.get("subtype")).startswith("error_"):
            return certain(f"a result {line['subtype']}")
    # Other agents write lines like these (Cursor), and their calls in lines of their own.
    return (
        maybe("lines with type and session_id as Claude Code writes them, but nothing that only it has")
        if lines
        else None
    )


READER = Reader(name="claude-code", title="Claude Code, stream-json or json", recognise=_recognise, read=_read)
