"""What `ppteval trace --json` prints fits its JSON Schema, whatever file it is read from."""

from __future__ import annotations

import json
import random
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_ppteval.cli import main
from pytest_ppteval.trace import TraceError, read_traces
from pytest_ppteval.trace.show import all_data

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((files("pytest_ppteval.case") / "schema" / "trace.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

# The whole collection lies beside the checkout, which users don't have; some of it is in tests/data/traces.
BESIDE = ROOT.parent / "shared" / "data" / "traces"
PLACE = BESIDE if BESIDE.is_dir() else ROOT / "tests" / "data" / "traces"
SAMPLES = sorted(
    path for path in PLACE.rglob("*") if path.is_file() and path.name != "manifest.json" and path.stat().st_size
)

TRACE: dict[str, Any] = {
    "ppteval_trace": 1,
    "format": "agui",
    "status": "finished",
    "usage": {"a model": {"input_total": 3}},
    "steps": [{"id": "1", "tool": "look", "args": {"at": 7}}],
    "messages": [{"role": "user", "text": "Look at 7"}],
    "diagnostics": [{"code": "unclosed", "text": "never closed", "count": 1}],
    "unknown": [],
}


def problems(data: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(path), "--json"]) == 0
    assert problems(json.loads(capsys.readouterr().out)) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_when_it_is_damaged(path: Path) -> None:
    data, dice = path.read_bytes()[:20_000], random.Random(path.name)
    read = 0
    for _ in range(20):
        damaged = bytearray(data[: dice.randrange(1, len(data) + 1)])
        for _ in range(dice.randrange(4)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            traces = read_traces(bytes(damaged))
        except TraceError:
            continue
        read += 1
        assert problems(json.loads(json.dumps(all_data("damaged", traces)))) == []
    assert read or path.suffix in (".eval", ".json")  # a zip or one JSON value may not survive any of it


@pytest.mark.parametrize(
    "path", sorted((ROOT / "baselines" / "agent").rglob("trace.json")), ids=lambda p: p.parent.name
)
def test_approved_runs_that_are_kept(path: Path) -> None:
    assert problems(json.loads(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": "done"},
        {"ppteval_trace": 2},
        {"cost": 1},
        {"steps": [{"id": "1"}]},
        {"steps": [{"id": "1", "tool": "look", "args": {}, "args_raw": "{"}]},
        {"steps": [{"id": "1", "tool": "look", "failed": "no"}]},
        {"usage": {"a model": {"output": -1}}},
        {"usage": {"a model": {"output": None}}},
        {"messages": [{"text": "Look at 7"}]},
    ],
    ids=str,
)
def test_what_is_no_trace(change: dict[str, Any]) -> None:
    assert problems(TRACE) == []
    assert problems({"file": "trace.json", "runs": [TRACE]}) == []
    assert problems(TRACE | change) != []
    assert problems({"file": "trace.json", "runs": [TRACE | change]}) != []
