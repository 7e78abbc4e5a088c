"""XML as data: one byte string for all ways to write the same element.

The order of attributes, prefixes, where namespaces are declared, whitespace between elements, comments and processing
instructions make no difference. lxml's C14N keeps prefixes, and its C14N 2.0 is as slow as this walk and knows no
relationships; hence a walk of our own, used only on parts whose plain bytes differ.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.xmlnames import MC, OFFICE_VML, A, R, attributes, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# Characters that XML 1.0 text cannot hold: so no text can imitate structure.
_START, _ATTRIBUTE, _END = "\x01", "\x02", "\x03"
_FIELD, _TEXT, _CHOICE = A + "fld", A + "t", MC + "Choice"
_DATA_MODEL_EXT = "{http://schemas.microsoft.com/office/drawing/2008/diagram}dataModelExt"
_VML_RELATION = OFFICE_VML + "relid"


def no_relations(relation_id: str) -> str:
    """For XML whose relationship ids are to be taken as they are."""
    return relation_id


def canonical(
    root: etree._Element,
    relation: Callable[[str], str] = no_relations,
    *,
    skip: Collection[str] = (),
    skip_attributes: Collection[str] = (),
) -> bytes:
    """The element `root` and all below it, as data.

    relation: what stands for a relationship id (its target's digest, so that renumbered ids are no difference).
    skip: tags of elements that are left out with all below them. skip_attributes: attributes left out everywhere.
    The shown text of fields that PowerPoint computes (slide number, date) is left out: it changes as slides move.
    """
    return Walked(root, skip, skip_attributes).data(relation)


class Walked:
    """An element as `canonical` sees it, for several readings that take its relationship ids to mean different things.

    skip, skip_attributes: as for `canonical`. extra: names of attributes that a reading may leave out, too.
    """

    def __init__(
        self,
        root: etree._Element,
        skip: Collection[str] = (),
        skip_attributes: Collection[str] = (),
        extra: Collection[str] = (),
    ) -> None:
        self._out: list[str] = []
        self._relations: list[int] = []  # where in _out there is a relationship id
        self._extra: list[int] = []  # where in _out there is the first of the four pieces of an extra attribute
        self._skip_attributes = skip_attributes
        self._extra_names = extra
        self._walk(root, skip)

    def data(self, relation: Callable[[str], str] = no_relations, *, with_extra: bool = True) -> bytes:
        """The bytes, with `relation(id)` in the place of each relationship id."""
        out = self._out
        if self._relations or (self._extra and not with_extra):
            out = out.copy()
            for place in self._relations:
                out[place] = relation(out[place])
            if not with_extra:
                for place in self._extra:
                    out[place : place + 4] = ("", "", "", "")
        return "".join(out).encode("utf-8", "surrogatepass")

    def _walk(self, root: etree._Element, skip: Collection[str]) -> None:
        out = self._out
        skipped: etree._Element | None = None  # its end is the next event
        computed = 0  # how many computed fields we are in
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            if event == "start":
                if element.tag in skip and element is not root:
                    walk.skip_subtree()
                    skipped = element
                    continue
                out.append(_START)
                out.append(element.tag)
                if element.attrib:
                    self._attributes(element)
                if element.tag == _FIELD and is_computed(element):
                    computed += 1
                text = text_of(element)
                if text and not (computed and element.tag == _TEXT) and not (len(element) and text.isspace()):
                    out.append(text)
                continue
            if event == "end" and element is skipped:
                skipped = None
            elif event == "end":
                out.append(_END)
                if element.tag == _FIELD and is_computed(element):
                    computed -= 1
            if element is not root and element.tail and not element.tail.isspace():
                out.append(element.tail)

    def _attributes(self, element: etree._Element) -> None:
        out = self._out
        for name, value in attributes(element):
            if name.startswith(R) or name == _VML_RELATION:
                if value:
                    self._relations.append(len(out) + 3)
            elif name.startswith(MC) or name in self._skip_attributes:
                continue  # Ignorable and its like only say which prefixes a reader may pass over
            elif name == "Requires" and element.tag == _CHOICE:
                value = " ".join(sorted(element.nsmap.get(prefix, prefix) for prefix in value.split()))
            elif name == "relId" and element.tag == _DATA_MODEL_EXT:
                continue  # a relationship id of the slide's, in a part that is not the slide
            if name in self._extra_names:
                self._extra.append(len(out))
            out += (_ATTRIBUTE, name, "=", value)


def digest(data: bytes) -> str:
    """sha256 in hex."""
    return sha256(data).hexdigest()


def is_computed(field: etree._Element) -> bool:
    """Whether PowerPoint works out the text of this a:fld itself: the slide's number, the date."""
    return (field.get("type") or "").lower().startswith(("slidenum", "datetime"))
