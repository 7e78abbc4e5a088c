"""The door: a deck leaf and two looks in, a reason and a score out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary import allow, checks, guards
from pytest_ppteval.vocabulary.address import spots
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError, Point, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

_CHECKS_OF_NOTHING = ("document",)


def judge(leaf: dict[str, Any], world: World) -> tuple[str, float]:
    """The reason and score of a leaf: {"deck": ...}, {"changes": ...} or {"guard": ...}. Raises LeafError."""
    if "deck" in leaf:
        wants = leaf["deck"]
        found: list[Point] = []
        for want in wants if isinstance(wants, list) else [wants]:
            found.extend(_checked(want, world))
        return result(found)
    if "changes" in leaf:
        return allow.judge(leaf["changes"], world)
    if "guard" in leaf:
        return _guarded(leaf["guard"], world)
    raise LeafError("a deck leaf has one of deck, changes and guard")


def _checked(want: dict[str, Any], world: World) -> Iterator[Point]:
    unknown_key("deck", want, ("on", *checks.NAMES))
    names = [name for name in checks.NAMES if name in want]
    on = want.get("on")
    where = spots(on, world)
    count = on.get("count") if isinstance(on, dict) else None
    if count is not None:
        yield _counted(count, where, on)
        if not where:
            return
    elif not names:
        yield Point.of(bool(where), f"there is nothing at {_shown(on)}")
    if (
        not where
        and names
        and set(names) != set(_CHECKS_OF_NOTHING)
        and not (isinstance(on, dict) and on.get("none_is_fine"))
    ):
        yield Point(0.0, f"there is nothing at {_shown(on)}: {_nearest(on, world)}")
        return
    for name in names:
        module: checks.Check = import_module(f"pytest_ppteval.vocabulary.checks.{name}")
        if isinstance(on, dict) and on.get("any"):
            yield _best(module, want[name], where, world)
        else:
            yield from module.check(want[name], where, world)


def _best(module: checks.Check, want: Any, where: list[Spot], world: World) -> Point:
    """`any: true`: it is enough that one of the places is as wanted."""
    tried = [result(module.check(want, [spot], world)) for spot in where]
    reason, score = max(tried, key=lambda one: one[1])
    return Point(score, reason)


def _counted(want: Any, where: list[Spot], on: Any) -> Point:
    from pytest_ppteval.vocabulary.texts import in_range

    shown = ", ".join(spot.where for spot in where[:5]) or "none"
    return in_range(len(where), want, f"at {_shown(on)}: {shown}:")


def _shown(on: Any) -> str:
    if isinstance(on, dict):
        return ", ".join(f"{key} {value}" for key, value in on.items() if key not in ("count", "any", "none_is_fine"))
    return str(on)


def _nearest(on: Any, world: World) -> str:
    """What there is instead, for people."""
    if isinstance(on, dict) and "slide" in on and "shape" in on:
        slides = spots({"slide": on["slide"]}, world)
        if slides:
            names = [f"{shape.name!r} ({shape.kind})" for shape in slides[0].slide.shapes]
            return f"slide {slides[0].slide.number} holds {', '.join(names[:8]) or 'nothing'}"
    return f"the deck has {len(world.after.slides)} slides"


def _guarded(want: Any, world: World) -> tuple[str, float]:
    wanted = want if isinstance(want, dict) else {name: {} for name in (want if isinstance(want, list) else [want])}
    unknown_key("guard", wanted, guards.NAMES)
    found: list[str] = []
    for name, options in wanted.items():
        module = import_module(f"pytest_ppteval.vocabulary.guards.{name}")
        found.extend(f"{kind}: {said}" for kind, said in module.guard(options or {}, world))
    found = list(dict.fromkeys(found))
    if not found:
        return f"nothing got broken ({', '.join(wanted)})", 1.0
    more = f"; and {len(found) - 6} more" if len(found) > 6 else ""
    return "; ".join(found[:6]) + more, 0.0
