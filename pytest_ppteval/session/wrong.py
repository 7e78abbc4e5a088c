"""Cases that did not load: each stands in its file as an item that is an error, and the others are judged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_ppteval.case.model import WrongCase


class WrongItem(pytest.Item):
    """A case that can't be judged as it is written: an error, not a failure of the agent's."""

    def __init__(self, *, wrong: WrongCase, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.wrong = wrong

    def setup(self) -> None:
        """Say what is wrong with it."""
        pytest.fail(told(self.wrong), pytrace=False)

    def runtest(self) -> None:
        """Nothing: its set-up fails."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the case is written."""
        return self.path, self.wrong.source.line - 1, f"task {self.name}"


class WrongCollector(pytest.Collector):
    """The same where items are only collected: their set-up would never be run."""

    def __init__(self, *, wrong: WrongCase, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.wrong = wrong

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Raise what is wrong with it."""
        raise self.CollectError(told(self.wrong))


def told(wrong: WrongCase) -> str:
    """What is wrong with a case, a line each; once for cases that fail for the same."""
    if wrong.alike is not None:
        return f"{wrong.source}: not judged for what is wrong with {wrong.alike!r} too: they share a rubric"
    return "\n".join(map(str, wrong.errors))


def wrong_nodes(
    parent: pytest.Collector, cases: Sequence[WrongCase], taken: Iterable[str]
) -> Iterator[pytest.Item | pytest.Collector]:
    """A node for each of them, named by its id where that can be a name and is not `taken`, else by its line."""
    from pytest_ppteval.case.paths import id_problem

    kind: Any = WrongCollector if parent.config.option.collectonly else WrongItem
    names = set(taken)
    for wrong in cases:
        # Some pytest versions take a bracket in a name for parameters.
        name = wrong.id or ""
        if id_problem(name) or "[" in name:
            name = "case"
        if name in names or name == "case":
            name = f"{name} (line {wrong.source.line})"
        while name in names:
            name += "'"  # in one line with another
        names.add(name)
        yield kind.from_parent(parent, name=name, wrong=wrong)


def set_aside(items: list[pytest.Item]) -> list[pytest.Item]:
    """Take these items out of `items`, and return them: by -m and -k nobody can deselect what has no tags yet."""
    aside: list[pytest.Item] = [item for item in items if isinstance(item, WrongItem)]
    if aside:
        items[:] = [item for item in items if not isinstance(item, WrongItem)]
    return aside
