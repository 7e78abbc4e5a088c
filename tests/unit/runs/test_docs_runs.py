"""What docs/runs.md says of formats, names, limits and commands is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from run_records import make_case, make_record, make_run, scores

from pytest_ppteval.cli import main
from pytest_ppteval.runs.names import folder_name
from pytest_ppteval.runs.records import OWN
from pytest_ppteval.runs.schema import _load

DOC = (Path(__file__).parents[3] / "docs" / "runs.md").read_text("utf-8")


@pytest.mark.parametrize("key", [*OWN, *_load("run-directory")["properties"]])
def test_every_key_is_told(key: str) -> None:
    assert f"`{key}`" in DOC


def test_the_names_of_folders() -> None:
    for text in ("a/b", "..", "nul"):
        assert f"`{text}` is `{folder_name(text, case_counts=True)}`" in DOC
    assert len(folder_name("x" * 240, case_counts=True)) == 240 < 241 == len("x" * 241)
    assert "~" in folder_name("x" * 241)
    assert "more than 240 bytes" in DOC


def make_shards(folder: Path) -> list[str]:
    """Three of them, as in the example."""
    t, u = make_case(folder, "t", "A", "B"), make_case(folder, "u", "A")
    records = [[make_record(t, scores(A=1.0, B=b), trial, 3, 2)] for trial, b in enumerate((1.0, 0.0, 1.0), 1)]
    records[2].append(make_record(u, scores(A=1.0)))
    for trial, own in enumerate(records, 1):
        make_run(folder / f"run-{trial}", *own)
    return [f"run-{trial}" for trial in (1, 2, 3)]


def test_the_example_of_merging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = make_shards(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["merge", *shards, "--into", "merged"]) == 0
    said = capsys.readouterr().out
    command, _, shown = DOC.partition("$ ppteval merge ")[2].partition("\n")
    assert command == f"{' '.join(shards)} --into merged --json results.json"
    assert shown.startswith(said)


def test_the_example_in_python(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A")
    make_run(tmp_path / "run-a", make_record(case, scores(A=0.0)))
    make_run(tmp_path / "run-b", make_record(case, scores(A=1.0)))
    code = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "cases/tasks.json::t passed (1.0, 1.0) ()",
        "cases/tasks.json::t: failed 0.00 -> passed 1.00 (+1.00)",
        "    A: 0.00 -> 1.00",
        "1 of 1 task changed",
        "mean score 0.00 -> 1.00, passed 0 -> 1",
    ], done.stderr


def test_the_workflow_is_yaml() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", DOC, re.DOTALL)
    jobs = yaml.safe_load(text)["jobs"]
    groups = jobs["run"]["strategy"]["matrix"]["group"]
    assert f"--splits {len(groups)} " in text
    assert jobs["merge"]["needs"] == "run"
