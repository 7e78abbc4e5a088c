"""`legible`: everything can still be read: size, contrast, place, room, and nothing hidden, stretched or left empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.colour import contrast, over
from pytest_ppteval.look.model import EMU_PER_CM, Box
from pytest_ppteval.look.place import seen
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.address import is_furniture, slides
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.checks.chart import unreadable
from pytest_ppteval.vocabulary.fit import inked, room_of, width_of
from pytest_ppteval.vocabulary.ground import ground_of
from pytest_ppteval.vocabulary.rewritten import is_rewritten
from pytest_ppteval.vocabulary.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Deck, Shape, Slide, Text
    from pytest_ppteval.vocabulary.world import World

KEYS = ("slides", "except", "size", "contrast")
FAULTS = (
    "hidden", "size", "contrast", "transparent", "off slide", "overflow", "overlap", "covered", "stretched", "empty",
    "tiny shape", "font", "chart", "table", "footer",
)  # fmt: skip
_SYMBOLS = ("wingdings", "webdings", "symbol", "marlett", "zapf dingbats", "wingdings 2", "wingdings 3")
# What LibreOffice may do to footers by itself when it writes a deck anew.
_WRITERS = ("footer",)
_LEAST_SIZE, _LEAST_CONTRAST = 9.0, 3.0


def guard(options: dict[str, Any], world: World) -> Iterator[tuple[str, str]]:
    """Faults that the original has not: (kind, words).

    options: slides: an address of those that are looked at; except: kinds of FAULTS that are allowed; size: points;
    contrast: the least of each.
    """
    unknown_key("legible", options, KEYS)
    allowed = set(options.get("except", ()))
    least = float(options.get("size", _LEAST_SIZE)), float(options.get("contrast", _LEAST_CONTRAST))
    rewritten = is_rewritten(world)
    for slide in slides(options.get("slides", "all"), world):
        was = world.was(slide)
        if was is slide:
            continue
        for kind, said in _faults(slide, was, world, least):
            if kind not in allowed and not (rewritten and kind in _WRITERS):
                yield kind, f"slide {slide.number}: {said}"


def _faults(slide: Slide, was: Slide | None, world: World, least: tuple[float, float]) -> Iterator[tuple[str, str]]:
    if slide.hidden and not (was is not None and was.hidden):
        yield "hidden", "is hidden now"
    for shape in slide.shapes:
        old = world.shape_was(slide, shape)
        same_ground = was is not None and was.background == slide.background
        if (
            old is not None
            and same_ground
            and _same_but_order(old, shape)
            and not _covered_anew(slide, was, shape, old)
        ):
            continue
        now = dict(_of_shape(shape, slide, world.after, least))
        before = dict(_of_shape(old, was, world.before, least)) if old is not None and was is not None else {}
        for kind, said in now.items():
            if kind not in before or _is_worse(kind, shape, old):
                yield kind, said
        yield from _against(shape, old, slide)
    yield from _overlaps(slide, was, world)


def _same_but_order(old: Shape, new: Shape) -> bool:
    from dataclasses import replace

    return replace(old, z=0) == replace(new, z=0)


def _covered_anew(slide: Slide, was: Slide | None, shape: Shape, old: Shape) -> bool:
    return was is None or (_cover(slide, shape) is not None) != (_cover(was, old) is not None)


def _is_worse(kind: str, shape: Shape, old: Shape | None) -> bool:
    """Whether a fault that was there before has become clearly worse."""
    if old is None or kind != "size":
        return False
    return _smallest(shape) < 0.8 * _smallest(old)


def _smallest(shape: Shape) -> float:
    return min((run.size for text in shape.texts for run in text.runs), default=99.0)


def _of_shape(shape: Shape, slide: Slide, deck: Deck, least: tuple[float, float]) -> Iterator[tuple[str, str]]:
    """What is wrong with one shape by itself."""
    name = repr(shape.name)
    speaks = bool(shape.words.strip())
    if shape.hidden and (speaks or shape.kind in ("picture", "chart", "table")):
        yield "hidden", f"{name} is hidden"
        return
    if shape.box is not None and shape.kind not in ("group", "connector") and (speaks or shape.picture or shape.chart):
        box = seen(shape.box, shape.rotation)
        whole = Box(0, 0, deck.width, deck.height)
        if box.area and whole.overlap(box) < 0.9 * box.area and not is_furniture(shape):
            yield "off slide", f"{name} is {1 - whole.overlap(box) / box.area:.0%} off the slide"
        elif speaks and shape.text is not None and not shape.text.wrap and not is_furniture(shape):
            ink = seen(inked(shape.text, shape.box), shape.rotation)
            if ink.area and whole.overlap(ink) < 0.9 * ink.area:
                yield "off slide", f"the text of {name} is not wrapped and runs off the slide"
        if speaks and shape.text is not None and min(box.width, box.height) < 0.5 * EMU_PER_CM:
            yield "tiny shape", f"{name} holds text and is {min(box.width, box.height) / EMU_PER_CM:.1f} cm small"
    if shape.placeholder is not None and not speaks and _is_bare(shape):
        yield "empty", f"{name} is an empty placeholder"
    if shape.picture is not None:
        if shape.picture.alpha < 0.3:
            yield "transparent", f"{name} is at {shape.picture.alpha:.0%} opacity"
        if shape.picture.stretch is not None and abs(shape.picture.stretch - 1) > 0.04:
            yield "stretched", f"{name} is drawn {shape.picture.stretch:.2f} times as wide as it is"
    if shape.chart is not None:
        for point in unreadable(shape.chart, Spot(slide, shape)):
            if point.score < 1:
                yield "chart", point.said.partition(": ")[2]
    yield from _of_text(shape, slide, least)
    if shape.table is not None:
        yield from _of_table(shape)


def _is_bare(shape: Shape) -> bool:
    nothing = not (shape.picture or shape.chart or shape.table or shape.diagram or shape.media or shape.object_type)
    return nothing and not is_furniture(shape)


def _of_text(shape: Shape, slide: Slide, least: tuple[float, float]) -> Iterator[tuple[str, str]]:
    spots = [Spot(slide, shape)]
    if shape.table is not None:
        spots = [Spot(slide, shape, cell) for row in shape.table.rows for cell in row if not cell.merged]
    for spot in spots:
        ground = ground_of(spot) if spot.runs else None
        for run in spot.runs:
            words = repr(run.text.strip()[:30])
            if run.size < least[0] and run.baseline == 0:
                yield "size", f"{words} is at {run.size:g} pt"
            if run.colour.alpha < 0.5:
                yield "transparent", f"{words} is at {run.colour.alpha:.0%} opacity"
            elif ground is not None and run.outline is None:
                ratio = contrast(over(run.colour, ground), ground)
                if ratio < least[1]:
                    yield (
                        "footer" if is_furniture(shape) else "contrast",
                        f"{words} is #{run.colour.rgb} on #{ground.rgb}, contrast {ratio:.1f}",
                    )
            letters = any(char.isalpha() for char in run.text)
            if letters and run.font.lower() in _SYMBOLS:
                yield "font", f"{words} is in {run.font}"
    if shape.text is not None and shape.box is not None and shape.words.strip():
        yield from _overflow(shape, shape.text, shape.box)


def _overflow(shape: Shape, text: Text, box: Box) -> Iterator[tuple[str, str]]:
    """Text that can't fit, by far: the estimate is not exact."""
    if text.warp is not None or shape.rotation % 180 > 45:
        return
    needed = room_of(text, box.width)
    if text.autofit == "none" and needed.height > 1.35 * box.height + 2 * EMU_PER_CM:
        yield (
            "overflow",
            f"{shape.name!r} needs {needed.height / EMU_PER_CM:.1f} cm, is {box.height / EMU_PER_CM:.1f} cm high",
        )
    free = box.width - text.insets[0] - text.insets[2]
    if text.wrap and needed.longest_word > 1.6 * max(free, 1.0) and free < 4 * EMU_PER_CM:
        yield "overflow", f"{shape.name!r} is too narrow for its words"


