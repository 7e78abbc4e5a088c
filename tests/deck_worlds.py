"""A deck before and after an edit, as deck leaves are judged on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deck_edits import edited

from pytest_ppteval.deck.account import Account
from pytest_ppteval.deck.diff import compare_sides
from pytest_ppteval.deck.guard import check
from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.vocabulary.judge import judge
from pytest_ppteval.vocabulary.making import make_world

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.vocabulary.world import World

FERRY = (Path(__file__).parents[1] / "cases" / "decks" / "ferry_review.pptx").read_bytes()


def world_of(before: bytes, after: bytes) -> World:
    """What leaves see of the two decks."""
    check(before)
    check(after)
    decks = open_deck(before), open_deck(after)
    sides = Side(decks[0]), Side(decks[1])
    diff, account = compare_sides(*sides, Account)
    return make_world(sides, decks, diff, account)


def judged(edit: Callable[[Any], object], leaf: dict[str, Any], before: bytes = FERRY) -> tuple[str, float]:
    """The reason and score of a leaf on the deck as python-pptx saves it after `edit`."""
    return judge(leaf, world_of(before, edited(before, edit)))
