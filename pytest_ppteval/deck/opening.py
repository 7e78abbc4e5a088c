"""From checked bytes to python-pptx's Presentation, and to the list of its slides."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import pptx
from lxml import etree

from pytest_ppteval.deck.limits import DeckRejected, one_line
from pytest_ppteval.deck.parts import element_of
from pytest_ppteval.deck.xmlnames import P, R, local_name

if TYPE_CHECKING:
    from pptx.opc.package import Part
    from pptx.presentation import Presentation


@dataclass(frozen=True, slots=True, eq=False)
class SlidePart:
    """A slide of an open deck: its id as text, its place from 1, its part and its root element."""

    slide_id: str
    number: int
    part: Part
    element: etree._Element


def open_deck(data: bytes) -> Presentation:
    """The deck in `data`, which the guard has checked. Raises DeckRejected for whatever python-pptx cannot open."""
    try:
        presentation = pptx.Presentation(BytesIO(data))
        slide_parts(presentation)
    except DeckRejected:
        raise
    except etree.XMLSyntaxError as error:
        raise DeckRejected(f"holds XML that is not well-formed: {one_line(error)}") from None
    except RecursionError:
        raise DeckRejected("has parts that point at each other in too long a chain") from None
    except MemoryError:
        raise DeckRejected("needs more memory than there is") from None
    except Exception as error:  # python-pptx raises what its innards happen to raise
        raise DeckRejected(f"cannot be opened: {type(error).__name__}: {one_line(error)}") from None
    return presentation


def slide_parts(presentation: Presentation) -> list[SlidePart]:
    """The slides in their order. Raises DeckRejected where one is listed that is not there.

    Not through `presentation.slides`: that property renames the parts of all slides, a change of the deck in memory.
    """
    part = presentation.part
    root = element_of(part)
    listed = root.find(P + "sldIdLst") if root is not None else None
    found = []
    for number, item in enumerate(listed.findall(P + "sldId") if listed is not None else (), 1):
        relation = part.rels.get(item.get(R + "id", ""))
        if relation is None or relation.is_external:
            raise DeckRejected(f"lists a slide {number} that is not in it")
        element = element_of(relation.target_part)
        if element is None or local_name(element) != "sld":
            raise DeckRejected(f"lists a slide {number} whose part is not a slide")
        found.append(SlidePart(item.get("id", ""), number, relation.target_part, element))
    return found
