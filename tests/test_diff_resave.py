"""A deck that was only opened and saved again has an empty diff."""

from __future__ import annotations

import io
import json
import zipfile
from io import BytesIO

import pytest
from deck_edits import DECKS, OPENABLE, SHARED, deck_bytes, diff_bytes, edited, saved
from pptx import Presentation

from pytest_ppteval.deck.diff import compare, compare_files
from pytest_ppteval.deck.guard import DeckRejected, read_deck
from pytest_ppteval.deck.model import PowerPointDiff
from pytest_ppteval.deck.opening import open_deck

MANIFEST = SHARED / "manifest.json"
CORPUS = [entry["file"] for entry in json.loads(MANIFEST.read_text())] if MANIFEST.exists() else []


def resave(data: bytes) -> bytes:
    # `.slides` renames every slide's part, as any program that looks at the slides does.
    return edited(data, lambda deck: list(deck.slides))


@pytest.mark.parametrize("name", OPENABLE)
def test_resaved_deck_has_an_empty_diff(name: str) -> None:
    before = deck_bytes(name)
    diff = diff_bytes(before, resave(before))
    assert diff == PowerPointDiff.empty()
    assert diff.is_empty


@pytest.mark.skipif(not CORPUS, reason="needs shared/data/decks beside the checkout")
@pytest.mark.parametrize("file", CORPUS)
def test_resaved_deck_of_the_corpus_has_an_empty_diff(file: str) -> None:
    try:
        data = read_deck(SHARED / file)
    except DeckRejected:
        with pytest.raises(Exception):  # noqa: B017 - python-pptx raises whatever its innards raise
            Presentation(BytesIO((SHARED / file).read_bytes()))
        return  # the guard refuses exactly what python-pptx cannot open
    assert diff_bytes(data, resave(data)) == PowerPointDiff.empty()


@pytest.mark.parametrize("name", OPENABLE)
def test_comparing_changes_neither_deck_in_memory(name: str) -> None:
    """`Presentation.slides` renames parts and `slide.notes_slide` makes notes pages; the diff may use neither."""
    before, after = open_deck(deck_bytes(name)), open_deck(deck_bytes(name))
    unread = members(saved(open_deck(deck_bytes(name))))
    compare(before, after)
    assert members(saved(before)) == unread
    assert members(saved(after)) == unread


def members(data: bytes) -> dict[str, bytes]:
    """The parts of a deck; a zip's time stamps are not the deck's."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_compare_files_takes_paths() -> None:
    path = DECKS / "text.pptx"
    assert compare_files(path, str(path)).is_empty


def test_a_refused_deck_is_named() -> None:
    with pytest.raises(DeckRejected, match=r"strict\.pptx is Strict Open XML"):
        compare_files(DECKS / "text.pptx", DECKS / "strict.pptx")
