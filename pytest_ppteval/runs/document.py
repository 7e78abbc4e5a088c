"""The document of --ppteval-json, made of a run directory's records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.rubric.result import Usage
from pytest_ppteval.runs.facts import utc_now
from pytest_ppteval.runs.records import results_of, task_part
from pytest_ppteval.runs.results import SCHEMA_VERSION, summarise
from pytest_ppteval.runs.usage import usage_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_ppteval.runs.journal import Record

_OPTIONS = (
    *("sandbox", "renderer", "leaf_timeout", "outputs", "leaves", "threshold", "strategy", "non_critical_weight"),
    "unscored",
)
_ASKED = {"model": "unknown", "record": "none", "votes": 1, "max_calls": None, "max_cost_usd": None}


def results_document(records: Sequence[Record], facts: Mapping[str, Any]) -> dict[str, Any]:
    """The document for records of a run whose run.json is `facts`.

    Raises ValueError where run.json lacks an option that the document tells.
    """
    options = facts.get("options", {})
    # Where the shards of a merged run differ, the first one's stands: the tasks say what each was judged by.
    first = (facts.get("shards") or [{}])[0].get("options", {})
    missing = [name for name in _OPTIONS if name not in options and name not in first]
    if missing:
        raise ValueError(f"run.json tells no option {missing[0]!r}, which the JSON document needs")
    asked = {**_ASKED, **first.get("judging", {}), **options.get("judging", {})}
    usage = sum((result.usage for record in records for result in results_of(record).values()), Usage())
    tasks = sorted(map(task_part, records), key=lambda task: (task["file"], task.get("line", 0), task["nodeid"]))
    return {
        "schema_version": SCHEMA_VERSION,
        "ppteval_version": facts["versions"].get("pytest-ppteval", "unknown"),
        "created_at": utc_now(),
        "options": {name: options.get(name, first.get(name)) for name in _OPTIONS},
        "summary": summarise(tasks),
        "judging": {**{name: asked[name] for name in _ASKED}, **usage_numbers(usage)},
        "tasks": tasks,
    }
