"""What LibreOffice saves anew: it writes everything else differently, but text that is equal as data is no difference.

Decks are the same for all of the tests, and are converted in one go: a start of LibreOffice takes seconds.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from corpus_edits import NotHereError, edit_text
from deck_edits import DECKS, OPENABLE, SHARED, diff_bytes, edited

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.deck.model import PowerPointDiff

SUITE = Path(__file__).parents[1] / "cases" / "decks"
OWN = {file.stem: file for file in [*(DECKS / f"{name}.pptx" for name in OPENABLE), *SUITE.glob("*.pptx")]}
MANIFEST = SHARED / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else []
CORPUS = {
    entry["file"].replace("/", "_").rpartition(".")[0]: SHARED / entry["file"]
    for entry in ENTRIES
    if entry["python_pptx"] == "ok" and 0 < entry["slides"] <= 12 and entry["libreoffice_pages"]
}

pytestmark = [
    pytest.mark.slow,  # starts LibreOffice
    pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed"),
]


class Saved:
    """Decks as they are, after an edit of one text, and both as LibreOffice saves them."""

    def __init__(self, folder: Path, decks: dict[str, Path]) -> None:
        self.folder = folder
        self.before, self.after = {}, {}
        (folder / "in").mkdir()
        for name, file in decks.items():
            try:
                self.after[name] = edited(file.read_bytes(), edit_text)
            except NotHereError:
                continue
            self.before[name] = file.read_bytes()
            (folder / "in" / f"{name}.pptx").write_bytes(self.before[name])
            (folder / "in" / f"{name}.edited.pptx").write_bytes(self.after[name])
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = ["soffice", profile, "--headless", "--convert-to", "pptx:Impress MS PowerPoint 2007 XML"]
        files = sorted((folder / "in").iterdir())
        subprocess.run([*command, "--outdir", folder / "out", *files], check=True, capture_output=True, timeout=1200)

    def anew(self, name: str) -> bytes:
        return (self.folder / "out" / f"{name}.pptx").read_bytes()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    return Saved(tmp_path_factory.mktemp("own"), OWN)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    return Saved(tmp_path_factory.mktemp("corpus"), CORPUS)


def texts(diff: PowerPointDiff) -> list[tuple[int | None, str]]:
    """What is said of texts: the slide's number and what was there and is there now, without the words around them."""
    changes = [change for change in diff.account.changes if change.what == "text"]
    return [
        (change.slide_number, change.detail[change.detail.find("[-") : change.detail.rfind("+}")]) for change in changes
    ]


def titles(diff: PowerPointDiff) -> Iterable[tuple[str | None, str | None]]:
    return [(before.title, after.title) for before, after in diff.modified_slides]


def test_a_text_edited_is_the_same_edit_where_libreoffice_has_saved_both_decks(own: Saved) -> None:
    assert len(own.before) == len(OWN)
    for name, before in own.before.items():
        as_edited = diff_bytes(before, own.after[name])
        anew = diff_bytes(own.anew(name), own.anew(f"{name}.edited"))
        assert [change.what for change in as_edited.account.changes] == ["text"], name
        assert texts(anew) == texts(as_edited), name
        assert not anew.added_slides + anew.removed_slides + anew.moved_slides, name
        assert set(titles(as_edited)) <= set(titles(anew)) | {(None, None)}, name


@pytest.mark.skipif(not CORPUS, reason="needs shared/data/decks beside the checkout")
def test_a_text_edited_on_every_short_deck_of_the_corpus(corpus: Saved) -> None:
    assert len(corpus.before) > 50
    wrong = {}
    for name, before in corpus.before.items():
        found = texts(diff_bytes(corpus.anew(name), corpus.anew(f"{name}.edited")))
        if found != texts(diff_bytes(before, corpus.after[name])):
            wrong[name] = found
    assert wrong == {}


def test_the_account_of_a_mere_re_save_tells_of_no_text(own: Saved) -> None:
    """Shapes that LibreOffice gives other ids and names are removed and added; those it keeps have the same text."""
    for name, before in own.before.items():
        diff = diff_bytes(before, own.anew(name))
        assert not diff.added_slides + diff.removed_slides, name
        assert not any("notes" in what for what in diff.slide_changes.values()), name
        assert texts(diff) == [], name
