"""Claude Code's session files (~/.claude/projects/**/*.jsonl): what a session did, without a closing line.

Subagents stand in the same file (isSidechain) or, since 2026, in files of their own beside it:
SESSION.jsonl and SESSION/subagents/agent-*.jsonl; given a path, those are read with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain, maybe
from pytest_ppteval.trace.readers.blocks import read_blocks, tokens
from pytest_ppteval.trace.source import Source

_SILENT = frozenset(
    (
        "system",
        "summary",
        "progress",
        "queue-operation",
        "file-history-snapshot",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "tag",
        "mode",
        "permission-mode",
        "last-prompt",
        "pr-link",
        "worktree-state",
    )
)
# A skill in the listing that the model is shown: "- name: what it is for"; the name may have a plugin's before it.
_LISTED = re.compile(r"^\s*[-*]\s+/?([^\s:]+(?::[^\s:]+)*)(?=:\s|\s*$)", re.MULTILINE)
_SUBAGENT_TOOLS = ("Task", "Agent")


class _Session:
    def __init__(self, source: Source) -> None:
        self.build = Builder("claude-session", source.notes)
        self.by_message: dict[str, tuple[str | None, Usage]] = {}
        self.seen: set[str] = set()
        self.chains: dict[str, str] = {}  # uuid of a sidechain's line -> the subagent
        self.callers: dict[str, str] = {}  # subagent -> the step that started it
        self.prompts: dict[str, str] = {}  # subagent -> what it was asked
        self.answered = False
        self.last_message: str | None = None

    def line(self, record: Record, number: int) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.build.notes.add("no_type", "an object without a type: skipped", number)
            return
        name = as_text(record.get("uuid"))
        if name is not None and name in self.seen:
            return  # a resumed session repeats what came before
        self.seen.update([name] if name is not None else [])
        time = when(record.get("timestamp"))
        if kind == "progress":
            agent = as_text(as_dict(record.get("data")).get("agentId"))
            caller = as_text(record.get("parentToolUseID"))
            if agent is not None and caller is not None:
                self.callers[agent] = caller
        elif kind == "assistant":
            self.build.at(time)
            self.assistant(record, number, self.subagent(record), time)
        elif kind == "user":
            self.build.at(time)
            self.user(record, number, self.subagent(record), time)
        elif kind == "attachment":
            attached = as_dict(record.get("attachment"))
            if attached.get("type") == "skill_listing":
                self.build.skills |= dict.fromkeys(_LISTED.findall(as_text(attached.get("content")) or ""))
        elif kind not in _SILENT:
            self.build.keep_unknown(record, kind, number)

    def subagent(self, record: Record) -> str | None:
        """Whose line it is: None for the main agent."""
        if record.get("isSidechain") is not True:
            return None
        name = as_text(record.get("uuid")) or ""
        agent = as_text(record.get("agentId"))
        if agent is None:
            above = as_text(record.get("parentUuid")) or ""
            agent = self.chains.get(above) or f"sidechain-{name[:8]}"
        self.chains[name] = agent
        if agent not in self.prompts and record.get("type") == "user":
            self.prompts[agent] = text_of(as_dict(record.get("message")).get("content"))
        return agent

    def assistant(self, record: Record, number: int, parent: str | None, time: float | None) -> None:
        message = as_dict(record.get("message"))
        content = message.get("content")
        if record.get("isApiErrorMessage") is True:
            self.build.status, self.build.error = "error", text_of(content)
            return
        if message.get("model") == "<synthetic>":  # words of the client, not of a model
            read_blocks(self.build, "system", content, parent=parent)
            return
        message_id = as_text(message.get("id"))
        read_blocks(
            self.build,
            "assistant",
            content,
            group=message_id,
            parent=parent,
            time=time,
            line=number,
            message_id=message_id,
        )
        if "usage" in message:
            # Every line of a message has its usage so far: the last one counts, once.
            usage = tokens(as_dict(message.get("usage")))
            self.by_message[message_id or f"line {number}"] = (as_text(message.get("model")), usage)
        if parent is None:
            kinds = {as_text(block.get("type")) for block in as_dicts(content)}
            if message_id is None or message_id != self.last_message or not kinds <= {"thinking", "redacted_thinking"}:
                self.answered = isinstance(content, str) or ("text" in kinds and "tool_use" not in kinds)
            self.last_message = message_id
            self.build.status, self.build.error = "truncated", None

    def user(self, record: Record, number: int, parent: str | None, time: float | None) -> None:
        message = as_dict(record.get("message"))
        content = message.get("content")
        agent = as_text(as_dict(record.get("toolUseResult")).get("agentId"))
        results = [block for block in as_dicts(content) if block.get("type") == "tool_result"]
        caller = as_text(results[0].get("tool_use_id")) if len(results) == 1 else None
        if agent is not None and caller is not None:
            self.callers[agent] = caller
        from_client = any(record.get(flag) is True for flag in ("isMeta", "isCompactSummary"))
        if not results and not from_client and "<local-command-stdout>" in text_of(content):
            from_client = True
        read_blocks(self.build, "system" if from_client else "user", content, parent=parent, time=time, line=number)
        if parent is None and not from_client and "<command-name>" not in text_of(content):
            # A command is carried out by the client. Where it asks the model, a line of the client follows.
            self.answered = False
            self.build.status = "cancelled" if "[Request interrupted by user" in text_of(content) else "truncated"

    def trace(self) -> Trace:
        build = self.build
        for model, usage in self.by_message.values():
            build.spend(model, usage)
        for step in build.steps.values():
            if step.tool in _SUBAGENT_TOOLS:
                for agent, prompt in self.prompts.items():
                    if agent not in self.callers and as_dict(step.args).get("prompt") == prompt:
                        self.callers[agent] = step.id
                        break
        for step in build.steps.values():
            step.parent = self.callers.get(step.parent or "", step.parent)
        for message in build.messages:
            message.parent = self.callers.get(message.parent or "", message.parent)
        lanes = {message.parent for message in build.messages}
        if lanes and None not in lanes:
            self.answered = build.messages[-1].role == "assistant"
        if self.answered and build.status == "truncated":
            build.status = "finished"
        return build.trace()


def _files(source: Source) -> Iterator[Source]:
    yield source
    if source.path is not None:
        for path in sorted((source.path.with_suffix("") / "subagents").glob("agent-*.jsonl")):
            part = Source(path)
            part.notes = source.notes
            yield part


def _read(source: Source) -> list[Trace]:
    session = _Session(source)
    for part in _files(source):
        for number, record in part.records():
            if session.build.run is None:
                session.build.run = as_text(record.get("sessionId"))
            session.line(record, number)
    return [session.trace()]


def _recognise(head: Head) -> Sign | None:
    lines = [r for r in head.records if r.get("type") in ("user", "assistant") and "sessionId" in r]
    if any("uuid" in line and "role" in as_dict(line.get("message")) for line in lines):
        return certain("lines with sessionId, uuid and a message")
    return maybe("lines with sessionId, but without uuid or message") if lines else None


READER = Reader(
    name="claude-session",
    title="Claude Code, session file",
    recognise=_recognise,
    read=_read,
    not_calls=frozenset(("toolUseID", "parentToolUseID")),  # hooks have them, too
)
