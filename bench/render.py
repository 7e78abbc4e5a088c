"""Pictures of slides: this project's way beside a cold soffice with pdftoppm -r 200, in alternation.

Needs LibreOffice, poppler's pdftoppm and the extra `pictures`. Goals: 8 times as fast for a leaf that looks at one
slide of a 30-slide deck, 2.5 times for all slides, 20 times for a second run after an edit of one slide.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from pytest_ppteval.picture.renderers import NoRenderer, Renderer, choose
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.policy import make_plan


def make_deck(path: Path, count: int, edited: int | None = None) -> Path:
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)  # PowerPoint's own default
    photo = BytesIO()
    # Soft shapes with a little grain, as a photo has.
    noise = random.Random(1)
    soft = Image.frombytes("RGB", (24, 16), noise.randbytes(24 * 16 * 3)).resize((1600, 1067), Image.Resampling.BICUBIC)
    grain = Image.frombytes("RGB", (800, 534), noise.randbytes(800 * 534 * 3)).resize((1600, 1067))
    Image.blend(soft, grain, 0.06).save(photo, "JPEG", quality=88)
    for number in range(1, count + 1):
        slide = deck.slides.add_slide(deck.slide_layouts[1 if number % 4 == 1 else 5])
        slide.shapes.title.text = f"Results of part {number}" + (" (edited)" if number == edited else "")
        place = (Inches(0.7), Inches(1.8), Inches(8.6), Inches(4.8))
        if number % 4 == 1:
            slide.placeholders[1].text = "\n".join(
                f"Finding {i}: costs fell by {number + i} per cent" for i in range(7)
            )
        elif number % 4 == 2:
            table: Any = slide.shapes.add_table(8, 5, *place).table
            for row in range(8):
                for column in range(5):
                    table.cell(row, column).text = f"{number * (row + 1) * (column + 2)}"
        elif number % 4 == 3:
            data: Any = CategoryChartData()
            data.categories = ["Spring", "Summer", "Autumn", "Winter"]
            for series in range(3):
                data.add_series(f"Line {series}", [number + series * quarter for quarter in range(4)])
            slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
        else:
            photo.seek(0)
            slide.shapes.add_picture(photo, *place)
            slide.shapes.add_textbox(Inches(1), Inches(6.7), Inches(6), Pt(30)).text_frame.text = "A photo"
    deck.save(str(path))
    return path


def cold_soffice(deck: Path, folder: Path) -> None:
    """What the reference does, at half its resolution: a fresh soffice, then every page as a picture."""
    environment = {**os.environ, "HOME": str(folder)}
    soffice = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf"]
    subprocess.run([*soffice, "--outdir", str(folder), str(deck)], check=True, capture_output=True, env=environment)
    pdf = folder / f"{deck.stem}.pdf"
    subprocess.run(["pdftoppm", "-jpeg", "-r", "200", str(pdf), str(folder / "page")], check=True)
    assert list(folder.glob("page*.jpg"))


class Ours:
    """This project's way. cache: None for a fresh one in each run."""

    def __init__(self, renderer: Renderer, *, warm: bool, cache: Path | None = None) -> None:
        self.renderer = renderer
        self.cache = cache
        self.studio = self._studio() if warm else None
        if self.studio is not None:
            self.studio.start()

    def _studio(self) -> Studio:
        return Studio(self.renderer, self.cache, make_plan("auto")[0])

    def draw(self, deck: Path, numbers: range | list[int], folder: Path) -> None:
        """Draw slides of a deck into a folder."""
        studio = self.studio or self._studio()
        if self.cache is None:
            shutil.rmtree(studio.cache.root, ignore_errors=True)
            studio._decks.clear()
        failed = studio.draw(studio.open(deck), numbers, folder)
        assert failed == {}, failed
        if self.studio is None:
            studio.close()


def timed(run: Callable[[Path], None]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run(Path(folder))
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slides", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--renderer", choices=("libreoffice", "betteroffice"), default="libreoffice")
    arguments = parser.parse_args()
    renderer = choose(arguments.renderer)
    if isinstance(renderer, NoRenderer) or not (shutil.which("soffice") and shutil.which("pdftoppm")):
        raise SystemExit("needs LibreOffice, pdftoppm (poppler-utils) and the extra `pictures`")
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        count = arguments.slides
        deck = make_deck(work / "deck.pptx", count)
        everything = range(1, count + 1)
        warm, cold = Ours(renderer, warm=True), Ours(renderer, warm=False)
        kept = work / "kept"
        first = Ours(renderer, warm=False, cache=kept)
        first.draw(deck, everything, work)
        again_warm = Ours(renderer, warm=True, cache=kept)

        times: dict[str, list[float]] = {}

        def note(name: str, run: Callable[[Path], None]) -> None:
            times.setdefault(name, []).append(timed(run))

        for turn in range(arguments.rounds):
            note("cold soffice + pdftoppm -r 200", lambda folder: cold_soffice(deck, folder))
            note("one slide, renderer running", lambda folder: warm.draw(deck, [count // 2], folder))
            note("one slide, renderer not started", lambda folder: cold.draw(deck, [count // 2], folder))
            note("all slides, renderer running", lambda folder: warm.draw(deck, everything, folder))
            note("all slides, renderer not started", lambda folder: cold.draw(deck, everything, folder))
            # Another slide is edited each time, so that it is never in the cache.
            one = make_deck(work / "one.pptx", count, edited=1 + 2 * turn)
            two = make_deck(work / "two.pptx", count, edited=2 + 2 * turn)
            note("second run after an edit, running", lambda folder, d=one: again_warm.draw(d, everything, folder))
            note("second run after an edit, not started", lambda folder, d=two: first.draw(d, everything, folder))
            note("second run, nothing edited", lambda folder: first.draw(deck, everything, folder))
        for ours in (warm, again_warm):
            assert ours.studio is not None
            ours.studio.close()
        base = statistics.median(times["cold soffice + pdftoppm -r 200"])
        print(f"{renderer}, {count} slides, {arguments.rounds} rounds, median (least..most) seconds")
        for name, found in times.items():
            median = statistics.median(found)
            print(f"{name:40} {median:8.2f} ({min(found):.2f}..{max(found):.2f})   {base / median:8.1f} x")


if __name__ == "__main__":
    main()
