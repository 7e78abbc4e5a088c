"""A deck with some of its slides only, made for a renderer: it costs as much as those slides, whatever the deck's size.

For the renderer's own process. Fields whose text a renderer would work out (the slide's number, how many slides there
are, today's date, the file's name) become plain text: the numbers they have in the whole deck, else what was saved.

What is left is a package in which no relation leads nowhere that led somewhere before: an office refuses a deck whose
properties are missing, and a link is drawn as one only while it leads to a slide.
"""

from __future__ import annotations

import posixpath
import zipfile
from copy import deepcopy
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from lxml import etree

from pytest_ppteval.deck.xmlnames import A, P, R
from pytest_ppteval.picture.package import RELATION, RELATIONS, Package, parse, relations_part
from pytest_ppteval.picture.place import TEXT_KINDS, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_ppteval.picture.package import Relation

_TYPES = "[Content_Types].xml"
_ROOT = "_rels/.rels"
# Of the package's own relations, what changes how slides are drawn: LibreOffice looks up which program wrote the deck.
_OF_PACKAGE = frozenset(["officeDocument", "core-properties", "extended-properties", "custom-properties"])
# Of the presentation's relations, those that its XML names by no id.
_OF_PRESENTATION = frozenset(["theme", "tableStyles"])
# In presentation.xml, what no slide shows: much of it names slides or parts that are left out.
_NOT_SHOWN = (
    "notesMasterIdLst", "handoutMasterIdLst", "custShowLst", "custDataLst", "smartTags", "extLst", "modifyVerifier",
)  # fmt: skip
# From a slide, what leads to parts that are not drawn with it; no id in the slide's XML names one of these.
_OF_NO_SLIDE = frozenset(["notesSlide", "comments", "threadedComment"])
_BLANK_ID = "rIdBlank"
_SLIDE_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"
_BLANK = (
    f'<p:sld xmlns:p="{P[1:-1]}" xmlns:a="{A[1:-1]}" showMasterSp="0"><p:cSld><p:spTree><p:nvGrpSpPr>'
    '<p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:spTree></p:cSld></p:sld>'
).encode()


def subset(package: Package, numbers: Collection[int], *, after_blank: bool = False) -> bytes:
    """The deck with the slides of these numbers (from 1), none of them hidden, in their order.

    after_blank: put an empty slide before them.
    """
    cut = _Cut(package, numbers, after_blank)
    cut.follow()
    result = BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as archive:
        for name in package.order():
            if name in cut.kept:
                data = cut.changed[name] if name in cut.changed else package.read(name)
                archive.writestr(cut.names.get(name, name), data)
        for name, data in cut.added.items():
            archive.writestr(name, data)
    return result.getvalue()


