"""What the agent did, taken back piece by piece, done by half, in another place, or with another word or number."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from pytest_ppteval.deck.xmlnames import A, P, R

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Makes one difference between the approved deck and the original go away, or go wrong, in the deck that it is given.
Step = tuple[str, str, "Callable[[Any], bool]"]

_SHAPES = ("sp", "pic", "graphicFrame", "grpSp", "cxnSp")
# Of a slide, beside its shapes: the aspect and where it stands.
_OF_SLIDE = (("background", f"{P}cSld/{P}bg"), ("transition", f"{P}transition"), ("animation", f"{P}timing"))


def undoing(original: Any, approved: Any) -> Iterator[Step]:
    """(aspect, words, step) for each difference that can be taken back alone. Decks as python-pptx has them."""
    old_slides = {slide.slide_id: slide for slide in original.slides}
    for number, new in enumerate(approved.slides, 1):
        old = old_slides.get(new.slide_id)
        if old is None:
            yield "slide added", f"slide {number}: it is not there", _without(new.slide_id)
            continue
        yield from _of_slide(number, old, new)
    before = [slide.slide_id for slide in original.slides]
    after = [slide.slide_id for slide in approved.slides]
    if [one for one in after if one in before] != [one for one in before if one in after]:
        yield "slide moved", "slides in the order that they had", _in_order(before)


def spoiling(original: Any, approved: Any) -> Iterator[Step]:
    """As `undoing`: a letter and a digit of each text that is new."""
    old_slides = {slide.slide_id: slide for slide in original.slides}
    for number, new in enumerate(approved.slides, 1):
        old = old_slides.get(new.slide_id)
        known = _by_id(old) if old is not None else {}
        for name, element in _by_id(new).items():
            was = known.get(name)
            if was is not None and _same(was, element):
                continue
            said = {_words(one) for one in was.iter(A + "t")} if was is not None else set()
            fresh = [n for n, one in enumerate(element.iter(A + "t")) if _is_written(one) and _words(one) not in said]
            for aspect, pattern in (("a letter", r"[^\W\d_]"), ("a digit", r"\d")):
                hit = next((n for n in fresh if re.search(pattern, _words(list(element.iter(A + "t"))[n]))), None)
                if hit is not None:
                    yield (
                        "text",
                        f"slide {number}: {aspect} of what was written",
                        _other(new.slide_id, name, hit, pattern),
                    )


def halves(steps: list[Step]) -> Iterator[Step]:
    """Half of what was done: every other difference taken back, then the others."""
    if len(steps) > 1:
        for first, words in ((0, "the first half"), (1, "the second half")):
            some = steps[first::2]

            def both(deck: Any, some: list[Step] = some) -> bool:
                taken = [step(deck) for _, _, step in some]  # all of them
                return any(taken)

            yield "half", f"{words} of what was done is not done", both


def misplaced(original: Any, approved: Any) -> Iterator[Step]:
    """What was done to a shape of a slide, done to the next slide instead."""
    old_slides = {slide.slide_id: slide for slide in original.slides}
    slides = list(approved.slides)
    for number, new in enumerate(slides, 1):
        old = old_slides.get(new.slide_id)
        target = slides[number % len(slides)]
        if old is None or target.slide_id not in old_slides:
            continue
        for name, element in _by_id(new).items():
            was = _by_id(old).get(name)
            if was is None and not _linked(element):
                words = f"slide {number}: what was added is on the next slide"
                yield "shape added", words, _moved(new.slide_id, target.slide_id, name)
            elif was is not None and not _same(was, element) and not _linked(element) and not _linked(was):
                twin = next((n for n, one in _by_id(target).items() if _role(one) == _role(element)), None)
                if twin is not None and _role(element):
                    words = f"slide {number}: what was changed is on the next slide"
                    yield "text", words, _exchanged(new.slide_id, was, target.slide_id, element, twin)


# ---- of a slide ------------------------------------------------------------------------------------------------------


def _of_slide(number: int, old: Any, new: Any) -> Iterator[Step]:
    before, after = _by_id(old), _by_id(new)
    for name, element in after.items():
        was = before.get(name)
        words = f"slide {number}: {_name(element)!r}"
        if was is None:
            yield "shape added", f"{words} is not there", _swapped(new.slide_id, name, None)
        elif not _same(was, element) and _rels(old, was) == _rels(new, element):
            yield "shape changed", f"{words} is as it was", _swapped(new.slide_id, name, was)
        elif (chart := _chart(old, was, new, element)) is not None:
            yield "chart data", f"{words} shows what it showed", _chart_back(new.slide_id, name, chart)
    for name, was in before.items():
        if name not in after and not _linked(was):
            yield "shape removed", f"slide {number}: {_name(was)!r} is still there", _put_back(new.slide_id, was)
    if old._element.get("show") != new._element.get("show"):
        yield "hidden", f"slide {number}: hidden or shown as it was", _show(new.slide_id, old._element.get("show"))
    for aspect, path in _OF_SLIDE:
        was, now = old._element.find(path), new._element.find(path)
        if (was is None) != (now is None) or (was is not None and not _same(was, now)):
            if was is not None and _linked(was):
                continue
            yield aspect, f"slide {number}: its {aspect} is as it was", _part_back(new.slide_id, path, was)
    if (notes := _notes(old)) != _notes(new) and new.has_notes_slide:
        yield "notes", f"slide {number}: its notes are as they were", _notes_back(new.slide_id, notes)


def _by_id(slide: Any) -> dict[str, Any]:
    """The shapes of a slide that stand in no group, by id."""
    found = {}
    for element in slide.shapes._spTree:
        if isinstance(element.tag, str) and etree.QName(element).localname in _SHAPES:
            found[element.find(f"*/{P}cNvPr").get("id")] = element
    return found


def _name(element: Any) -> str:
    return str(element.find(f"*/{P}cNvPr").get("name") or "")


def _role(element: Any) -> str:
    """What a placeholder is for; "" for a shape that is none."""
    placeholder = element.find(f".//{P}nvPr/{P}ph")
    return str(placeholder.get("type") or "body") if placeholder is not None else ""


def _same(one: Any, other: Any) -> bool:
    return etree.tostring(one, method="c14n") == etree.tostring(other, method="c14n")


def _words(element: Any) -> str:
    return element.text or ""


def _is_written(text: Any) -> bool:
    """Whether it says something, and no field that works it out itself."""
    return bool(_words(text)) and text.getparent().tag != A + "fld"


def _linked(element: Any) -> bool:
    """Whether it names relations: it can't be taken to another part."""
    return any(str(name).startswith(R) for one in element.iter() for name in one.attrib)


