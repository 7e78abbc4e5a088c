"""Deck leaves: addresses, checks, changes and guards, judged where the decks are held."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from pytest_ppteval.grade import decks
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf

_KEY = "deck leaves"


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001 - no model is asked
    """The score that the vocabulary gives. A deck that is missing or unusable is told as for function leaves."""
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    absent = decks.missing(evidence)
    if absent is not None:
        return absent
    if evidence.original is None:
        return LeafResult(status="error", reason="a deck leaf compares with the original: this task has none")
    try:
        result = _result(leaf, evidence)
    except DeckUnusable as error:
        return decks.unusable(evidence, error)
    except SandboxError as error:
        return LeafResult(status="error", reason=f"sandbox: {error}")
    seconds = float(cast("float", result["seconds"]))
    if "why" in result:
        return LeafResult(status="error", reason=str(result["why"]), seconds=seconds)
    score = float(cast("float", result["score"]))
    if not math.isfinite(score) or not 0 <= score <= 1:
        return LeafResult(status="error", reason=f"its score is {score}, not within 0..1", seconds=seconds)
    return LeafResult(status="scored", score=score, reason=str(result["reason"]), seconds=seconds)


def _result(leaf: Leaf, evidence: Evidence) -> dict[str, object]:
    """All deck leaves of a task are judged at once: each message to the process that holds the decks costs its time."""
    known = cast("dict[str, dict[str, object]]", evidence.shared.setdefault(_KEY, {}))
    if leaf.id not in known:
        wanted = [other for other in evidence.leaves if other.scorer.type == "deck" and other.id not in known]
        wanted = wanted if any(other.id == leaf.id for other in wanted) else [leaf]
        results = evidence.session.judge([dict(other.scorer.args) for other in wanted])
        known.update(zip((other.id for other in wanted), results, strict=True))
    return known[leaf.id]
