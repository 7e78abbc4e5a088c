"""The built-in agent at work for a test: a workspace with a deck, and a server that scripts what the model says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from messages_server import Answer, message

from pytest_ppteval.agent.builtin.work import work
from pytest_ppteval.trace.read import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from messages_server import Server

    from pytest_ppteval.agent.builtin.ending import Ending
    from pytest_ppteval.trace.model import Trace

Json = dict[str, Any]
_numbers = count(1)


def uses(tool: str, **given: Any) -> Json:
    """A block by which the model uses a tool."""
    return {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": tool, "input": given}


def turn(*blocks: Json | str, stop: str = "", **more: Any) -> Answer:
    """An answer of the model: tools it uses, and text."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    works = any(block["type"] == "tool_use" for block in content)
    return Answer(message(*content, stop=stop or ("tool_use" if works else "end_turn"), **more))


def finishes(summary: str = "It is done.", **more: Any) -> Answer:
    return turn(uses("finish", summary=summary, **more))


@dataclass
class Bench:
    """One run's folders. root: all of it, temporary files included."""

    root: Path
    input: Path | None
    server: Server

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def output(self) -> Path:
        return self.workspace / "result.pptx"

    @property
    def trace_path(self) -> Path:
        return self.root / "trace.json"

    @property
    def response(self) -> str:
        return (self.root / "response.md").read_text("utf-8")

    @property
    def trace(self) -> Trace:
        return read_trace(self.trace_path)

    def task(self, **options: Any) -> str:
        """What the agent reads on its standard input."""
        return json.dumps(
            {
                "goal": "Call the first slide 'Tides'.",
                "input": None if self.input is None else str(self.input),
                "output": str(self.output),
                "workspace": str(self.workspace),
                "task_file": str(self.workspace / "TASK.md"),
                "trial": 1,
                "options": options,
            }
        )

    def here(self, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Ending:
        """Work in this process, where the SDK is imported already: that takes seconds in each new one."""
        for name, value in self._environment().items():
            monkeypatch.setenv(name, value)
        return work(self.task(**options))

    def start(self, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        """The agent's process, which waits for its task."""
        return subprocess.Popen(
            [sys.executable, "-m", "pytest_ppteval.agent.builtin"],
            env={**os.environ, **self._environment(), **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.workspace,
        )

    def run(self, environment: dict[str, str] | None = None, **options: Any) -> tuple[int, str, str]:
        """The agent's process from beginning to end: its exit code, and what it printed on either stream."""
        with self.start(environment) as process:
            out, err = process.communicate(self.task(**options), timeout=120)
        return process.returncode, out, err

    def results(self) -> list[Json]:
        """All results of tools that the model was sent, in order."""
        last = self.server.requests[-1]["messages"]
        return [
            block
            for entry in last
            if isinstance(entry["content"], list) and entry["role"] == "user"
            for block in entry["content"]
            if block["type"] == "tool_result"
        ]

    def _environment(self) -> dict[str, str]:
        temporary = self.root / "tmp"
        temporary.mkdir(exist_ok=True)
        return {
            "PPTEVAL_TRACE": str(self.trace_path),
            "PPTEVAL_RESPONSE": str(self.root / "response.md"),
            "TMPDIR": str(temporary),
        }


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def titles_of(deck: Path) -> list[str]:
    from pptx import Presentation

    return [slide.shapes.title.text for slide in Presentation(str(deck)).slides]
