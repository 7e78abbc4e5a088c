"""Questions to people: answered in a review file beside the cases, unscored until then."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.workspace import shown
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.case.reviews import Review
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf

NEEDS_REVIEW = "needs review"


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001 - the graders' one signature
    """The median of what people said, each person's latest word; unscored where nobody did."""
    from pytest_ppteval.case.model import FormatError
    from pytest_ppteval.case.reviews import load_reviews, review_file, scale_of

    if evidence.missing:
        return LeafResult(status="scored", score=0.0, reason=evidence.missing)
    try:
        path = review_file(evidence.case) if evidence.case is not None else None
    except FormatError as error:
        return LeafResult(status="error", reason=str(error))
    if path is None or evidence.case is None:
        return LeafResult(status="unscored", reason=f"{NEEDS_REVIEW}, and the case has no place for one")
    run = evidence.run.fingerprint
    wanted = f"{NEEDS_REVIEW}: answer in {shown(path)} on the scale {scale_of(leaf.scorer.args)}, for run {run}"
    try:
        reviews = load_reviews(path, evidence.case, shown(path)) if path.exists() else []
    except FormatError as error:
        return LeafResult(status="error", reason="\n".join(map(str, error.all)))
    own = [review for review in reviews if review.leaf == leaf.node.name]
    of_this = [review for review in own if not review.run or run.startswith(review.run)]
    if not of_this:
        others = {review.run for review in own}
        more = f" (there is one of another run: {', '.join(sorted(others))})" if others else ""
        return LeafResult(status="unscored", reason=f"{wanted}{more}")
    return _result(of_this)


def _result(reviews: Sequence[Review]) -> LeafResult:
    latest = {review.by: review for review in sorted(reviews, key=lambda review: review.at)}
    said = "; ".join(f"{by}: {one.score}{f' ({one.note})' if one.note else ''}" for by, one in latest.items())
    scores = [review.fraction for review in latest.values()]
    differ = f"reviews differ, the median counts ({median(scores):.2f}): " if len(set(scores)) > 1 else ""
    loose = [by for by, review in latest.items() if not review.run]
    unbound = f" [{', '.join(loose)}: for whatever run, none is named]" if loose else ""
    return LeafResult(status="scored", score=median(scores), reason=f"{differ}{said}{unbound}")
