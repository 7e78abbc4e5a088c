"""What a function leaf is given for pictures: files, or promises of files that are drawn when it looks at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots, ScreenshotsUnavailableError
from pytest_ppteval.picture.source import source_of
from pytest_ppteval.picture.wanted import slides_wanted
from pytest_ppteval.sandbox.job import Picture
from pytest_ppteval.sandbox.source.code import names_used

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.picture.model import SlideScreenshot

# How the line begins that tells what a renderer is known to draw wrongly; the session's summary tells it once.
DRAWN_WRONGLY = "DRAWN WRONGLY by"
_NAMES = {"original": "original_ppt_screenshots", "modified": "modified_ppt_screenshots"}


@dataclass(frozen=True, slots=True)
class GivenPictures:
    """The pictures for one leaf, as sandbox.job.Job has them; None where there are none, for `reason`."""

    original: tuple[Picture, ...] | None
    modified: tuple[Picture, ...] | None
    reason: str
    code: str
    lists: dict[str, Sequence[SlideScreenshot]]
    looked_at: dict[str, set[int]] = field(default_factory=dict)

    def draw(self, which: str, number: int) -> str:
        """Have a pending picture drawn, with those that the leaf will want too; see sandbox.job.Job.draw."""
        pictures = self.lists[which]
        assert isinstance(pictures, LazyScreenshots)
        self.looked_at.setdefault(which, set()).add(number)
        return pictures.draw(number, slides_wanted(self.code))

    def notes(self) -> str:
        """What is known to be drawn wrongly in the pictures that the leaf looked at; "" where nothing is."""
        return drawn_wrongly({which: (self.lists[which], numbers) for which, numbers in self.looked_at.items()})


def drawn_wrongly(seen: Mapping[str, tuple[Sequence[SlideScreenshot], Collection[int]]]) -> str:
    """What is known to be drawn wrongly in pictures, in a line; "" where nothing is.

    seen: "original" or "modified" -> the deck's pictures, and the numbers of those that were looked at.
    """
    found: dict[str, list[str]] = {}
    renderer = ""
    for which, (pictures, numbers) in seen.items():
        if isinstance(pictures, LazyScreenshots):
            for note, slides in pictures.notes(numbers).items():
                renderer = pictures.source
                place = f"slide{'s' if len(slides) > 1 else ''} {', '.join(map(str, slides))}"
                found.setdefault(note, []).append(f"{place} of the original" if which == "original" else place)
    told = "; ".join(f"{note} ({', '.join(places)})" for note, places in found.items())
    return f"{DRAWN_WRONGLY} {renderer}: {told}" if told else ""


def pictures_for(code: str, evidence: Evidence) -> GivenPictures:
    """The pictures that a leaf of this code may see. Nothing is drawn; a deck is read only for a leaf that looks."""
    from pytest_ppteval.evidence.evidence import NOT_ASKED_FOR

    lists = {"original": evidence.original_pictures, "modified": evidence.modified_pictures}
    used = names_used(code)
    asked = {which for which, name in _NAMES.items() if name in used}
    reasons: list[str] = []
    given: dict[str, tuple[Picture, ...] | None] = {}
    for which, pictures in lists.items():
        given[which] = None
        if isinstance(pictures, MissingScreenshots):
            # A renderer's own words say more than that one of the two lists was never asked for.
            reasons.insert(len(reasons) if pictures is NOT_ASKED_FOR else 0, pictures.reason)
        elif which in asked or not isinstance(pictures, LazyScreenshots):
            try:
                given[which] = _listed(pictures)
            except ScreenshotsUnavailableError as error:
                reasons.insert(0, str(error))
        else:
            reasons.append(NOT_ASKED_FOR.reason)
    sources = {which: source_of(lists[which]) for which in asked}
    if len({source for source in sources.values() if source is not None}) > 1:
        mixed = f"the original deck's by {sources['original']}, the modified deck's by {sources['modified']}"
        return GivenPictures(
            None,
            None,
            f"pictures that are not to be compared: {mixed}; keep pictures beside both decks or beside neither",
            code,
            lists,
        )
    return GivenPictures(given["original"], given["modified"], reasons[0] if reasons else "", code, lists)


def _listed(pictures: Sequence[SlideScreenshot]) -> tuple[Picture, ...]:
    if isinstance(pictures, LazyScreenshots):
        return tuple(Picture(number, path, slide_id, pending=True) for number, path, slide_id in pictures.listed())
    return tuple(Picture(shot.slide_number, shot.image_path, shot.slide_id) for shot in pictures)
