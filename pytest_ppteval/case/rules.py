"""One rule of a case file -> one leaf: which checks there are, what goes with each, and what a schema can't say of it.

A rule's leaf has the scorer

    Scorer("check", {"rule": "not_tool_call", "value": ..., "options": {"contains": ..., "args": ...}}, source)

where `value` is what the file has under the rule's name (single texts made lists of one, shorthands written out).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.paths import path_problem
from pytest_ppteval.case.validate import listed
from pytest_ppteval.rubric.dimension import PRIORITIES, Dimension
from pytest_ppteval.rubric.jsonpath import PathError, parse_path
from pytest_ppteval.rubric.tree import Node, Scorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key

NOT = "not_"
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class _Kind:
    dimension: Dimension = "correctness"
    options: tuple[str, ...] = ()


_COUNTED = ("tool_calls", "retries", "tokens", "cost", "seconds")
KINDS: dict[str, _Kind] = {
    "tool_call": _Kind(options=("contains", "args", "ignore_case")),
    "tool_order": _Kind(),
    "skill_used": _Kind(),
    "file_exists": _Kind(),
    "file_contains": _Kind(options=("ignore_case",)),
    "file_matches": _Kind(),
    "json_path": _Kind(),
    "response_contains": _Kind(options=("ignore_case",)),
    "response_matches": _Kind(),
    **{
        f"{bound}_{what}": _Kind("efficiency", ("tool",) if what in ("tool_calls", "retries") else ())
        for bound in ("max", "min")
        for what in _COUNTED
    },
}
RULES = (*KINDS, *(NOT + kind for kind in KINDS))
_OPTIONS = ("contains", "args", "tool", "ignore_case")
_TEXT_LISTS = ("file_exists", "response_contains", "response_matches")


def kind_of_rule(rule: str) -> str:
    """The check that a rule or its not_ form makes."""
    return rule.removeprefix(NOT)


def rule_problems(document: Document, path: tuple[Key, ...], skill: str | None) -> list[FormatError]:
    """What a schema can't say of the rule at `path`, which fits its schema. skill: the case's own."""
    rule = _value(document, path)
    names = [key for key in rule if key in RULES]
    if len(names) != 1:
        what = (
            f"has {listed(names)}: write a rule for each" if names else f"checks nothing: known are {listed([*KINDS])}"
        )
        more = "" if names else ", each with not_ before it too"
        return [FormatError(document.source(*path), f"this rule {what}{more}")]
    (name,) = names
    kind = KINDS[kind_of_rule(name)]
    errors = [
        FormatError(document.key_source(*path, key), f"{key!r} doesn't go with {name}: take it out")
        for key in rule
        if key in _OPTIONS and key not in kind.options
    ]
    if "ignore_case" in rule and name.endswith("tool_call") and "contains" not in rule:
        errors.append(FormatError(document.key_source(*path, "ignore_case"), "'ignore_case' needs 'contains' here"))
    errors += (
        FormatError(document.source(*path, name, *below), text) for below, text in _faults(name, rule[name], skill)
    )
    return errors


def _faults(name: str, value: Any, skill: str | None) -> Iterator[tuple[tuple[Key, ...], str]]:
    """What is wrong with a rule's value, and where below it."""
    kind = kind_of_rule(name)
    if kind == "skill_used" and value is False:
        yield (), f"{name}: false says nothing: write not_skill_used" if name == kind else "write skill_used: true"
    elif kind == "skill_used" and value is True and skill is None:
        yield (), f"{name}: true means the case's skill, and it has none: name one, or give the case a 'skill'"
    elif kind == "file_exists":
        for index, file in enumerate(as_list(value)):
            yield from (((index,) if isinstance(value, list) else (), text) for text in file_faults(file))
    elif kind in ("file_contains", "file_matches", "json_path"):
        yield from ((("file",), text) for text in file_faults(value.get("file", "x")))
        for key in ("pattern", "matches"):
            for pattern in as_list(value.get(key, [])):
                yield from (((key,), text) for text in pattern_faults(pattern))
        if kind == "json_path":
            yield from _json_faults(value)
    elif kind == "response_matches":
        for index, pattern in enumerate(as_list(value)):
            yield from (((index,) if isinstance(value, list) else (), text) for text in pattern_faults(pattern))
    elif isinstance(value, float) and not math.isfinite(value):
        yield (), f"{name} is no finite number: write one"


