"""Judged rubrics: a model looks at a run, point by point, and gives a score for the process and one for the result.

One answer serves both leaves of a case. The judge has no tools but the form that it must answer in, and sees nothing of
other questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.answers import Answer, NotInFormError, ask, member, number, word
from pytest_ppteval.grade.check import lacking
from pytest_ppteval.grade.fence import RULE, fenced
from pytest_ppteval.grade.material import Material, material_of
from pytest_ppteval.rubric.result import LeafResult, Usage, Votes
from pytest_ppteval.rubric.scale import Scale
from pytest_ppteval.rubric.verdict import reaches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf

PARTS = ("process", "result")
SYSTEM = (
    "You judge the work of an agent by observation points. Rely on the material alone: for each point quote what shows "
    "it, or name the steps by number; where the material doesn't show it, say unclear, not yes. Judge what was done "
    "and said, not how well the agent speaks of itself. process_score is for the way: the steps, their order, what was "
    "looked at, how failures were handled. result_score is for the outcome: the response and the files. " + RULE
)
_SHOWN_REPLY = 2000
# Above this share of every scale no judge can be who found none of the points met; nor below the rest with all met.
_HIGH = 0.75


@dataclass(frozen=True, slots=True)
class Point:
    """What the judge says of one observation point. met: yes, no or unclear."""

    number: int
    met: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer. scores: by part, as given."""

    points: tuple[Point, ...]
    scores: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """All votes on one run, and who asked for them first."""

    answers: tuple[Answer[Judgement], ...]
    material: Material
    leaf: str

    @property
    def failed(self) -> Answer[Judgement] | None:
        """A vote that could not be read."""
        return next((answer for answer in self.answers if answer.value is None), None)

    @property
    def judgements(self) -> list[Judgement]:
        """The votes that could be read."""
        return [answer.value for answer in self.answers if answer.value is not None]

    def votes(self, part: str, scale: Scale, threshold: float | None) -> tuple[Votes, ...]:
        """What was said of each point, where more than one was asked; a split one is borderline.

        With a threshold, 0..1, also how many scores of that part reach it.
        """
        if len(self.answers) < 2:
            return ()
        found = []
        for points in zip(*(judgement.points for judgement in self.judgements), strict=True):
            said = [point.met for point in points]
            found.append(Votes(yes=said.count("yes"), no=said.count("no"), neither=said.count("unclear")))
        if threshold is not None:
            scores = [scale.fraction(judgement.scores[part]) or 0.0 for judgement in self.judgements]
            enough = sum(reaches(score, threshold) for score in scores)
            found.append(Votes(yes=enough, no=len(scores) - enough))
        return tuple(found)


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """The judge's score on its scale as 0..1; the median of the votes. Unscored where no judgement is to be had."""
    if evidence.missing:
        return LeafResult(status="scored", score=0.0, reason=evidence.missing)
    absent = _absent(str(leaf.scorer.args["part"]), evidence)
    if absent is not None:
        return absent
    scales = scales_of(leaf, evidence)
    material = material_of(evidence.run)
    prompt = prompt_of(leaf.scorer.args, scales, material)
    key = ("judge", prompt, leaf.scorer.args["votes"])
    judged = evidence.shared.get(key)
    if not isinstance(judged, Judged):
        try:
            judged = _ask(leaf, means, prompt, scales, material)
        except Exception as error:  # whatever a user's llm_call raises: the model did not answer
            return LeafResult(status="unscored", reason=f"llm_call: {error}")
        evidence.shared[key] = judged
    if judged.failed is not None:
        return _unread(judged.failed, len(judged.answers))
    if means.meter is not None:
        threshold = evidence.case.settings.threshold if evidence.case is not None else None
        part = str(leaf.scorer.args["part"])
        means.meter.add(Usage(votes=judged.votes(part, scales[part], threshold)))
    return _result(leaf, judged, scales)


def _absent(part: str, evidence: Evidence) -> LeafResult | None:
    """The result where there is nothing to judge that part by."""
    run = evidence.run
    if part == "process":
        return lacking(run.trace) if isinstance(run.trace, Lacking) else None
    pieces = (run.response, run.workspace, run.trace)
    if all(isinstance(piece, Lacking) for piece in pieces) and isinstance(run.response, Lacking):
        return lacking(run.response)
    return None


def scales_of(leaf: Leaf, evidence: Evidence) -> dict[str, Scale]:
    """The scales of both parts: the case's leaves say them, one that is not asked for has the usual one."""
    leaves = evidence.case.rubric.leaves if evidence.case is not None else (leaf,)
    scales = {part: Scale(0, 100) for part in PARTS}
    for one in (*leaves, leaf):
        if one.scorer.type == "judge":
            scales[str(one.scorer.args["part"])] = Scale(one.scorer.args["low"], one.scorer.args["high"])
    return scales


