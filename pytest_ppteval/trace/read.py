"""The room's front: which format a file is of, and the runs in it."""

from __future__ import annotations

from pathlib import Path

from pytest_ppteval.trace.model import Trace, TraceError
from pytest_ppteval.trace.readers import Head, Reader, readers
from pytest_ppteval.trace.source import Source


def formats() -> dict[str, str]:
    """The formats that can be read: name -> title."""
    return {reader.name: reader.title for reader in readers().values()}


def detect(data: bytes | str | Path) -> str | None:
    """The name of the format, or None. Text is a path. Raises TraceError where the file can't be opened."""
    reader = _recognised(_source(data))
    return None if reader is None else reader.name


def read_traces(data: bytes | str | Path, format: str | None = None) -> list[Trace]:
    """All runs in a file, of which there is one at least: the threads of AG-UI, the samples of Inspect.

    Raises TraceError where the file is empty, can't be opened, or is of no known format. Nothing else that a file
    holds raises: what was put up with is in the diagnostics.
    """
    source = _source(data)
    where = "the trace" if isinstance(data, bytes) else str(data)
    if source.is_empty:
        raise TraceError(f"{where}: the file is empty: no run was recorded")
    known = readers()
    if format is not None and format not in known:
        raise TraceError(f"unknown trace format {format!r}: use one of {', '.join(sorted(known))}")
    reader = known[format] if format is not None else _recognised(source)
    if reader is None:
        raise TraceError(
            f"{where}: no trace format recognised; name it if it is one of {', '.join(sorted(known))}, "
            "otherwise it can't be read"
        )
    source.fresh_notes()
    return reader.read(source)


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


def _recognised(source: Source) -> Reader | None:
    if source.is_empty:
        return None
    head = Head(source.some(), source.head, source.is_zip)
    return next((reader for reader in readers().values() if reader.recognise(head)), None)
