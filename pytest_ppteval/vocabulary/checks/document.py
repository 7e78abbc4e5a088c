"""`document`: what holds for the deck as a whole: number of slides, size, sections, show settings, designs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError, Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

_RATIOS = {"16:9": 16 / 9, "4:3": 4 / 3, "16:10": 1.6}
KEYS = ("slides", "size", "sections", "show", "custom_shows", "titles", "alt_texts", "themes")


def check(want: Any, _: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS.

    slides: how many, or "as_before". size: "16:9", "4:3" or "as_before". sections: names in their order, with their
    slides' numbers where given as a mapping. titles: every slide has a title, no two alike. alt_texts: every picture,
    chart, table and diagram has a description or is marked as decorative.
    """
    unknown_key("document", want, KEYS)
    deck = world.after
    for key, value in want.items():
        match key:
            case "slides":
                wish = len(world.before.slides) if value == "as_before" else value
                yield in_range(len(deck.slides), wish, "slides")
            case "size":
                if value == "as_before":
                    same = (deck.width, deck.height) == (world.before.width, world.before.height)
                    yield Point.of(same, f"slides are {deck.width / 360_000:.1f} × {deck.height / 360_000:.1f} cm")
                elif value in _RATIOS:
                    found = deck.width / deck.height if deck.height else 0.0
                    yield Point.of(abs(found - _RATIOS[value]) < 0.02, f"slides are {found:.2f} to 1, wanted {value}")
                else:
                    raise LeafError(f"document: size {value!r}: use {', '.join(_RATIOS)} or as_before")
            case "sections":
                yield from _sections(value, world)
            case "show":
                found_settings = dict(deck.show)
                for name, wanted in value.items():
                    given = found_settings.get(name)
                    right = (name in found_settings) == wanted if isinstance(wanted, bool) else given == str(wanted)
                    yield Point.of(right, f"show setting {name} is {given}, wanted {wanted}")
            case "custom_shows":
                names = [name for name, _ in deck.custom_shows]
                yield Point.of(names == [str(name) for name in value], f"custom shows {names}, wanted {value}")
            case "titles":
                titles = [slide.title for slide in deck.slides]
                missing = [slide.number for slide in deck.slides if not slide.title]
                doubled = {title for title in titles if title and titles.count(title) > 1}
                yield Point.of(
                    not missing, f"slides without a title: {missing}" if missing else "every slide has a title"
                )
                yield Point.of(
                    not doubled, f"titles used twice: {sorted(doubled)}" if doubled else "no title is used twice"
                )
            case "alt_texts":
                kinds = ("picture", "chart", "SmartArt", "table")
                bare = [
                    f"slide {slide.number}, {shape.name}"
                    for slide in deck.slides
                    for shape in slide.shapes
                    if shape.kind in kinds and not shape.alt.strip() and not shape.decorative
                ]
                yield Point.of(
                    not bare, f"without a description: {', '.join(bare[:5])}" if bare else "all are described"
                )
            case _:
                names = [design.name for design in deck.designs if design.kind == "theme"]
                yield Point.of(names == [str(name) for name in value], f"themes {names}, wanted {value}")


def _sections(want: Any, world: World) -> Iterator[Point]:
    found = world.after.sections
    numbers = {slide.id: slide.number for slide in world.after.slides}
    names = [name for name, _ in found]
    yield Point.of(names == [str(name) for name in want], f"sections {names}, wanted {list(want)}")
    if isinstance(want, dict):
        for name, ids in found:
            placed = [numbers.get(slide_id) for slide_id in ids]
            if name in want:
                yield Point.of(
                    placed == list(want[name]), f"section {name!r} holds slides {placed}, wanted {want[name]}"
                )
