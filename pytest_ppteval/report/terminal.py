"""The terminal: a word for each leaf, and a summary of the tasks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.prose.shown import shown_name
from pytest_ppteval.report.dimensions import by_dimension, reviews_wanted
from pytest_ppteval.report.leaf import headline
from pytest_ppteval.rubric.score import show_score
from pytest_ppteval.runs.results import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SLOWEST = 3
# Lines of a kind in a short summary.
MOST_SHOWN = 3
# Set while pytest sums up: a report's word then stands before lines, no longer for a leaf that has just ended.
SUMMARISING = pytest.StashKey[bool]()
DIFFICULTIES = {"easy": 0, "medium": 1, "hard": 2}


def leaf_status(report: Any, config: pytest.Config, status: Any) -> Any:
    """(category, letter, word) of a leaf's or an undetermined task's report; `status` is what pytest would say."""
    trials = getattr(report, "ppteval_trials", None)
    if trials is not None:
        if report.when != "call" or trials["verdict"] == "passed":
            return status
        return ("error", "E", "UNDETERMINED") if trials["verdict"] == "undetermined" else status
    leaf = getattr(report, "ppteval_leaf", None)
    if leaf is None:
        task = report.ppteval_task
        if report.passed and report.when == "call" and task["verdict"] == "failed":
            return "tolerated", "t", ("TRIAL FAILED", {"yellow": True})
        if report.failed and report.when == "call" and task["verdict"] in ("undetermined", "passed"):
            return "error", "E", "UNDETERMINED" if task["verdict"] == "undetermined" else "ERROR"
        return status
    quiet = config.get_verbosity("subtests") == 0
    name = f"[{leaf['id']}]"
    match leaf["shown"]:
        case "partial":
            return "partial", "p", (f"SUBPARTIAL{name}", {"yellow": True})
        case "failed" | "error" if leaf.get("common"):  # its task says it
            return "", "", ""
        case "failed" if report.passed:  # in a trial that may fail
            return "tolerated", "t", (f"SUBSHORT{name}", {"yellow": True})
        case "failed":
            return "failed", "u", f"SUBFAILED{name}"
        case "error":
            return "error", "E", f"SUBERROR{name}"
        case "unscored" | "not applicable":
            if SUMMARISING in config.stash and config.option.fold_skipped:
                return "skipped", "", "SKIPPED"  # pytest puts the word of the first one before the lines of all
            word = "SUBUNSCORED" if leaf["shown"] == "unscored" else "SUBNOTAPPLICABLE"
            return "skipped", "" if quiet else "-", "" if quiet else f"{word}{name}"
        case _:
            return ("", "", "") if quiet else ("subtests passed", "u", f"SUBPASSED{name}")


def name_in_full(stats: Mapping[str, Sequence[Any]]) -> None:
    """Have pytest's own summary show node ids of tasks as they are.

    Since 9.2 it takes "a [b] c" for parameters, and shows "a [b] c]". Until the summary that must stay: the item's id
    and what others parse from text have to be the same.
    """
    for report in (one for reports in stats.values() for one in reports if _is_misread(one)):
        path, _, name = report.nodeid.partition("::")
        report._id = type(report._id)(path=path, names=(name,))


def _is_misread(report: Any) -> bool:
    rest = getattr(getattr(report, "_id", None), "rest", None)
    if rest is None or rest == report.nodeid.partition("::")[2]:
        return False
    return hasattr(report, "ppteval_leaf") or hasattr(report, "ppteval_task")


def write_summary(
    terminal: pytest.TerminalReporter,
    tasks: Sequence[Mapping[str, Any]],
    leaves: Sequence[Any],
    *,
    full: bool = False,
) -> None:
    """Tasks by verdict, mean score and strict success, by difficulty; what stays open, each reason once.

    full: also by tag, all that is partial or open, and the slowest leaves.
    """
    total = summarise(tasks)
    trials = any(task.get("trials", 1) > 1 for task in tasks)
    terminal.write_sep("=", f"ppteval: {len(tasks)} {'trial' if trials else 'task'}{'s' if len(tasks) != 1 else ''}")
    counts = Counter(task["verdict"] for task in tasks)
    names = {"none": "judged in part (no verdict)"}
    order = ("passed", "failed", "undetermined", "error", "skipped", "none")
    terminal.write_line(", ".join(f"{counts[name]} {names.get(name, name)}" for name in order if counts[name]))
    if total["tasks"]:
        terminal.write_line(f"mean score {_mean(total)}, strict success {_success(total)}")
        _write_groups(terminal, tasks, tags=full)
    for line in by_dimension(leaves):
        terminal.write_line(line)
    most = None if full else MOST_SHOWN
    _write_some(terminal, _open_lines(tasks, full=full), most)
    _write_some(terminal, _leaf_lines(leaves, "partial"), most)
    _write_some(terminal, _leaf_lines(leaves, "borderline"), most)
    _write_unscored(terminal, leaves, most)
    if full:
        _write_slowest(terminal, leaves)
    wanted = reviews_wanted(leaves)
    if wanted:
        terminal.write_line(wanted, yellow=True)


def _write_some(terminal: pytest.TerminalReporter, lines: Sequence[str], most: int | None) -> None:
    for line in lines[:most]:
        terminal.write_line(line, yellow=True)
    if most is not None and len(lines) > most:
        word = lines[0].split(" ", 1)[0]
        terminal.write_line(f"{word}: and {len(lines) - most} more (--ppteval-summary=full)", yellow=True)


def _mean(total: Mapping[str, Any]) -> str:
    return show_score(total["mean_score_low"], total["mean_score_high"])


def _success(total: Mapping[str, Any]) -> str:
    low, high, tasks = total["strict_successes"], total["strict_successes_possible"], total["tasks"]
    if low == high:
        return f"{low}/{tasks} ({low / tasks:.0%})"
    return f"{low}..{high}/{tasks} ({low / tasks:.0%}..{high / tasks:.0%})"


def _write_groups(terminal: pytest.TerminalReporter, tasks: Sequence[Mapping[str, Any]], *, tags: bool) -> None:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for task in tasks:
        if task.get("difficulty"):
            groups.setdefault(f"difficulty {shown_name(task['difficulty'])}", []).append(task)
    difficulties = list(groups)
    for task in tasks if tags else ():
        for tag in task.get("tags", ()):
            groups.setdefault(f"tag {shown_name(tag)}", []).append(task)
    easy_first = sorted(difficulties, key=lambda name: (DIFFICULTIES.get(name.split(" ", 1)[1].lower(), 9), name))
    names = [*easy_first, *sorted(set(groups) - set(difficulties))]
    width = max((len(name) for name in names), default=0)
    for name in names:
        total = summarise(groups[name])
        if total["tasks"]:
            terminal.write_line(f"  {name:{width}}  mean {_mean(total):>10}  success {_success(total)}")


def _open_lines(tasks: Sequence[Mapping[str, Any]], *, full: bool) -> list[str]:
    """A line for each task without a verdict, or, unless it is to be in full, for each reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        if task["verdict"] in ("undetermined", "error"):
            bounds = show_score(task["low"], task["high"])
            reason = shown_name(task["reasons"][0].splitlines()[0]) if task["reasons"] and task["reasons"][0] else ""
            line = f"{task['verdict'].upper()} {task['nodeid']}: score {bounds}: {reason}"
            # What a task with unscored leaves lacks is told of the leaves.
            why = ": unscored: " if ": unscored: " in reason else reason
            found.setdefault((task["verdict"], line if full else why), []).append(line)
    lines = []
    for (verdict, why), own in found.items():
        if len(own) == 1:
            lines += own
        else:
            what = "unscored checks leave them open, for the reasons below" if why == ": unscored: " else why
            lines.append(f"{verdict.upper()} {len(own)} tasks: {what}")
    return lines


