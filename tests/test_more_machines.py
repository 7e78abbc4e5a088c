"""Several machines: pytest-split's groups in a CI matrix, and workers of xdist that see no file of the controller's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.cli import main
from pytest_ppteval.runs.journal import read

if TYPE_CHECKING:
    from pathlib import Path

    from agent_project import AgentProject

# What two sessions of the same runs may differ in.
OF_ONE_SESSION = frozenset(["seconds", "started", "finished", "folder", "attempts"])


def stable(value: Any) -> Any:
    """JSON without times."""
    if isinstance(value, dict):
        return {key: stable(one) for key, one in value.items() if key not in OF_ONE_SESSION}
    return [stable(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def several(agents: AgentProject) -> AgentProject:
    agents.does("steady", "good")
    agents.does("flaky", "good bad good", trials=3, require=2)
    agents.does("poor", "bad")
    agents.does("messy", "litter nothing", trials=2, require=1)
    return agents


def test_four_groups_of_pytest_split_merge_into_the_unsharded_session(several: AgentProject) -> None:
    pytest.importorskip("pytest_split")
    whole = several.run_agent("--ppteval-results=whole")
    assert whole.parseoutcomes()["failed"] == 2
    for group in range(1, 5):
        several.run_agent("--splits=4", f"--group={group}", f"--ppteval-results=run-{group}")
    folder = several.pytester.path
    shards = [str(folder / f"run-{group}") for group in range(1, 5)]
    # The trials of "flaky" lie in several groups: none of them can say what the task came to.
    assert sum(bool(read(folder / shard).records) for shard in shards) == 4
    assert main(["merge", *shards, "--into", str(folder / "merged"), "--json", str(folder / "merged.json")]) == 0
    assert stable(read(folder / "merged").records) == stable(read(folder / "whole").records)

    def files(run: str) -> dict[str, bytes]:
        found = (folder / run / "artifacts").rglob("*")
        return {
            str(path.relative_to(folder / run)): path.read_bytes() if path.suffix == ".pptx" else b""
            for path in found
            if path.is_file()
        }

    assert files("merged") == files("whole")
    merged = json.loads((folder / "merged.json").read_text("utf-8"))
    assert (merged["summary"]["passed"], merged["summary"]["failed"]) == (4, 3)


@pytest.fixture
def elsewhere(several: AgentProject) -> Path:
    """A Python that sees the project's files and packages, and an empty folder where the session is kept."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("hiding a folder from a worker takes root and unshare")
    folder = several.pytester.path
    (folder / "run").mkdir()
    hidden = f"mount -t tmpfs none '{folder / 'run'}' && exec '{sys.executable}' \"$@\""
    trial = ["unshare", "-m", "sh", "-c", hidden, "sh", "-c", "pass"]
    if subprocess.run(trial, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine doesn't let a process have mounts of its own")
    program = folder / "python-elsewhere"
    program.write_text(f'#!/bin/sh\nexec unshare -m sh -c "$(cat \'{folder / "elsewhere.sh"}\')" sh "$@"\n', "utf-8")
    (folder / "elsewhere.sh").write_text(hidden, "utf-8")
    program.chmod(0o755)
    return program


def test_a_worker_on_another_machine_sends_what_came_of_its_runs(several: AgentProject, elsewhere: Path) -> None:
    result = several.run_agent("-d", f"--tx=popen//python={elsewhere}", f"--rootdir={several.pytester.path}")
    result.stdout.fnmatch_lines_random(["*::flaky: 2 of 3 trials passed*", "*::messy: 1 of 2 trials passed*"])
    records = several.records()
    assert len(records) == 7
    run = several.pytester.path / "run"
    assert (run / records["steady", 1]["folder"] / "output.pptx").is_file()
    assert (run / records["messy", 1]["folder"] / "agent.json").is_file()
    again = several.run("--ppteval-rescore=run")
    again.stdout.fnmatch_lines(["0 of 7 tasks changed"])
