"""Decks that people made, in PowerPoint and elsewhere, drawn as judging draws them: a slide at a time, some at once,
all at once, and again after an edit. Each picture is the page that a plain conversion of the whole deck gives.

The decks are those of ../shared/data/decks with two slides or more: 56 with 262 slides. By default a few are drawn.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops
from plain_conversion import converted
from pptx import Presentation
from renderers_here import needs

from pytest_ppteval.picture.files import file_name
from pytest_ppteval.picture.paint import Pages
from pytest_ppteval.picture.studio import WIDTH, Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

DECKS = Path(__file__).parents[1] / ".." / "shared" / "data" / "decks"
MANIFEST = DECKS / "manifest.json"
# Links to slides, text that is made to fit, ids that are in use on both levels, charts, notes.
SAMPLE = (
    "pptx-automizer/__tests___pptx-templates_SlideWithLink.pptx",
    "OfficeIMO/Website_static_downloads_showcase_powerpoint_design-brief-recommendations.pptx",
    "docling/tests_data_pptx_sources_powerpoint_sample.pptx",
    "ShapeCrawler/tests_ShapeCrawler.DevTests_Assets_084_charts.pptx",
)
# Shares of pixels that may differ: a date field shows the day that was saved, LibreOffice's own conversion today.
DATES = 0.002

pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the decks of ../shared/data are not here")
every = pytest.mark.slow  # draws hundreds of slides: minutes


def copies(names: Sequence[str], folder: Path) -> list[Path]:
    """The decks, each under a name of its own."""
    found = []
    for name in names:
        copy = folder / (name.rsplit(".", 1)[0].replace("/", "--") + ".pptx")
        shutil.copyfile(DECKS / name, copy)
        found.append(copy)
    return found


def all_names() -> list[str]:
    entries: list[dict[str, Any]] = json.loads(MANIFEST.read_text("utf-8")) if MANIFEST.exists() else []
    return [entry["file"] for entry in entries if (entry["slides"] or 0) >= 2 and entry["python_pptx"] == "ok"]


chosen = pytest.mark.parametrize(
    "names", [pytest.param(SAMPLE, id="sample"), pytest.param(all_names(), id="all", marks=every)]
)


@pytest.fixture
def drawer(tmp_path: Path) -> Any:
    """draw(renderer, deck, groups): the pictures of all slides by number, each group drawn in one go, without a cache
    of before; `cache` is one to keep."""
    studios: dict[str, Studio] = {}
    folders = 0

    def draw(
        renderer: str, deck: Path, groups: Callable[[list[int]], list[list[int]]], cache: Path | None = None
    ) -> dict[int, bytes]:
        nonlocal folders
        folders += 1
        into = tmp_path / f"into-{folders}"
        into.mkdir()
        if renderer not in studios:
            studios[renderer] = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
        studio = studios[renderer]
        studio.cache.root = cache or tmp_path / f"cache-{folders}"
        studio._failed.clear()
        planned = studio.open(deck)
        numbers = [slide.number for slide in planned.slides]
        failed: dict[int, str] = {}
        for group in groups(numbers):
            failed |= studio.draw(planned, group, into)
        without_letters = {n for n, why in failed.items() if renderer == "betteroffice" and "no font here has" in why}
        assert {n: why for n, why in failed.items() if n not in without_letters} == {}
        return {n: (into / file_name(n)).read_bytes() for n in numbers if n not in without_letters}

    draw.studios = studios  # type: ignore[attr-defined]
    yield draw
    for studio in studios.values():
        studio.close()


def at_once(numbers: list[int]) -> list[list[int]]:
    return [numbers]


def singly(numbers: list[int]) -> list[list[int]]:
    return [[number] for number in reversed(numbers)]


def in_threes(numbers: list[int]) -> list[list[int]]:
    return [numbers[start :: -(-len(numbers) // 3)] for start in range(-(-len(numbers) // 3))]


def differing(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that are plainly different, 0..1; 1 for pictures of two sizes."""
    if one.size != other.size:
        return 1.0
    channels = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    return sum(most.histogram()[41:]) / (one.width * one.height)


@chosen
def test_pictures_are_the_pages_of_a_plain_conversion(names: Sequence[str], drawer: Any, tmp_path: Path) -> None:
    decks = copies(names, tmp_path)
    plain = tmp_path / "plain"
    plain.mkdir()
    converted(decks, needs("libreoffice"), plain)
    wrong: dict[str, object] = {}
    for deck in decks:
        pages = Pages((plain / f"{deck.stem}.pdf").read_bytes())
        count = len(Presentation(str(deck)).slides)
        drawn = drawer("libreoffice", deck, at_once)
        if len(pages) != count or sorted(drawn) != list(range(1, count + 1)):
            wrong[deck.name] = f"{count} slides, {len(pages)} pages, drawn {sorted(drawn)}"
            continue
        for number, data in drawn.items():
            picture = tmp_path / "picture.png"
            picture.write_bytes(data)
            with Image.open(picture) as opened:
                share = differing(pages.picture(number - 1, WIDTH), opened)
            if share > DATES:
                wrong[f"{deck.name} {number}"] = f"{share:.2%} of the picture"
        pages.close()
    assert wrong == {}
    assert len(decks) >= 4


@chosen
@pytest.mark.parametrize("renderer", ["libreoffice", "betteroffice"])
def test_a_slide_looks_the_same_whatever_is_drawn_with_it(
    names: Sequence[str], renderer: str, drawer: Any, tmp_path: Path
) -> None:
    wrong: dict[str, object] = {}
    for deck in copies(names, tmp_path):
        together = drawer(renderer, deck, at_once)
        for way in (singly, in_threes):
            other = drawer(renderer, deck, way)
            unlike = [number for number in together.keys() | other.keys() if together.get(number) != other.get(number)]
            if unlike:
                wrong[f"{deck.name} {way.__name__}"] = unlike
    assert wrong == {}


@chosen
@pytest.mark.parametrize("renderer", ["libreoffice", "betteroffice"])
def test_after_an_edit_one_slide_is_drawn_and_the_others_are_found(
    names: Sequence[str], renderer: str, drawer: Any, tmp_path: Path
) -> None:
    wrong: dict[str, object] = {}
    for deck in copies(names, tmp_path):
        rewritten = Presentation(str(deck))
        assert rewritten.slides  # python-pptx gives the slides' parts new names here
        rewritten.save(str(deck))
        presentation = Presentation(str(deck))
        kept = tmp_path / f"kept-{deck.stem}"
        before = drawer(renderer, deck, at_once, kept)
        count = len(presentation.slides)
        number = count // 2 + 1
        box = presentation.slides[number - 1].shapes.add_textbox(914400, 914400, 2743200, 914400)
        box.text_frame.text = "Edited"
        presentation.save(str(deck))
        studio = drawer.studios[renderer]
        had = studio.drawn
        again = drawer(renderer, deck, at_once, kept)
        drawn = studio.drawn - had
        fresh = drawer(renderer, deck, singly)
        changed = [n for n in before if before[n] != again.get(n)]
        if drawn > 1 or changed != [number][: int(number in before)] or again != fresh:
            wrong[deck.name] = f"slide {number}: {drawn} drawn, changed {changed}, as fresh {again == fresh}"
    assert wrong == {}
