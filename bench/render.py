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
from pytest_ppteval.sandbox.confine.policy import make_plan

COLD = "cold soffice + pdftoppm -r 200"


def make_deck(path: Path, count: int) -> Path:
    """A deck of bullets, tables, charts and photos."""
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
        slide.shapes.title.text = f"Results of part {number}"
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


def edit(deck: Path, target: Path, turn: int) -> Path:
    """The deck with one title changed."""
    changed = Presentation(str(deck))
    titles = [slide.shapes.title for slide in changed.slides if slide.shapes.title is not None]
    titles[turn % len(titles)].text_frame.text = f"Edited {turn}"
    changed.save(str(target))
    return target


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


def timed(run: Callable[[Path], None], ours: Ours | None) -> tuple[float, float]:
    """Seconds by the clock, and of processor time: on a machine that is not quiet only the latter can be compared."""
    with tempfile.TemporaryDirectory() as folder:
        started, before = time.perf_counter(), processor_time(ours)
        run(Path(folder))
        return time.perf_counter() - started, processor_time(ours) - before


def processor_time(ours: Ours | None) -> float:
    """Of this process, of its children that ended, and of a renderer that goes on."""
    total = sum(os.times()[:4])
    if ours is not None and ours.studio is not None:
        running = ours.studio._process_now()._running
        assert running is not None
        fields = Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slides", type=int, default=30)
    parser.add_argument("--deck", type=Path, help="a deck of your own, whose slides have titles")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--renderer", choices=("libreoffice", "betteroffice"), default="libreoffice")
    arguments = parser.parse_args()
    renderer = choose(arguments.renderer)
    if isinstance(renderer, NoRenderer) or not (shutil.which("soffice") and shutil.which("pdftoppm")):
        raise SystemExit("needs LibreOffice, pdftoppm (poppler-utils) and the extra `pictures`")
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        deck = arguments.deck or make_deck(work / "deck.pptx", arguments.slides)
        count = len(Presentation(str(deck)).slides)
        everything = range(1, count + 1)
        warm, cold = Ours(renderer, warm=True), Ours(renderer, warm=False)
        kept = work / "kept"
        first = Ours(renderer, warm=False, cache=kept)
        first.draw(deck, everything, work)
        again_warm = Ours(renderer, warm=True, cache=kept)

        times: dict[str, list[tuple[float, float]]] = {}

        def note(name: str, run: Callable[[Path], None], ours: Ours | None = None) -> None:
            times.setdefault(name, []).append(timed(run, ours))

        for turn in range(arguments.rounds):
            note(COLD, lambda folder: cold_soffice(deck, folder))
            note("one slide, renderer running", lambda folder: warm.draw(deck, [count // 2], folder), warm)
            note("one slide, renderer not started", lambda folder: cold.draw(deck, [count // 2], folder))
            note("all slides, renderer running", lambda folder: warm.draw(deck, everything, folder), warm)
            note("all slides, renderer not started", lambda folder: cold.draw(deck, everything, folder))
            # Another slide is edited each time, so that it is never in the cache.
            one = edit(deck, work / "one.pptx", 2 * turn)
            two = edit(deck, work / "two.pptx", 2 * turn + 1)
            note(
                "second run after an edit, running",
                lambda folder, d=one: again_warm.draw(d, everything, folder),
                again_warm,
            )
            note("second run after an edit, not started", lambda folder, d=two: first.draw(d, everything, folder))
            note("second run, nothing edited", lambda folder: first.draw(deck, everything, folder))
        for ours in (warm, again_warm):
            assert ours.studio is not None
            ours.studio.close()
        print(
            f"{renderer}, {deck.name}, {count} slides, {arguments.rounds} rounds; medians, and how many times as fast"
        )
        base = [statistics.median(column) for column in zip(*times[COLD], strict=True)]
        print(f"{'':40}{'seconds (least..most)':>28}{'':10}{'processor':>10}")
        for name, found in times.items():
            clock, processor = zip(*found, strict=True)
            middle = [statistics.median(clock), statistics.median(processor)]
            spread = f"{middle[0]:.2f} ({min(clock):.2f}..{max(clock):.2f})"
            faster = base[0] / middle[0], base[1] / max(0.01, middle[1])
            print(f"{name:40}{spread:>28}{faster[0]:8.1f} x{middle[1]:10.2f}{faster[1]:8.1f} x")


if __name__ == "__main__":
    main()
