"""A kept run for the person who is to approve it: what it is, and what is different from the one that stands. Pure."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.measure import Measure
from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.prose.shown import one_line, shown
from pytest_ppteval.trace.align import align
from pytest_ppteval.trace.explain import explain
from pytest_ppteval.trace.show import as_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.baseline.store import Artifact, KeptRun

MEASURES = ("seconds", "tokens", "cost_usd", "tool_calls")
_LINES = 40


def present(new: KeptRun, old: KeptRun | None) -> str:
    """All that a reviewer looks at, in lines; without `old`, the whole run. Nothing in it acts on a terminal."""
    lines = [*_judged(new), *_process(new, old), *_response(new, old), *_files(new, old), *_deck(new, old)]
    return shown("\n".join([*lines, *_metrics(new, old)]))


def _judged(new: KeptRun) -> Iterator[str]:
    judged = new.record.get("judged")
    if judged:
        low, high = judged["low"], judged["high"]
        span = f"{low:.2f}" if low == high else f"{low:.2f}..{high:.2f}"
        yield f"judged: {judged['verdict']}, score {span}"
        if judged.get("short"):
            yield f"  fell short: {', '.join(one_line(leaf, 100) for leaf in judged['short'][:8])}"


def _process(new: KeptRun, old: KeptRun | None) -> Iterator[str]:
    trace = new.run.trace
    if isinstance(trace, Lacking):
        yield f"steps: {trace.reason}"
        return
    if trace.status != "finished":
        yield f"NOTE: the trace did not finish ({trace.status}): think twice before it is compared with"
    its = old.run.trace if old is not None else None
    if its is None or isinstance(its, Lacking):
        yield "steps:"
        yield from (f"  {line}" for line in as_table(trace).splitlines()[:_LINES])
        return
    yield from explain(align(its.steps, trace.steps)).splitlines()


def _response(new: KeptRun, old: KeptRun | None) -> Iterator[str]:
    text = new.run.response
    before = old.run.response if old is not None else None
    if isinstance(text, Lacking):
        yield f"response: {text.reason}"
    elif not isinstance(before, str):
        yield "response:"
        yield from _limited([f"  | {line}" for line in text.splitlines()])
    elif before == text:
        yield "response: the same"
    else:
        yield "response:"
        diff = difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=1)
        yield from _limited([f"  {line}" for line in diff if not line.startswith(("---", "+++"))])


def _limited(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _LINES
    return [*lines[:_LINES], *([f"  ... and {more} more lines"] if more > 0 else [])]


def _files(new: KeptRun, old: KeptRun | None) -> Iterator[str]:
    now = {one.name: one for one in new.artifacts or ()}
    before = {one.name: one for one in (old.artifacts or () if old is not None else ())}
    if new.artifacts is None:
        yield "files: not kept"
        return
    names = sorted({*now, *before})
    yield f"files: {len(now)}" if names else "files: none"
    yield from _limited([f"  {_file(name, now.get(name), before.get(name), old is None)}" for name in names])


def _file(name: str, now: Artifact | None, before: Artifact | None, first: bool) -> str:
    name = one_line(name)
    if now is None:
        return f"- {name}"
    hashed = (
        "" if now.kept else ", by its hash only: it is large, and not there where the approved run is judged itself"
    )
    if before is None:
        return f"{' ' if first else '+'} {name} ({now.bytes:,} bytes{hashed})"
    if now.sha256 == before.sha256:
        return f"= {name}"
    return f"~ {name} ({before.bytes:,} -> {now.bytes:,} bytes{hashed})"


def _deck(new: KeptRun, old: KeptRun | None) -> Iterator[str]:
    deck = new.record.get("deck")
    if deck:
        before = old.record.get("deck") if old is not None else None
        same = before is not None and before["sha256"] == deck["sha256"]
        yield f"deck: output.pptx, {deck['bytes']:,} bytes{', the same' if same else ''}"


def _metrics(new: KeptRun, old: KeptRun | None) -> Iterator[str]:
    for key in MEASURES:
        now = new.measure(key)
        before = old.measure(key) if old is not None else None
        if isinstance(now, Measure):
            text = f"{key}: {now.value:g}"
            if isinstance(before, Measure):
                change = f" ({100 * (now.value / before.value - 1):+.0f}%)" if before.value else ""
                text = f"{key}: {before.value:g} -> {now.value:g}{change}"
            yield text
        elif isinstance(before, Measure):
            yield f"{key}: {before.value:g} -> not known"
