"""The forms in which a model can be made to answer: a tool that it must use, whose input is the answer. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["text", "verdict", "judgement", "comparison"]


@dataclass(frozen=True, slots=True)
class Tool:
    """What the model is given. schema: of the answer. put_right: what it is told where it answered in another form."""

    name: str
    description: str
    schema: dict[str, Any]
    put_right: str


def _object(**members: dict[str, Any]) -> dict[str, Any]:
    """An object that has these members and no others."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _list(of: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": of, "description": description}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _word(*words: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


_NUMBER = {"type": "integer", "minimum": 1, "description": "The point's number."}
_SCORE = {"type": "number", "minimum": 0, "description": "On the scale that the question names."}

TOOLS: dict[str, Tool] = {
    "verdict": Tool(
        "verdict",
        "Give the verdict: first the reason, then the score that follows from it.",
        _object(
            reason=_text("Why, in one to three sentences."),
            score={"type": "number", "minimum": 0, "maximum": 1, "description": "0 (not at all) to 1 (fully)."},
        ),
        "That is not a verdict that can be read. Give it again with the tool 'verdict': "
        '"reason", a text, and "score", a number from 0 to 1.',
    ),
    "judgement": Tool(
        "judgement",
        "Give the judgement: each observation point with its evidence, then the reason, then the scores.",
        _object(
            points=_list(
                _object(
                    point=_NUMBER,
                    evidence=_text("A quotation from the material, or steps by number; what is lacking, if unclear."),
                    met=_word("yes", "no", "unclear"),
                ),
                "Every observation point once.",
            ),
            reason=_text("Why the scores are what they are, in one to four sentences."),
            process_score=_SCORE,
            result_score=_SCORE,
        ),
        "That is not a judgement that can be read. Give it again with the tool 'judgement': "
        '"points", a list with each observation point once ("point", its number; "evidence", a text; '
        '"met", one of yes, no, unclear); "reason", a text; '
        '"process_score" and "result_score", numbers on the scales that the question names.',
    ),
    "comparison": Tool(
        "comparison",
        "Give the comparison of the two reports, item by item, and the key verdicts.",
        _object(
            key_verdicts=_list(
                _object(
                    name=_text("As the question names it."),
                    approved=_text("What the approved report says of it."),
                    new=_text("What the new report says of it."),
                    same=_word("yes", "no", "unclear"),
                ),
                "Every key verdict of the question once; an empty list where it names none.",
            ),
            items=_list(
                _object(
                    item=_text("What it is about."),
                    status=_word("same", "differs", "missing", "added"),
                    weight={
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "How much it matters to a reader: 1 fully, 0 not at all.",
                    },
                    evidence=_text("A quotation of what differs, is missing or was added."),
                ),
                "Every statement of the reports that matters, key verdicts aside.",
            ),
            reason=_text("The comparison in one to three sentences."),
        ),
        "That is not a comparison that can be read. Give it again with the tool 'comparison': "
        '"key_verdicts", a list with each key verdict of the question once ("name", "approved", "new", texts; '
        '"same", one of yes, no, unclear); "items", a list ("item", a text; '
        '"status", one of same, differs, missing, added; "weight", a number from 0 to 1; "evidence", a text); '
        '"reason", a text.',
    ),
}
