"""A deck with some of its slides only, made for a renderer: it costs as much as those slides, whatever the deck's size.

For the renderer's own process. Fields whose text a renderer would work out (the slide's number, today's date) become
plain text: the number they have in the whole deck, the date that was saved.
"""

from __future__ import annotations

import zipfile
from copy import deepcopy
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.xmlnames import P, R
from pytest_ppteval.picture.package import Package, parse, relations_part

if TYPE_CHECKING:
    from collections.abc import Collection

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TYPES = "[Content_Types].xml"
_ROOT = "_rels/.rels"
# From a slide, what leads to parts that are not drawn with it.
_NOT_FOLLOWED = frozenset(["slide", "notesSlide", "comments", "threadedComment", "tags"])
_NOT_FOLLOWED_FROM_MAIN = frozenset(["notesMaster", "handoutMaster", "commentAuthors", "vbaProject"])


def subset(package: Package, numbers: Collection[int]) -> bytes:
    """The deck with the slides of these numbers (from 1), none of them hidden, in their order."""
    wanted = [slide for slide in package.slides if slide.number in numbers]
    dropped = {slide.relation for slide in package.slides if slide.number not in numbers}
    main = package.main
    changed = {
        main: _presentation(package, dropped),
        relations_part(main): _relations(package, dropped),
    }
    by_part = {slide.part: str(package.first_number + slide.number - 1) for slide in wanted}
    # A number that the layout shows is known for a slide alone: LibreOffice 7.4 counts from 1, whatever the deck says.
    of_layout = by_part[wanted[0].part] if len(wanted) == 1 else None
    kept = {_TYPES, _ROOT, main, relations_part(main)}
    todo = [
        relation.target
        for relation in (*package.relations(""), *package.relations(main))
        if not relation.external and relation.id not in dropped and relation.kind not in _NOT_FOLLOWED_FROM_MAIN
    ]
    while todo:
        part = todo.pop()
        if part in kept or part not in package.names:
            continue
        kept.add(part)
        if part in by_part:
            changed[part] = _literal(package, part, by_part[part])
        elif "/slideLayouts/" in part or "/slideMasters/" in part:
            changed[part] = _literal(package, part, of_layout)
        relations = package.relations(part)
        if relations:
            kept.add(relations_part(part))
        todo += [r.target for r in relations if not r.external and not (part in by_part and r.kind in _NOT_FOLLOWED)]
    changed[_TYPES] = _content_types(package, kept)
    result = BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as archive:
        for name in package.order():
            if name in kept:
                archive.writestr(name, changed[name] if name in changed else package.read(name))
    return result.getvalue()


def _xml(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _presentation(package: Package, dropped: Collection[str]) -> bytes:
    root = deepcopy(package.presentation)
    listed = root.find(P + "sldIdLst")
    if listed is not None:
        for item in list(listed):
            if item.get(R + "id") in dropped:
                listed.remove(item)
    for name in ("custShowLst", "extLst", "notesMasterIdLst", "handoutMasterIdLst"):  # they name what is left out
        for element in root.findall(P + name):
            root.remove(element)
    return _xml(root)


def _relations(package: Package, dropped: Collection[str]) -> bytes:
    root = parse(package.read(relations_part(package.main)))
    for item in list(root):
        kind = item.get("Type", "").rsplit("/", 1)[-1]
        if item.get("Id") in dropped or kind in _NOT_FOLLOWED_FROM_MAIN:
            root.remove(item)
    return _xml(root)


def _literal(package: Package, part: str, number: str | None) -> bytes:
    """A slide, layout or master with its fields as text; the slide's number only where it is known."""
    data = package.read(part)
    if b"fld" not in data and b"show=" not in data:
        return data
    root = parse(data)
    if root.get("show") is not None:
        del root.attrib["show"]  # a hidden slide is judged, too
    for field in list(root.iter(_A + "fld")):
        kind = field.get("type", "")
        if kind == "slidenum" and number is not None:
            _set_text(field, number)
        elif not kind.startswith("datetime"):
            continue
        for name in list(field.attrib):
            del field.attrib[name]
        for properties in field.findall(_A + "pPr"):
            field.remove(properties)
        field.tag = _A + "r"
    return _xml(root)


def _set_text(field: etree._Element, text: str) -> None:
    element = field.find(_A + "t")
    if element is None:
        element = etree.SubElement(field, _A + "t")
    element.text = text


def _content_types(package: Package, kept: Collection[str]) -> bytes:
    root = parse(package.read(_TYPES))
    folded = {name.casefold() for name in kept}
    for item in list(root):
        name = item.get("PartName")
        if name is not None and name.lstrip("/").casefold() not in folded:
            root.remove(item)
    return _xml(root)
