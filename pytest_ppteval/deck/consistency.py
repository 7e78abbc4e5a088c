"""What PowerPoint would repair, or refuse: faults of a file by itself that libraries read over.

A closed list of what is known to make PowerPoint offer a repair; not a validation against the schemas.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.element_order import ORDERS
from pytest_ppteval.deck.parts import element_of, kind_of, relations_of
from pytest_ppteval.deck.xmlnames import MC, A, P, R, attributes, local_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pptx.opc.package import Part
    from pptx.presentation import Presentation

# What is wrong, in a word, and in words with the name of the part.
Fault = tuple[str, str]

_COORDINATES = {"off": ("x", "y"), "ext": ("cx", "cy"), "chOff": ("x", "y"), "chExt": ("cx", "cy")}
_COORDINATE = re.compile(r"-?\d{1,15}|-?\d+(?:\.\d+)?(?:mm|cm|in|pt|pc|pi)")
_WHOLE = {"sz": (100, 400_000), "lvl": (0, 8), "rot": (-2_147_483_648, 2_147_483_647), "spc": (-400_000, 400_000)}
_HEX = re.compile(r"[0-9A-Fa-f]{6}")
_TEXTS = (A + "p",)
_KNOWN = re.compile(
    r"\{http://(schemas\.openxmlformats\.org|schemas\.microsoft\.com|purl\.oclc\.org)/|\{urn:schemas-microsoft-com"
)


def faults(presentation: Presentation) -> list[Fault]:
    """Each fault of an open deck. Only reads."""
    return [fault for part in _parts(presentation.part) for fault in _faults_of(part)]


def new_faults(before: Presentation, after: Presentation) -> list[Fault]:
    """The faults of the second deck that the first has not. Parts that are the same bytes in both are not looked at."""
    olds = {str(part.partname): part for part in _parts(before.part)}
    found: list[Fault] = []
    known: Counter[Fault] | None = None
    for part in _parts(after.part):
        old = olds.get(str(part.partname))
        if old is not None and _is_same(old, part):
            continue
        for fault in _faults_of(part):
            if known is None:
                known = Counter((kind, _without_part(said)) for one in olds.values() for kind, said in _faults_of(one))
            mark = fault[0], _without_part(fault[1])
            if known[mark]:
                known[mark] -= 1
            else:
                found.append(fault)
    return found


def _is_same(old: Part, new: Part) -> bool:
    one, other = element_of(old), element_of(new)
    if one is None or other is None:
        return one is other
    return old.rels.keys() == new.rels.keys() and etree.tostring(one) == etree.tostring(other)


def _without_part(said: str) -> str:
    """A fault's words without its part's name: programs rename parts."""
    return said.partition(": ")[2]


def _faults_of(part: Part) -> list[Fault]:
    element = element_of(part)
    if element is None:
        return []
    name = str(part.partname).rpartition("/")[2]
    found = [*_numbers(element), *_of_part(part, element)]
    return [(kind, f"{name}: {said}") for kind, said in found]


def _parts(start: Part) -> Iterator[Part]:
    seen: set[int] = set()
    stack = [start]
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        stack.extend(relation.target_part for relation in relations_of(part) if not relation.is_external)


def _numbers(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Ids in the presentation: of slides from 256, of masters and layouts from 2^31, none twice."""
    ids = [item.get("id", "") for item in root.iterfind(f"{P}sldIdLst/{P}sldId")]
    for slide_id in ids:
        if not slide_id.isdecimal() or not 256 <= int(slide_id) < 2_147_483_648:
            yield "slide id", f"a slide has the id {slide_id!r}, which must lie from 256 to 2147483647"
    for slide_id, times in Counter(ids).items():
        if times > 1:
            yield "slide id", f"{times} slides have the id {slide_id}"
    targets = Counter(item.get(R + "id", "") for item in root.iterfind(f"{P}sldIdLst/{P}sldId"))
    for relation_id, times in targets.items():
        if times > 1:
            yield "slide id", f"one slide is listed {times} times ({relation_id})"


