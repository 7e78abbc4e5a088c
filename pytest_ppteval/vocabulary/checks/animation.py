"""`animation`: which effects a slide plays, on what, in which order, how started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.address import shapes
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Effect, Slide
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = ("effects", "count", "as_before", "only")
_EFFECT = ("shape", "text", "name", "trigger", "duration", "delay")


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: none, "as_before", or a mapping with KEYS.

    effects: [{shape: ADDRESS or text: words, name, trigger, duration, delay}], in their order. An effect on a group is
    one on what the group holds. With `only` (true unless said) nothing else is animated. Unless said, an effect lasts
    from 0.1 to 10 s and waits no longer than 10 s: else nobody would call it one.
    """
    if want in (None, False, "none"):
        want = {"count": 0}
    elif want == "as_before":
        want = {"as_before": True}
    unknown_key("animation", want, KEYS)
    for slide in {spot.slide.id: spot.slide for spot in spots}.values():
        where = f"slide {slide.number}"
        if "count" in want:
            yield in_range(len(slide.effects), want["count"], f"{where}: effects")
        if want.get("as_before"):
            was = world.was(slide)
            old = [(e.shape, e.paragraph, e.name, e.trigger) for e in was.effects] if was is not None else None
            new = [(e.shape, e.paragraph, e.name, e.trigger) for e in slide.effects]
            yield Point.of(old == new, f"{where}: its animations are no longer what they were")
        if "effects" in want:
            yield from _effects(want["effects"], slide, world, bool(want.get("only", True)))


def _effects(wanted: list[dict[str, Any]], slide: Slide, world: World, only: bool) -> Iterator[Point]:
    where, place, last = f"slide {slide.number}", 0, -1
    used: set[int] = set()
    for want in wanted:
        unknown_key("animation: effects", want, _EFFECT)
        name = want.get("text") or want.get("shape")
        ids = _ids(want, slide, world)
        mine = [e for e in slide.effects if e.order not in used and (e.shape in ids or _says(e, want))]
        if not mine:
            yield Point(0.0, f"{where}: nothing is animated at {name}")
            continue
        effect = mine[0]
        used.update(e.order for e in mine if e.trigger == "with_previous" or e is effect)
        yield Point.of(effect.order > last, f"{where}: {name} comes at place {effect.order + 1}, too early")
        last = max(last, effect.order)
        place += 1
        yield from _details(effect, want, f"{where}, {name}")
    if only:
        rest = [effect for effect in slide.effects if effect.order not in used]
        yield Point.of(
            not rest,
            f"{where}: also animated: {', '.join(e.name for e in rest)}" if rest else f"{where}: nothing else moves",
        )


def _details(effect: Effect, want: dict[str, Any], where: str) -> Iterator[Point]:
    if "name" in want:
        names = want["name"] if isinstance(want["name"], list) else [want["name"]]
        yield Point.of(
            any(effect.name == n or effect.name.startswith(f"{n}_") for n in names),
            f"{where}: {effect.name}, wanted {want['name']}",
        )
    if "trigger" in want:
        yield Point.of(effect.trigger == want["trigger"], f"{where}: starts {effect.trigger}, wanted {want['trigger']}")
    yield in_range(effect.duration, want.get("duration", {"min": 0.1, "max": 10}), f"{where}: seconds")
    yield in_range(effect.delay, want.get("delay", {"min": 0, "max": 10}), f"{where}: delay")


def _ids(want: dict[str, Any], slide: Slide, world: World) -> set[str]:
    """Ids of the shapes that are meant, and of groups that hold nothing else that speaks."""
    address = want.get("shape") or {"text": {"contains": want.get("text", "")}, "not": {"kind": "group"}}
    found = shapes(address, slide, world)
    ids = {shape.id for shape in found}
    for shape in found:
        for group in shape.groups:
            members = [other for other in slide.shapes if group in other.groups and other.words.strip()]
            if all(member in found or not _elsewhere(member, found) for member in members):
                ids.add(group)
    return ids


def _elsewhere(member: object, found: list[Any]) -> bool:
    return member not in found and not found


def _says(effect: Effect, want: dict[str, Any]) -> bool:
    text = want.get("text")
    return bool(text) and effect.paragraph is not None and normal(str(text)) in normal(effect.paragraph)
