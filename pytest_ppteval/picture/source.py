"""Where a deck's pictures come from: the zip beside it, else a renderer, else nowhere, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture.archive import pictures_beside
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import ArchivedScreenshots, MissingScreenshots, SlideScreenshot
from pytest_ppteval.picture.wanted import slides_wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_ppteval.picture.renderers import NoRenderer
    from pytest_ppteval.picture.studio import Studio


def pictures_of(
    deck: Path, folder: Path, studio: Studio | NoRenderer, *, beside: bool = True
) -> Sequence[SlideScreenshot]:
    """The pictures of `deck`. Files are put into `folder`, an empty one of the caller's, as they are needed.

    beside: whether a zip of pictures beside the deck counts. Not where the one who is judged could have put it there.
    """
    from pytest_ppteval.picture.studio import Studio

    archive = deck.with_suffix(".zip")
    if beside and archive.is_file():
        return pictures_beside(deck, folder)
    if isinstance(studio, Studio):
        return LazyScreenshots(studio, deck, folder)
    if not beside:
        there = ""
        if archive.is_file():
            there = f" ({archive.name} beside it may be the agent's own work: --ppteval-output-pictures=yes takes it)"
        return MissingScreenshots(f"no pictures of {deck.name}{there}: get a renderer: {studio.reason}")
    return MissingScreenshots(
        f"no pictures of {deck.name}: put one image a slide into {deck.stem}.zip beside it (slide_1.png, ...), "
        f"or get a renderer: {studio.reason}"
    )


def prepare(
    studio: Studio | NoRenderer, decks: Mapping[str, Path], codes: Iterable[str], *, beside: bool = True
) -> None:
    """Have the renderer started in the background where leaves of these codes will look at slides that must be drawn.

    decks: "modified_ppt_screenshots" -> the deck that it shows, and so on. beside: as in pictures_of. Raises nothing.
    """
    from pytest_ppteval.picture.studio import Studio

    if not isinstance(studio, Studio):
        return
    for code in codes:
        named = [deck for name, deck in decks.items() if name in code and not _kept(deck, beside)]
        numbers = slides_wanted(code) if named else None
        for deck in named:
            studio.prepare(deck, numbers)


def _kept(deck: Path, beside: bool) -> bool:
    return beside and deck.with_suffix(".zip").is_file()


def source_of(pictures: Sequence[SlideScreenshot]) -> str | None:
    """What made the pictures: "libreoffice 7.4.7.2", "zip"; None for a user's own."""
    return pictures.source if isinstance(pictures, LazyScreenshots | ArchivedScreenshots) else None


def renderer_of(lists: Iterable[Sequence[SlideScreenshot]]) -> str | None:
    """What made the pictures that a task was judged by; None where none was drawn or found."""
    found = {
        pictures.source
        for pictures in lists
        if isinstance(pictures, ArchivedScreenshots) or (isinstance(pictures, LazyScreenshots) and pictures.looked_at)
    }
    return ", ".join(sorted(found)) or None
