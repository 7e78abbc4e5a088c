"""AG-UI's MESSAGES_SNAPSHOT: where it and the stream disagree, the snapshot is right. No format by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.trace.align import canonical
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, dumps, loads, text_of

if TYPE_CHECKING:
    from pytest_ppteval.trace.readers.agui_thread import Thread


def apply_snapshot(thread: Thread, messages: list[Record]) -> None:
    """Replace the thread's messages, and correct its calls."""
    before = thread.build.messages
    thread.build.messages = []
    named = dict(thread.texts)
    thread.texts = {}
    _know_again(thread, messages)
    calls: list[str] = []
    asked: list[str] = []  # calls that wait for their results, where results name calls that nobody made
    named_results = {thread.known(_answered(message)) for message in messages if message.get("role") == "tool"}
    for number, message in enumerate(messages):
        role = as_text(message.get("role")) or "unknown"
        name = as_text(message.get("id")) or f"snapshot-{thread.line}-{number}"
        if role == "tool":
            _result(thread, message, asked)
            continue
        found = _calls(thread, message, name)
        calls += found
        if found:
            asked = [call for call in found if call not in named_results]
        if role != "activity":
            old = named.get(name)
            draft = thread.message(name, role, None)
            draft.parent = old.parent if old is not None and old.role == role else None
            draft.text.write(text_of(message.get("content")))
    # Thinking and what subagents said need not be in a snapshot; it says nothing against them.
    for index, draft in enumerate(before):
        apart = draft.role == "reasoning" or draft.parent is not None
        if apart and draft.id is not None and draft.id not in thread.texts:
            thread.texts[draft.id] = draft
            thread.build.messages.insert(index, draft)
    _sort(thread, calls)
    thread.batches.clear()


def _listed(message: Record) -> list[Record]:
    return as_dicts(message.get("toolCalls")) or as_dicts(message.get("tool_calls"))


def _answered(message: Record) -> str | None:
    return as_text(message.get("toolCallId")) or as_text(message.get("tool_call_id"))


def _asked(call: Record) -> tuple[str | None, str | None]:
    """The tool, and its arguments as text."""
    function = as_dict(call.get("function"))
    arguments = function.get("arguments")
    raw = arguments if isinstance(arguments, str) else None if arguments is None else dumps(arguments)
    return as_text(function.get("name")), raw


def _know_again(thread: Thread, messages: list[Record]) -> None:
    """Find the steps of calls whose ids are new: some servers make up ids anew for each snapshot.

    A snapshot tells the whole thread, in order. So a call with a new id is the next step, among those that the
    snapshot doesn't name, with that tool and those arguments; or else the next with that tool before a step that is
    named. Only a call for which there is none is a new one.
    """
    listed = [call for message in messages for call in _listed(message)]
    ids = [thread.known(as_text(call.get("id"))) for call in listed]
    steps = thread.build.steps
    if all(name in steps for name in ids):
        return
    order = list(steps)
    place = {name: index for index, name in enumerate(order)}
    free = {index for index, name in enumerate(order) if steps[name].parent is None} - {
        place[name] for name in ids if name in place
    }
    keys = [_key(step.tool, step.raw.getvalue() if step.raw is not None else "") for step in steps.values()]
    found: list[int | None] = [place.get(name or "") for name in ids]
    for same_arguments in (True, False):
        last = -1
        for index, call in enumerate(listed):
            at = found[index]
            if at is None and ids[index] not in steps:
                tool, raw = _asked(call)
                after = next((place for place in found[index + 1 :] if place is not None), len(order))
                fits = [
                    one
                    for one in sorted(free)
                    if last < one < after
                    and (keys[one] == _key(tool or "", raw or "") if same_arguments else steps[order[one]].tool == tool)
                ]
                if not fits:
                    continue
                at = found[index] = fits[0]
                free.discard(at)
                name = as_text(call.get("id"))
                if name is None:
                    call["id"] = order[at]
                else:
                    thread.aliases[name] = order[at]
            last = at if at is not None else last


def _key(tool: str, raw: str) -> tuple[str, str]:
    """What makes two calls equal."""
    try:
        value = loads(raw.strip() or "{}")
    except ValueError:
        return tool, raw
    return tool, canonical(value)


def _calls(thread: Thread, message: Record, name: str) -> list[str]:
    """Correct or add the calls of a message; their ids."""
    found = []
    calls = _listed(message)
    for call in calls:
        tool, raw = _asked(call)
        call_id = thread.known(as_text(call.get("id")))
        if call_id is None:
            thread.note("no_id", "a call without id in a snapshot")
            call_id = thread.build.fresh_id()
        step = thread.build.steps.get(call_id)
        if step is None:
            step = thread.build.call(call_id, tool)
        elif tool is not None and step.tool != tool:
            if step.tool:
                thread.note("corrected", f"a snapshot names the tool {tool}, the stream {step.tool}")
            step.tool = tool
        if raw:
            if step.raw is not None and not _same(step.raw.getvalue(), raw):
                thread.note("corrected", f"a snapshot corrects the arguments of call {call_id}")
            step.set_raw(raw)
        step.closed = True
        thread.open_calls.discard(call_id)
        step.group = f"message-{name}" if len(calls) > 1 else None
        found.append(call_id)
    return found


def _result(thread: Thread, message: Record, asked: list[str]) -> None:
    call_id = thread.known(_answered(message))
    if call_id not in thread.build.steps and asked:
        call_id = asked[0]  # an id that no call has: results come in the order of the calls
    if call_id in asked:
        asked.remove(call_id)
    step = thread.build.steps.get(call_id or "")
    if step is None:
        thread.note("result_without_call", "a result whose call is not in the trace")
        step = thread.build.call(call_id, None)
    step.result = text_of(message.get("content"))
    error = message.get("error")
    if error:
        step.failed, step.error = True, text_of(error)


def _sort(thread: Thread, calls: list[str]) -> None:
    """Put calls that only the snapshot knows before the next one that was known: history comes first."""
    steps = thread.build.steps
    order = list(dict.fromkeys(calls))
    wanted = set(order)
    if [name for name in steps if name in wanted] == order:
        return
    # Steps that the snapshot doesn't have stay before the one that follows them.
    before: dict[str | None, list[str]] = {}
    follower: str | None = None
    for name in reversed(steps):
        if name in wanted:
            follower = name
        else:
            before.setdefault(follower, []).insert(0, name)
    names = [name for call in order for name in [*before.get(call, []), call]] + before.get(None, [])
    thread.build.steps = {name: steps[name] for name in names}


def _same(first: str, second: str) -> bool:
    if first == second:
        return True
    try:
        return loads(first or "{}") == loads(second)
    except ValueError:
        return False
