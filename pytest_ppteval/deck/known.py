"""A deck that others are made from, opened once: what they share with it is not checked, parsed and read again.

An agent's deck shares nearly every part with the one that it was given. Each part is looked up by its bytes, so that
nothing but equal bytes is ever taken for equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pptx.opc.package import XmlPart
from pptx.oxml import parse_xml

from pytest_ppteval.deck.guard import examine
from pytest_ppteval.deck.opening import load_package, open_contents, opening, presentation_of
from pytest_ppteval.deck.parts import element_of
from pytest_ppteval.deck.side import Side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml import etree
    from pptx.opc.package import Part
    from pptx.package import Package
    from pptx.presentation import Presentation

# Parts that say how others hang together: where one of them differs, the deck is put together anew.
_FRAME = ("[Content_Types].xml", ".rels")


class KnownDeck:
    """A deck, checked and open. Raises DeckRejected.

    presentation: for whoever works on this deck. It is opened a second time, for the deck that will be made of it.
    """

    def __init__(self, data: bytes) -> None:
        _, self._contents = examine(data)
        self.presentation = open_contents(self._contents)
        self._blobs = self._contents.read_all()
        self._twin: Package | None = load_package(self._blobs)
        self.side = Side(self.presentation)
        self._trees: dict[bytes, etree._Element] = {}
        self._raw: dict[int, bytes] = {}  # by id() of trees, all of which outlive it
        self._held: list[etree._Element] = []
        self._twin_roots: list[etree._Element] = []
        own = {part.partname: part for part in self.presentation.part.package.iter_parts()}
        for part in self._twin.iter_parts():
            element = element_of(part)
            if element is not None:
                self._twin_roots.append(element)
                self._trees[self._blobs[part.partname.membername]] = element
                self._raw[id(element)] = self.side.reader.raw(own[part.partname])

    def settle(self) -> None:
        """Read ahead what comparisons will ask of this deck, and keep its elements at hand."""
        for slide in self.side.slides.values():
            self.side.reader.digest(slide.part)
        self._held += all_elements(self.presentation)
        for root in self._twin_roots:
            self._held.extend(root.iter())

    def open(self, data: bytes) -> tuple[Presentation, Side]:
        """Check and open another deck. Once only: what this deck was opened for a second time goes into that.

        Raises DeckRejected.
        """
        _, contents = examine(data, known=self._contents)
        twin, self._twin = self._twin, None
        with opening():
            blobs = contents.read_all()
        presentation = None
        if twin is not None and blobs.keys() == self._blobs.keys():
            presentation = self._rewritten(twin, blobs)
        if presentation is None:
            presentation = open_contents(contents, self._trees if twin is not None else {})
            self._held += all_elements(presentation)
        return presentation, Side(presentation, self._raw)

    def _rewritten(self, twin: Package, blobs: Mapping[str, bytes]) -> Presentation | None:
        """The twin with other content in some parts; None where more than that differs."""
        changed = [name for name, blob in blobs.items() if blob != self._blobs[name]]
        if any(name.endswith(_FRAME) for name in changed):
            return None
        parts: dict[str, Part] = {part.partname.membername: part for part in twin.iter_parts()}
        with opening():
            for name in changed:
                part = parts.get(name)
                if isinstance(part, XmlPart):
                    part._element = parse_xml(blobs[name])
                    self._held.extend(part._element.iter())
                elif part is not None:
                    part._blob = blobs[name]
        return presentation_of(twin)


def all_elements(presentation: Presentation) -> list[etree._Element]:
    """Every element of an open deck, for whoever keeps them.

    lxml makes an object for an element when it is first looked at, which costs more than looking, and notes in the
    element's own memory that there is one. Made once, no process that is forked off has to do either.
    """
    roots = [element_of(part) for part in presentation.part.package.iter_parts()]
    return [element for root in roots if root is not None for element in root.iter()]
