"""One slide as data: title, layout, notes, and the digest that says whether its content changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import is_computed
from pytest_ppteval.deck.model import Slide
from pytest_ppteval.deck.parts import element_of, related
from pytest_ppteval.deck.text import collapse, runs
from pytest_ppteval.deck.xmlnames import A, P, text_of

if TYPE_CHECKING:
    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.parts import PartReader

_SHAPE = P + "sp"


def read_slide(slide: SlidePart, reader: PartReader) -> Slide:
    """The record of a slide. `reader` belongs to its deck."""
    return Slide(
        slide_id=slide.slide_id,
        slide_number=slide.number,
        title=title(slide.element),
        layout_type=layout_name(slide.part),
        element_count=sum(1 for _ in slide.element.iter(_SHAPE)),
        notes=notes(slide.part),
        content_hash=reader.digest(slide.part),
        hidden=is_hidden(slide.element),
    )


def title(slide: etree._Element) -> str | None:
    """The text of the first title placeholder, else of the first shape whose name contains "title"; None when empty."""
    named = None
    for shape in slide.iter(_SHAPE):
        placeholder = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        if placeholder is not None and placeholder.get("type") in ("title", "ctrTitle"):
            return collapse("".join(runs(shape)))
        properties = shape.find(f"{P}nvSpPr/{P}cNvPr")
        if named is None and properties is not None and "title" in properties.get("name", "").lower():
            named = shape
    return collapse("".join(runs(named))) if named is not None else None


def notes_part(slide: Part) -> Part | None:
    """The slide's notes page, where it has one. (`slide.notes_slide` would make one.)"""
    return next(related(slide, "notesSlide"), None)


def notes(slide: Part) -> str | None:
    """All text of the notes page, runs that have some joined with a space, stripped; None when empty."""
    page = notes_part(slide)
    element = element_of(page) if page is not None else None
    return " ".join(filter(None, runs(element))).strip() or None if element is not None else None


def notes_text(slide: Part) -> str:
    """The notes as compared: without slide numbers and dates, whatever runs the text is cut into."""
    page = notes_part(slide)
    element = element_of(page) if page is not None else None
    if element is None:
        return ""
    lines = []
    for paragraph in element.iter(A + "p"):
        pieces = [text_of(t) for t in paragraph.iter(A + "t") if not _in_computed_field(t)]
        lines.append("".join(pieces))
    return "\n".join(lines).strip()


def _in_computed_field(text: etree._Element) -> bool:
    parent = text.getparent()
    return parent is not None and parent.tag == A + "fld" and is_computed(parent)


def layout_part(slide: Part) -> Part | None:
    """The layout that the slide follows."""
    return next(related(slide, "slideLayout"), None)


def layout_name(slide: Part) -> str | None:
    """The name of the slide's own layout, None where it has none."""
    layout = layout_part(slide)
    element = element_of(layout) if layout is not None else None
    content = element.find(P + "cSld") if element is not None else None
    return content.get("name") or None if content is not None else None


def is_hidden(slide: etree._Element) -> bool:
    """Whether the show leaves the slide out."""
    return slide.get("show") in ("0", "false")
