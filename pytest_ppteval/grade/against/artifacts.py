"""The files against the approved run's."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against.reference import not_applicable
from pytest_ppteval.grade.rules.finding import some
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.baseline.store import Artifact, KeptRun
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.workspace import Workspace
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001
    """The share of the approved run's files that are there and the same: byte for byte, or as data in JSON.

    Files that the approved run doesn't have are named and cost nothing.
    """
    from pytest_ppteval.baseline.hashes import sha256_of

    globs = leaf.scorer.args["artifacts"]
    its = reference.kept.artifacts
    wanted = [one for one in its or () if globs is None or any(fnmatchcase(one.name, glob) for glob in globs)]
    if not wanted:
        what = "the approved run's files were not kept" if its is None else "the approved run left no such file"
        remedy = "leave 'artifacts' out of the case's baseline: aspects, or approve a run that has them"
        return not_applicable(leaf, f"not applicable: {what}", remedy)
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return LeafResult(status="unscored", reason=workspace.reason)
    same, differs, missing = [], [], []
    for one in wanted:
        problem = workspace.look(one.name)
        if problem is not None:
            missing.append(problem.reason)
        elif sha256_of(workspace.root / one.name) == one.sha256:
            same.append(one.name)
        elif _same_data(one, reference.kept, workspace):
            same.append(f"{one.name} (the same data)")
        else:
            differs.append(f"{one.name} ({one.bytes:,} -> {workspace.size(one.name):,} bytes)")
    known = {one.name for one in its or ()}
    added = [
        name
        for name in workspace.files
        if name not in known and (globs is None or any(fnmatchcase(name, glob) for glob in globs))
    ]
    parts = [("missing", missing), ("differ", differs), ("same", same), ("more than in the approved run", added)]
    told = "; ".join(f"{what}: {some(names)}" for what, names in parts if names)
    score = len(same) / len(wanted)
    return LeafResult(status="scored", score=score, reason=f"{len(same)} of {len(wanted)} files are the same; {told}")


def _same_data(one: Artifact, kept: KeptRun, workspace: Workspace) -> bool:
    """Whether a JSON file holds the same data, however it is written."""
    from pytest_ppteval.trace.align import canonical

    if not one.name.endswith(".json") or not one.kept:
        return False
    approved = kept.run.workspace
    if isinstance(approved, Lacking):
        return False
    texts = [approved.text(one.name), workspace.text(one.name)]
    try:
        first, second = [canonical(json.loads(text)) for text in texts if isinstance(text, str)]
    except (ValueError, RecursionError):  # no JSON, or not both can be read
        return False
    return first == second
