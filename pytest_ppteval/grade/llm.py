"""llm leaves: prompts with the task's facts filled in, an answer with a reason and a score."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pytest_ppteval.grade import decks
from pytest_ppteval.grade.answers import as_number
from pytest_ppteval.grade.pictures import drawn_wrongly
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.picture.model import SlideScreenshot
    from pytest_ppteval.rubric.tree import Leaf

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_SCORE_LINE = re.compile(r"^\W*score\W*:\s*([0-9.]+)", re.IGNORECASE | re.MULTILINE)
_REASON_LINE = re.compile(r"^\W*reason\W*:\s*(.+?)(?=^\W*score\W*:|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_SHOWN_REPLY = 500


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """The score in the model's reply. Without a model, or with a reply that holds no score, the leaf stays unscored."""
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    absent = decks.missing(evidence)
    if absent is not None:
        return absent
    try:
        prompts = [fill(str(leaf.scorer.args[key]), evidence) for key in ("system_prompt", "user_prompt")]
    except DeckUnusable as error:
        return decks.unusable(evidence, error)
    except SandboxError as error:
        return LeafResult(status="error", reason=f"sandbox: {error}")
    try:
        reply, found = _ask(means, *prompts)
    except Exception as error:  # whatever a user's llm_call raises: the model did not answer
        return LeafResult(status="unscored", reason=f"llm_call: {error}")
    if not isinstance(reply, str):
        return LeafResult(status="unscored", reason=f"llm_call returned {type(reply).__name__}, expected str")
    if found is None:
        return LeafResult(
            status="unscored", reason=f"no reason and score 0..1 in the model's reply: {reply[:_SHOWN_REPLY]!r}"
        )
    reason, score = found
    return LeafResult(status="scored", score=score, reason="\n".join(filter(None, (reason, _notes(leaf, evidence)))))


def _notes(leaf: Leaf, evidence: Evidence) -> str:
    """What is drawn wrongly in the pictures that the prompts name: all of a deck's."""
    lists = {"original": evidence.original_pictures, "modified": evidence.modified_pictures}
    named = [which for which in lists if f"{{{which}_ppt_screenshots}}" in str(leaf.scorer.args)]
    seen = {
        which: (pictures, [number for number, _, _ in pictures.listed()])
        for which in named
        if isinstance(pictures := lists[which], LazyScreenshots)
    }
    return drawn_wrongly(seen)


def _ask(means: Means, system: str, prompt: str) -> tuple[object, tuple[str, float] | None]:
    """The model's reply, and the verdict in it. The built-in model is made to answer in form, and gets one more try."""
    if means.verdict is None:
        reply: object = means.llm_call(prompt=f"{system}\n\n{prompt}")
        return reply, parse_reply(reply) if isinstance(reply, str) else None
    first = means.verdict(system, prompt)
    found = parse_reply(first)
    if found is not None:
        return first, found
    second = means.verdict(system, prompt, earlier=first)
    return second, parse_reply(second)


def fill(template: str, evidence: Evidence) -> str:
    """`template` with {ppt_diff}, {modified_ppt_path}, ... filled in; any other braces stay as they are.

    str.format would fail on the JSON examples that prompts contain, and would let a rubric reach into objects.
    """
    values = {
        "original_ppt_path": lambda: evidence.original or "",
        "modified_ppt_path": lambda: evidence.modified or "",
        "ppt_diff": lambda: json.dumps((evidence.diff_override or evidence.diff).to_dict(), ensure_ascii=False),
        "original_ppt_screenshots": lambda: _paths(evidence.original_pictures),
        "modified_ppt_screenshots": lambda: _paths(evidence.modified_pictures),
    }
    return re.sub(r"\{(" + "|".join(values) + r")\}", lambda match: values[match[1]](), template)


def _paths(pictures: Sequence[SlideScreenshot]) -> str:
    if isinstance(pictures, MissingScreenshots):
        return f"(none: {pictures.reason})"
    return "\n".join(f"slide {shot.slide_number}: {shot.image_path}" for shot in pictures)


def parse_reply(reply: str) -> tuple[str, float] | None:
    """(reason, score) from JSON in a fence, bare JSON, or "Score: x" and "Reason: y" lines; None without either."""
    for text in (*_FENCE.findall(reply), reply, *re.findall(r"\{.*\}", reply, re.DOTALL)):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return _valid(data.get("reason"), data.get("score"))
    score, reason = _SCORE_LINE.search(reply), _REASON_LINE.search(reply)
    if score is None:
        return None
    try:
        return _valid(reason[1].strip() if reason else "", float(score[1].rstrip(".")))
    except ValueError:
        return None


def _valid(reason: object, score: object) -> tuple[str, float] | None:
    number = as_number(score)
    if isinstance(reason, str) and number is not None and 0 <= number <= 1:
        return reason, float(number)
    return None
