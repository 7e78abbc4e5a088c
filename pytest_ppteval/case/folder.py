"""One task in a folder of its own (task.json, deck, rubric), and one rubric that stands alone."""

from __future__ import annotations

from pathlib import Path

from pytest_ppteval.case.discover import RUBRICS_BESIDE_TASK
from pytest_ppteval.case.document import parse_document, read_document
from pytest_ppteval.case.model import Case, FormatError
from pytest_ppteval.case.paths import id_problem, join_path, path_problem, show_path
from pytest_ppteval.case.registry import make_case
from pytest_ppteval.case.rubrics import load_rubric
from pytest_ppteval.case.settings import MISC_KEYS, setting_problems
from pytest_ppteval.case.validate import find_problems, listed, raise_all
from pytest_ppteval.rubric.tree import Source

_SUFFIXES = (".rubric.json", ".rubric.yaml", ".rubric.yml", ".json", ".yaml", ".yml")


def load_task_folder(task_json: Path, base: Path | None = None) -> Case:
    """The task that `task_json` describes, with the one rubric file beside it.

    base: files are shown relative to it; unless given, as `task_json` itself is written.
    Raises FormatError, with every problem of the file at fault in `all`.
    """
    path = task_json.absolute()
    base = base or (None if task_json.is_absolute() else Path.cwd())
    document = read_document(path, show_path(path, base))
    raise_all(find_problems(document, "task"))
    data = document.data
    errors = setting_problems(document, ("metadata",), MISC_KEYS)
    task_id = data.get("task_id", path.parent.name)
    problem = id_problem(task_id)
    if problem:
        errors.append(FormatError(document.source("task_id"), problem))
    deck_key = "input_file" if "input_file" in data else "file_path"
    problem = path_problem(data[deck_key], path.parent)
    if problem:
        errors.append(FormatError(document.source(deck_key), problem))
    rubrics = [name for name in RUBRICS_BESIDE_TASK if (path.parent / name).exists()]
    if not rubrics:
        message = f"no rubric beside this task: add {listed(RUBRICS_BESIDE_TASK).replace(' and ', ' or ')}"
        errors.append(FormatError(document.source(), message))
    elif len(rubrics) > 1:
        errors.append(FormatError(document.source(), f"{listed(rubrics)} are both beside this task: keep one"))
    raise_all(errors)
    rubric_path = path.parent / rubrics[0]
    return make_case(
        document,
        load_rubric(rubric_path, show_path(rubric_path, base)),
        misc_path=("metadata",),
        source=document.source("task_id"),
        id=task_id,
        suite=path.parent.parent.name,
        goal=data["goal"] if "goal" in data else data["instruction"],
        original=join_path(path.parent, data[deck_key]),
        tags=tuple(data.get("tags", ())),
    )


def load_rubric_case(path: Path, *, original: Path | None = None, base: Path | None = None) -> Case:
    """The rubric at `path` as a case of its own, named after the file.

    original: the deck that the agent was given, where it is known.
    base: the file is shown relative to it; unless given, as `path` itself is written.
    Raises FormatError, with every problem of the file in `all`.
    """
    absolute = path.absolute()
    shown = show_path(absolute, base or (None if path.is_absolute() else Path.cwd()))
    rubric = load_rubric(absolute, shown)
    name = next((path.name.removesuffix(end) for end in _SUFFIXES if path.name.lower().endswith(end)), path.name)
    problem = id_problem(name)
    if problem:
        raise FormatError(Source(shown), f"{problem} (it is the file's name)")
    return make_case(
        parse_document("{}", shown, yaml=False),
        rubric,
        misc_path=(),
        source=rubric.source,
        id=name,
        suite=absolute.parent.name,
        goal=rubric.metadata.get("task", ""),
        original=original.absolute() if original is not None else None,
    )
