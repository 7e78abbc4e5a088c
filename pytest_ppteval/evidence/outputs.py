"""Where the deck that an agent left is found: a folder of outputs, or the task's approved run."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_ppteval.evidence.names import decks_below, decks_in, flat_decks, named, nearly, others
from pytest_ppteval.evidence.run import WORKSPACE, Run
from pytest_ppteval.files.plain import NotPlain, apart, is_folder, link_in, read_json
from pytest_ppteval.prose.shown import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.case.model import Case

# Beyond it nothing is measured; and a whole number of hundreds of digits is none that Python can reckon with.
MOST = 1e18
# How a missing deck and a missing run are told; the summary counts them.
NO_DECK, NOTHING = "the agent left no deck", "the agent left nothing"
METRICS = ("seconds", "input_tokens", "output_tokens", "cost_usd", "tool_calls")


@dataclass(frozen=True, slots=True)
class Output:
    """The outcome of a run, as found on disk.

    deck: the deck to judge, or where one was expected.
    problem: why there is no such deck, in one line; None where there is one.
    fault: whose it is: "agent" (it left none: the task fails) or "setup" (nothing to judge with: an error).
    metrics: what is known of the run's cost by name (seconds, input_tokens, output_tokens, cost_usd, tool_calls).
    metrics_problem: why metrics could not be read, in one line.
    folder: the run's own folder, with its trace, response and workspace; None where there is none.
    """

    deck: Path | None
    problem: str | None = None
    fault: Literal["agent", "setup"] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    metrics_problem: str | None = None
    folder: Path | None = None


def find_output(case: Case, outputs: Path | None, baselines: Path, trial: int | None = None) -> Output:
    """The output of `case` in the folder `outputs`; without one, the approved run under baselines/<suite>/<id>/.

    trial: of several, which is looked for in <outputs>/<id>/trial-<n>.
    """
    if outputs is not None and trial is not None:
        folder = named(outputs, case.id) / f"trial-{trial}"
        if not os.path.lexists(folder):
            return Output(None, f"there is no trial {trial} of this task: looked for {folder}", "setup")
        return _linked(outputs, folder) or output_in(folder, case)
    if case.facts is not None:
        return _run(case, outputs, baselines)
    if outputs is None:
        return _approved(case, baselines)
    folders = [folder for folder in _candidates(outputs, case.id) if folder.is_dir()]
    linked = next(filter(None, (_linked(outputs, folder) for folder in folders)), None)
    flat = flat_decks(outputs, case.id)
    expected = outputs / f"{case.id}.pptx"
    inside = None
    if not linked:
        inside = next((found for folder in folders if (found := _deck_in(folder, case.id)) is not None), None)
    rivals = list(flat)
    if flat and inside is not None:
        rivals.append(inside if isinstance(inside, Path) else outputs / case.id)
    if len(rivals) > 1:
        names = " and ".join(os.path.relpath(deck, outputs) for deck in rivals[:2])
        return Output(expected, f"two decks for this task in {outputs}, {names}: keep one", "setup")
    if flat:
        beside = None if linked else next(iter(folders), None)
        return replace(_with_metrics(flat[0], outputs / f"{case.id}.metrics.json"), folder=beside)
    if linked:
        return linked
    if isinstance(inside, Output):
        return inside
    if inside is not None:
        return replace(_with_metrics(inside, inside.parent / "metrics.json"), folder=inside.parent)
    for folder in folders:
        if _status(folder) == "infrastructure_failure":
            return Output(
                expected, f"the run of this task failed before the agent could work ({folder}); run it again", "setup"
            )
    for folder in folders:
        below = [name for name in decks_below(folder) if not name.startswith(f"{WORKSPACE}/")]
        if below:  # the agent's work, or a copy of what it was given: not for us to say
            told = f"{', '.join(below[:3])} lies deeper in {folder}: put the deck to judge into that folder itself"
            return Output(expected, f"no {case.id}/*.pptx, but {told}", "setup")
    if expected.is_dir() and not folders:
        return Output(expected)  # no deck, and no folder of the task either: the guard says that it is a folder
    looked = f"{expected.name} or {case.id}/*.pptx in {outputs}"
    meant = nearly(outputs, case.id) + [f"{folder.name}/{name}" for folder in folders for name in others(folder)]
    hint = f"; there is {', '.join(meant[:3])}" if meant else ""
    return Output(expected, f"{NO_DECK}: looked for {looked}{hint}", "agent")


def output_in(folder: Path, case: Case, ended: str = "") -> Output:
    """What an agent left in the folder of one run. ended: how the run ended, where that explains what is missing.

    No path is told: the same run has the same verdict wherever it is kept.
    """
    why = f": {ended}" if ended else ""
    if folder.is_dir() and not is_folder(folder):
        return _not_followed(folder)
    if case.facts is not None:
        if Run(folder).is_empty():
            looked = "trace.*, response.md, response.txt or workspace"
            return Output(None, f"{NOTHING}{why or f': looked for {looked}'}", "agent", folder=folder)
        return replace(_with_metrics(None, folder / "metrics.json"), folder=folder)
    found = _deck_in(folder, case.id)
    if isinstance(found, Output):
        return found
    output = replace(_with_metrics(found or folder / "output.pptx", folder / "metrics.json"), folder=folder)
    if found is None:
        problem = f"{NO_DECK}{why or ': it wrote nothing to its output path'}"
        given = case.original.name if case.original is not None else ""
        meant = [*others(folder), *(name for name in decks_below(folder) if not name.endswith(f"/{given}"))]
        if meant:
            problem += f"; it left {', '.join(meant[:3])}"
        output = replace(output, problem=problem, fault="agent")
    return output


def _linked(outputs: Path, folder: Path) -> Output | None:
    """What a run comes to whose folder is elsewhere: what lies in a folder of results is not followed out of it."""
    found = link_in(outputs, folder.relative_to(outputs).as_posix())
    return None if found is None else _not_followed(outputs / found)


def _not_followed(path: Path) -> Output:
    return Output(None, f"{path} is a symbolic link, which is not followed: put the run itself there", "setup")


def _candidates(outputs: Path, task_id: str) -> list[Path]:
    """The task's folder, straight in `outputs` or in the shards of a reference run."""
    shards = sorted(path for path in outputs.glob("shard_*") if path.is_dir())
    return [named(base, task_id) for base in (outputs, *shards)]


