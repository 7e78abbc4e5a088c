"""Of a master or layout that was modified: whether only its background differs, or only words that no slide shows."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical
from pytest_ppteval.deck.parts import element_of, related
from pytest_ppteval.deck.xmlnames import A, P

if TYPE_CHECKING:
    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.deck.side import Side

BACKGROUND, PROMPTS = "background", "placeholder texts"


def parts_changed(before: Side, old: Part, after: Side, new: Part) -> tuple[str, ...]:
    """BACKGROUND, PROMPTS or both where nothing else of the design or its theme differs; else nothing.

    Texts of a design's placeholders are prompts: a slide shows its own, or none.
    """
    was, now = element_of(old), element_of(new)
    if was is None or now is None:
        return ()
    themes = [
        [side.shown.digest(theme) for theme in related(part, "theme")] for side, part in ((before, old), (after, new))
    ]
    if themes[0] != themes[1] or _bare(before, old, was) != _bare(after, new, now):
        return ()
    found = []
    if _background(before, old, was) != _background(after, new, now):
        found.append(BACKGROUND)
    if _prompts(was) != _prompts(now):
        found.append(PROMPTS)
    return tuple(found)


def _bare(side: Side, part: Part, element: etree._Element) -> str:
    copy = deepcopy(element)
    for body in _bodies(copy):
        for paragraph in body.findall(A + "p"):
            body.remove(paragraph)
    return side.shown.element_digest(part, copy, (P + "bg", P + "sldLayoutIdLst"))


def _background(side: Side, part: Part, element: etree._Element) -> str | None:
    found = element.find(f"{P}cSld/{P}bg")
    return side.shown.element_digest(part, found, ()) if found is not None else None


def _prompts(element: etree._Element) -> list[bytes]:
    return [canonical(paragraph) for body in _bodies(element) for paragraph in body.findall(A + "p")]


def _bodies(element: etree._Element) -> list[etree._Element]:
    shapes = element.iter(P + "sp")
    holders = [shape for shape in shapes if shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph") is not None]
    return [body for shape in holders if (body := shape.find(P + "txBody")) is not None]