def _leaf_lines(leaves: Sequence[Any], kind: str) -> list[str]:
    lines = []
    for leaf in leaves:
        if kind == "partial" and leaf["shown"] == "partial":
            place = f"{leaf['file']}:{leaf['line']}"
            lines.append(f"PARTIAL {leaf['nodeid']}::{leaf['id']} - {headline(leaf)}  {place}")
        elif kind == "borderline" and leaf["judging"] and leaf["judging"]["borderline"]:
            lines.append(f"BORDERLINE {leaf['nodeid']}::{leaf['id']} - {headline(leaf)}")
    return lines


def _write_unscored(terminal: pytest.TerminalReporter, leaves: Sequence[Any], most: int | None) -> None:
    for shown in ("unscored", "not applicable"):
        reasons = Counter(
            leaf["reason"].splitlines()[0] if leaf["reason"] else "" for leaf in leaves if leaf["shown"] == shown
        )
        for reason, count in reasons.most_common(most):
            terminal.write_line(
                f"{shown.upper()} {count} {'leaf' if count == 1 else 'leaves'}: "
                f"{reason.removeprefix('not applicable: ')}",
                yellow=shown == "unscored",
            )
        if most is not None and len(reasons) > most:
            rest = sum(count for _, count in reasons.most_common()[most:])
            terminal.write_line(f"{shown.upper()} {rest} more, for other reasons (--ppteval-summary=full)")


def _write_slowest(terminal: pytest.TerminalReporter, leaves: Sequence[Any]) -> None:
    slow = sorted((leaf for leaf in leaves if leaf["seconds"]), key=lambda leaf: -leaf["seconds"])
    if slow:
        terminal.write_line("slowest leaves:")
        for leaf in slow[:SLOWEST]:
            terminal.write_line(f"  {leaf['seconds']:6.3f} s  {leaf['nodeid']}::{leaf['id']}")
