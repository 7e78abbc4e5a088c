"""Agents for tests: real programs from tests/agents behind the presets' names, run on a real deck."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.agent.config import load_agents
from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.agent.spec import AgentTask

if TYPE_CHECKING:
    from pytest_ppteval.agent.spec import AgentRun, AgentSpec

PROGRAMS = Path(__file__).parent / "agents"
CLAUDE_CODE = PROGRAMS / "claude_code.py"
CODEX = PROGRAMS / "codex.py"
COPILOT = PROGRAMS / "copilot.py"
AGUI = PROGRAMS / "agui_server.py"


@dataclass(frozen=True)
class Bench:
    """A folder with a settings file and a deck, in which runs are made."""

    folder: Path
    deck: Path

    @property
    def into(self) -> Path:
        """Where the run's folder goes."""
        return self.folder / "artifacts" / "suite" / "task" / "trial-1"

    def agent(self, text: str, name: str = "a") -> AgentSpec:
        """The agent whose keys are written in `text`."""
        path = self.folder / "ppteval.yaml"
        indented = "\n    ".join(text.strip().splitlines())
        path.write_text(f"agents:\n  {name}:\n    {indented}\n", "utf-8")
        return load_agents(path)[name]

    def claude_code(self, does: str, more: str = "") -> AgentSpec:
        """Claude Code's preset with a program behind it that does this."""
        place_program(self.folder / "bin" / "claude", CLAUDE_CODE)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        settings = f"preset: claude-code\nenv: {{set: {{PATH: '{path}', AGENT_DOES: '{does}'}}}}\n"
        return self.agent(settings + "retries: {attempts: 1}\n" * ("retries:" not in more) + more)

    def task(self, **more: Any) -> AgentTask:
        """The task of changing the lecture's number."""
        given: dict[str, Any] = {"name": "task", "goal": "Make it lecture 4.", "deck": self.deck}
        return AgentTask(**given | more)

    def run(self, does: str, more: str = "", **task: Any) -> AgentRun:
        """A run of Claude Code that does this."""
        return run_agent(self.claude_code(does, more), self.task(**task), self.into)


def place_program(path: Path, script: Path) -> None:
    """An executable at `path` that runs a Python script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$@"\n', "utf-8")
    path.chmod(0o755)


def pids_in(path: Path) -> list[int]:
    """The processes that an agent's children wrote down."""
    return [int(line) for line in path.read_text("ascii").splitlines()]


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet taken leave of doesn't."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] not in ("Z", "X")


def wait_for(what: Any, seconds: float = 10.0) -> None:
    """Until what() is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)
