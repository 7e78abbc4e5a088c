"""A deck that others are made from, opened once: what they share with it is not checked, parsed and read again.

An agent's deck shares nearly every part with the one that it was given. Each part is looked up by its bytes, so that
nothing but equal bytes is ever taken for equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pptx.opc.package import XmlPart
from pptx.oxml import parse_xml

from pytest_ppteval.deck.guard import examine
from pytest_ppteval.deck.opening import copied, load_package, open_contents, opening, presentation_of
from pytest_ppteval.deck.parts import element_of, has_identity, relations_of
from pytest_ppteval.deck.side import Side
from pytest_ppteval.deck.xmlnames import local_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from lxml import etree
    from pptx.opc.package import Part
    from pptx.package import Package
    from pptx.presentation import Presentation

    from pytest_ppteval.deck.opening import SlidePart

# Parts that say how others hang together: where one of them differs, the deck is put together anew.
_FRAME = ("[Content_Types].xml", ".rels")


class KnownDeck:
    """A deck, checked and open. Raises DeckRejected.

    presentation: for whoever works on this deck. There is a second of it, for the deck that will be made of it.
    """

    def __init__(self, data: bytes) -> None:
        _, self._contents = examine(data)
        with opening():
            self._blobs = self._contents.read_all()
            package = load_package(self._blobs)
            self._twin: Package | None = copied(package) or load_package(self._blobs)
        self.presentation = presentation_of(package)
        self.side = Side(self.presentation)
        self._parts = _by_name(package)
        self._trees: dict[bytes, etree._Element] = {}
        self._held: list[list[etree._Element]] = []  # of lists: a long one would be copied as it grows
        self._twin_parts = _by_name(self._twin)
        for name, part in self._twin_parts.items():
            element = element_of(part)
            if element is not None:
                self._trees[self._blobs[name]] = element
        # With the names of their parts. Nothing else is asked of the twin here: python-pptx would remember the answer.
        self._twin_slides = [
            (name, replace(slide, part=part, element=element))
            for slide in self.side.slides.values()
            for name in [slide.part.partname.membername]
            for part in [self._twin_parts[name]]
            if (element := element_of(part)) is not None
        ]
        # From a part's name to those of the parts whose data hold its data, or say which slide it is.
        self._holders: dict[str, list[str]] = {}
        self._namers: dict[str, list[str]] = {}
        for name, part in self._parts.items():
            for relation in relations_of(part):
                if not relation.is_external:
                    sources = self._namers if has_identity(relation) else self._holders
                    sources.setdefault(relation.target_part.partname.membername, []).append(name)

    def settle(self) -> None:
        """Read ahead what comparisons will ask of this deck, and keep its elements at hand."""
        _ = self.side.layouts, self._contents.places
        for slide in self.side.slides.values():
            self.side.reader.digest(slide.part)
        self._held.append(all_elements(self.presentation))
        self._held.extend([*root.iter()] for root in self._trees.values())

    def open(self, data: bytes) -> tuple[Presentation, Side]:
        """Check and open another deck. Once only: what this deck was opened for a second time goes into that.

        Raises DeckRejected.
        """
        _, contents = examine(data, known=self._contents)
        twin, self._twin = self._twin, None
        with opening():
            others = {info.filename: contents.read(info) for info in contents.infos if not contents.is_known(info)}
        blobs = {name: blob for name, blob in others.items() if blob != self._blobs.get(name)}
        changed = [*blobs, *(self._blobs.keys() - {info.filename for info in contents.infos})]
        framed = any(name not in blobs or name not in self._blobs or name.endswith(_FRAME) for name in changed)
        if twin is None or framed:
            slides = None
            trees = dict(self._trees) if twin is not None else {}
            presentation = open_contents(contents, trees)
            known = {id(tree) for tree in self._trees.values()}  # kept, see settle
            self._held.append(all_elements(presentation, known))
            parts = _by_name(presentation.part.package)
        else:
            self._rewrite(blobs)
            slides = self._rewritten_slides(blobs)
            presentation = twin.main_document_part.presentation if slides is not None else presentation_of(twin)
            parts = self._twin_parts
        side = Side(presentation, slides)
        side.learn(self._equal(parts, side, changed, framed=framed), self.side)
        return presentation, side

    def _rewrite(self, blobs: Mapping[str, bytes]) -> None:
        """Give some parts of the twin other content."""
        with opening():
            for name, blob in blobs.items():
                part = self._twin_parts.get(name)
                if isinstance(part, XmlPart):
                    part._element = parse_xml(blob)
                    self._held.append([*part._element.iter()])
                elif part is not None:
                    part._blob = blob

    def _rewritten_slides(self, blobs: Mapping[str, bytes]) -> list[SlidePart] | None:
        """The twin's slides without a look at those that did not change; None where that look is needed."""
        if self.presentation.part.partname.membername in blobs:
            return None
        slides = []
        for name, slide in self._twin_slides:
            if name in blobs:
                element = element_of(slide.part)
                if element is None or local_name(element) != "sld":
                    return None
                slides.append(replace(slide, element=element))
            else:
                slides.append(slide)
        return slides

    def _equal(
        self, parts: Mapping[str, Part], side: Side, changed: Iterable[str], *, framed: bool
    ) -> list[tuple[Part, Part]]:
        """Parts of another deck with those of this one that they equal, whatever they lead to included."""
        differing = set(changed)
        reader, own_reader = side.reader, self.side.reader
        for name, own in self._parts.items():
            part = parts.get(name)
            if part is None:
                differing.add(name)
                continue
            # A relation that led nowhere may lead somewhere by now: it is not among the relations of `own`.
            if framed and (
                own.partname.rels_uri.membername in differing
                or len(part.rels) != len(own.rels)
                or part.content_type != own.content_type
            ):
                differing.add(name)
            if reader.slide_id(part) != own_reader.slide_id(own):
                differing.update(self._namers.get(name, ()))
        waiting = list(differing)
        for name in waiting:
            new = [holder for holder in self._holders.get(name, ()) if holder not in differing]
            differing.update(new)
            waiting.extend(new)
        return [(parts[name], own) for name, own in self._parts.items() if name not in differing]


def _by_name(package: Package) -> dict[str, Part]:
    return {part.partname.membername: part for part in package.iter_parts()}


def all_elements(presentation: Presentation, known: Collection[int] = ()) -> list[etree._Element]:
    """Every element of an open deck, for whoever keeps them; but for trees that are kept already, id()s of their roots.

    lxml makes an object for an element when it is first looked at, which costs more than looking, and notes in the
    element's own memory that there is one. Made once, no process that is forked off has to do either.
    """
    roots = [element_of(part) for part in presentation.part.package.iter_parts()]
    return [element for root in roots if root is not None and id(root) not in known for element in root.iter()]
