"""Whatever is changed anywhere in a deck, the account names it where it is, or it is proven that nobody can see it.

deck_fuzz.py changes, adds or removes one thing at a time. A mutant that the account does not name is drawn by
LibreOffice and must look as the deck did. What LibreOffice does not draw (timing, transitions, links, media) must be
named in any case, but for what is on the closed list of invisible.py.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deck_edits import DECKS, OPENABLE, SHARED
from deck_fuzz import OPENING_ERRORS, Mutation, Subject, unsaid

from pytest_ppteval.deck.invisible import ELEMENTS, EMPTY, IDENTITIES, MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable

SUITE = Path(__file__).parents[1] / "cases" / "decks"
OWN = [*(DECKS / f"{name}.pptx" for name in OPENABLE), *sorted(SUITE.glob("*.pptx"))]
MANIFEST = SHARED / "manifest.json"
CORPUS = [
    SHARED / entry["file"]
    for entry in (json.loads(MANIFEST.read_text()) if MANIFEST.exists() else [])
    if entry["python_pptx"] == "ok" and 0 < entry["slides"] <= 12 and (SHARED / entry["file"]).stat().st_size < 260_000
]
# What stands in for a picture where none is drawn: sites of the closed list, and what follows from it.
_ANYWHERE = {*MARKS, *(name.removeprefix("c:") for name in ELEMENTS)}
_EMPTY = {name.removeprefix("c:") for name in EMPTY}
_FOLLOWS = re.compile(
    r"""/extLst(/ext(/@uri)?)?$      # an extension whose only content is on the list
      | /fld/(t(/text\(\))?|@id)$   # what a field computed
      | /endParaRPr(/|$)            # of a paragraph that has words
      | /(lvl\dpPr|lstStyle|bodyPr|r)$ # empty ones, of an empty text body too
      | /txBody(/p)?$|@tooltip$|sld/timing$  # empty ones, too: a tree of time nodes in which nothing acts
      | @Ignorable$                 # which prefixes a reader may pass over
      | Relationships/Relationship  # nothing refers to it
      | tblStyleLst/                # no table has it
      | cmAuthor/@(lastIdx|clrIdx)|presenceInfo/  # how many comments there were, by which account
      | cTn/@(id|grpId)$            # the number of a time node that nothing refers to
    """,
    re.X,
)


def unnamed(files: Iterable[Path], count: int, seed: str) -> tuple[list[tuple[Path, Mutation, bytes]], int]:
    """The mutants of decks that no word of the account names, and how many mutants there were that open."""
    found, made = [], 0
    for file in files:
        subject = Subject(file.read_bytes())
        for mutation, data in subject.mutants(f"{file.name} {seed}", count):
            try:
                said = unsaid(subject, mutation, data)
            except OPENING_ERRORS:
                continue
            made += 1
            if said is not None:
                found.append((file, mutation, data))
    return found, made


def is_listed(mutation: Mutation) -> bool:
    """Whether the site is one of the closed list, or can do nothing because of it."""
    site = mutation.site.partition(": ")[0]
    steps = [step.lstrip("@") for step in site.split("/")]
    identity = tuple(steps[-2:]) in IDENTITIES or (steps[-2:-1] == ["cNvPr"] and steps[-1] == "id")
    return bool(_ANYWHERE & {*steps} or identity or steps[-1] in _EMPTY or _FOLLOWS.search(site))


def test_a_sample_of_mutants_is_named_or_on_the_list() -> None:
    found, made = unnamed(OWN, 12, "sample")
    assert made > 100
    assert [str(mutation) for _, mutation, _ in found if not is_listed(mutation)] == []
    assert len(found) < made / 10  # the list is no loophole


@pytest.mark.slow  # draws, and makes some thousand mutants
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
@pytest.mark.skipif(not CORPUS, reason="needs ../shared/data/decks beside the checkout")
def test_what_is_not_named_looks_the_same(tmp_path: Path) -> None:
    found, made = unnamed([*OWN, *CORPUS], 60, "drawn")
    assert made > 3_000
    assert [str(mutation) for _, mutation, _ in found if plays(mutation) and not is_listed(mutation)] == []
    # A language says with which glyphs some programs draw Chinese and Japanese, and comes with any keyboard.
    found = [one for one in found if "@lang" not in one[1].site and "@altLang" not in one[1].site]
    kinds = {(re.sub(r"-?\d+|\{[^}]*\}", "N", str(mutation))): (file, data) for file, mutation, data in found}
    assert differing(kinds, tmp_path) == []


def plays(mutation: Mutation) -> bool:
    return bool(re.search(r"/(timing|transition|hlink\w+|\w+File|cMediaNode)(/|$)", mutation.site))


def differing(mutants: dict[str, tuple[Path, bytes]], folder: Path) -> list[str]:
    """Which mutants LibreOffice draws otherwise than their decks."""
    sources = sorted({file for file, _ in mutants.values()})
    (folder / "in").mkdir()
    for number, file in enumerate(sources):
        shutil.copy(file, folder / "in" / f"deck{number}.pptx")
    for number, (_, data) in enumerate(mutants.values()):
        (folder / "in" / f"mutant{number}.pptx").write_bytes(data)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    files = sorted((folder / "in").iterdir())
    for start in range(0, len(files), 40):
        command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder / "out")]
        subprocess.run([*command, *files[start : start + 40]], check=True, capture_output=True, timeout=1200)
    wrong = []
    for number, (name, (file, _)) in enumerate(mutants.items()):
        before, after = folder / "out" / f"deck{sources.index(file)}.pdf", folder / "out" / f"mutant{number}.pdf"
        # A mutant that LibreOffice does not open has no look to compare.
        if before.exists() and after.exists() and not look_alike(before, after):
            wrong.append(name)
    return wrong


def look_alike(one: Path, other: Path) -> bool:
    import numpy as np
    import pypdfium2

    documents = pypdfium2.PdfDocument(one), pypdfium2.PdfDocument(other)
    if len(documents[0]) != len(documents[1]):
        return False
    for page in range(len(documents[0])):
        before, after = (doc[page].render(scale=0.6).to_numpy().astype(np.int16) for doc in documents)
        if before.shape != after.shape or int(abs(before - after).max()) > 24:
            return False
    return True
