"""Pictures of slides as rubrics see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, overload


class ScreenshotsUnavailableError(RuntimeError):
    """The pictures that judging needs are missing: a fault of the set-up, never a low score."""


@dataclass(frozen=True, slots=True)
class SlideScreenshot:
    """The picture of one slide: its 1-based number, the image file, and the slide's id where known."""

    slide_number: int
    image_path: str
    slide_id: str | None = None


class ArchivedScreenshots(list[SlideScreenshot]):
    """The pictures that were kept beside a deck."""

    source = "zip"


class MissingScreenshots(Sequence[SlideScreenshot]):
    """Stands where a deck's pictures would be. Any look into it raises ScreenshotsUnavailableError with the reason.

    An empty list in its place would let a leaf score 0 for a picture that nobody made.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def _refuse(self) -> NoReturn:
        raise ScreenshotsUnavailableError(self.reason)

    def __len__(self) -> int:
        self._refuse()

    def __iter__(self) -> Iterator[SlideScreenshot]:
        self._refuse()

    @overload
    def __getitem__(self, index: int) -> SlideScreenshot: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SlideScreenshot]: ...
    def __getitem__(self, index: int | slice) -> SlideScreenshot | Sequence[SlideScreenshot]:
        self._refuse()

    def __repr__(self) -> str:
        return f"<no screenshots: {self.reason}>"
