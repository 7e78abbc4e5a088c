"""What the subcommands about approved runs have in common."""

from __future__ import annotations

import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.case.discover import kind_of
from pytest_ppteval.case.load import load
from pytest_ppteval.evidence.workspace import shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_ppteval.case.model import Case

_PASSED_OVER = {"node_modules", "__pycache__", "baselines", "recordings"}


def add_places(parser: argparse.ArgumentParser) -> None:
    """Where cases and approved runs are."""
    parser.add_argument(
        "--cases",
        type=Path,
        action="append",
        metavar="PATH",
        help="a folder or file with cases; may be given again (default: cases, else this folder)",
    )
    add_baselines(parser)


def add_baselines(parser: argparse.ArgumentParser) -> None:
    """Where approved runs are."""
    parser.add_argument(
        "--baselines",
        type=Path,
        default=Path("baselines"),
        metavar="DIR",
        help="the approved runs (default: baselines)",
    )


def find_cases(paths: Sequence[Path] | None) -> list[Case]:
    """The cases and tasks below the paths, in order. Raises ValueError for a file with something wrong in it."""
    paths = paths or [Path("cases") if Path("cases").is_dir() else Path()]
    found: list[Case] = []
    for path in paths:
        if not path.exists():
            raise ValueError(f"--cases: no such file or folder: {path}")
        for file in [path] if path.is_file() else _files(path):
            kind = kind_of(file, named=path.is_file())
            if kind is None or kind == "rubric":  # a lone rubric is a part of some task
                continue
            registry = load(file, kind)
            if registry.errors:
                raise registry.errors[0]
            found += registry.cases
    return list({(case.suite, case.id): case for case in found}.values())


def _files(root: Path) -> Iterable[Path]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in _PASSED_OVER and not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(names))


def pick(known: Sequence[tuple[str, str]], asked: Sequence[str]) -> list[tuple[str, str]]:
    """The (suite, case) pairs that the arguments name: "case", "suite/case", with wildcards or not.

    Raises ValueError for an argument that names none, and for a bare id that several suites have.
    """
    from pytest_ppteval.case.validate import suggest

    picked: dict[tuple[str, str], None] = {}
    for argument in asked:
        full = {pair: f"{pair[0]}/{pair[1]}" for pair in known}
        exact = [pair for pair in known if argument in (pair[1], full[pair])]
        found = exact or [p for p in known if fnmatchcase(p[1], argument) or fnmatchcase(full[p], argument)]
        if not found:
            raise ValueError(f"no case {argument!r}: {suggest(argument, [pair[1] for pair in known] or ['none'])}")
        if exact and len(exact) > 1:
            raise ValueError(f"{argument!r} is in several suites: name {' or '.join(full[pair] for pair in exact)}")
        picked |= dict.fromkeys(found)
    return list(picked)


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether the person says y; nobody there to ask is no."""
    if yes:
        return True
    print(f"{question} [y/N] ", end="", flush=True)
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print()
    return answer.strip().lower() in ("y", "yes")


def where(path: Path) -> str:
    """A path for people."""
    return shown(path.absolute())
