"""`ppteval baselines`: which approved runs are fresh, stale or missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_ppteval.baseline.command.common import add_places, find_cases
from pytest_ppteval.baseline.hashes import freshness, hashes_of
from pytest_ppteval.baseline.store import load_approved
from pytest_ppteval.prose.shown import shown_name

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from pytest_ppteval.case.model import Case

# State -> whether the command's exit status is 1 for it.
STATES = {"missing": True, "stale": True, "unusable": True, "unchecked": False, "orphan": False, "fresh": False}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    add_places(parser)


def run(options: argparse.Namespace) -> int:
    """Print a line each; 1 where one is missing, stale or can't be used."""
    cases = find_cases(options.cases)
    rows = [row for case in cases for row in _rows(case, options.baselines)]
    known = {(case.suite, case.id) for case in cases}
    # Of suites that were looked at only: other cases may lie elsewhere.
    for suite in sorted({case.suite for case in cases if case.suite}):
        folders = (options.baselines / suite).glob("*/run.json")
        rows += [
            {"state": "orphan", "case": f"{suite}/{path.parent.name}", "why": "no case of that id"}
            for path in sorted(folders)
            if (suite, path.parent.name) not in known
        ]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        for row in rows:
            print(shown_name(f"{row['state']:<9}  {row['case']}{': ' if row['why'] else ''}{row['why']}"))
        counts = {state: sum(row["state"] == state for row in rows) for state in STATES}
        print(", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no approved runs")
    return int(any(STATES[row["state"]] for row in rows))


def _rows(case: Case, baselines: Path) -> list[dict[str, str]]:
    """The states of a case's approved runs; none for a case that has none and compares with none."""
    name = f"{case.suite}/{case.id}"
    found = load_approved(baselines, case.suite, case.id)
    rows = [{"state": "unusable", "case": name, "why": problem} for problem in found.problems]
    now = hashes_of(case) if found.runs else None
    for one in found.runs:
        assert now is not None
        fresh = freshness(one.hashes, case, now)
        why = "; ".join([one.title, *fresh.reasons])
        rows.append({"state": fresh.state, "case": f"{name}{f' ({one.name})' if one.name else ''}", "why": why})
    if not rows and any(leaf.scorer.type == "baseline" for leaf in case.rubric.leaves):
        rows.append({"state": "missing", "case": name, "why": "the case compares with an approved run"})
    return rows
