"""Documents against the shipped JSON Schemas, with errors for people: file, line, what, and what to do."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.quick import compile_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key
    from pytest_ppteval.case.quick import Check
    from pytest_ppteval.rubric.tree import Source

# What a value is held against: whole files, and the parts that repeat in them. "rubric" leaves out the root and
# "node" leaves out the children, so that a tree is checked node by node, without recursion. "suite" leaves out what
# is in its cases and defaults, so that one wrong case doesn't keep the others from loading.
Shape = Literal[
    "rubric", "node", "entry", "task", "recording", "prices", "suite", "defaults", "case", "review", "run", "agents"
]
_FILES = ("deck", "rubric", "registry", "task", "recording", "prices", "case", "review", "run", "agents")


def find_problems(document: Document, shape: Shape, path: Sequence[Key] = ()) -> list[FormatError]:
    """What is wrong with the value at `path` of `document`, seen as `shape`, in the order of the file."""
    value = document.data
    for key in path:
        value = value[key]
    check, _ = _compiled(shape)
    if check(value):
        return []
    found: dict[tuple[int, int, str], FormatError] = {}  # by place and text: schemas may say a thing twice
    for error in _validator(shape).iter_errors(value):
        for source, message in _explain(document, [*path, *error.absolute_path], error):
            found[source.line, source.column, message] = FormatError(source, message)
    return [found[place] for place in sorted(found, key=lambda place: place[:2])]


def raise_all(errors: Sequence[FormatError]) -> None:
    """Raise the first of `errors` with the others behind it; nothing where there are none."""
    if errors:
        raise FormatError(errors[0].source, errors[0].message, errors[1:])


def suggest(name: str, known: Iterable[str]) -> str:
    """What to do about the unknown `name`: "did you mean 'x'?", or the list of what is known."""
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known are {listed(names)}"


def listed(names: Sequence[str]) -> str:
    """Names as people list them: "'a', 'b' and 'c'"."""
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


@cache
def _compiled(shape: Shape) -> tuple[Check, dict[str, Any]]:
    """The quick check for `shape`, and its schema with every definition that it refers to."""
    folder = files("pytest_ppteval.case") / "schema"
    # The files refer to each other by name, for editors; in memory all definitions are one set.
    schemas: dict[str, dict[str, Any]] = {}
    definitions: dict[str, Any] = {}
    for name in _FILES:
        text = (folder / f"{name}.schema.json").read_text(encoding="utf-8")
        for other in _FILES:
            text = text.replace(f'"{other}.schema.json#/$defs/', '"#/$defs/')
        schemas[name] = json.loads(text)
        definitions |= schemas[name].get("$defs", {})
    if shape == "rubric":
        schemas["rubric"]["properties"]["root"] = True
    definitions["node"]["properties"]["children"]["items"] = True
    definitions["suite"]["properties"] |= {"defaults": True, "cases": {"type": "array", "minItems": 1}}
    schema = dict(definitions[shape] if shape in definitions else schemas[shape])
    schema["$defs"] = definitions
    return compile_schema(schema, definitions), schema


@cache
def _validator(shape: Shape) -> Draft202012Validator:
    # Imported late: it takes 60 ms, and only a file with something wrong needs it.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_compiled(shape)[1])


def _explain(document: Document, path: list[Key], error: ValidationError) -> Iterator[tuple[Source, str]]:
    """Each thing that a schema error says, where it is and in plain words."""
    value: Any = error.instance
    wanted: Any = error.validator_value
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    here, name = document.source(*path), _label(path)
    title = str(schema.get("title", "object")).lower()
    match error.validator:
        case "additionalProperties":
            known = list(schema["properties"])
            for key in value:
                if key not in known:
                    yield document.key_source(*path, key), f"unknown key {key!r} in a {title}: {suggest(key, known)}"
        case "required":
            for key in wanted:
                if key not in value:
                    yield here, f"{key!r} is missing: a {title} needs it"
        case "oneOf" if not isinstance(value, dict):
            pass  # its type is wrong, which is said on its own
        case "oneOf":
            names = [choice["required"][0] for choice in wanted]
            given = [key for key in names if key in value]
            who = f"{title} {value['name']!r}" if isinstance(value.get("name"), str) else f"this {title}"
            if given:
                yield here, f"{who} has both {listed(given)}: keep one"
            else:
                yield here, f"{who} has neither {names[0]!r} nor {names[1]!r}: give it one"
        case "type":
            kinds = " or ".join(_KINDS[kind] for kind in ([wanted] if isinstance(wanted, str) else wanted))
            yield here, f"{name} must be {kinds}, not {_show(value)}{_yaml_hint(document, wanted, value)}"
        case "enum":
            about = suggest(value, wanted) if isinstance(value, str) else f"known are {listed(wanted)}"
            known_too = f" Known are {listed(wanted)}" if about.endswith("?") else ""
            yield here, f"{name} is {_show(value)}: {about}{known_too}"
        case "minimum" | "maximum":
            least, most = schema.get("minimum"), schema.get("maximum")
            span = f"lie in {least}..{most}" if most is not None else f"be {least} or more"
            yield here, f"{name} is {_show(value)}: it must {span}"
        case "minItems" | "minLength":
            yield here, f"{name} is empty: {'give it at least one member' if value == [] else 'write something'}"
        case _:  # a keyword that a schema has come to use
            yield here, f"{name}: {error.message}"


_KINDS = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
}


def _label(path: Sequence[Key]) -> str:
    if not path:
        return "the file"
    last = path[-1]
    if isinstance(last, int):
        return f"member {last + 1} of {_label(path[:-1])}"
    return repr(last)


def _show(value: object) -> str:
    """A value for people, short."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case None | bool():
            return json.dumps(value)
        case str() if len(value) > 40:
            return f"{value[:40]!r}..."
    return repr(value)


def _yaml_hint(document: Document, wanted: str | list[str], value: object) -> str:
    if document.yaml and "string" in wanted and isinstance(value, (bool, int, float)):
        return ": quote it, YAML reads the bare word as something else"
    return ""
