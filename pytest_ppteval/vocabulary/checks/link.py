"""`link`: where words or shapes lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.address import slides
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import Point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: an address; or {to: address | {slide: ADDRESS}, words: only these are linked}; or none.

    With words in the leaf's `on`, exactly these words must be the link: no less, and no more but blanks and marks.
    """
    if isinstance(want, str) or want is None or want is False:
        want = {"to": want}
    unknown_key("link", want, ("to", "only"))
    targets = _targets(want.get("to"), world)
    for spot in spots:
        runs = spot.runs
        shape_link = spot.shape.link if spot.shape is not None and spot.words is None else None
        if not targets:
            linked = [run.text for run in runs if run.link] + ([shape_link] if shape_link else [])
            yield Point.of(not linked, f"{spot.where}: links on {linked}")
            continue
        if shape_link is not None and _clean(shape_link) in targets:
            yield Point(1.0, f"{spot.where}: leads to {shape_link}")
            continue
        right = sum(len(run.text.strip()) for run in runs if run.link and _clean(run.link) in targets)
        whole = sum(len(run.text.strip()) for run in runs)
        if spot.words is None:
            yield Point.of(right > 0, f"{spot.where}: nothing leads to {want['to']}")
            continue
        found = sorted({run.link or "nowhere" for run in runs})
        yield Point(
            right / whole if whole else 0.0,
            f"{spot.where}: {spot.words!r} leads to {', '.join(found)}, wanted {want['to']}",
        )
        if want.get("only", True):
            yield _no_more(spot, targets)


def _no_more(spot: Spot, targets: set[str]) -> Point:
    """Whether the link ends where the words end."""
    linked = normal("".join(r.text for p in spot.paragraphs for r in p.runs if r.link and _clean(r.link) in targets))
    extra = linked.replace(normal(spot.words or ""), "")
    return Point.of(not any(char.isalnum() for char in extra), f"{spot.where}: the link is on {linked!r}")


def _targets(want: Any, world: World) -> set[str]:
    if want in (None, False, "none"):
        return set()
    if isinstance(want, dict):
        return {f"slide {slide.id}" for slide in slides(want.get("slide"), world)}
    return {_clean(one) for one in (want if isinstance(want, list) else [str(want)])}


def _clean(address: str) -> str:
    """An address as browsers see it: a slash at its end and the case of its host make no difference."""
    scheme, mark, rest = address.strip().partition("://")
    if not mark:
        return address.strip()
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/")
