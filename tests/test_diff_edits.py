"""Each kind of edit yields exactly its diff and nothing else, on the decks of tests/data and of the shipped suite.

test_diff_corpus.py makes the same edits on every deck of a corpus.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_edits import EDITS, Edit, NotHereError
from deck_edits import DECKS, OPENABLE, diff_bytes, edited

SUITE = Path(__file__).parents[1] / "cases" / "decks"
FILES = [*(DECKS / f"{name}.pptx" for name in OPENABLE), *sorted(SUITE.glob("*.pptx"))]


@pytest.mark.parametrize("edit", EDITS, ids=[edit.make.__name__ for edit in EDITS])
def test_an_edit_and_nothing_else(edit: Edit) -> None:
    wrong, made = [], 0
    for file in FILES:
        before = file.read_bytes()
        try:
            after = edited(before, edit.make)
        except NotHereError:
            continue
        made += 1
        if said := edit.wrong_in(diff_bytes(before, after)):
            wrong.append(f"{file.name}: {said}")
    assert wrong == []
    assert made >= 3
