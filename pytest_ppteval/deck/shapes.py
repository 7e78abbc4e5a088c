"""The shapes of a slide, each as what can be compared: place, size, text, look, content."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.canonical import canonical, digest, is_computed
from pytest_ppteval.deck.parts import element_of, kind_of
from pytest_ppteval.deck.text import paragraph_text
from pytest_ppteval.deck.xmlnames import A, C, P, R, attributes, local_name, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.parts import PartReader

_KINDS = {"sp": "shape", "pic": "picture", "grpSp": "group", "cxnSp": "connector", "contentPart": "ink"}
_GRAPHICS = (
    ("/table", "table"),
    ("/chart", "chart"),
    ("/chartex", "chart"),
    ("/diagram", "SmartArt"),
    ("/ole", "object"),
)
_SHAPES = tuple(P + name for name in (*_KINDS, "graphicFrame"))
_LINKS = (A + "hlinkClick", A + "hlinkHover", A + "hlinkMouseOver")
_RUNS = (A + "r", A + "br", A + "fld")
# What PowerPoint notes down while one types, and identifiers for co-authoring: nothing that is seen.
_MARKS = ("dirty", "err", "smtClean", "lang", "altLang", "noProof")
_IDENTIFIERS = {
    "{FF2B5EF4-FFF2-40B4-BE49-F238E27FC236}",  # a16:creationId of a shape
    "{9D8B030D-6E8A-4147-A177-3AD203B41FA5}",  # a16:colId of a table's column
    "{0D108BD9-81ED-4DB2-BD59-A6C34878D82A}",  # a16:rowId of its row
    "{D42A27DB-BD31-4B8C-83A1-F6EECF244321}",  # p14:modId of a graphic
}
# How far PowerPoint shrank the text so that it fits: worked out anew with each edit of the text.
_FITTED = ("fontScale", "lnSpcReduction")


class Shape:
    """One shape of a slide; each aspect is read when it is first asked for, as most shapes never differ.

    parent: id of the group it is in, None on the slide itself.
    """

    def __init__(self, element: etree._Element, parent: str | None, slide: SlidePart, reader: PartReader) -> None:
        properties = _properties(element)
        self.parent = parent
        self.id = _id(element)
        self.name = properties.get("name", "") if properties is not None else ""
        self.kind = _kind(element)
        self._element = element
        self._properties = properties
        self._slide = slide
        self._resolve = reader.resolver(slide.part)
        self._own = _own_part(element)

    @cached_property
    def raw(self) -> bytes:
        """The XML as it is written."""
        return etree.tostring(self._element, with_tail=False)

    @cached_property
    def markup(self) -> str:
        """Digest of the XML as data, of a group without its members."""
        return digest(canonical(self._element, lambda _: "", skip=() if self._own else _SHAPES))

    @cached_property
    def place(self) -> tuple[int, int, int, int] | None:
        """x, y, width and height in EMU, None where it takes its layout's."""
        return _place(_transform(self._element))

    @cached_property
    def turn(self) -> tuple[str, ...]:
        """Rotation and flips, as the file says them: "rot=5400000"."""
        transform = _transform(self._element)
        return tuple(f"{name}={value}" for name, value in attributes(transform)) if transform is not None else ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its text by paragraph, of a table by cell."""
        return tuple(_lines(self._element)) if self._own else ()

    @cached_property
    def look(self) -> str:
        """Digest of everything that shows but place, name, text, links and content."""
        return digest(_look(self._element, self._slide))

    @cached_property
    def spread(self) -> str:
        """Digest of how many characters have which look: to be compared where the text is the same."""
        return digest(_spread(self._element)) if self._own else ""

    @cached_property
    def content(self) -> str:
        """Digest of what it shows from other parts: a picture's file, a chart."""
        return digest("\n".join(_targets(self._element, self._resolve)).encode()) if self._own else ""

    @cached_property
    def data(self) -> tuple[str, ...]:
        """The values and names that a chart shows."""
        return tuple(_chart_data(self._element, self._slide))

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Where its hyperlinks go."""
        return tuple(where for where, _ in self.linked)

    @cached_property
    def linked(self) -> tuple[tuple[str, str], ...]:
        """Its hyperlinks: where each goes, and the words that it is on ("" for one of the shape as a whole)."""
        return tuple(_links(self._element, self._slide, self._resolve)) if self._own else ()

    @cached_property
    def alt(self) -> tuple[str, str]:
        """Alternative text, and its title."""
        properties = self._properties
        return (properties.get("descr", ""), properties.get("title", "")) if properties is not None else ("", "")


def read_shapes(slide: SlidePart, reader: PartReader) -> list[Shape]:
    """Every shape of the slide, those in groups after their group, bottom first."""
    tree = slide.element.find(f"{P}cSld/{P}spTree")
    if tree is None:
        return []
    return [Shape(element, parent, slide, reader) for element, parent in _walk(tree, None)]


def _walk(tree: etree._Element, parent: str | None) -> Iterator[tuple[etree._Element, str | None]]:
    # Not recursive: groups may be nested as deep as the parser allows, and shapes stand in mc:AlternateContent too.
    stack: list[tuple[etree._Element, str | None]] = [(child, parent) for child in reversed(tree)]
    while stack:
        element, above = stack.pop()
        if element.tag in _SHAPES:
            yield element, above
            below = _id(element) if element.tag == P + "grpSp" else None
            if below is not None:
                stack.extend((child, below) for child in reversed(element))
        elif local_name(element) in ("AlternateContent", "Choice"):
            stack.extend((child, above) for child in reversed(element))


def _properties(element: etree._Element) -> etree._Element | None:
    return element.find(f"*/{P}cNvPr")


def _id(element: etree._Element) -> str:
    properties = _properties(element)
    return properties.get("id", "") if properties is not None else ""


def _own_part(element: etree._Element) -> bool:
    """Whether all below the element is its own: of a group it is its members'."""
    return element.tag != P + "grpSp"


