"""On every deck of the corpus that opens: each edit yields its diff and nothing else. Needs shared/data/decks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from deck_edits import SHARED, counts, diff_bytes, drop_slide, edited, move_slide, put, root, xml
from lxml import etree
from pptx.util import Emu, Inches

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

MANIFEST = SHARED / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else []
DECKS = [entry["file"] for entry in ENTRIES if entry["python_pptx"] == "ok" and entry["slides"]]

pytestmark = [
    pytest.mark.skipif(not DECKS, reason="needs shared/data/decks beside the checkout"),
    pytest.mark.slow,  # opens each of 110 decks some twenty times
]


def add_textbox(deck: Presentation) -> None:
    deck.slides[0].shapes.add_textbox(Emu(0), Emu(0), Inches(1), Inches(1)).text_frame.text = "New text"


def hide_or_show(deck: Presentation) -> None:
    slide = root(deck.slides[0])
    slide.set("show", "1" if slide.get("show") == "0" else "0")


def add_slide(deck: Presentation) -> None:
    deck.slides.add_slide(deck.slides[0].slide_layout)
    move_slide(deck, len(deck.slides) - 1, 0)


def remove_first(deck: Presentation) -> None:
    drop_slide(deck, 0)


def move_first_to_the_end(deck: Presentation) -> None:
    move_slide(deck, 0, len(deck.slides) - 1)


def write_note(deck: Presentation) -> None:
    page: Any = deck.slides[0].notes_slide
    a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    body = next(iter(page._element.iter(f"{a}p")), None)
    if body is None:
        pytest.skip("this deck's notes pages have no text")
    run = etree.SubElement(body, f"{a}r")
    etree.SubElement(run, f"{a}t").text = "A note nobody wrote before"


def transition(deck: Presentation) -> None:
    put(deck.slides[0], '<p:transition spd="slow"><p:pull dir="rd"/></p:transition>')


def animation(deck: Presentation) -> None:
    """One more effect, in front of all others, in a sequence of its own making where there is none."""
    slide = root(deck.slides[0])
    p = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
    effect = (
        '<p:par><p:cTn id="90001" presetID="10" presetClass="entr" presetSubtype="0" nodeType="clickEffect">'
        '<p:childTnLst><p:animEffect transition="in" filter="fade"><p:cBhvr><p:cTn id="90002" dur="777"/>'
        '<p:tgtEl><p:spTgt spid="1"/></p:tgtEl></p:cBhvr></p:animEffect></p:childTnLst></p:cTn></p:par>'
    )
    main = next((node for node in slide.iter(f"{p}cTn") if node.get("nodeType") == "mainSeq"), None)
    children = main.find(f"{p}childTnLst") if main is not None else None
    if children is None:
        put(
            deck.slides[0],
            '<p:timing><p:tnLst><p:par><p:cTn id="90003" nodeType="tmRoot"><p:childTnLst><p:seq><p:cTn id="90004" '
            f'nodeType="mainSeq"><p:childTnLst>{effect}</p:childTnLst></p:cTn></p:seq></p:childTnLst></p:cTn></p:par>'
            "</p:tnLst></p:timing>",
        )
    else:
        children.insert(0, xml(effect))


@pytest.mark.parametrize("file", DECKS)
def test_each_edit_and_nothing_else(file: str) -> None:
    before = (SHARED / file).read_bytes()
    slides = next(entry["slides"] for entry in ENTRIES if entry["file"] == file)

    def diff(edit: Callable[[Presentation], object]) -> Any:
        return diff_bytes(before, edited(before, edit))

    for edit, what in ((add_textbox, "content"), (hide_or_show, "hidden"), (write_note, "notes")):
        found = diff(edit)
        assert counts(found) == {"modified_slides": 1}, edit
        assert list(found.slide_changes.values()) == [[what]]
        assert len(found.account.changes) == 1
    assert counts(diff(add_slide)) == {"added_slides": 1}
    if slides > 1:
        assert counts(diff(move_first_to_the_end)) == {"moved_slides": 1}
        gone = diff(remove_first)
        assert counts(gone).pop("removed_slides") == 1
        # What went with the slide is its own; links to it from other slides lead nowhere now.
        assert {item.slide_id for item in gone.removed_animations + gone.removed_transitions} <= {
            gone.removed_slides[0].slide_id
        }
        assert not gone.added_slides + gone.moved_slides + gone.changed_parts
    found = diff(animation)
    assert counts(found) == {"added_animations": 1, "modified_slides": 1}
    assert (found.added_animations[0].duration, found.added_animations[0].order) == (0.777, 0)
    found = diff(transition)
    assert set(counts(found)) in ({"added_transitions", "modified_slides"}, {"modified_transitions", "modified_slides"})
    assert [change.what for change in found.account.changes] == ["transition"]
