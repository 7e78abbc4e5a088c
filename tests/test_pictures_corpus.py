"""Real decks: each one that opens is drawn, every slide of it, or refused with a reason; none hangs.

The default run takes each eighth deck; PPTEVAL_CORPUS=all takes all (LibreOffice: about three minutes on two cores).
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from renderers_here import RENDERERS, needs

from pytest_ppteval.picture.files import Facts
from pytest_ppteval.picture.studio import WIDTH, PicturesUnavailable, Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

DECKS = Path(__file__).parents[1] / ".." / "shared" / "data" / "decks"
MANIFEST = DECKS / "manifest.json"


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(MANIFEST.read_text("utf-8")) if MANIFEST.exists() else []
    return found if os.environ.get("PPTEVAL_CORPUS") == "all" else found[4::8]


@pytest.mark.slow  # draws dozens of decks
@pytest.mark.skipif(not MANIFEST.exists(), reason="the decks of ../shared/data are not here")
@pytest.mark.parametrize("renderer", RENDERERS)
def test_every_deck_that_opens_is_drawn_and_the_others_are_refused(renderer: str, tmp_path: Path) -> None:
    studio = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
    wrong: dict[str, object] = {}
    drawn = refused = 0
    without_letters = 0
    try:
        for entry in entries():
            into = tmp_path / f"deck-{drawn + refused}"
            into.mkdir()
            try:
                deck = studio.open(DECKS / entry["file"])
                failed = studio.draw(deck, [slide.number for slide in deck.slides], into)
            except PicturesUnavailable as reason:
                refused += 1
                if entry["python_pptx"] == "ok" or not str(reason):
                    wrong[entry["file"]] = str(reason)
                continue
            drawn += 1
            pictures = sorted(into.glob("*.png"))
            if renderer == "betteroffice":
                # It looks for no other font where one lacks a letter: such a slide has a reason and no picture.
                unseen = [number for number, why in failed.items() if "no font here has" in why]
                failed = {number: why for number, why in failed.items() if number not in unseen}
                without_letters += len(unseen)
            else:
                unseen = []
            if failed or len(pictures) + len(unseen) != entry["slides"] or len(deck.slides) != entry["slides"]:
                wrong[entry["file"]] = failed or f"{len(pictures)} pictures of {entry['slides']} slides"
            for picture in pictures:
                width, height = struct.unpack(">II", picture.read_bytes()[16:24])
                facts = Facts.from_json(picture.with_suffix(".json").read_bytes())
                if width != WIDTH or abs(height / width - facts.height / facts.width) > 0.002:
                    wrong[entry["file"]] = f"{picture.name} has {width} x {height} pixels"
    finally:
        studio.close()
    assert wrong == {}
    assert drawn >= 10
    assert without_letters <= 3
    assert refused


@pytest.mark.skipif(not MANIFEST.exists(), reason="the decks of ../shared/data are not here")
@pytest.mark.parametrize("renderer", RENDERERS)
def test_hidden_slides_are_drawn_too(renderer: str, tmp_path: Path) -> None:
    from pptx import Presentation

    path = Path(__file__).parents[1] / "cases" / "decks" / "ferry_review.pptx"
    whole = Presentation(str(path))
    hidden = tmp_path / "hidden.pptx"
    for index in (1, 3):
        whole.slides[index]._element.set("show", "0")
    whole.save(str(hidden))
    studio = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
    try:
        shown, into = tmp_path / "shown", tmp_path / "into"
        for folder, deck in ((shown, path), (into, hidden)):
            folder.mkdir()
            assert studio.draw(studio.open(deck), [2, 3, 4], folder) == {}
    finally:
        studio.close()
    for number in (2, 3, 4):
        name = f"slide_{number:04d}.png"
        assert (into / name).read_bytes() == (shown / name).read_bytes(), name
