"""The hyperlinks of a shape: where each goes, the words that it is on, what the pointer shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_ppteval.deck.normal import Node
from pytest_ppteval.deck.parts import kind_of
from pytest_ppteval.deck.xmlnames import A, R, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Side

TAGS = (A + "hlinkClick", A + "hlinkHover", A + "hlinkMouseOver")
_RUNS = (A + "r", A + "br", A + "fld")
# Said of a link in other ways, or by what it leads to.
_APART = ("action", "tooltip", "r:id")
_COLOUR = "hlinkClr"


@dataclass(frozen=True)
class Link:
    """where: the address and action. words: what it is on, "" for one of the shape as a whole. tooltip: what the
    pointer shows. colour: key of how it is coloured. rest: key of what else is set of it, a sound for one.
    """

    where: str
    words: str
    tooltip: str = ""
    colour: str = ""
    rest: str = ""


def read_links(element: etree._Element, slide: SlidePart, side: Side) -> Iterator[Link]:
    """The links in the XML of a shape. Runs that follow each other with the same link count as one."""
    last: Link | None = None
    before: tuple[str, etree._Element | None] = ("", None)
    for link in element.iter(*TAGS):
        holder = link.getparent()
        run = holder.getparent() if holder is not None else None
        text = run.find(A + "t") if run is not None and run.tag in _RUNS else None
        read = _link(link, text_of(text) if text is not None else "", slide, side)
        goes_on = run is not None and text is not None and before == (link.tag, run.getprevious())
        if goes_on and last is not None and replace(read, words=last.words) == last:
            last = replace(last, words=last.words + read.words)
        else:
            if last is not None:
                yield last
            last = read
        before = (link.tag, run)
    if last is not None:
        yield last


def _link(link: etree._Element, words: str, slide: SlidePart, side: Side) -> Link:
    node = side.shown.node(slide.part, link)
    colour = "".join(child.key() for child in node.children if _is_colour(child))
    rest = Node(
        node.tag,
        {name: value for name, value in node.attributes.items() if name not in _APART},
        children=[child for child in node.children if not _is_colour(child)],
    )
    where = " ".join(part for part in (_address(link, slide, side), link.get("action", "")) if part)
    return Link(where, words, link.get("tooltip", ""), colour, rest.key())


def _is_colour(node: Node) -> bool:
    return node.name == _COLOUR or any(map(_is_colour, node.children))


def _address(link: etree._Element, slide: SlidePart, side: Side) -> str:
    resolve = side.reader.resolver(slide.part)
    relation_id = link.get(R + "id", "")
    relation = slide.part.rels.get(relation_id)
    if relation is None:
        return resolve(relation_id) if relation_id else ""
    if relation.is_external:
        return str(relation.target_ref)
    # A program may give a number that led nowhere to a picture or to notes: the link still leads nowhere.
    return resolve(relation_id) if kind_of(relation) in ("slide", "hyperlink") else resolve("")
