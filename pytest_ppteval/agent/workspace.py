"""A fresh workspace for each run, away from the user's files, and what became of the files that were given."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_ppteval.agent.asked import prompt_of, task_file
from pytest_ppteval.files import tree
from pytest_ppteval.files.locks import take_slot
from pytest_ppteval.files.plain import NotPlain, is_folder, open_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_ppteval.agent.spec import AgentSpec, AgentTask

    Ignore = Callable[[str, list[str]], set[str]]

TASK_FILE = "TASK.md"
_PREFIX = "ppteval-agent-"
# Beside the cases: approved runs, reviews, run directories, and what only its authors need.
_NOT_A_SKILLS = ("baselines", "reviews", ".ppteval", ".git", "__pycache__")
# A folder is locked within moments of being made.
_SETTLED = 60.0
# Changes are compared and told of up to here; a run that writes more has written too much.
MAX_FILES = 10_000


class CannotPrepare(Exception):  # noqa: N818 - it says what the run came to
    """The workspace can't be made: what is to be put into it isn't there or can't be read."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One run's folders. All paths are absolute and without links.

    base: holds everything, removed afterwards: root, the agent's working folder; temporary, its TMPDIR; and what lies
        beside them, out of the agent's way.
    deck: the given deck's place, output: where the result goes; None where the task has none.
    given: SHA-256 of each file in the root when the agent starts, by its name relative to root, with "/".
    ours: of these, the names of what belongs to the agent and not to the task: TASK.md, extra files, the skill.
    lock: held as long as this process uses the folder.
    """

    base: Path
    root: Path
    deck: Path | None
    output: Path | None
    given: Mapping[str, str]
    ours: frozenset[str]
    lock: IO[bytes] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether its folders are still folders of its own: an agent may put a link to anywhere in their place."""
        return is_folder(self.base.parent, f"{self.base.name}/{self.root.name}")

    @property
    def task_file(self) -> Path:
        """TASK.md."""
        return self.root / TASK_FILE

    @property
    def temporary(self) -> Path:
        """Where the agent's temporary files go."""
        return self.base / "tmp"

    @property
    def trace(self) -> Path:
        """Where $PPTEVAL_TRACE points."""
        return self.base / "trace.json"

    @property
    def response(self) -> Path:
        """Where $PPTEVAL_RESPONSE points."""
        return self.base / "response.md"

    def remove(self) -> None:
        """Remove all of it, also what the agent has locked up."""
        if self.lock is not None:
            self.lock.close()
        tree.remove(self.base)


@dataclass(frozen=True, slots=True)
class Changes:
    """What the agent did to the files around its output. Names are relative to the root.

    cut: what is not told of here, in words; "" where that is nothing.
    """

    written: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    cut: str = ""
    files: tuple[str, ...] = field(default=(), repr=False)


def prepare(spec: AgentSpec, task: AgentTask) -> Workspace:
    """A new workspace. Raises CannotPrepare, and leaves nothing behind then."""
    _sweep_once()
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX)))
    lock = take_slot(base, 1)
    try:
        return replace(_fill(base, spec, task), lock=lock)
    except BaseException as error:
        if lock is not None:
            lock.close()
        tree.remove(base)
        if isinstance(error, OSError):
            where = f" ({error.filename})" if error.filename else ""
            raise CannotPrepare(f"the workspace can't be made: {error.strerror or error}{where}") from None
        raise


@cache
def _sweep_once() -> None:
    sweep(Path(tempfile.gettempdir()))


def sweep(folder: Path) -> None:
    """Remove the workspaces in `folder` that a process left which was killed: no living one holds their locks.

    It never raises: what somebody else's run left must not cost this one.
    """
    found: list[Path] = []
    with suppress(OSError):
        found = [Path(entry.path) for entry in os.scandir(folder) if entry.name.startswith(_PREFIX)]
    for base in found:
        with suppress(Exception):
            facts = base.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_mtime > time.time() - _SETTLED:
                continue
            if sys.platform != "win32" and facts.st_uid != os.getuid():
                continue  # in a folder that all share, others' are theirs
            lock = take_slot(base, 1)
            if lock is not None:
                lock.close()
                tree.remove(base)


