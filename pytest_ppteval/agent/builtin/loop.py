"""The conversation: ask, use the tools that were asked for, tell what came of it, until there is an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pytest_ppteval.agent.builtin.ending import FAILED, FINISHED, Ending, GivenUpError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_ppteval.agent.builtin.journal import Journal
    from pytest_ppteval.agent.builtin.toolbox import Finish

Json = dict[str, Any]
_THOUGHTS = ("thinking", "redacted_thinking")
_MOST_CUT = 3
_REMINDER = "Nothing was done: no tool was used. If the task is done, call finish with a summary; otherwise go on."
_CUT = "Your answer was cut off at its limit of {most:,} tokens, so that no tool was used. Go on in smaller steps."


class Asks(Protocol):
    """What answers: model.Model."""

    system: str

    def ask(self, messages: Sequence[Json]) -> Json: ...  # noqa: D102 - see model.Model


class Uses(Protocol):
    """What uses tools: toolbox.Toolbox."""

    finish: Finish | None

    def use(self, call: Json) -> Json: ...  # noqa: D102 - see toolbox.Toolbox


def run(
    opening: str,
    model: Asks,
    tools: Uses,
    journal: Journal,
    *,
    max_turns: int,
    max_tokens: int,
    begin: Callable[[], None] = lambda: None,
    tell: Callable[[str], object] = str,
) -> Ending:
    """Work on the task that `opening` tells of. begin: called once the model has answered for the first time.

    tell: takes a line of progress a turn. Raises Trouble where the means are missing, also in the middle.
    """
    messages: list[Json] = []
    seen: set[str] = set()
    silent = cut = 0

    def say(content: str | list[Json]) -> None:
        messages.append({"role": "user", "content": content})
        journal.asked(messages[-1])

    say(opening)
    for turn in range(1, max_turns + 1):
        try:
            answer = model.ask(messages)
        except GivenUpError as error:
            return Ending(FAILED, str(error))
        _tell_apart(answer["content"], seen)
        journal.answered(answer, model.system)
        if turn == 1:
            begin()
        words = _words(answer["content"])
        if words:
            journal.respond(words)
        stop = answer.get("stop_reason")
        if stop == "refusal":
            return Ending(FAILED, "the model refused to go on")
        if stop == "model_context_window_exceeded":
            return Ending(FAILED, "the conversation is too long for the model")
        content = _kept(answer["content"])
        if content:
            messages.append({"role": "assistant", "content": content})
        calls = [block for block in content if block.get("type") == "tool_use"]
        if stop == "max_tokens":
            cut += 1
            tell(f"turn {turn}: cut off at max_tokens")
            if cut == _MOST_CUT:
                return Ending(FAILED, f"the answer was cut off at max_tokens={max_tokens}, {cut} times in a row")
            say([*map(_not_used, calls), {"type": "text", "text": _CUT.format(most=max_tokens)}])
            continue
        cut = 0
        if calls:
            silent = 0
            results = [tools.use(call) for call in calls]
            tell(f"turn {turn}: {', '.join(map(_progress, calls, results))}")
            say(results)
            if tools.finish is not None:
                journal.ended(tools.finish.summary)
                return _ending(tools.finish)
        elif stop != "pause_turn":
            silent += 1
            tell(f"turn {turn}: no tool")
            if silent > 1:
                return Ending(FAILED, "the model stopped without calling finish")
            say(_REMINDER)
    return Ending(FAILED, f"not finished within max_turns={max_turns}")


def _ending(finish: Finish) -> Ending:
    return Ending(FINISHED) if finish.completed else Ending(FAILED, f"given up: {finish.summary}")


def _words(content: list[Json]) -> str:
    return "\n\n".join(str(block.get("text")) for block in content if block.get("type") == "text").strip()


def _kept(content: list[Json]) -> list[Json]:
    """What can be sent back: the API takes neither blank texts nor a message that ends in a thought."""
    kept = [block for block in content if block.get("type") != "text" or str(block.get("text") or "").strip()]
    while kept and kept[-1].get("type") in _THOUGHTS:
        kept.pop()
    return kept


def _tell_apart(content: list[Json], seen: set[str]) -> None:
    """Give calls ids of their own, where a server counts them anew in each answer: results belong to them by id."""
    for block in content:
        if block.get("type") == "tool_use":
            name = base = str(block.get("id") or "call")
            while name in seen:
                name = f"{base}-{len(seen)}"
            block["id"] = name
            seen.add(name)


def _not_used(call: Json) -> Json:
    text = "Not used: the answer was cut off, and the call may not be whole."
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": True}


def _progress(call: Json, result: Json) -> str:
    return f"{call.get('name')}{' (error)' if result.get('is_error') else ''}"
