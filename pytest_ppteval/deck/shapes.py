"""The shapes of a slide, each as what can be compared: place, size, text, look, content."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.bodies import body
from pytest_ppteval.deck.canonical import is_computed
from pytest_ppteval.deck.links import read_links
from pytest_ppteval.deck.normal import is_only, says_nothing
from pytest_ppteval.deck.notation import emu
from pytest_ppteval.deck.parts import element_of, kind_of
from pytest_ppteval.deck.text import paragraph_text
from pytest_ppteval.deck.xmlnames import MC, A, C, P, R, attributes, local_name, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pptx.opc.package import Part

    from pytest_ppteval.deck.bodies import Body
    from pytest_ppteval.deck.links import Link
    from pytest_ppteval.deck.normal import Node
    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Side

_KINDS = {"sp": "shape", "pic": "picture", "grpSp": "group", "cxnSp": "connector", "contentPart": "ink"}
_GRAPHICS = (
    ("/table", "table"),
    ("/chart", "chart"),
    ("/chartex", "chart"),
    ("/diagram", "SmartArt"),
    ("/ole", "object"),
)
SHAPES = tuple(P + name for name in (*_KINDS, "graphicFrame"))
_TEXTS = (P + "txBody", A + "txBody")
_GLUE = (A + "stCxn", A + "endCxn")
_GLUED = f"{P}nvCxnSpPr/{P}cNvCxnSpPr/*"
_ALTERNATIVES = MC + "AlternateContent"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWING_ID = re.compile(rb"""<[\w.-]*:?dataModelExt\s[^>]*?\brelId\s*=\s*["']([^"']+)["']""")


class Shape:
    """One shape of a slide; each aspect is read when it is first asked for, as most shapes never differ.

    parent: id of the group it is in, None on the slide itself.
    """

    def __init__(
        self, element: etree._Element, parent: str | None, slide: SlidePart, side: Side, wrapper: etree._Element | None
    ) -> None:
        properties = _properties(element)
        self.parent = parent
        self.id = _id(element)
        self.name = properties.get("name", "") if properties is not None else ""
        self.kind = _kind(element)
        self.tag = str(element.tag)
        self._element = element
        self._wrapper = wrapper
        self._properties = properties
        self._slide = slide
        self._side = side
        self._own = _own_part(element)

    @cached_property
    def raw(self) -> bytes:
        """The XML as it is written, with the other forms of the shape that stand beside it for older programs."""
        beside = etree.tostring(self._wrapper, with_tail=False) if self._wrapper is not None else b""
        return etree.tostring(self._element, with_tail=False) + beside

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """What every relationship id in it leads to, as data."""
        resolve = self._side.reader.resolver(self._slide.part)
        ids = (
            value
            for element in (self._element, *((self._wrapper,) if self._wrapper is not None else ()))
            for found in element.iter("{*}*")
            for name, value in found.items()
            if name.startswith(R) and value
        )
        return (*map(resolve, ids), *(self._side.reader.digest(part) for part in self._drawings))

    @cached_property
    def frame(self) -> Node:
        """All of its XML as it shows, but for its texts; of a group without its members."""
        skip = (*_TEXTS, *_GLUE) if self._own else (*SHAPES, _ALTERNATIVES)
        return self._side.shown.node(self._slide.part, self._element, skip)

    @cached_property
    def whole(self) -> Node:
        """All of its XML as it shows; of a group without its members."""
        skip = () if self._own else (*SHAPES, _ALTERNATIVES)
        return self._side.shown.node(self._slide.part, self._element, skip)

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Its texts, of a table those of its cells."""
        found = self._element.iter(*_TEXTS) if self._own else ()
        nodes = ((self._side.shown.node(self._slide.part, element), is_only(element)) for element in found)
        return tuple(body(node) for node, only in nodes if not (only and says_nothing(node)))

    @cached_property
    def fallback(self) -> str:
        """Key of its other forms for older programs."""
        if self._wrapper is None:
            return ""
        choices = [child for child in self._wrapper if child.tag == MC + "Choice"]
        requires = (child.get("Requires", "") for child in choices)
        others = (child for child in self._wrapper if local_name(child) and child not in choices[:1])
        return "".join([*requires, *(self._side.shown.node(self._slide.part, other).key() for other in others)])

    @cached_property
    def drawing(self) -> tuple[str, ...]:
        """What SmartArt looks like by the drawing that is kept beside it."""
        return tuple(self._side.shown.digest(part) for part in self._drawings)

    @property
    def _drawings(self) -> list[Part]:
        return smart_art_drawings(self._element, self._slide.part) if self.kind == "SmartArt" else []

    @cached_property
    def place(self) -> tuple[int, int, int, int] | None:
        """x, y, width and height in EMU, None where it takes its layout's or says none that can be read."""
        return _place(_transform(self._element))

    @property
    def hidden(self) -> bool:
        """Whether it is not shown."""
        return self._properties is not None and self._properties.get("hidden") in ("1", "true")

    @cached_property
    def glue(self) -> list[tuple[str, str, str]]:
        """What the ends of a connector hold on to: start or end, the shape's id, where on it."""
        if self.tag != P + "cxnSp":
            return []
        return [(local_name(end), end.get("id", ""), end.get("idx", "")) for end in self._element.iterfind(_GLUED)]

    @property
    def holds_all(self) -> bool:
        """Whether all its XML is its own: of a group it is its members'."""
        return self._own

    @cached_property
    def own_raw(self) -> bytes:
        """Of a group: its XML without that of its members."""
        return b"".join(etree.tostring(child) for child in self._element if child.tag not in (*SHAPES, _ALTERNATIVES))

    @property
    def has_place(self) -> bool:
        """Whether it has one of its own."""
        return _transform(self._element) is not None

    @cached_property
    def turn(self) -> tuple[str, ...]:
        """Rotation and flips, as the file says them: "rot=5400000"."""
        transform = _transform(self._element)
        return tuple(f"{name}={value}" for name, value in attributes(transform)) if transform is not None else ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its text by paragraph, of a table by cell."""
        return tuple(_lines(self._element, computed=True)) if self._own else ()

    @cached_property
    def lasting_lines(self) -> tuple[str, ...]:
        """Its text, with the type of a field in place of what PowerPoint computes for it."""
        return tuple(_lines(self._element, computed=False)) if self._own else ()

    @cached_property
    def data(self) -> tuple[str, ...]:
        """The values and names that a chart shows."""
        return tuple(_chart_data(self._element, self._slide))

    @property
    def links(self) -> tuple[str, ...]:
        """Where its hyperlinks go."""
        return tuple(link.where for link in self.linked)

    @cached_property
    def linked(self) -> tuple[Link, ...]:
        """Its hyperlinks, of a group those of the group itself."""
        own = self._element if self._own else next(self._element.iterchildren(P + "nvGrpSpPr"), None)
        return tuple(read_links(own, self._slide, self._side)) if own is not None else ()

    @cached_property
    def alt(self) -> tuple[str, str]:
        """Alternative text, and its title."""
        properties = self._properties
        return (properties.get("descr", ""), properties.get("title", "")) if properties is not None else ("", "")


def read_shapes(slide: SlidePart, side: Side) -> list[Shape]:
    """Every shape of the slide, those in groups after their group, bottom first."""
    tree = slide.element.find(f"{P}cSld/{P}spTree")
    if tree is None:
        return []
    return [Shape(element, parent, slide, side, wrapper) for element, parent, wrapper in _walk(tree)]


def _walk(tree: etree._Element) -> Iterator[tuple[etree._Element, str | None, etree._Element | None]]:
    """Each shape's element, the id of its group, and the mc:AlternateContent that it is the first shape of."""
    # Not recursive: groups may be nested as deep as the parser allows, and shapes stand in mc:AlternateContent too.
    stack: list[tuple[etree._Element, str | None, etree._Element | None]] = [
        (child, None, None) for child in reversed(tree)
    ]
    while stack:
        element, above, wrapper = stack.pop()
        if element.tag in SHAPES:
            yield element, above, wrapper
            below = _id(element) if element.tag == P + "grpSp" else None
            if below is not None:
                stack.extend((child, below, None) for child in reversed(element))
        elif element.tag == _ALTERNATIVES:
            choice = element.find(MC + "Choice")
            if choice is not None:
                inner = list(choice)
                stack.extend((child, above, None) for child in reversed(inner[1:]))
                stack.extend((child, above, element) for child in inner[:1])


