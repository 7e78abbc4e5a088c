"""What differs between two decks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_ppteval.deck.account import LazyAccount
from pytest_ppteval.deck.accounting import account_of
from pytest_ppteval.deck.align import align_animations, is_changed, moved
from pytest_ppteval.deck.animation import read_animations
from pytest_ppteval.deck.deckwide import all_designs, changed_parts
from pytest_ppteval.deck.guard import CAPS, DeckRejected, read_deck
from pytest_ppteval.deck.model import PowerPointDiff
from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.parts import kind_of, same, shown_relation
from pytest_ppteval.deck.side import Side
from pytest_ppteval.deck.slides import is_hidden, layout_name, layout_part, notes_part, notes_text, read_slide
from pytest_ppteval.deck.transition import read_transition

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from pptx.opc.package import Part
    from pptx.presentation import Presentation

    from pytest_ppteval.deck.account import Account
    from pytest_ppteval.deck.guard import Caps
    from pytest_ppteval.deck.model import AnimationEffect, Slide
    from pytest_ppteval.deck.opening import SlidePart


def compare_files(before: str | os.PathLike[str], after: str | os.PathLike[str], caps: Caps = CAPS) -> PowerPointDiff:
    """What differs between the decks at two paths. Raises DeckRejected, with the path, for a deck that is refused."""
    old, new = _read(before, caps), _read(after, caps)
    deck = _open(before, old)
    return PowerPointDiff.empty() if old == new else compare(deck, _open(after, new))


def _read(path: str | os.PathLike[str], caps: Caps) -> bytes:
    try:
        return read_deck(path, caps)
    except DeckRejected as reason:
        raise DeckRejected(f"{path} {reason}") from None


def _open(path: str | os.PathLike[str], data: bytes) -> Presentation:
    try:
        return open_deck(data)
    except DeckRejected as reason:
        raise DeckRejected(f"{path} {reason}") from None


def compare(before: Presentation, after: Presentation) -> PowerPointDiff:
    """What differs between two open decks. Changes neither of them, in memory either.

    Raises DeckRejected where a deck lists a slide that it does not hold.
    """
    comparison = _Comparison(Side(before), Side(after))
    diff = comparison.run()
    diff.account.changes.extend(comparison.account().changes)
    return diff


def compare_sides(
    before: Side, after: Side, account: Callable[[], Account]
) -> tuple[PowerPointDiff, Callable[[], Account]]:
    """As `compare`, of two decks that are being read. `account` is called for the account if anybody looks at it.

    Also the function that works the account out from the two decks, while they are still what they were.
    """
    comparison = _Comparison(before, after)
    return replace(comparison.run(), account=LazyAccount(account)), comparison.account


class _Comparison:
    def __init__(self, before: Side, after: Side) -> None:
        self.before = before
        self.after = after
        self.designs = all_designs(before, after)
        self.layouts = {id(old.part): new.part for old, new in self.designs.items()}
        self.diff = PowerPointDiff.empty()
        self.modified: list[tuple[SlidePart, SlidePart]] = []

    def run(self) -> PowerPointDiff:
        old, new = self.before.slides, self.after.slides
        both = [key for key in new if key in old]
        for key, slide in new.items():
            if key not in old:
                self.diff.added_slides.append(self._slide(self.after, slide))
                self._animations(None, slide)
                self._transition(None, slide)
        for key, slide in old.items():
            if key not in new:
                self.diff.removed_slides.append(self._slide(self.before, slide))
                self._animations(slide, None)
                self._transition(slide, None)
        for key in both:
            self._common(old[key], new[key])
        for key in moved([key for key in old if key in new], both):
            self.diff.moved_slides.append((self._slide(self.before, old[key]), self._slide(self.after, new[key])))
        pairs = [(old[key], new[key]) for key in both]
        self.diff.changed_parts.extend(changed_parts(self.before, self.after, self.designs, pairs))
        return self.diff

    def account(self) -> Account:
        """The account of the diff that `run` found."""
        return account_of(self.diff, self.before, self.after, self.modified)

    def _slide(self, side: Side, slide: SlidePart) -> Slide:
        return read_slide(slide, side.reader)

    def _common(self, old: SlidePart, new: SlidePart) -> None:
        """A slide that both decks have."""
        changes = []
        if not same(self.before.reader, old.part, self.after.reader, new.part):
            changes.extend(self._content_changes(old, new))
            self._animations(old, new)
            self._transition(old, new)
        if self._notes_changed(old.part, new.part):
            changes.append("notes")
        if self._layout_changed(old.part, new.part):
            changes.append("layout")
        if changes:
            self.modified.append((old, new))
            self.diff.modified_slides.append((self._slide(self.before, old), self._slide(self.after, new)))
            self.diff.slide_changes[new.slide_id] = changes

    def _content_changes(self, old: SlidePart, new: SlidePart) -> list[str]:
        """What kind of difference there is between two slides whose digests differ."""
        changes = []
        if is_hidden(old.element) != is_hidden(new.element):
            changes.append("hidden")
        if _own_content(self.before, old) != _own_content(self.after, new):
            changes.insert(0, "content")
        return changes or ["related"]

    def _notes_changed(self, old: Part, new: Part) -> bool:
        if self.after.reader.equals(notes_part(new), notes_part(old)):
            return False
        return notes_text(old) != notes_text(new)

    def _layout_changed(self, old: Part, new: Part) -> bool:
        """Whether the slide follows another layout; not whether that layout changed."""
        was, now = layout_part(old), layout_part(new)
        if was is None or now is None:
            return was is not now
        return self.layouts[id(was)] is not now if id(was) in self.layouts else layout_name(old) != layout_name(new)

    def _animations(self, old: SlidePart | None, new: SlidePart | None) -> None:
        before, after = _effects(self.before, old), _effects(self.after, new)
        for was, now, has_moved in align_animations(before, after):
            if was is None and now is not None:
                self.diff.added_animations.append(now)
            elif was is not None and now is None:
                self.diff.removed_animations.append(was)
            elif was is not None and now is not None and (has_moved or is_changed(was, now)):
                self.diff.modified_animations.append((was, now))

    def _transition(self, old: SlidePart | None, new: SlidePart | None) -> None:
        was = read_transition(old.slide_id, old.element) if old is not None else None
        now = read_transition(new.slide_id, new.element) if new is not None else None
        if was is None and now is not None:
            self.diff.added_transitions.append(now)
        elif was is not None and now is None:
            self.diff.removed_transitions.append(was)
        elif was is not None and now is not None and was != now:
            self.diff.modified_transitions.append((was, now))


def _effects(side: Side, slide: SlidePart | None) -> list[AnimationEffect]:
    return read_animations(slide.slide_id, slide.element, side.reader.resolver(slide.part)) if slide is not None else []


def _own_content(side: Side, slide: SlidePart) -> bytes:
    """The slide's XML where it does not matter what its relations lead to, nor whether it is shown."""

    def relation(relation_id: str) -> str:
        found = shown_relation(slide.part, relation_id)
        return "" if found is None else found.target_ref if found.is_external else kind_of(found)

    return side.reader.walked(slide.part, slide.element).data(relation, with_extra=False)
