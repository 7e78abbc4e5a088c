"""Files in the run's workspace: there or not, their text, values in JSON."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.evidence.workspace import Unreadable
from pytest_ppteval.grade.rules.finding import Finding, some, turned
from pytest_ppteval.grade.rules.regex import search_each
from pytest_ppteval.grade.rules.texts import RESPONSE, beginning, contains, in_response, matches, place_of, readings
from pytest_ppteval.prose.numbers import close
from pytest_ppteval.rubric.jsonpath import farthest, parse_path, select, show_path
from pytest_ppteval.trace.align import canonical

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.workspace import Workspace
    from pytest_ppteval.grade.rules.finding import Rule

_FENCED = re.compile(r"^```[\w-]*[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def file_exists(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether all of the files are there; for a negated rule, whether none is."""
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return workspace
    there: list[str] = []
    odd: list[str] = []  # something of that name that is no plain file
    not_there: list[str] = []
    for name in rule.value:
        if _is_pattern(name):
            found = workspace.matching(name)
            (there if found else not_there).append(some(found, 3) if found else f"no file fits {name}")
            continue
        problem = workspace.look(name)
        if problem is None:
            there.append(f"{name} ({workspace.size(name):,} bytes)")
        elif rule.negated and problem.there:
            odd.append(problem.reason)
        else:
            not_there.append(problem.reason)
    if rule.negated:
        found_all = [*([f"there is {some(there)}"] if there else []), *odd]
        if not found_all and workspace.missing:  # more than is kept: the agent's doing
            found_all = [f"not all that the agent left can be looked at: {workspace.missing}"]
        return Finding(not found_all, "; ".join(found_all or not_there))
    if not_there and not (there and rule.options.get("any")):
        return Finding(False, f"{'; '.join(not_there)}; {holds(workspace, rule.value)}")
    return Finding(True, f"there is {some(there)}")


