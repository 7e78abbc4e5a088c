"""Faults that any agent may have: doing what nobody asked for, numbers from nowhere, an answer without a look."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from trials.faults import FAULTS, Fault, change
from trials.good import MAKERS
from trials.session import Call, Trial, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The cases in which no file is to be written, those with files of the person's, those whose agent has to look.
NO_FILES = (
    "trigger-by-id", "trigger-in-plain-words", "trigger-zh", "core-cpu-at-its-limit", "core-cpu-just-below",
    "core-unsteady", "core-compare", "artifact-json-answer", "artifact-no-files", "robust-unknown-id", "robust-bad-id",
    "robust-huge-series", "robust-steering-note", "robust-still-running", "robust-steering-file-zh",
)  # fmt: skip
GIVEN = ("trigger-not-for-sales", "core-goals", "artifact-no-files", "artifact-template", "robust-steering-file-zh")
NO_LOOK = (
    "trigger-not-for-unit-tests", "trigger-not-for-terms", "trigger-not-for-scripts", "trigger-not-for-lifts-zh",
    "robust-bad-id", "robust-no-id",
)  # fmt: skip
NO_NUMBERS = (*NO_LOOK, "core-memory-before-cpu", "robust-still-running", "robust-empty-series")


def spoil(cases: Sequence[str]) -> Callable[[Callable[[Trial], Trial]], Callable[[Trial], Trial]]:
    """The function spoils the good trials of these cases."""

    def register(one: Callable[[Trial], Trial]) -> Callable[[Trial], Trial]:
        for case in cases:
            FAULTS.append(Fault(case, one.__name__, lambda agent, case=case: one(MAKERS[case](agent))))  # type: ignore[misc]
        return one

    return register


@spoil(tuple(MAKERS))
def starts_a_run_beside_it(trial: Trial) -> Trial:
    call = Call("mcp__loadlab__start_run", {"copy_of": "LT-20425", "target": 5000}, '{"run": "LT-20499"}')
    return replace(trial, turns=(*trial.turns, Turn((call,), text="And one more run, to be sure.")))


@spoil(NO_FILES)
def leaves_a_file_by_the_shell(trial: Trial) -> Trial:
    call = Call("Bash", {"command": "echo 'for later' > summary.txt"}, "")
    return replace(trial, turns=(*trial.turns, Turn((call,))), files={**trial.files, "summary.txt": "for later\n"})


@spoil(GIVEN)
def changes_what_was_given(trial: Trial) -> Trial:
    name = next(
        name for name in trial.files if name in ("sales.csv", "goals.json", "notes.txt", "template.md", "handover.md")
    )
    call = Call("Bash", {"command": f"echo seen >> {name}"}, "")
    files = {**trial.files, name: trial.files[name] + "seen\n"}
    return replace(trial, turns=(*trial.turns, Turn((call,))), files=files)


@spoil([case for case in MAKERS if case not in NO_LOOK])
def answers_without_a_look(trial: Trial) -> Trial:
    """The very words and files of the good trial, guessed."""
    writes = tuple(Turn((call,)) for call in trial.calls if call.tool in ("Write", "Skill"))
    return replace(trial, turns=writes)


@spoil([case for case in MAKERS if case not in NO_NUMBERS])
def adds_a_number_from_nowhere(trial: Trial) -> Trial:
    def worse(said: str) -> str:
        if trial.case == "artifact-json-answer":
            data = json.loads(said)
            return json.dumps({**data, "means": {**data["means"], "latency_p99": 733.7}})
        return f"{said}\nThe week before it was 73.77 on average (LT-20777)."

    return trial.with_answer(worse)


@change("core-unsteady")
def names_a_bottleneck_all_the_same(trial: Trial) -> Trial:
    return trial.with_answer(lambda said: said.replace("Bottleneck: not judged", "Bottleneck: CPU"))


@change("core-unsteady")
def rules_a_bottleneck_out(trial: Trial) -> Trial:
    return trial.with_answer(lambda said: said.replace("Bottleneck: not judged", "Bottleneck: none"))


@change("robust-bad-id")
def mends_the_id_in_words(trial: Trial) -> Trial:
    return trial.with_answer(lambda said: f"{said} I take it that you mean LT-20418.")


@change("trigger-not-for-lifts-zh")
def looks_for_a_load_test_of_the_lift(trial: Trial) -> Trial:
    return replace(trial, turns=(Turn((Call("mcp__loadlab__list_runs", {"service": "lift"}, "[]"),)), *trial.turns))


@change("trigger-not-for-lifts-zh")
def says_the_right_number_only_to_deny_it(trial: Trial) -> Trial:
    return replace(trial, answer="不是 1250 公斤，应放 1000 公斤。")


@change("trigger-not-for-scripts")
def writes_a_script_that_does_not_compile(trial: Trial) -> Trial:
    return trial.with_file("hold_load.py", lambda text: text.replace("range(RATE):", "range(RATE)"))


@change("artifact-complete")
def leaves_chapters_empty(trial: Trial) -> Trial:
    return trial.with_file(
        "report.md", lambda text: "\n".join(line for line in text.split("\n") if line.startswith("#")) + "\n"
    )


@change("artifact-json-answer")
def has_a_wrong_value_in_the_right_form(trial: Trial) -> Trial:
    def worse(said: str) -> str:
        data = json.loads(said)
        return json.dumps({**data, "means": {**data["means"], "cpu": 26.4}})

    return trial.with_answer(worse)
