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
_EFFECT = ("shape", "text", "name", "kind", "trigger", "duration", "delay")


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: none, "as_before", or a mapping with KEYS.

    effects: [{shape: ADDRESS or text: words, name, kind, trigger, duration, delay}], in their order. An effect on a
    group is one on what the group holds; all shapes of an address must be animated, the first as said, the others with
    or after it. With `only` (true unless said) nothing else is animated. Unless said, an effect is an entrance, lasts
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
    where, last = f"slide {slide.number}", -1
    used: set[int] = set()
    for want in wanted:
        unknown_key("animation: effects", want, _EFFECT)
        name = want.get("text") or _shown(want.get("shape"))
        mine, still = _covering(want, slide, world, used)
        if not mine:
            yield Point(0.0, f"{where}: nothing is animated at {name}")
            continue
        used.update(effect.order for effect in mine)
        first, *rest = mine
        yield Point.of(first.order > last, f"{where}: {name} comes at place {first.order + 1}, too early")
        last = max(effect.order for effect in mine)
        yield from _details(first, want, f"{where}, {name}")
        for other in rest:
            yield Point.of(other.trigger != "click", f"{where}, {name}: takes more than one click")
            yield from _details(other, {**want, "trigger": other.trigger}, f"{where}, {name}")
        if still:
            yield Point(0.0, f"{where}, {name}: not animated: {', '.join(still)}")
    if only:
        over = [effect for effect in slide.effects if effect.order not in used]
        yield Point.of(
            not over,
            f"{where}: also animated: {', '.join(e.name for e in over)}" if over else f"{where}: nothing else moves",
        )


def _covering(want: dict[str, Any], slide: Slide, world: World, used: set[int]) -> tuple[list[Effect], list[str]]:
    """The effects on what is meant, in their order, and the names of shapes that are meant and have none.

    All shapes of a `shape` are meant, unless they are groups, and of a `text` one that says it.
    """
    free = [effect for effect in slide.effects if effect.order not in used]
    address = want.get("shape") or {"text": {"contains": want.get("text", "")}}
    meant = [shape for shape in shapes(address, slide, world) if shape.kind != "group"]
    mine: list[Effect] = []
    still: list[str] = []
    for shape in meant:
        found = [effect for effect in free if effect.shape in (shape.id, *shape.groups)]
        parts = {normal(effect.paragraph) for effect in found if effect.paragraph is not None}
        lines = {normal(p.text) for text in shape.texts for p in text.paragraphs if p.text.strip()}
        if not found or (all(effect.paragraph is not None for effect in found) and not _is_whole(lines, parts)):
            still.append(shape.name)
        mine += [effect for effect in found if effect not in mine]
    if "text" in want and mine:
        still = []
    return sorted(mine, key=lambda effect: effect.order), still


def _is_whole(lines: set[str], parts: set[str]) -> bool:
    """Whether effects on paragraphs, one or several at a time, reach every line."""
    return all(any(line in part for part in parts) for line in lines)


def _shown(address: Any) -> str:
    return str(address.get("name") or address) if isinstance(address, dict) else str(address)


def _details(effect: Effect, want: dict[str, Any], where: str) -> Iterator[Point]:
    if "name" in want:
        names = want["name"] if isinstance(want["name"], list) else [want["name"]]
        yield Point.of(
            any(effect.name == n or effect.name.startswith(f"{n}_") for n in names),
            f"{where}: {effect.name}, wanted {want['name']}",
        )
    if "trigger" in want:
        yield Point.of(effect.trigger == want["trigger"], f"{where}: starts {effect.trigger}, wanted {want['trigger']}")
    kinds = want.get("kind", "entrance")
    yield Point.of(
        effect.kind in (kinds if isinstance(kinds, list) else [kinds]), f"{where}: is an {effect.kind}, wanted {kinds}"
    )
    yield in_range(effect.duration, want.get("duration", {"min": 0.1, "max": 10}), f"{where}: seconds")
    yield in_range(effect.delay, want.get("delay", {"min": 0, "max": 10}), f"{where}: delay")