def _of_table(shape: Shape) -> Iterator[tuple[str, str]]:
    assert shape.table is not None
    for row in shape.table.rows:
        for cell in row:
            if cell.merged or not cell.text.text.strip() or cell.column >= len(shape.table.widths):
                continue
            width = sum(shape.table.widths[cell.column : cell.column + cell.spans[1]])
            free = width - cell.text.insets[0] - cell.text.insets[2]
            size = max((run.size for run in cell.text.runs), default=18.0)
            if free < min(width_of("mm", size), 0.9 * room_of(cell.text, width).longest_word):
                yield "table", f"{shape.name!r}: column {cell.column + 1} is {width / EMU_PER_CM:.1f} cm wide"
                return


def _against(shape: Shape, old: Shape | None, slide: Slide) -> Iterator[tuple[str, str]]:
    """What has become worse of a shape, though it may pass by itself."""
    if old is None:
        return
    if normal(old.words) and not normal(shape.words) and shape.placeholder is not None and _is_bare(shape):
        yield "empty", f"{shape.name!r} has lost its text"
    sizes = {normal(run.text): run.size for text in old.texts for run in text.runs}
    for text in shape.texts:
        for run in text.runs:
            was = sizes.get(normal(run.text))
            if was is None:
                was = max(sizes.values(), default=0.0) if len(set(sizes.values())) == 1 else None
            if was is not None and run.size <= 0.5 * was:
                yield "size", f"{run.text.strip()[:30]!r} is at {run.size:g} pt, was at {was:g}"
                return
    cover = _cover(slide, shape)
    if cover is not None and shape.words.strip():
        yield "covered", f"{shape.name!r} lies under {cover.name!r}"


