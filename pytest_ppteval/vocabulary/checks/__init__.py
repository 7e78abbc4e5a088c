"""The checks of the vocabulary, one a module named after its word: `check(want, spots, world)` yields points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.finding import Point
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

NAMES = (
    "text", "format", "bullets", "place", "picture", "table", "chart", "order", "link", "notes", "animation",
    "transition", "slide", "footer", "document",
)  # fmt: skip


class Check(Protocol):
    """What each module of this folder offers."""

    def check(self, want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
        """What is right and wrong of the places `spots`. Raises LeafError for a `want` that makes no sense."""


def unknown_key(name: str, want: Any, known: tuple[str, ...]) -> None:
    """Raise LeafError where `want` is no mapping, or has a key that is not known."""
    from difflib import get_close_matches

    from pytest_ppteval.vocabulary.finding import LeafError

    if not isinstance(want, dict):
        raise LeafError(f"{name}: a mapping is wanted, not {want!r}")
    for key in want:
        if key not in known:
            near = get_close_matches(str(key), known, 1)
            raise LeafError(
                f"{name}: unknown key {key!r}: " + (f"did you mean {near[0]!r}?" if near else f"use {', '.join(known)}")
            )
