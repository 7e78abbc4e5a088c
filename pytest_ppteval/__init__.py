"""Rubrics as test cases: judge PowerPoint agents and agent skills with pytest, leaf by leaf.

The public face, loaded on first use, since pytest imports this package in every run of its user.
"""

from __future__ import annotations

import sys
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


def _keep_asserts_plain() -> None:
    """Take this package out of what pytest rewrites asserts in: all of an installed plugin's modules.

    None of ours needs it, and where no bytecode may be written (a container, a read-only install) all would be
    rewritten anew at each start, instead of being loaded as they were compiled. pytest has no public way to say so for
    a package; where its own names change, this does nothing.
    """
    for finder in sys.meta_path:
        marked = getattr(finder, "_must_rewrite", None)
        if isinstance(marked, set) and __name__ in marked:
            marked.discard(__name__)
            getattr(finder, "_marked_for_rewrite_cache", {}).clear()


_keep_asserts_plain()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