def _kind(element: etree._Element) -> str:
    name = local_name(element)
    properties = element.find(f"{P}nvSpPr/{P}cNvSpPr")
    if properties is not None and properties.get("txBox") in ("1", "true"):
        return "text box"
    if element.find(f"*/{P}nvPr/{P}ph") is not None:
        return "placeholder"
    if name == "graphicFrame":
        data = element.find(f"{A}graphic/{A}graphicData")
        uri = data.get("uri", "") if data is not None else ""
        return next((kind for end, kind in _GRAPHICS if uri.endswith(end)), "graphic")
    return _KINDS[name]


# ---- place -----------------------------------------------------------------------------------------------------------


def _transform(element: etree._Element) -> etree._Element | None:
    for path in (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm"):
        found = element.find(path)
        if found is not None:
            return found
    return None


def _place(transform: etree._Element | None) -> tuple[int, int, int, int] | None:
    if transform is None:
        return None
    offset, extent = transform.find(A + "off"), transform.find(A + "ext")
    if offset is None or extent is None:
        return None
    try:
        x, y, width, height = (
            int(value)
            for value in (offset.get("x", ""), offset.get("y", ""), extent.get("cx", ""), extent.get("cy", ""))
        )
    except ValueError:
        return None
    return x, y, width, height


# ---- text ------------------------------------------------------------------------------------------------------------


def _lines(element: etree._Element) -> Iterator[str]:
    cells = list(element.iter(A + "tc"))
    if cells:
        for cell in cells:
            yield "\n".join(paragraph_text(paragraph) for paragraph in cell.iter(A + "p"))
    else:
        for paragraph in element.iter(A + "p"):
            if not _is_bare(paragraph.getparent()):
                yield paragraph_text(paragraph)


def _is_bare(body: etree._Element | None) -> bool:
    """Whether a text body is as good as none: python-pptx gives one to a shape whose text is only asked for."""
    if body is None or body.tag != P + "txBody" or any(child.attrib or len(child) for child in body):
        return False
    return [local_name(child) for child in body if child.tag != A + "lstStyle"] == ["bodyPr", "p"]


# ---- look ------------------------------------------------------------------------------------------------------------


def _look(element: etree._Element, slide: SlidePart) -> bytes:
    """Everything of the shape that shows, but place, text and content.

    Runs of the same look count as one, and so do paragraphs that follow each other with the same look: else a run cut
    in two, or one more point in a list, would be another look.
    """
    pieces = [_frame(element, slide)]
    if _own_part(element):
        for body in _bodies(element):
            properties = body.find(A + "bodyPr")
            styles = body.find(A + "lstStyle")
            pieces.extend(canonical(part, skip_attributes=_FITTED) for part in (properties, styles) if part is not None)
            last = b""
            for paragraph in body.iterchildren(A + "p"):
                look = _paragraph_look(paragraph)
                if look != last:
                    pieces.append(look)
                last = look
    return b"\x04".join(pieces)


def _bodies(element: etree._Element) -> Iterator[etree._Element]:
    return (body for body in element.iter(P + "txBody", A + "txBody") if not _is_bare(body))


def _spread(element: etree._Element) -> bytes:
    """For each paragraph its look, and the runs' looks with their lengths; runs of the same look count as one."""
    pieces: list[bytes] = []
    for body in _bodies(element):
        for paragraph in body.iterchildren(A + "p"):
            properties = paragraph.find(A + "pPr")
            pieces.append(canonical(properties) if properties is not None else b"")
            last, length = b"", 0
            for run in paragraph.iterchildren(*_RUNS):
                look, more = _run_look(run), _length(run)
                if more and look != last and length:
                    pieces.append(b"%d %b" % (length, last))
                    length = 0
                if more:
                    last, length = look, length + more
            pieces.append(b"%d %b" % (length, last))
    return b"\x04".join(pieces)


def _length(run: etree._Element) -> int:
    """Characters; one for a line break or a computed field, whose text changes by itself."""
    if run.tag == A + "br" or (run.tag == A + "fld" and is_computed(run)):
        return 1
    text = run.find(A + "t")
    return len(text_of(text)) if text is not None else 0


_TEXT_AND_PLACE = {P + "txBody", A + "txBody", P + "xfrm", A + "xfrm", P + "extLst", A + "extLst", *_LINKS, *_SHAPES}


def _frame(element: etree._Element, slide: SlidePart) -> bytes:
    """The shape without its text: fill, line, geometry, crop, effects, table borders."""
    relations = slide.part.rels

    def kind_only(relation_id: str) -> str:
        relation = relations.get(relation_id)
        return kind_of(relation) if relation is not None else ""

    options = {"skip": _TEXT_AND_PLACE, "skip_attributes": ("id", "name", "descr", "title")}
    pieces = [canonical(element, kind_only, **options)]
    if _own_part(element):
        extensions = element.iter(A + "ext", P + "ext")
        pieces += [canonical(ext, kind_only) for ext in extensions if ext.get("uri", "") not in _IDENTIFIERS | {""}]
    return b"\x06".join(pieces)


def _paragraph_look(paragraph: etree._Element) -> bytes:
    properties = paragraph.find(A + "pPr")
    pieces = [canonical(properties) if properties is not None else b""]
    for run in paragraph.iterchildren(*_RUNS):
        look = _run_look(run)
        if look != pieces[-1] or len(pieces) == 1:
            pieces.append(look)
    return b"\x05".join(pieces)


def _run_look(run: etree._Element) -> bytes:
    style = run.find(A + "rPr")
    look = canonical(style, skip=_LINKS, skip_attributes=_MARKS) if style is not None else b""
    return b"" if look == _EMPTY_RUN_PROPERTIES else look


_EMPTY_RUN_PROPERTIES = b"\x01" + (A + "rPr").encode() + b"\x03"


# ---- content and links -----------------------------------------------------------------------------------------------


def _targets(element: etree._Element, resolve: Callable[[str], str]) -> Iterator[str]:
    """What the shape shows from other parts."""
    for found in element.iter("{*}*"):
        if found.tag in _LINKS:
            continue
        for name, value in attributes(found):
            if name.startswith(R) and value:
                yield f"{local_name(found)} {resolve(value)}"


def _links(element: etree._Element, slide: SlidePart, resolve: Callable[[str], str]) -> list[tuple[str, str]]:
    """Runs that follow each other with the same link count as one: else a run cut in two would be another link."""
    found: list[tuple[str, str]] = []
    before: tuple[str, etree._Element | None] = ("", None)
    for link in element.iter(*_LINKS):
        where = " ".join(part for part in (_address(link, slide, resolve), link.get("action", "")) if part)
        holder = link.getparent()
        run = holder.getparent() if holder is not None else None
        text = run.find(A + "t") if run is not None and run.tag in _RUNS else None
        words = text_of(text) if text is not None else ""
        goes_on = run is not None and text is not None and before == (link.tag, run.getprevious())
        if goes_on and found[-1][0] == where:
            found[-1] = (where, found[-1][1] + words)
        else:
            found.append((where, words))
        before = (link.tag, run)
    return found


def _address(link: etree._Element, slide: SlidePart, resolve: Callable[[str], str]) -> str:
    relation_id = link.get(R + "id", "")
    relation = slide.part.rels.get(relation_id)
    if relation is None:
        return resolve(relation_id) if relation_id else ""
    if relation.is_external:
        return str(relation.target_ref)
    # A program may give a number that led nowhere to a picture or to notes: the link still leads nowhere.
    return resolve(relation_id) if kind_of(relation) in ("slide", "hyperlink") else resolve("")


def _chart_data(element: etree._Element, slide: SlidePart) -> Iterator[str]:
    """The values and names that a chart shows."""
    chart = next(element.iter(C + "chart"), None)
    relation = slide.part.rels.get(chart.get(R + "id", "")) if chart is not None else None
    if relation is None or relation.is_external:
        return
    root = element_of(relation.target_part)
    if root is not None:
        yield from (text_of(value) for value in root.iter(C + "v"))
