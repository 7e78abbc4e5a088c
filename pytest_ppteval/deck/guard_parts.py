"""The parts of a zip that passes for a deck: each XML part looked at once, without building a tree of it."""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast
from xml.parsers import expat

from pytest_ppteval.deck.limits import Caps, DeckRejected, one_line, plain, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_ppteval.deck.contents import Contents

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class DeckFacts:
    """What the guard saw.

    entries: number of parts. unpacked, xml_bytes: bytes. tags: number of "<" in XML.
    external: "part: target" of each relationship that leads out of the deck, hyperlinks aside (linked pictures, ...).
    notes: what is worth saying though it is no reason to refuse, such as macros.
    """

    entries: int
    unpacked: int
    xml_bytes: int
    tags: int
    external: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_XML_NAME = re.compile(r"\.(xml|rels|vml|svg)$", re.IGNORECASE)
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)", re.IGNORECASE)
# Encodings in which "<!DOCTYPE" is the same bytes, so that the search for it sees what a parser would see.
_ENCODINGS = {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"}
_SVG_FETCH = re.compile(rb"(href|src|url\()\s*=?\s*[\"'(]?\s*(https?:|file:|ftp:|//)", re.IGNORECASE)
_TYPES = "[Content_Types].xml"


def check_parts(contents: Contents, infos: list[zipfile.ZipInfo], names: set[str], caps: Caps) -> DeckFacts:
    """Read and check every XML part, and find the presentation part.

    infos, names: the zip's directory, and the case-folded names in it. Raises DeckRejected.
    """
    by_name = {info.filename.casefold(): info for info in infos}
    types_info = by_name.get(_TYPES.casefold())
    if types_info is None:
        raise DeckRejected("is a zip but not an Office file (it has no [Content_Types].xml)")
    reader = _XmlReader(contents, caps)
    types = reader.once(_ContentTypes, reader.read(types_info))
    # What a part is called does not change; its type does not either where the list of types is known as well.
    is_same = contents.passed_before if contents.is_known(types_info) else _never
    xml_infos = [
        i
        for i in infos
        if is_same(i) is not None or (not i.is_dir() and (_XML_NAME.search(i.filename) or types.is_xml(i.filename)))
    ]
    for info in xml_infos:
        if info.file_size > caps.xml:
            raise DeckRejected(
                f"has a part {quote(info.filename)} of {info.file_size:,} bytes of XML; limit {caps.xml:,}"
            )
    xml_bytes = sum(info.file_size for info in xml_infos)
    if xml_bytes > caps.xml_total:
        raise DeckRejected(f"holds {xml_bytes:,} bytes of XML; limit {caps.xml_total:,}")
    external: list[str] = []
    root_relations: list[Mapping[str, str]] = []
    for info in xml_infos:
        if info is types_info:
            continue
        is_root = info.filename.casefold() == "_rels/.rels"
        passed = contents.passed_before(info) if not is_root else None
        if passed is None:
            content = reader.read(info)
            if info.filename.lower().endswith(".rels"):
                relations = reader.once(_relationships, content, info.filename)
                outside = tuple(_external(info.filename, relations))
                if is_root:
                    root_relations = relations
            elif info.filename.lower().endswith(".svg") and _SVG_FETCH.search(content):
                outside = (f"{info.filename}: a picture that fetches other files",)
            else:
                outside = ()
            passed = reader.once(_harmless_tags, content, info.filename), outside
        else:
            reader.count(passed[0])
        contents.passed[info.filename] = passed
        external.extend(passed[1])
    main = _check_main_part(root_relations, types, by_name)
    notes = []
    if "macroEnabled" in main or any("vbaproject" in name for name in names):
        notes.append("holds macros (never run)")
    return DeckFacts(len(infos), sum(i.file_size for i in infos), xml_bytes, reader.tags, tuple(external), tuple(notes))


def _never(_info: zipfile.ZipInfo) -> None:
    return None


class _XmlReader:
    """Reads XML parts, each checked on its own, and counts their tags together."""

    def __init__(self, contents: Contents, caps: Caps) -> None:
        self._contents = contents
        self._caps = caps
        self.tags = 0

    def once(self, work_out: Callable[..., _T], content: bytes, *more: str) -> _T:
        """What `work_out` makes of a part's content (`more` is for its messages), made once for equal contents."""
        return cast("_T", self._contents.once(work_out, content, *more))

    def read(self, info: zipfile.ZipInfo) -> bytes:
        name = info.filename  # quoted only where it is shown: most parts are fine
        if info.file_size > self._caps.xml:
            raise DeckRejected(f"has a part {quote(name)} of {info.file_size:,} bytes of XML; limit {self._caps.xml:,}")
        try:
            content = self._contents.read(info)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, struct.error) as error:
            raise DeckRejected(f"has a part {quote(name)} that cannot be unpacked: {one_line(error)}") from None
        self.count(self.once(_harmless_tags, content, name))
        return content

    def count(self, tags: int) -> None:
        """Count the tags of one part. Raises DeckRejected where there are too many of all."""
        self.tags += tags
        if self.tags > self._caps.tags:
            raise DeckRejected(f"holds more than {self._caps.tags:,} XML tags")


