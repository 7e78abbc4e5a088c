"""`notes`: what a slide's speaker notes say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.finding import Point
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: as for `text`."""
    for slide in {spot.slide.id: spot.slide for spot in spots}.values():
        was = world.was(slide)
        yield from texts.points(
            slide.notes, want, f"slide {slide.number}, notes", was.notes if was is not None else None
        )
