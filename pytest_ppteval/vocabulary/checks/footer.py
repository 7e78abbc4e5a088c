"""`footer`: date, footer text and slide number of slides, shown where people look for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.model import Box
from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import Point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Deck, Shape, Slide
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

_TYPES = {"text": "ftr", "date": "dt", "number": "sldNum"}


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: {text: a text | false, date: a text | {field: true} | false, number: true | false}.

    number: a field that shows the slide's own number, wherever it stands on the slide; false that there is none.
    """
    unknown_key("footer", want, tuple(_TYPES))
    for slide in {spot.slide.id: spot.slide for spot in spots}.values():
        for key, value in want.items():
            where = f"slide {slide.number}"
            if key == "number":
                shown = [shape for shape in slide.shapes if _numbers(shape, slide) and _is_seen(shape, world.after)]
                yield Point.of(
                    bool(shown) == bool(value), f"{where}: {'shows' if shown else 'does not show'} its number"
                )
                continue
            shapes = [
                s for s in slide.shapes if s.placeholder == _TYPES[key] and s.words.strip() and _is_seen(s, world.after)
            ]
            if value is False:
                yield Point.of(not shapes, f"{where}: shows a {key} {[s.words for s in shapes]}")
            elif isinstance(value, dict) and "field" in value:
                fields = [run for s in shapes for text in s.texts for run in text.runs if run.field]
                yield Point.of(
                    bool(fields) == bool(value["field"]), f"{where}: its date is {'' if fields else 'not '}a field"
                )
            elif not shapes:
                # Some programs write footers as plain text boxes at the foot of the slide.
                found = [s for s in slide.shapes if _at_foot(s, world.after) and texts.is_match(s.words, value)]
                yield Point.of(bool(found), f"{where}: shows no {key}, wanted {value}")
            else:
                yield from texts.points(shapes[-1].words, value, f"{where}, {key}")


def _numbers(shape: Shape, slide: Slide) -> bool:
    return any(
        run.kind == "field" and (run.field or "").lower() == "slidenum" and run.text.strip()
        for text in shape.texts
        for run in text.runs
    ) and bool(slide)


def _is_seen(shape: Shape, deck: Deck) -> bool:
    if shape.hidden or shape.box is None:
        return False
    inside = Box(0, 0, deck.width, deck.height).overlap(shape.box)
    return inside > 0.5 * shape.box.area


def _at_foot(shape: Shape, deck: Deck) -> bool:
    return shape.box is not None and shape.box.y > 0.8 * deck.height and _is_seen(shape, deck)
