"""Deck leaves, judged in the process that holds the decks: our own code, so they need no process of their own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_ppteval.vocabulary.finding import LeafError

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.channel import Message
    from pytest_ppteval.sandbox.inside.decks import Decks
    from pytest_ppteval.vocabulary.world import World

_MOST_REASON = 4_000  # characters


def judge_message(leaves: object, decks: Decks) -> Message:
    """What deck leaves give, for the host: for each its score, reason and seconds, or why there is none."""
    return {"t": "judged", "results": judged(leaves, decks)}


def judged(leaves: object, decks: Decks) -> list[dict[str, object]]:
    """For each leaf: {"score", "reason", "seconds"}, or {"why", "seconds"} where it can't be judged."""
    from pytest_ppteval.vocabulary.judge import judge

    assert isinstance(leaves, list)
    found: list[dict[str, object]] = []
    for leaf in leaves:
        started = time.perf_counter()
        try:
            reason, score = judge(leaf, world_of(decks))
            result: dict[str, object] = {"score": score, "reason": reason[:_MOST_REASON]}
        except LeafError as error:
            result = {"why": str(error)[:_MOST_REASON]}
        except (
            LookupError,
            RecursionError,
            MemoryError,
            ArithmeticError,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:
            result = {"why": f"{type(error).__name__}: {error}"[:_MOST_REASON]}
        found.append({**result, "seconds": time.perf_counter() - started})
    return found


_worlds: dict[int, tuple[Decks, World]] = {}


def world_of(decks: Decks) -> World:
    """The looks of the two decks, read once."""
    known = _worlds.get(id(decks))
    if known is None:
        from pytest_ppteval.vocabulary.making import make_world

        world = make_world(decks.sides(), decks.presentations(), decks.diff(), lambda: decks.diff().account)
        _worlds.clear()
        known = _worlds[id(decks)] = decks, world
    return known[1]
