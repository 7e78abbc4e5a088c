"""Small decks out of pieces of XML, and what look/ says of them.

They stand on python-pptx's own template: a slide of 10 by 7.5 inches, Calibri, the colours of Office 2007 (accent1 is
4F81BD, accent2 C0504D, dk2 1F497D, lt2 EEECE1, hlink 0000FF), a title of 44 points and a body of 32.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation

from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.model import Deck, Shape, Slide
from pytest_ppteval.look.read import look_at

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
        "ahyp": "http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor",
        "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    }.items()
)
TITLE_ONLY, BLANK, TITLE_AND_BODY = 5, 6, 1  # layouts of the template

Edit = Callable[[Any, Any], None]


def element(xml: str) -> Any:
    """An element, of which the prefixes are those of NAMESPACES."""
    name = xml[1:].split(None, 1)[0].split(">", 1)[0].rstrip("/")
    return etree.fromstring(xml.replace(f"<{name}", f"<{name} {NAMESPACES}", 1))


def sp(
    text: str = "",
    *,
    properties: str = "",
    place: tuple[int, int, int, int] | None = (0, 0, 100, 100),
    turn: str = "",
    placeholder: str = "",
    body: str = "<a:bodyPr/>",
    lists: str = "<a:lstStyle/>",
    style: str = "",
    shape_id: int = 10,
    attributes: str = "",
    marks: str = "",
) -> str:
    """A p:sp. text: its a:p elements. turn: attributes of its a:xfrm."""
    spot = ""
    if place is not None:
        x, y, width, height = place
        spot = f'<a:xfrm {turn}><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
    return (
        f'<p:sp {attributes}><p:nvSpPr><p:cNvPr id="{shape_id}" name="S{shape_id}">{marks}</p:cNvPr><p:cNvSpPr/>'
        f"<p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr>{spot}{properties}</p:spPr>{style}"
        f"<p:txBody>{body}{lists}{text or '<a:p/>'}</p:txBody></p:sp>"
    )


def p(words: str = "word", run: str = "", paragraph: str = "") -> str:
    """An a:p with one run. run: its a:rPr, paragraph: its a:pPr."""
    return f"<a:p>{paragraph}<a:r>{run}<a:t>{words}</a:t></a:r></a:p>"


def deck_of(*shapes: str, edit: Edit | None = None, layout: int = BLANK) -> Deck:
    """The look of a deck of one slide that holds these shapes. edit: what else is done to it, (presentation, slide)."""
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
    for found in list(slide.shapes):
        found._element.getparent().remove(found._element)
    for shape in shapes:
        slide.shapes._spTree.append(element(shape))
    if edit is not None:
        edit(presentation, slide)
    made = BytesIO()
    presentation.save(made)
    return look_at(Side(open_deck(made.getvalue())))


def slide_of(*shapes: str, edit: Edit | None = None, layout: int = BLANK) -> Slide:
    """As `deck_of`: its slide."""
    return deck_of(*shapes, edit=edit, layout=layout).slides[0]


def shape_of(*shapes: str, edit: Edit | None = None, layout: int = BLANK) -> Shape:
    """As `deck_of`: the last shape."""
    return slide_of(*shapes, edit=edit, layout=layout).shapes[-1]
