"""The summary's last lines: what kept tasks from being judged, told once, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.names import decks_in
from pytest_ppteval.evidence.outputs import NO_DECK, NOTHING
from pytest_ppteval.prose.shown import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# From which part of the tasks on a missing deck looks like the wrong folder.
NEARLY_ALL = 0.8
MOST_SHOWN = 5
# In a reason -> what is lacking, and what to do.
_REMEDIES = (
    ("no model configured", "a model", "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server (docs/models.md)"),
    (
        "get a renderer: ",
        "pictures",
        "install LibreOffice, or pip install 'pytest-ppteval[pictures]' (docs/pictures.md)",
    ),
)
_ANSWER_IN = re.compile(r"needs review: answer in (.+?) on the scale ")


def unfound(tasks: Sequence[Mapping[str, Any]], outputs: Path) -> Iterator[str]:
    """Lines on decks that were not found: nearly none, or some beside decks of names that no task has."""
    missing = [task for task in tasks if any(r.startswith((NO_DECK, NOTHING)) for r in task.get("reasons", ()))]
    if len(missing) > 1 and len(missing) >= NEARLY_ALL * len(tasks):
        example = missing[0]["task_id"]
        what = "deck" if any(reason.startswith(NO_DECK) for reason in missing[0]["reasons"]) else "run"
        called = f"{example}.pptx or {example}/<any name>.pptx" if what == "deck" else f"{example}/trace.jsonl"
        yield (
            f"ppteval: {len(missing)} of {len(tasks)} tasks found no {what} in {outputs}: is that the folder? "
            f"A {what} is called {shown_name(called)}, as docs/formats.md says"
        )
    if all(task["verdict"] == "passed" for task in tasks):
        return
    ids = {task["task_id"] for task in tasks}
    unclaimed = [deck.name for deck in decks_in(outputs) if deck.stem not in ids]
    if unclaimed:
        more = f" and {len(unclaimed) - MOST_SHOWN} more" if len(unclaimed) > MOST_SHOWN else ""
        names = ", ".join(map(shown_name, unclaimed[:MOST_SHOWN]))
        yield f"in {outputs}, but no task judged here has that id: {names}{more}"


def next_steps(leaves: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What would let the unscored checks be judged, a line for each thing to do."""
    unscored = [leaf for leaf in leaves if leaf["shown"] == "unscored"]
    for mark, what, remedy in _REMEDIES:
        count = sum(mark in leaf["reason"] for leaf in unscored)
        if count:
            yield f"next: {what} wanted by {count} {'check' if count == 1 else 'checks'}: {remedy}"
    files = {found[1] for leaf in unscored if (found := _ANSWER_IN.search(leaf["reason"]))}
    if files:
        more = f" and {len(files) - MOST_SHOWN} more files" if len(files) > MOST_SHOWN else ""
        yield f"next: reviews wanted: answer in {', '.join(sorted(files)[:MOST_SHOWN])}{more} (docs/cases.md)"
