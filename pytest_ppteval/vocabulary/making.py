"""From two open decks to what leaves are judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.consistency import new_faults
from pytest_ppteval.deck.residue import Residues
from pytest_ppteval.look.read import look_at
from pytest_ppteval.vocabulary.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

    from pytest_ppteval.deck.account import Account
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Side
    from pytest_ppteval.look.model import Deck, Slide

# Kinds of changed parts that slides may look otherwise by, though nothing on them changed.
_FELT = ("master", "layout", "table styles", "slide size", "presentation")


def make_world(
    sides: tuple[Side, Side],
    presentations: tuple[Presentation, Presentation],
    diff: PowerPointDiff,
    account: Callable[[], Account],
    before: Deck | None = None,
) -> World:
    """The world of a task. before: the original's look, where it is known already."""
    old, new = sides
    before = before or look_at(old)
    return World(
        before,
        look_at(new, _same(before, old, diff)),
        account,
        lambda: new_faults(*presentations),
        Residues(old, new).between,
    )


def _same(before: Deck, old: Side, diff: PowerPointDiff) -> Callable[[SlidePart], Slide | None]:
    """The look of a slide of the new deck where the diff says that it can't be another than before."""
    if any(part.kind in _FELT for part in diff.changed_parts):
        return lambda _: None
    changed = {new.slide_id for _, new in diff.modified_slides}
    numbers = {slide.slide_id: slide.number for (_, turn), slide in old.slides.items() if not turn}
    sections = any(part.kind == "sections" for part in diff.changed_parts)

    def same(slide: SlidePart) -> Slide | None:
        # A slide that moved shows another number.
        if sections or slide.slide_id in changed or numbers.get(slide.slide_id) != slide.number:
            return None
        return before.slide(slide.number)

    return same
