"""What leaves are judged on: the two looks of a task's decks, and who is who in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_ppteval.look.match import match_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_ppteval.deck.account import Account
    from pytest_ppteval.look.model import Deck, Shape, Slide

Fault = tuple[str, str]


class World:
    """before, after: the looks. account, faults: make the account of changes, and what PowerPoint would repair in the
    new file alone, when they are first asked for. residue: what looks don't tell of a change, see Residues.between.
    """

    def __init__(
        self,
        before: Deck,
        after: Deck,
        account: Callable[[], Account],
        faults: Callable[[], Sequence[Fault]] = tuple,
        residue: Callable[[str, str, str], Sequence[str]] = lambda *_: ["?"],
    ) -> None:
        self.before, self.after = before, after
        self._account, self._faults, self.residue = account, faults, residue
        self._pairs: dict[str, dict[int, Shape]] = {}
        self._old_ids: dict[str, dict[int, Shape]] = {}

    @cached_property
    def account(self) -> Account:
        """What differs between the decks' parts."""
        return self._account()

    @cached_property
    def new_faults(self) -> list[Fault]:
        """What PowerPoint would repair in the new file and not in the original, as (kind, words)."""
        return list(self._faults())

    def was(self, slide: Slide) -> Slide | None:
        """The slide of the original that a slide of the new deck was; None where it is new."""
        return self.before.by_id(slide.id)

    def now(self, slide: Slide) -> Slide | None:
        """The slide of the new deck that one of the original has become; None where it is gone."""
        return self.after.by_id(slide.id)

    def shape_was(self, slide: Slide, shape: Shape) -> Shape | None:
        """The shape of the original that a shape of the new deck was; None where it is new."""
        return self._matched(slide).get(id(shape))

    def shape_now(self, slide: Slide, shape: Shape) -> Shape | None:
        """The shape of the new deck that one of the original has become. slide: of the original."""
        if slide.id not in self._old_ids:
            new = self.now(slide)
            pairs = self._matched(new) if new is not None else {}
            by_old: dict[int, Shape] = {}
            for other in new.shapes if new is not None else ():
                if id(other) in pairs:
                    by_old[id(pairs[id(other)])] = other
            self._old_ids[slide.id] = by_old
        return self._old_ids[slide.id].get(id(shape))

    def _matched(self, slide: Slide) -> dict[int, Shape]:
        if slide.id not in self._pairs:
            old = self.was(slide)
            if old is slide:  # known not to have changed
                self._pairs[slide.id] = {id(shape): shape for shape in slide.shapes}
                return self._pairs[slide.id]
            self._pairs[slide.id] = match_shapes(old.shapes, slide.shapes) if old is not None else {}
        return self._pairs[slide.id]
