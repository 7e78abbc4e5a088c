"""What readers build a trace with: steps by id, messages, tokens; the last of it turns into frozen data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import StringIO

from pytest_ppteval.trace.align import canonical
from pytest_ppteval.trace.jsontext import Record, as_dicts, dumps, loads, whole, whole_value
from pytest_ppteval.trace.model import HIDDEN_CALLS, Json, Message, Status, Step, Trace, Usage
from pytest_ppteval.trace.signs import call_sign, is_call_word
from pytest_ppteval.trace.source import Notes

UNKNOWN_MODEL = "unknown"
_KEPT_UNKNOWN = 100


@dataclass(slots=True)
class StepDraft:
    """A step that still grows. `raw` gathers streamed arguments; `args` is set where they come whole."""

    id: str
    tool: str = ""
    args: Json = None
    raw: StringIO | None = None
    closed: bool = True  # the arguments are all there, as far as the trace tells
    result: str | None = None
    failed: bool | None = None
    error: str | None = None
    started: float | None = None
    ended: float | None = None
    group: str | None = None
    parent: str | None = None

    def add_raw(self, text: str) -> None:
        """More of the arguments' text."""
        if self.raw is None:
            self.raw = StringIO()
        self.raw.write(text)

    def set_raw(self, text: str) -> None:
        """The whole text of the arguments."""
        self.raw = StringIO()
        self.raw.write(text)
        self.args = None

    def asked(self) -> str:
        """The arguments as text that is the same for equal ones."""
        try:
            value = self.args if self.raw is None else loads(self.raw.getvalue() or "{}")
        except ValueError:
            return self.raw.getvalue() if self.raw is not None else ""
        return canonical(value)


@dataclass(slots=True)
class MessageDraft:
    """A message that still grows."""

    role: str
    id: str | None = None
    parent: str | None = None
    text: StringIO = field(default_factory=StringIO)