def _rels(slide: Any, element: Any) -> list[tuple[str, str]]:
    """What an element's relations lead to: (id, target)."""
    found = []
    for one in element.iter():
        for name, value in one.attrib.items():
            if str(name).startswith(R) and (relation := slide.part.rels.get(value)) is not None:
                found.append((str(value), relation.target_ref))
    return found


def _notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return frame.text if frame is not None else ""


def _chart(old: Any, was: Any, new: Any, element: Any) -> Any:
    """The old chart, where a shape holds one that differs."""
    roots = []
    for slide, one in ((old, was), (new, element)):
        link = next(one.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"), None)
        relation = slide.part.rels.get(link.get(R + "id")) if link is not None else None
        if relation is None:
            return None
        roots.append(relation.target_part._element)
    return None if _same(*roots) else roots[0]


# ---- steps -----------------------------------------------------------------------------------------------------------


def _slide(deck: Any, slide_id: int) -> Any:
    return next((slide for slide in deck.slides if slide.slide_id == slide_id), None)


def _without(slide_id: int) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        ids = deck.slides._sldIdLst
        for item in ids:
            if item.id == slide_id and len(ids) > 1:
                deck.part.drop_rel(item.rId)
                ids.remove(item)
                return True
        return False

    return step


def _in_order(before: list[int]) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        ids = deck.slides._sldIdLst
        for item in sorted(ids, key=lambda one: before.index(one.id) if one.id in before else len(before)):
            ids.append(item)
        return True

    return step


def _swapped(slide_id: int, name: str, other: Any) -> Callable[[Any], bool]:
    """A shape's place taken by a copy of `other`, or by nothing."""

    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        element = _by_id(slide).get(name) if slide is not None else None
        if element is None:
            return False
        if other is not None:
            element.addnext(copy.deepcopy(other))
        element.getparent().remove(element)
        return True

    return step


def _put_back(slide_id: int, was: Any) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        shapes = list(_by_id(slide).values()) if slide is not None else []
        if not shapes:
            return False
        shapes[-1].addnext(copy.deepcopy(was))
        return True

    return step


def _show(slide_id: int, value: str | None) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        if slide is None:
            return False
        slide._element.attrib.pop("show", None)
        if value is not None:
            slide._element.set("show", value)
        return True

    return step


def _part_back(slide_id: int, path: str, was: Any) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        now = slide._element.find(path) if slide is not None else None
        if slide is None:
            return False
        if now is not None:
            if was is not None:
                now.addnext(copy.deepcopy(was))
            now.getparent().remove(now)
            return True
        parent = slide._element.find(P + "cSld")
        if path.endswith("bg"):
            parent.insert(0, copy.deepcopy(was))
            return True
        place = slide._element.find(P + "clrMapOvr")
        (place if place is not None else parent).addnext(copy.deepcopy(was))
        return True

    return step


def _notes_back(slide_id: int, notes: str) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        frame = slide.notes_slide.notes_text_frame if slide is not None else None
        if frame is None:
            return False
        frame.text = notes
        return True

    return step


def _chart_back(slide_id: int, name: str, chart: Any) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        element = _by_id(slide).get(name) if slide is not None else None
        if element is None:
            return False
        link = next(element.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"))
        root = slide.part.rels[link.get(R + "id")].target_part._element
        data = root.find(".//{http://schemas.openxmlformats.org/drawingml/2006/chart}chart")
        old = chart.find(".//{http://schemas.openxmlformats.org/drawingml/2006/chart}chart")
        data.addnext(copy.deepcopy(old))
        data.getparent().remove(data)
        return True

    return step


def _other(slide_id: int, name: str, number: int, pattern: str) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide = _slide(deck, slide_id)
        element = _by_id(slide).get(name) if slide is not None else None
        texts = list(element.iter(A + "t")) if element is not None else []
        if number >= len(texts):
            return False
        words = _words(texts[number])
        found = re.search(pattern, words)
        if found is None:
            return False
        other = ("7" if found[0] != "7" else "3") if found[0].isdigit() else ("x" if found[0] != "x" else "y")
        texts[number].text = words[: found.start()] + other + words[found.end() :]
        return True

    return step


def _moved(slide_id: int, target_id: int, name: str) -> Callable[[Any], bool]:
    def step(deck: Any) -> bool:
        slide, target = _slide(deck, slide_id), _slide(deck, target_id)
        element = _by_id(slide).get(name) if slide is not None else None
        others = list(_by_id(target).values()) if target is not None else []
        if element is None or not others:
            return False
        element.find(f"*/{P}cNvPr").set("id", str(max(int(one) for one in _by_id(target)) + 1))
        others[-1].addnext(element)
        return True

    return step


def _exchanged(slide_id: int, was: Any, target_id: int, now: Any, twin: str) -> Callable[[Any], bool]:
    name = was.find(f"*/{P}cNvPr").get("id")

    def step(deck: Any) -> bool:
        changed = copy.deepcopy(now)
        changed.find(f"*/{P}cNvPr").set("id", twin)
        return _swapped(slide_id, name, was)(deck) and _swapped(target_id, twin, changed)(deck)

    return step
