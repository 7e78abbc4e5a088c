"""Draws slides: asks the cache first, then the renderer's process, within limits; one bad slide costs one picture."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.deck.guard import read_plain_file
from pytest_ppteval.deck.limits import CAPS, DeckRejected
from pytest_ppteval.picture import fonts
from pytest_ppteval.picture.cache import BadPictureError, Cache
from pytest_ppteval.picture.process import RenderLost, RenderProcess
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_ppteval.picture.renderers import Renderer
    from pytest_ppteval.sandbox.channel import Message
    from pytest_ppteval.sandbox.confine.policy import Plan

# The longer edge that the models look at is 1568 pixels (https://platform.claude.com/docs/en/build-with-claude/vision).
WIDTH = 1568
# Rises when pictures of the same slide come out otherwise: what subset.py, place.py, paint.py, better.py, keys.py do.
DRAWING = 5


class PicturesUnavailable(RuntimeError):  # noqa: N818 - it names a state
    """A deck's pictures can't be had. Its text is the reason, in one line."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that the renderer may take: for a deck and for each of its slides, and for its start.

    in_a_row: so many slides lost one after the other, drawn alone, and the rest of the deck is given up.
    """

    deck: float = 20.0
    slide: float = 1.0
    start: float = 60.0
    in_a_row: int = 3


@dataclass(frozen=True, slots=True)
class PlannedSlide:
    """A slide that can be drawn: its place from 1, its id, and the key of its picture."""

    number: int
    slide_id: str
    key: str


@dataclass(frozen=True, slots=True)
class PlannedDeck:
    """A deck whose slides are known. digest: the hash of the file, which must not change until it is drawn."""

    path: Path
    digest: str
    slides: tuple[PlannedSlide, ...]


class Studio:
    """One renderer, its process and the cache of its pictures. For one thread.

    plan: how far the renderer's process is confined (sandbox.policy.make_plan).
    """

    def __init__(self, renderer: Renderer, cache: Path | None, plan: Plan, patience: Patience | None = None) -> None:
        self.renderer = renderer
        self.patience = patience or Patience()
        self._own_cache = Path(tempfile.mkdtemp(prefix="ppteval-cache-")) if cache is None else None
        self.cache = Cache(cache or self._own_cache or Path())
        self._plan = plan
        self._process: RenderProcess | None = None
        self._style: bytes | None = None
        self._decks: dict[str, tuple[PlannedSlide, ...]] = {}
        self._failed: dict[str, str] = {}
        self.drawn = self.found = 0

    def open(self, deck: Path) -> PlannedDeck:
        """The slides of a deck. Raises PicturesUnavailable for one that can't be read."""
        data = self._bytes(deck)
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._decks:
            kept = self._kept(digest)
            if kept is None:
                answer = self._ask(deck, digest, data, {"t": "plan"}, self.patience.deck)
                kept = self._planned(answer)
                try:
                    self.cache.keep_plan(
                        self._name(digest), [[slide.number, slide.slide_id, slide.key] for slide in kept]
                    )
                except OSError as error:
                    raise PicturesUnavailable(_unwritable(error)) from None
                if not all(self.cache.has(slide.key) for slide in kept):
                    self._process_now().start_soon()
            self._decks[digest] = kept
        return PlannedDeck(deck, digest, self._decks[digest])

    def draw(self, deck: PlannedDeck, numbers: Collection[int], into: Path) -> dict[int, str]:
        """Put the pictures of these slides into the folder `into`; the reasons of those that can't be had, by number.

        Raises PicturesUnavailable where none can be had.
        """
        wanted = [slide for slide in deck.slides if slide.number in numbers]
        failed = {slide.number: self._failed[slide.key] for slide in wanted if slide.key in self._failed}
        known = [slide for slide in wanted if slide.number not in failed]
        missing = [slide for slide in known if not self.cache.has(slide.key)]
        kept = [slide for slide in known if slide not in missing]
        try:
            with ThreadPoolExecutor(1) as copier:  # while the renderer works
                copied = copier.map(lambda slide: self.cache.copy(slide.key, into, slide.number), kept)
                if missing:
                    self._draw_missing(deck, missing, into)
            lost = [slide for slide, there in zip(kept, copied, strict=True) if not there]
            if lost:  # another process has dropped them since
                self._draw_missing(deck, lost, into)
        except OSError as error:
            raise PicturesUnavailable(_unwritable(error)) from None
        self.found += len(kept) - len(lost)
        return failed | {slide.number: self._failed[slide.key] for slide in known if slide.key in self._failed}

    def prepare(self, deck: Path, numbers: Collection[int] | None = None) -> None:
        """Start the renderer, without waiting for it, where it must draw one of these slides (None: any of the deck).

        Costs some milliseconds, and raises nothing: what is wrong is told where a picture is looked at.
        """
        with contextlib.suppress(PicturesUnavailable, OSError):
            digest = hashlib.sha256(self._bytes(deck)).hexdigest()
            kept = self._decks.get(digest) or self._kept(digest)
            if kept is None or not all(
                self.cache.has(slide.key) for slide in kept if numbers is None or slide.number in numbers
            ):
                self._process_now().start_soon()

    def start(self) -> None:
        """Start the renderer, and wait for it; it is started when needed anyway."""
        self._process_now().ask({"t": "start"}, self.patience.start)

    def close(self) -> None:
        """End the renderer's process."""
        if self._process is not None:
            self._process.close()
            self._process = None
        if self._own_cache is not None:
            shutil.rmtree(self._own_cache, ignore_errors=True)
        elif self.drawn:
            self.cache.prune()

    # ------------------------------------------------------------------------------------------------ drawing

    def _draw_missing(self, deck: PlannedDeck, missing: Sequence[PlannedSlide], into: Path) -> None:
        """Put pictures that the cache does not have into `into`; `_failed` gets the reasons of those that fail."""
        with self.cache.locked(slide.key for slide in missing):
            # Another process may have drawn them while this one waited for the locks.
            self._draw(deck, [slide for slide in missing if not self.cache.has(slide.key)])
        for slide in missing:
            if slide.key not in self._failed and not self.cache.copy(slide.key, into, slide.number):
                self._failed[slide.key] = "its picture was lost"

    def _draw(self, deck: PlannedDeck, slides: Sequence[PlannedSlide]) -> None:
        """Draw slides: all at once, and each alone where that fails."""
        if not slides:
            return
        data = self._bytes(deck.path)
        if hashlib.sha256(data).hexdigest() != deck.digest:
            raise PicturesUnavailable(f"{deck.path.name} changed while it was judged")
        why = self._try(deck, data, slides)
        if why is None:
            return
        if len(slides) == 1:
            self._failed[slides[0].key] = why
            return
        lost = 0
        for slide in slides:
            why = self._try(deck, data, [slide]) if lost < self.patience.in_a_row else why
            if why is not None:
                self._failed[slide.key] = why
            lost = 0 if why is None else lost + 1

    def _try(self, deck: PlannedDeck, data: bytes, slides: Sequence[PlannedSlide]) -> str | None:
        """Draw slides and publish them; why not, where that failed for all of them."""
        folder = f"drawn-{deck.digest[:16]}"
        process = self._process_now()
        shutil.rmtree(process.work / folder, ignore_errors=True)
        message: Message = {"t": "draw", "slides": [slide.number for slide in slides], "into": folder, "width": WIDTH}
        try:
            process.ask({"t": "start"}, self.patience.start)
            answer = self._ask(
                deck.path, deck.digest, data, message, self.patience.deck + self.patience.slide * len(slides)
            )
            failed = answer.get("failed")
            reasons = failed if isinstance(failed, dict) else {}
            for slide in slides:
                why = reasons.get(str(slide.number))
                if why is not None:
                    self._failed[slide.key] = one_line(str(why))
                else:
                    self.cache.publish(slide.key, process.work / folder, slide.number)
                    self.drawn += 1
        except (RenderLost, BadPictureError, PicturesUnavailable) as error:
            return one_line(str(error))
        finally:
            shutil.rmtree(process.work / folder, ignore_errors=True)
        return None

    def _ask(self, deck: Path, digest: str, data: bytes, message: Message, seconds: float) -> Message:
        """The renderer's answer about a deck. Raises RenderLost from drawing, else PicturesUnavailable."""
        process = self._process_now()
        # A copy: LibreOffice leaves lock files beside what it opens, and may read nothing else.
        copy = process.work / f"{digest[:16]}.pptx"
        try:
            copy.write_bytes(data)
            answer = process.ask({**message, "deck": copy.name}, seconds)
        except RenderLost as lost:
            if message["t"] == "draw":
                raise
            raise PicturesUnavailable(f"no pictures of {deck.name}: {lost}") from None
        finally:
            copy.unlink(missing_ok=True)
        if answer["t"] in ("refused", "failed"):
            raise PicturesUnavailable(f"no pictures of {deck.name}: {one_line(str(answer.get('why')))}")
        return answer

    def _name(self, digest: str) -> str:
        """What the plan of a deck is kept under."""
        return hashlib.sha256(digest.encode() + self._drawn_by()).hexdigest()

    def _kept(self, digest: str) -> tuple[PlannedSlide, ...] | None:
        return _slides(self.cache.plan(self._name(digest)))

    def _planned(self, answer: Message) -> tuple[PlannedSlide, ...]:
        slides, keys = answer.get("slides"), answer.get("keys")
        if isinstance(slides, list) and isinstance(keys, list) and len(slides) == len(keys):
            style = self._drawn_by()
            found = _slides(
                [[*slide, hashlib.sha256(style + str(key).encode()).hexdigest()] for slide, key in zip(slides, keys)]  # noqa: B905
            )
            if found is not None:
                return found
        raise PicturesUnavailable("the renderer gave no list of slides")

    def _drawn_by(self) -> bytes:
        """What pictures depend on beside the slide: renderer, fonts, width, and the code that draws."""
        if self._style is None:
            renderer = self.renderer
            faces = fonts.fingerprint(fonts.folders(renderer.program))
            style = (DRAWING, renderer.kind, renderer.version, renderer.build, faces, WIDTH)
            self._style = hashlib.sha256(repr(style).encode()).digest()
        return self._style

    def _process_now(self) -> RenderProcess:
        if self._process is None:
            self._process = RenderProcess(self.renderer, self._plan, start_seconds=self.patience.start)
        return self._process

    @staticmethod
    def _bytes(deck: Path) -> bytes:
        try:
            return read_plain_file(deck, CAPS.file)
        except DeckRejected as rejected:
            raise PicturesUnavailable(f"no pictures of {deck.name}: it {rejected}") from None


def _slides(rows: list[list[object]] | None) -> tuple[PlannedSlide, ...] | None:
    """Planned slides from data that is not trusted; None where it has another form."""
    found = []
    for place, row in enumerate(rows or (), 1):
        match row:
            case [int(number), str(slide_id), str(key)] if number == place and len(key) == 64 and key.isalnum():
                found.append(PlannedSlide(number, slide_id[:40], key))
            case _:
                return None
    return None if rows is None else tuple(found)


def _unwritable(error: OSError) -> str:
    return f"the cache of pictures can't be written ({error.strerror or error}): name a folder with --ppteval-cache"
