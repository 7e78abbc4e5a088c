"""Numbers and identifiers that an agent gives, and where they stand: nothing may be made up.

What is given: the response, and each text file of the workspace that no tool wrote by itself. Where it may stand: the
prompt, the inputs, the skill's texts, and what calls answered (before the file was written). What follows counts too:
rounded; how many a series has, its sum, mean and range; the sum, difference, mean, share or ratio of two numbers that
the same text gives, of one answer's single values, or of values with the same name in several answers.
"""

from __future__ import annotations

import re
from itertools import combinations, permutations
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.calls import json_texts
from pytest_ppteval.grade.rules.commands import commands_of, writes_file
from pytest_ppteval.grade.rules.finding import Finding, may_lack, nameless, some, turned
from pytest_ppteval.grade.rules.kept import inputs_of
from pytest_ppteval.grade.rules.texts import readings
from pytest_ppteval.grade.rules.units import NAME
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import close, figures
from pytest_ppteval.trace.families import family_of
from pytest_ppteval.trace.jsontext import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.prose.numbers import Figure
    from pytest_ppteval.trace.model import Json, Step, Trace

_TEXTS = frozenset((".md", ".txt", ".json", ".csv", ".tsv", ".html", ".yaml", ".yml", ".rst", ""))
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b|\b\d{1,2}:\d{2}(?::\d{2})?\b")
_LISTED = re.compile(r"(?m)^\s*(?:[-*]\s+)?\d{1,2}[.)]\s+")
_SMALL = 12  # numbers up to it are said of things that anybody counts
_LONGEST_LIST = 4  # of numbers that stand for themselves; longer ones are series
_MOST_SINGLE = 400


