"""Key verdicts that code can read out of a run: by a pattern in the response, or a path in JSON."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.evidence.workspace import Unreadable
from pytest_ppteval.grade.rules.files import NotJson, load_json
from pytest_ppteval.grade.rules.regex import search_each
from pytest_ppteval.rubric.jsonpath import parse_path, select
from pytest_ppteval.trace.align import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.evidence.run import Run


def by_code(verdict: Mapping[str, Any]) -> bool:
    """Whether code can read it; else it is for the judge."""
    return "pattern" in verdict or "path" in verdict


def read_verdict(verdict: Mapping[str, Any], run: Run) -> str | Lacking:
    """What the run says: the words of the pattern's first group, or the values at the path as JSON.

    Lacking with the agent at fault where the run does not say it.
    """
    if "file" not in verdict:
        text = run.response
        if isinstance(text, Lacking):
            return text
        return _by_path(verdict, text, fenced=True) if "path" in verdict else _by_pattern(verdict["pattern"], text)
    workspace = run.workspace
    if isinstance(workspace, Lacking):
        return workspace
    problem = workspace.look(verdict["file"])
    if problem is not None:
        return Lacking(problem.reason, "agent")
    content = workspace.text(verdict["file"])
    if isinstance(content, Unreadable):
        return Lacking(content.reason)
    return _by_path(verdict, content, fenced=False)


def _by_pattern(pattern: str, text: str) -> str | Lacking:
    ((found,),) = search_each([pattern], [text], group=1)
    if found is None:
        return Lacking(f"nothing fits /{pattern}/ in the final response", "agent")
    start, end = found
    # Where the group took no part, the pattern was found, and says no more than that.
    return " ".join(unicodedata.normalize("NFC", text[start:end]).split()) if start >= 0 else ""


def _by_path(verdict: Mapping[str, Any], text: str, *, fenced: bool) -> str | Lacking:
    where = verdict.get("file", "the final response")
    data = load_json(text, fenced=fenced)
    if isinstance(data, NotJson):
        return Lacking(f"{where} {data.reason}", "agent")
    values = select(data.value, parse_path(verdict["path"]))
    if not values:
        return Lacking(f"{where} has nothing at {verdict['path']}", "agent")
    return ", ".join(canonical(value) for value in values)  # type: ignore[arg-type]  # they come from JSON
