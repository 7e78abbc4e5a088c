"""From an original and an approved deck to mutants, the same ones each time."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

from pytest_ppteval.check.mutants import equal, objects, shapes, slides, texts, undone
from pytest_ppteval.check.mutants.model import Kind, Mutant
from pytest_ppteval.deck.guard import examine
from pytest_ppteval.deck.opening import copied, load_package, open_deck, presentation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.check.mutants.shapes import Fault

SLIDE_FAULTS = (*texts.FAULTS, *shapes.FAULTS, *objects.FAULTS, *slides.FAULTS)
# Slides that were worked on, and others: more would tell the same of more places.
_MOST_HERE, _MOST_ELSEWHERE = 2, 1
# Of a kind of step that there is for each shape: a deck of which a hundred were changed is no hundred times as likely
# to be judged wrongly.
_MOST_STEPS = 12


def mutants(original: bytes, approved: bytes, worked_on: Sequence[int], seed: int = 0) -> Iterator[Mutant]:
    """All mutants. worked_on: slide ids (as numbers) of the approved deck on which something differs.

    Raises DeckRejected where one of the two can't be opened.
    """
    before, after, press = open_deck(original), open_deck(approved), _Press(approved)
    dice = random.Random(seed)
    yield from press.steps("undone", undone.undoing(before, after))
    yield from press.steps("misplaced", undone.halves(list(undone.undoing(before, after))))
    yield from press.steps("misplaced", undone.misplaced(before, after))
    yield from press.steps("spoilt", undone.spoiling(before, after))
    ids = [slide.slide_id for slide in after.slides]
    here = [one for one in ids if one in worked_on]
    others = [one for one in ids if one not in worked_on]
    elsewhere = dice.sample(others, min(_MOST_ELSEWHERE, len(others)))
    places: tuple[tuple[Kind, list[int]], ...] = (("here", here[:_MOST_HERE]), ("elsewhere", elsewhere))
    for kind, chosen in places:
        # What is told of a slide that nobody was to touch is told by one rule: half of the faults are enough to try it.
        faults = SLIDE_FAULTS if kind == "here" else tuple(dice.sample(SLIDE_FAULTS, len(SLIDE_FAULTS) // 2))
        for slide_id in chosen:
            for aspect, fault in faults:
                deck = press.deck()
                words = _tried(fault, deck.slides.get(slide_id))
                if words is not None:
                    yield Mutant(f"slide {ids.index(slide_id) + 1}: {words}", kind, aspect, deck)
    yield from press.made("elsewhere", "deck: ", slides.DECK_FAULTS)
    yield from press.made("equal", "the approved deck ", equal.EQUAL)


def _tried(fault: Any, deck: Any) -> Any:
    """What a fault says that it did; None where it can't be had of this deck.

    On decks of other programs python-pptx raises what its innards happen to raise.
    """
    try:
        return fault(deck)
    except (LookupError, AttributeError, TypeError, ValueError, NotImplementedError):
        return None


class _Press:
    """Makes copies of a deck, each to be changed by whoever asked for it."""

    def __init__(self, data: bytes) -> None:
        _, contents = examine(data)
        self._data = data
        self._package = load_package(contents.read_all())

    def deck(self) -> Any:
        """A copy."""
        package = copied(self._package)
        return presentation_of(package) if package is not None else open_deck(self._data)

    def made(self, kind: Kind, where: str, faults: Sequence[Fault]) -> Iterator[Mutant]:
        """Of faults of a whole deck."""
        for aspect, fault in faults:
            deck = self.deck()
            words = _tried(fault, deck)
            if words is not None:
                yield Mutant(f"{where}{words}", kind, aspect, deck)

    def steps(self, kind: Kind, steps: Iterator[undone.Step]) -> Iterator[Mutant]:
        """Of steps back, the first of them."""
        told: dict[str, int] = {}
        for aspect, words, step in itertools.islice(steps, _MOST_STEPS):
            deck = self.deck()
            if _tried(step, deck):
                told[words] = told.get(words, 0) + 1
                again = f" ({told[words]})" if told[words] > 1 else ""
                yield Mutant(words + again, kind, aspect, deck)