def loose_elements(slide: SlidePart) -> list[etree._Element]:
    """What stands among the shapes of a slide and is, or holds, none."""
    tree = slide.element.find(f"{P}cSld/{P}spTree")
    return [
        child
        for child in (tree if tree is not None else ())
        if child.tag == _ALTERNATIVES and child.find(f"{MC}Choice/*") is None
    ]


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
    x, y, width, height = (
        emu(end.get(name)) for end, name in ((offset, "x"), (offset, "y"), (extent, "cx"), (extent, "cy"))
    )
    return None if x is None or y is None or width is None or height is None else (x, y, width, height)


# ---- text ------------------------------------------------------------------------------------------------------------


def _lines(element: etree._Element, *, computed: bool) -> Iterator[str]:
    """computed: with the text of fields that compute it; else their type."""
    cells = list(element.iter(A + "tc"))
    if cells:
        for cell in cells:
            yield "\n".join(_line(paragraph, computed=computed) for paragraph in cell.iter(A + "p"))
    else:
        for paragraph in element.iter(A + "p"):
            if not _is_bare(paragraph.getparent()):
                yield _line(paragraph, computed=computed)


def _line(paragraph: etree._Element, *, computed: bool) -> str:
    if computed or paragraph.find(A + "fld") is None:
        return paragraph_text(paragraph)
    return "".join(
        "\n"
        if found.tag == A + "br"
        else f"‹{found.get('type', '')}›"
        if found.tag == A + "fld" and is_computed(found)
        else "".join(text_of(text) for text in found.iter(A + "t"))
        for found in paragraph.iterchildren("{*}*")
    )


