"""Addresses: which slides, shapes, cells and words a leaf speaks of.

`on: {slide: 5}`
`on: {slide: {title: "Next steps"}, shape: {placeholder: body}}`
`on: {slide: all, shape: {kind: chart}}`
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.vocabulary.finding import LeafError
from pytest_ppteval.vocabulary.spot import Spot
from pytest_ppteval.vocabulary.texts import is_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_ppteval.look.model import Cell, Deck, Paragraph, Shape, Slide, Table
    from pytest_ppteval.vocabulary.world import World

ON_KEYS = ("slide", "shape", "cell", "row", "column", "paragraph", "words", "deck", "count", "any", "none_is_fine")
SLIDE_KEYS = (
    "number", "id", "title", "was", "text", "added", "hidden", "layout", "section", "after", "from", "to", "changed",
    "not", "has",
)  # fmt: skip
SHAPE_KEYS = (
    "kind", "name", "id", "placeholder", "title", "text", "alt", "added", "changed", "largest", "nearest", "picture",
    "group", "top_level", "index", "was", "link", "not", "geometry", "filled", "any",
    "field",
)  # fmt: skip
# How authors call placeholders -> the types in files that it may mean.
_PLACEHOLDERS = {
    "title": ("title", "ctrTitle"),
    "subtitle": ("subTitle",),
    "body": ("body", "obj", "subTitle"),
    "content": ("obj", "body"),
    "footer": ("ftr",),
    "date": ("dt",),
    "number": ("sldNum",),
    "slide number": ("sldNum",),
    "picture": ("pic",),
    "table": ("tbl",),
    "chart": ("chart",),
}
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")


def spots(on: Any, world: World) -> list[Spot]:
    """All places that an address means; empty where there are none. Raises LeafError."""
    if on is None:
        on = {"slide": "all"}
    if isinstance(on, (int, str)):
        on = {"slide": on}
    _known(on, ON_KEYS, "on")
    old = on.get("deck", "after") in ("before", "original")
    found: list[Spot] = []
    for slide in slides(on.get("slide", "all"), world, old=old):
        if "shape" in on or "cell" in on or "row" in on or "column" in on:
            for shape in shapes(on.get("shape", {}), slide, world, old=old):
                found.extend(_within(Spot(slide, shape, old=old), on))
        else:
            found.extend(_within(Spot(slide, old=old), on))
    return found


def _within(spot: Spot, on: dict[str, Any]) -> Iterator[Spot]:
    """The spot narrowed down to cells, paragraphs and words."""
    inner: list[Spot] = [spot]
    if {"cell", "row", "column"} & on.keys():
        table = spot.shape.table if spot.shape is not None else None
        if table is None:
            return
        cells = list(cells_of(table, on.get("cell") or {key: on[key] for key in ("row", "column") if key in on}))
        inner = [Spot(spot.slide, spot.shape, cell, old=spot.old) for cell in cells]
    for one in inner:
        if "paragraph" in on:
            chosen = tuple(paragraphs_of(one.paragraphs, on["paragraph"]))
            if not chosen:
                continue
            one = Spot(one.slide, one.shape, one.cell, chosen, old=one.old)
        if "words" in on:
            one = Spot(one.slide, one.shape, one.cell, one.chosen, str(on["words"]), old=one.old)
            if not one.runs:
                continue
        yield one


# ---- slides ----------------------------------------------------------------------------------------------------------


def slides(want: Any, world: World, *, old: bool = False) -> list[Slide]:
    """The slides that an address means, of the new deck or (old) of the original."""
    deck = world.before if old else world.after
    if want == "all" or want is None:
        return list(deck.slides)
    if isinstance(want, bool) or not isinstance(want, (int, str, list, dict)):
        raise LeafError(f"slide: {want!r} is no address: use a number, a title, a list, 'all', or a mapping")
    if isinstance(want, int):
        found = deck.slide(want)
        return [found] if found is not None else []
    if isinstance(want, str):
        if want == "first":
            return [deck.slides[0]] if deck.slides else []
        if want == "last":
            return [deck.slides[-1]] if deck.slides else []
        return [slide for slide in deck.slides if normal(slide.title or "") == normal(want)]
    if isinstance(want, list):
        return list({id(s): s for one in want for s in slides(one, world, old=old)}.values())
    _known(want, SLIDE_KEYS, "slide")
    return [slide for slide in deck.slides if _is_slide(slide, want, world, deck)]


def _is_slide(slide: Slide, want: dict[str, Any], world: World, deck: Deck) -> bool:
    for key, value in want.items():
        match key:
            case "number":
                good = slide.number in _list(value)
            case "id":
                good = slide.id == str(value)
            case "title":
                good = is_match(slide.title or "", value)
            case "was":
                ids = {old.id for old in slides(value, world, old=True)}
                good = slide.id in ids
            case "text":
                good = is_match(slide.words, {"contains": value} if isinstance(value, str) else value)
            case "added":
                good = (world.was(slide) is None) == bool(value)
            case "changed":
                changed = {change.slide_id for change in world.account.changes if change.what != "rewritten"}
                good = (slide.id in changed) == bool(value)
            case "hidden":
                good = slide.hidden == bool(value)
            case "layout":
                good = is_match(slide.layout or "", value)
            case "section":
                good = is_match(slide.section or "", value)
            case "after":
                good = any(slide.number == other.number + 1 for other in slides(value, world, old=deck is world.before))
            case "from":
                good = slide.number >= int(value)
            case "to":
                good = slide.number <= int(value)
            case "not":
                good = slide not in slides(value, world, old=deck is world.before)
            case _:  # "has"
                good = bool(shapes(value, slide, world, old=deck is world.before))
        if not good:
            return False
    return True


# ---- shapes ----------------------------------------------------------------------------------------------------------


def shapes(want: Any, slide: Slide, world: World, *, old: bool = False) -> list[Shape]:
    """The shapes of a slide that an address means, lowest first."""
    if want == "all":
        want = {}
    if isinstance(want, str):
        want = {"name": want}
    if isinstance(want, list):
        return list({id(s): s for one in want for s in shapes(one, slide, world, old=old)}.values())
    if not isinstance(want, dict):
        raise LeafError(f"shape: {want!r} is no address: use a name, a mapping, a list or 'all'")
    _known(want, SHAPE_KEYS, "shape")
    found = [shape for shape in slide.shapes if _is_shape(shape, want, slide, world, old)]
    if "nearest" in want:
        anchors = [s for s in shapes(want["nearest"], slide, world, old=old) if s.box is not None]
        placed = [shape for shape in found if shape.box is not None and shape not in anchors]
        found = (
            sorted(placed, key=lambda shape: min((_gap(shape, a) for a in anchors), default=0.0))[:1] if anchors else []
        )
    if want.get("largest"):
        found = sorted((s for s in found if s.box is not None), key=lambda s: s.box.area if s.box else 0.0)[-1:]
    if "index" in want:
        ordered = sorted(found, key=_reading_order)
        places = [int(place) for place in _list(want["index"])]
        found = [ordered[place - 1] for place in places if 1 <= place <= len(ordered)]
    return found


def _is_shape(shape: Shape, want: dict[str, Any], slide: Slide, world: World, old: bool) -> bool:
    for key, value in want.items():
        match key:
            case "kind":
                kinds = [str(one) for one in _list(value)]
                good = shape.kind in kinds or (
                    ("text" in kinds and shape.text is not None and bool(shape.words.strip()))
                    or ("media" in kinds and shape.media is not None)
                    or (shape.placeholder is not None and "placeholder" in kinds)
                )
            case "name":
                good = is_match(shape.name, value)
            case "id":
                good = shape.id in [str(one) for one in _list(value)]
            case "placeholder":
                good = _is_placeholder(shape, value)
            case "title":
                good = (shape.placeholder in ("title", "ctrTitle")) == bool(value)
            case "text":
                good = is_match(shape.words, value)
            case "alt":
                good = is_match(shape.alt, value)
            case "added":
                good = (not old and world.shape_was(slide, shape) is None) == bool(value)
            case "changed":
                good = (not old and _is_changed(shape, slide, world)) == bool(value)
            case "picture":
                good = shape.picture is not None and _same_picture(shape, value, world)
            case "group":
                holders = {group.id for group in shapes(value, slide, world, old=old)}
                good = bool(holders & set(shape.groups))
            case "top_level":
                good = (not shape.groups) == bool(value)
            case "was":
                olds = {id(s) for before in _as_slides(slide, world) for s in shapes(value, before, world, old=True)}
                was = shape if old else world.shape_was(slide, shape)
                good = was is not None and id(was) in olds
            case "link":
                good = (shape.link is not None or any(run.link for text in shape.texts for run in text.runs)) == bool(
                    value
                )
            case "field":
                fields = {(run.field or "").lower() for text in shape.texts for run in text.runs if run.kind == "field"}
                good = bool(fields & {str(one).lower() for one in _list(value)}) if value is not True else bool(fields)
            case "geometry":
                good = shape.geometry in [str(one) for one in _list(value)]
            case "filled":
                good = (shape.fill.kind != "none") == bool(value)
            case "not":
                good = shape not in shapes(value, slide, world, old=old)
            case "any":
                good = any(_is_shape(shape, one, slide, world, old) for one in value)
            case _:  # largest, nearest, index: of the shapes that are left
                good = True
        if not good:
            return False
    return True


def _as_slides(slide: Slide, world: World) -> list[Slide]:
    was = world.was(slide)
    return [was] if was is not None else []


def _is_placeholder(shape: Shape, want: Any) -> bool:
    if isinstance(want, bool):
        return (shape.placeholder is not None) == want
    if isinstance(want, int):
        return shape.placeholder_index == want
    if want == "any":
        return shape.placeholder is not None
    return any(shape.placeholder in _PLACEHOLDERS.get(str(one), (str(one),)) for one in _list(want))


def is_furniture(shape: Shape) -> bool:
    """Whether the shape is a slide's number, date or footer."""
    return shape.placeholder in _FURNITURE


