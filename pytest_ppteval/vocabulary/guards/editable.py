"""`editable`: tables, charts, diagrams and texts are still what they were, not pictures of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.place import seen
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.rewritten import is_rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Shape, Slide
    from pytest_ppteval.vocabulary.world import World

_NATIVE = ("table", "chart", "SmartArt", "object")


def guard(options: dict[str, Any], world: World) -> Iterator[tuple[str, str]]:
    """Faults that the original has not: (kind, words). options: except: kinds that are allowed ("picture", "data")."""
    unknown_key("editable", options, ("except",))
    allowed = set(options.get("except", ())) | ({"data"} if is_rewritten(world) else set())  # LibreOffice keeps none
    for slide in world.after.slides:
        was = world.was(slide)
        if was is slide:
            continue
        for kind, said in _faults(slide, was, world):
            if kind not in allowed:
                yield kind, f"slide {slide.number}: {said}"


def _faults(slide: Slide, was: Slide | None, world: World) -> Iterator[tuple[str, str]]:
    new_pictures = [s for s in slide.shapes if s.picture is not None and world.shape_was(slide, s) is None and s.box]
    for old in was.shapes if was is not None else ():
        now = world.shape_now(was, old) if was is not None else None
        if now is None and (old.kind in _NATIVE or len(normal(old.words)) > 3) and old.box is not None:
            over = next((p for p in new_pictures if _stands_for(p, old)), None)
            if over is not None and not _said_elsewhere(slide, old):
                yield "picture", f"{old.name!r} has become the picture {over.name!r}"
        if now is not None and old.chart is not None and now.chart is None:
            yield "picture", f"{old.name!r} is no longer a chart"
    for shape in slide.shapes:
        if shape.chart is None:
            continue
        before = world.shape_was(slide, shape)
        had = before.chart.embedded if before is not None and before.chart is not None else True
        if had and not shape.chart.embedded:
            yield "data", f"{shape.name!r} has no workbook: its data can't be edited"


def _stands_for(picture: Shape, old: Shape) -> bool:
    assert picture.box is not None
    assert old.box is not None
    box = seen(old.box, old.rotation)
    return box.area > 0 and picture.box.overlap(box) > 0.5 * box.area


def _said_elsewhere(slide: Slide, old: Shape) -> bool:
    """Whether its words still stand on the slide: then it was moved into another shape, and the picture is one more."""
    words = normal(old.words)
    return bool(words) and old.kind not in _NATIVE and words in normal(slide.words)
