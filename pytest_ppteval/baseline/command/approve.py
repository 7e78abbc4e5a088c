"""`ppteval approve CASE... --by NAME --why TEXT`: look at runs, and keep them to compare with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.baseline.approve import approve, find_candidate, place_of, standing
from pytest_ppteval.baseline.command.common import add_places, confirmed, find_cases, pick, where
from pytest_ppteval.baseline.show import present
from pytest_ppteval.baseline.store import RECORD
from pytest_ppteval.case.paths import id_problem

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("case", nargs="+", metavar="CASE", help="case id, or suite/id; * and ? are wildcards")
    parser.add_argument("--by", required=True, metavar="NAME", help="who approves")
    parser.add_argument("--why", required=True, metavar="TEXT", help="why the run is good enough to compare with")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        default=Path("candidates"),
        metavar="DIR",
        help="what pytest --ppteval-record-baselines=DIR recorded, or a folder of outputs (default: candidates)",
    )
    parser.add_argument(
        "--as", dest="name", default="", metavar="NAME", help="keep it beside the approved run, as an alternative"
    )
    parser.add_argument("--yes", action="store_true", help="don't ask; for scripts")
    parser.add_argument("--even-failed", action="store_true", help="with --yes: also a run that was judged failed")
    add_places(parser)


def run(options: argparse.Namespace) -> int:
    """Show each run and what differs, ask, and keep it; 1 where one was not approved."""
    for name in ("by", "why"):
        if not getattr(options, name).strip():
            raise ValueError(f"--{name} is empty: a run is approved by somebody, for a reason")
    if options.name and id_problem(options.name):
        raise ValueError(f"--as: {id_problem(options.name)}".replace("task id", "name"))
    if not options.source.is_dir():
        raise ValueError(f"no such folder: {options.source}; name it with --from DIR")
    cases = {(case.suite, case.id): case for case in find_cases(options.cases)}
    with tempfile.TemporaryDirectory(prefix="ppteval-") as scratch:
        # All are looked up before the first is kept: a wrong one in the list leaves nothing half done.
        found = [
            (cases[pair], find_candidate(cases[pair], options.source, options.baselines, Path(scratch)))
            for pair in pick(list(cases), options.case)
        ]
        failed = [case.id for case, candidate in found if candidate.record.get("judged", {}).get("verdict") == "failed"]
        if options.yes and failed and not options.even_failed:
            raise ValueError(f"judged failed: {', '.join(failed)}: look at it without --yes, or say --even-failed")
        declined = 0
        for case, candidate in found:
            place = place_of(options.baselines, case.suite, case.id, options.name)
            main = place_of(options.baselines, case.suite, case.id)
            if options.name and not (main / RECORD).is_file():
                raise ValueError(f"{where(main)}: no approved run to stand beside: approve one without --as first")
            old = standing(place, case.id, options.name)
            print(f"{case.suite}/{case.id}: {f'in place of the run {old.title}' if old else 'new'}, {where(place)}")
            print("\n".join(f"  {line}" for line in present(candidate, old).splitlines()))
            if confirmed(f"approve {case.suite}/{case.id}?", yes=options.yes):
                approve(candidate, place, by=options.by.strip(), why=options.why.strip(), old=old)
                print(f"approved: {where(place)}")
            else:
                declined += 1
                print("not approved")
    return 1 if declined else 0
