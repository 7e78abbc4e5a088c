"""Decks that are named at the command line, opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.guard import DeckRejected, read_deck
from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.read import look_at

if TYPE_CHECKING:
    from pptx.presentation import Presentation

    from pytest_ppteval.look.model import Deck
    from pytest_ppteval.vocabulary.world import World


def open_side(path: str) -> Side:
    """The deck at a path. Raises ValueError, with the path, for one that is refused."""
    return Side(_open(path))


def open_look(path: str) -> Deck:
    """What a viewer sees of the deck at a path. Raises as `open_side`."""
    return look_at(open_side(path))


def open_world(before: str, after: str) -> World:
    """The decks at two paths, as leaves see them. Raises as `open_side`."""
    from pytest_ppteval.deck.account import Account
    from pytest_ppteval.deck.diff import compare_sides
    from pytest_ppteval.vocabulary.making import make_world

    decks = _open(before), _open(after)
    sides = Side(decks[0]), Side(decks[1])
    diff, account = compare_sides(*sides, Account)
    return make_world(sides, decks, diff, account)


def _open(path: str) -> Presentation:
    try:
        return open_deck(read_deck(path))
    except DeckRejected as reason:
        raise ValueError(f"{path} {reason}") from None
