"""What a text says: a value near the words that it belongs to, in any notation; one of a closed list; where it is from.

A value is a number or a text. It belongs to words (`about`) by the tightest piece of text that has both those words and
a value of its kind: the clause, the sentence, the line, a line and the two above it (a table's head, a heading).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.calls import called, is_tool
from pytest_ppteval.grade.rules.files import text_of
from pytest_ppteval.grade.rules.finding import Finding, nameless, seen, some, turned
from pytest_ppteval.grade.rules.texts import RESPONSE, beginning, in_response, readings
from pytest_ppteval.grade.rules.units import fits, without_names
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import close, figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.prose.numbers import Figure

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|[\u3002\uff01\uff1f]")
_CLAUSE = re.compile(r"[;,\uff0c\uff1b\u3001]\s+|[\uff0c\uff1b\u3001\uff08\uff09()]|\s(?:and|but|while|whereas)\s")
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\binstead of|\brather than|\u4e0d\u662f|\u5e76\u975e|\u800c\u975e|\u4e0d\u8981|\u4e0d\u7528)"
    r"(?!\s(?:more|less|above|below|over|under|only|just))\s*(?:[a-z]+\s){0,2}[\W_]{0,3}$"
)
# Between words and what is said of them: "Bottleneck: CPU", "bottleneck" = "cpu", "the bottleneck is the CPU".
_LABEL = re.compile(r"[\"'\s]{0,3}(?:[:=|]|\uff1a|->|\u662f|\u4e3a)[\"'\s|]{0,4}(?:the\s|a\s)?")
_LABEL_START = re.compile(r"(?:^|[|,;.:{(\[\"'>*#\uff0c\uff1b\u3002\uff08-])\s*(?:the\s|its\s)?[\"']?$")
_IS = re.compile(r"\s+(?:is|was|are|were|in [\w-]+ is|of [\w-]+ is)\s+(?:the\s|a\s|an\s|most likely\s)?")


def says(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the response, or a file, says a value of what it is about."""
    asked = rule.value
    where = asked.get("file", RESPONSE)
    text = text_of(rule, evidence) if "file" in asked else evidence.run.response
    if not isinstance(text, str):
        return text
    words = words_of(evidence)
    finding = _listed(asked, text, where, words) if "among" in asked else _valued(asked, text, where, words)
    finding = turned(finding, rule)
    return finding if "file" in asked else in_response(finding, rule, evidence)


def words_of(evidence: Evidence) -> Mapping[str, Sequence[str]]:
    """The case's list of wordings: what else is said for a word."""
    words = evidence.case.misc.get("words") if evidence.case is not None else None
    return words if isinstance(words, dict) else {}


# --- A value ---------------------------------------------------------------------------------------------------------


def _valued(asked: Mapping[str, Any], text: str, where: str, words: Mapping[str, Sequence[str]]) -> Finding:
    any_is_enough = "any" in asked
    wanted = list(asked["any"] if any_is_enough else asked["all"] if "all" in asked else [asked["value"]])
    about = [wordings(one, words) for one in asked.get("about", [])]
    units = asked.get("unit", [])
    tolerance = float(asked.get("tolerance", 0))
    got: list[str] = []
    lacking: list[str] = []
    for value in wanted:
        place = next(_places(value, about, units, tolerance, text, words), None)
        shown = _shown(value, units)
        if place is None:
            lacking.append(shown)
        else:
            got.append(f'{shown} in "{place}"')
    of = f" of {', '.join(names[0] for names in about)}" if about else ""
    if lacking and not (got and any_is_enough):
        near = _nearby(about, text)
        return Finding(False, f"{where} doesn't say {some(lacking)}{of}; {near or f'it begins: {beginning(text)}'}")
    return Finding(True, f"{where} says{of}: {'; '.join(got[:3])}")


def _shown(value: object, units: Sequence[str]) -> str:
    return f"{value}{f' {units[0]}' if units else ''}"


def wordings(one: str | list[str], words: Mapping[str, Sequence[str]]) -> list[str]:
    """All that may be said for a word, or for a list of words of which one is enough; small letters."""
    names = [one] if isinstance(one, str) else list(one)
    return [text.casefold() for name in names for text in (name, *words.get(name, ()))]


