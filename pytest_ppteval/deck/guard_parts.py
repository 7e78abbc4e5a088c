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

from pytest_ppteval.deck.encoding import UTF_16, utf_16_text
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


XML_NAME = re.compile(r"\.(xml|rels|vml|svg)$", re.IGNORECASE)
_DECLARED = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)", re.IGNORECASE)
# Encodings in which "<!DOCTYPE" is the same bytes, so that the search for it sees what a parser would see.
_ENCODINGS = re.compile(r"utf-?8|(us-)?ascii|iso-8859-\d{1,2}|windows-125\d", re.IGNORECASE)
_SAYS_UTF_16 = re.compile("utf-?16", re.IGNORECASE)
_EBCDIC = "<?xm".encode("cp037")
# Content types that python-pptx, this package or a renderer parse. What else is called .xml may hold anything.
_OF_OFFICE = ("openxmlformats", "ms-powerpoint", "ms-office")
_SVG_FETCH = re.compile(rb"(href|src|url\()\s*=?\s*[\"'(]?\s*(https?:|file:|ftp:|//)", re.IGNORECASE)
_TYPES = "[Content_Types].xml"
# Parsers take time that grows with the square of an element's attributes. Office's own elements have dozens at most.
_MOST_ATTRIBUTES = 1_000
_LONG_TAG = re.compile(rb"<[^<]{5000,}+")  # no shorter one can have as many
_TAG = re.compile(rb"<[^\s<>/]++(?:\s++[^\s=<>/]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*+")
_ATTRIBUTE = re.compile(rb"\s[^\s=<>/]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')")


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
        if is_same(i) is not None or (not i.is_dir() and (XML_NAME.search(i.filename) or types.is_xml(i.filename)))
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
            needed = info.filename.lower().endswith(".rels") or types.is_of_office(info.filename)
            check = _tags_of_xml if needed else _tags_if_xml
            content = reader.read(info, check)
            if info.filename.lower().endswith(".rels"):
                relations = reader.once(_relationships, content, info.filename)
                outside = tuple(_external(info.filename, relations))
                if is_root:
                    root_relations = relations
            elif info.filename.lower().endswith(".svg") and _SVG_FETCH.search(_in_utf_8(content)):
                outside = (f"{info.filename}: a picture that fetches other files",)
            else:
                outside = ()
            passed = reader.once(check, content, info.filename), outside
        else:
            reader.count(passed[0])
        contents.passed[info.filename] = passed
        external.extend(passed[1])
    main = _check_main_part(root_relations, types, by_name)
    notes = []
    if "macroEnabled" in main or any("vbaproject" in name for name in names):
        notes.append("holds macros (never run)")
    return DeckFacts(len(infos), sum(i.file_size for i in infos), xml_bytes, reader.tags, tuple(external), tuple(notes))


def _in_utf_8(content: bytes) -> bytes:
    return (utf_16_text(content) or "").encode() if content[:2] in UTF_16 else content


def _never(_info: zipfile.ZipInfo) -> None:
    return None


def _tags_of_xml(content: bytes, name: str) -> int:
    """The number of tags in XML that declares nothing dangerous.

    It is looked at in the encoding in which each parser will read it; where parsers might differ it is refused.
    """
    if content[:2] in UTF_16 and content[2:4] != b"\0\0":
        text = utf_16_text(content)
        if text is None:
            raise DeckRejected(f"has a part {quote(name)} that is damaged UTF-16")
        _check_declaration(text[:1024], name, _SAYS_UTF_16)
        content = text.encode()
    elif content[:2] in UTF_16 or b"\0" in content[:4]:
        raise DeckRejected(f"has a part {quote(name)} in UTF-32, or in UTF-16 without its mark; use UTF-8")
    else:
        start = content.removeprefix(b"\xef\xbb\xbf")[:1024]
        if start.strip() and not start.lstrip().startswith(b"<"):
            raise DeckRejected(f"has a part {quote(name)} that is not XML in UTF-8 or UTF-16")
        _check_declaration(start.decode("latin-1"), name, _ENCODINGS)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DeckRejected(f"has a part {quote(name)} that declares a DTD, which no Office file needs")
    for tag in _LONG_TAG.finditer(content):
        if (named := _TAG.match(tag[0])) and len(_ATTRIBUTE.findall(named[0])) > _MOST_ATTRIBUTES:
            raise DeckRejected(
                f"has a part {quote(name)} in which an element has more than {_MOST_ATTRIBUTES:,} attributes"
            )
    return content.count(b"<")


def _tags_if_xml(content: bytes, name: str) -> int:
    """The same of a part that nobody needs to be XML: it has no tags where no parser would take it for some."""
    start = content.removeprefix(b"\xef\xbb\xbf")[:64].lstrip()
    wide = content[:2] in UTF_16 or (b"\0" in content[:4] and b"<" in content[:8])
    is_xml = wide or content[:4] == _EBCDIC or start[:1] in (b"<", b"")
    return _tags_of_xml(content, name) if is_xml else 0


def _check_declaration(start: str, name: str, allowed: re.Pattern[str]) -> None:
    """The beginning of XML: what encoding it says to have. None said, it is UTF-8, or UTF-16 by its mark."""
    if not start.startswith("<?xml"):
        return
    if "?>" not in start:
        raise DeckRejected(f"has a part {quote(name)} that has an XML declaration without an end")
    declared = _DECLARED.match(start[: start.index("?>")])
    if declared and not allowed.fullmatch(declared[1]):
        raise DeckRejected(
            f"has a part {quote(name)} that is encoded in {quote(declared[1])}; use UTF-8, or UTF-16 with its mark"
        )


class _XmlReader:
    """Reads XML parts, each checked on its own, and counts their tags together."""

    def __init__(self, contents: Contents, caps: Caps) -> None:
        self._contents = contents
        self._caps = caps
        self.tags = 0

    def once(self, work_out: Callable[..., _T], content: bytes, *more: str) -> _T:
        """What `work_out` makes of a part's content (`more` is for its messages), made once for equal contents."""
        return cast("_T", self._contents.once(work_out, content, *more))

    def read(self, info: zipfile.ZipInfo, check: Callable[[bytes, str], int] = _tags_of_xml) -> bytes:
        name = info.filename  # quoted only where it is shown: most parts are fine
        if info.file_size > self._caps.xml:
            raise DeckRejected(f"has a part {quote(name)} of {info.file_size:,} bytes of XML; limit {self._caps.xml:,}")
        try:
            content = self._contents.read(info)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, struct.error) as error:
            raise DeckRejected(f"has a part {quote(name)} that cannot be unpacked: {one_line(error)}") from None
        self.count(self.once(check, content, name))
        return content

    def count(self, tags: int) -> None:
        """Count the tags of one part. Raises DeckRejected where there are too many of all."""
        self.tags += tags
        if self.tags > self._caps.tags:
            raise DeckRejected(f"holds more than {self._caps.tags:,} XML tags")


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

    def is_of_office(self, name: str) -> bool:
        """Whether it is a part that python-pptx, this package or a renderer parse."""
        return any(mark in self.of(name) for mark in _OF_OFFICE)

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
