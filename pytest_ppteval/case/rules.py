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
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key

NOT = "not_"
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class _Kind:
    dimension: Dimension = "correctness"
    options: tuple[str, ...] = ()


_OF_CALLS = ("contains", "args", "result_contains", "failed", "ignore_case")
_COUNTED = ("tool_calls", "retries", "tokens", "cost", "seconds")
KINDS: dict[str, _Kind] = {
    "tool_call": _Kind(options=_OF_CALLS),
    "tool_order": _Kind(),
    "only_tools": _Kind(),
    "no_effect": _Kind(),
    "only_effects": _Kind(),
    "skill_used": _Kind(),
    "file_exists": _Kind(),
    "file_written": _Kind(),
    "file_read": _Kind(),
    "file_kept": _Kind(),
    "file_parses": _Kind(),
    "file_contains": _Kind(options=("ignore_case",)),
    "file_matches": _Kind(),
    "json_path": _Kind(),
    "json_schema": _Kind(),
    "response_contains": _Kind(options=("ignore_case",)),
    "response_matches": _Kind(),
    "says": _Kind(),
    "answered_from": _Kind(),
    "grounded": _Kind(),
    "any_of": _Kind(),
    **{
        f"{bound}_{what}": _Kind(
            "efficiency",
            ("tool", *_OF_CALLS) if what == "tool_calls" else ("tool",) if what == "retries" else (),
        )
        for bound in ("max", "min")
        for what in _COUNTED
    },
}
RULES = (*KINDS, *(NOT + kind for kind in KINDS))
_OPTIONS = ("tool", *_OF_CALLS)
_TEXT_LISTS = ("file_exists", "response_contains", "response_matches")  # or {all: [...]}, {any: [...]}
_NAME_LISTS = ("file_written", "file_read", "file_kept", "file_parses", "only_tools", "only_effects")
_TRUE = ("grounded", "no_effect")


def kind_of_rule(rule: str) -> str:
    """The check that a rule or its not_ form makes."""
    return rule.removeprefix(NOT)


def rule_problems(document: Document, path: tuple[Key, ...], case: Mapping[str, Any]) -> list[FormatError]:
    """What a schema can't say of the rule at `path`, which fits its schema. case: the fields of its case."""
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
    of_calls = "ignore_case" in rule and kind.options[-len(_OF_CALLS) :] == _OF_CALLS
    if of_calls and not {"contains", "result_contains"} & rule.keys():
        errors.append(FormatError(document.key_source(*path, "ignore_case"), "'ignore_case' needs 'contains' here"))
    if kind_of_rule(name) == "any_of":
        for index in range(len(rule[name])):
            errors += _part_problems(document, (*path, name, index), case)
    errors += (
        FormatError(document.source(*path, name, *below), text) for below, text in _faults(name, rule[name], case)
    )
    return errors


def _part_problems(document: Document, path: tuple[Key, ...], case: Mapping[str, Any]) -> list[FormatError]:
    """What is wrong with a rule of any_of: it is no leaf of its own."""
    own = [
        key for key in ("name", "description", "dimension", "critical", "stands_in") if key in _value(document, path)
    ]
    errors = [FormatError(document.key_source(*path, key), f"{key!r} belongs to any_of as a whole") for key in own]
    return [*errors, *rule_problems(document, path, case)]


