"""`slide`: where a slide stands, whether it is shown, its layout, section, title and background, whose copy it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.compare import compare_shapes
from pytest_ppteval.look.match import match_shapes
from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.address import is_furniture, shapes, slides
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.colours import is_colour
from pytest_ppteval.vocabulary.finding import LeafError, Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Fill, Shape, Slide
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = (
    "number", "after", "before", "hidden", "layout", "section", "title", "background", "count", "copy_of", "except",
    "order", "master_shapes", "same",
)  # fmt: skip


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS.

    same: what all of these slides have alike: "background", "layout", or a list of these.
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
    for what in want["same"] if isinstance(want.get("same"), list) else [want["same"]] if "same" in want else []:
        if what not in ("background", "layout"):
            raise LeafError(f"slide: same {what!r}: use background or layout")
        looks = {(_shown(slide.background) if what == "background" else slide.layout or "") for slide in found}
        yield Point.of(len(looks) == 1, f"{len(found)} slides, {what}: {', '.join(sorted(looks))}")
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
    where, model = f"slide {slide.number}", f"slide {original.number} before"
    left_out = {id(shape) for shape in shapes(besides, original, world, old=True)} if besides is not None else set()
    was = match_shapes(original.shapes, slide.shapes)
    now = {id(old): new for new in slide.shapes if (old := was.get(id(new))) is not None}
    for shape in original.shapes:
        if id(shape) in left_out or is_furniture(shape):
            continue
        copy = now.get(id(shape))
        other = _other(shape, copy) if copy is not None else "missing"
        yield Point.of(
            not other, f"{where}: {shape.name!r} is {f'not as on {model}: {other}' if other else 'the same'}"
        )
    extra = [shape.name for shape in slide.shapes if id(shape) not in was and not is_furniture(shape)]
    yield Point.of(not extra, f"{where}: also holds {', '.join(extra)}" if extra else f"{where}: holds nothing else")
    same = (slide.layout, slide.background) == (original.layout, original.background)
    yield Point.of(same, f"{where}: layout and background are {'' if same else 'not '}those of {model}")


def _other(old: Shape, new: Shape) -> str:
    """What of a copied shape is another than of its model."""
    found = [aspect for aspect, _, _ in compare_shapes(old, new)]
    found += [name for name in ("alt", "link", "hidden") if getattr(old, name) != getattr(new, name)]
    return ", ".join(found)
