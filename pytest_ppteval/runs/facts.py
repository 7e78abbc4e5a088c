"""What run.json says of a session: by what it ran, so that its results can be understood and made again."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1
PACKAGES = ("pytest-ppteval", "pytest", "python-pptx")
# A status of a large tree on a slow disk may take minutes; no run waits for that.
GIT_SECONDS = 5.0


def utc_now() -> str:
    """UTC, ISO 8601, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def session_facts(
    root: Path,
    *,
    sandbox: str | None = None,
    renderer: str | None = None,
    models: Mapping[str, str | None] | None = None,
    agent: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The contents of run.json as a session starts.

    root: the project's folder, whose state in git is told. sandbox: its level, in words. renderer: what draws slides.
    models: by what they do (judge, agent). options: the session's, as JSON.
    """
    facts: dict[str, Any] = {
        "format": FORMAT,
        "versions": versions(),
        "platform": platform.platform(),
        "sandbox": sandbox,
        "renderer": renderer,
        "models": dict(models or {}),
        "agent": agent,
    }
    git = git_state(root)
    if git is not None:
        facts["git"] = git
    return {**facts, "options": dict(options or {}), "started": utc_now(), "ended": None}


def versions() -> dict[str, str]:
    """Of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def git_state(root: Path, seconds: float = GIT_SECONDS) -> dict[str, Any] | None:
    """Commit, branch and whether tracked files were changed; None where git is absent, knows nothing or won't answer.

    seconds: how long git may take in all; without a status by then "dirty" is None.
    """
    end = time.monotonic() + seconds

    def left() -> float:
        return max(0.1, end - time.monotonic())

    commit = _git(root, left(), "rev-parse", "--verify", "HEAD")
    if not commit:
        return None
    branch = _git(root, left(), "symbolic-ref", "--short", "-q", "HEAD")
    status = _git(root, left(), "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "branch": branch or None, "dirty": None if status is None else bool(status)}


def _git(root: Path, seconds: float, *arguments: str) -> str | None:
    # Takes no lock, starts no watcher and asks nobody.
    settled = ("--no-optional-locks", "-c", "core.fsmonitor=false")
    try:
        done = subprocess.run(
            ["git", *settled, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"},
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