def _harmless_tags(content: bytes, name: str) -> int:
    """The number of tags in XML that declares nothing dangerous."""
    _check_encoding(content, name)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DeckRejected(f"has a part {quote(name)} that declares a DTD, which no Office file needs")
    return content.count(b"<")


def _check_encoding(content: bytes, name: str) -> None:
    """Only encodings that the search for a DTD can read; UTF-16 would hide one."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]:
        raise DeckRejected(f"has a part {quote(name)} that is UTF-16 or UTF-32; only UTF-8 is read")
    start = content.removeprefix(b"\xef\xbb\xbf")[:1024]
    if start.strip() and not start.lstrip().startswith(b"<"):
        raise DeckRejected(f"has a part {quote(name)} that is not XML in UTF-8")
    if start.startswith(b"<?xml"):
        if b"?>" not in start:
            raise DeckRejected(f"has a part {quote(name)} that has an XML declaration without an end")
        declared = _DECLARED.match(start[: start.index(b"?>")])
        if declared and declared[1].lower() not in _ENCODINGS:
            encoding = quote(declared[1].decode("latin-1"))
            raise DeckRejected(f"has a part {quote(name)} that is encoded in {encoding}; only UTF-8 is read")


def _elements(content: bytes, name: str, handle: Callable[[str, dict[str, str]], None]) -> None:
    """Call `handle` with (namespace and local name, attributes) of each element; builds no tree."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = handle
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DeckRejected(f"has a part {quote(name)} that is not well-formed XML: {one_line(error)}") from None


class _ContentTypes:
    """What [Content_Types].xml says of each part: python-pptx parses as XML whatever it calls XML."""

    def __init__(self, content: bytes) -> None:
        self._by_part: dict[str, str] = {}
        self._by_extension: dict[str, str] = {}
        _elements(content, _TYPES, self._add)

    def _add(self, tag: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("ContentType", "")
        local = tag.rpartition(" ")[2]
        if local == "Override":
            self._by_part[attributes.get("PartName", "").lstrip("/").casefold()] = kind
        elif local == "Default":
            self._by_extension[attributes.get("Extension", "").casefold()] = kind

    def of(self, name: str) -> str:
        key = name.casefold()
        return self._by_part.get(key) or self._by_extension.get(posixpath.basename(key).rpartition(".")[2], "")

    def is_xml(self, name: str) -> bool:
        return self.of(name).partition(";")[0].strip().lower().endswith(("+xml", "/xml", "vmldrawing"))


def _relationships(content: bytes, name: str) -> list[Mapping[str, str]]:
    found: list[Mapping[str, str]] = []

    def handle(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "Relationship":
            found.append(attributes)

    if content:
        _elements(content, name, handle)
    return found


def _external(name: str, relations: list[Mapping[str, str]]) -> Iterator[str]:
    for relation in relations:
        if relation.get("TargetMode") == "External" and not relation.get("Type", "").endswith("/hyperlink"):
            yield f"{plain(name)}: {plain(relation.get('Target', ''))}"


_STRICT = "http://purl.oclc.org/ooxml/"
_DOCUMENT = "/relationships/officeDocument"
_MAIN_TYPES = (
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
)
_OTHER_TYPES = (
    ("presentationml.template.main", "is a PowerPoint template (.potx): save it as .pptx"),
    ("powerpoint.template.macroEnabled.main", "is a PowerPoint template with macros (.potm): save it as .pptx"),
    ("presentationml.slideshow.main", "is a PowerPoint show (.ppsx): save it as .pptx"),
    ("powerpoint.slideshow.macroEnabled.main", "is a PowerPoint show with macros (.ppsm): save it as .pptx"),
    ("powerpoint.addin", "is a PowerPoint add-in (.ppam), not a presentation"),
    ("wordprocessingml", "is a Word document, not a presentation"),
    ("ms-word", "is a Word document, not a presentation"),
    ("spreadsheetml", "is an Excel workbook, not a presentation"),
    ("ms-excel", "is an Excel workbook, not a presentation"),
)


def _check_main_part(
    relations: list[Mapping[str, str]], types: _ContentTypes, by_name: Mapping[str, zipfile.ZipInfo]
) -> str:
    """The content type of the presentation part; refused where python-pptx could not open it."""
    mains = [r for r in relations if r.get("Type", "").endswith(_DOCUMENT) and r.get("TargetMode") != "External"]
    if not mains:
        raise DeckRejected("has no presentation part (_rels/.rels names none)")
    if mains[0]["Type"].startswith(_STRICT):
        raise DeckRejected("is Strict Open XML, which cannot be opened here: save it as an ordinary .pptx")
    target = mains[0].get("Target", "")
    name = posixpath.normpath(target.lstrip("/"))
    kind = types.of(name)
    for mark, reason in _OTHER_TYPES:
        if mark in kind:
            raise DeckRejected(reason)
    if name.casefold() not in by_name:
        raise DeckRejected(f"has no presentation part: {quote(target)} is missing from it")
    if kind not in _MAIN_TYPES:
        raise DeckRejected(f"has a main part of the content type {quote(kind)}, not that of a presentation")
    return kind
