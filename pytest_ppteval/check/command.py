"""`ppteval check PATHS`: is this rubric right?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.check import table
from pytest_ppteval.check.suite import MIN_SCORE, Wanted, check, fails, lines, processors, silent

if TYPE_CHECKING:
    import argparse

    from pytest_ppteval.check.suite import Checked


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="PATH", help="a rubric, a registry, a case file, or a folder of them")
    add("--task", action="append", default=[], metavar="ID", help="only this task; may be given again")
    add("--no-mutants", action="store_true", help="try no mutants: what takes the time")
    add("--static", action="store_true", help="look at the files alone, and try no deck")
    add("--baselines", type=Path, default=Path("baselines"), metavar="DIR", help="where approved outputs are")
    add("--counterexamples", type=Path, default=Path("counterexamples"), metavar="DIR",
        help="where decks are that must fail: DIR/<task id>/<name>.pptx, and caught-by.tsv: name, leaf")  # fmt: skip
    add("--office", action="store_true", help="have LibreOffice save the approved outputs anew, too")
    add("--keep", type=Path, metavar="DIR", help="write the mutants that pass there, to be opened")
    add("--seed", type=int, default=0, metavar="N", help="which of the other slides are tried")
    add("--min-score", type=float, default=MIN_SCORE, metavar="X", help="the share of mutants that must be caught")
    add("--jobs", type=int, default=processors(), metavar="N", help="processes")
    add("--format", choices=("text", "json"), default="text", help="how to tell it")
    add("--table", type=Path, metavar="FILE", help="write the tasks' scores into this Markdown file")


def run(options: argparse.Namespace) -> int:
    """Check, and tell. 0: fine; 1: something is wrong with a rubric. Raises ValueError."""
    if not 0 <= options.min_score <= 1:
        raise ValueError("--min-score is a share of 0 to 1")
    if options.jobs < 1:
        raise ValueError("--jobs is at least 1")
    found = check(
        Wanted(
            paths=options.paths,
            baselines=options.baselines,
            counterexamples=options.counterexamples,
            tasks=options.task,
            static_only=options.static,
            mutants=not options.no_mutants,
            office=options.office,
            keep=options.keep,
            seed=options.seed,
            jobs=options.jobs,
        ),
        _progress if sys.stderr.isatty() else silent,
    )
    if options.task and found.cases < len(set(options.task)):
        raise ValueError(f"no task of that id: {', '.join(options.task)}")
    if options.table is not None:
        table.write(options.table, found.scores)
    print(_json(found) if options.format == "json" else _text(found, options.min_score))
    return 1 if fails(found, options.min_score) else 0


def _text(found: Checked, min_score: float) -> str:
    told = lines(found, min_score)
    tasks = f"{found.cases} {'task' if found.cases == 1 else 'tasks'}"
    mutants, killed = sum(one.mutants for one in found.scores), sum(one.killed for one in found.scores)
    valid, accepted = sum(one.valid for one in found.scores), sum(one.accepted for one in found.scores)
    wrong, caught = sum(one.wrong for one in found.scores), sum(one.caught for one in found.scores)
    tried = (
        f": {accepted} of {valid} valid decks accepted, {caught} of {wrong} wrong ones and {killed} of {mutants} "
        "mutants caught"
        if found.scores
        else ""
    )
    worst = "something is wrong" if fails(found, min_score) else "nothing is wrong"
    return "\n".join([*told, f"{tasks}, {len(found.findings)} findings, {worst}{tried}"])


def _json(found: Checked) -> str:
    scores = [{**_fields(score), "share": score.share} for score in found.scores]
    return json.dumps(
        {"format": 1, "cases": found.cases, "findings": [one.to_dict() for one in found.findings], "scores": scores},
        indent=2,
        ensure_ascii=False,
    )


def _fields(score: object) -> dict[str, object]:
    return {name: getattr(score, name) for name in score.__slots__}  # type: ignore[attr-defined]  # a dataclass with slots


def _progress(done: int, of: int) -> None:
    print(f"\r{done} of {of} tasks", end="\n" if done == of else "", file=sys.stderr, flush=True)