def _cover(slide: Slide, shape: Shape) -> Shape | None:
    """An opaque shape that lies over most of another that says something."""
    if shape.box is None or not shape.words.strip() or shape.text is None:
        return None
    ink = inked(shape.text, shape.box)
    for other in slide.shapes:
        if other.z <= shape.z or other.box is None or other.hidden or other.kind in ("group", "connector"):
            continue
        solid = other.fill.colour is not None and other.fill.colour.alpha > 0.9 and other.fill.kind != "none"
        opaque = solid or (other.picture is not None and other.picture.alpha > 0.9) or other.fill.kind == "picture"
        if opaque and seen(other.box, other.rotation).overlap(ink) > 0.5 * ink.area:
            return other
    return None


def _overlaps(slide: Slide, was: Slide | None, world: World) -> Iterator[tuple[str, str]]:
    """Texts over each other that were not."""
    spoken = [s for s in slide.shapes if s.text is not None and s.box is not None and s.words.strip() and not s.hidden]
    inks = [(shape, _ink(shape)) for shape in spoken]
    for number, (one, ink) in enumerate(inks):
        for other, other_ink in inks[number + 1 :]:
            if not _collide(ink, other_ink):
                continue
            olds = world.shape_was(slide, one), world.shape_was(slide, other)
            if (
                was is not None
                and olds[0] is not None
                and olds[1] is not None
                and _collide(_ink(olds[0]), _ink(olds[1]))
            ):
                continue
            yield "overlap", f"the texts of {one.name!r} and {other.name!r} lie over each other"


def _ink(shape: Shape) -> Box:
    assert shape.box is not None
    if shape.text is None:
        return shape.box
    return seen(inked(shape.text, shape.box), shape.rotation)


def _collide(one: Box, other: Box) -> bool:
    common = one.overlap(other)
    return common > 0.35 * min(one.area, other.area)