def _is_changed(shape: Shape, slide: Slide, world: World) -> bool:
    return any(
        change.slide_id == slide.id and change.shape_id == shape.id and change.what != "rewritten"
        for change in world.account.changes
    )


def _same_picture(shape: Shape, want: Any, world: World) -> bool:
    """Whether the shape shows the image that a picture of the original shows. want: an address of it, or true."""
    if want is True:
        return True
    images = {
        spot.shape.picture.image
        for spot in spots({**want, "deck": "before"}, world)
        if spot.shape is not None and spot.shape.picture is not None
    }
    return shape.picture is not None and shape.picture.image in images


def _gap(one: Shape, other: Shape) -> float:
    assert one.box is not None
    assert other.box is not None
    (x, y), (u, v) = one.box.centre, other.box.centre
    return (x - u) ** 2 + (y - v) ** 2


def _reading_order(shape: Shape) -> tuple[float, float]:
    return (round(shape.box.y / 457_200), shape.box.x) if shape.box is not None else (1e9, 1e9)


# ---- inside a shape --------------------------------------------------------------------------------------------------


def cells_of(table: Table, want: Any) -> Iterator[Cell]:
    """The cells that are meant: "all", or {row, column, text, body}."""
    if want == "all":
        want = {}
    _known(want, ("row", "column", "text", "body"), "cell")
    rows = rows_of(table, want["row"]) if "row" in want else list(range(len(table.rows)))
    columns = columns_of(table, want["column"]) if "column" in want else None
    if want.get("body"):
        rows = [row for row in rows if row > 0]
    for row in rows:
        for cell in table.rows[row]:
            if columns is not None and cell.column not in columns:
                continue
            if not cell.merged and ("text" not in want or is_match(cell.text.text, want["text"])):
                yield cell


