"""The parts of an open deck as data: what python-pptx holds, without asking it for anything that changes it."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Self

from lxml import etree

from pytest_ppteval.deck.canonical import Walked, canonical, digest
from pytest_ppteval.deck.guard import check_container
from pytest_ppteval.deck.limits import Caps
from pytest_ppteval.deck.normal import normal
from pytest_ppteval.deck.xmlnames import parse_blob

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pptx.opc.package import Part, _Relationship

    from pytest_ppteval.deck.normal import Node

# Relations of a part that its XML does not name, and that yet belong to what it shows.
IMPLICIT = ("/themeOverride", "/vmlDrawing", "/diagramDrawing", "/chartStyle", "/chartColorStyle")
# Where the walk through relations stops: these have an identity of their own in the deck.
_IDENTITIES = ("/slide", "/slideLayout", "/slideMaster", "/notesSlide", "/notesMaster", "/handoutMaster")
_MAX_DEPTH = 8  # slide -> chart -> drawing -> picture is 3; a hostile deck may chain thousands


def kind_of(relation: _Relationship) -> str:
    """The last word of the relation's type: "image", "notesSlide", ..."""
    return str(relation.reltype).rpartition("/")[2]


def related(part: Part, kind: str) -> Iterator[Part]:
    """The parts that `part` has relations of this kind to, in the order of the relations."""
    for relation in relations_of(part):
        if relation.reltype.endswith(kind) and kind_of(relation) == kind and not relation.is_external:
            yield relation.target_part


def relations_of(part: Part) -> Collection[_Relationship]:
    """The relations of a part, in their order. (`part.rels.values()` looks each of them up by its id.)"""
    relations: dict[str, _Relationship] = part.rels._rels
    return relations.values()


def has_identity(relation: _Relationship) -> bool:
    """Whether what the relation leads to is told by its place in the deck, not by its content."""
    return str(relation.reltype).endswith(_IDENTITIES)


def shown_relation(part: Part, relation_id: str) -> _Relationship | None:
    """The relation that an r:id in the part's XML means, None where it leads nowhere.

    No XML names the notes page or the layout: where an id that led nowhere is given to a new notes page (python-pptx
    takes the next free number), it still means nothing.
    """
    relation = part.rels.get(relation_id)
    return None if relation is None or kind_of(relation) in ("notesSlide", "slideLayout") else relation


