"""A deck that is opened by what it shares with another is the deck that it would be otherwise."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from deck_edits import deck_bytes, rezipped

from pytest_ppteval.deck.diff import compare, compare_sides
from pytest_ppteval.deck.guard import DeckRejected, check
from pytest_ppteval.deck.known import KnownDeck
from pytest_ppteval.deck.opening import open_deck

if TYPE_CHECKING:
    from collections.abc import Callable

DECKS = ("text", "shapes")


def edited(name: str, edit: str) -> bytes:
    deck = open_deck(deck_bytes(name))
    if edit == "text":
        deck.slides[0].shapes[0].text_frame.text = "Other words"
    elif edit == "slide added":
        deck.slides.add_slide(deck.slide_layouts[0])
    elif edit == "slide removed":
        item = deck.slides._sldIdLst[0]
        deck.part.drop_rel(item.rId)
        deck.slides._sldIdLst.remove(item)
    elif edit == "notes":
        deck.slides[0].notes_slide.notes_text_frame.text = "Say this"
    saved = BytesIO()
    deck.save(saved)
    return saved.getvalue()


@pytest.mark.parametrize("edit", ["nothing", "text", "slide added", "slide removed", "notes"])
@pytest.mark.parametrize("name", DECKS)
def test_same_diff_and_same_parts(name: str, edit: str) -> None:
    before, after = edited(name, "nothing"), edited(name, edit)
    known = KnownDeck(before)
    known.settle()
    presentation, side = known.open(after)
    plain = open_deck(after)
    diff, account = compare_sides(known.side, side, lambda: account())
    assert diff.to_dict() == compare(open_deck(before), plain).to_dict()

    def parts(deck: object) -> dict[str, tuple[str, bytes, list[str]]]:
        package = deck.part.package  # type: ignore[attr-defined]  # of python-pptx
        return {p.partname: (p.content_type, p.blob, sorted(p.rels.keys())) for p in package.iter_parts()}

    assert parts(presentation) == parts(plain)


def change_numbers(parts: dict[str, bytes], name: str) -> None:
    parts[name] = re.sub(rb'"(\d+)"', lambda match: b'"%d"' % (int(match[1]) + 1), parts[name])


def swap_relations(parts: dict[str, bytes], name: str) -> None:
    parts[name] = parts[name].replace(b"rId1", b"x").replace(b"rId2", b"rId1").replace(b'"x"', b'"rId2"')


def stands_beside(parts: dict[str, bytes], name: str) -> None:
    parts[f"{name}.new"] = parts[name]


@pytest.mark.parametrize(
    "change",
    [
        change_numbers,
        lambda parts, name: parts.pop(name),
        # Each part of a deck in turn: two seconds each.
        pytest.param(swap_relations, marks=pytest.mark.slow),
        pytest.param(stands_beside, marks=pytest.mark.slow),
        pytest.param(lambda parts, name: parts.update({name: parts[name] + b"\n"}), marks=pytest.mark.slow),
        pytest.param(
            lambda parts, name: parts.update({name: parts[name].replace(b"slide1", b"slide2")}),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_any_part_may_differ(change: Callable[[dict[str, bytes], str], object]) -> None:
    """The same diff, or the same reason for which the deck is refused."""
    before = rezipped(deck_bytes("comments"), lambda parts: None)
    with zipfile.ZipFile(BytesIO(before)) as archive:
        names = archive.namelist()

    def alone(after: bytes) -> object:
        check(after)
        return compare(open_deck(before), open_deck(after)).to_dict()

    def beside(after: bytes) -> object:
        known = KnownDeck(before)
        known.settle()
        _, side = known.open(after)
        diff, account = compare_sides(known.side, side, lambda: account())
        return diff.to_dict()

    def found(ask: Callable[[bytes], object], after: bytes) -> object:
        try:
            return ask(after)
        except DeckRejected as reason:
            return str(reason)

    for name in names:
        after = rezipped(before, lambda parts, name=name: change(parts, name))  # type: ignore[misc]
        assert found(beside, after) == found(alone, after), name


def test_the_two_decks_share_no_element() -> None:
    known = KnownDeck(deck_bytes("text"))
    presentation, _ = known.open(deck_bytes("text"))
    title = known.presentation.slides[0].shapes[0].text_frame
    before = title.text
    presentation.slides[0].shapes[0].text_frame.text = "changed"
    assert title.text == before


def test_a_part_is_checked_unless_its_very_bytes_were() -> None:
    """The unchanged parts are known to be harmless; the changed one is not."""
    data = deck_bytes("text")

    def spoil(parts: dict[str, bytes]) -> None:
        parts["ppt/slides/slide1.xml"] = b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + parts["ppt/slides/slide1.xml"]

    bad = rezipped(data, spoil)
    known = KnownDeck(rezipped(data, lambda parts: None))
    with pytest.raises(DeckRejected) as alone:
        check(bad)
    with pytest.raises(DeckRejected) as beside:
        known.open(bad)
    assert str(beside.value) == str(alone.value)


def test_a_damaged_record_is_not_taken_for_the_one_it_was() -> None:
    data = rezipped(deck_bytes("text"), lambda parts: None)
    at = data.index(b"ppt/slides/slide1.xml") + 60
    damaged = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
    with pytest.raises(DeckRejected, match="slide1"):
        KnownDeck(data).open(damaged)
