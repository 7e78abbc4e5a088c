"""The room's front: which format a file is of, and the runs in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_ppteval.trace.model import HIDDEN_CALLS, Diagnostic, Trace, TraceError
from pytest_ppteval.trace.readers import Head, Reader, Sign, readers
from pytest_ppteval.trace.signs import first_call_sign
from pytest_ppteval.trace.source import Source


def formats() -> dict[str, str]:
    """The formats that can be read: name -> title."""
    return {reader.name: reader.title for reader in readers().values()}


def detect(data: bytes | str | Path) -> str | None:
    """The name of the format, or None where it isn't certain. Text is a path.

    Raises TraceError where the file can't be opened.
    """
    found = _recognised(_source(data))
    return found.name if isinstance(found, Reader) else None


def read_traces(data: bytes | str | Path, format: str | None = None) -> list[Trace]:
    """All runs in a file, of which there is one at least: the threads of AG-UI, the samples of Inspect.

    Raises TraceError where the file is empty, can't be opened, or is of no format that is known for certain. Nothing
    else that a file holds raises: what was put up with is in the diagnostics.
    """
    source = _source(data)
    where = "the trace" if isinstance(data, bytes) else str(data)
    if source.is_empty:
        raise TraceError(f"{where}: the file is empty: no run was recorded")
    known = readers()
    if format is not None and format not in known:
        raise TraceError(f"unknown trace format {format!r}: use one of {', '.join(sorted(known))}")
    reader = known[format] if format is not None else _recognised(source)
    if not isinstance(reader, Reader):
        raise TraceError(f"{where}: {_refusal(reader)}")
    source.fresh_notes()
    return _checked(reader.read(source), source, reader)


def read_trace(
    data: bytes | str | Path,
    format: str | None = None,
    *,
    run: str | None = None,
    strict: bool = False,
) -> Trace:
    """The run in a file; where it holds several, the one named `run`.

    With `strict`, a trace that breaks its format's rules in any way raises, too. Raises TraceError as read_traces, and
    where the file holds several runs and none is named.
    """
    traces = read_traces(data, format)
    where = "the trace" if isinstance(data, bytes) else str(data)
    names = ", ".join(str(trace.run) for trace in traces)
    if run is not None:
        found = [trace for trace in traces if trace.run == run]
        if not found:
            raise TraceError(f"{where}: no run {run!r} in it; it has {names}")
        trace = found[0]
    elif len(traces) > 1:
        raise TraceError(f"{where}: {len(traces)} runs in one file: name one of {names}")
    else:
        trace = traces[0]
    if strict and trace.diagnostics:
        raise TraceError(f"{where}: {'; '.join(str(diagnostic) for diagnostic in trace.diagnostics[:5])}")
    return trace


def _source(data: bytes | str | Path) -> Source:
    return Source(data if isinstance(data, bytes) else Path(data))


def _recognised(source: Source) -> Reader | list[tuple[str, Sign]]:
    """The one reader that is certain; or else all signs that were found, by reader."""
    if source.is_empty:
        return []
    head = Head(source.some(), source.head, source.is_zip)
    found = [(reader, sign) for reader in readers().values() if (sign := reader.recognise(head)) is not None]
    sure = [reader for reader, sign in found if sign.certain]
    return sure[0] if len(sure) == 1 else [(reader.name, sign) for reader, sign in found]


def _refusal(signs: list[tuple[str, Sign]]) -> str:
    """Why a file is not read. A guess that is wrong would find no calls, and pass whatever forbids some."""
    known = ", ".join(sorted(readers()))
    if not signs:
        return f"no trace format recognised; name it if it is one of {known}, otherwise it can't be read"
    sure = [(name, sign) for name, sign in signs if sign.certain]
    guesses = "; ".join(f"{name} ({sign.why})" for name, sign in sure or signs)
    which = "it has signs of several formats" if sure else "the format is not certain, it might be"
    return f"no trace format recognised: {which}: {guesses}; name the one that it is, of {known}"


def _checked(traces: list[Trace], source: Source, reader: Reader) -> list[Trace]:
    """The traces; where not one call was read, though the file has signs of some, they say so."""
    if any(trace.steps or trace.status == "truncated" or trace.calls_unknown for trace in traces):
        return traces
    found = first_call_sign(source.records(), reader.not_calls)
    if found is None:
        return traces
    line, sign = found
    note = Diagnostic(
        code=HIDDEN_CALLS, text=f"no call was read, but the file has {sign}, which speaks of one", line=line
    )
    return [replace(trace, diagnostics=(*trace.diagnostics, note)) for trace in traces]
