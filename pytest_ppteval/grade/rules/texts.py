"""Texts and patterns in a text: the final response, or a file."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.finding import Finding
from pytest_ppteval.grade.rules.regex import search_each
from pytest_ppteval.prose.normal import normal, normal_lines, without_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule

RESPONSE = "the final response"
_AROUND = 30
# Looking for the nearest text takes time in proportion to the product of both lengths.
_LOOKED_THROUGH, _LOOKED_FOR = 4000, 100
_PROSE = frozenset((".md", ".markdown", ".txt", ".rst", ""))


def response_contains(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Texts in the final response."""
    response = evidence.run.response
    if isinstance(response, Lacking):
        return response
    return in_response(contains(rule, rule.value, response, RESPONSE), rule, evidence)


def response_matches(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Patterns in the final response."""
    response = evidence.run.response
    if isinstance(response, Lacking):
        return response
    return in_response(matches(rule, rule.value, response, RESPONSE), rule, evidence)


def in_response(finding: Finding, rule: Rule, evidence: Evidence) -> Finding:
    """The finding about the last words of a trace: that something is not in them says nothing if more may have come."""
    why = evidence.run.response_open
    there = finding.holds != rule.negated
    return finding if there or not why else Finding(None, f"{finding.reason}; {why}")


def contains(rule: Rule, texts: Sequence[str], whole: str, where: str) -> Finding:
    """Whether all of `texts` are in `whole`, or one where any is enough; for a negated rule, whether none is."""
    forms = readings(whole, where)
    ignore_case = bool(rule.options.get("ignore_case"))
    found = [_first(text, forms, ignore_case) for text in texts]
    near = [_nearest(text, forms[0]) for text in texts]
    return _finding(rule, [repr(text) for text in texts], found, forms[0], where, near)


def matches(rule: Rule, patterns: Sequence[str], whole: str, where: str) -> Finding:
    """Whether all of `patterns` are found in `whole`, or one where any is; for a negated rule, whether none is."""
    names = [f"/{pattern}/" for pattern in patterns]
    forms = readings(whole, where)[:-1]  # not the one that has no lines: patterns count them
    rows = search_each(patterns, forms)
    found = [
        next(((form, row[index]) for form, row in zip(forms, rows, strict=True) if row[index]), None)
        for index in range(len(patterns))
    ]
    return _finding(rule, names, found, forms[0], where, [""] * len(patterns))


def readings(whole: str, where: str = RESPONSE) -> list[str]:
    """The forms of a text in which it is looked at, most literal first: what readers don't tell apart is one thing.

    As written, with plain line ends; with one kind of space, dash, quote and width; without Markdown's marks (where the
    text is the response, or a file of Markdown or plain text); and that as one line, for what was wrapped.
    """
    written = unicodedata.normalize("NFC", re.sub(r"\r\n?", "\n", whole))
    plain = normal_lines(written)
    prose = where == RESPONSE or PurePosixPath(where).suffix.lower() in _PROSE
    unmarked = normal_lines(without_marks(written).replace("`", "")) if prose else plain
    return [*dict.fromkeys((written, plain, unmarked)), normal(unmarked)]


def _first(text: str, forms: Sequence[str], ignore_case: bool) -> tuple[str, tuple[int, int]] | None:
    """The first form that has the text, and where."""
    same = normal_lines(text)
    same = f"{' ' * text[:1].isspace()}{same}{' ' * text[-1:].isspace()}" if same else text
    for form in forms:
        for one in dict.fromkeys((text, same)):
            place = place_of(one, form, ignore_case)
            if place is not None:
                return form, place
    return None


def place_of(text: str, whole: str, ignore_case: bool) -> tuple[int, int] | None:
    """Where `text` is first found; differences in how Unicode writes the same character don't count."""
    text = unicodedata.normalize("NFC", text)
    if ignore_case:
        found = re.search(re.escape(text), whole, re.IGNORECASE)
        return found.span() if found else None
    at = whole.find(text)
    return (at, at + len(text)) if at >= 0 else None


def _finding(
    rule: Rule,
    names: list[str],
    found: Sequence[tuple[str, tuple[int, int] | None] | None],
    whole: str,
    where: str,
    near: list[str],
) -> Finding:
    there = [(name, around(one[0], one[1])) for name, one in zip(names, found, strict=True) if one and one[1]]
    if rule.negated:
        if there:
            name, shown = there[0]
            return Finding(False, f"{name} is in {where}: {shown}{_more(len(there) - 1, 'too')}")
        what = f"{names[0]} is not" if len(names) == 1 else f"none of {', '.join(names)} is"
        return Finding(True, f"{what} in {where} ({len(whole):,} characters)")
    absent = [index for index, one in enumerate(found) if one is None]
    if absent and not (there and rule.options.get("any")):
        first = absent[0]
        short = ", ".join(names[index] for index in absent)
        more = f"; nearest: {near[first]}" if near[first] else f"; it begins: {beginning(whole)}"
        return Finding(False, f"{short} {'is' if len(absent) == 1 else 'are'} not in {where}{more}")
    shown = "; ".join(one for _, one in there[:3])
    return Finding(True, f"{where} has {', '.join(name for name, _ in there)}: {shown}")


def _more(count: int, word: str) -> str:
    return f" (and {count} more {word})" if count > 0 else ""


def around(whole: str, place: tuple[int, int]) -> str:
    """The text at `place` with some of what is around it, on one line, in quotes."""
    start, end = place
    end = min(end, start + 200)
    left, right = max(0, start - _AROUND), min(len(whole), end + _AROUND)
    return _quoted(("..." if left else "") + whole[left:right] + ("..." if right < len(whole) else ""))


def beginning(whole: str, most: int = 120) -> str:
    """The first of a text, on one line, in quotes."""
    return _quoted(whole.strip()[:most] + ("..." if len(whole.strip()) > most else ""))


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()) + '"'


def _nearest(text: str, whole: str) -> str:
    """The part of `whole` that is most like `text`, "" where less than half of it is there."""
    wanted, looked = text[:_LOOKED_FOR], whole[:_LOOKED_THROUGH]
    found = SequenceMatcher(None, wanted, looked, autojunk=False).find_longest_match()
    if found.size < 2 or found.size * 2 < len(wanted):
        return ""
    return around(looked, (found.b, found.b + found.size))