def _places(
    value: object,
    about: Sequence[Sequence[str]],
    units: Sequence[str],
    tolerance: float,
    text: str,
    words: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """The pieces that say the value of what it is about: the tightest with those words and a value of the kind."""

    def has_all(piece: str) -> bool:
        return all(any(has_word(piece, word) for word in names) for names in about)

    def has_kind(piece: str) -> bool:
        return says_it(piece) if isinstance(value, str) else any(True for _ in figures(without_names(piece)))

    def says_it(piece: str) -> bool:
        if isinstance(value, str):
            return _is_affirmed(piece, wordings(value, words))
        return any(_is(one, value, units, tolerance, piece) for one in figures(without_names(piece)))

    above: list[str] = []  # lines that name something and give no value of it
    for line in readings(text)[-2].casefold().split("\n"):
        deciding = list(_deciding(line, lambda piece: has_all(piece) and has_kind(piece)))
        if not deciding and has_kind(line) and above and has_all(" ".join((*above, line))):
            deciding = [normal(line)]
        yield from (piece for piece in deciding if says_it(piece))
        if line.strip(" -|:="):
            above = [*above, line][-3:] if not (has_all(line) and has_kind(line)) else []
            above = [one for one in above if not (about and has_kind(one))] if not isinstance(value, str) else above


def _deciding(line: str, decides: Callable[[str], bool]) -> Iterator[str]:
    """The tightest pieces of a line that decide: clauses, else sentences, else the line."""
    any_sentence = False
    for sentence in filter(None, _SENTENCE.split(line)):
        clauses = [normal(clause) for clause in _CLAUSE.split(sentence) if clause.strip()]
        found = [clause for clause in clauses if decides(clause)] or [one for one in [normal(sentence)] if decides(one)]
        any_sentence = any_sentence or bool(found)
        yield from found
    if not any_sentence and decides(normal(line)):
        yield normal(line)


def _is(one: Figure, value: object, units: Sequence[str], tolerance: float, piece: str) -> bool:
    assert isinstance(value, int | float)
    if _DENIED.search(piece[: one.start]):
        return False
    return fits(one, float(value), units, tolerance, piece)


def _is_affirmed(piece: str, texts: Sequence[str]) -> bool:
    return any(not _DENIED.search(piece[: match.start()]) for text in texts for match in _word(text).finditer(piece))


def _word(text: str) -> re.Pattern[str]:
    """The text, not inside of another word; between letters that are no Latin ones there are no words to tell."""
    left = r"(?<![a-z0-9_])" if re.match(r"[a-z0-9_]", text) else ""
    right = r"(?![a-z0-9_])" if re.search(r"[a-z0-9_]$", text) else ""
    return re.compile(left + re.escape(text) + (right or ""))


def has_word(piece: str, word: str) -> bool:
    """Whether a piece of text, in small letters, has a word, also one with an ending."""
    left = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", word) else ""
    return re.search(left + re.escape(word), piece) is not None


def _nearby(about: Sequence[Sequence[str]], text: str) -> str:
    """The first line with one of the words."""
    if not about:
        return ""
    lines = readings(text)[-2].split("\n")
    hit = next((line for line in lines if any(has_word(line.casefold(), word) for word in about[0])), "")
    return f"it says: {beginning(hit)}" if hit else ""


# --- One of a list ---------------------------------------------------------------------------------------------------


def _listed(asked: Mapping[str, Any], text: str, where: str, words: Mapping[str, Sequence[str]]) -> Finding:
    """Which of a closed list a text names: by a label ("Bottleneck: CPU") wherever there is one, else where first said.

    Labels that differ are no answer.
    """
    names = {str(one): wordings(one, words) for one in asked["among"]}
    about = [word for one in asked.get("about", []) for word in wordings(one, words)]
    lines = [line for line in readings(text)[-2].casefold().split("\n") if line]
    labelled, loose = _verdicts(lines, about, names) if about else ([], [])
    if not about:
        loose = [name for line in lines for _, name in _named(line, names)]
    found = labelled or loose[:1]
    wanted = str(asked["value"])
    of = f" {about[0]}" if about else ""
    if not found:
        return Finding(False, f"{where} names none of {some(list(names))} for{of}; it begins: {beginning(text)}")
    different = list(dict.fromkeys(found))
    said = " and ".join(different)
    return Finding(different == [wanted], f"{where} names {said} as{of}, {wanted} expected")


def _verdicts(
    lines: Sequence[str], about: Sequence[str], names: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[str]]:
    labelled: list[str] = []
    loose: list[str] = []
    for line in lines:
        for word in about:
            for match in _word(word).finditer(line):
                around = [name for span, name in _spans(line, names) if _is_within(match.span(), span)]
                if around:  # "no bottleneck"
                    loose.append(around[0])
                    continue
                rest = line[match.end() :]
                label = _LABEL.match(rest)
                after = _named(rest[label.end() :], names) if label else []
                if label and after and after[0][0] <= 2 and _LABEL_START.search(line[: match.start()]):
                    labelled.append(after[0][1])
        for sentence in filter(None, _SENTENCE.split(line)):
            pieces = [*filter(None, _CLAUSE.split(sentence)), sentence]
            loose += [*filter(None, (_nearest_to(word, piece, names) for piece in pieces for word in about))][:1]
    return labelled, loose


def _nearest_to(word: str, sentence: str, names: Mapping[str, Sequence[str]]) -> str:
    """The name that a sentence gives to a word: what it is said to be, else the nearest; "" where there is none."""
    match = _word(word).search(sentence)
    if match is None:
        return ""
    linked = _IS.match(sentence[match.end() :])
    behind = _named(sentence[match.end() + linked.end() :], names) if linked else []
    if behind and behind[0][0] <= 2:
        return behind[0][1]
    start = match.start()
    return min(_named(sentence, names, match.span()), key=lambda one: abs(one[0] - start), default=(0, ""))[1]


def _named(
    text: str, names: Mapping[str, Sequence[str]], without: tuple[int, int] | None = None
) -> list[tuple[int, str]]:
    """Where which of the names are said. without: a place that is not looked at."""
    return [
        (start, name)
        for (start, end), name in _spans(text, names)
        if not (without and start < without[1] and without[0] < end)
    ]


def _spans(text: str, names: Mapping[str, Sequence[str]]) -> list[tuple[tuple[int, int], str]]:
    """The places of names in a text, the longest wording first: "not valid" is not "valid"."""
    found: list[tuple[tuple[int, int], str]] = []
    every = sorted(((word, name) for name, own in names.items() for word in own), key=lambda one: -len(one[0]))
    for word, name in every:
        for match in _word(word).finditer(text):
            start, end = match.span()
            if not any(start < stop and begin < end for (begin, stop), _ in found):
                found.append(((start, end), name))
    return sorted(found)


def _is_within(part: tuple[int, int], whole: tuple[int, int]) -> bool:
    return whole[0] <= part[0] and part[1] <= whole[1] and part != whole


# --- Where it is from ------------------------------------------------------------------------------------------------


def answered_from(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether what the response says came from a result of a tool's call.

    With a value: that value, in the response and in a result. Without: some number of the response that the prompt
    doesn't have.
    """
    trace, response = evidence.run.trace, evidence.run.response
    if isinstance(trace, Lacking):
        return trace
    if isinstance(response, Lacking):
        return response
    asked = rule.value
    steps = [step for step in trace.steps if any(is_tool(step, tool, trace.format) for tool in asked["tool"])]
    tools = " or ".join(asked["tool"])
    if not steps:
        return seen(False, f"{tools} was not called; {called(trace.steps, asked['tool'])}", rule, trace)
    if "value" in asked:
        wanted: list[Any] = asked["value"] if isinstance(asked["value"], list) else [asked["value"]]
    else:
        goal = evidence.case.goal if evidence.case is not None else ""
        known = {one.value for one in figures(goal)}
        wanted = [one.value for one in figures(response) if one.value not in known]
    said = [value for value in wanted if _has(response, value, asked)]
    if "value" in asked and len(said) < len(wanted):
        missing = next(value for value in wanted if value not in said)
        return in_response(turned(Finding(False, f"{RESPONSE} doesn't say {missing}"), rule), rule, evidence)
    results = [step.result for step in steps if step.result is not None and not step.failed]
    from_there = [value for value in said if any(_has(result, value, asked) for result in results)]
    enough = len(from_there) == len(wanted) if "value" in asked else bool(from_there)
    if enough and wanted:
        return seen(True, f"{some([str(one) for one in from_there])} came from {tools}", rule, trace)
    if any(step.result is None and not step.failed for step in steps):
        return Finding(None, f"the trace doesn't tell what {tools} answered")
    reason = f"no result of {tools} has {some([str(one) for one in wanted if one not in from_there]) or 'what is said'}"
    return Finding(None, f"{reason}; {nameless(trace)}") if nameless(trace) else seen(False, reason, rule, trace)


def _has(text: str, value: object, asked: Mapping[str, Any]) -> bool:
    """Whether a text has a value, or one that rounds to it."""
    if isinstance(value, str):
        return value.casefold() in readings(text)[-1].casefold()
    assert isinstance(value, int | float)
    tolerance = float(asked.get("tolerance", 0))
    digits = len(f"{value:.10g}".partition(".")[2])
    return any(
        close(number, value, tolerance) or close(round(number, digits), value)
        for one in figures(text)
        for number in (one.value, one.meant, one.value * 100)
    )
