"""What the tasks of a run came to, trials taken together, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_ppteval.prose.shown import shown_name
from pytest_ppteval.rubric.score import show_score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_ppteval.rubric.trials import Bounds, Trials

_ORDER = ("passed", "failed", "undetermined")


def verdict_lines(tasks: Mapping[str, Trials]) -> Iterator[str]:
    """A line for each task, then one that counts them."""
    for task, trials in tasks.items():
        yield f"{trials.verdict:12}  {shown_name(task)}: {describe(trials)}"
    counts = Counter[str](trials.verdict for trials in tasks.values())
    total = ", ".join(f"{counts[name]} {name}" for name in _ORDER if counts[name])
    yield f"{len(tasks)} {'task' if len(tasks) == 1 else 'tasks'}{': ' if total else ''}{total}"


def describe(trials: Trials) -> str:
    """One task's trials: how many passed, pass@k, pass^k, mean score, success rate with its interval, consistency,
    flaky leaves. A task that is tried once has a score only."""
    mean = trials.mean
    score = "no trial" if mean is None else show_score(*mean)
    if trials.planned == 1:
        return f"score {score}"
    parts = [f"{trials.passes} of {trials.planned} trials passed, {trials.require} required"]
    if trials.open:
        missing = f", {trials.missing} of them not run" if trials.missing else ""
        parts[0] += f" ({trials.open} open{missing})"
    if trials.trials:
        k = min(trials.require if trials.require > 1 else trials.planned, len(trials.trials))
        for name, value in ((f"pass@{k}", trials.pass_at(k)), (f"pass^{k}", trials.pass_all(k))):
            if value is not None:
                parts.append(f"{name} {show_score(*value)}")
        parts.append(f"mean score {score}")
        interval = trials.interval
        assert interval is not None
        parts.append(f"success rate {_share(trials)} (95%: {_percent(interval)})")
    if trials.consistency is not None:
        parts.append(f"consistency {show_score(trials.consistency, trials.consistency)}")
    if trials.flaky:
        parts.append(f"flaky: {', '.join(trials.flaky)}")
    return "; ".join(parts)


def _share(trials: Trials) -> str:
    count = len(trials.trials)
    return _percent((trials.passes / count, (count - trials.failures) / count))


def _percent(bounds: Bounds) -> str:
    low, high = (f"{bound:.0%}" for bound in bounds)
    return low if low == high else f"{low}..{high}"
