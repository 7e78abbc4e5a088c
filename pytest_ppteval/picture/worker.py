"""The renderer's own process: confined, it reads decks, works out what slides' pictures depend on, and draws them.

Decks come as files in its own folder, and pictures go there. It trusts its host and nothing else; its host trusts it
with nothing but the pictures of the decks that it was given.
"""

from __future__ import annotations

import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Protocol

from pytest_ppteval.deck.limits import DeckRejected
from pytest_ppteval.picture.confine import confine
from pytest_ppteval.picture.files import Facts, file_name
from pytest_ppteval.picture.keys import slide_keys
from pytest_ppteval.picture.package import Package
from pytest_ppteval.picture.paint import encoded
from pytest_ppteval.picture.place import Places
from pytest_ppteval.picture.subset import subset
from pytest_ppteval.sandbox.channel import Message, receive, send
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine.policy import Plan

if TYPE_CHECKING:
    from PIL import Image

    from pytest_ppteval.picture.files import Line
    from pytest_ppteval.picture.office import Pages as PdfPages

MESSAGE_LIMIT = 16 << 20


Take = Callable[[int, "Image.Image", "list[Line]"], None]
Batches = Sequence[Sequence[int]]
# LibreOffice writes so many at once as PDF: while it writes the next ones, these are painted. With fewer at once, a
# photo that many slides show is written and read more often.
_PAGES = 10
# Pictures in memory that wait for being written.
_WAITING = 6


class Backend(Protocol):
    """What draws slides of a deck."""

    # So many slides at once, at most.
    at_once: int

    def draw(self, package: Package, batches: Batches, width: int, take: Take) -> dict[int, str]:
        """Give the picture and the text of each slide to `take`; the reasons of those that can't be drawn, by number.

        batches: the numbers of the slides, by what is drawn at once. Raises ValueError where no slide can be drawn.
        """

    def notes(self, package: Package, part: str) -> list[str]:
        """What it is known to draw wrongly on a slide."""


class LibreOffice:
    """LibreOffice, started at the first deck."""

    at_once = 30

    def __init__(self, program: Path, work: Path) -> None:
        from pytest_ppteval.picture.office import Office

        self._work = work
        self._office = Office(program, work / "profile")

    def draw(self, package: Package, batches: Batches, width: int, take: Take) -> dict[int, str]:
        """See Backend."""
        with ThreadPoolExecutor(1) as painter:
            painted = []
            for numbers in batches:
                start = 0
                for pages in self._pages(package, numbers):
                    some = numbers[start : start + pages.wanted]
                    painted.append(painter.submit(self._paint, pages, some, package.size(), width, take))
                    start += pages.wanted
            for paint in painted:
                paint.result()
        return {}

    def _pages(self, package: Package, numbers: Sequence[int]) -> Iterator[PdfPages]:
        from pytest_ppteval.picture.office import OfficeError

        # The first slide of a deck is not drawn as the others are (see place.py): let it be another one.
        first = next(slide for slide in package.slides if slide.number == numbers[0])
        skip = int(first.number != 1 and Places(package).fitted(first))
        source = self._work / "slides.pptx"
        source.write_bytes(subset(package, numbers, after_blank=bool(skip)))
        try:
            yield from self._office.pages(source, self._work / "slides.pdf", skip + len(numbers), _PAGES, skip)
        except (OfficeError, OSError) as error:
            raise ValueError(f"LibreOffice: {error}") from None

    def notes(self, package: Package, part: str) -> list[str]:  # noqa: ARG002 - a Backend's signature
        """Nothing is known."""
        return []

    @staticmethod
    def _paint(made: PdfPages, numbers: Sequence[int], size: tuple[float, float], width: int, take: Take) -> None:
        from pytest_ppteval.picture.paint import Pages

        pages = Pages(made.data)
        try:
            if len(pages) - made.ahead != len(numbers):
                raise ValueError(f"LibreOffice made {len(pages) - made.ahead} pages of {len(numbers)} slides")
            for index, number in enumerate(numbers, made.ahead):
                take(number, pages.picture(index, width), pages.lines(index, size))
        finally:
            pages.close()


class BetterOffice:
    """betteroffice-pptx, with its fonts."""

    at_once = sys.maxsize

    def __init__(self, fonts: Sequence[Path]) -> None:
        from pytest_ppteval.picture import fonts as known
        from pytest_ppteval.picture.better import Fonts

        self._fonts = Fonts(known.files(list(fonts)))

    def draw(self, package: Package, batches: Batches, width: int, take: Take) -> dict[int, str]:
        """See Backend."""
        from pytest_ppteval.picture.better import Deck, no_font
        from pytest_ppteval.picture.misdrawn import unknown_symbols

        parts = {slide.number: slide.part for slide in package.slides}
        failed: dict[int, str] = {}
        for numbers in batches:
            deck = Deck(subset(package, numbers), self._fonts)
            if len(deck) != len(numbers):
                raise ValueError(f"betteroffice-pptx found {len(deck)} slides of {len(numbers)}")
            for index, number in enumerate(numbers):
                try:
                    if symbols := unknown_symbols(package, parts[number]):
                        raise ValueError(no_font(symbols))
                    take(number, deck.picture(index, width), deck.lines(index))
                except ValueError as error:
                    failed[number] = f"betteroffice-pptx: {error}"
        return failed

    def notes(self, package: Package, part: str) -> list[str]:
        """See Backend."""
        from pytest_ppteval.picture import misdrawn

        return misdrawn.notes(package, part)


