"""An alignment for people: a diff of steps."""

from __future__ import annotations

from pytest_ppteval.trace.align import Alignment, Kind, Pair
from pytest_ppteval.trace.jsontext import dumps, one_line
from pytest_ppteval.trace.model import Step

_NAMES: dict[Kind, str] = {
    "match": "match",
    "mismatch": "inconsistent",
    "moved": "moved",
    "missing": "missing",
    "extra": "extra",
}


def summary(alignment: Alignment) -> str:
    """One line: the score and how it comes about."""
    counts = ", ".join(
        f"{alignment.count(kind)} {name}" for kind, name in _NAMES.items() if kind == "match" or alignment.count(kind)
    )
    share = alignment.matched_share
    matched = "" if share is None else f"; {100 * share:.0f}% of the longer run matches"
    return (
        f"process {alignment.score}/100: {len(alignment.baseline)} steps in the baseline, "
        f"{len(alignment.trial)} here: {counts}{matched}"
    )


def explain(alignment: Alignment, *, context: int = 1, limit: int = 40, width: int = 110) -> str:
    """The summary and the steps that differ, with `context` matches around them.

    Marks: "=" match, "~" inconsistent (baseline, then trial), ">" moved, "-" missing, "+" extra. Numbers count the
    steps from 1. What is left out is said: matches between, and all after `limit` lines; lines are cut at `width`.
    """
    lines: list[str] = []
    pairs = alignment.pairs
    near = _near(pairs, context)
    skipped = 0
    for index, pair in enumerate(pairs):
        if index not in near:
            skipped += 1
            continue
        if skipped:
            lines.append(_skipped(skipped))
            skipped = 0
        lines += _show(alignment, pair, width)
    if skipped:
        lines.append(_skipped(skipped))
    if len(lines) > limit:
        lines[limit - 1 :] = [f"  ... {len(lines) - limit + 1} more lines"]
    return "\n".join([summary(alignment), *lines])


def _skipped(count: int) -> str:
    return f"  ... {count} matching step{'' if count == 1 else 's'}"


def _near(pairs: tuple[Pair, ...], context: int) -> set[int]:
    near: set[int] = set()
    for index, pair in enumerate(pairs):
        if pair.kind != "match":
            near.update(range(max(0, index - context), min(len(pairs), index + context + 1)))
    return near


def _show(alignment: Alignment, pair: Pair, width: int) -> list[str]:
    old = "" if pair.baseline is None else call(alignment.baseline[pair.baseline])
    new = "" if pair.trial is None else call(alignment.trial[pair.trial])
    one = 0 if pair.baseline is None else pair.baseline + 1
    two = 0 if pair.trial is None else pair.trial + 1
    if pair.kind == "match":
        return [_cut(f"  = {one:>3} {new}", width)]
    if pair.kind == "missing":
        return [_cut(f"  - {one:>3} {old}", width)]
    if pair.kind == "extra":
        return [_cut(f"  + {two:>3} {new}", width)]
    if pair.kind == "moved":
        return [_cut(f"  > {two:>3} {new}", width - 25) + f"  (baseline: step {one})"]
    return [_cut(f"  ~ {one:>3} {old}", width), _cut(f"    {two:>3} {new}", width)]


def call(step: Step) -> str:
    """A step on one line: the tool and its arguments."""
    arguments = dumps(step.args) if step.args is not None else step.args_raw or "(arguments unknown)"
    return one_line(f"{step.tool or '(unknown tool)'} {arguments}")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
