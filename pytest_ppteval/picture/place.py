"""What of a slide's picture depends on its place in the deck. For the renderer's own process.

Its number and how many slides there are, where fields show them; and text that is made to fit its shape: LibreOffice
(7.4) sets it in another size on the first slide of a deck than on all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture.package import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from pytest_ppteval.picture.package import Package, SlideEntry

# The relations that lead to parts with text in which a field stands for something. What a chart's own text calls fields
# stands for its data.
TEXT_KINDS = frozenset(["slide", "slideLayout", "slideMaster", "diagramData", "diagramDrawing", "chartUserShapes"])
_FOLLOWED = TEXT_KINDS | {"chart"}
_OF_LAYOUTS = frozenset(["slideLayout", "slideMaster"])
_MARKS = ("slidenum", "slidecount", "normautofit")
_IN_NO_PLACEHOLDER = (
    ".//*[local-name()='sp'][not(*[local-name()='nvSpPr']/*[local-name()='nvPr']/*[local-name()='ph'])]"
    "//*[local-name()='fld']/@type"
)


def kind_of(field: etree._Element) -> str:
    """What a field stands for: "slidenum", "slidecount", "datetime1", ...; renderers don't look at the case."""
    return field.get("type", "").casefold()


class Places:
    """The slides of a deck, and what each has of its place. Each part is looked into once."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def shown(self, slide: SlideEntry) -> bytes:
        """What the picture of a slide depends on beyond the slide itself; b"" for a slide that looks the same in any
        place."""
        found = {mark for part, kind in self._parts(slide) for mark in self._in(part, kind)}
        number = str(self._package.first_number + slide.number - 1) if "slidenum" in found else ""
        count = str(len(self._package.slides)) if "slidecount" in found else ""
        first = "first" if "normautofit" in found and slide.number == 1 else ""
        return f"{number}/{count}/{first}".encode() if number or count or first else b""

    def fitted(self, slide: SlideEntry) -> bool:
        """Whether a slide has text that is made to fit."""
        return any("normautofit" in self._in(part, kind) for part, kind in self._parts(slide))

    def numbered_apart(self, slides: Iterable[SlideEntry]) -> set[int]:
        """The slides that show their number in a part that is not their own: in a shape of the layout or master that
        is no placeholder (a layout's placeholders are not drawn), or in a diagram.

        In a deck of several slides such a text is left to the renderer.
        """
        return {
            slide.number
            for slide in slides
            if any("slidenum" in self._in(part, kind) for part, kind in self._parts(slide) if part != slide.part)
        }

    def _parts(self, slide: SlideEntry) -> Iterator[tuple[str, str]]:
        """The parts with a slide's text, and the kind of the relation that leads to each."""
        seen = {slide.part}
        waiting = [(slide.part, "slide")]
        while waiting:
            part, kind = waiting.pop()
            yield part, kind
            for relation in self._package.relations(part):
                up = not (kind == "slideMaster" and relation.kind == "slideLayout") and relation.kind != "slide"
                if up and relation.kind in _FOLLOWED and relation.target not in seen:
                    seen.add(relation.target)
                    waiting.append((relation.target, relation.kind))

    def _in(self, part: str, kind: str) -> frozenset[str]:
        if (part, kind) not in self._known:
            data = self._package.read(part) if part in self._package.names and kind in TEXT_KINDS else b""
            folded = data.lower()
            found = {mark for mark in _MARKS if mark.encode() in folded}
            if kind in _OF_LAYOUTS and found & {"slidenum", "slidecount"}:
                drawn = parse(data).xpath(_IN_NO_PLACEHOLDER)
                assert isinstance(drawn, list)
                found &= {"normautofit", *(str(field).casefold() for field in drawn)}
            self._known[part, kind] = frozenset(found)
        return self._known[part, kind]
