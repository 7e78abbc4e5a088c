"""A comparison for people, as lines of 80 columns and as Markdown; and as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.compare.statistics import unseen
from pytest_ppteval.prose.markdown import code
from pytest_ppteval.prose.shown import shown_name
from pytest_ppteval.rubric.score import show_score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.compare.differ import Comparison, Figure, Kind, LeafChange, TaskChange
    from pytest_ppteval.compare.trigger import Triggering
    from pytest_ppteval.rubric.trials import Bounds

# The order in which what changed is told, worst first.
KINDS: tuple[Kind, ...] = (
    "broken",
    "worse",
    "newly unscored",
    "fixed",
    "better",
    "newly scored",
    "gone",
    "added",
    "open",
)
_METRICS = {
    "seconds": ("seconds", ",.1f"),
    "input_tokens": ("tokens in", ",.0f"),
    "output_tokens": ("tokens out", ",.0f"),
    "cost_usd": ("cost in USD", ",.4f"),
    "tool_calls": ("tool calls", ",.1f"),
}
_MEANING = {"broken": "passed before, fails now", "fixed": "failed before, passes now", "gone": "not judged now"}
_MEANING |= {"added": "not judged before", "open": "open in both"}


def sentences(comparison: Comparison) -> Iterator[str]:
    """What all tasks together say, in plain words."""
    verdicts, score = comparison.verdicts, comparison.score
    if verdicts is not None:
        differing = verdicts.won + verdicts.lost
        line = f"{verdicts.before} of {verdicts.tasks} tasks passed before, {verdicts.after} now"
        if differing:
            line += f": {verdicts.won} fixed, {verdicts.lost} broken (McNemar, exact: p = {_p(verdicts.p)})."
        else:
            line += f": none by another verdict. Up to {unseen(verdicts.tasks):.0%} of such tasks may still be."
        yield line
    if score is not None:
        yield f"Mean score {score.before:.3f} before, {score.after:.3f} now: {_difference(score)}."
    yield from _told_apart(comparison)
    if comparison.undecided:
        yield (
            f"{_tasks(comparison.undecided)} left out of these means: unscored checks leave them open. "
            f"With them the change is between {-comparison.drop[1]:+.3f} and {-comparison.drop[0]:+.3f}."
            if comparison.drop is not None
            else f"{_tasks(comparison.undecided)} left out of these means: unscored checks leave them open."
        )


def _told_apart(comparison: Comparison) -> Iterator[str]:
    score, verdicts = comparison.score, comparison.verdicts
    if score is None:
        yield "No task is settled in both runs: nothing can be said of the two."
        return
    by_verdict = verdicts is not None and verdicts.p < 0.05
    if score.told_apart or by_verdict:
        better = score.difference > 0 if score.told_apart else verdicts is not None and verdicts.won > verdicts.lost
        yield f"The new run is {'better' if better else 'worse'}, by more than chance would have it (95%)."
        return
    wanted = [f"about {score.needed:,} for a score that differs so"] if score.needed else []
    if verdicts is not None and verdicts.needed:
        wanted.append(f"about {verdicts.needed:,} for verdicts that differ so")
    more = f"; it would take {' and '.join(wanted)} (power 80%)" if wanted else ""
    yield f"These two can't be told apart with so few tasks ({score.tasks}){more}."


def lines(comparison: Comparison) -> Iterator[str]:
    """For a terminal."""
    for run in (comparison.old, comparison.new):
        yield from (shown_name(f"note: {run.name}: {note}") for note in run.notes)
    for kind in KINDS:
        tasks = comparison.of_kind(kind)
        if tasks:
            yield f"{kind}{f' ({_MEANING[kind]})' if kind in _MEANING else ''}: {len(tasks)}"
        for task in tasks:
            yield f"  {shown_name(task.name)}{_scores(task)}"
            yield from (f"    {shown_name(leaf.id)}: {_leaf(leaf)}" for leaf in task.leaves)
    held = [task for task in comparison.of_kind("same") if task.leaves]
    if held:
        yield f"same verdict and score, other checks: {len(held)}"
        for task in held:
            yield f"  {shown_name(task.name)}"
            yield from (f"    {shown_name(leaf.id)}: {_leaf(leaf)}" for leaf in task.leaves)
    yield ""
    yield from sentences(comparison)
    for figure in comparison.metrics:
        name, form = _METRICS[figure.name]
        yield f"{name + ' a run:':18} {figure.before:{form}} -> {figure.after:{form}}{_relative(figure)}"


def markdown(comparison: Comparison, refused: Sequence[str] = ()) -> str:
    """As a comment's body. Names and reasons are code spans, in which nothing acts."""
    old, new = comparison.old, comparison.new
    out = [f"### {code(new.name)} against {code(old.name)}", ""]
    out += [f"- **Worse:** {code(line, 500)}" for line in refused]
    out += [f"- {line}" for line in sentences(comparison)]
    out += [f"- Note on {code(run.name)}: {code(note, 500)}" for run in (old, new) for note in run.notes]
    if comparison.metrics:
        out += ["", "| a run took | before | now | change |", "| --- | ---: | ---: | --- |"]
        for figure in comparison.metrics:
            name, form = _METRICS[figure.name]
            out.append(
                f"| {name} | {figure.before:{form}} | {figure.after:{form}} | {_relative(figure).strip() or '-'} |"
            )
    for kind in KINDS:
        tasks = comparison.of_kind(kind)
        if not tasks:
            continue
        opened = " open" if kind in ("broken", "worse") else ""
        meaning = f" ({_MEANING[kind]})" if kind in _MEANING else ""
        out += ["", f"<details{opened}><summary>{kind}{meaning}: {len(tasks)}</summary>", ""]
        for task in tasks:
            out.append(f"- {code(task.name)}{_scores(task)}")
            out += [f"  - {code(leaf.id)}: {_leaf(leaf)}" for leaf in task.leaves]
        out += ["", "</details>"]
    return "\n".join(out) + "\n"