def _is_bare(body: etree._Element | None) -> bool:
    """Whether a text body is as good as none: python-pptx gives one to a shape whose text is only asked for."""
    if body is None or body.tag != P + "txBody" or any(child.attrib or len(child) for child in body):
        return False
    return [local_name(child) for child in body if child.tag != A + "lstStyle"] == ["bodyPr", "p"]


# ---- content ---------------------------------------------------------------------------------------------------------


def smart_art_drawings(element: etree._Element, slide: Part) -> list[Part]:
    """The drawing that belongs to a SmartArt: its data say which of the slide's."""
    found = []
    for ids in element.iter(DIAGRAM + "relIds"):
        relation = slide.rels.get(ids.get(R + "dm", ""))
        if relation is None or relation.is_external:
            continue
        match = _DRAWING_ID.search(relation.target_part.blob)
        drawing = slide.rels.get(match[1].decode()) if match else None
        if drawing is not None and not drawing.is_external and kind_of(drawing) == "diagramDrawing":
            found.append(drawing.target_part)
    return found


def _chart_data(element: etree._Element, slide: SlidePart) -> Iterator[str]:
    """The values and names that a chart shows."""
    chart = next(element.iter(C + "chart"), None)
    relation = slide.part.rels.get(chart.get(R + "id", "")) if chart is not None else None
    if relation is None or relation.is_external:
        return
    root = element_of(relation.target_part)
    if root is not None:
        yield from (text_of(value) for value in root.iter(C + "v"))
