"""A renderer that hangs, dies or leaves rubbish costs the pictures concerned, with a reason, and nothing else."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from renderers_here import RENDERERS, needs

from pytest_ppteval.picture import process
from pytest_ppteval.picture.studio import Patience, PicturesUnavailable, Studio
from pytest_ppteval.sandbox.confine.policy import make_plan


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    made = Presentation()
    for number in range(1, 6):
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = f"Slide {number}"
    path = tmp_path / "five.pptx"
    made.save(str(path))
    return path


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


@pytest.fixture(params=RENDERERS)
def studio(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Studio]:
    made = Studio(needs(request.param), tmp_path / "cache", make_plan("auto")[0])
    yield made
    made.close()


def pictures(into: Path) -> list[str]:
    return sorted(path.name for path in into.glob("*.png"))


def test_a_renderer_that_died_is_started_again(studio: Studio, deck: Path, into: Path) -> None:
    planned = studio.open(deck)
    running = studio._process_now()._running
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    # The first attempt finds it gone; then each slide is tried alone, by a new one.
    assert studio.draw(planned, [1, 2], into) == {}
    assert pictures(into) == ["slide_0001.png", "slide_0002.png"]
    assert studio._process_now().starts == 2


def test_a_renderer_that_hangs_is_killed_and_the_slides_get_a_reason(studio: Studio, deck: Path, into: Path) -> None:
    planned = studio.open(deck)
    studio.start()
    studio.patience = Patience(deck=0.3, slide=0.1, start=2)
    frozen = studio._process_now()
    stop = threading.Event()

    def freeze() -> None:
        # Each process that is started hangs in the middle of its work.
        while not stop.wait(0.005):
            running = frozen._running
            if running is not None and frozen._decks:
                try:
                    os.kill(running.pid, signal.SIGSTOP)
                except ProcessLookupError:
                    continue

    thread = threading.Thread(target=freeze)
    frozen._decks = 1
    thread.start()
    try:
        started = time.monotonic()
        failed = studio.draw(planned, [2], into)
    finally:
        stop.set()
        thread.join()
    assert time.monotonic() - started < 10
    assert list(failed) == [2]
    assert "the renderer took more than" in failed[2] or "could not start" in failed[2]
    assert pictures(into) == []
    # The failure is remembered for the run, not for ever, and other slides are drawn by a new process.
    studio.patience = Patience()
    assert studio.draw(planned, [2], into) == failed
    assert studio.draw(planned, [3], into) == {}
    assert pictures(into) == ["slide_0003.png"]


@pytest.mark.slow  # five seconds: LibreOffice is started again and again
def test_after_three_lost_slides_in_a_row_the_rest_is_given_up(
    studio: Studio, deck: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = studio.open(deck)
    studio.start()
    asked: list[int] = []
    really_ask = process.RenderProcess.ask

    def ask(self: process.RenderProcess, message: dict[str, Any], seconds: float) -> dict[str, object]:
        if message["t"] == "draw":
            asked.append(len(message["slides"]))
            seconds = 0.0  # no time at all
        return really_ask(self, message, seconds)

    monkeypatch.setattr(process.RenderProcess, "ask", ask)
    failed = studio.draw(planned, range(1, 6), into)
    assert sorted(failed) == [1, 2, 3, 4, 5]
    assert asked == [5, 1, 1, 1]


@pytest.mark.slow  # five seconds: LibreOffice is started again and again
def test_a_renderer_is_replaced_before_it_grows_too_large(
    studio: Studio, deck: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = studio.open(deck)
    assert studio.draw(planned, [1], into) == {}
    assert studio._process_now().starts == 1
    monkeypatch.setattr(process, "MOST_MEGABYTES", 10)
    assert studio.draw(planned, [2], into) == {}
    assert studio._process_now().starts > 1


def test_a_deck_that_changes_under_the_judge_is_told(studio: Studio, deck: Path, into: Path) -> None:
    planned = studio.open(deck)
    changed = Presentation(str(deck))
    changed.slides[0].shapes.title.text = "Other"
    changed.save(str(deck))
    with pytest.raises(PicturesUnavailable, match=r"five\.pptx changed while it was judged"):
        studio.draw(planned, [1], into)


def test_a_deck_that_is_none_is_refused_with_the_guards_reason(studio: Studio, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pptx"
    broken.write_bytes(b"no zip at all")
    with pytest.raises(PicturesUnavailable, match=r"no pictures of broken\.pptx: is "):
        studio.open(broken)
    with pytest.raises(PicturesUnavailable, match=r"no pictures of gone\.pptx: .*no such file"):
        studio.open(tmp_path / "gone.pptx")


def test_slide_xml_that_is_missing_is_refused_not_drawn_blank(studio: Studio, deck: Path) -> None:
    import zipfile

    with zipfile.ZipFile(deck) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != "ppt/slides/slide3.xml"}
    with zipfile.ZipFile(deck, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(PicturesUnavailable, match=r"slide"):
        studio.open(deck)


def test_a_cache_that_cannot_be_written_is_told(deck: Path, tmp_path: Path) -> None:
    place = tmp_path / "a file"
    place.write_bytes(b"")
    studio = Studio(needs("betteroffice"), place, make_plan("auto")[0])
    try:
        with pytest.raises(PicturesUnavailable, match="name a folder with --ppteval-cache"):
            studio.open(deck)
    finally:
        studio.close()


@pytest.mark.slow  # five seconds: LibreOffice is started again and again
def test_a_deck_nested_beyond_reason_does_not_hang(studio: Studio, tmp_path: Path, into: Path) -> None:
    from lxml import etree

    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    tree = etree.fromstring(etree.tostring(slide.shapes._spTree))
    namespace = tree.nsmap["p"]
    group = (
        f'<p:grpSp xmlns:p="{namespace}"><p:nvGrpSpPr><p:cNvPr id="9" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        "<p:grpSpPr/>"
    )
    depth = 20_000
    stream = BytesIO()
    made.save(stream)
    import zipfile

    path = tmp_path / "deep.pptx"
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "ppt/slides/slide1.xml":
                data = data.replace(b"</p:spTree>", group.encode() * depth + b"</p:grpSp>" * depth + b"</p:spTree>")
            target.writestr(name, data)
    studio.patience = Patience(deck=3)
    started = time.monotonic()
    try:
        reason = studio.draw(studio.open(path), [1], into).get(1, "drawn")
    except PicturesUnavailable as refused:
        reason = str(refused)
    assert reason
    assert time.monotonic() - started < 30