class _Cut:
    """What is kept of a package, and what is changed in it."""

    def __init__(self, package: Package, numbers: Collection[int], after_blank: bool) -> None:
        self.kept = {_TYPES}
        self.changed: dict[str, bytes] = {}
        self.added: dict[str, bytes] = {}
        self._package = package
        self._numbers = numbers
        wanted = [slide for slide in package.slides if slide.number in numbers]
        self._shown = {slide.part: str(package.first_number + slide.number - 1) for slide in wanted}
        # A number that the layout shows is known for a slide alone: LibreOffice 7.4 counts from 1, whatever the deck
        # says.
        self._of_layout = self._shown[wanted[0].part] if len(wanted) == 1 else None
        self._dropped = {slide.part for slide in package.slides} - self._shown.keys()
        others = {name.casefold() for name in package.names} - {slide.part.casefold() for slide in package.slides}
        start = 2 if after_blank else 1
        renamed = {slide.part: _slide_name(slide.part, place, others) for place, slide in enumerate(wanted, start)}
        self._blank = _slide_name(wanted[0].part, 1, others) if after_blank else ""
        # The new names of the slides' parts, and of the parts that hold their relations.
        self.names = renamed | {relations_part(part): relations_part(name) for part, name in renamed.items()}
        self._todo: list[tuple[str, str]] = []

    def follow(self) -> None:
        """Keep what the wanted slides need, from part to part."""
        package = self._package
        self._keep_relations("", {r.id for r in package.relations("") if self._of_package(r)})
        presentation = self._presentation()
        self.kept.add(package.main)
        self.changed[package.main] = _xml(presentation)
        named = _ids_in(presentation)
        self._keep_relations(
            package.main, {r.id for r in package.relations(package.main) if r.id in named or r.kind in _OF_PRESENTATION}
        )
        while self._todo:
            part, kind = self._todo.pop()
            if part in self.kept or part not in package.names:
                continue
            self.kept.add(part)
            if kind in TEXT_KINDS:
                number = self._shown.get(part, self._of_layout)
                self.changed[part] = _literal(package.read(part), number, str(len(package.slides)))
            relations = package.relations(part)
            if relations:
                slide = part in self._shown
                self._keep_relations(part, {r.id for r in relations if not (slide and r.kind in _OF_NO_SLIDE)})
        self.changed[_TYPES] = self._content_types()
        if self._blank:
            self._add_blank()

    def _of_package(self, relation: Relation) -> bool:
        return relation.kind in _OF_PACKAGE and not relation.external and relation.target in self._package.names

    def _keep_relations(self, part: str, ids: Collection[str]) -> None:
        """Keep these relations of a part, and have their targets kept; a link to a slide that is not here becomes one
        to a slide that is."""
        name = relations_part(part)
        if name not in self._package.names:
            return
        root = parse(self._package.read(name))
        changed = False
        by_id = {relation.id: relation for relation in self._package.relations(part)}
        for item in list(root):
            relation = by_id.get(item.get("Id", ""))
            if relation is None:
                continue
            if relation.id not in ids:
                root.remove(item)
                changed = True
            elif relation.external:
                continue
            elif relation.kind == "slide" or relation.target in self._shown or relation.target in self._dropped:
                target = relation.target if relation.target in self._shown else next(iter(self._shown), "")
                item.set("Target", quote(posixpath.relpath(self.names.get(target, target), posixpath.dirname(part))))
                changed = True
                self._todo.append((target, "slide"))
            else:
                self._todo.append((relation.target, relation.kind))
        self.kept.add(name)
        if changed:
            self.changed[name] = _xml(root)

    def _presentation(self) -> etree._Element:
        root = deepcopy(self._package.presentation)
        listed = root.find(P + "sldIdLst")
        if listed is not None:
            for number, item in enumerate(listed.findall(P + "sldId"), 1):
                if number not in self._numbers:
                    listed.remove(item)
            if self._blank:
                ids = {item.get("id") for item in listed}
                own = next(number for number in range(256, 1 << 31) if str(number) not in ids)
                blank = etree.Element(P + "sldId", {"id": str(own), R + "id": _BLANK_ID})
                listed.insert(0, blank)
        for name in _NOT_SHOWN:
            for element in root.findall(P + name):
                root.remove(element)
        return root

    def _add_blank(self) -> None:
        """The empty slide, of the first slide's layout."""
        package = self._package
        first = next(iter(self._shown))
        layout = next((r.target for r in package.relations(first) if r.kind == "slideLayout"), None)
        self.added[self._blank] = _BLANK
        relations = parse(b'<Relationships xmlns="%s"/>' % RELATIONS.encode())
        if layout is not None:
            _relate(relations, "rId1", "slideLayout", layout, self._blank)
        self.added[relations_part(self._blank)] = _xml(relations)
        name = relations_part(package.main)
        relations = parse(self.changed.get(name) or package.read(name))
        _relate(relations, _BLANK_ID, "slide", self._blank, package.main)
        self.changed[name] = _xml(relations)
        types = parse(self.changed[_TYPES])
        etree.SubElement(types, f"{types.tag[: types.tag.index('}')]}}}Override", PartName="/" + quote(self._blank),
                         ContentType=_SLIDE_TYPE)  # fmt: skip
        self.changed[_TYPES] = _xml(types)

    def _content_types(self) -> bytes:
        root = parse(self._package.read(_TYPES))
        # Names in this part may be escaped, and written with other capitals than in the zip.
        folded = {name.casefold(): self.names.get(name, name) for name in self.kept}
        for item in list(root):
            name = item.get("PartName")
            if name is None:
                continue
            now = folded.get(name.lstrip("/").casefold()) or folded.get(unquote(name).lstrip("/").casefold())
            if now is None:
                root.remove(item)
            else:
                item.set("PartName", "/" + quote(now))
        return _xml(root)


def _slide_name(part: str, place: int, taken: Collection[str]) -> str:
    """What the slide at this place is called, in its own folder, so that what it refers to is still found.

    LibreOffice takes the number in the name that a link leads to for the slide's place, and crashes where there are not
    so many slides.
    """
    name = f"slide{place}.xml"
    while posixpath.join(posixpath.dirname(part), name).casefold() in taken:
        name = f"_{name}"
    return posixpath.join(posixpath.dirname(part), name)


def _relate(relations: etree._Element, own: str, kind: str, target: str, part: str) -> None:
    """Add a relation of `part` to `target`."""
    address = quote(posixpath.relpath(target, posixpath.dirname(part)))
    etree.SubElement(relations, RELATION, Id=own, Type=f"{R[1:-1]}/{kind}", Target=address)


def _xml(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _ids_in(root: etree._Element) -> set[str]:
    """The relations that a part's XML names."""
    return {
        str(value) for element in root.iter(etree.Element) for name, value in element.items() if str(name).startswith(R)
    }


def _literal(data: bytes, number: str | None, count: str) -> bytes:
    """A part with its fields as text; the slide's number only where it is known."""
    if b"fld" not in data and b"show=" not in data:
        return data
    root = parse(data)
    if root.get("show") is not None:
        del root.attrib["show"]  # a hidden slide is judged, too
    for field in list(root.iter(A + "fld")):
        kind = kind_of(field)
        if kind == "slidenum":
            if number is None:
                continue
            _set_text(field, number)
        elif kind == "slidecount":
            _set_text(field, count)
        for name in list(field.attrib):
            del field.attrib[name]
        for properties in field.findall(A + "pPr"):
            field.remove(properties)
        field.tag = A + "r"
    return _xml(root)


def _set_text(field: etree._Element, text: str) -> None:
    element = field.find(A + "t")
    if element is None:
        element = etree.SubElement(field, A + "t")
    element.text = text
