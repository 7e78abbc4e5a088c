"""A deck as a zip of parts: its slides in order, and what each part refers to. For the renderer's own process.

python-pptx is not used: it would build objects of every part, and here most parts are only copied or hashed.
"""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import unquote

from lxml import etree

from pytest_ppteval.deck.guard import check
from pytest_ppteval.deck.limits import DeckRejected
from pytest_ppteval.deck.xmlnames import P, R

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
RELATION = f"{{{RELATIONS}}}Relationship"


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one part to another. kind: the last word of its type ("slideLayout", "image").

    target: the part's name, or the address where it is external.
    """

    id: str
    kind: str
    target: str
    external: bool


@dataclass(frozen=True, slots=True)
class SlideEntry:
    """A slide: its place from 1, its id, the relation that names it and its part."""

    number: int
    slide_id: str
    relation: str
    part: str


def parse(data: bytes) -> etree._Element:
    """The root of a part. Raises DeckRejected where it isn't well-formed."""
    try:
        # No entities, no network: the guard has refused DTDs already.
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise DeckRejected(f"holds XML that is not well-formed: {error}") from None


def relations_part(part: str) -> str:
    """The name of the part that holds the relations of `part`; those of the package for ""."""
    return posixpath.join(posixpath.dirname(part), "_rels", posixpath.basename(part) + ".rels")


class Package:
    """A deck's parts. Raises DeckRejected, as the guard does, for what is no deck."""

    def __init__(self, data: bytes) -> None:
        check(data)
        self._zip = zipfile.ZipFile(BytesIO(data))
        self.names = frozenset(self._zip.namelist())
        # Part names are not case-sensitive, and some writers make use of that.
        self._folded = {name.casefold(): name for name in self.names}
        self._relations: dict[str, tuple[Relation, ...]] = {}
        self.main = next((r.target for r in self.relations("") if r.kind == "officeDocument"), "")
        if self.main not in self.names:
            raise DeckRejected("has no presentation part")
        self.presentation = parse(self.read(self.main))
        self.slides = tuple(self._listed())

    def read(self, name: str) -> bytes:
        """The content of a part."""
        return self._zip.read(name)

    def order(self) -> list[str]:
        """The parts' names as the zip lists them."""
        return self._zip.namelist()

    def relations(self, part: str) -> tuple[Relation, ...]:
        """What `part` refers to; the package itself for ""."""
        if part not in self._relations:
            name = relations_part(part)
            found = self._read_relations(part, self.read(name)) if name in self.names else ()
            self._relations[part] = found
        return self._relations[part]

    def _read_relations(self, part: str, data: bytes) -> tuple[Relation, ...]:
        found = []
        for item in parse(data).iter(RELATION):
            target, external = item.get("Target", ""), item.get("TargetMode") == "External"
            if not external:
                base = "/" + posixpath.dirname(part)
                target = posixpath.normpath(posixpath.join(base, target)).lstrip("/")
                target = self._name(target) or self._name(unquote(target.partition("#")[0])) or target
            found.append(Relation(item.get("Id", ""), item.get("Type", "").rsplit("/", 1)[-1], target, external))
        return tuple(found)

    def _name(self, target: str) -> str | None:
        return self._folded.get(target.casefold())

    def _listed(self) -> list[SlideEntry]:
        by_id = {relation.id: relation for relation in self.relations(self.main)}
        listed = self.presentation.find(P + "sldIdLst")
        found = []
        for number, item in enumerate(listed.findall(P + "sldId") if listed is not None else (), 1):
            relation = by_id.get(item.get(R + "id", ""))
            if relation is None or relation.external or relation.target not in self.names:
                raise DeckRejected(f"lists a slide {number} that is not in it")
            found.append(SlideEntry(number, item.get("id", ""), relation.id, relation.target))
        return found

    @property
    def first_number(self) -> int:
        """The number that the first slide shows."""
        try:
            return int(self.presentation.get("firstSlideNum", "1"))
        except ValueError:
            return 1

    def size(self) -> tuple[float, float]:
        """Width and height of the slides in points."""
        element = self.presentation.find(P + "sldSz")
        try:
            width, height = (int(element.get(name, "")) for name in ("cx", "cy")) if element is not None else (0, 0)
        except ValueError:
            width = height = 0
        if not (0 < width <= 51206400 and 0 < height <= 51206400):
            width, height = 9144000, 6858000
        return width / 12700, height / 12700
