"""The pictures of a deck that a renderer can draw: listed at once, drawn when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, overload

from pytest_ppteval.picture.files import Facts, file_name
from pytest_ppteval.picture.model import ScreenshotsUnavailableError, SlideScreenshot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from pytest_ppteval.picture.studio import PlannedDeck, Studio


class PendingScreenshot(SlideScreenshot):
    """A picture that is drawn when its path is first looked at. Raises ScreenshotsUnavailableError if it can't be."""

    __slots__ = ("_draw", "_path")
    _draw: Callable[[int], None]
    _path: str

    def __init__(self, number: int, path: str, slide_id: str, draw: Callable[[int], None]) -> None:
        for name, value in (("slide_number", number), ("slide_id", slide_id), ("_path", path), ("_draw", draw)):
            object.__setattr__(self, name, value)

    @property
    def image_path(self) -> str:
        """The picture's file, which is there from now on."""
        self._draw(self.slide_number)
        return self._path


class LazyScreenshots(Sequence[SlideScreenshot]):
    """The pictures of `deck`, drawn by `studio` into `folder` (an empty one of the caller's) when they are looked at.

    To know how many slides there are the deck is read, in the renderer's process, but nothing is drawn.
    Raises ScreenshotsUnavailableError where that can't be done.
    """

    def __init__(self, studio: Studio, deck: Path, folder: Path) -> None:
        self.folder = folder
        self.source = str(studio.renderer)
        self._studio = studio
        self._path = deck
        self._deck: PlannedDeck | None = None
        self._shots: list[PendingScreenshot] | None = None
        self._drawn: set[int] = set()
        self._failed: dict[int, str] = {}

    @property
    def looked_at(self) -> bool:
        """Whether a picture was drawn, or should have been."""
        return bool(self._drawn or self._failed)

    def listed(self) -> list[tuple[int, str, str]]:
        """Number, path and id of every slide, the picture drawn or not."""
        return [
            (slide.number, str(self.folder / file_name(slide.number)), slide.slide_id)
            for slide in self._planned().slides
        ]

    def known_paths(self) -> dict[str, int]:
        """The pictures' paths, where the deck has been read already, and its slides' numbers."""
        if self._deck is None:
            return {}
        # The copy for models too: see files.for_model.
        numbers = [slide.number for slide in self._deck.slides]
        return {
            str(self.folder / file_name(number, suffix)): number for number in numbers for suffix in (".png", ".jpg")
        }

    def draw(self, number: int, together: Collection[int] | None = None) -> str:
        """Have a slide drawn, and those of `together` (None: all) in one go. Why it can't be had, "" if it is there."""
        if number not in self._drawn and number not in self._failed:
            deck = self._planned()
            every = {slide.number for slide in deck.slides}
            wanted = (every if together is None else every & {number, *together}) - self._drawn - self._failed.keys()
            self._draw(deck, wanted)
        return self._failed.get(number, "")

    def notes(self, numbers: Collection[int]) -> dict[str, list[int]]:
        """What is drawn wrongly in the pictures of these slides -> those slides."""
        found: dict[str, list[int]] = {}
        for number in sorted(self._drawn.intersection(numbers)):
            with suppress(OSError, ValueError):
                facts = Facts.from_json((self.folder / file_name(number, ".json")).read_bytes())
                for note in facts.notes:
                    found.setdefault(note, []).append(number)
        return found

    def _draw(self, deck: PlannedDeck, wanted: Collection[int]) -> None:
        from pytest_ppteval.picture.studio import PicturesUnavailable

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            failed = self._studio.draw(deck, wanted, self.folder)
        except PicturesUnavailable as error:
            failed = dict.fromkeys(wanted, str(error))
        self._failed |= failed
        self._drawn |= set(wanted) - failed.keys()

    def _planned(self) -> PlannedDeck:
        from pytest_ppteval.picture.studio import PicturesUnavailable

        if self._deck is None:
            try:
                self._deck = self._studio.open(self._path)
            except PicturesUnavailable as error:
                raise ScreenshotsUnavailableError(str(error)) from None
        return self._deck

    def _all(self) -> list[PendingScreenshot]:
        if self._shots is None:

            def draw(number: int) -> None:
                # One or two are looked at for themselves; who looks at a third is going through all of them.
                why = self.draw(number, () if len(self._drawn) < 2 else None)
                if why:
                    raise ScreenshotsUnavailableError(f"no picture of slide {number}: {why}")

            self._shots = [PendingScreenshot(number, path, slide_id, draw) for number, path, slide_id in self.listed()]
        return self._shots

    def __len__(self) -> int:
        return len(self._planned().slides)

    def __iter__(self) -> Iterator[SlideScreenshot]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> SlideScreenshot: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SlideScreenshot]: ...
    def __getitem__(self, index: int | slice) -> SlideScreenshot | Sequence[SlideScreenshot]:
        return self._all()[index]

    def __repr__(self) -> str:
        return f"<screenshots of {self._path.name} by {self.source}>"
