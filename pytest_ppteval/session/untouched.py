"""The user's own files that agents are given, and that runs are judged against: no agent may change them.

An agent runs as its user does, and can write to an original deck. Then the tasks after it would be judged against what
it made of it. So these files are known by their digests from before the first agent starts, and looked at before and
after each run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.files.locks import locked
from pytest_ppteval.files.tree import files
from pytest_ppteval.files.whole import write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.agent.spec import AgentSpec
    from pytest_ppteval.case.model import Case

# In a folder that a user names: not written by the user, or while tests run.
_PASSED_OVER = frozenset((".git", ".ppteval", "__pycache__", ".pytest_cache", ".DS_Store", "recordings"))
_Signature = tuple[int, int, int, int]


@dataclass(slots=True)
class Untouched:
    """Digests of files by their paths; "" for what is not there.

    name: tells one session of a folder from another. closed: folders in which nothing may appear either.
    changed: what is not as it was, and whose run changed it.
    """

    digests: dict[str, str] = field(default_factory=dict)
    closed: dict[str, list[str]] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    _signatures: dict[str, _Signature | None] = field(default_factory=dict)

    def add(self, case: Case, agent: AgentSpec, baselines: Path) -> None:
        """What one case is about. What is known already stays as it is known."""
        for path in self.of(case, agent):
            if str(path) not in self.digests:
                self._learn(str(path))
        approved = str(baselines / case.suite / case.id)
        if approved not in self.closed:
            self.closed[approved] = sorted(files(approved))
            for name in self.closed[approved]:
                self._learn(os.path.join(approved, name))

    def of(self, case: Case, agent: AgentSpec) -> list[Path]:
        """The files that a run of the case is given, and the deck that it is judged against."""
        named = [path for path in (case.original,) if path is not None]
        named += [path.with_suffix(".zip") for path in named]  # its pictures
        if case.facts is not None:
            named += [path for path in (*case.facts.inputs, case.facts.skill_path) if path is not None]
        found: list[Path] = []
        for path in (*named, *agent.files.values()):
            if not path.is_dir():
                found.append(path.absolute())
                continue
            inside = (Path(name) for name in files(path))
            found += [path.absolute() / name for name in inside if not _PASSED_OVER.intersection(name.parts)]
        return found

    def first_changed(self, paths: Iterable[str] | None = None) -> str | None:
        """The first of these files (all, unless said) that is not as it was; None where all are."""
        for path in sorted(self.digests) if paths is None else paths:
            if path in self.digests and self._is_other(path):
                return path
        if paths is None:
            return next(filter(None, map(self._appeared, self.closed)), None)
        return None

    def changed_for(self, case: Case, agent: AgentSpec, baselines: Path) -> str | None:
        """The first file of this case that is not as it was, gone ones included."""
        approved = str(baselines / case.suite / case.id)
        given = [str(path) for path in self.of(case, agent)]
        roots = [str(path.absolute()) for path in (*((case.facts.inputs) if case.facts else ()), *agent.files.values())]
        if case.facts is not None and case.facts.skill_path is not None:
            roots.append(str(case.facts.skill_path.absolute()))
        below = [path for path in self.digests if any(path.startswith(root + os.sep) for root in (*roots, approved))]
        return self.first_changed(sorted({*given, *below})) or self._appeared(approved)

    def _appeared(self, folder: str) -> str | None:
        known = self.closed.get(folder)
        if known is None:
            return None
        return next((os.path.join(folder, name) for name in sorted(files(folder)) if name not in known), None)

    def _learn(self, path: str) -> None:
        self._signatures[path] = _signature(path)
        self.digests[path] = _digest(path)

    def _is_other(self, path: str) -> bool:
        # The time of the last change of anything about a file (ctime) can't be set by who wrote to it.
        now = _signature(path)
        if path in self._signatures and now == self._signatures[path] and now is not None:
            return False
        other = _digest(path) != self.digests[path]
        if not other:
            self._signatures[path] = now
        return other

    def share(self, place: Path) -> None:
        """Agree with the session's other processes, by the file `place`: what was known first counts."""
        with locked(place.with_suffix(".lock")):
            with contextlib.suppress(OSError, ValueError):
                told = json.loads(place.read_text("utf-8"))
                for path, digest in told["digests"].items():
                    if self.digests.get(path) != digest:
                        self._signatures.pop(path, None)
                    self.digests[path] = digest
                self.closed.update(told["closed"])
                self.changed = {**self.changed, **told["changed"]}
            write_json(place, {"digests": self.digests, "closed": self.closed, "changed": self.changed})


def _signature(path: str) -> _Signature | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino


def _digest(path: str) -> str:
    try:
        if not os.path.isfile(path):
            return "not a file" if os.path.lexists(path) else ""
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return "unreadable"
