"""Right trials in other words, by other tools, in another order: what a rule must not mind."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trials.answers import ANSWERS
from trials.session import Call, Trial, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

SKILL_TEXT = (Path(__file__).parents[1] / "loadtest-report" / "SKILL.md").read_text("utf-8")


def typed_otherwise(trial: Trial) -> Trial:
    """Windows' line ends, blanks before them, bold labels, full-width signs; files by their absolute paths."""
    is_json = trial.case == "artifact-json-answer"

    def retype(said: str) -> str:
        if not is_json:
            said = re.sub(r"(?m)^(Test|Bottleneck|测试|瓶颈|Goals)([:：])", r"**\1\2**", said)
            said = said.replace(" %", "％").replace("'", "’")
        return said.replace("\n", "\r\n" if is_json else "  \r\n")

    def path(call: Call) -> Call:
        if call.tool not in ("Read", "Write"):
            return call
        rest = {key: value for key, value in call.args.items() if key != "path"}
        return replace(call, args={"file_path": f"/home/ann/task/{call.args['path']}", **rest})

    turns = tuple(replace(turn, calls=tuple(path(call) for call in turn.calls)) for turn in trial.turns)
    return replace(trial.with_answer(retype), turns=turns)


def by_the_shell(trial: Trial) -> Trial:
    """Files and the skill by a shell; one call after the other, those of a batch the other way round."""

    def other(call: Call) -> Call:
        name, text = call.args.get("path"), call.args.get("content")
        if call.tool == "Skill":
            return Call("Bash", {"command": "cat ~/.claude/skills/loadtest-report/SKILL.md"}, SKILL_TEXT)
        if call.tool == "Read":
            return Call("Bash", {"command": f"cat {name}"}, call.result)
        if call.tool == "Write":
            return Call("Bash", {"command": f"cat > {name} <<'END'\n{text}END"}, "")
        return call

    return replace(trial, turns=tuple(Turn((other(call),)) for turn in trial.turns for call in reversed(turn.calls)))


def in_other_words(trial: Trial) -> Trial:
    """Another answer that says the same."""
    return replace(trial, answer=ANSWERS[trial.case])


OTHERS: dict[str, Callable[[Trial], Trial]] = {
    one.__name__: one for one in (typed_otherwise, by_the_shell, in_other_words)
}
