"""The summary's last lines: what kept tasks from being judged, told once, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.names import decks_in
from pytest_ppteval.evidence.outputs import NO_DECK, NOTHING
from pytest_ppteval.rubric.text import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# From which part of the tasks on a missing deck looks like the wrong folder.
NEARLY_ALL = 0.8
MOST_SHOWN = 5


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
