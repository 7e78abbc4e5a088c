"""The leaves of a case that are not plain rules: a model's scores, comparisons with approved runs, people's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.rules import cut_name, file_faults, leaf, pattern_faults
from pytest_ppteval.rubric.dimension import Dimension
from pytest_ppteval.rubric.jsonpath import PathError, parse_path
from pytest_ppteval.rubric.scale import parse_scale
from pytest_ppteval.rubric.tree import Scorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key
    from pytest_ppteval.case.model import Facts
    from pytest_ppteval.rubric.tree import Node

    Fields = dict[str, Any]
    Places = dict[str, tuple[Key, ...]]

TIME_BASE = 300.0  # seconds that a run may take at no cost in points
_PARTS: dict[str, Dimension] = {"process": "process", "result": "correctness"}
_ASPECTS: dict[str, Dimension] = {
    "process": "process",
    "efficiency": "efficiency",
    "regression": "efficiency",
    "report": "correctness",
    "artifacts": "correctness",
}
# Settings of a comparison that ask for an aspect by themselves.
_ASKS_FOR = {
    "process": ("min_process", "min_match"),
    "efficiency": ("seconds",),
    "regression": (),
    "report": ("report", "key_verdicts"),
    "artifacts": ("artifacts",),
}
_SCALE_REMEDY = "write a range such as 1-5, or a list of different words from worst to best"


def part_problems(document: Document, fields: Fields, place: Places) -> Iterator[FormatError]:
    """What a schema can't say of rubric, baseline and human."""
    for key, written in fields.get("rubric", {}).get("scoring", {}).items():
        if parse_scale(written) is None:
            message = f"{key} is {written!r}: write a range such as 0-100"
            yield FormatError(document.source(*place["rubric"], "scoring", key), message)
    asked: set[str] = set()
    for index, question in enumerate(fields.get("human", ())):
        # Reviews name a question by either.
        words = {question["question"], *([question["name"]] if "name" in question else [])}
        if words & asked:
            message = "another question has the same words or name: reviews could not tell them apart, change one"
            yield FormatError(document.source(*place["human"], index), message)
        asked |= words
        if "scale" in question and parse_scale(question["scale"]) is None:
            message = f"scale {question['scale']!r} can't be read: {_SCALE_REMEDY}"
            yield FormatError(document.source(*place["human"], index, "scale"), message)
    baseline = fields.get("baseline", False)
    if not isinstance(baseline, dict):
        return
    names: set[str] = set()
    for index, verdict in enumerate(baseline.get("key_verdicts", ())):
        where = (*place["baseline"], "key_verdicts", index)
        name = verdict["name"] if isinstance(verdict, dict) else verdict
        if name in names:
            yield FormatError(document.source(*where), f"key verdict {name!r} is there twice: remove or rename one")
        names.add(name)
        for key, text in _verdict_faults(verdict if isinstance(verdict, dict) else {}):
            yield FormatError(document.source(*where, key), text)
    for index, name in enumerate(baseline.get("artifacts", ())):
        for text in file_faults(name):
            yield FormatError(document.source(*place["baseline"], "artifacts", index), text)


def _verdict_faults(verdict: Fields) -> Iterator[tuple[str, str]]:
    if "pattern" in verdict and "path" in verdict:
        yield "pattern", "a key verdict has 'pattern' or 'path', not both: keep one"
    if "file" in verdict and "path" not in verdict:
        yield "file", "'file' goes with 'path': write where in the file the verdict stands"
    yield from (("file", text) for text in file_faults(verdict.get("file", "x")))
    yield from (("pattern", text) for text in pattern_faults(verdict.get("pattern", "")))
    try:
        parse_path(verdict.get("path", "$"))
    except PathError as error:
        yield "path", str(error)


def judge_nodes(document: Document, fields: Fields, place: Places, facts: Facts, goal: str) -> Iterator[Node]:
    """A leaf for each score that a model gives."""
    rubric = fields.get("rubric")
    if rubric is None:
        return
    scoring = rubric.get("scoring") or {f"{part}_score": "0-100" for part in _PARTS}
    for part, dimension in _PARTS.items():
        key = f"{part}_score"
        if key not in scoring:
            continue
        scale = parse_scale(scoring[key])
        assert scale is not None  # it has been checked
        args = {
            "part": part,
            "low": scale.low,
            "high": scale.high,
            "observation_points": list(rubric["observation_points"]),
            "task": goal,
            "expected": facts.expected,
            "skill": facts.skill_name,
            "votes": rubric.get("votes"),
        }
        path = (*place["rubric"], "scoring", key) if "scoring" in rubric else place["rubric"]
        scorer = Scorer("judge", args, document.key_source(*path))
        description = "; ".join(rubric["observation_points"])
        yield leaf(key, description, scorer, dimension, rubric.get("critical", False))


def baseline_nodes(document: Document, fields: Fields, place: Places, case_id: str, suite: str) -> Iterator[Node]:
    """A leaf for each aspect that is compared with approved runs."""
    baseline = fields.get("baseline", False)
    if baseline is False:
        return
    asked: Fields = baseline if isinstance(baseline, dict) else {}
    # A comparison of reports needs a model or key verdicts: it is made only where the case asks for it.
    usual = [one for one in _ASPECTS if one != "report" or "report" in asked or "key_verdicts" in asked]
    args = {
        "case": case_id,
        "suite": suite,
        "seconds": asked.get("seconds", TIME_BASE),
        "min_process": asked.get("min_process"),
        "min_match": asked.get("min_match"),
        "key_verdicts": [one if isinstance(one, dict) else {"name": one} for one in asked.get("key_verdicts", ())],
        "report": asked.get("report", {}),
        "artifacts": asked.get("artifacts"),
    }
    source = document.key_source(*place["baseline"])
    for aspect in dict.fromkeys(asked.get("aspects", usual)):
        # What a case asks for by name is missed where there is nothing to compare; what goes with `true` is not.
        named = "aspects" in asked or any(key in asked for key in _ASKS_FOR[aspect])
        scorer = Scorer("baseline", {"aspect": aspect, "named": named, **args}, source)
        description = f"{aspect} against the approved runs"
        yield leaf(f"baseline: {aspect}", description, scorer, _ASPECTS[aspect], asked.get("critical", False))


def human_nodes(document: Document, fields: Fields, place: Places, facts: Facts) -> Iterator[Node]:
    """A leaf for each question to people."""
    questions = fields.get("human", ())
    for index, asked in enumerate(questions):
        dimension: Dimension = asked.get("dimension") or facts.dimension or "experience"
        args = {
            "question": asked["question"],
            "scale": asked.get("scale", "1-5"),
            "name": asked.get("name"),
            "only": len(questions) == 1,
        }
        scorer = Scorer("human", args, document.key_source(*place["human"], index, "question"))
        name = asked.get("name") or cut_name(asked["question"])
        yield leaf(name, asked["question"], scorer, dimension, asked.get("critical", False))