def data(comparison: Comparison) -> dict[str, Any]:
    """As JSON."""
    return {
        "old": _run(comparison.old.name, comparison.old.agent, comparison.old.notes),
        "new": _run(comparison.new.name, comparison.new.agent, comparison.new.notes),
        "score": _figure(comparison.score),
        "success": _figure(comparison.success),
        "verdicts": None
        if (verdicts := comparison.verdicts) is None
        else {
            "tasks": verdicts.tasks,
            "passed_before": verdicts.before,
            "passed_after": verdicts.after,
            "fixed": verdicts.won,
            "broken": verdicts.lost,
            "mcnemar_p": verdicts.p,
            "tasks_needed": verdicts.needed,
        },
        "drop": None if comparison.drop is None else {"low": comparison.drop[0], "high": comparison.drop[1]},
        "undecided": comparison.undecided,
        "metrics": {figure.name: _figure(figure) for figure in comparison.metrics},
        "critical": [{"task": task.name, "leaf": leaf.id} for task, leaf in comparison.critical],
        "tasks": [
            {
                "task": task.name,
                "kind": task.kind,
                "before": _task(task, after=False),
                "after": _task(task, after=True),
                "leaves": [
                    {
                        "leaf": one.id,
                        "kind": one.kind,
                        "critical": one.critical,
                        "before": one.before,
                        "after": one.after,
                    }
                    for one in task.leaves
                ],
            }
            for task in comparison.tasks
        ],
    }


def trigger_line(found: Triggering) -> str:
    """How well a skill starts where it should, and only there."""
    parts = [
        f"{name} {'-' if value is None else f'{value:.2f}'}{_interval(bounds)}"
        for name, value, bounds in (
            ("precision", found.precision, found.precision_interval),
            ("recall", found.recall, found.recall_interval),
            ("F1", found.f1, found.f1_interval),
        )
    ]
    count = found.hits + found.misses
    told = f"started in {found.hits} of {count} runs that want it, in {found.false_alarms} of "
    told += f"{found.false_alarms + found.rejections} that don't"
    return f"{', '.join(parts)}; {told}" + (f"; {found.undecided} don't tell" if found.undecided else "")


def _run(name: str, agent: str | None, notes: Sequence[str]) -> dict[str, Any]:
    return {"name": name, "agent": agent, "notes": list(notes)}


def _task(change: TaskChange, *, after: bool) -> dict[str, Any] | None:
    task = change.after if after else change.before
    if task is None:
        return None
    low, high = task.score
    trials = task.trials
    return {"verdict": trials.verdict, "low": low, "high": high, "passes": trials.passes, "trials": len(trials.trials)}


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {
        "tasks": figure.tasks,
        "before": figure.before,
        "after": figure.after,
        "difference": figure.difference,
        "interval": None if figure.interval is None else list(figure.interval),
        "tasks_needed": figure.needed,
    }


def _difference(figure: Figure) -> str:
    if figure.interval is None:
        return f"{figure.difference:+.3f}, of one task, which says nothing of others"
    low, high = figure.interval
    return f"{figure.difference:+.3f} (95%: {low:+.3f} to {high:+.3f})"


def _relative(figure: Figure) -> str:
    if not figure.before:
        return ""
    text = f" ({figure.difference / figure.before:+.0%}"
    if figure.interval is not None:
        low, high = (bound / figure.before for bound in figure.interval)
        text += f", 95%: {low:+.0%} to {high:+.0%}"
    return f"{text})"


def _scores(task: TaskChange) -> str:
    if task.before is None or task.after is None:
        return ""
    old, new = show_score(*task.before.score), show_score(*task.after.score)
    passes = ""
    if max(len(task.before.trials.trials), len(task.after.trials.trials)) > 1:
        passes = ", passed " + " -> ".join(
            f"{one.trials.passes}/{len(one.trials.trials)}" for one in (task.before, task.after)
        )
    return f": {old} -> {new}{passes}"


def _leaf(leaf: LeafChange) -> str:
    def side(value: float | None, absent: bool) -> str:
        return "none" if absent else "unscored" if value is None else show_score(value, value)

    change = f"{side(leaf.before, leaf.kind == 'added')} -> {side(leaf.after, leaf.kind == 'gone')}"
    return f"{change} ({'critical, ' if leaf.critical else ''}{leaf.kind})"


def _interval(bounds: Bounds | None) -> str:
    return "" if bounds is None else f" ({bounds[0]:.2f} to {bounds[1]:.2f})"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def _tasks(count: int) -> str:
    return "1 task is" if count == 1 else f"{count} tasks are"
