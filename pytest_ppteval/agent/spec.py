"""An agent, what it is asked, and what became of it, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.rubric.tree import Source

Kind = Literal["recorded", "command", "python", "claude"]
Status = Literal["finished", "failed", "timeout", "infrastructure"]

TIMEOUT = 600.0
ATTEMPTS = 2
DELAY = 5.0
LINGER = 10.0
OUTPUT_MEGABYTES = 32.0
DISK_MEGABYTES = 1024.0
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Retries:
    """How infrastructure trouble is met.

    attempts: how often the agent is started at most. delay: seconds before the second attempt, doubled before each
    further one.
    """

    attempts: int = ATTEMPTS
    delay: float = DELAY


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """One agent of ppteval.yaml. Every value has been checked.

    source: where it is written. folder: of that file, absolute. preset: whose defaults it has, or None.
    outputs: of kind recorded: the folder with the runs.
    command: of kind command: templates of the argument vector (see agent.template). stdin: a template, or None for
        nothing. trace: "stdout", a glob relative to the workspace, or an absolute one; None: $PPTEVAL_TRACE.
        trace_format: a reader's name, None for as recognised. response: "stdout", a file relative to the workspace, or
        None: $PPTEVAL_RESPONSE, else the trace's.
    function: of kind python: "module:function".
    options: of kind claude: the built-in agent's (agent.builtin.task.Options); of kind python: the user's own.
    env_pass: names and wildcards of variables that the agent sees beside agent.environment.ALLOWED.
    env_set: variables by name, templates.
    timeout: seconds; a case's own wins. files: extra files by their place in the workspace, the sources absolute.
    skills: where in the workspace a case's skill folder is put. linger: seconds after the trace's final event before
        an agent that goes on is stopped.
    output_limit: bytes kept of each of stdout, stderr, trace and response. disk_limit: bytes the workspace may take.
    """

    name: str
    kind: Kind
    source: Source
    folder: Path
    preset: str | None = None
    outputs: Path | None = None
    command: tuple[str, ...] = ()
    stdin: str | None = None
    trace: str | None = None
    trace_format: str | None = None
    response: str | None = None
    function: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    env_pass: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=dict)
    timeout: float = TIMEOUT
    retries: Retries = field(default_factory=Retries)
    files: Mapping[str, Path] = field(default_factory=dict)
    skills: str = "skills"
    linger: float = LINGER
    output_limit: int = int(OUTPUT_MEGABYTES * MEGABYTE)
    disk_limit: int = int(DISK_MEGABYTES * MEGABYTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTask:
    """What one run is about. See agent.asked.task_of.

    name: the case's id. goal: what the agent is told. trial: from 1.
    makes_deck: whether the outcome is a deck at the output path; else it is the response and the files left.
    deck: the deck that is given, absolute, there or not; None where there is none.
    inputs: files and folders that are given, absolute; each goes into the workspace under its own name.
    skill: the folder of the skill under test, where it is one. cases: the folder of the case's file, which no agent
        sees, though it may lie in the skill's.
    timeout: seconds, None to leave it to the agent.
    """

    name: str
    goal: str
    trial: int = 1
    makes_deck: bool = True
    deck: Path | None = None
    inputs: tuple[Path, ...] = ()
    skill: Path | None = None
    cases: Path | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """What became of a run: the content of agent.json (docs/agents.md), and its folder.

    started: ISO 8601, UTC. seconds: of the last attempt. attempts: how often the agent was started.
    outside: files written outside the output path, relative to the workspace; none where no deck is asked for.
    changed, deleted: of the files that were given. notes: what people should know of what was kept.
    earlier: the reasons of the attempts before the last.
    metrics: seconds, input_tokens, output_tokens, cost_usd, tool_calls, as far as known.
    """

    folder: Path
    agent: str
    kind: Kind
    status: Status
    started: str
    seconds: float
    reason: str = ""
    exit_code: int | None = None
    attempts: int = 1
    trial: int = 1
    outside: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """The object in agent.json."""
        return {
            "format": 1,
            "agent": self.agent,
            "kind": self.kind,
            "status": self.status,
            "reason": self.reason,
            "exit_code": self.exit_code,
            "started": self.started,
            "seconds": self.seconds,
            "attempts": self.attempts,
            "trial": self.trial,
            "outside": list(self.outside),
            "changed": list(self.changed),
            "deleted": list(self.deleted),
            "notes": list(self.notes),
            "earlier": list(self.earlier),
        }


class AgentStopped(Exception):  # noqa: N818 - nothing is wrong: it was asked for
    """The run was stopped before its end. Its folder has no agent.json, so that it counts as not made."""
