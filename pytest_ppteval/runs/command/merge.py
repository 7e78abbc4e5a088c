"""`ppteval merge RUN... --into DIR`: the shards of a run into one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.files.whole import write_json
from pytest_ppteval.prose.shown import shown
from pytest_ppteval.runs.judged import trials_by_task
from pytest_ppteval.runs.merge import MergeError, merge
from pytest_ppteval.runs.verdicts import verdict_lines

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "run", nargs="+", type=Path, metavar="RUN", help="a run directory (the one with run.json in it)"
    )
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the merged run; a new folder")
    parser.add_argument(
        "--prefer",
        choices=["last"],
        help="of two complete records of one trial that differ, the later RUN's counts; else they are an error",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the merged results as --ppteval-json does")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdict on each task as JUnit XML")


def run(options: argparse.Namespace) -> int:
    """Merge, print what each task came to; 1 where the runs can't be merged."""
    from pytest_ppteval.runs.document import results_document
    from pytest_ppteval.runs.junit import write_junit

    try:
        merged = merge(options.run, options.into, prefer_last=options.prefer == "last")
    except MergeError as error:
        print(shown(str(error)), file=sys.stderr)
        return 1
    for note in merged.notes:
        print(shown(f"note: {note}"), file=sys.stderr)
    for line in verdict_lines(trials_by_task(merged.records)):
        print(shown(line))
    print(shown(f"merged: {len(options.run)} {'run' if len(options.run) == 1 else 'runs'} into {options.into}"))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        write_json(options.json, results_document(merged.records, merged.run.facts()))
    if options.junit:
        write_junit(options.junit, merged.records)
    return 0
