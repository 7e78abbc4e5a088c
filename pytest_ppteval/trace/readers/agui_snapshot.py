"""AG-UI's MESSAGES_SNAPSHOT: where it and the stream disagree, the snapshot is right. No format by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, dumps, loads, text_of

if TYPE_CHECKING:
    from pytest_ppteval.trace.readers.agui_thread import Thread


def apply_snapshot(thread: Thread, messages: list[Record]) -> None:
    """Replace the thread's messages, and correct its calls."""
    before = thread.build.messages
    thread.build.messages = []
    named = dict(thread.texts)
    thread.texts = {}
    calls: list[str] = []
    for number, message in enumerate(messages):
        role = as_text(message.get("role")) or "unknown"
        name = as_text(message.get("id")) or f"snapshot-{thread.line}-{number}"
        if role == "tool":
            _result(thread, message)
            continue
        calls += _calls(thread, message, name)
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


def _calls(thread: Thread, message: Record, name: str) -> list[str]:
    """Correct or add the calls of a message; their ids."""
    found = []
    calls = as_dicts(message.get("toolCalls")) or as_dicts(message.get("tool_calls"))
    for call in calls:
        function = as_dict(call.get("function"))
        tool, arguments = as_text(function.get("name")), function.get("arguments")
        call_id = as_text(call.get("id"))
        if call_id is None:
            thread.note("no_id", "a call without id in a snapshot")
            continue
        step = thread.build.steps.get(call_id)
        if step is None:
            step = thread.build.call(call_id, tool)
        elif tool is not None and step.tool != tool:
            if step.tool:
                thread.note("corrected", f"a snapshot names the tool {tool}, the stream {step.tool}")
            step.tool = tool
        raw = arguments if isinstance(arguments, str) else None if arguments is None else dumps(arguments)
        if raw:
            if step.raw is not None and not _same(step.raw.getvalue(), raw):
                thread.note("corrected", f"a snapshot corrects the arguments of call {call_id}")
            step.set_raw(raw)
        step.closed = True
        thread.open_calls.discard(call_id)
        step.group = f"message-{name}" if len(calls) > 1 else None
        found.append(call_id)
    return found


def _result(thread: Thread, message: Record) -> None:
    call_id = as_text(message.get("toolCallId")) or as_text(message.get("tool_call_id"))
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
