"""What a function leaf may import: the vocabulary in Python, for what YAML can't say.

`from pytest_ppteval.leaf import before, after, changes, guards` — inside of a leaf, of a task with two decks.

before, after: what a viewer sees of the decks (`pytest_ppteval.look.model.Deck`), read-only.
changes: everything that could be seen and is not as it was (`pytest_ppteval.vocabulary.allow.Seen`, a tuple).
guards: `guards.legible()`, `guards.editable()`, `guards.opens()`: the faults that the original has not, a tuple of
(kind, words); each takes the options that it has in YAML.
check: `check({"on": ..., "text": ...})` -> (reason, score), as a deck leaf would give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.look.model import Deck
    from pytest_ppteval.vocabulary.allow import Seen
    from pytest_ppteval.vocabulary.world import World

    before: Deck
    after: Deck
    changes: tuple[Seen, ...]
    guards: Guards

__all__ = ["after", "before", "changes", "check", "guards"]

# Set by the process that runs the leaf.
find_world: Callable[[], World] | None = None


class Guards:
    """The guards as functions; see the module."""

    def __getattr__(self, name: str) -> Callable[..., tuple[tuple[str, str], ...]]:
        from importlib import import_module

        from pytest_ppteval.vocabulary.guards import NAMES

        if name not in NAMES:
            raise AttributeError(f"no guard {name!r}: use {', '.join(NAMES)}")
        guard = import_module(f"pytest_ppteval.vocabulary.guards.{name}").guard
        return lambda **options: tuple(guard(options, _world()))


def check(want: dict[str, Any]) -> tuple[str, float]:
    """What a deck leaf with this `deck:` gives: (reason, score). Raises ValueError where it makes no sense."""
    from pytest_ppteval.vocabulary.judge import judge

    return judge({"deck": want}, _world())


def __getattr__(name: str) -> Any:
    if name == "before":
        return _world().before
    if name == "after":
        return _world().after
    if name == "changes":
        from pytest_ppteval.vocabulary.allow import seen_changes

        return tuple(seen_changes(_world()))
    if name == "guards":
        return Guards()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _world() -> World:
    if find_world is None:
        raise RuntimeError("pytest_ppteval.leaf is for the code of function leaves: it works where a leaf runs")
    return find_world()
