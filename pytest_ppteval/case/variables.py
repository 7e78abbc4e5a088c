"""`vars` of a case: one prompt, many values, each a case of its own.

`${name}` in any text of the case, or of what it takes from the defaults, stands for a value; a text that is nothing
else takes the value as it is, a number as a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.document import Document
from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.validate import suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.case.marks import Key

_PLACE = re.compile(r"\$\{(\w+)\}")
_UNFIT = re.compile(r"[^\w.-]+")


def has_variables(case: object) -> bool:
    """Whether a case has sets of variables; what is wrong with other `vars`, the schema says."""
    sets = case.get("vars") if isinstance(case, dict) else None
    return isinstance(sets, list) and bool(sets) and all(isinstance(one, dict) for one in sets)


def expand(document: Document, path: tuple[Key, ...], stem: str) -> Iterator[Document]:
    """The document once for each set of values of the case at `path`, with the case's texts filled in.

    stem: the id of a case that has none. Positions stay those of the file. Raises FormatError.
    """
    case: Any = document.data
    for key in path:
        case = case[key]
    for index, values in enumerate(case["vars"]):
        source = document.source(*path, "vars", index)
        if not values:
            raise FormatError(source, "these variables have no values: write name: value, or take the entry out")
        try:
            filled = {key: one if key == "vars" else _fill(one, values) for key, one in case.items()}
            data = _with(document.data, path, filled, values)
        except KeyError as error:
            name = str(error.args[0])
            raise FormatError(source, f"no value for ${{{name}}} here: {suggest(name, values)}") from None
        written = str(case.get("id", stem))
        own = str(filled.get("id", stem))
        if _PLACE.search(written) is None:
            own += "-" + (_UNFIT.sub("-", str(next(iter(values.values())))).strip("-.") or str(index + 1))
        filled["id"] = own
        yield Document(document.path, document.text, data, document.mark, yaml=document.yaml)


def _with(data: Any, path: tuple[Key, ...], case: dict[str, Any], values: Mapping[str, Any]) -> Any:
    """The file's data with this case in its place, and the defaults filled in for it."""
    if not path:
        return case
    if len(path) == 1:
        return [case if index == path[0] else one for index, one in enumerate(data)]
    cases = [case if index == path[1] else one for index, one in enumerate(data["cases"])]
    return {**data, "cases": cases, **({"defaults": _fill(data["defaults"], values)} if "defaults" in data else {})}


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    """A value with the texts in it filled in. Raises KeyError with the name that has no value."""
    if isinstance(value, dict):
        return {key: _fill(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [_fill(one, values) for one in value]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    return values[whole[1]] if whole else _PLACE.sub(lambda match: str(values[match[1]]), value)
