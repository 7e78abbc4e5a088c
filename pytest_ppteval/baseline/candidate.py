"""A run made ready to be kept: its trace in this package's own form, its response, its files, and a record."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_ppteval.baseline.digests import DIGEST, digest_of
from pytest_ppteval.baseline.hashes import hashes_of, sha256_of
from pytest_ppteval.baseline.store import ALTERNATIVES, DECK, RECORD, artifacts_of
from pytest_ppteval.evidence.measure import Measure, measure
from pytest_ppteval.evidence.outputs import METRICS
from pytest_ppteval.evidence.run import RESPONSES, WORKSPACE, Lacking
from pytest_ppteval.evidence.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.run import Run
    from pytest_ppteval.trace.model import Trace

FORMAT = 1
# Files of a workspace above this are kept by their hash only; what tools answered is cut to that many characters.
KEEP_BYTES = 256 * 1024
KEEP_RESULT = 4000
# What a kept run consists of: replaced together with it. Anything else in its folder is somebody's and stays.
_PIECES = (RECORD, "metrics.json", *RESPONSES, WORKSPACE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run to be kept: `record` is its run.json, `texts` are files by name, `copies` are files and where they are."""

    record: dict[str, Any]
    texts: Mapping[str, str]
    copies: Mapping[str, Path]


def make_candidate(
    case: Case,
    run: Run,
    *,
    deck: Path | None = None,
    metrics: Mapping[str, float] | None = None,
    problem: str | None = None,
    judged: Mapping[str, Any] | None = None,
) -> Candidate:
    """The run of `case` as it would be kept.

    deck: that the agent left. metrics, problem: see evidence.measure. judged: what the run came to, for the reviewer.
    """
    record: dict[str, Any] = {"format": FORMAT, "suite": case.suite, "case": case.id}
    if case.facts is not None and case.facts.agent:
        record["agent"] = case.facts.agent
    record["recorded_at"] = now()
    if judged is not None:
        rounded = {key: round(value, 9) for key, value in judged.items() if isinstance(value, float)}
        record["judged"] = {**judged, **rounded}
    measured = {key: measure(key, metrics or {}, problem, run) for key in METRICS}
    record["metrics"] = {
        key: _number(one.value) for key, one in measured.items() if isinstance(one, Measure) and not one.at_least
    }
    record["hashes"] = hashes_of(case).as_record()
    texts: dict[str, str] = {}
    copies: dict[str, Path] = {}
    trace, response, workspace = run.trace, run.response, run.workspace
    if not isinstance(trace, Lacking):
        texts["trace.json"], cut = _trace_text(trace)
        if cut:
            record["results_cut"] = cut
    if isinstance(response, str):
        texts[_response_name(run)] = response
    if isinstance(workspace, Workspace):
        artifacts = artifacts_of(workspace, KEEP_BYTES)
        record["artifacts"] = [
            {"name": one.name, "bytes": one.bytes, "sha256": one.sha256, "kept": one.kept} for one in artifacts
        ]
        copies |= {f"{WORKSPACE}/{one.name}": workspace.root / one.name for one in artifacts if one.kept}
    if deck is not None and deck.is_file():
        record["deck"] = {"bytes": deck.stat().st_size, "sha256": sha256_of(deck)}
        copies[DECK] = deck
    # That these are still the words that were judged, and approved.
    record["texts"] = {name: hashlib.sha256(_bytes(text)).hexdigest() for name, text in texts.items()}
    if run.fingerprint:
        record["run"] = run.fingerprint
    record[DIGEST] = digest_of(record)
    return Candidate(record, texts, copies)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _trace_text(trace: Trace) -> tuple[str, int]:
    """The trace as JSON with long results cut, and how many were. Raw events that the reader didn't know are left."""
    from pytest_ppteval.prose.shown import json_escaped
    from pytest_ppteval.trace.show import as_data

    cut = sum(step.result is not None and len(step.result) > KEEP_RESULT for step in trace.steps)
    steps = tuple(
        replace(step, result=f"{step.result[:KEEP_RESULT]}... ({len(step.result) - KEEP_RESULT} more characters)")
        if step.result is not None and len(step.result) > KEEP_RESULT
        else step
        for step in trace.steps
    )
    data = as_data(replace(trace, steps=steps, unknown=()))
    return json_escaped(json.dumps(data, ensure_ascii=False, indent=1)) + "\n", cut


def _response_name(run: Run) -> str:
    """As the run named it, response.md where it stands in the trace only."""
    folder = run.folder
    return next((name for name in RESPONSES if folder is not None and (folder / name).exists()), RESPONSES[0])


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def now() -> str:
    """UTC, ISO 8601, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def write(candidate: Candidate, folder: Path) -> None:
    """Put the run into `folder`, in the place of one that is there; alternatives and other files in it stay.

    The new content is made beside it and takes its place at once, so that no half of a run is left behind.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f".{folder.name[:100]}.{os.getpid()}.new")
    old = folder.with_name(f".{folder.name[:100]}.{os.getpid()}.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()
    try:
        _fill(candidate, fresh)
        if folder.exists():
            _take_over(folder, fresh)
            folder.rename(old)
        fresh.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _fill(candidate: Candidate, folder: Path) -> None:
    text = json.dumps(candidate.record, ensure_ascii=False, indent=2) + "\n"
    (folder / RECORD).write_text(text, "utf-8", newline="\n")
    for name, content in candidate.texts.items():
        (folder / name).write_bytes(_bytes(content))
    if "artifacts" in candidate.record:
        (folder / WORKSPACE).mkdir()  # an empty one says that the run left no file
    for name, source in candidate.copies.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _take_over(old: Path, fresh: Path) -> None:
    """Copy what is not of the run that is replaced: alternatives, notes."""
    for path in old.iterdir():
        # Pictures beside a deck (<deck>.zip) are of that deck.
        if path.name in _PIECES or path.name.startswith("trace.") or path.suffix in (".pptx", ".zip"):
            continue
        if path.is_dir():
            shutil.copytree(path, fresh / path.name, symlinks=True, dirs_exist_ok=path.name == ALTERNATIVES)
        else:
            shutil.copy2(path, fresh / path.name, follow_symlinks=False)
