"""Opens what lies behind an entry of the screenshots: the picture, and the facts beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from pytest_ppteval.picture.files import MAX_FACTS, Facts

if TYPE_CHECKING:
    from PIL.Image import Image


class Shot(Protocol):
    """An entry of original_ppt_screenshots or modified_ppt_screenshots."""

    @property
    def slide_number(self) -> int:
        """From 1."""

    @property
    def image_path(self) -> str:
        """The picture's file."""


def unavailable(why: str) -> NoReturn:
    """Say that the measure can't be taken here: in a leaf, that makes it unscored."""
    # The class that a leaf's process has tells the host; elsewhere it is an ordinary exception.
    shims = sys.modules.get("pytest_ppteval.sandbox.inside.shims")
    if shims is not None:
        raise shims.ScreenshotsUnavailableError(why)
    from pytest_ppteval.picture.model import ScreenshotsUnavailableError

    raise ScreenshotsUnavailableError(why)


def picture(shot: Shot) -> Image:
    """The picture, in RGB."""
    from PIL import Image

    with Image.open(shot.image_path) as opened:
        return opened.convert("RGB")


def facts(shot: Shot) -> Facts:
    """What the renderer told of the picture. Raises ScreenshotsUnavailableError where it was not drawn here."""
    found = facts_or_none(shot)
    if found is None:
        unavailable(
            f"the text drawn on slide {shot.slide_number} is not known: its picture was not drawn by --ppteval-renderer"
        )
    return found


def facts_or_none(shot: Shot) -> Facts | None:
    """As `facts`; None where there are none."""
    try:
        with Path(shot.image_path).with_suffix(".json").open("rb") as file:
            return Facts.from_json(file.read(MAX_FACTS))
    except (OSError, ValueError):
        return None


def size_in_points(shot: Shot, image: Any) -> tuple[float, float]:
    """The slide's size; of a picture that was not drawn here, as if its width were 13.333 inches."""
    found = facts_or_none(shot)
    if found is not None:
        return found.width, found.height
    return 960.0, 960.0 * image.height / image.width
