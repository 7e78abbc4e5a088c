"""`transition`: how slides come and go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import Point
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = ("kind", "duration", "direction", "variant", "advance_on_click", "advance_after", "sound", "same", "as_before")


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a kind ("fade", "push", "none"), "as_before", or a mapping with KEYS.

    Unless said, a transition lasts from 0.1 to 5 s. advance_after: seconds, or none. same: all alike, in duration too.
    """
    if want in (None, False):
        want = "none"
    if want == "as_before":
        want = {"as_before": True}
    elif isinstance(want, (str, list)):
        want = {"kind": want}
    unknown_key("transition", want, KEYS)
    slides = list({spot.slide.id: spot.slide for spot in spots}.values())
    for slide in slides:
        found, where = slide.transition, f"slide {slide.number}"
        kind = found.kind if found is not None else "none"
        kinds = want.get("kind")
        if kinds is not None:
            yield Point.of(
                kind in (kinds if isinstance(kinds, list) else [kinds]), f"{where}: transition {kind}, wanted {kinds}"
            )
        if kinds not in (None, "none") and found is not None:
            yield in_range(
                found.duration, want.get("duration", {"min": 0.1, "max": 5}), f"{where}: transition's seconds"
            )
        if "direction" in want:
            yield Point.of(
                found is not None and found.direction == want["direction"],
                f"{where}: direction {found.direction if found else None}",
            )
        if "variant" in want:
            yield Point.of(
                found is not None and found.variant == want["variant"],
                f"{where}: variant {found.variant if found else None}",
            )
        if "advance_on_click" in want:
            clicks = found is None or found.advance_on_click
            yield Point.of(
                clicks == bool(want["advance_on_click"]), f"{where}: {'goes' if clicks else 'does not go'} on by click"
            )
        if "advance_after" in want:
            after = found.advance_after if found is not None else None
            wish = want["advance_after"]
            right = (
                after is None
                if wish in (None, False, "none")
                else after is not None and in_range(after, wish, "").score == 1
            )
            yield Point.of(right, f"{where}: goes on by itself after {after} s, wanted {wish}")
        if "sound" in want:
            sound = found.sound if found is not None else None
            yield Point.of((sound is not None) == bool(want["sound"]), f"{where}: sound {sound}")
        if want.get("as_before"):
            was = world.was(slide)
            yield Point.of(
                was is not None and was.transition == found, f"{where}: its transition is no longer what it was"
            )
    if want.get("same"):
        looks = {
            (t.kind, t.direction, t.variant, round(t.duration, 1), t.sound) if (t := s.transition) else None
            for s in slides
        }
        yield Point.of(len(looks) == 1, f"{len(looks)} kinds of transition on {len(slides)} slides")
