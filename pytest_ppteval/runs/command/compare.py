"""`ppteval compare OLD NEW [NEW2...]`: what got better and worse, and whether that can be told from chance."""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.whole import write_json, write_whole
from pytest_ppteval.prose.markdown import code, within
from pytest_ppteval.prose.shown import shown, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_ppteval.compare.differ import Comparison
    from pytest_ppteval.compare.model import Run

WIDTH = 80
# GitHub refuses a comment of more than 65,536 characters; bytes are the safe side of that.
COMMENT_BYTES = 65_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("old", type=Path, metavar="OLD", help="the run to compare with; PPT-Eval's results do too")
    parser.add_argument("new", type=Path, nargs="+", metavar="NEW", help="a run; several make a table of all")
    parser.add_argument(
        "--max-drop",
        type=_share,
        metavar="X",
        help="how far the mean score may fall, 0..1; then what is open or gone counts against NEW",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write it as a comment's body")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it for programs")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 1 where a NEW may not take OLD's place."""
    from pytest_ppteval.compare.board import board
    from pytest_ppteval.compare.differ import compare
    from pytest_ppteval.compare.gate import refusals
    from pytest_ppteval.runs.compared import read_run

    runs = _told_apart([options.old, *options.new], [read_run(path) for path in (options.old, *options.new)])
    comparisons = [compare(runs[0], new) for new in runs[1:]]
    if not any(before and after for one in comparisons for before, after in _both(one)):
        raise ValueError(f"{options.old} and {options.new[0]} have no task in common: are they of one suite?")
    refused = [list(refusals(one, options.max_drop)) for one in comparisons]
    table = board(runs) if len(runs) > 2 else None
    _print(runs, comparisons, table)
    for one, lines in zip(comparisons, refused, strict=True):
        for line in lines:
            print(shown_name(f"WORSE {one.new.name}: {line}"))
    if options.markdown:
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.markdown, _markdown(runs, comparisons, refused, table))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        write_json(options.json, _data(runs, comparisons, refused, table))
    return 1 if any(refused) else 0


def _both(comparison: Comparison) -> Iterable[tuple[object, object]]:
    return ((task.before, task.after) for task in comparison.tasks)


def _told_apart(paths: Sequence[Path], runs: Sequence[Run]) -> list[Run]:
    """Runs by their folders' names; by their paths where two are called alike."""
    names = [run.name for run in runs]
    return [
        replace(run, name=str(path)) if names.count(run.name) > 1 else run
        for path, run in zip(paths, runs, strict=True)
    ]


def _print(runs: Sequence[Run], comparisons: Sequence[Comparison], table: Any) -> None:
    from pytest_ppteval.compare.board import note
    from pytest_ppteval.compare.board import table as cells
    from pytest_ppteval.compare.shown import lines

    for one in comparisons:
        if len(comparisons) > 1:
            print(shown_name(f"== {one.new.name} against {one.old.name}"))
        for line in lines(one):
            print(_wrapped(line))
    for line in _trigger_lines(runs):
        print(_wrapped(line))
    if table is not None and table.rows:
        rows = [[shown_name(cell) for cell in row] for row in cells(table)]
        print(f"\n{len(table.rows)} runs over {table.tasks} tasks")
        for row in _aligned(rows):
            print(row)
        print(_wrapped(note(table)))


def _wrapped(line: str) -> str:
    start = line[: len(line) - len(line.lstrip())]
    return shown(
        textwrap.fill(line, WIDTH, subsequent_indent=f"{start}  ", break_long_words=False, break_on_hyphens=False)
    )


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The table in columns, or a block for each run where it would be wider than a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) <= WIDTH:
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        return
    head, *rest = rows
    for row in rest:
        yield row[0]
        yield _wrapped("  " + ", ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True)))


def _trigger_lines(runs: Sequence[Run]) -> Iterable[str]:
    from pytest_ppteval.compare.shown import trigger_line
    from pytest_ppteval.compare.trigger import triggering

    for one in runs:
        found = None if one.without_skill else triggering(one.tasks.values())
        if found is not None:
            yield shown_name(f"triggering of {one.name}: ") + trigger_line(found)
    without = [one.name for one in runs if one.without_skill]
    if without and len(without) < len(runs):
        yield shown_name(f"without the skill: {', '.join(without)}. What differs is what the skill is worth.")


def _markdown(
    runs: Sequence[Run], comparisons: Sequence[Comparison], refused: Sequence[Sequence[str]], table: Any
) -> str:
    from pytest_ppteval.compare import board
    from pytest_ppteval.compare.shown import markdown

    parts = [markdown(one, lines) for one, lines in zip(comparisons, refused, strict=True)]
    if table is not None and table.rows:
        parts.insert(0, board.markdown(table))
    parts += [f"{code(line, 1000)}\n" for line in _trigger_lines(runs)]
    return within("\n".join(parts), COMMENT_BYTES, "_Cut: the comment would be too long._")


def _data(
    runs: Sequence[Run], comparisons: Sequence[Comparison], refused: Sequence[Sequence[str]], table: Any
) -> dict[str, Any]:
    from dataclasses import asdict

    from pytest_ppteval.compare import board
    from pytest_ppteval.compare.shown import data
    from pytest_ppteval.compare.trigger import triggering

    found = {one.name: triggering(one.tasks.values()) for one in runs}
    return {
        "format": 1,
        "comparisons": [{**data(one), "refused": list(lines)} for one, lines in zip(comparisons, refused, strict=True)],
        "board": None if table is None else board.data(table),
        "triggering": {
            name: {**asdict(one), "precision": one.precision, "recall": one.recall, "f1": one.f1}
            for name, one in found.items()
            if one is not None
        },
    }
