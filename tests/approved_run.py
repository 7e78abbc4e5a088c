"""Small projects with cases about an agent's runs: the runs, and what becomes of them when they are approved."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from agent_run import load_case

from pytest_ppteval.baseline.approve import approve, find_candidate, place_of
from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.evidence.outputs import read_metrics
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.grade import grade
from pytest_ppteval.grade.means import Means
from pytest_ppteval.sandbox.host import Sandbox
from pytest_ppteval.trace.show import as_data

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.result import LeafResult
    from pytest_ppteval.trace.model import Trace


def write_run(
    folder: Path,
    trace: Trace | None = None,
    *,
    response: str | None = "All is well.",
    files: Mapping[str, str | bytes] | None = None,
    metrics: Mapping[str, float] | None = None,
) -> Path:
    """What an agent left, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    if trace is not None:
        (folder / "trace.json").write_text(json.dumps(as_data(trace)), "utf-8")
    if response is not None:
        (folder / "response.md").write_text(response, "utf-8")
    if metrics is not None:
        (folder / "metrics.json").write_text(json.dumps(metrics), "utf-8")
    for name, content in (files or {}).items():
        path = folder / "workspace" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


class Desk:
    """A folder with cases/, baselines/, and runs of one case, "check-it"."""

    def __init__(self, root: Path, baseline: str = "true", more: str = "") -> None:
        self.root = root
        self.folder = root / "cases"
        self.folder.mkdir()
        self.baselines = root / "baselines"
        self.write_case(baseline, more)

    def write_case(self, baseline: str = "true", more: str = "", prompt: str = "check the service") -> None:
        """(Over)write the case."""
        text = f"id: check-it\nprompt: {prompt}\nbaseline: {baseline}\n{more}"
        self.case: Case = load_case(self.folder, text, "checks.case.yaml")

    def approved(self, trace: Trace | None = None, *, name: str = "", **pieces: Any) -> Path:
        """Approve a run of these pieces, as the command does."""
        write_run(self.root / f"approved{name}" / "check-it", trace, **pieces)
        run = find_candidate(self.case, self.root / f"approved{name}", self.baselines, self.root / f"scratch{name}")
        place = place_of(self.baselines, self.case.suite, self.case.id, name)
        approve(run, place, by="A. Reader", why="it does what was asked")
        return place

    def judge(
        self, aspect: str, trace: Trace | None = None, *, means: Means | None = None, **pieces: Any
    ) -> LeafResult:
        """The result of one aspect's leaf on a run of these pieces."""
        folder = write_run(self.root / "trial", trace, **pieces)
        metrics, problem = read_metrics(folder / "metrics.json")
        (leaf,) = [leaf for leaf in self.case.rubric.leaves if leaf.scorer.args.get("aspect") == aspect]
        with Evidence(
            Sandbox(),
            None,
            None,
            metrics=metrics,
            metrics_problem=problem,
            run=Run(folder, self.case.id),
            case=self.case,
            baselines=self.baselines,
        ) as evidence:
            return grade(leaf, evidence, means or Means())


def tree_hash(folder: Path) -> str:
    """Of every name and content below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)}\0".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
