"""Leaf in, score out: one module a kind of leaf, one signature.

A grader is a module of this room with `grade(leaf, evidence, means) -> LeafResult`, named after the scorer type that it
serves. It never raises for a bad leaf and never guesses a score.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from pytest_ppteval.prose.shown import one_line, shown
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.result import Usage
    from pytest_ppteval.rubric.tree import Leaf

SCORER_TYPES = ("function", "llm", "deck", "budget", "check", "human", "judge", "baseline")


class Grader(Protocol):
    """What each module of this room offers."""

    def grade(self, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
        """Judge one leaf."""


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """Judge one leaf with the grader of its type."""
    started = time.perf_counter()
    kind = leaf.scorer.type
    if kind not in SCORER_TYPES:
        return LeafResult(status="error", reason=f"no grader for scorer type {kind!r}")
    grader: Grader = import_module(f"pytest_ppteval.grade.{kind}")
    if means.meter is not None:
        means.meter.begin(leaf.id)
    try:
        result = grader.grade(leaf, evidence, means)
    except OSError as error:  # a file of the run that was there a moment ago
        file = f": {one_line(os.fsdecode(error.filename))}" if isinstance(error.filename, (str, bytes)) else ""
        result = LeafResult(status="error", reason=f"could not be judged: {error.strerror or error}{file}")
    if evidence.missing and result.reason == evidence.missing:
        result = replace(result, common=True)
    if means.meter is not None:
        result = _with_usage(result, *means.meter.end())
    # Models, decks and agents have written parts of these: from here on they only ever show.
    return replace(
        result,
        reason=shown(result.reason),
        output=shown(result.output),
        traceback=shown(result.traceback),
        details=shown(result.details),
        seconds=result.seconds or time.perf_counter() - started,  # code that ran ahead of its turn knows better
    )


def _with_usage(result: LeafResult, usage: Usage, miss: str) -> LeafResult:
    """`result` with what the leaf asked of models; a question that a recording should have answered is an error."""
    if miss:
        return replace(result, status="error", score=None, reason=miss, usage=usage)
    if not usage.asked and not usage.votes:
        return result
    votes = "; ".join(str(votes) for votes in usage.votes)
    if votes:
        kind = "borderline votes" if usage.borderline else "votes"
        result = replace(result, reason=f"{result.reason} [{kind}: {votes}]")
    return replace(result, usage=usage)
