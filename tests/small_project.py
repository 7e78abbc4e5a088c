"""A small evaluation project to run pytest on: a registry, rubrics, a deck, an agent's outputs."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

Json = dict[str, Any]


def leaf(name: str, code: str | float, *, critical: bool = False) -> Json:
    """A function leaf; a number in place of code makes one that scores that."""
    if not isinstance(code, str):
        code = f"def compute_score():\n    return 'it is {code}', {code}\n"
    return {"name": name, "is_critical": critical, "scorer": {"type": "function", "function_code": code}}


def rubric(*children: Json, **metadata: Any) -> Json:
    return {"root": {"name": "task", "children": list(children)}, "metadata": metadata}


@dataclass
class Project:
    """Writes project/cases/tasks.json with what it needs, and outputs of an agent under project/outputs."""

    pytester: pytest.Pytester
    deck: Path
    tasks: dict[str, Json] = field(default_factory=dict)

    def task(
        self, task_id: str, tree: Json, *, difficulty: str = "Easy", tags: tuple[str, ...] = (), **misc: Any
    ) -> None:
        """Add a task; `misc` may hold threshold, budget, ..."""
        rubrics = self.pytester.path / "cases" / "rubrics"
        rubrics.mkdir(parents=True, exist_ok=True)
        name = f"rubric_{len(self.tasks)}.json"
        (rubrics / name).write_text(json.dumps(tree, indent=1), "utf-8")
        shutil.copy(self.deck, self.pytester.path / "cases" / "intro.pptx")
        self.tasks[task_id] = {
            "goal": "Change the lecture number",
            "file_path": "cases/intro.pptx",
            "rubric_path": f"cases/rubrics/{name}",
            "tags": list(tags),
            "misc": {"difficulty": difficulty, **misc},
        }
        (self.pytester.path / "cases" / "tasks.json").write_text(json.dumps(self.tasks, indent=1), "utf-8")

    def output(self, task_id: str, edit: Callable[[Any], None] | None = None, metrics: Json | None = None) -> Path:
        """The agent's deck for a task: the original, edited."""
        from pptx import Presentation

        folder = self.pytester.path / "outputs" / task_id
        folder.mkdir(parents=True, exist_ok=True)
        deck = Presentation(str(self.deck))
        if edit is not None:
            edit(deck)
        deck.save(str(folder / "output.pptx"))
        if metrics is not None:
            (folder / "metrics.json").write_text(json.dumps(metrics), "utf-8")
        return folder / "output.pptx"

    def outputs(self) -> None:
        """An untouched deck as the output of every task."""
        for task_id in self.tasks:
            self.output(task_id)

    def run(self, *arguments: str) -> pytest.RunResult:
        """pytest on the registry and the agent's outputs."""
        where = () if any(a.startswith(("cases", "--ppteval-rubric")) for a in arguments) else ("cases",)
        outputs = ("--ppteval-outputs=outputs",) if (self.pytester.path / "outputs").is_dir() else ()
        # It opens a socket at each start and never closes it: the worker of hundreds of runs would run out of them.
        without = () if any(a.startswith("--reruns") for a in arguments) else ("-p", "no:rerunfailures")
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *without, *outputs, *where, *arguments)