def grounded(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether all numbers and identifiers stand where they may come from."""
    trace, response = evidence.run.trace, evidence.run.response
    if isinstance(trace, Lacking):
        return trace
    if isinstance(response, Lacking):
        return response
    given = _given(evidence)
    inventions: list[str] = []
    texts = [("", response, len(trace.steps)), *_files(evidence, trace)]
    count = 0
    for where, text, before in texts:
        found, looked = _ungrounded(text, _Ground(given, trace, before))
        count += looked
        inventions += [f"{one}{f' ({where})' if where else ''}" for one in found]
    inventions = list(dict.fromkeys(inventions))
    if not inventions:
        more = evidence.run.response_open
        reason = f"all of {count} numbers and names stand in the prompt, inputs or results"
        return Finding(None, f"{reason}; {more}") if more else turned(Finding(True, reason), rule)
    reason = f"nowhere in the prompt, the inputs or a result before: {some(inventions, 8)}"
    families = [family_of(trace.format, step.tool, step.args) if step.tool else None for step in trace.steps]
    silent = sum(
        step.result is None and not step.failed and family not in ("write", "skill")
        for step, family in zip(trace.steps, families, strict=True)
    )
    lacks = may_lack(trace) or (f"the trace doesn't tell what {silent} calls answered" if silent else "")
    lacks = lacks or nameless(trace)
    return Finding(None, f"{reason}; {lacks}") if lacks else turned(Finding(False, reason), rule)


def _given(evidence: Evidence) -> list[str]:
    """What the agent had before its first call."""
    case = evidence.case
    texts = [case.goal] if case is not None else []
    for path in inputs_of(case).values():
        texts.append(path.read_bytes()[: 1 << 20].decode("utf-8", "replace"))
        texts.append(path.name)
    skill = case.facts.skill_path if case is not None and case.facts is not None else None
    if skill is not None and skill.is_dir():
        below = [one for one in sorted(skill.rglob("*")) if one.is_file() and one.suffix.lower() in _TEXTS]
        texts += [one.read_bytes()[: 1 << 20].decode("utf-8", "replace") for one in below[:50]]
    trace = evidence.run.trace
    if not isinstance(trace, Lacking):
        texts += [message.text for message in trace.messages if message.role in ("user", "system")]
    return texts


def _files(evidence: Evidence, trace: Trace) -> Iterator[tuple[str, str, int]]:
    """The texts that the agent wrote, by name, and how many calls came before."""
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return
    inputs = inputs_of(evidence.case)
    results = "\n".join(step.result for step in trace.steps if step.result)
    for name in workspace.files[:200]:
        text = workspace.text(name) if PurePosixPath(name).suffix.lower() in _TEXTS else None
        if not isinstance(text, str) or text.strip() in results:
            continue
        if name in inputs and text == inputs[name].read_bytes().decode("utf-8", "replace"):
            continue
        wrote = [index for index, step in enumerate(trace.steps) if _writes(step, name, trace)]
        yield name, text, wrote[-1] if wrote else len(trace.steps)


def _writes(step: Step, name: str, trace: Trace) -> bool:
    family = family_of(trace.format, step.tool, step.args) if step.tool else None
    if family == "write":
        last = PurePosixPath(name).name
        return any(text.replace("\\", "/").rpartition("/")[2] == last for text in json_texts(step.args))
    return family == "shell" and any(writes_file(command, name) for command in commands_of(step))


class _Ground:
    """What stands where numbers may come from, up to a call."""

    def __init__(self, given: Sequence[str], trace: Trace, before: int) -> None:
        self.numbers: list[float] = []
        self._own: set[float] = set()
        self._singles: list[list[float]] = []
        self._named: dict[str, list[float]] = {}
        pieces = list(given)
        for text in given:
            self.numbers += _values(text)
        for step in trace.steps[:before]:
            result = step.result or step.error
            if result is None:
                continue
            echoes = family_of(trace.format, step.tool, step.args) in ("shell", "read", "write")
            if echoes:
                # What a shell or a file says may be what the agent put there itself.
                known = set(self.numbers)
                self._own |= {one for text in json_texts(step.args) for one in _values(text) if one not in known}
            values = [one for one in _values(result) if not echoes or one not in self._own]
            self.numbers += values
            pieces.append(result)
            self._take(result, values)
        self.text = "\n".join(normal(piece, case=False) for piece in pieces)
        self._ordered = sorted(set(self.numbers))

    def _take(self, result: str, values: list[float]) -> None:
        """The single values of an answer: of JSON those that are no series, of a text all where they are few."""
        try:
            data: Json = loads(result)
        except (ValueError, RecursionError):
            self._singles.append(values[:40])
            return
        singles = []
        for key, value in _scalars(data):
            singles.append(value)
            self._named.setdefault(key, []).append(value)
        self._singles.append(singles[:40])
        for series in _series(data):
            self.numbers += [sum(series), sum(series) / len(series), max(series) - min(series), float(len(series))]

    def has(self, one: Figure) -> bool:
        """Whether a number stands there, rounded or not, as a share or a percentage."""
        return any(_near(one, number) for number in self._ordered)

    def follows(self, one: Figure, said: Sequence[float]) -> bool:
        """Whether it follows from two numbers."""
        groups: Iterable[Sequence[float]] = (said, *self._singles, *self._named.values())
        lonely = [own[0] for own in self._named.values() if len(own) == 1]
        every = [value for own in self._named.values() for value in own][:_MOST_SINGLE]
        if any(_combined(one, a, b) for group in groups for a, b in combinations(sorted(set(group[:60])), 2)):
            return True
        return any(b and (_near(one, a / b) or _near(one, a / b * 100)) for b in lonely for a in every if a != b)


def _combined(one: Figure, a: float, b: float) -> bool:
    made = [a + b, b - a, (a + b) / 2, a * b / 100]
    for top, under in permutations((a, b)):
        if under:
            made += [top / under, (top - under) / under]
    return any(_near(one, abs(value)) for value in made)


def _near(one: Figure, number: float) -> bool:
    """Whether a number as it is written stands for this one, which may have more digits: as it is, or as a percentage
    or a share, or with its scale (12k)."""
    value, number, half = abs(one.value), abs(number), 0.5000001 * 10.0**-one.decimals
    if close(value, number) or (one.scale not in (1.0, 0.01) and abs(abs(one.meant) - number) <= half * one.scale):
        return True
    if not one.decimals and value < 10:
        return one.scale == 0.01 and close(abs(one.meant), number)  # a digit alone is nothing's rounded form
    if abs(value - number) <= half:
        return True
    if one.scale == 0.01:
        return abs(value - number * 100) <= half
    return value < 1 and abs(value * 100 - number) <= half * 100


def _ungrounded(text: str, ground: _Ground) -> tuple[list[str], int]:
    """The numbers and names that stand nowhere, and how many were looked at."""
    plain = readings(text)[-2]
    names = [name for match in NAME.finditer(plain) if len(name := match[0].rstrip(".-:/_")) > 2]
    wrong = [name for name in dict.fromkeys(names) if not _is_named(name, ground)]
    rest = _LISTED.sub("\n", _DATE.sub(" ", NAME.sub(" ", plain)))
    looked = [one for line in rest.split("\n") for one in figures(line)]
    dates = [match[0] for match in _DATE.finditer(plain)]
    wrong += [date for date in dict.fromkeys(dates) if date.casefold() not in ground.text]
    known = [one for one in looked if ground.has(one)]
    said = [one.value for one in known]
    for one in looked:
        if one in known or (one.scale == 1.0 and not one.decimals and abs(one.value) <= _SMALL):
            continue
        if not ground.follows(one, said):
            wrong.append(one.written)
    return list(dict.fromkeys(wrong)), len(looked) + len(names) + len(dates)


def _is_named(name: str, ground: _Ground) -> bool:
    """Whether a name stands there; a file's that the agent may choose is none of the world's."""
    small = name.casefold()
    return small in ground.text or re.fullmatch(r"[\w-]+\.(?:json|md|txt|csv|py|html|pptx|mp4|mp3)", small) is not None


def _values(text: str) -> list[float]:
    plain = _DATE.sub(" ", text)
    return [number for one in figures(plain) for number in {one.value, one.meant}]


def _scalars(data: Json, key: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a JSON value with their keys, those of series left out."""
    stack: list[tuple[str, Json]] = [(key, data)]
    while stack:
        name, one = stack.pop()
        if isinstance(one, dict):
            stack.extend(one.items())
        elif isinstance(one, list) and len(one) <= _LONGEST_LIST:
            stack.extend((name, below) for below in one)
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield name, float(one)


def _series(data: Json) -> Iterator[list[float]]:
    """Lists of numbers, and the last numbers of lists of pairs."""
    stack: list[Json] = [data]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, list):
            last = [below[-1] if isinstance(below, list) and below else below for below in one]
            numbers = [float(n) for n in last if isinstance(n, int | float) and not isinstance(n, bool)]
            if len(numbers) > _LONGEST_LIST and len(numbers) == len(last):
                yield numbers
            else:
                stack.extend(one)
