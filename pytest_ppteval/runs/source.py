"""Where a session's runs go and come from, as one value: pytest's side makes it, reports tell of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_ppteval.agent.spec import AgentSpec
    from pytest_ppteval.runs.folder import RunFolder
    from pytest_ppteval.runs.stored import StoredRuns


@dataclass(slots=True)
class Runs:
    """The session's run directory, and what its runs come from.

    folder: where records go. agent: None where runs come from disk. stored: runs of before, to resume or judge again.
    again: whether they are judged again. without_skill: whether agents do without the cases' skills. made:
    whether this session made the folder. asked: the number of trials that
    the resumed session was asked for. apart: whether the folder is this process's own: the session is kept on another
    machine, which is sent what came of each run. held: by it the folder is this session's alone. stop: set to end the
    agents.
    """

    folder: RunFolder
    agent: AgentSpec | None = None
    stored: StoredRuns | None = None
    again: bool = False
    without_skill: bool = False
    made: bool = False
    asked: int | None = None
    apart: bool = False
    held: IO[bytes] | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def from_before(self) -> bool:
        """Whether every run is to come from the sessions before: there is no agent to make one."""
        return self.again or (self.agent is None and self.stored is not None and self.stored.reference is not None)
