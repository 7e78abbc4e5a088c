"""A file of ours, of whichever kind, as cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.case.model import FormatError, Registry

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.case.discover import Kind


def load(path: Path, kind: Kind, *, base: Path | None = None, original: Path | None = None) -> Registry:
    """The cases of the file at `path` and every problem met; never raises FormatError.

    base: files are shown relative to it; unless given, as `path` itself is written.
    original: the deck that the agent was given, for a rubric that stands alone.
    """
    # Each loader is imported for its own kind only.
    if kind == "registry":
        from pytest_ppteval.case.registry import load_registry

        return load_registry(path, base)
    if kind == "case":
        from pytest_ppteval.case.casefile import load_cases

        return load_cases(path, base)
    from pytest_ppteval.case.folder import load_rubric_case, load_task_folder

    try:
        if kind == "task":
            return Registry((load_task_folder(path, base),))
        return Registry((load_rubric_case(path, original=original, base=base),))
    except FormatError as error:
        return Registry(of_file=error.all)