def prompt_of(args: Mapping[str, Any], scales: Mapping[str, Scale], material: Material) -> str:
    """The question. What an agent wrote is in fences, and so is the task, whose orders are not for the judge."""
    points = [f"{at}. {' '.join(str(text).split())}" for at, text in enumerate(args["observation_points"], 1)]
    asked = [("the task that the agent was given", str(args["task"]))]
    if args["expected"]:
        asked.append(("a reference answer, by the authors of the task", str(args["expected"])))
    cuts = "; ".join(material.cuts) if material.cuts else "nothing, all of it is here"
    lines = [
        "Observation points:",
        *points,
        "",
        *(f"{part}_score: from {scale.low:g} to {scale.high:g}" for part, scale in scales.items()),
        *([f"The skill under test: {args['skill']}"] if args["skill"] else []),
        f"Left out of the material for its length: {cuts}",
        "",
        fenced([*asked, *material.sections]),
        "",
        "That is all the material. Answer with the tool 'judgement', every observation point once.",
    ]
    return "\n".join(lines)


def _ask(leaf: Leaf, means: Means, prompt: str, scales: Mapping[str, Scale], material: Material) -> Judged:
    count = len(leaf.scorer.args["observation_points"])

    def read(data: object) -> Judgement:
        return read_judgement(data, count, scales)

    votes = int(leaf.scorer.args["votes"] or 1)
    answers = tuple(ask(means, "judgement", SYSTEM, prompt, read) for _ in range(votes))
    return Judged(answers, material, leaf.id)


def read_judgement(data: object, count: int, scales: Mapping[str, Scale]) -> Judgement:
    """The judgement in a model's answer on `count` points. Raises NotInFormError."""
    points: dict[int, Point] = {}
    for entry in member(data, "points", list):
        at = member(entry, "point", int)
        if at in points or not 1 <= at <= count:
            raise NotInFormError(f"point {at} is there twice, or is none of the {count}")
        shown = member(entry, "evidence", str).strip()
        met = word(entry, "met", "yes", "no", "unclear")
        if not shown and met != "unclear":
            raise NotInFormError(f"point {at} is {met!r} without evidence")
        points[at] = Point(at, met, shown)
    if len(points) < count:
        raise NotInFormError(f"{count - len(points)} of the {count} points are not judged")
    scores = {}
    for part, scale in scales.items():
        scores[part] = number(data, f"{part}_score")
        if scale.fraction(scores[part]) is None:
            raise NotInFormError(f"{part}_score is {scores[part]:g}, which is not on the scale {scale}")
    judgement = Judgement(tuple(points[at] for at in sorted(points)), scores, member(data, "reason", str))
    shares = [scale.fraction(scores[part]) or 0.0 for part, scale in scales.items()]
    said = {point.met for point in judgement.points}
    if ("yes" not in said and min(shares) > _HIGH) or (said == {"yes"} and max(shares) < 1 - _HIGH):
        given = ", ".join(f"{part}_score {scores[part]:g}" for part in scales)
        raise NotInFormError(f"it contradicts itself: all points are {' or '.join(sorted(said))}, yet {given}")
    return judgement


def _unread(answer: Answer[Judgement], votes: int) -> LeafResult:
    of = f" (one of {votes} votes)" if votes > 1 else ""
    reason = f"no judgement can be read in the answer of {answer.model}{of}: {answer.problem}"
    replies = "\n".join(f"reply {at}: {reply[:_SHOWN_REPLY]}" for at, reply in enumerate(answer.replies, 1))
    return LeafResult(status="unscored", reason=reason, details=replies)


def _result(leaf: Leaf, judged: Judged, scales: Mapping[str, Scale]) -> LeafResult:
    part = str(leaf.scorer.args["part"])
    scale, judgements = scales[part], judged.judgements
    values = [judgement.scores[part] for judgement in judgements]
    value = median(values)
    nearest = min(judgements, key=lambda one: abs(one.scores[part] - value))
    spread = ""
    if len(values) > 1:
        each = ", ".join(f"{one:g}" for one in values)
        spread = f", the median of {len(values)} votes: {each} (spread {max(values) - min(values):g})"
    models = ", ".join(dict.fromkeys(answer.model for answer in judged.answers))
    met = ", ".join(f"{point.number} {point.met}" for point in nearest.points)
    shared = f" [the same answer as for {judged.leaf}]" if judged.leaf != leaf.id else ""
    cuts = f" [not shown to the judge: {'; '.join(judged.material.cuts)}]" if judged.material.cuts else ""
    fraction = scale.fraction(value)
    assert fraction is not None  # votes on the scale have their median on it
    return LeafResult(
        status="scored",
        score=fraction,
        reason=f"{value:g} of {scale.high:g} by {models}{spread}: {nearest.reason} (points: {met}){shared}{cuts}",
        details="\n".join(_told(leaf.scorer.args["observation_points"], judged)),
    )


def _told(points: list[str], judged: Judged) -> list[str]:
    """Every vote in full."""
    lines = []
    for at, judgement in enumerate(judged.judgements, 1):
        scores = ", ".join(f"{part} {score:g}" for part, score in judgement.scores.items())
        lines.append(f"vote {at}: {scores}; {judgement.reason}")
        for point in judgement.points:
            asked = " ".join(str(points[point.number - 1]).split())
            lines.append(f"  {point.number}. {asked}: {point.met}, {point.evidence or 'no evidence'}")
    return lines