def _json_faults(value: dict[str, Any]) -> Iterator[tuple[tuple[Key, ...], str]]:
    try:
        parse_path(value["path"])
    except PathError as error:
        yield ("path",), str(error)
    given: list[str] = [key for key in ("equals", "contains", "matches") if key in value]
    given += ["min or max"] if "min" in value or "max" in value else []
    if "any" in value and not given:
        yield ("any",), "'any' needs equals, contains, matches, min or max: say what one of the values must be"
    if len(given) > 1:
        yield (), f"json_path has {listed(given)}: write a rule for each"
    if "min" in value and "max" in value and value["min"] > value["max"]:
        yield ("min",), f"min {value['min']:g} is above max {value['max']:g}: swap them"


def file_faults(name: str) -> Iterator[str]:
    """Why `name` can't be a file of a workspace."""
    problem = path_problem(name, Path("the workspace"))
    if problem is None and ".." in Path(name).parts:
        problem = f"path {name!r} has '..' in it: write where the file is without it"
    if problem:
        yield problem


def pattern_faults(pattern: str) -> Iterator[str]:
    """Why `pattern` is no regular expression."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        yield f"{pattern!r} is no regular expression: {error}: correct it, or put backslashes before what is literal"


def rule_node(document: Document, path: tuple[Key, ...], skill: str | None, main: Dimension | None) -> Node:
    """The leaf of the rule at `path`, which is right. main: the case's own dimension."""
    rule = _value(document, path)
    name = next(key for key in rule if key in RULES)
    kind = KINDS[kind_of_rule(name)]
    value, options = _plain(name, rule[name], skill), {key: rule[key] for key in kind.options if key in rule}
    if "contains" in options:
        options["contains"] = as_list(options["contains"])
    # The case's dimension takes the place of the general one only: a limit on tokens is about efficiency anywhere.
    dimension = rule.get("dimension") or (main if main and kind.dimension == "correctness" else kind.dimension)
    source = document.key_source(*path, name)
    return leaf(
        rule.get("name") or leaf_name(name, value, options),
        rule.get("description", ""),
        Scorer("check", {"rule": name, "value": value, "options": options}, source),
        dimension,
        rule.get("critical", PRIORITIES[dimension] == "P0"),
    )


def leaf(name: str, description: str, scorer: Scorer, dimension: Dimension, critical: bool) -> Node:
    """A leaf of a case."""
    metadata = {"dimension": dimension, "priority": PRIORITIES[dimension]}
    return Node(name, scorer.source, description, critical, metadata, scorer=scorer)


def _plain(name: str, value: Any, skill: str | None) -> Any:
    """A rule's value with single texts as lists and shorthands written out."""
    kind = kind_of_rule(name)
    if kind in _TEXT_LISTS:
        return as_list(value)
    if kind == "tool_order":
        written = value if isinstance(value, dict) else {"tools": value}
        return {"mode": "in_order", **written}
    if kind == "skill_used":
        return skill if value is True else value
    if kind in ("file_contains", "file_matches"):
        key = "text" if kind == "file_contains" else "pattern"
        return {"file": value["file"], key: as_list(value[key])}
    return value


def leaf_name(rule: str, value: Any, options: dict[str, Any]) -> str:
    """What a leaf is called whose rule has no name of its own: "tool_call mcp contains tperf-mcp"."""
    match value:
        case list():
            shown = ", ".join(value)
        case {"tools": tools, "mode": mode}:
            shown = f"{' '.join(tools)} ({mode})"
        case {"file": file, "text": texts}:
            shown = f"{file}: {', '.join(texts)}"
        case {"file": file, "pattern": patterns}:
            shown = f"{file}: {', '.join(patterns)}"
        case {"path": path}:
            said = [
                f"{key} {value[key]}" for key in ("equals", "contains", "matches", "min", "max", "any") if key in value
            ]
            shown = " ".join([*([value["file"]] if "file" in value else []), path, *said])
        case float() if value.is_integer():
            shown = str(int(value))
        case _:
            shown = str(value)
    if "contains" in options:
        shown += f" contains {', '.join(options['contains'])}"
    if "args" in options:
        shown += f" with {', '.join(f'{key}={one}' for key, one in options['args'].items())}"
    if "tool" in options:
        shown += f" of {options['tool']}"
    return cut_name(f"{rule} {shown}")


def cut_name(name: str) -> str:
    """`name` on one line, and not too long for one."""
    line = " ".join(name.split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 3] + "..."


def as_list(value: Any) -> list[Any]:
    """A list of what may be written as one value."""
    return value if isinstance(value, list) else [value]


def _value(document: Document, path: tuple[Key, ...]) -> Any:
    value: Any = document.data
    for key in path:
        value = value[key]
    return value