def file_contains(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Texts in a file. A file that isn't there fails the rule and its not_ form: there is nothing to look into."""
    text = text_of(rule, evidence)
    return contains(rule, rule.value["text"], text, rule.value["file"]) if isinstance(text, str) else text


def file_matches(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Patterns in a file, likewise."""
    text = text_of(rule, evidence)
    return matches(rule, rule.value["pattern"], text, rule.value["file"]) if isinstance(text, str) else text


def json_path(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """A value at a path: one of those there fits, within bounds all do; for a negated rule, none does."""
    where = rule.value.get("file", RESPONSE)
    text = text_of(rule, evidence) if "file" in rule.value else evidence.run.response
    if not isinstance(text, str):
        return text
    why = "" if "file" in rule.value else evidence.run.response_open
    data = load_json(text, fenced="file" not in rule.value)
    if isinstance(data, NotJson):
        return Finding(None, f"{where} {data.reason}; {why}") if why else Finding(False, f"{where} {data.reason}")
    found = _at_path(rule, data.value, where)
    return in_response(found, rule, evidence) if why else found


def _at_path(rule: Rule, data: object, where: str) -> Finding:
    parts = parse_path(rule.value["path"])
    values = select(data, parts)
    if not values:
        reached, last = farthest(data, parts)
        reason = f"{where} has nothing at {show_path(parts)}: {show_path(parts[:reached])} is {_describe(last)}"
        return turned(Finding(False, reason), rule)
    wanted = _wanted(rule.value)
    if not wanted:
        return turned(Finding(True, f"{where}: {show_path(parts)} is {some([_show(v) for v in values], 4)}"), rule)
    fitting = _fitting(values, rule.value)
    one_does = rule.negated or rule.value.get("any", not _bounds(rule.value))
    others = [] if one_does else [value for value in values if not any(value is one for one in fitting)]
    shown = some([_show(value) for value in (others or fitting or values)], 4)
    holds = bool(fitting) and not others
    said = f"{where}: {show_path(parts)} is {shown}, " + (f"which is {wanted}" if holds else f"not {wanted}")
    return turned(Finding(holds, said), rule)


def _bounds(condition: dict[str, Any]) -> bool:
    return "min" in condition or "max" in condition


def text_of(rule: Rule, evidence: Evidence) -> str | Finding | Lacking:
    """The text of the rule's file, or what the rule comes to without it."""
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return workspace
    name = rule.value["file"]
    problem = workspace.look(name)
    if problem is not None:
        return Finding(False, f"{problem.reason}; {holds(workspace, [name])}")
    text = workspace.text(name)
    if isinstance(text, Unreadable):  # too large, say: the rule asks for something in it
        return Finding(False, text.reason) if text.fault == "agent" else Lacking(text.reason)
    return text


def holds(workspace: Workspace, wanted: list[str]) -> str:
    """What is in the workspace, the names most like the wanted ones first."""
    names = list(workspace.files)
    if not names:
        return "the workspace is empty"
    near = [close for name in wanted for close in get_close_matches(name, names[:500], n=2, cutoff=0.6)]
    first = list(dict.fromkeys([*near, *names]))
    return f"the workspace holds {some(first)}"


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name


class FoundJson:
    """A value that was read."""

    def __init__(self, value: object) -> None:
        self.value = value


class NotJson:
    """Why a text is no JSON."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def load_json(text: str, *, fenced: bool) -> FoundJson | NotJson:
    """The value of a text that is JSON; of a response, also of the one fenced block in it that is."""
    try:
        return FoundJson(json.loads(text, parse_constant=_no_number))
    except RecursionError:
        return NotJson("is nested too deep to be read as JSON")
    except ValueError as error:
        reason = f"is no valid JSON: {error}"
    if not fenced:
        return NotJson(reason)
    blocks = [load_json(block, fenced=False) for block in _FENCED.findall(text)]
    values = [block for block in blocks if isinstance(block, FoundJson)]
    if len(values) == 1:
        return values[0]
    more = "no JSON" if not values else f"{len(values)} blocks of JSON"
    return NotJson(f"holds {more}, one was expected; it begins: {beginning(text)}")


def _no_number(name: str) -> object:
    """NaN and its like are no JSON, and neither above nor below any bound."""
    raise ValueError(f"{name} is no number")


def _fitting(values: list[object], condition: dict[str, Any]) -> list[object]:
    """The values that meet a condition."""
    if "matches" not in condition:
        return [value for value in values if _fits(value, condition)]
    forms = [(value, form) for value in values if isinstance(value, str) for form in readings(value)[:-1]]
    rows = search_each([condition["matches"]], [form for _, form in forms])
    fitting = [value for (value, _), found in zip(forms, rows, strict=True) if found[0]]
    return [value for value in values if any(value is one for one in fitting)]


def _fits(value: object, condition: dict[str, Any]) -> bool:
    if "equals" in condition:
        wanted = condition["equals"]
        near = condition.get("tolerance", 0) and _is_number(value) and _is_number(wanted)
        return same(value, wanted) or (near and close(value, wanted, condition["tolerance"]))  # type: ignore[arg-type]
    if "contains" in condition:
        wanted = condition["contains"]
        if isinstance(value, list):
            return any(same(one, wanted) for one in value)
        return isinstance(value, str) and any(place_of(str(wanted), form, False) for form in readings(value))
    if _bounds(condition):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return bool(condition.get("min", value) <= value <= condition.get("max", value))
    return True


def _wanted(condition: dict[str, Any]) -> str:
    if "equals" in condition:
        within = f" within {condition['tolerance']:g}" if "tolerance" in condition else ""
        return f"equal to {_show(condition['equals'])}{within}"
    if "contains" in condition:
        return f"something that contains {_show(condition['contains'])}"
    if "matches" in condition:
        return f"a match of /{condition['matches']}/"
    bounds = [
        f"at {'least' if key == 'min' else 'most'} {condition[key]:g}" for key in ("min", "max") if key in condition
    ]
    return " and ".join(bounds)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(value: object, other: object) -> bool:
    """Whether two JSON values are equal: the order of keys doesn't count, 1 is 1.0, true is not 1."""
    return canonical(value) == canonical(other)  # type: ignore[arg-type]  # both come from JSON or YAML


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _describe(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with {some([repr(key) for key in value])}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return _show(value)