class Pieces:
    """A text that comes in pieces, perhaps very many."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, text: str) -> None:
        """One more piece."""
        self._pieces.append(text)
        self._length += len(text)

    def is_all(self, text: str) -> bool:
        """Whether the pieces together are `text`."""
        return len(text) == self._length and text == "".join(self._pieces)

    def take(self) -> str:
        """The text so far; what follows is another."""
        text = "".join(self._pieces)
        self._pieces, self._length = [], 0
        return text


class Builder:
    """Gathers one trace."""

    def __init__(self, format_name: str, shared: Notes, run: str | None = None) -> None:
        self.format = format_name
        self.shared = shared  # of the whole file; the others are this run's
        self.notes = Notes()
        self.run = run
        self.steps: dict[str, StepDraft] = {}
        self.latest: dict[str, str] = {}  # an id that was used again -> the last step that has it
        self.messages: list[MessageDraft] = []
        self.usage: dict[str, Usage] = {}
        self.cost_usd: float | None = None
        self.duration_s: float | None = None
        self.first: float | None = None
        self.last: float | None = None
        self.status: Status = "truncated"
        self.error: str | None = None
        self.final: str | None = None
        self.unknown: list[dict[str, Json]] = []
        self.skills: dict[str, None] = {}  # as the trace lists them

    def call(
        self,
        call_id: str | None,
        tool: str | None,
        arguments: Json = None,
        *,
        group: str | None = None,
        parent: str | None = None,
        started: float | None = None,
    ) -> StepDraft:
        """The step of a call, new or (by its id) known. Arguments as text are JSON text."""
        step = self.steps.get(call_id) if call_id is not None else None
        if step is None:
            call_id = call_id if call_id is not None else self.fresh_id()
            step = self.steps[call_id] = StepDraft(call_id)
        step.tool = tool or step.tool
        if isinstance(arguments, str):
            step.set_raw(arguments)
        elif arguments is not None:
            step.args = arguments
        step.group = group if group is not None else step.group
        step.parent = parent if parent is not None else step.parent
        step.started = started if started is not None else step.started
        return step

    def call_again(self, call_id: str | None, tool: str | None, arguments: Json, *, group: str | None) -> StepDraft:
        """A call of a format whose history may be repeated, and whose servers may use an id again.

        The same id with the same tool and arguments is the call that is known; with others it is a new one, and
        results that come after it are its own.
        """
        known = self.steps.get(self.latest.get(call_id or "", call_id or ""))
        draft = StepDraft("", tool or "", None if isinstance(arguments, str) else arguments)
        if isinstance(arguments, str):
            draft.set_raw(arguments)
        if known is None or (known.tool == draft.tool and known.asked() == draft.asked()):
            return self.call(known.id if known is not None else call_id, tool, arguments, group=group)
        name = self.free_id(call_id)
        self.latest[call_id or ""] = name
        return self.call(name, tool, arguments, group=group)

    def unanswered(self, tool: str | None) -> str | None:
        """The first call (of a tool, if one is named) that has no result yet."""
        return next(
            (step.id for step in self.steps.values() if step.result is None and tool in (None, step.tool)), None
        )

    def result(
        self,
        call_id: str | None,
        text: str | None,
        *,
        failed: bool | None = None,
        error: str | None = None,
        ended: float | None = None,
        line: int | None = None,
        tool: str | None = None,
    ) -> StepDraft:
        """The answer to a call. An answer without its call is a step: the call did happen.

        tool: the tool's name, where the answer tells it.
        """
        call_id = self.latest.get(call_id, call_id) if call_id is not None else None
        step = self.steps.get(call_id) if call_id is not None else None
        if step is None:
            self.notes.add("result_without_call", "a result whose call is not in the trace", line)
            step = self.call(call_id, None)
        elif step.result is not None and text is not None:
            self.notes.add("duplicate_result", "a call with two results: the last counts", line)
        step.tool = step.tool or tool or ""
        step.result = text if text is not None else step.result
        if failed is not None:
            step.failed = failed
            step.error = (error or text or "failed") if failed else None
        step.ended = ended if ended is not None else step.ended
        return step

    def free_id(self, name: str | None) -> str:
        """`name` for a call, or what is made of it where another call has it."""
        if name is None:
            return self.fresh_id()
        number, free = 1, name
        while free in self.steps:
            number += 1
            free = f"{name} ({number})"
        return free

    def fresh_id(self) -> str:
        """An id for a call that has none."""
        number = len(self.steps) + 1
        while f"call-{number}" in self.steps:
            number += 1
        return f"call-{number}"

    def say(self, role: str, text: str, *, message_id: str | None = None, parent: str | None = None) -> None:
        """A whole message; empty ones are dropped."""
        if text.strip():
            draft = MessageDraft(role, message_id, parent)
            draft.text.write(text)
            self.messages.append(draft)

    def spend(self, model: str | None, usage: Usage) -> None:
        """Tokens, added to those of the same model. A usage of which nothing is known isn't one."""
        if usage == Usage():
            return
        name = model or UNKNOWN_MODEL
        old = self.usage.get(name)
        self.usage[name] = usage if old is None else old + usage

    def cost(self, usd: float | None) -> None:
        """Dollars, added to those before."""
        if usd is not None:
            self.cost_usd = usd if self.cost_usd is None else self.cost_usd + usd

    def at(self, time: float | None) -> None:
        """A moment of the run."""
        if time is not None:
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)

    def hidden(self, sign: str, line: int | None = None, *, about: str = "") -> None:
        """A sign of a call that can't be read as one: the steps are not known to be all calls any more."""
        self.notes.add(HIDDEN_CALLS, f"a tool call that can't be read: {sign}", line, about=about)

    def listed(self, record: dict[str, Json], key: str, line: int | None = None, *, must: bool = False) -> list[Record]:
        """The objects of a list in which the format keeps calls. What isn't as it should be there may have been some.

        must: the format always has the list.
        """
        value = record.get(key)
        found = as_dicts(value)
        if (value is None and must) or (value is not None and (not isinstance(value, list) or len(found) < len(value))):
            self.hidden(f"{key!r} is not as the format has it", line, about=key)
        return found

    def keep_unknown(self, event: dict[str, Json], kind: str, line: int | None) -> None:
        """An event of a kind that the reader doesn't know. One that speaks of tools may be a call."""
        sign = f"event {kind}" if is_call_word(kind) else call_sign(event)
        if sign is not None:
            self.hidden(f"{sign} in an event that is not known", line, about=kind)
        self.notes.add("unknown_event", f"unknown event {kind}: kept, not read", line, about=kind)
        if len(self.unknown) < _KEPT_UNKNOWN:
            self.unknown.append(event)

    def trace(self) -> Trace:
        """The frozen trace."""
        messages = tuple(self._messages())
        final = self.final or last_words(messages)
        if self.duration_s is None and self.first is not None and self.last is not None and self.last > self.first:
            self.duration_s = self.last - self.first
        if self.status == "truncated":
            self.notes.add("no_end", "the trace has no end of the run")
        elif self.shared.has("cut_off"):
            self.status = "truncated"
        steps = tuple(self._steps())
        return Trace(
            format=self.format,
            run=self.run,
            steps=steps,
            messages=messages,
            final_response=whole(final) if final is not None else None,
            usage=dict(self.usage),
            cost_usd=self.cost_usd,
            duration_s=None if self.duration_s is None else round(self.duration_s, 6),
            status=self.status,
            error=whole(self.error) if self.error is not None else None,
            diagnostics=self.shared.diagnostics() + self.notes.diagnostics(),
            unknown=tuple(self.unknown),
            skills=tuple(self.skills),
        )

    def _messages(self) -> Iterable[Message]:
        for draft in self.messages:
            text = draft.text.getvalue()
            if text.strip():
                yield Message(role=draft.role, text=whole(text), id=draft.id, parent=draft.parent)

    def _steps(self) -> Iterable[Step]:
        drafts = list(self.steps.values())
        for index, draft in enumerate(drafts):
            args, raw = self._arguments(draft)
            beside = drafts[max(0, index - 1) : index] + drafts[index + 1 : index + 2]
            grouped = draft.group is not None and any(other.group == draft.group for other in beside)
            if not draft.tool:
                self.notes.add("no_tool_name", f"call {draft.id} has no tool name")
            yield Step(
                id=whole(draft.id),
                tool=whole(draft.tool),
                args=args,
                args_raw=raw,
                result=whole(draft.result) if draft.result is not None else None,
                failed=draft.failed,
                error=whole(draft.error) if draft.error is not None else None,
                started=draft.started,
                ended=draft.ended,
                group=draft.group if grouped else None,
                parent=draft.parent,
            )

    def _arguments(self, draft: StepDraft) -> tuple[Json, str | None]:
        if draft.raw is None:
            if draft.args is None:
                return None, None
            raw = dumps(draft.args)
            return whole_value(draft.args, raw), whole(raw)
        raw = whole(draft.raw.getvalue())
        if not raw.strip():
            # A finished call with no text has no arguments; one that broke off may have had some.
            return ({}, raw) if draft.closed or draft.result is not None else (None, raw)
        try:
            return whole_value(loads(raw), raw), raw
        except ValueError as error:
            self.notes.add("bad_arguments", f"the arguments of {draft.tool or draft.id} are not whole JSON: {error}")
            return None, raw

    def last_words(self) -> str | None:
        """What the main agent said last, so far."""
        return last_words(tuple(self._messages()))


