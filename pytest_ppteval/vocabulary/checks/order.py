"""`order`: in which order texts stand: in a shape's paragraphs, or from left to right, or from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError, Point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World


def check(want: Any, spots: list[Spot], _: World) -> Iterator[Point]:
    """want: texts in their order (each in its paragraph or shape), or {texts, along: paragraphs|across|down}."""
    if isinstance(want, list):
        want = {"texts": want}
    unknown_key("order", want, ("texts", "along"))
    along = want.get("along", "paragraphs")
    if along not in ("paragraphs", "across", "down"):
        raise LeafError(f"order: along {along!r}: use paragraphs, across or down")
    wanted = [normal(str(text)) for text in want.get("texts", [])]
    if along == "paragraphs":
        found = [normal(p.text) for spot in spots for p in spot.paragraphs if p.text.strip()]
    else:
        placed = [spot for spot in spots if spot.shape is not None and spot.shape.box is not None and spot.text.strip()]
        placed.sort(key=lambda spot: _middle(spot)[0 if along == "across" else 1])
        found = [normal(spot.text) for spot in placed]
    places = [next((i for i, text in enumerate(found) if one in text), None) for one in wanted]
    missing = [one for one, place in zip(wanted, places, strict=True) if place is None]
    known = [place for place in places if place is not None]
    right = not missing and known == sorted(set(known)) and len(set(known)) == len(known)
    said = f"missing {missing}" if missing else f"the order is {[found[place][:30] for place in sorted(known)]}"
    yield Point.of(right, f"{spots[0].where if spots else 'there'}: {said}")


def _middle(spot: Spot) -> tuple[float, float]:
    assert spot.shape is not None
    assert spot.shape.box is not None
    return spot.shape.box.centre
