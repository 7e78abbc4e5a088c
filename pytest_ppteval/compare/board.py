"""Several runs in one table, over the tasks that all of them judged."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pytest_ppteval.compare.model import METRICS
from pytest_ppteval.compare.statistics import holm, mcnemar, mean_interval
from pytest_ppteval.prose.markdown import code
from pytest_ppteval.rubric.trials import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.compare.model import Run, Task
    from pytest_ppteval.rubric.trials import Bounds


@dataclass(frozen=True, slots=True)
class Row:
    """A run. passed: tasks, of those settled in all runs. score: their mean. p: McNemar's against the first run,
    corrected by Holm for the number of runs; None of the first. metrics: a trial's means, where all tasks tell them."""

    run: Run
    passed: int
    passed_interval: Bounds
    score: float
    score_interval: Bounds | None
    metrics: dict[str, float]
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """The table, best first. tasks: those settled in all runs. left_out: those of some run that are not."""

    rows: tuple[Row, ...]
    tasks: int
    left_out: int


def board(runs: Sequence[Run]) -> Board:
    """Runs by success, then by score. Without a common settled task there are no rows."""
    names = [name for name in runs[0].tasks if all(_is_settled(run.tasks.get(name)) for run in runs)]
    every = {name for run in runs for name in run.tasks}
    if not names:
        return Board((), 0, len(every))
    passed = [[run.tasks[name].trials.verdict == "passed" for name in names] for run in runs]
    values = holm([_mcnemar(passed[0], own) for own in passed[1:]])
    rows = [_row(run, own, names, p) for run, own, p in zip(runs, passed, [None, *values], strict=True)]
    rows.sort(key=lambda row: (-row.passed, -row.score))
    return Board(tuple(rows), len(names), len(every) - len(names))


def _is_settled(task: Task | None) -> bool:
    return task is not None and task.trials.verdict != "undetermined" and task.score[0] == task.score[1]


def _mcnemar(first: Sequence[bool], other: Sequence[bool]) -> float:
    pairs = [*zip(first, other, strict=True)]
    return mcnemar(pairs.count((False, True)), pairs.count((True, False)))


def _row(run: Run, passed: Sequence[bool], names: Sequence[str], p: float | None) -> Row:
    tasks = [run.tasks[name] for name in names]
    scores = [task.score[0] for task in tasks]
    metrics = {}
    for name in METRICS:
        known = [value for task in tasks if (value := task.metric(name)) is not None]
        if len(known) == len(tasks):
            metrics[name] = fmean(known)
    count = sum(passed)
    return Row(run, count, wilson(count, len(tasks)), fmean(scores), mean_interval(scores), metrics, p)


def table(found: Board) -> list[list[str]]:
    """Head and rows, as texts."""
    head = ["run", "agent", "passed (95%)", "score (95%)", "tokens", "s", "USD", "p"]
    return [head, *([*_cells(row, found.tasks)] for row in found.rows)]


def _cells(row: Row, tasks: int) -> list[str]:
    low, high = row.passed_interval
    score = f"{row.score:.2f}"
    if row.score_interval is not None:
        score += f" ({row.score_interval[0]:.2f} to {row.score_interval[1]:.2f})"
    told = row.metrics
    tokens = [told[name] for name in ("input_tokens", "output_tokens") if name in told]
    return [
        row.run.name,
        row.run.agent or "-",
        f"{row.passed}/{tasks} ({low:.0%} to {high:.0%})",
        score,
        f"{sum(tokens):,.0f}" if tokens else "-",
        f"{told['seconds']:,.0f}" if "seconds" in told else "-",
        f"{told['cost_usd']:,.3f}" if "cost_usd" in told else "-",
        "-" if row.p is None else f"{row.p:.3f}",
    ]


def markdown(found: Board) -> str:
    """The table as Markdown."""
    head, *rows = table(found)
    out = [f"### {len(rows)} runs over {found.tasks} tasks", "", f"| {' | '.join(head)} |"]
    out.append("| --- | --- | --- | --- | ---: | ---: | ---: | ---: |")
    out += [f"| {code(row[0])} | {code(row[1])} | {' | '.join(row[2:])} |" for row in rows]
    return "\n".join([*out, "", note(found)]) + "\n"


def note(found: Board) -> str:
    """How the table is to be read."""
    left = f" {found.left_out} tasks are left out: not every run settled them." if found.left_out else ""
    return (
        f"p: McNemar's exact test against the first run named, corrected by Holm. Means are of a run at a task.{left}"
    )


def data(found: Board) -> dict[str, Any]:
    """As JSON."""
    return {
        "tasks": found.tasks,
        "left_out": found.left_out,
        "rows": [
            {
                "run": row.run.name,
                "agent": row.run.agent,
                "passed": row.passed,
                "passed_interval": list(row.passed_interval),
                "score": row.score,
                "score_interval": None if row.score_interval is None else list(row.score_interval),
                "metrics": row.metrics,
                "mcnemar_p_holm": row.p,
            }
            for row in found.rows
        ],
    }