class PartReader:
    """Digests of the parts of ONE deck, each worked out once. For one comparison: it does not see later changes.

    slide_ids: the slide id of each slide's part, by id() of the part: a link to a slide is a link to that id.
    """

    def __init__(self, slide_ids: dict[int, str]) -> None:
        self._slide_ids = slide_ids
        self._equal: dict[int, Part] = {}  # by id() of parts
        self._known: PartReader | None = None
        self._walked: dict[int, Walked] = {}
        self._raw: dict[int, bytes] = {}
        self._digests: dict[int, str] = {}
        self._alive: list[Part] = []  # id() of a part is its own only as long as the part lives

    def learn(self, equal: Sequence[tuple[Part, Part]], known: PartReader) -> None:
        """Take over what is known of another deck: of each pair, the first is of this deck and equals the second.

        Equal in bytes, and so is what they lead to, and what that leads to.
        """
        self._known = known
        self._equal = {id(part): own for part, own in equal}
        self._alive.extend(part for part, _ in equal)

    def equals(self, part: Part | None, other: Part | None) -> bool:
        """Whether a part is known to equal one of another deck; also where there is neither."""
        return part is None if other is None else self._equal.get(id(part)) is other

    def raw(self, part: Part) -> bytes:
        """The part's bytes as they would be saved now, whitespace and prefixes included."""
        key = id(part)
        if key not in self._raw:
            element = element_of(part)
            self._raw[key] = part.blob if element is None else etree.tostring(element)
            self._alive.append(part)
        return self._raw[key]

    def digest(self, part: Part, depth: int = 0) -> str:
        """sha256 of the part as data, with what it points at."""
        key = id(part)
        if self._known is not None and key in self._equal:
            return self._known.digest(self._equal[key], depth)
        if key not in self._digests:
            self._digests[key] = "in progress"  # parts may point at each other
            done = digest(self._data(part, depth))
            self._digests[key] = done
            self._alive.append(part)
        return self._digests[key]

    def walked(self, part: Part, element: etree._Element) -> Walked:
        """The part's root `element`, walked once; whether a slide is shown (`show`) is extra."""
        key = id(part)
        if key not in self._walked:
            self._walked[key] = Walked(element, extra=("show",))
            self._alive.append(part)
        return self._walked[key]

    def element_digest(self, part: Part, element: etree._Element, skip: Collection[str] = ()) -> str:
        """sha256 of one element of `part` as data, with what it points at, without the elements named in `skip`."""
        return digest(canonical(element, self.resolver(part), skip=skip))

    def resolver(self, part: Part) -> Callable[[str], str]:
        """From a relationship id of `part` to what it points at: a digest, slide id or address, never a part's name."""
        return lambda relation_id: self._target(part, relation_id, 0)

    def slide_id(self, part: Part) -> str | None:
        """The slide id of a slide's part, None for other parts."""
        return self._slide_ids.get(id(part))

    def _data(self, part: Part, depth: int) -> bytes:
        root = element_of(part)
        if root is not None:
            data = self._root_data(part, root, depth)
        else:
            blob = part.blob
            if blob[:4] == b"PK\x03\x04":
                return zip_as_data(blob)
            if not _may_be_xml(part):
                return blob
            element = parse_blob(blob)
            if element is None:
                return blob
            data = self._element_data(part, element, depth)
        implicit = self.implicit(part, depth)
        return data + "\n".join(["", *implicit]).encode() if implicit else data

    def _root_data(self, part: Part, root: etree._Element, depth: int) -> bytes:
        return self.walked(part, root).data(lambda rid: self._target(part, rid, depth))

    def _element_data(self, part: Part, element: etree._Element, depth: int) -> bytes:
        return canonical(element, lambda rid: self._target(part, rid, depth))

    def implicit(self, part: Part, depth: int = 0) -> list[str]:
        """What belongs to the part and is not named in its XML: for each its kind and what it is, sorted."""
        return sorted(
            f"{kind_of(relation)} {self._target(part, rid, depth)}"
            for rid, relation in part.rels.items()
            if str(relation.reltype).endswith(IMPLICIT)
        )

    def _target(self, part: Part, relation_id: str, depth: int) -> str:
        """What stands for a relationship id: the kind of the relation and what it leads to, never a name of a part."""
        relation = shown_relation(part, relation_id)
        if relation is None:
            return "nothing"
        kind = kind_of(relation)
        if relation.is_external:
            return f"{kind} {relation.target_ref}"
        target = relation.target_part
        if has_identity(relation):
            return f"{kind} {self.slide_id(target) or ''}"
        if depth >= _MAX_DEPTH:
            return f"{kind} {digest(target.blob)}"
        return f"{kind} {self.digest(target, depth + 1)}"


class Target(str):
    """What a relationship id leads to, as data; equal also to another that only looks the same.

    That is looked into only where the data differ: a chart takes long to read.
    """

    _shown: Callable[[], str]

    def __new__(cls, as_data: str, shown: Callable[[], str]) -> Self:
        """shown: what it leads to, as it shows."""
        made = super().__new__(cls, as_data)
        made._shown = shown
        return made

    def __eq__(self, other: object) -> bool:
        if str.__eq__(self, other) is True:
            return True
        return isinstance(other, Target) and self._shown() == other._shown()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class ShownReader(PartReader):
    """Digests of parts as they show (normal.py): equal where nothing differs that anybody could see."""

    def __init__(self, reader: PartReader) -> None:
        super().__init__(reader._slide_ids)
        self._as_data = reader

    def node(self, part: Part, element: etree._Element, skip: Collection[str] = ()) -> Node:
        """One element of the part as it shows."""

        def target(relation_id: str) -> str:
            return Target(self._as_data._target(part, relation_id, 0), lambda: self._target(part, relation_id, 0))

        return normal(element, target, skip)

    def element_digest(self, part: Part, element: etree._Element, skip: Collection[str] = ()) -> str:
        """sha256 of one element as it shows, with what it points at."""
        return digest(normal(element, self.resolver(part), skip).key().encode("utf-8", "surrogatepass"))

    def digest(self, part: Part, depth: int = 0) -> str:
        """sha256 of the part as it shows, with what it points at."""
        # What is no XML is its bytes, and those may be known already.
        return super().digest(part, depth) if _may_be_xml(part) else self._as_data.digest(part, depth)

    def _root_data(self, part: Part, root: etree._Element, depth: int) -> bytes:
        return self._element_data(part, root, depth)

    def _element_data(self, part: Part, element: etree._Element, depth: int) -> bytes:
        shown = normal(element, lambda rid: self._target(part, rid, depth))
        return shown.key().encode("utf-8", "surrogatepass")


