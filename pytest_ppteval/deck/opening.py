"""From checked bytes to python-pptx's Presentation, and to the list of its slides."""

from __future__ import annotations

import contextlib
import copy
import importlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pptx
from lxml import etree
from pptx.api import _is_pptx_package
from pptx.opc.package import _PackageLoader
from pptx.opc.packuri import PACKAGE_URI
from pptx.opc.serialized import PackageReader
from pptx.package import Package

from pytest_ppteval.deck.limits import DeckRejected, one_line
from pytest_ppteval.deck.parts import element_of
from pytest_ppteval.deck.xmlnames import P, R, local_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pptx.opc.package import Part
    from pptx.presentation import Presentation

    from pytest_ppteval.deck.contents import Contents


@dataclass(frozen=True, slots=True, eq=False)
class SlidePart:
    """A slide of an open deck: its id as text, its place from 1, its part and its root element."""

    slide_id: str
    number: int
    part: Part
    element: etree._Element


def open_deck(data: bytes) -> Presentation:
    """The deck in `data`, which the guard has checked. Raises DeckRejected for whatever python-pptx cannot open."""
    with opening():
        presentation = pptx.Presentation(BytesIO(data))
        slide_parts(presentation)
        return presentation


def open_contents(contents: Contents, trees: dict[bytes, etree._Element] | None = None) -> Presentation:
    """As `open_deck`, of parts that are unpacked already. Each of `trees` is what some XML part was parsed to.

    They are used up: the deck that is opened holds them.
    """
    with opening():
        return presentation_of(load_package(contents.read_all(), trees or {}))


def presentation_of(package: Package) -> Presentation:
    """The presentation in a package. Raises DeckRejected."""
    with opening():
        part = package.main_document_part
        if not _is_pptx_package(part):
            raise ValueError(f"its content type is {part.content_type}")
        presentation: Presentation = part.presentation
        slide_parts(presentation)
        return presentation


def load_package(blobs: Mapping[str, bytes], trees: dict[bytes, etree._Element] | None = None) -> Package:
    """What pptx.Package.open() gives, of parts by name. Raises whatever that raises."""
    package = Package("")
    loader = _PackageLoader("", package)
    loader.__dict__["_package_reader"] = _Blobs(blobs)  # where lazyproperty looks first
    module: Any = importlib.import_module("pptx.opc.package")
    really_parse = module.parse_xml
    if trees:

        def parse(xml: bytes) -> etree._Element:
            tree = trees.pop(xml, None)
            return really_parse(xml) if tree is None else tree

        module.parse_xml = parse
    try:
        relations, parts = loader._load()
    finally:
        module.parse_xml = really_parse
    package._rels.load_from_xml(PACKAGE_URI, relations, parts)
    return package


def copied(package: Package) -> Package | None:
    """A second package like one that was just loaded, of which nothing else was asked yet: cheaper than loading it.

    None where it holds what is not known here how to copy.
    """
    twin = Package("")
    parts: dict[Part, Part] = {}
    for part in package.iter_parts():
        other = parts[part] = object.__new__(type(part))
        relations = part.rels
        for name, value in vars(part).items():
            if value is relations:
                continue  # made when it is first asked for
            if isinstance(value, etree._Element):
                if value.getprevious() is not None or value.getnext() is not None:
                    return None  # what stands beside the root is not copied
                value = copy.deepcopy(value)
            elif value is package:
                value = twin
            elif not (value is None or isinstance(value, (str, bytes))):
                return None
            vars(other)[name] = value
    for one, two in ((package, twin), *parts.items()):
        for rid, relation in one._rels._rels.items():
            target = relation._target if isinstance(relation._target, str) else parts[relation._target]
            two._rels._rels[rid] = type(relation)(
                relation._base_uri, rid, relation._reltype, relation._target_mode, target
            )
    return twin


class _Blobs(PackageReader):
    """The parts of a zip, unpacked already, as python-pptx's loader asks for them."""

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        super().__init__("")
        self.__dict__["_blob_reader"] = {f"/{name}": blob for name, blob in blobs.items()}


@contextlib.contextmanager
def opening() -> Iterator[None]:
    """Turns what python-pptx raises over a deck into DeckRejected."""
    try:
        yield
    except DeckRejected:
        raise
    except etree.XMLSyntaxError as error:
        raise DeckRejected(f"holds XML that is not well-formed: {one_line(error)}") from None
    except RecursionError:
        raise DeckRejected("has parts that point at each other in too long a chain") from None
    except MemoryError:
        raise DeckRejected("needs more memory than there is") from None
    except Exception as error:  # python-pptx raises what its innards happen to raise
        raise DeckRejected(f"cannot be opened: {type(error).__name__}: {one_line(error)}") from None


def slide_parts(presentation: Presentation) -> list[SlidePart]:
    """The slides in their order. Raises DeckRejected where one is listed that is not there.

    Not through `presentation.slides`: that property renames the parts of all slides, a change of the deck in memory.
    """
    part = presentation.part
    root = element_of(part)
    listed = root.find(P + "sldIdLst") if root is not None else None
    found = []
    for number, item in enumerate(listed.findall(P + "sldId") if listed is not None else (), 1):
        relation = part.rels.get(item.get(R + "id", ""))
        if relation is None or relation.is_external:
            raise DeckRejected(f"lists a slide {number} that is not in it")
        element = element_of(relation.target_part)
        if element is None or local_name(element) != "sld":
            raise DeckRejected(f"lists a slide {number} whose part is not a slide")
        found.append(SlidePart(item.get("id", ""), number, relation.target_part, element))
    return found
