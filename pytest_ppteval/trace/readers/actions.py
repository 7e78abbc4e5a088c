"""PPT-Eval's actions.json: [{step, timestamp, action_type, params, reasoning, duration_ms}]. It holds no results."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import as_number, as_text, text_of
from pytest_ppteval.trace.model import Trace
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source


def _read(source: Source) -> list[Trace]:
    build = Builder("ppteval-actions", source.notes)
    for line, record in source.records():
        tool = as_text(record.get("action_type"))
        if tool is None:
            build.notes.add("no_type", "an action without action_type: skipped", line)
            continue
        build.say("reasoning", text_of(record.get("reasoning")))
        started = when(record.get("timestamp"))
        number = record.get("step")
        name = None if number is None else str(number)
        if name in build.steps:
            build.notes.add("duplicate_step", f"step {name} is there twice: both are kept", line)
            name = None
        params = record.get("params")
        step = build.call(name, tool, params if params is not None else {}, started=started)
        milliseconds = as_number(record.get("duration_ms"))
        if started is not None and milliseconds is not None:
            step.ended = started + milliseconds / 1000
        build.at(started)
        build.at(step.ended)
    # The list is written when the run is over.
    build.status = "finished"
    return [build.trace()]


def _recognise(head: Head) -> Sign | None:
    if any("action_type" in record and "params" in record for record in head.records):
        return certain("actions with action_type and params")
    return None


READER = Reader(name="ppteval-actions", title="PPT-Eval, actions.json", recognise=_recognise, read=_read)
