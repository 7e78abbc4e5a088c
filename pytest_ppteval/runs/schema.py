"""Records of a run directory against the shipped JSON Schemas: quickly, and in words where one does not fit."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pytest_ppteval.prose.shown import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema.exceptions import ValidationError

    from pytest_ppteval.case.quick import Check

Shape = Literal["journal-record", "run-directory", "node"]
_OF_TASK = "results.schema.json#/$defs/task/properties/"


def find_problems(record: object, shape: Shape) -> list[str]:
    """What is wrong with a record, each thing in a line; nothing where it fits."""
    found = _problems(record, shape, "")
    if isinstance(record, dict) and shape == "journal-record" and not found:
        # Node by node: trees may be deep.
        stack: list[tuple[str, Any]] = [("budget", gate) for gate in record.get("budget", [])]
        if "scored_rubric" in record:
            stack.append(("scored_rubric.root", record["scored_rubric"]["root"]))
        while stack:
            path, node = stack.pop()
            wrong = _problems(node, "node", path)
            found += wrong
            if not wrong:
                stack += [(f"{path}.children.{number}", child) for number, child in enumerate(node.get("children", []))]
    return found


def _problems(record: object, shape: Shape, path: str) -> list[str]:
    if _check(shape)(record):
        return []
    from jsonschema import Draft202012Validator  # slow to import, and hardly ever wanted

    errors = Draft202012Validator(_schema(shape)).iter_errors(record)
    return list(dict.fromkeys(text for error in errors for text in _explain(error, path)))


def _explain(error: ValidationError, path: str) -> Iterator[str]:
    from pytest_ppteval.case.validate import suggest

    where = ".".join([*([path] if path else []), *map(str, error.absolute_path)])
    value, schema = error.instance, error.schema
    match error.validator:
        case "additionalProperties" if isinstance(value, dict) and isinstance(schema, dict):
            known = list(schema.get("properties", {}))
            for name in value:
                if name not in known:
                    yield f"{where and where + ': '}unknown key {name!r}: {suggest(name, known)}"
        case "const" if where == "format":
            yield f"format is {value!r}, and this version reads 1: use the version that wrote it, or a newer one"
        case "oneOf" if error.context and isinstance(value, dict):
            # One of the choices is null here: the other one says what is wrong.
            telling = [one for one in error.context if one.validator != "type" or one.relative_path]
            for inner in telling:
                yield from _explain(inner, path)
            if not telling:
                yield f"{where and where + ': '}{one_line(error.message, 200)}"
        case _:
            yield f"{where and where + ': '}{one_line(error.message, 200)}"


@cache
def _check(shape: Shape) -> Check:
    from pytest_ppteval.case.quick import compile_schema

    schema = _schema(shape)
    return compile_schema(schema, schema["$defs"])


@cache
def _schema(shape: Shape) -> dict[str, Any]:
    """The schema with every definition that it refers to."""
    definitions: dict[str, Any] = dict(_load("results")["$defs"])
    # Trees are checked node by node.
    definitions["node"]["properties"]["children"]["items"] = True
    task = definitions["task"]["properties"]
    task["scored_rubric"]["properties"]["root"] = {"type": "object"}
    task["budget"]["items"] = {"type": "object"}
    schema = definitions["node"] if shape == "node" else _load(shape)
    definitions |= schema.get("$defs", {})
    whole: dict[str, Any] = _resolved({**schema, "$defs": definitions}, task)
    return whole


def _resolved(value: Any, task: Mapping[str, Any]) -> Any:
    """The files refer to each other by name, for editors; in memory all definitions are one set."""
    if isinstance(value, list):
        return [_resolved(one, task) for one in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        if reference.startswith(_OF_TASK):
            return task[reference.removeprefix(_OF_TASK)]
        return {**value, "$ref": reference.removeprefix("results.schema.json")}
    return {key: _resolved(one, task) for key, one in value.items()}


def _load(name: str) -> dict[str, Any]:
    text = (files("pytest_ppteval.case") / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
