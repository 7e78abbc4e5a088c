"""An approved run is what was approved, or it can't be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_run import trace_of
from approved_run import Desk

from pytest_ppteval.baseline.store import load_approved

EDITS: dict[str, Callable[[Path], object]] = {
    "trace.json": lambda path: path.write_text("<<<<<<< ours\n" + path.read_text()),
    "response.md": lambda path: path.write_text("All is lost."),
    "workspace/r.json": lambda path: path.unlink(),
    "workspace/more.txt": lambda path: path.write_text("x"),
    "run.json": lambda path: path.write_text(path.read_text().replace('"seconds": 3', '"seconds": 300')),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_approved_run_that_was_changed_is_unusable_and_its_leaves_unscored(tmp_path: Path, name: str) -> None:
    desk = Desk(tmp_path)
    pieces: dict[str, Any] = {"response": "All is well.", "files": {"r.json": "{}"}, "metrics": {"seconds": 3}}
    place = desk.approved(trace_of("a", "b"), **pieces)
    assert len(load_approved(desk.baselines, "cases", "check-it").runs) == 1
    EDITS[name](place / name)
    found = load_approved(desk.baselines, "cases", "check-it")
    assert found.runs == ()
    assert name in found.problems[0]
    result = desk.judge("process", trace_of("x", "y", "z"), **pieces)
    assert (result.status, result.applies) == ("unscored", True)


def test_who_approved_it_and_why_may_be_put_in_other_words(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    record = desk.approved(trace_of("a")) / "run.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "why": "in better words"}))
    assert len(load_approved(desk.baselines, "cases", "check-it").runs) == 1
