"""Function leaves: the rubric's own Python, run in the sandbox."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, cast

from pytest_ppteval.grade import decks
from pytest_ppteval.grade.pictures import GivenPictures, pictures_for
from pytest_ppteval.picture.files import for_model
from pytest_ppteval.rubric.result import LeafResult

# Enough to see what happened; a deck written anew would fill the screen.
_ACCOUNT_LINES = 20
# Words in the code of leaves that the host may have work with.
_ASKING = ("screenshots", "vlm_call", "llm_call", "globals", "eval", "exec")

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.sandbox.host import ModelRequest, Sandbox
    from pytest_ppteval.sandbox.job import Job


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """The score that the leaf's compute_score() returns.

    A deck that the agent left out or made unreadable scores 0: that is its work. Where the deck it was given is the
    one that can't be read, the leaf is an error.
    """
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    def answer(request: ModelRequest) -> str:
        extra = {
            name: value
            for name, value in (("temperature", request.temperature), ("max_tokens", request.max_tokens))
            if value is not None
        }
        if request.kind == "llm":
            reply = means.llm_call(prompt=request.prompt, **extra)
        else:
            reply = means.vlm_call(prompt=request.prompt, images=[_sent(image) for image in request.images], **extra)
        if not isinstance(reply, str):
            raise TypeError(f"{request.kind}_call returned {type(reply).__name__}, expected str")
        return reply

    absent = decks.missing(evidence)
    if absent is not None:
        return absent
    job = _job(leaf, evidence)
    try:
        outcome = evidence.session.run(job, answer, _next_jobs(leaf, evidence))
    except DeckUnusable as error:
        return decks.unusable(evidence, error)
    except SandboxError as error:
        return LeafResult(status="error", reason=f"sandbox: {error}")
    return LeafResult(
        status=outcome.status,
        score=outcome.score,
        reason="\n".join(filter(None, (outcome.reason, _notes(leaf, evidence)))),
        output=outcome.output,
        traceback=outcome.traceback,
        error_line=outcome.error_line if outcome.status != "scored" else None,
        seconds=outcome.seconds,
        details=_account(job.code, evidence) if outcome.score is not None and outcome.score < 1 else "",
    )


def _job(leaf: Leaf, evidence: Evidence) -> Job:
    """What the sandbox is to do, made once for a leaf that may run ahead: each that is heard before it asks for it."""
    job = evidence.shared.get(("job", leaf.id))
    if job is None:
        job = _make_job(leaf, evidence)
        if _runs_alone(leaf):
            evidence.shared["job", leaf.id] = job
    return cast("Job", job)


def _make_job(leaf: Leaf, evidence: Evidence) -> Job:
    from pytest_ppteval.sandbox.job import Job

    code = str(leaf.scorer.args["function_code"])
    pictures = pictures_for(code, evidence)
    evidence.shared["pictures", leaf.id] = pictures
    return Job(
        code=code,
        name=f"{leaf.id}",
        original_path=evidence.original,
        modified_path=evidence.modified,
        original_pictures=pictures.original,
        modified_pictures=pictures.modified,
        pictures_reason=pictures.reason,
        draw=pictures.draw,
        diff=evidence.diff_override,
    )


def _notes(leaf: Leaf, evidence: Evidence) -> str:
    pictures = evidence.shared.get(("pictures", leaf.id))
    return pictures.notes() if isinstance(pictures, GivenPictures) else ""


def expect(sandbox: Sandbox, original: Path, modified: Path, leaves: Sequence[Leaf]) -> None:
    """Have the sandbox get ready for the task that will be judged next, and begin with the first of these leaves.

    Nothing depends on it: where other leaves or other decks are judged then, what was begun is dropped.
    Raises SandboxError.
    """
    from pytest_ppteval.evidence.evidence import NOT_ASKED_FOR, codes_of
    from pytest_ppteval.sandbox.job import Job

    jobs = [
        Job(
            code=str(leaf.scorer.args["function_code"]),
            name=f"{leaf.id}",
            original_path=os.path.abspath(original),
            modified_path=os.path.abspath(modified),
            original_pictures=None,
            modified_pictures=None,
            pictures_reason=NOT_ASKED_FOR.reason,
        )
        for leaf in leaves
        if _runs_alone(leaf)
    ]
    sandbox.expect(original, modified, codes_of(leaves), jobs)


def _next_jobs(leaf: Leaf, evidence: Evidence) -> list[Job]:
    """The leaves that follow and can run ahead of their turn: those that ask for no picture and no model."""
    following = evidence.leaves_after(leaf)[: evidence.session.reach]
    return [_job(other, evidence) for other in following if _runs_alone(other)]


def _runs_alone(leaf: Leaf) -> bool:
    return leaf.scorer.type == "function" and not _asks(str(leaf.scorer.args.get("function_code", "")))


@functools.lru_cache(256)
def _asks(code: str) -> bool:
    return any(word in code for word in _ASKING)


def _sent(image: str | bytes) -> str | bytes:
    return for_model(image) if isinstance(image, str) else image


def _account(code: str, evidence: Evidence) -> str:
    """What changed in the deck, shape by shape, where a leaf that looked at the diff falls short."""
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError
    from pytest_ppteval.sandbox.source.code import names_used

    if "ppt_diff" not in names_used(code):
        return ""
    try:
        lines = str((evidence.diff_override or evidence.diff).account).splitlines()
    except (DeckUnusable, SandboxError):
        return ""  # it is a help only, and the leaf has its score
    more = [f"... and {len(lines) - _ACCOUNT_LINES} more"] if len(lines) > _ACCOUNT_LINES else []
    return "\n".join([*lines[:_ACCOUNT_LINES], *more])
