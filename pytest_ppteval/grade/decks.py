"""What becomes of a leaf where a deck is not there or can't be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.sandbox.host import DeckUnusable


def unusable(evidence: Evidence, error: DeckUnusable) -> LeafResult:
    """The agent's deck scores 0: that is its work. The one that it was given is an error, nobody's score."""
    from pytest_ppteval.evidence.evidence import shown

    path = evidence.modified if error.which == "modified" else evidence.original
    reason = f"{error.reason}: {shown(path)}" if path else error.reason
    if error.which == "modified":
        why = f"the agent's deck can't be used: {reason}"
        return LeafResult(status="scored", score=0.0, reason=why, common=True)
    return LeafResult(status="error", reason=f"the original deck can't be used: {reason}", common=True)


def missing(evidence: Evidence) -> LeafResult | None:
    """The result of any leaf where the agent left no deck; None where it left one.

    It scores 0, unless the agent was given a deck that can't be used either.
    """
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    if not evidence.missing:
        return None
    try:
        evidence.session.ready()
    except DeckUnusable as error:
        if error.which == "original":
            return unusable(evidence, error)
    except SandboxError:
        pass  # that there is no deck is plain without it
    return LeafResult(status="scored", score=0.0, reason=evidence.missing)
