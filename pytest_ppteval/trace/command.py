"""`ppteval trace FILE`: show the runs in a trace file."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_ppteval.trace.jsontext import dumps
from pytest_ppteval.trace.model import TraceError
from pytest_ppteval.trace.read import formats, read_traces
from pytest_ppteval.trace.show import all_data, as_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    known = ", ".join(sorted(formats()))
    parser.add_argument("file", type=Path, help="the trace")
    parser.add_argument("--format", metavar="NAME", help=f"don't recognise the format, take it as NAME: {known}")
    parser.add_argument("--run", metavar="RUN", help="only this one of the runs in the file")
    parser.add_argument("--json", action="store_true", help="print all that was read as JSON")


def run(options: argparse.Namespace) -> int:
    """Print; 2 where the file can't be read (the error says why)."""
    traces = read_traces(options.file, options.format)
    if options.run is not None:
        names = ", ".join(str(trace.run) for trace in traces)
        traces = [trace for trace in traces if trace.run == options.run]
        if not traces:
            raise TraceError(f"{options.file}: no run {options.run!r} in it; it has {names}")
    if options.json:
        print(dumps(all_data(str(options.file), traces)))
    else:
        print("\n\n".join(as_table(trace) for trace in traces))
    return 0