def rows_of(table: Table, want: Any) -> list[int]:
    """Places, from 0, of the rows that are meant: by number from 1 (-1: the last) or by their first text."""
    return _lines([row[0].text.text if row else "" for row in table.rows], want)


def columns_of(table: Table, want: Any) -> list[int]:
    """Places, from 0, of the columns that are meant: by number from 1 (-1 is the last) or by their heading."""
    return _lines([cell.text.text for cell in table.rows[0]] if table.rows else [], want)


def _lines(names: Sequence[str], want: Any) -> list[int]:
    found: list[int] = []
    for one in _list(want):
        if isinstance(one, int) and not isinstance(one, bool):
            place = one - 1 if one > 0 else len(names) + one
            found += [place] if 0 <= place < len(names) else []
        else:
            found += [place for place, name in enumerate(names) if is_match(name, one)]
    return found


def paragraphs_of(paragraphs: Iterable[Paragraph], want: Any) -> Iterator[Paragraph]:
    """The paragraphs that are meant, of those that say something: a number, a text, a list, or a mapping."""
    shown = [paragraph for paragraph in paragraphs if paragraph.text.strip()]
    if isinstance(want, int) and not isinstance(want, bool):
        yield from shown[want - 1 : want] if want > 0 else shown[want:][:1]
    elif isinstance(want, list):
        yield from (p for one in want for p in paragraphs_of(shown, one))
    elif isinstance(want, str):
        yield from (p for p in shown if is_match(p.text, want))
    else:
        _known(want, ("level", "text", "number"), "paragraph")
        for number, paragraph in enumerate(shown, 1):
            level_is = "level" not in want or paragraph.level in _list(want["level"])
            number_is = "number" not in want or number in _list(want["number"])
            if level_is and number_is and ("text" not in want or is_match(paragraph.text, want["text"])):
                yield paragraph


def _known(want: Any, keys: Sequence[str], name: str) -> None:
    if not isinstance(want, dict):
        raise LeafError(f"{name}: {want!r} is no address: a mapping is wanted")
    for key in want:
        if key not in keys:
            near = get_close_matches(str(key), keys, 1)
            raise LeafError(
                f"{name}: unknown key {key!r}: " + (f"did you mean {near[0]!r}?" if near else f"use {', '.join(keys)}")
            )


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
