"""What an approved run was approved for, in hashes: the task, its checks, the skill. Another hash makes it stale."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.case.model import Case

State = Literal["fresh", "stale", "unchecked"]

# Left by tools, not written by anybody.
_NOT_OF_A_SKILL = {"__pycache__", ".git", ".DS_Store"}
# The prompt is part of a judge's arguments and has a hash of its own; the suite is only where things are kept; that
# an aspect is named follows from the rest.
_NOT_OF_A_CHECK = {"task", "suite", "named"}


@dataclass(frozen=True, slots=True)
class Hashes:
    """SHA-256, in hexadecimal digits.

    task: of the prompt, the input files and the deck. checks: of the tree that judges.
    skill: of the files of the skill's folder; "" where the case has no skill, or one that is no folder beside it.
    """

    task: str
    checks: str
    skill: str = ""

    def as_record(self) -> dict[str, str]:
        """As run.json has them."""
        return {"task": self.task, "checks": self.checks, **({"skill": self.skill} if self.skill else {})}


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether a run was approved for the case as it is now. reasons: what changed, or what can't be known."""

    state: State
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.state}{f': {self.why}' if self.reasons else ''}"

    @property
    def why(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


def hashes_of(case: Case) -> Hashes:
    """The hashes of the case as it is on disk now."""
    return Hashes(_of_task(case), _of_checks(case), _of_skill(case))


def freshness(kept: Mapping[str, str] | None, case: Case, now: Hashes) -> Freshness:
    """Whether the hashes that a run was approved with are those of today."""
    if not kept:
        return Freshness("unchecked", ("it was approved without hashes of its case",))
    changed = []
    if kept.get("task") != now.task:
        changed.append("the prompt, an input or the deck changed")
    if kept.get("checks") != now.checks:
        changed.append("the checks changed")
    if kept.get("skill", "") != now.skill:
        changed.append("the skill changed")
    if changed:
        return Freshness("stale", tuple(changed))
    if case.facts is not None and case.facts.skill is not None and not now.skill:
        why = f"the skill {case.facts.skill!r} is no folder beside the case, so that changes to it are not seen"
        return Freshness("unchecked", (why,))
    return Freshness("fresh")


def sha256_of(path: Path) -> str:
    """Of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_task(case: Case) -> str:
    told: list[object] = [case.goal]
    if case.facts is not None:
        told += [case.facts.agent, case.facts.skill_name]
        for path in case.facts.inputs:
            told += [[f"{path.name}/{name}" if name else path.name, digest] for name, digest in _files(path)]
    if case.original is not None:
        told += [digest for _, digest in _files(case.original)]
    return _digest(told)


def _of_checks(case: Case) -> str:
    """Names, weights and rules, in order. Descriptions and places in files don't count."""
    told: list[object] = []
    stack = [(0, node) for node in (*reversed(case.rubric.gates), case.rubric.root)]
    while stack:
        depth, node = stack.pop()
        scorer = node.scorer
        args = {name: value for name, value in scorer.args.items() if name not in _NOT_OF_A_CHECK} if scorer else None
        told.append([depth, node.name, node.is_critical, scorer.type if scorer else None, args])
        stack += [(depth + 1, child) for child in reversed(node.children)]
    return _digest(told)


def _of_skill(case: Case) -> str:
    path = case.facts.skill_path if case.facts is not None else None
    if path is None:
        return ""
    return _digest([[name, digest] for name, digest in _files(path)]) if path.exists() else ""


def _files(path: Path) -> Iterator[tuple[str, str]]:
    """Name and hash of the file `path`, or of each file below it. Links to folders are named, not followed."""
    if not path.is_dir():
        yield "", sha256_of(path) if path.is_file() else "none"
        return
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if name not in _NOT_OF_A_SKILL)
        for name in sorted(names):
            file = Path(folder) / name
            if name not in _NOT_OF_A_SKILL:
                yield file.relative_to(path).as_posix(), sha256_of(file) if file.is_file() else "none"


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