def _faults(name: str, value: Any, case: Mapping[str, Any]) -> Iterator[tuple[tuple[Key, ...], str]]:
    """What is wrong with a rule's value, and where below it."""
    kind, skill = kind_of_rule(name), case.get("skill")
    if kind in _TRUE and value is False:
        yield (), f"{name}: false says nothing: write {'not_' if name == kind else ''}{kind}: true"
    elif kind in ("no_effect", "only_effects") and not case.get("writes"):
        yield (), f"{name} needs the case's 'writes': the tools that change something"
    elif kind == "skill_used" and value is False:
        yield (), f"{name}: false says nothing: write not_skill_used" if name == kind else "write skill_used: true"
    elif kind == "skill_used" and value is True and skill is None:
        yield (), f"{name}: true means the case's skill, and it has none: name one, or give the case a 'skill'"
    elif kind in ("file_exists", "file_written", "file_read", "file_kept", "file_parses"):
        for below, file in _members(value):
            yield from ((below, text) for text in file_faults(file))
            if kind == "file_kept" and not _is_input(file, case):
                yield below, f"{file!r} is none of the case's inputs: only those can be kept"
            if kind == "file_parses" and not file.endswith((".py", ".json")):
                yield below, f"{file!r} is neither .py nor .json: what else would be right isn't known"
    elif kind == "says":
        yield from _says_faults(value)
    elif kind == "json_schema":
        yield from ((("file",), text) for text in file_faults(value.get("file", "x")))
        yield from ((("schema",), text) for text in _schema_faults(value["schema"]))
    elif kind in ("file_contains", "file_matches", "json_path"):
        yield from ((("file",), text) for text in file_faults(value.get("file", "x")))
        for key in ("pattern", "matches"):
            for below, pattern in _members(value.get(key, [])):
                yield from (((key, *below), text) for text in pattern_faults(pattern))
        if kind == "json_path":
            yield from _json_faults(value)
    elif kind == "response_matches":
        for below, pattern in _members(value):
            yield from ((below, text) for text in pattern_faults(pattern))
    elif isinstance(value, float) and not math.isfinite(value):
        yield (), f"{name} is no finite number: write one"


def _members(value: Any) -> Iterator[tuple[tuple[Key, ...], str]]:
    """The texts of one, of a list, or of {all: [...]} or {any: [...]}, and where each is."""
    if isinstance(value, dict):
        for key, texts in value.items():
            yield from (((key, *below), text) for below, text in _members(texts))
    elif isinstance(value, list):
        yield from (((index,), text) for index, text in enumerate(value))
    else:
        yield (), value


def _is_input(file: str, case: Mapping[str, Any]) -> bool:
    names = [name.replace("\\", "/").rstrip("/").rpartition("/")[2] for name in case.get("inputs", ())]
    return any(file == name or file.startswith(f"{name}/") for name in names)


def _says_faults(value: dict[str, Any]) -> Iterator[tuple[tuple[Key, ...], str]]:
    given = [key for key in ("value", "any", "all") if key in value]
    if len(given) != 1:
        yield (), f"says has {listed(given) if given else 'no value'}: give it one of 'value', 'any' and 'all'"
    yield from ((("file",), text) for text in file_faults(value.get("file", "x")))
    wanted = [one for key in given for one in as_list(value[key])]
    if "among" in value:
        for key in ("any", "all", "unit", "tolerance"):
            if key in value:
                yield (key,), f"{key!r} doesn't go with 'among': take it out"
        if "value" in value and value["value"] not in value["among"]:
            yield ("value",), f"{value['value']!r} is not among {listed([str(one) for one in value['among']])}"
    elif any(isinstance(one, str) for one in wanted):
        for key in ("unit", "tolerance"):
            if key in value:
                yield (key,), f"{key!r} goes with numbers: take it out, or write the value without quotes"


def _schema_faults(schema: Any) -> Iterator[str]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"this is no JSON schema: {error.json_path}: {error.message}"


def _json_faults(value: dict[str, Any]) -> Iterator[tuple[tuple[Key, ...], str]]:
    try:
        parse_path(value["path"])
    except PathError as error:
        yield ("path",), str(error)
    given: list[str] = [key for key in ("equals", "contains", "matches") if key in value]
    given += ["min or max"] if "min" in value or "max" in value else []
    if "tolerance" in value and "equals" not in value:
        yield ("tolerance",), "'tolerance' needs equals: write the number that it is about"
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
    name, value, options = _parts(rule, skill)
    kind = KINDS[kind_of_rule(name)]
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


