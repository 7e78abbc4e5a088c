"""One made-up session of the agent: turns of calls, an answer, files; what it takes is reckoned, not measured."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trials.world import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

RULE_OF_THUMB = 4  # characters a token
SYSTEM = 2600  # tokens of instructions and tool descriptions before anything is said


@dataclass(frozen=True)
class Call:
    """A tool call with its answer."""

    tool: str
    args: dict[str, object]
    result: str
    failed: bool = False


@dataclass(frozen=True)
class Turn:
    """What the agent thinks and says, and the calls that it then makes at once."""

    calls: tuple[Call, ...]
    text: str = ""
    thought: str = ""

    @property
    def written(self) -> int:
        """Tokens that the model wrote."""
        calls = sum(len(call.tool) + len(json.dumps(call.args, ensure_ascii=False)) for call in self.calls)
        return (len(self.text) + len(self.thought) + calls) // RULE_OF_THUMB + 8

    @property
    def seconds(self) -> float:
        """Time of the model, then of the slowest tool."""
        return 1.5 + self.written / 60 + (0.6 if self.calls else 0.0)


@dataclass(frozen=True)
class Trial:
    """A whole session. answer: None where the run died with `error`. spend: a factor on its tokens."""

    case: str
    prompt: str
    turns: tuple[Turn, ...]
    answer: str | None
    files: dict[str, str] = field(default_factory=dict)
    spend: float = 1.0
    error: str = ""

    @property
    def calls(self) -> list[Call]:
        """All of them, in order."""
        return [call for turn in self.turns for call in turn.calls]

    def usage(self) -> list[tuple[int, int]]:
        """Tokens in and out of each of the model's turns: the context grows with all that was said before."""
        context = SYSTEM + len(self.prompt) // RULE_OF_THUMB
        found = []
        for turn in (*self.turns, Turn((), self.answer or "")):
            found.append((int(context * self.spend), int(turn.written * self.spend)))
            context += turn.written + sum(len(call.result) for call in turn.calls) // RULE_OF_THUMB
        return found

    def with_answer(self, change: Callable[[str], str]) -> Trial:
        """The trial with its answer changed."""
        return replace(self, answer=change(self.answer or ""))

    def with_file(self, name: str, change: Callable[[str], str] | None) -> Trial:
        """The file changed wherever it stands: in the workspace, and in the call that wrote it. None: never written."""
        if change is None:
            turns = [
                replace(turn, calls=tuple(c for c in turn.calls if c.args.get("path") != name or c.tool != "Write"))
                for turn in self.turns
            ]
            files = {path: text for path, text in self.files.items() if path != name}
            return replace(self, turns=tuple(turn for turn in turns if turn.calls), files=files)
        text = change(self.files[name])
        turns = [
            replace(
                turn,
                calls=tuple(
                    replace(c, args={**c.args, "content": text}) if c.tool == "Write" and c.args["path"] == name else c
                    for c in turn.calls
                ),
            )
            for turn in self.turns
        ]
        return replace(self, turns=tuple(turns), files={**self.files, name: text})


class Agent:
    """Makes a trial, call by call, at a desk."""

    def __init__(self, case: str, prompt: str, files: dict[str, str]) -> None:
        self.case, self.prompt, self.desk = case, prompt, Desk(files)
        self.turns: list[Turn] = []

    def do(self, *calls: tuple[str, dict[str, object]], text: str = "", thought: str = "") -> list[Call]:
        """One batch of calls; what they answered."""
        made = [Call(tool, args, *self.desk.answer(tool, args)) for tool, args in calls]
        self.turns.append(Turn(tuple(made), text, thought))
        return made

    def say(self, answer: str | None, error: str = "") -> Trial:
        """The last word; None where the run died with an error."""
        return Trial(self.case, self.prompt, tuple(self.turns), answer, self.desk.files, error=error)
