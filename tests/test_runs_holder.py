"""One session works in a run directory at a time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.runs.folder import RunFolderError
from pytest_ppteval.runs.holder import hold

if TYPE_CHECKING:
    from pathlib import Path

    from agent_project import AgentProject


def test_a_second_session_is_told_who_has_the_folder(agents: AgentProject) -> None:
    agents.does("a", "good")
    agents.run_agent().assert_outcomes(passed=1)
    folder = agents.pytester.path / "run"
    held = hold(folder)  # as a session does that still goes on
    result = agents.run_agent("--ppteval-resume=run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = " ".join(result.stderr.str().split())
    assert f"run is in use by another session (process {os.getpid()} on " in said
    assert "wait until it has ended, or end it" in said
    # Looking changes nothing, and needs no lock.
    assert agents.run_agent("--ppteval-resume=run", "--collect-only").ret == 0
    held.close()
    agents.run_agent("--ppteval-resume=run").assert_outcomes(passed=1)


def test_a_session_that_ended_lets_go(tmp_path: Path) -> None:
    child = os.fork() if hasattr(os, "fork") else None
    if child is None:
        pytest.skip("processes are made otherwise here")
    if child == 0:
        hold(tmp_path)
        os._exit(0)
    os.waitpid(child, 0)
    first = hold(tmp_path)
    with pytest.raises(RunFolderError, match=" is in use by another session "):
        hold(tmp_path)
    first.close()
    hold(tmp_path).close()