def last_words(messages: Sequence[Message]) -> str | None:
    """The text of the main agent's last message, of which each piece may be a message here, with the same id."""
    # A file of a subagent alone has no words of a main agent.
    lanes = {message.parent for message in messages}
    lane = None if len(lanes) != 1 else next(iter(lanes))
    said = [message for message in messages if message.role == "assistant" and message.parent == lane]
    if not said:
        return None
    last = said[-1]
    return "\n\n".join(one.text for one in said if one.id == last.id) if last.id is not None else last.text


def when(value: Json) -> float | None:
    """A moment in seconds since 1970: an ISO date with time, or a number of seconds, milli-, micro- or nanoseconds."""
    if type(value) is int and 1e11 <= value < 1e14:
        return value / 1e3
    if isinstance(value, str):
        if value.isdecimal() and len(value) < 25:
            value = int(value)
        else:
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                return None
            try:
                # Without a zone: UTC, as servers write it; the zone of this machine would change the result.
                return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
            except (ValueError, OverflowError, OSError):
                return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e20:
        return None
    # What the unit is isn't said anywhere. 1e11 seconds are in the year 5138, 1e11 milliseconds in 1973.
    for limit, divisor in ((1e11, 1), (1e14, 1e3), (1e17, 1e6)):
        if value < limit:
            return value / divisor
    return value / 1e9
