"""Calls that models asked for, and the records of tools that ran: one list of steps. No format by itself.

Tracing services record a tool's run beside the request that asked for it, and often without the id that joins them, or
with arguments that were unpacked. What the model asked for is whole; what the tool answered is at its run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import loads
from pytest_ppteval.trace.model import Json

Answer = tuple[str, "bool | None"]


@dataclass(slots=True)
class Asked:
    """A call that a model asked for. group: what all that it asked for at once have in common."""

    id: str | None
    tool: str | None
    args: Json
    group: str
    at: float | None
    parent: str | None = None  # the record of the tool that the request was made in


@dataclass(slots=True)
class Ran:
    """A tool's run. key: its record's own id. id: the call's, where it is there."""

    key: str
    id: str | None
    tool: str | None
    args: Json
    result: str | None
    failed: bool | None
    error: str | None
    started: float | None
    ended: float | None
    parent: str | None = None  # the record of the tool that it ran in


def parsed(value: Json) -> Json:
    """The value of JSON text, other text as it is."""
    try:
        return loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def join(build: Builder, asked: Iterable[Asked], ran: Iterable[Ran], answers: dict[str, Answer]) -> None:
    """Make the steps, in the order of asking, or of running where nobody asked.

    answers: results by the call's id, as a later request tells the model, and whether they are failures.
    """
    calls = list(asked)
    runs = sorted(ran, key=lambda run: run.started if run.started is not None else 0.0)
    mine, rest = _matched(calls, runs)
    names: dict[str, str] = {}  # record -> step
    order: list[tuple[float, int, Asked | None, Ran | None]] = []
    for number, call in enumerate(calls):
        one = mine.get(number)
        order.append((_time(call.at, one), number, call, one))
    order += [(_time(None, run), len(calls) + number, None, run) for number, run in enumerate(rest)]
    for _, _, asking, running in sorted(order, key=lambda entry: entry[:2]):
        _step(build, asking, running, answers, names)
    for step in build.steps.values():
        if step.parent is not None:
            step.parent = names.get(step.parent, step.parent)


def _time(at: float | None, run: Ran | None) -> float:
    if at is not None:
        return at
    return 0.0 if run is None or run.started is None else run.started


def _matched(calls: list[Asked], runs: list[Ran]) -> tuple[dict[int, Ran], list[Ran]]:
    """The run of each call, by ids, else by tool and order; and the runs that nobody asked for."""
    mine: dict[int, Ran] = {}
    rest: list[Ran] = []
    by_id = {call.id: number for number, call in reversed(list(enumerate(calls))) if call.id is not None}
    queues: dict[tuple[str | None, str | None], deque[int]] = {}
    for number, call in enumerate(calls):
        queues.setdefault((call.tool, call.parent), deque()).append(number)
    named = {by_id[run.id] for run in runs if run.id is not None and run.id in by_id}
    for run in runs:
        found = by_id.get(run.id) if run.id is not None else None
        queue = queues.get((run.tool, run.parent), deque())
        while found is None and queue and (queue[0] in mine or queue[0] in named):
            queue.popleft()
        if found is None and queue and (run.id is None or calls[queue[0]].id is None) and _early(calls[queue[0]], run):
            found = queue.popleft()
        if found is None or found in mine:
            rest.append(run)
        else:
            mine[found] = run
    return mine, rest


def _early(call: Asked, run: Ran) -> bool:
    """Whether the call was asked for before the run; clocks may differ by a second."""
    return call.at is None or run.started is None or call.at <= run.started + 1.0


def _step(
    build: Builder, call: Asked | None, run: Ran | None, answers: dict[str, Answer], names: dict[str, str]
) -> None:
    name = (call.id if call is not None else None) or (run.id or run.key if run is not None else None)
    if name is not None and name in build.steps:
        build.notes.add("duplicate_id", f"call {name} is there twice: both are kept")
        name = None
    step = build.call(name, (call.tool if call is not None else None) or (run.tool if run is not None else None))
    arguments = call.args if call is not None and call.args is not None else run.args if run is not None else None
    if isinstance(arguments, str):
        step.set_raw(arguments)
    else:
        step.args = arguments
    step.group = call.group if call is not None else None
    step.parent = call.parent if call is not None else run.parent if run is not None else None
    told, bad = answers.get(step.id, (None, None))
    if run is not None:
        names[run.key] = step.id
        step.started = run.started
        text = run.result if run.result is not None else told
        build.result(step.id, text, failed=bad or run.failed, error=run.error, ended=run.ended)
    elif told is not None:
        build.result(step.id, told, failed=bad)
