"""Function leaves: the rubric's own Python, run in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture.model import MissingScreenshots
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.picture.model import SlideScreenshot
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.sandbox.host import ModelRequest


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """The score that the leaf's compute_score() returns.

    A deck that the agent left out or made unreadable scores 0: that is its work. Where the deck it was given is the
    one that can't be read, the leaf is an error.
    """
    from pytest_ppteval.evidence.evidence import NOT_ASKED_FOR
    from pytest_ppteval.sandbox.host import DeckUnusable, Job, Picture, SandboxError

    def shots(pictures: Sequence[SlideScreenshot]) -> tuple[Picture, ...] | None:
        if isinstance(pictures, MissingScreenshots):
            return None
        return tuple(Picture(shot.slide_number, shot.image_path, shot.slide_id) for shot in pictures)

    def answer(request: ModelRequest) -> str:
        extra = {
            name: value
            for name, value in (("temperature", request.temperature), ("max_tokens", request.max_tokens))
            if value is not None
        }
        if request.kind == "llm":
            reply = means.llm_call(prompt=request.prompt, **extra)
        else:
            reply = means.vlm_call(prompt=request.prompt, images=list(request.images), **extra)
        if not isinstance(reply, str):
            raise TypeError(f"{request.kind}_call returned {type(reply).__name__}, expected str")
        return reply

    if evidence.missing:
        return LeafResult(status="scored", score=0.0, reason=evidence.missing)
    lists = (evidence.original_pictures, evidence.modified_pictures)
    missing = [pictures for pictures in lists if isinstance(pictures, MissingScreenshots)]
    # A renderer's own words say more than that one of the two lists was never asked for.
    missing.sort(key=lambda pictures: pictures is NOT_ASKED_FOR)
    job = Job(
        code=str(leaf.scorer.args["function_code"]),
        name=f"{leaf.id}",
        original_path=evidence.original,
        modified_path=evidence.modified,
        original_pictures=shots(evidence.original_pictures),
        modified_pictures=shots(evidence.modified_pictures),
        pictures_reason=missing[0].reason if missing else "",
        diff=evidence.diff_override,
    )
    try:
        outcome = evidence.session.run(job, answer)
    except DeckUnusable as unusable:
        if unusable.which == "modified":
            return LeafResult(status="scored", score=0.0, reason=f"the agent's deck can't be used: {unusable.reason}")
        return LeafResult(status="error", reason=f"the original deck can't be used: {unusable.reason}")
    except SandboxError as error:
        return LeafResult(status="error", reason=f"sandbox: {error}")
    return LeafResult(
        status=outcome.status,
        score=outcome.score,
        reason=outcome.reason,
        output=outcome.output,
        traceback=outcome.traceback,
    )
