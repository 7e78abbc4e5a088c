"""`picture`: which image is shown, which part of it, undistorted or not, with which description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.address import spots as spots_of
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = ("image", "crop", "stretched", "alpha", "recoloured", "alt", "uncropped")


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS.

    image: "as_before", or the address of a picture in the original. crop: {left|top|right|bottom: share or {min, max}}.
    stretched: whether the image is drawn wider or higher than it is, by more than 3 %.
    """
    unknown_key("picture", want, KEYS)
    for spot in spots:
        picture = spot.shape.picture if spot.shape is not None else None
        if spot.shape is None or picture is None:
            yield Point(0.0, f"{spot.where}: is no picture")
            continue
        for key, value in want.items():
            match key:
                case "image":
                    yield _image(value, spot, world)
                case "crop":
                    unknown_key("picture: crop", value, ("left", "top", "right", "bottom"))
                    for side, share in value.items():
                        found = picture.crop[("left", "top", "right", "bottom").index(side)]
                        wish = share if isinstance(share, dict) else {"value": share, "tolerance": 0.01}
                        yield in_range(round(found, 4), wish, f"{spot.where}: cropped at its {side}")
                case "uncropped":
                    right = all(abs(part) < 0.005 for part in picture.crop)
                    yield Point.of(right == bool(value), f"{spot.where}: cropped {picture.crop}")
                case "stretched":
                    known = picture.stretch is not None
                    off = picture.stretch is not None and abs(picture.stretch - 1) > 0.03
                    said = (
                        f"{picture.stretch:.2f} times as wide as it is" if picture.stretch else "its size is not known"
                    )
                    yield Point.of(known and off == bool(value), f"{spot.where}: drawn {said}")
                case "alpha":
                    yield in_range(picture.alpha, value, f"{spot.where}: opacity")
                case "recoloured":
                    yield Point.of(
                        bool(picture.recolour) == bool(value), f"{spot.where}: recoloured {picture.recolour}"
                    )
                case _:
                    was = world.shape_was(spot.slide, spot.shape)
                    before = was.alt if was is not None else None
                    yield from texts.points(spot.shape.alt, value, f"{spot.where}, description", before)


def _image(want: Any, spot: Spot, world: World) -> Point:
    assert spot.shape is not None
    assert spot.shape.picture is not None
    if want == "as_before":
        was = world.shape_was(spot.slide, spot.shape)
        images = {was.picture.image} if was is not None and was.picture is not None else set()
    else:
        found = spots_of({**want, "deck": "before"}, world)
        images = {one.shape.picture.image for one in found if one.shape is not None and one.shape.picture is not None}
    return Point.of(spot.shape.picture.image in images, f"{spot.where}: shows another image")
