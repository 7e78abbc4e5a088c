"""`ppteval export RUN --into DIR`: a run in PPT-Eval's own result layout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.prose.shown import shown
from pytest_ppteval.runs.export import ExportError, export

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a run directory (the one with run.json in it)")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the results folder; a new one")


def run(options: argparse.Namespace) -> int:
    """Export and say where to; 1 where the run can't be exported."""
    try:
        done = export(options.run, options.into)
    except ExportError as error:
        print(shown(str(error)), file=sys.stderr)
        return 1
    for note in done.notes:
        print(shown(f"note: {note}"), file=sys.stderr)
    where = ", ".join(map(str, done.folders))
    print(shown(f"exported: {done.tasks} {'task' if done.tasks == 1 else 'tasks'} to {where}"))
    return 0
