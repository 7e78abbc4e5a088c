"""What the session keeps on pytest's own objects: every key, and what they say of a test.

Below all that fills them, so that nothing has to know an item's class to ask which task it judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from pytest_ppteval.agent.spec import AgentRun
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.outputs import Output
    from pytest_ppteval.model.judge import Judge
    from pytest_ppteval.model.meter import Meter
    from pytest_ppteval.picture.model import SlideScreenshot
    from pytest_ppteval.picture.renderers import NoRenderer
    from pytest_ppteval.picture.studio import Studio
    from pytest_ppteval.report.leaf import LeafRecord
    from pytest_ppteval.rubric.tree import Source
    from pytest_ppteval.runs.source import Runs
    from pytest_ppteval.sandbox.host import Sandbox
    from pytest_ppteval.session.options import Options
    from pytest_ppteval.session.trials import Trial
    from pytest_ppteval.session.untouched import Untouched
    from pytest_ppteval.verify import TaskResult


@dataclass(frozen=True, slots=True)
class Task:
    """What an item judges. stored: what a session before came to, where that still holds."""

    case: Case
    trial: Trial
    stored: Mapping[str, Any] | None = None


# On the configuration: what one process holds, made on first use.
OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
SANDBOX: pytest.StashKey[Sandbox] = pytest.StashKey()
# The modules among those that leaves import which the sandbox's processes hold ready.
PRELOADED: pytest.StashKey[AbstractSet[str]] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
STUDIO: pytest.StashKey[Studio | NoRenderer] = pytest.StashKey()
RUNS: pytest.StashKey[Runs | None] = pytest.StashKey()
# The user's own files that agents must leave alone.
UNTOUCHED: pytest.StashKey[Untouched] = pytest.StashKey()

# On the configuration: what xdist's workers share with the process that started them.
SHARED_FOLDER: pytest.StashKey[str] = pytest.StashKey()
RUN_FOLDER: pytest.StashKey[str] = pytest.StashKey()

# On the configuration: what was collected so far.
# (path, task) -> the leaves named in node ids such as tasks.json::task::leaf.
LEAVES_BY_NODE_ID: pytest.StashKey[dict[tuple[str, str], set[str]]] = pytest.StashKey()
KNOWN_MARKERS: pytest.StashKey[set[str]] = pytest.StashKey()
# (folder, case id) -> where that case is written.
CASE_PLACES: pytest.StashKey[dict[tuple[str, str], Source]] = pytest.StashKey()
# (suite, task id) -> the first file of the session that has it.
FIRST_FILES: pytest.StashKey[dict[tuple[str, str], str]] = pytest.StashKey()

# On an item that judges a task.
TASK: pytest.StashKey[Task] = pytest.StashKey()
# The item that comes next, once pytest has said so.
FOLLOWING: pytest.StashKey[pytest.Item | None] = pytest.StashKey()
# The original deck and the one to judge, where they are on disk already.
DECKS: pytest.StashKey[tuple[Path, Path]] = pytest.StashKey()
# The leaf whose subtest report is being made, and the task's outcome once there is one.
CURRENT_LEAF: pytest.StashKey[LeafRecord | None] = pytest.StashKey()
TASK_RESULT: pytest.StashKey[TaskResult] = pytest.StashKey()
# The keywords that all of a task's reports have.
KEYWORDS: pytest.StashKey[Mapping[str, Any]] = pytest.StashKey()

# On an item that uses the fixtures: a task, or an ordinary test.
OUTPUT: pytest.StashKey[Output] = pytest.StashKey()
METER: pytest.StashKey[Meter] = pytest.StashKey()
PICTURES: pytest.StashKey[dict[str, Sequence[SlideScreenshot]]] = pytest.StashKey()
# Its agent's run, and the run's folder relative to the run directory.
AGENT_RUN: pytest.StashKey[AgentRun] = pytest.StashKey()
KEPT_IN: pytest.StashKey[str] = pytest.StashKey()


def task_of(node: pytest.Item) -> Task | None:
    """What an item judges; None for an ordinary test."""
    return node.stash.get(TASK, None)


def case_of(node: pytest.Item) -> Case | None:
    """The task that an item judges; None for an ordinary test."""
    task = node.stash.get(TASK, None)
    return None if task is None else task.case
