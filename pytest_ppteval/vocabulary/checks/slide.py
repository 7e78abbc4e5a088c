"""`slide`: where a slide stands, whether it is shown, its layout, section, title and background, whose copy it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.model import EMU_PER_CM
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.address import is_furniture, shapes, slides
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.colours import is_colour
from pytest_ppteval.vocabulary.finding import Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Fill, Shape, Slide
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = (
    "number", "after", "before", "hidden", "layout", "section", "title", "background", "count", "copy_of", "except",
    "order",
    "master_shapes",
)  # fmt: skip


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS.

    after, before: a slide's address, right next to which it stands. order: addresses of all slides, in their order.
    copy_of: the address, in the original, of the slide that it repeats, but for the shapes of `except`.
    """
    unknown_key("slide", want, KEYS)
    found = list({spot.slide.id: spot.slide for spot in spots}.values())
    if "count" in want:
        yield in_range(len(found), want["count"], "slides of this kind")
    for slide in found:
        where = f"slide {slide.number}"
        for key, value in want.items():
            match key:
                case "number":
                    yield in_range(slide.number, value, f"{where}: its place")
                case "after" | "before":
                    step = 1 if key == "after" else -1
                    anchors = slides(value, world)
                    right = any(slide.number == anchor.number + step for anchor in anchors)
                    yield Point.of(right, f"{where} ({slide.title!r}): is not right {key} {value!r}")
                case "hidden":
                    yield Point.of(slide.hidden == bool(value), f"{where}: is {'hidden' if slide.hidden else 'shown'}")
                case "layout" | "section" | "title":
                    was = world.was(slide)
                    before = getattr(was, key) if was is not None else None
                    wish = {"as_before": True} if value == "as_before" else value
                    yield from texts.points(getattr(slide, key) or "", wish, f"{where}, {key}", before or "")
                case "background":
                    yield Point.of(
                        _is_background(slide.background, value),
                        f"{where}: background {_shown(slide.background)}, wanted {value}",
                    )
                case "master_shapes":
                    yield Point.of(
                        slide.shows_master_shapes == bool(value), f"{where}: master's shapes are not as wanted"
                    )
                case "copy_of":
                    yield from _copy(slide, value, want.get("except"), world)
                case _:
                    pass
    if "order" in want:
        places = [next((slide.number for slide in slides(one, world)), None) for one in want["order"]]
        known = [place for place in places if place is not None]
        yield Point.of(None not in places and known == sorted(known), f"slides stand at {places}")


def _is_background(fill: Fill, want: Any) -> bool:
    if isinstance(want, dict) and "kind" in want:
        return fill.kind == want["kind"] and ("colour" not in want or is_colour(fill.colour, want["colour"]))
    return fill.kind == "solid" and is_colour(fill.colour, want)


def _shown(fill: Fill) -> str:
    return f"{fill.kind} {' '.join('#' + colour.rgb for colour in fill.colours)}".strip()


def _copy(slide: Slide, source: Any, besides: Any, world: World) -> Iterator[Point]:
    originals = slides(source, world, old=True)
    if not originals:
        yield Point(0.0, f"there is no slide {source!r} in the original to be copied")
        return
    original = originals[0]
    left_out = {id(shape) for shape in shapes(besides, original, world, old=True)} if besides is not None else set()
    mine = [_signature(shape) for shape in slide.shapes]
    for shape in original.shapes:
        if id(shape) in left_out or is_furniture(shape):
            continue
        wanted = _signature(shape)
        same = next((other for other in mine if other == wanted), None)
        if same is not None:
            mine.remove(same)
        yield Point.of(
            same is not None,
            f"slide {slide.number}: {shape.name!r} is {'as' if same else 'not as'} on slide {original.number} before",
        )


def _signature(shape: Shape) -> tuple[object, ...]:
    """What a shape shows, whatever its id."""
    box = shape.box
    place = (
        tuple(round(value / EMU_PER_CM, 1) for value in (box.x, box.y, box.width, box.height))
        if box is not None
        else ()
    )
    content: object = normal(shape.words)
    if shape.picture is not None:
        content = shape.picture.image
    elif shape.chart is not None:
        content = (shape.chart.kind, tuple((s.name, s.values) for s in shape.chart.series))
    looks = tuple((run.size, run.bold, run.colour.rgb) for text in shape.texts for run in text.runs)
    return shape.kind, place, content, shape.fill.kind, looks
