"""Rubrics as test cases: judge PowerPoint agents and agent skills with pytest, leaf by leaf.

The public face, loaded on first use, since pytest imports this package in every run of its user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_ppteval.rubric.tree import Rubric
    from pytest_ppteval.rubric.verdict import Verdict
    from pytest_ppteval.verify import TaskResult, score

__version__ = "0.1.0"
__all__ = ["Rubric", "TaskResult", "Verdict", "__version__", "score"]

_HOMES = {
    "Rubric": "pytest_ppteval.rubric.tree",
    "TaskResult": "pytest_ppteval.verify",
    "Verdict": "pytest_ppteval.rubric.verdict",
    "score": "pytest_ppteval.verify",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