def _deck_in(folder: Path, task_id: str) -> Path | Output | None:
    """The deck in a task's folder: output.pptx, the newest <id>_<digits>.pptx of a reference run, or the only one."""
    decks = decks_in(folder)
    outputs = [deck for deck in decks if deck.stem.lower() == "output"]
    if len(outputs) == 1:
        return outputs[0]
    pattern = re.compile(re.escape(unicodedata.normalize("NFC", task_id)) + r"_(\d+)\.pptx", re.IGNORECASE)
    stamped = [(int(m[1]), deck) for deck in decks if (m := pattern.fullmatch(unicodedata.normalize("NFC", deck.name)))]
    if stamped and not outputs:
        return max(stamped)[1]
    if len(decks) > 1:
        names = ", ".join(deck.name for deck in decks[:4])
        return Output(
            folder / "output.pptx", f"several decks in {folder} ({names}): name the one to judge output.pptx", "setup"
        )
    return decks[0] if decks else None


def _status(folder: Path) -> str | None:
    try:
        record = _record(folder / "result_evaluate.json")
    except NotPlain:
        return None
    return record.get("execution_status") if isinstance(record, dict) else None


def _approved(case: Case, baselines: Path) -> Output:
    folder = named(baselines / case.suite, case.id)
    deck = folder / "output.pptx"
    if not deck.is_file():
        return Output(
            deck, f"nothing to judge: no --ppteval-outputs, and no approved run of this task at {deck}", "setup"
        )
    return replace(_with_metrics(deck, folder / "run.json", key="metrics"), folder=folder)


def _run(case: Case, outputs: Path | None, baselines: Path) -> Output:
    """The run of a case that is not about a deck."""
    if outputs is None:
        folder = named(baselines / case.suite, case.id)
        if Run(folder).is_empty():
            what = f"no --ppteval-outputs, and no approved run of this case in {folder}"
            return Output(None, f"nothing to judge: {what}", "setup")
        record = folder / "run.json"
        kept = (
            _with_metrics(None, record, "metrics") if record.exists() else _with_metrics(None, folder / "metrics.json")
        )
        return replace(kept, folder=folder)
    folders = [folder for folder in _candidates(outputs, case.id) if folder.is_dir()]
    for folder in folders:
        linked = _linked(outputs, folder)
        if linked:
            return linked
        if not Run(folder).is_empty():
            return replace(_with_metrics(None, folder / "metrics.json"), folder=folder)
    for folder in folders:
        if _status(folder) == "infrastructure_failure":
            why = f"the run of this case failed before the agent could work ({folder}); run it again"
            return Output(None, why, "setup")
    looked = f"trace.*, response.md, response.txt or workspace in {outputs / case.id}"
    return Output(None, f"{NOTHING}: looked for {looked}", "agent")


def _with_metrics(deck: Path | None, path: Path, key: str | None = None) -> Output:
    metrics, problem = read_metrics(path, key)
    return Output(deck, metrics=metrics, metrics_problem=problem)


def _record(path: Path) -> object:
    """The JSON in a file of a run's folder. Raises NotPlain."""
    base, start = apart(path.parent)
    return read_json(base, start + path.name)


def read_metrics(path: Path, key: str | None = None) -> tuple[dict[str, float], str | None]:
    """The known metrics in a JSON file (under `key`), and what is wrong with it. A missing file is no fault."""
    try:
        data = _record(path)
    except NotPlain as problem:
        return {}, f"{path} {problem.why}" if problem.there else None
    if key is not None:
        data = data.get(key, {}) if isinstance(data, dict) else None
    if not isinstance(data, dict):
        return {}, f"{path}: not a JSON object of metrics ({', '.join(METRICS)})"
    metrics: dict[str, float] = {}
    for name in METRICS:
        value = data.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
            return {}, f"{path}: {name} is {one_line(repr(value))[:40]}, expected a number from 0 to a billion billion"
        metrics[name] = value
    return metrics, None
