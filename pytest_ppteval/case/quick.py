"""The yes-or-no question "does this fit the schema?", asked fast.

jsonschema takes about 0.2 ms a node, which is most of the time that loading a rubric takes. Nearly every file is
right, so a schema is also compiled into plain closures that only say yes or no; jsonschema is asked where they say no,
and explains. Both read the same schema files, and a test holds them to the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[Any], bool]
    Schema = Mapping[str, Any]

# They constrain nothing.
_ANNOTATIONS = {"title", "description", "$schema", "$defs", "format"}
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
}


def compile_schema(schema: Schema, definitions: Schema) -> Check:
    """A check for `schema`, whose references name members of `definitions`.

    Knows the keywords that the shipped schemas use, and raises ValueError for any other, so that none is passed over.
    """
    return _Compiler(definitions).compile(schema)


class _Compiler:
    def __init__(self, definitions: Schema) -> None:
        self._definitions = definitions
        self._done: dict[str, Check] = {}

    def compile(self, schema: Schema | bool) -> Check:
        if isinstance(schema, bool):
            return lambda _value: schema
        checks: list[Check] = []
        for keyword, argument in schema.items():
            if keyword in _ANNOTATIONS or keyword in ("properties", "additionalProperties", "then"):
                continue  # the last three belong to a neighbour, below
            checks.append(self._keyword(keyword, argument, schema))
        if "properties" in schema or "additionalProperties" in schema:
            checks.append(self._members(schema))
        if len(checks) == 1:
            return checks[0]
        frozen = tuple(checks)

        def every(value: Any) -> bool:
            return all(check(value) for check in frozen)

        return every

    def _keyword(self, keyword: str, argument: Any, schema: Schema) -> Check:
        if keyword == "type":
            return _type(argument)
        if keyword == "$ref":
            return self._reference(argument)
        if keyword == "required":
            names = tuple(argument)
            return lambda value: not isinstance(value, dict) or all(name in value for name in names)
        if keyword in ("enum", "const"):
            return _among(argument if keyword == "enum" else [argument])
        if keyword in ("minLength", "minItems"):
            kind = str if keyword == "minLength" else list
            return lambda value: not isinstance(value, kind) or len(value) >= argument
        if keyword == "minimum":
            return lambda value: not _is_number(value) or value >= argument
        if keyword == "exclusiveMinimum":
            return lambda value: not _is_number(value) or value > argument
        if keyword == "maximum":
            return lambda value: not _is_number(value) or value <= argument
        if keyword == "items":
            member = self.compile(argument)
            return lambda value: not isinstance(value, list) or all(member(one) for one in value)
        if keyword == "allOf":
            parts = [self.compile(part) for part in argument]
            return lambda value: all(part(value) for part in parts)
        if keyword == "oneOf":
            choices = [self.compile(choice) for choice in argument]
            return lambda value: sum(choice(value) for choice in choices) == 1
        if keyword == "if":
            condition, consequence = self.compile(argument), self.compile(schema["then"])
            return lambda value: not condition(value) or consequence(value)
        raise ValueError(f"unknown schema keyword {keyword!r}")

    def _reference(self, reference: str) -> Check:
        name = reference.removeprefix("#/$defs/")
        done = self._done

        def follow(value: Any) -> bool:
            return done[name](value)

        if name not in done:
            done[name] = follow  # a schema may refer to itself
            done[name] = self.compile(self._definitions[name])
        return done[name]

    def _members(self, schema: Schema) -> Check:
        known = {name: self.compile(one) for name, one in schema.get("properties", {}).items()}
        other = self.compile(schema.get("additionalProperties", True))

        def members(value: Any) -> bool:
            if isinstance(value, dict):
                for name, member in value.items():
                    if not known.get(name, other)(member):
                        return False
            return True

        return members


def _type(name: str | list[str]) -> Check:
    if isinstance(name, list):
        kinds = tuple(map(_type, name))
        return lambda value: any(kind(value) for kind in kinds)
    if name == "number":
        return _is_number
    if name == "integer":
        return lambda value: _is_number(value) and value == int(value)
    classes = _TYPES[name]
    return lambda value: isinstance(value, classes)


def _among(allowed: list[Any]) -> Check:
    # By kind, since to Python True equals 1.
    if any(isinstance(one, (list, dict)) for one in allowed):
        raise ValueError("enum or const of a list or an object")
    plain = frozenset((type(one) if isinstance(one, bool) else _is_number(one), one) for one in allowed)
    return lambda value: (
        not isinstance(value, (list, dict))
        and (type(value) if isinstance(value, bool) else _is_number(value), value) in plain
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
