"""Rules of case files: what code can say of an agent's trace, response and files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.grade.rules.finding import Finding, Rule
    from pytest_ppteval.rubric.tree import Leaf

_HOMES = {
    "tool_call": "calls",
    "tool_order": "calls",
    "skill_used": "skills",
    "file_exists": "files",
    "file_contains": "files",
    "file_matches": "files",
    "json_path": "files",
    "response_contains": "texts",
    "response_matches": "texts",
    "says": "said",
    "answered_from": "said",
    "grounded": "grounded",
    "file_written": "kept",
    "file_read": "kept",
    "file_kept": "kept",
    "file_parses": "parses",
    "no_effect": "effects",
    "only_effects": "effects",
    "only_tools": "effects",
    "json_schema": "schemas",
    "any_of": "choice",
}


def grade(leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:  # noqa: ARG001 - the graders' one signature
    """1.0 where the rule holds, 0.0 where it doesn't.

    Unscored where what it looks at was not kept, can't be read, or leaves it open; 0.0 where the agent should have
    left it and did not.
    """
    from pytest_ppteval.grade.rules.finding import STANDS_IN, Rule
    from pytest_ppteval.grade.rules.regex import RegexTimeoutError
    from pytest_ppteval.trace.jsontext import one_line, whole

    if evidence.missing:
        return LeafResult(status="scored", score=0.0, reason=evidence.missing)
    args = leaf.scorer.args
    name = str(args["rule"])
    rule = Rule(name.removeprefix("not_"), name.startswith("not_"), args["value"], args["options"])
    try:
        found = check_of(rule.check)(rule, evidence)
    except RegexTimeoutError as error:
        return LeafResult(status="error", reason=str(error))
    # What an agent wrote goes to terminals and files: it is put on one line, and what could steer them is escaped.
    reason = one_line(whole(found.reason))
    claim = args["options"].get("stands_in")
    if claim:
        reason = f"{STANDS_IN}{claim!r}: {reason}"
    if isinstance(found, Lacking):
        return lacking(found, reason)
    if found.holds is None:
        return LeafResult(status="unscored", reason=reason, details=found.note)
    return LeafResult(status="scored", score=float(found.holds), reason=reason, details=found.note)


def lacking(piece: Lacking, reason: str = "") -> LeafResult:
    """The result of a leaf that needs a piece of the run that is not to be had."""
    reason = reason or piece.reason
    if piece.fault == "agent":
        return LeafResult(status="scored", score=0.0, reason=reason)
    return LeafResult(status="unscored", reason=reason)


def check_of(name: str) -> Callable[[Rule, Evidence], Finding | Lacking]:
    """The function of a check, by the name that it has in case files."""
    home, function = ("counts", "bound") if name.startswith(("max_", "min_")) else (_HOMES[name], name)
    check: Callable[[Rule, Evidence], Finding | Lacking] = getattr(
        import_module(f"pytest_ppteval.grade.rules.{home}"), function
    )
    return check