def same(one: PartReader, a: Part, other: PartReader, b: Part, *, seen: frozenset[int] = frozenset()) -> bool:
    """Whether two parts are equal as data. Costs a comparison of bytes where nothing changed."""
    if other.equals(b, a):
        return True
    if id(a) not in seen and one.raw(a) == other.raw(b) and _same_relations(one, a, other, b, seen | {id(a)}):
        return True
    return one.digest(a) == other.digest(b)


def _same_relations(one: PartReader, a: Part, other: PartReader, b: Part, seen: frozenset[int]) -> bool:
    """Whether each relationship id leads to the same thing on both sides; False also where that is not cheap to say."""
    if len(seen) > _MAX_DEPTH or a.rels.keys() != b.rels.keys():
        return False
    for relation_id, left in a.rels.items():
        right = b.rels[relation_id]
        if left.reltype != right.reltype or left.is_external != right.is_external:
            return False
        if left.is_external:
            if left.target_ref != right.target_ref:
                return False
        elif has_identity(left):
            if one.slide_id(left.target_part) != other.slide_id(right.target_part):
                return False
        elif id(left.target_part) in seen or not same(one, left.target_part, other, right.target_part, seen=seen):
            return False
    return True


def element_of(part: Part) -> etree._Element | None:
    """The root element where python-pptx holds the part as a tree."""
    element = getattr(part, "_element", None)
    return element if isinstance(element, etree._Element) else None


def _may_be_xml(part: Part) -> bool:
    return str(part.content_type).endswith(("xml", "vmlDrawing")) or str(part.partname).endswith((".xml", ".vml"))


# ---- packages in the package -----------------------------------------------------------------------------------------

_MOST_MEMBERS = 1_000
_CAPS = Caps(file=64 << 20, entries=2_000, total=64 << 20, xml=4 << 20)


def zip_as_data(blob: bytes) -> bytes:
    """An embedded workbook or document such that zipping it anew, or saving it at another time, is no difference.

    A package that is too large, packed too tightly or damaged stands for itself, byte by byte.
    """
    try:
        check_container(blob, _CAPS)
        with zipfile.ZipFile(BytesIO(blob)) as archive:
            infos = archive.infolist()
            size = sum(info.file_size for info in infos)
            if len(infos) > _CAPS.entries or size > min(_CAPS.total, _CAPS.ratio * len(blob)):
                return blob
            lines = [
                f"{info.filename} {_member(archive.read(info))}"
                for info in sorted(infos, key=lambda info: info.filename)
                if not info.is_dir() and not info.filename.startswith("docProps/")  # holds the time of saving
            ]
    except (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError):
        return blob
    return "\n".join(lines).encode("utf-8", "replace")


# sha256 of a member's bytes -> of its data. Workbooks by one program share most of their members.
_members: dict[str, str] = {}


def _member(content: bytes) -> str:
    """sha256 of a member as data."""
    raw = digest(content)
    if len(content) > _CAPS.xml or content.lstrip()[:1] != b"<":
        return raw
    if raw not in _members:
        element = parse_blob(content)
        if len(_members) >= _MOST_MEMBERS:
            _members.clear()
        _members[raw] = raw if element is None else digest(canonical(element))
    return _members[raw]
