"""tasks.json: a suite's tasks by id."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.document import read_document
from pytest_ppteval.case.model import Case, FormatError, Registry, WrongCase
from pytest_ppteval.case.paths import id_problem, join_path, path_problem, show_path
from pytest_ppteval.case.rubrics import load_rubric
from pytest_ppteval.case.settings import (
    MISC_KEYS,
    budget_gates,
    budget_of,
    merge_gates,
    read_settings,
    setting_problems,
)
from pytest_ppteval.case.validate import find_problems

if TYPE_CHECKING:
    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key
    from pytest_ppteval.rubric.tree import Rubric, Source


def load_registry(path: Path, base: Path | None = None) -> Registry:
    """The tasks of the registry at `path` (JSON or YAML), and every problem in it and in the rubrics that it names.

    A task with a problem is left out; the others load. Paths in the registry count from the folder above the one that
    holds it, as in the benchmark, or, where nothing is there, from the registry's own; they may not climb out of it.
    A missing deck is no problem here: whoever runs the case says so.
    base: files are shown relative to it; unless given, as `path` itself is written.
    """
    absolute = path.absolute()
    shown = show_path(absolute, base or (None if path.is_absolute() else Path.cwd()))
    try:
        document = read_document(path, shown)
    except FormatError as error:
        return Registry(of_file=error.all)
    if not isinstance(document.data, dict):
        return Registry(of_file=(FormatError(document.source(), "a registry must be an object: task id -> task"),))
    ids = [key for key, value in document.data.items() if key != "$schema" or not isinstance(value, str)]
    if not ids:
        return Registry(of_file=(FormatError(document.source(), "no tasks in this registry: add one"),))
    reader = _Reader(document, absolute, base or (None if path.is_absolute() else Path.cwd()))
    read = [reader.read(task_id) for task_id in ids]
    cases = tuple(case for case in read if isinstance(case, Case))
    return Registry(cases, wrong=tuple(case for case in read if isinstance(case, WrongCase)))


def make_case(document: Document, rubric: Rubric, *, misc_path: tuple[Key, ...], source: Source, **fields: Any) -> Case:
    """A case with the settings and budgets that `misc_path` of `document` and the rubric's metadata give."""
    misc: Any = document.data
    for key in misc_path:
        misc = misc.get(key, {})
    gates = merge_gates(rubric.gates, budget_gates(document, misc_path))
    if gates != rubric.gates:
        rubric = dataclasses.replace(rubric, gates=gates)
    return Case(
        rubric=rubric,
        source=source,
        difficulty=misc.get("difficulty"),
        misc=misc,
        settings=read_settings(misc, rubric.metadata),
        budget=budget_of(gates),
        **fields,
    )


class _Reader:
    """Reads the entries of one registry; a rubric that several tasks share is parsed once."""

    def __init__(self, document: Document, path: Path, base: Path | None) -> None:
        self._document = document
        self._folder = path.parent
        self._root = path.parent.parent
        self._base = base
        # By name: what a rubric is or why there is none; and the tasks that name it.
        self._rubrics: dict[str, Rubric | tuple[FormatError, ...]] = {}
        self._told_by: dict[str, str] = {}  # the first task that came to it, and tells what is wrong with it
        self._named_by: dict[str, list[str]] = {}
        for task_id, task in document.data.items():
            if isinstance(task, dict) and isinstance(task.get("rubric_path"), str):
                self._named_by.setdefault(task["rubric_path"], []).append(task_id)

    def read(self, task_id: str) -> Case | WrongCase:
        document, entry = self._document, self._document.data[task_id]
        source = document.key_source(task_id)
        errors = self._problems(task_id)
        if errors:
            return WrongCase(task_id, source, tuple(errors))
        rubric = self._rubric(task_id, entry["rubric_path"])
        if isinstance(rubric, tuple):
            teller = self._told_by[entry["rubric_path"]]
            return WrongCase(task_id, source, rubric, alike=None if teller == task_id else teller)
        return make_case(
            document,
            rubric,
            misc_path=(task_id, "misc"),
            source=source,
            id=task_id,
            suite=self._folder.name,
            goal=entry["goal"],
            original=self._find(entry["file_path"]),
            tags=tuple(entry.get("tags", ())),
        )

    def _problems(self, task_id: str) -> list[FormatError]:
        """What is wrong with a task itself, its rubric aside."""
        document, entry = self._document, self._document.data[task_id]
        problem = id_problem(task_id)
        errors = [FormatError(document.key_source(task_id), problem)] if problem else []
        problems = find_problems(document, "entry", (task_id,))
        if problems:
            return [*errors, *problems]
        errors += setting_problems(document, (task_id, "misc"), MISC_KEYS)
        for key in ("file_path", "rubric_path"):
            problem = path_problem(entry[key], self._root)
            if problem:
                errors.append(FormatError(document.source(task_id, key), problem))
        return errors

    def _find(self, name: str) -> Path:
        """The file that a path in the registry means; where it would be by the benchmark's rule if there is none."""
        above, beside = join_path(self._root, name), join_path(self._folder, name)
        return beside if beside.exists() and not above.exists() else above

    def _rubric(self, task_id: str, name: str) -> Rubric | tuple[FormatError, ...]:
        if name not in self._rubrics:
            path = self._find(name)
            self._told_by[name] = task_id
            self._rubrics[name] = self._load(path) if path.exists() else (self._missing(task_id, name),)
        return self._rubrics[name]

    def _missing(self, task_id: str, name: str) -> FormatError:
        count = len(self._named_by[name])
        others = f" ({count} tasks name it)" if count > 1 else ""
        return FormatError(
            self._document.source(task_id, "rubric_path"),
            f"rubric {name!r} is not there{others}: looked for {join_path(self._root, name)} and "
            f"{join_path(self._folder, name)}, since paths count from the folder above the registry's, "
            "else from its own",
        )

    def _load(self, path: Path) -> Rubric | tuple[FormatError, ...]:
        try:
            return load_rubric(path, show_path(path, self._base))
        except FormatError as error:
            return error.all
