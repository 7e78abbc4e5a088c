"""JSON that fits a schema: a file of the workspace, or the response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.files import NotJson, load_json, text_of
from pytest_ppteval.grade.rules.finding import Finding, some, turned
from pytest_ppteval.grade.rules.regex import search
from pytest_ppteval.grade.rules.texts import RESPONSE, in_response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema.exceptions import ValidationError

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule


def json_schema(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the value fits the schema. A text that is no JSON fits none."""
    asked = rule.value
    where = asked.get("file", RESPONSE)
    text = text_of(rule, evidence) if "file" in asked else evidence.run.response
    if not isinstance(text, str):
        return text
    data = load_json(text, fenced="file" not in asked)
    if isinstance(data, NotJson):
        finding = Finding(False, f"{where} {data.reason}")
    else:
        wrong = [_told(error) for error in _validator(asked["schema"]).iter_errors(data.value)]
        finding = Finding(not wrong, f"{where}: {some(wrong, 3)}" if wrong else f"{where} fits the schema")
        finding = turned(finding, rule)
    return finding if "file" in asked else in_response(finding, rule, evidence)


def _told(error: ValidationError) -> str:
    message = error.message if len(error.message) <= 160 else error.message[:157] + "..."
    return f"{error.json_path}: {message}"


def _validator(schema: Any) -> Any:
    """References are looked up in the schema alone; patterns are matched within the time limit of all patterns."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend
    from referencing import Registry

    def pattern(_validator: Any, wanted: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and search([wanted], value) == [None]:
            yield ValidationError(f"{value!r} does not match {wanted!r}")

    kind: Any = extend(Draft202012Validator, {"pattern": pattern})  # type: ignore[no-untyped-call]
    return kind(schema, registry=Registry())
