"""Run directories: made once, opened with clear errors; what run.json says; where artifacts lie; what runs now."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.runs.facts import git_state, session_facts, utc_now
from pytest_ppteval.runs.folder import RunFolder, RunFolderError
from pytest_ppteval.runs.running import list_running, mark_running, running, unmark
from pytest_ppteval.runs.schema import find_problems


@pytest.fixture
def facts(tmp_path: Path) -> dict[str, Any]:
    return session_facts(tmp_path, sandbox="full", models={"judge": "some-model"}, agent="a", options={"leaves": []})


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_new_one_says_by_what_it_was_made(tmp_path: Path, facts: dict[str, Any]) -> None:
    folder = RunFolder.create(tmp_path / "a" / "run", facts)
    assert RunFolder.open(tmp_path / "a" / "run") == folder
    assert folder.facts() == facts
    assert set(facts["versions"]) == {"python", "pytest", "pytest-ppteval", "python-pptx"}
    assert "git" not in facts
    folder.update(ended=utc_now())
    assert folder.facts()["ended"] >= facts["started"]
    folder.note_resumed("2026-03-01T10:00:00+00:00")
    assert folder.facts() == facts | {"resumed": ["2026-03-01T10:00:00+00:00"]}


def test_the_default_one_is_by_time_and_out_of_sight_of_git(tmp_path: Path, facts: dict[str, Any]) -> None:
    made = [RunFolder.create_default(tmp_path, facts) for _ in range(3)]
    assert len({one.path for one in made}) == 3
    for one in made:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d)?", one.path.name)
        assert one.path.parent == tmp_path / ".ppteval" / "runs"
    assert (tmp_path / ".ppteval" / ".gitignore").read_text("utf-8") == "*\n"
    git(tmp_path, "init", "-q")
    assert git(tmp_path, "status", "--porcelain", "--untracked-files=all") == ""


def test_what_is_there_is_not_written_over(tmp_path: Path, facts: dict[str, Any]) -> None:
    RunFolder.create(tmp_path / "run", facts)
    with pytest.raises(RunFolderError, match="holds a run already: take it up with --ppteval-resume="):
        RunFolder.create(tmp_path / "run", facts)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    with pytest.raises(RunFolderError, match=r"mine is not empty \(notes.txt is in it\): name a new folder"):
        RunFolder.create(tmp_path / "mine", facts)
    with pytest.raises(RunFolderError, match=r"can't hold a run: .*: name another folder"):
        RunFolder.create(tmp_path / "mine" / "notes.txt", facts)


def test_of_two_sessions_one_gets_the_folder(tmp_path: Path, facts: dict[str, Any]) -> None:
    code = (
        "import json, sys; from pathlib import Path; from pytest_ppteval.runs.folder import RunFolder\n"
        "RunFolder.create(Path(sys.argv[1]), json.loads(sys.argv[2]))\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "run"), json.dumps(facts)]
    sessions = [subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    errors = [session.communicate()[1] for session in sessions]
    assert sorted(session.returncode for session in sessions) == [0, 1, 1]
    assert sum("holds a run already" in error for error in errors) == 2


def test_what_is_no_run_is_told_with_the_remedy(tmp_path: Path, facts: dict[str, Any]) -> None:
    for name, said in [("gone", "is not there"), ("file", "is a file"), ("runs", "did you mean .*new?")]:
        (tmp_path / "file").touch()
        RunFolder.create(tmp_path / "runs" / "new", facts) if name == "runs" else None
        with pytest.raises(RunFolderError, match=said):
            RunFolder.open(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": 1, "vers', r"run\.json:1:15: not valid JSON"),
        ('{"format": 2, "versions": {}, "started": "x"}', "this version reads 1: use the version that wrote it"),
        ('{"format": 1, "started": "x"}', "'versions' is a required property"),
        ('{"format": 1, "versions": {}, "started": "x", "agnet": "a"}', "unknown key 'agnet': did you mean 'agent'?"),
        ('{"format": 1, "versions": {"python": 3}, "started": "x"}', r"versions\.python: 3 is not of type 'string'"),
    ],
)
def test_a_run_json_that_is_wrong_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "run.json").write_text(text, "utf-8")
    with pytest.raises(RunFolderError, match=said):
        RunFolder.open(tmp_path)


def test_artifacts_lie_by_suite_task_and_trial(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    plain = folder.artifacts("cases", "application+layer  slide [x]-010", 2)
    assert folder.relative(plain) == "artifacts/cases/application+layer  slide [x]-010/trial-2"
    assert folder.locate(folder.relative(plain)) == plain
    odd = folder.artifacts("", "..", 1, variant="a/b")
    assert folder.relative(odd) == "artifacts/%/%2E%2E/trial-1-a%2Fb"
    odd.mkdir(parents=True)


@pytest.mark.parametrize(
    "folder", [None, "", "results.jsonl", "/etc", "../x", "artifacts/../..", "artifacts/..\\..", "C:/artifacts"]
)
def test_a_record_never_leads_out_of_the_artifacts(tmp_path: Path, folder: str | None) -> None:
    assert RunFolder(tmp_path).locate(folder) is None


def test_nor_does_a_link_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "run" / "artifacts").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    try:
        (tmp_path / "run" / "artifacts" / "s").symlink_to(tmp_path / "elsewhere")
    except OSError:
        pytest.skip("no right to make links here")
    assert RunFolder(tmp_path / "run").locate("artifacts/s/t/trial-1") is None
    # The folder of all artifacts may be on another disk.
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "artifacts").symlink_to(tmp_path / "elsewhere")
    assert RunFolder(tmp_path / "moved").locate("artifacts/s/t/trial-1") is not None


def test_the_state_of_the_project_in_git(tmp_path: Path) -> None:
    assert git_state(tmp_path) is None
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert git_state(tmp_path) is None  # nothing is committed
    (tmp_path / "a.txt").write_text("a", "utf-8")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "-q", "-m", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "untracked.txt").touch()
    below = tmp_path / "below"
    below.mkdir()
    assert git_state(below) == {"commit": commit, "branch": "trunk", "dirty": False}
    (tmp_path / "a.txt").write_text("b", "utf-8")
    git(tmp_path, "checkout", "-q", "--detach")
    assert git_state(tmp_path) == {"commit": commit, "branch": None, "dirty": True}
    facts = session_facts(tmp_path)
    assert facts["git"]["commit"] == commit
    assert find_problems(facts, "run-directory") == []


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands for git")
@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("sleep 60", None),
        ("exit 3", None),
        ('case "$*" in *rev-parse*) echo abc;; *) sleep 60;; esac', {"commit": "abc", "branch": None, "dirty": None}),
    ],
)
def test_a_git_that_hangs_or_fails_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, state: dict[str, Any] | None
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    start = time.monotonic()
    assert git_state(tmp_path, seconds=0.4) == state
    assert time.monotonic() - start < 5


def test_without_git_there_is_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_state(tmp_path) is None


def test_what_runs_now_is_told_until_it_ends(tmp_path: Path) -> None:
    assert list_running(tmp_path) == []
    mark = mark_running(tmp_path, "f::讲 [x]", 2, "slow-agent")
    with running(tmp_path, "f::b", 1):
        first, second = list_running(tmp_path)
        assert (first.task, first.trial, first.agent, first.pid) in (
            ("f::讲 [x]", 2, "slow-agent", os.getpid()),
            ("f::b", 1, None, os.getpid()),
        )
        assert second.started >= first.started
    assert [one.task for one in list_running(tmp_path)] == ["f::讲 [x]"]
    unmark(mark)
    unmark(mark)
    assert list_running(tmp_path) == []


def test_a_process_that_is_dead_runs_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pytest_ppteval.runs.running import mark_running\n"
        "mark_running(Path(sys.argv[1]), 'f::t', 1); print('marked', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "marked\n"
    assert [(one.task, one.pid) for one in list_running(tmp_path)] == [("f::t", other.pid)]
    other.kill()
    other.communicate()
    assert list_running(tmp_path) == []
    # Its number may be given to another process: this one, say.
    (mark,) = (tmp_path / "running").glob("*.json")
    data = json.loads(mark.read_text("utf-8"))
    mark.write_text(json.dumps({**data, "pid": os.getpid()}), "utf-8")
    if data["born"] is not None:
        assert list_running(tmp_path) == []
    mark.write_text(json.dumps({**data, "born": None}), "utf-8")  # where no clock tells
    assert list_running(tmp_path) == []
    # Another machine's processes can't be asked.
    mark.write_text(json.dumps({**data, "host": "elsewhere"}), "utf-8")
    assert [one.host for one in list_running(tmp_path)] == ["elsewhere"]