def _fill(base: Path, spec: AgentSpec, task: AgentTask) -> Workspace:
    root = base / "workspace"
    root.mkdir()
    (base / "tmp").mkdir()
    deck = None
    if task.deck is not None:
        deck = root / task.deck.name
        _copy(task.deck, deck, "the deck")
    for source in task.inputs:
        _copy(source, root / source.name, "the input")
    inputs = sorted(tree.files(root))
    for target, source in spec.files.items():
        _copy(source, root / target, "the agent's file", _cases(task.cases))
    if task.skill is not None:
        _copy(task.skill, root / spec.skills / task.skill.name, "the skill", _cases(task.cases))
    output = None
    if task.makes_deck:
        taken = {name.casefold() for name in os.listdir(root)}
        output = root / next(name for name in ("output.pptx", "result.pptx", "made.pptx") if name not in taken)
    listed = [name for name in inputs if deck is None or name != deck.name]
    text = task_file(task, deck, output, listed)
    if (root / TASK_FILE).exists():
        raise CannotPrepare(f"a file named {TASK_FILE} is given, which is what the task is written to: rename it")
    (root / TASK_FILE).write_text(text, "utf-8")
    given = {name: _hash(root, name) for name in tree.files(root)}
    return Workspace(base, root, deck, output, given, frozenset(given) - frozenset(inputs))


def prompt(task: AgentTask, workspace: Workspace) -> str:
    """What {prompt} stands for."""
    return prompt_of(task, workspace.deck, workspace.output)


def changes(workspace: Workspace) -> Changes:
    """What is different from when the agent started. The output itself counts as none of it."""
    output = workspace.output.name if workspace.output is not None else None
    if not workspace.is_whole:
        return Changes(deleted=tuple(sorted(workspace.given)), cut="the workspace is no folder of its own any more")
    found: list[str] = []
    more = deep = 0
    # A folder that was locked up hides nothing: it goes with the workspace anyway.
    for one in tree.walk(workspace.root, unlock=True):
        if one.name is None:
            deep += 1
        elif not stat.S_ISDIR(one.facts.st_mode):
            if len(found) < MAX_FILES:
                found.append(one.name)
            else:
                more += 1
    untold = []
    if more:
        untold.append(f"{MAX_FILES + more:,} files in the workspace, {MAX_FILES:,} are told of")
    if deep:
        beyond = f"more than {tree.MAX_DEPTH} folders deep, or have paths of more than {tree.MAX_PATH:,} bytes"
        untold.append(f"{deep:,} files and folders lie {beyond}")
    cut = f"{' and '.join(untold)}: the others are neither kept nor told of" if untold else ""
    given = workspace.given
    return Changes(
        written=tuple(sorted(name for name in found if name not in given and name != output)),
        changed=tuple(sorted(name for name in found if name in given and _hash(workspace.root, name) != given[name])),
        deleted=tuple(sorted(name for name in given if not os.path.lexists(workspace.root / name))),
        cut=cut,
        files=tuple(sorted(found)),
    )


def _cases(folder: Path | None) -> Ignore:
    """What of a skill's folder is no part of the skill: cases, in `folder` or elsewhere, which tell what is checked."""
    from pytest_ppteval.case.casefile import ENDINGS

    def ignore(around: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name in _NOT_A_SKILLS or name.endswith(ENDINGS) or (folder is not None and Path(around, name) == folder)
        }

    return ignore


def _copy(source: Path, target: Path, what: str, ignore: Ignore | None = None) -> None:
    """A copy of the file or folder; links in it become what they point to, as in a checkout."""
    if os.path.lexists(target) and not (source.is_dir() and target.is_dir()):
        raise CannotPrepare(f"{what} {source} and another file are both {target.name} in the workspace: rename one")
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        try:
            shutil.copytree(source, target, dirs_exist_ok=True, copy_function=_copy_plain, ignore=ignore)
        except shutil.Error as error:
            raise CannotPrepare(f"{what} {source} can't be copied: {error.args[0][0][2]}") from None
    else:
        try:
            _copy_plain(source, target)
        except OSError as error:
            raise CannotPrepare(f"{what} {source} can't be read: {error.strerror or error}") from None
    # The agent may write everywhere in its own folder, whatever rights the original has.
    for path in [target, *target.rglob("*")]:
        path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IRUSR | stat.S_IWUSR)


def _copy_plain(source: str | Path, target: str | Path) -> None:
    if not stat.S_ISREG(os.stat(source).st_mode):
        raise OSError("it is no plain file")
    shutil.copyfile(source, target)
    shutil.copymode(source, target)


def _hash(root: Path, name: str) -> str:
    """SHA-256 of a plain file, "" of anything else."""
    try:
        with open_plain(root, name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (NotPlain, OSError):
        return ""