def _of_part(part: Part, root: etree._Element) -> Iterator[tuple[str, str]]:
    known = part.rels._rels
    shape_ids: Counter[str] = Counter()
    for element in root.iter("{*}*"):
        tag = str(element.tag)
        name = local_name(element)
        if name == "cNvPr" and not _in_fallback(element):
            shape_ids[element.get("id", "")] += 1
        for attribute, value in attributes(element):
            if attribute.startswith(R) and value and value not in known:
                yield "relation", f"{name} refers to {value}, which is not there"
        if name in _COORDINATES and tag.startswith(A):
            for attribute in _COORDINATES[name]:
                value = element.get(attribute, "0")
                if not _COORDINATE.fullmatch(value):
                    yield "number", f"{name} has {attribute}={value!r}, which is no coordinate"
                elif name.lower().endswith("ext") and value.startswith("-"):
                    yield "number", f"{name} has {attribute}={value!r}: a size can't be negative"
        if tag.startswith(A):
            yield from _values(element, name)
        order = ORDERS.get(tag)
        if order is not None:
            yield from _order(element, name, order)
        if not _KNOWN.match(tag) and not _in_extension(element):
            yield "foreign", f"<{name}> is of no format that PowerPoint knows"
    for shape_id, times in shape_ids.items():
        if times > 1:
            yield "shape id", f"{times} shapes have the id {shape_id}"
        if not shape_id.isdecimal():
            yield "shape id", f"a shape has the id {shape_id!r}"
    kinds = Counter(kind_of(relation) for relation in relations_of(part))
    if local_name(root) == "sld":
        if kinds["slideLayout"] != 1:
            yield "relation", f"a slide has {kinds['slideLayout']} layouts, it needs one"
        if kinds["notesSlide"] > 1:
            yield "relation", "a slide has more than one notes page"


def _values(element: etree._Element, name: str) -> Iterator[tuple[str, str]]:
    if name == "srgbClr" and not _HEX.fullmatch(element.get("val", "")):
        yield "colour", f"srgbClr has val={element.get('val')!r}: six hex digits are wanted"
    if name in ("rPr", "endParaRPr", "defRPr", "pPr", "bodyPr", "xfrm"):
        for attribute, (least, most) in _WHOLE.items():
            value = element.get(attribute)
            if value is not None and not (re.fullmatch(r"-?\d{1,12}", value) and least <= int(value) <= most):
                yield "number", f"{name} has {attribute}={value!r}, which must be a whole number from {least} to {most}"
    if name == "txBody" and element.find(A + "p") is None:
        yield "text", "a text body has no paragraph"
    if name == "tc" and element.find(A + "txBody") is None:
        yield "table", "a cell has no text body"
    if name == "tbl":
        columns = len(element.findall(f"{A}tblGrid/{A}gridCol"))
        for number, row in enumerate(element.iterfind(A + "tr"), 1):
            cells = len(row.findall(A + "tc"))
            if cells != columns:
                yield "table", f"row {number} of a table has {cells} cells, its grid {columns} columns"


def _order(element: etree._Element, name: str, order: dict[str, int]) -> Iterator[tuple[str, str]]:
    last, before = -1, ""
    for child in element.iterchildren("{*}*"):
        tag = str(child.tag)
        if tag == MC + "AlternateContent":
            continue
        place = order.get(tag)
        if place is None:
            yield "order", f"<{name}> holds <{local_name(child)}>, which has no place there"
        elif place < last:
            yield "order", f"<{name}> has <{local_name(child)}> after <{before}>"
        else:
            last, before = place, local_name(child)


def _in_fallback(element: etree._Element) -> bool:
    return any(above.tag == MC + "Fallback" for above in element.iterancestors(MC + "Fallback"))


def _in_extension(element: etree._Element) -> bool:
    return any(local_name(above) in ("ext", "AlternateContent", "graphicData") for above in element.iterancestors())