class Worker:
    """Answers its host until that hangs up."""

    def __init__(self, host: socket.socket, config: Message) -> None:
        self._host = host
        self._work = Path(str(config["work"]))
        self._program = config["program"]
        self._fonts = [Path(str(place)) for place in _list(config["fonts"])]
        self._renderer, self._kind = str(config["renderer"]), config["kind"]
        self._backend: Backend | None = None
        self._open: tuple[str, Package] | None = None

    def serve(self) -> None:
        """One answer for each message."""
        while True:
            message = receive(self._host, limit=MESSAGE_LIMIT)
            started = time.perf_counter()
            try:
                answer = self._answer(message)
            except DeckRejected as rejected:
                answer = {"t": "refused", "why": str(rejected)}
            except (ValueError, MemoryError, RecursionError, OSError) as error:
                answer = {"t": "failed", "why": str(error) or type(error).__name__}
            answer["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            answer["seconds"] = time.perf_counter() - started
            send(self._host, answer)

    def _answer(self, message: Message) -> Message:
        if message["t"] == "start":
            self._started()
            return {"t": "ready"}
        package = self._package(str(message["deck"]))
        if message["t"] == "plan":
            slides = [[slide.number, slide.slide_id] for slide in package.slides]
            return {"t": "plan", "slides": slides, "keys": slide_keys(package)}
        numbers = [int(str(number)) for number in _list(message["slides"])]
        into, width = self._work / str(message["into"]), int(str(message["width"]))
        into.mkdir(exist_ok=True)
        with ThreadPoolExecutor(2) as writers:
            written = []
            free = BoundedSemaphore(_WAITING)
            backend = self._started()
            parts = {slide.number: slide.part for slide in package.slides}

            def take(number: int, picture: Image.Image, lines: list[Line]) -> None:
                free.acquire()
                facts = Facts(
                    self._renderer, *package.size(), tuple(lines), tuple(backend.notes(package, parts[number]))
                )
                future = writers.submit(self._write, into, number, picture, facts)
                future.add_done_callback(lambda _: free.release())
                written.append(future)

            failed = backend.draw(package, _batches(package, numbers, backend.at_once), width, take)
            for future in written:
                future.result()
        return {"t": "drawn", "failed": {str(number): why for number, why in failed.items()}}

    def _started(self) -> Backend:
        if self._backend is None:
            if self._kind == "libreoffice":
                self._backend = LibreOffice(Path(str(self._program)), self._work)
            else:
                self._backend = BetterOffice(self._fonts)
        return self._backend

    def _package(self, deck: str) -> Package:
        if self._open is None or self._open[0] != deck:
            self._open = deck, Package((self._work / deck).read_bytes())
        return self._open[1]

    @staticmethod
    def _write(into: Path, number: int, picture: Image.Image, facts: Facts) -> None:
        png, jpeg = encoded(picture)
        (into / file_name(number)).write_bytes(png)
        if jpeg is not None:
            (into / file_name(number, ".jpg")).write_bytes(jpeg)
        (into / file_name(number, ".json")).write_bytes(facts.to_json())


def _batches(package: Package, numbers: list[int], most: int) -> Batches:
    """What to draw at once: the slides in batches of up to `most`, and each slide alone whose number stands in its
    layout or in a diagram, unless the renderer's own count is right."""
    numbered = Places(package).numbered_apart(slide for slide in package.slides if slide.number in numbers)
    if numbered and package.first_number == 1 and len(numbers) == len(package.slides):
        return [numbers]
    together = [number for number in numbers if number not in numbered]
    batches = [together[start : start + most] for start in range(0, len(together), most)]
    return [*batches, *([number] for number in numbers if number in numbered)]


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def main(fd: int) -> None:
    """The life of the renderer's process; `fd` is its socket."""
    host = socket.socket(fileno=fd)
    host.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is pytest's, which closes the socket
    config = receive(host, limit=MESSAGE_LIMIT)
    linux.die_with_parent(int(str(config["parent"])))
    plan = Plan(**config["plan"])  # type: ignore[arg-type]  # written by our own host from one
    work = Path(str(config["work"]))
    readable = [Path(str(path)) for path in _list(config["readable"])]
    sys.stdin.close()
    confine(plan, work, readable)
    send(host, {"t": "ready"})
    try:
        Worker(host, config).serve()
    except (EOFError, ConnectionError):
        return
