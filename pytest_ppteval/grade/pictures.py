"""What a function leaf is given for pictures: files, or promises of files that are drawn when it looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots, ScreenshotsUnavailableError
from pytest_ppteval.picture.source import source_of
from pytest_ppteval.picture.wanted import slides_wanted
from pytest_ppteval.sandbox.code import names_used
from pytest_ppteval.sandbox.job import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.picture.model import SlideScreenshot

_NAMES = {"original": "original_ppt_screenshots", "modified": "modified_ppt_screenshots"}


@dataclass(frozen=True, slots=True)
class GivenPictures:
    """The pictures for one leaf, as sandbox.job.Job has them; None where there are none, for `reason`."""

    original: tuple[Picture, ...] | None
    modified: tuple[Picture, ...] | None
    reason: str
    code: str
    lists: dict[str, Sequence[SlideScreenshot]]

    def draw(self, which: str, number: int) -> str:
        """Have a pending picture drawn, with those that the leaf will want too; see sandbox.job.Job.draw."""
        pictures = self.lists[which]
        assert isinstance(pictures, LazyScreenshots)
        return pictures.draw(number, slides_wanted(self.code))


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
