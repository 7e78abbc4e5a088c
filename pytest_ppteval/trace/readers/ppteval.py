"""This package's own form, as `ppteval trace --json` prints it and baselines keep it."""

from __future__ import annotations

from typing import get_args

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_list, as_number, as_text, dumps
from pytest_ppteval.trace.model import HIDDEN_CALLS, Diagnostic, Message, Status, Step, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source

_STATUSES: dict[str, Status] = {status: status for status in get_args(Status)}


def _trace(source: Source, data: Record) -> Trace:
    usage = {model: _usage(as_dict(counts)) for model, counts in as_dict(data.get("usage")).items()}
    notes = tuple(
        Diagnostic(
            code=as_text(note.get("code")) or "unknown",
            text=as_text(note.get("text")) or "",
            line=as_count(note.get("line")),
            count=as_count(note.get("count")) or 1,
        )
        for note in as_dicts(data.get("diagnostics"))
    )
    response = data.get("final_response")
    return Trace(
        format=as_text(data.get("format")) or "ppteval",
        run=as_text(data.get("run")),
        steps=tuple(_step(step, number) for number, step in enumerate(as_dicts(data.get("steps")), 1)),
        messages=tuple(
            Message(
                role=as_text(message.get("role")) or "unknown",
                text=as_text(message.get("text")) or "",
                id=as_text(message.get("id")),
                parent=as_text(message.get("parent")),
            )
            for message in as_dicts(data.get("messages"))
        ),
        final_response=response if isinstance(response, str) else None,
        usage=usage,
        cost_usd=as_number(data.get("cost_usd")),
        duration_s=as_number(data.get("duration_s")),
        status="truncated" if source.notes.has("cut_off") else _STATUSES.get(str(data.get("status")), "truncated"),
        error=as_text(data.get("error")),
        diagnostics=notes + source.notes.diagnostics() + _lost(data),
        unknown=tuple(as_dicts(data.get("unknown"))),
        skills=tuple(name for name in as_list(data.get("skills")) if isinstance(name, str)),
    )


def _lost(data: Record) -> tuple[Diagnostic, ...]:
    steps = data.get("steps")
    if isinstance(steps, list) and len(as_dicts(steps)) == len(steps):
        return ()
    return (Diagnostic(code=HIDDEN_CALLS, text="'steps' is not as the format has it"),)


def _usage(counts: Record) -> Usage:
    return Usage(
        input_total=as_count(counts.get("input_total")),
        cache_read=as_count(counts.get("cache_read")),
        cache_write=as_count(counts.get("cache_write")),
        output=as_count(counts.get("output")),
        reasoning=as_count(counts.get("reasoning")),
    )


def _step(step: Record, number: int) -> Step:
    args, raw, result, failed = step.get("args"), step.get("args_raw"), step.get("result"), step.get("failed")
    return Step(
        id=as_text(step.get("id")) or f"step-{number}",
        tool=as_text(step.get("tool")) or "",
        args=args,
        args_raw=dumps(args) if args is not None else raw if isinstance(raw, str) else None,
        result=result if isinstance(result, str) else None,
        failed=failed if isinstance(failed, bool) else None,
        error=as_text(step.get("error")),
        started=as_number(step.get("started")),
        ended=as_number(step.get("ended")),
        group=as_text(step.get("group")),
        parent=as_text(step.get("parent")),
    )


def _read(source: Source) -> list[Trace]:
    traces = []
    for line, record in source.records():
        found = [record] if "ppteval_trace" in record else as_dicts(record.get("runs"))
        if not found:
            source.notes.add("no_run", "an object that holds no trace: skipped", line)
        traces += [_trace(source, data) for data in found]
    return traces or [Builder("ppteval", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    if any(
        "ppteval_trace" in part
        for record in head.records
        for part in [record, *(as_dicts(record.get("runs")) if "runs" in record else [])]
    ):
        return certain("ppteval_trace")
    return None


READER = Reader(name="ppteval", title="this package's own JSON", recognise=_recognise, read=_read)
