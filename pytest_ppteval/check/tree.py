"""What a rubric's tree tells of it, without a deck: which leaves can decide, and whether anything is missing."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_ppteval.check.finding import Finding
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.verify import Rules, conclude, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.tree import Leaf

# Code that looks at more than the place that a task is about.
_WHOLE = re.compile(r"\b(?:only_changed|ppt_diff|changes\(|account)\b")
_NUMBERED = re.compile(r"\bslides?\s+(\d{1,3})\b|第\s*(\d{1,3})\s*[页頁张張]", re.IGNORECASE)
_INDEX = re.compile(r"\bslides\[(\d{1,3})\]")


def findings(case: Case) -> Iterator[Finding]:
    """Everything about the tree as a whole."""
    leaves = [leaf for leaf in case.rubric.leaves if not leaf.is_gate]
    yield from _names(case, leaves)
    if not any(leaf.is_critical for leaf in leaves) and len(leaves) > 1 and not _must_be_full(case):
        yield Finding(
            "no-critical",
            case.rubric.source,
            f"{case.id}: no leaf is critical: mark those without which the result is of no use (is_critical: true)",
            case.id,
        )
    yield from _powerless(case, leaves)
    if case.facts is None:
        if not any(map(_says_what_stays, leaves)):
            yield Finding(
                "no-changes",
                case.rubric.source,
                f"{case.id}: no leaf says what must stay as it was: add one with changes: {{allow: [...]}}",
                case.id,
            )
        yield from _slide_numbers(case, leaves)


def _must_be_full(case: Case) -> bool:
    """Whether every leaf decides, critical or not."""
    return resolve(case, Rules()).threshold >= 1


def _names(case: Case, leaves: list[Leaf]) -> Iterator[Finding]:
    names = Counter(leaf.node.name for leaf in leaves)
    for leaf in leaves:
        if names[leaf.node.name] > 1:
            names[leaf.node.name] = 1  # told once
            yield Finding(
                "same-name",
                leaf.node.source,
                f"two leaves are called {leaf.node.name!r}: reports number them",
                case.id,
                leaf.id,
            )


def _powerless(case: Case, leaves: list[Leaf]) -> Iterator[Finding]:
    """Leaves of which all together may fail, and the task still passes."""
    weak = [leaf for leaf in leaves if not leaf.is_critical]
    if not weak or len(weak) == len(leaves):
        return
    rules = resolve(case, Rules())
    results = {
        leaf.id: LeafResult(status="scored", score=1.0 if leaf.is_critical else 0.0, reason="") for leaf in leaves
    }
    if conclude(case, results, rules).verdict.outcome != "passed":
        return
    names = ", ".join(repr(leaf.id) for leaf in weak[:4]) + (f" and {len(weak) - 4} more" if len(weak) > 4 else "")
    yield Finding(
        "powerless",
        weak[0].node.source,
        f"{case.id}: at a threshold of {rules.threshold:g} these decide nothing, even if all of them score 0: {names}: "
        "make them critical or raise the threshold",
        case.id,
        weak[0].id,
    )


def _says_what_stays(leaf: Leaf) -> bool:
    args = leaf.scorer.args
    if leaf.scorer.type == "deck":
        return "changes" in args
    return bool(_WHOLE.search(str(args.get("function_code", ""))))


def _slide_numbers(case: Case, leaves: list[Leaf]) -> Iterator[Finding]:
    """Numbers of slides that are one off those that the goal names."""
    goal = case.goal or str(case.rubric.metadata.get("task", ""))
    named = {int(one or other) for one, other in _NUMBERED.findall(goal)}
    if not named:
        return
    used = {leaf.id: set(_slides_of(leaf)) for leaf in leaves}
    if any(numbers & named for numbers in used.values()):
        return  # what else they look at, they mean to
    for leaf in leaves:
        near = sorted(number for number in used[leaf.id] if {number - 1, number + 1} & named)
        if near:
            yield Finding(
                "slide-number",
                leaf.scorer.source,
                f"{case.id}: {leaf.id!r} looks at slide {near[0]}, and the goal names slide "
                f"{', '.join(map(str, sorted(named)))}: slides count from 1 in words, from 0 in code",
                case.id,
                leaf.id,
            )


def _slides_of(leaf: Leaf) -> Iterator[int]:
    if leaf.scorer.type == "function":
        for index in _INDEX.findall(str(leaf.scorer.args.get("function_code", ""))):
            yield int(index) + 1
    elif leaf.scorer.type == "deck":
        yield from _numbers(leaf.scorer.args)


def _numbers(value: Any, key: str = "") -> Iterator[int]:
    """Every slide's number in a deck leaf."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _numbers(below, name if name in ("slide", "slides") else key if name == "was" else "")
    elif isinstance(value, list):
        for below in value:
            yield from _numbers(below, key)
    elif key and isinstance(value, int) and not isinstance(value, bool):
        yield value
