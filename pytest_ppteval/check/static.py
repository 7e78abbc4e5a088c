"""Everything that can be told of a case without a deck or a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.check import code, questions, rules, tree
from pytest_ppteval.check.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.model import Case, Registry


def of_file(registry: Registry) -> Iterator[Finding]:
    """What is wrong with the file itself, and with the cases of it that did not load."""
    for error in registry.of_file:
        yield Finding("format", error.source, error.message)
    for wrong in registry.wrong:
        if wrong.alike is None:
            for error in wrong.errors:
                yield Finding("format", error.source, error.message, wrong.id or "")


def of_case(case: Case) -> Iterator[Finding]:
    """What its tree, its code, its questions and its rules tell."""
    yield from tree.findings(case)
    for leaf in case.rubric.leaves:
        if leaf.scorer.type == "function":
            yield from code.findings(leaf, case.id)
        if leaf.scorer.type in ("function", "llm"):
            yield from questions.findings(leaf, case.id)
        if leaf.scorer.type == "check":
            yield from rules.findings(leaf, case.id)