def _parts(rule: dict[str, Any], skill: str | None) -> tuple[str, Any, dict[str, Any]]:
    """A rule's name, its value with shorthands written out, and its options."""
    name = next(key for key in rule if key in RULES)
    options = {key: rule[key] for key in (*KINDS[kind_of_rule(name)].options, "stands_in") if key in rule}
    for key in ("contains", "result_contains"):
        if key in options:
            options[key] = as_list(options[key])
    value = _plain(name, rule[name], skill)
    if isinstance(value, dict) and value.keys() & {"text", "pattern"}:
        key = "text" if "text" in value else "pattern"
        value[key], any_ = _texts(value[key])
    elif kind_of_rule(name) in _TEXT_LISTS:
        value, any_ = _texts(value)
    else:
        any_ = False
    if any_:
        options["any"] = True
    return name, value, options


def _texts(value: Any) -> tuple[list[Any], bool]:
    """The texts of one, a list, {all: [...]} or {any: [...]}, and whether any of them is enough."""
    if isinstance(value, dict):
        return [*as_list(value.get("all", [])), *as_list(value.get("any", []))], "any" in value
    return as_list(value), False


def leaf(name: str, description: str, scorer: Scorer, dimension: Dimension, critical: bool) -> Node:
    """A leaf of a case."""
    metadata = {"dimension": dimension, "priority": PRIORITIES[dimension]}
    return Node(name, scorer.source, description, critical, metadata, scorer=scorer)


def _plain(name: str, value: Any, skill: str | None) -> Any:
    """A rule's value with single texts as lists and shorthands written out."""
    kind = kind_of_rule(name)
    if kind in _NAME_LISTS:
        return as_list(value)
    if kind == "any_of":
        parts = [_parts(one, skill) for one in value]
        return [{"rule": rule, "value": own, "options": options} for rule, own, options in parts]
    if kind == "answered_from":
        written = {**value} if isinstance(value, dict) and "tool" in value else {"tool": value}
        return {**written, "tool": as_list(written["tool"])}
    if kind == "says":
        return {**value, **{key: as_list(value[key]) for key in ("unit", "about") if key in value}}
    if kind == "tool_order":
        written = value if isinstance(value, dict) else {"tools": value}
        return {"mode": "in_order", **written}
    if kind == "skill_used":
        return skill if value is True else value
    if kind in ("file_contains", "file_matches"):
        key = "text" if kind == "file_contains" else "pattern"
        return {"file": value["file"], key: value[key]}
    return value


def leaf_name(rule: str, value: Any, options: dict[str, Any]) -> str:
    """What a leaf is called whose rule has no name of its own: "tool_call mcp contains tperf-mcp"."""
    match value:
        case [{"rule": _}, *_]:
            shown = " | ".join(leaf_name(one["rule"], one["value"], one["options"]) for one in value)
        case list():
            shown = (" or " if options.get("any") else ", ").join(value)
        case bool():
            shown = str(value).lower()
        case {"among": _, "value": wanted}:
            shown = _with_about(str(wanted), value)
        case {"value": _} | {"any": _} | {"all": _} if kind_of_rule(rule) == "says":
            values = as_list(next(value[key] for key in ("value", "any", "all") if key in value))
            unit = f" {value['unit'][0]}" if value.get("unit") else ""
            shown = _with_about((" or " if "any" in value else ", ").join(f"{one}{unit}" for one in values), value)
        case {"tool": tools}:
            shown = " or ".join(tools) + (f": {value['value']}" if "value" in value else "")
        case {"schema": _}:
            shown = str(value.get("file", "of the response"))
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
    if "result_contains" in options:
        shown += f" answered {', '.join(options['result_contains'])}"
    if "failed" in options:
        shown += " failed" if options["failed"] else " that worked"
    if "args" in options:
        shown += f" with {', '.join(f'{key}={one}' for key, one in options['args'].items())}"
    if "tool" in options:
        shown += f" of {options['tool']}"
    return cut_name(f"{rule} {shown}")


def _with_about(shown: str, value: Mapping[str, Any]) -> str:
    about = ", ".join(one if isinstance(one, str) else one[0] for one in value.get("about", []))
    file = f"{value['file']}: " if "file" in value else ""
    return f"{file}{shown}{f' of {about}' if about else ''}"


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
