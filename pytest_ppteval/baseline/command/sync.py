"""`ppteval sync --from DIR` or `--to DIR`: copy approved runs from or to another folder of baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.baseline.approve import files_of, place_of, put, standing
from pytest_ppteval.baseline.command.common import add_baselines, confirmed, pick, where
from pytest_ppteval.baseline.hashes import sha256_of
from pytest_ppteval.baseline.show import present
from pytest_ppteval.baseline.store import RECORD, BadRunError, KeptRun, load_approved

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("case", nargs="*", metavar="CASE", help="only these: case id, or suite/id (default: all)")
    direction = parser.add_mutually_exclusive_group(required=True)
    direction.add_argument("--from", dest="source", type=Path, metavar="DIR", help="copy from there")
    direction.add_argument("--to", dest="target", type=Path, metavar="DIR", help="copy to there")
    parser.add_argument("--yes", action="store_true", help="don't ask; for scripts")
    add_baselines(parser)


def run(options: argparse.Namespace) -> int:
    """Show what is new and what would be replaced, ask, and copy; 1 where that was declined. Nothing is removed."""
    source = options.source or options.baselines
    target = options.target or options.baselines
    if not source.is_dir():
        raise ValueError(f"no such folder: {source}")
    if source.resolve() == target.resolve():
        raise ValueError(f"{source} and {target} are the same folder")
    found = sorted({(path.parent.parent.name, path.parent.name) for path in source.glob(f"*/*/{RECORD}")})
    if not found:
        raise ValueError(f"no approved runs in {source}: it needs <suite>/<case>/{RECORD}")
    todo: list[tuple[KeptRun, Path, KeptRun | None]] = []
    for suite, case in pick(found, options.case) if options.case else found:
        approved = load_approved(source, suite, case)
        if approved.problems:
            raise BadRunError(approved.problems[0])
        for one in approved.runs:
            place = place_of(target, suite, case, one.name)
            old = standing(place, case, one.name)
            if old is not None and _content(old) == _content(one):
                continue
            print(
                f"{suite}/{case}: {f'in place of the run {old.title}' if old else 'new'}: {one.title}, {where(place)}"
            )
            if old is not None:
                print("\n".join(f"  {line}" for line in present(one, old).splitlines()))
            todo.append((one, place, old))
    if not todo:
        print("nothing to copy: all is the same")
        return 0
    if not confirmed(f"copy {len(todo)} approved {'run' if len(todo) == 1 else 'runs'}?", yes=options.yes):
        print("nothing was copied")
        return 1
    for one, place, old in todo:
        put(one, place, one.record, old)
    print(f"copied: {len(todo)}")
    return 0


def _content(run: KeptRun) -> tuple[object, dict[str, str]]:
    """What two copies of one run have in common."""
    return run.record, {name: sha256_of(path) for name, path in files_of(run).items()}
