"""On every deck of the corpus that opens: each edit yields its diff and nothing else. Needs shared/data/decks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from corpus_edits import EDITS, NotHereError
from deck_edits import SHARED, counts, diff_bytes, drop_slide, edited

if TYPE_CHECKING:
    from pptx.presentation import Presentation

MANIFEST = SHARED / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else []
DECKS = [entry["file"] for entry in ENTRIES if entry["python_pptx"] == "ok" and entry["slides"]]

pytestmark = [
    pytest.mark.skipif(not DECKS, reason="needs shared/data/decks beside the checkout"),
    pytest.mark.slow,  # opens each of 110 decks some fifty times
]


@pytest.mark.parametrize("file", DECKS)
def test_each_edit_and_nothing_else(file: str) -> None:
    before = (SHARED / file).read_bytes()
    wrong, made = [], 0
    for edit in EDITS:
        try:
            after = edited(before, edit.make)
        except NotHereError:
            continue
        made += 1
        if said := edit.wrong_in(diff_bytes(before, after)):
            wrong.append(said)
    assert wrong == []
    assert made >= 7  # what any slide allows: a shape, a picture, a slide or two, hiding, a transition, an animation


def remove_first(deck: Presentation) -> None:
    drop_slide(deck, 0)


@pytest.mark.parametrize("file", [entry["file"] for entry in ENTRIES if entry["file"] in DECKS and entry["slides"] > 1])
def test_what_went_with_a_slide_is_its_own(file: str) -> None:
    """Its animations and transition; links to it from other slides lead nowhere now."""
    before = (SHARED / file).read_bytes()
    gone = diff_bytes(before, edited(before, remove_first))
    assert counts(gone)["removed_slides"] == 1
    slides = {item.slide_id for item in gone.removed_animations + gone.removed_transitions}
    assert slides <= {gone.removed_slides[0].slide_id}
    assert not gone.added_slides + gone.moved_slides + gone.changed_parts
