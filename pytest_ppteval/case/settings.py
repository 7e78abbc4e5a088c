"""How a case wants to be scored: settings and budgets, out of a task's misc and its rubric's metadata."""

from __future__ import annotations

import math
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.model import FormatError, Settings
from pytest_ppteval.rubric.tree import Node, Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key

_SETTINGS = ("threshold", "strategy", "compute_strategy", "non_critical_weight", "unscored", "budget")
# Known keys of either place. Other keys are the user's own, unless they look like one of these.
METADATA_KEYS = (*_SETTINGS, "task", "critical_node_weight")
_TRIALS = ("trials", "require")
MISC_KEYS = (*_SETTINGS, "difficulty", *_TRIALS)
# How a budget says its limit to people.
_BUDGETS = {
    "seconds": "at most {} s",
    "input_tokens": "at most {} input tokens",
    "output_tokens": "at most {} output tokens",
    "cost_usd": "at most ${}",
    "tool_calls": "at most {} tool calls",
}


def setting_problems(document: Document, path: tuple[Key, ...], known: tuple[str, ...]) -> list[FormatError]:
    """What a schema can't say of the free-form object at `path`: keys that look like a slip of the pen for a setting,
    a strategy named twice in different words, and budgets without a finite limit."""
    data = _at(document, path)
    errors = []
    for key in data:
        near = _near(key, known)
        if near:
            message = f"unknown setting {key!r}: did you mean {near!r}? If not, choose a name less like it"
            errors.append(FormatError(document.key_source(*path, key), message))
    if data.get("strategy", data.get("compute_strategy")) != data.get("compute_strategy", data.get("strategy")):
        message = "'strategy' and 'compute_strategy' differ, they mean the same: keep one"
        errors.append(FormatError(document.key_source(*path, "strategy"), message))
    require = data.get("require") if "require" in known else None
    if require is not None and require > data.get("trials", 1):
        message = f"'require' asks for {require} of {data.get('trials', 1)} trials: raise 'trials' or lower it"
        errors.append(FormatError(document.source(*path, "require"), message))
    for key, limit in data.get("budget", {}).items():
        if not math.isfinite(limit):
            message = f"{key!r} is no finite number: write a limit, or leave it out for none"
            errors.append(FormatError(document.source(*path, "budget", key), message))
    return errors


@cache
def _near(key: str, known: tuple[str, ...]) -> str | None:
    """The known key that `key` looks like a misspelling of, None if it is known or like none."""
    if key in known:
        return None
    near = get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.8)
    # "tasks" or "subtask" are no settings gone wrong: a slip matters only where a setting would be lost.
    return near[0] if near and near[0] in (*_SETTINGS, "difficulty", "trials") else None


def read_settings(misc: Mapping[str, Any], metadata: Mapping[str, Any]) -> Settings:
    """The settings of a case. What `misc` says wins over the rubric's `metadata`. Both have been validated."""
    both: dict[str, Any] = {}
    for place in (metadata, misc):
        both |= {key: place[key] for key in _SETTINGS if key in place}
        if "strategy" in place or "compute_strategy" in place:
            both["strategy"] = place.get("strategy", place.get("compute_strategy"))
    threshold, weight = both.get("threshold"), both.get("non_critical_weight")
    return Settings(
        threshold=None if threshold is None else float(threshold),
        strategy=both.get("strategy"),
        non_critical_weight=None if weight is None else float(weight),
        unscored=both.get("unscored"),
        trials=misc.get("trials"),
        require=misc.get("require"),
    )


def budget_gates(document: Document, path: tuple[Key, ...]) -> tuple[Node, ...]:
    """A gate for each limit in the object `budget` of the object at `path`. It has been validated."""
    data = _at(document, path)
    return tuple(_gate(document, (*path, "budget", key), limit) for key, limit in data.get("budget", {}).items())


def _at(document: Document, path: tuple[Key, ...]) -> Any:
    """The object at `path`; an empty one where there is none."""
    data: Any = document.data
    for key in path:
        data = data[key] if isinstance(key, int) else data.get(key, {})
    return data


def budget_of(gates: tuple[Node, ...]) -> dict[str, float]:
    """The limits of `gates` by key."""
    return {str(gate.scorer.args["key"]): float(gate.scorer.args["limit"]) for gate in gates if gate.scorer}


def merge_gates(first: tuple[Node, ...], then: tuple[Node, ...]) -> tuple[Node, ...]:
    """The gates of both; a limit in `then` takes the place of the same in `first`."""
    return tuple({gate.name: gate for gate in (*first, *then)}.values())


def _gate(document: Document, path: tuple[Key, ...], limit: float) -> Node:
    key = str(path[-1])
    source = document.key_source(*path)
    scorer = Scorer("budget", {"key": key, "limit": float(limit)}, source)
    description = _BUDGETS[key].format(f"{limit:,.2f}" if key == "cost_usd" and limit >= 0.01 else _number(limit))
    return Node(f"budget: {key}", source, description, is_critical=True, scorer=scorer)


def _number(limit: float) -> str:
    return f"{limit:,.0f}" if limit == int(limit) else f"{limit:,}"
