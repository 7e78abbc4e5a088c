"""What is checked of an untrusted deck before any parser or renderer sees it: bounded work, standard library only.

A deck is a zip of XML parts, written by an agent. python-pptx and lxml on a hostile one: a 4 MB zip bomb costs 3 GB,
200,000 entries 9 s, 46 MB of XML 33 s. So the zip's directory is checked before it is parsed, each XML part is read
under a cap and looked at once, and whatever python-pptx cannot open is refused with the reason that helps people.
Costs 1-16 ms on real decks.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO
from xml.parsers import expat

from pytest_ppteval.deck.ole import describe_ole, is_ole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MiB = 1 << 20


@dataclass(frozen=True, slots=True)
class Caps:
    """How large a deck may be. Bytes, unless said otherwise.

    file: the file itself. entries: number of parts in the zip. total, part: unpacked, all parts and any one part.
    xml, xml_total: unpacked, one XML part and all of them. tags: number of "<" in all XML parts together.
    ratio: unpacked to packed size, asked of parts above `ratio_from`.
    """

    file: int = 256 * MiB
    entries: int = 5_000
    total: int = 1024 * MiB
    part: int = 256 * MiB
    xml: int = 16 * MiB
    xml_total: int = 128 * MiB
    tags: int = 1_500_000
    ratio: int = 250
    ratio_from: int = MiB


CAPS = Caps()


class DeckRejected(ValueError):  # noqa: N818 - it names what happened to the deck; other rooms rely on it
    """A deck that is not opened. Its text is one line: the reason, and what to do where that is known."""


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


def read_deck(path: str | os.PathLike[str], caps: Caps = CAPS) -> bytes:
    """The bytes of the deck at `path`, read once and checked; later users take these bytes, not the path again.

    Raises DeckRejected: not a plain file of one link (no symlink, folder, pipe or device), too large, or not a deck
    that python-pptx can open.
    """
    data = read_plain_file(path, caps.file)
    check(data, caps)
    return data


def read_plain_file(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a plain file of at most `limit` bytes. Raises DeckRejected for anything else."""
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever. O_NOFOLLOW: the agent chose this name.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):  # also where there is no O_NOFOLLOW
            raise DeckRejected("is a symbolic link: put the deck itself there")
        fd = os.open(path, flags)
    except (OSError, ValueError) as error:
        if isinstance(error, DeckRejected):
            raise
        raise DeckRejected(_why_not_opened(error)) from None
    with os.fdopen(fd, "rb") as file:
        return _read_open_file(file, limit)


def _why_not_opened(error: OSError | ValueError) -> str:
    code = getattr(error, "errno", None)
    if code in (errno.ENOENT, errno.ENOTDIR):
        return "there is no such file"
    if code == errno.ELOOP:
        return "is a symbolic link: put the deck itself there"
    if code in (errno.ENXIO, errno.EOPNOTSUPP):
        return "is a socket or device, not a file"
    if code in (errno.EACCES, errno.EPERM):
        return "may not be read: no permission"
    return f"cannot be opened: {getattr(error, 'strerror', None) or error}"


def _read_open_file(file: BinaryIO, limit: int) -> bytes:
    facts = os.fstat(file.fileno())
    if stat.S_ISDIR(facts.st_mode):
        raise DeckRejected("is a folder, not a file")
    if stat.S_ISFIFO(facts.st_mode):
        raise DeckRejected("is a pipe, not a file")
    if not stat.S_ISREG(facts.st_mode):
        raise DeckRejected("is a device, not a file")
    if facts.st_nlink > 1:
        raise DeckRejected(f"has {facts.st_nlink} hard links, so that it may change under another name: copy it")
    if facts.st_size > limit:
        raise DeckRejected(f"has {facts.st_size:,} bytes; at most {limit:,} are read")
    try:
        data = file.read(limit + 1)
    except OSError as error:
        raise DeckRejected(f"cannot be read: {error.strerror}") from None
    if len(data) > limit:
        raise DeckRejected(f"grew beyond {limit:,} bytes while it was read")
    return data


def check(data: bytes, caps: Caps = CAPS) -> DeckFacts:
    """Check the bytes of a deck. Raises DeckRejected, and nothing else, on whatever is no deck to be opened."""
    _check_container(data, caps)
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError, OverflowError) as error:
        raise DeckRejected(f"its zip directory is damaged: {_one_line(error)}") from None
    with archive:
        infos = archive.infolist()
        if len(infos) > caps.entries:
            raise DeckRejected(f"holds {len(infos):,} parts; at most {caps.entries:,} are opened")
        names = _check_names(infos)
        _check_places(data, infos)
        _check_sizes(infos, caps)
        return _check_parts(archive, infos, names, caps)


# ---- the container -------------------------------------------------------------------------------------------------

_END = b"PK\x05\x06"
_END_SIZE = 22


def _check_container(data: bytes, caps: Caps) -> None:
    """Decide from the end-of-central-directory record, before the directory is parsed: its parse is what costs."""
    if not data:
        raise DeckRejected("is empty (0 bytes)")
    if len(data) > caps.file:
        raise DeckRejected(f"has {len(data):,} bytes; at most {caps.file:,} are read")
    if is_ole(data):
        raise DeckRejected(describe_ole(data))
    if data[:4] != b"PK\x03\x04":
        kind = _kind(data)
        raise DeckRejected(f"is not a PowerPoint file (no zip){': it looks like ' + kind if kind else ''}")
    start = max(0, len(data) - 65_535 - _END_SIZE)
    end = data.rfind(_END, start)
    if end < 0 or len(data) < end + _END_SIZE:
        raise DeckRejected("is cut off: the zip's directory at its end is missing")
    disk, first_disk, on_disk, entries, size, offset = struct.unpack("<4H2I", data[end + 4 : end + 20])
    locator = data[end - 20 : end - 16] if end >= 20 else b""
    if 0xFFFF in (entries, on_disk) or 0xFFFFFFFF in (size, offset) or locator == b"PK\x06\x07":
        raise DeckRejected("is a zip64 archive, which no deck of allowed size needs")
    if disk or first_disk or on_disk != entries:
        raise DeckRejected("is one piece of a zip in several pieces")
    if entries > caps.entries or size > caps.entries * 512:
        raise DeckRejected(f"holds {entries:,} parts; at most {caps.entries:,} are opened")
    if offset + size != end:
        raise DeckRejected("is cut off or damaged: the zip's directory is not where it should be")


def _kind(data: bytes) -> str:
    head = data[:64].lstrip()
    for mark, kind in (
        (b"%PDF", "a PDF"),
        (b"{", "JSON"),
        (b"<!DOCTYPE html", "HTML"),
        (b"<html", "HTML"),
        (b"<?xml", "XML"),
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"{\\rtf", "RTF"),
        (b"\x1f\x8b", "gzip"),
        (b"7z\xbc\xaf", "7-Zip"),
    ):
        if head[: len(mark)].lower() == mark.lower():
            return kind
    return ""


def _check_names(infos: list[zipfile.ZipInfo]) -> set[str]:
    seen: set[str] = set()
    for info in infos:
        name = info.filename
        # orig_filename: zipfile cuts the name at a NUL
        if "\0" in info.orig_filename or "\\" in info.orig_filename or ":" in name or name.startswith("/"):
            raise DeckRejected(f"has a part with a forbidden name: {_quote(info.orig_filename)}")
        if ".." in name.split("/"):
            raise DeckRejected(f"has a part whose name climbs out of the deck: {_quote(name)}")
        key = name.casefold()
        if key in seen:
            raise DeckRejected(f"holds the part {_quote(name)} twice")
        seen.add(key)
        if info.flag_bits & 0x2041:  # encrypted, strongly encrypted, masked headers
            raise DeckRejected(f"has an encrypted part, {_quote(name)}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DeckRejected(f"has a part packed in a way PowerPoint does not use, {_quote(name)}")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise DeckRejected(f"has a symbolic link in it, {_quote(name)}")
    return seen


def _check_places(data: bytes, infos: list[zipfile.ZipInfo]) -> None:
    """No two parts share bytes: overlapping parts let a small file unpack to a huge one."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        offset = info.header_offset
        if offset < end:
            raise DeckRejected(f"has parts that overlap in the zip, at {_quote(info.filename)}")
        if offset < 0 or data[offset : offset + 4] != b"PK\x03\x04" or offset + 30 > len(data):
            raise DeckRejected(f"is damaged: part {_quote(info.filename)} is not where the zip's directory says")
        name_length, extra_length = struct.unpack("<2H", data[offset + 26 : offset + 30])
        end = offset + 30 + name_length + extra_length + info.compress_size
        if end > len(data):
            raise DeckRejected(f"is damaged: part {_quote(info.filename)} reaches beyond the end of the file")


def _check_sizes(infos: list[zipfile.ZipInfo], caps: Caps) -> None:
    total = 0
    for info in infos:
        total += info.file_size
        if info.file_size > caps.part:
            raise DeckRejected(f"part {_quote(info.filename)} unpacks to {info.file_size:,} bytes; limit {caps.part:,}")
        if info.file_size > caps.ratio_from and info.file_size > caps.ratio * max(1, info.compress_size):
            ratio = info.file_size // max(1, info.compress_size)
            raise DeckRejected(
                f"part {_quote(info.filename)} is packed {ratio:,} times smaller than it is; limit {caps.ratio}"
            )
    if total > caps.total:
        raise DeckRejected(f"unpacks to {total:,} bytes; limit {caps.total:,}")


# ---- the parts -----------------------------------------------------------------------------------------------------

_XML_NAME = re.compile(r"\.(xml|rels|vml|svg)$", re.IGNORECASE)
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)", re.IGNORECASE)
# Encodings in which "<!DOCTYPE" is the same bytes, so that the search for it sees what a parser would see.
_ENCODINGS = {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"}
_SVG_FETCH = re.compile(rb"(href|src|url\()\s*=?\s*[\"'(]?\s*(https?:|file:|ftp:|//)", re.IGNORECASE)
_TYPES = "[Content_Types].xml"


def _check_parts(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], names: set[str], caps: Caps) -> DeckFacts:
    by_name = {info.filename.casefold(): info for info in infos}
    types_info = by_name.get(_TYPES.casefold())
    if types_info is None:
        raise DeckRejected("is a zip but not an Office file (it has no [Content_Types].xml)")
    reader = _XmlReader(archive, caps)
    types = _ContentTypes(reader.read(types_info))
    xml_infos = [i for i in infos if not i.is_dir() and (_XML_NAME.search(i.filename) or types.is_xml(i.filename))]
    for info in xml_infos:
        if info.file_size > caps.xml:
            raise DeckRejected(f"part {_quote(info.filename)} is {info.file_size:,} bytes of XML; limit {caps.xml:,}")
    xml_bytes = sum(info.file_size for info in xml_infos)
    if xml_bytes > caps.xml_total:
        raise DeckRejected(f"holds {xml_bytes:,} bytes of XML; limit {caps.xml_total:,}")
    external: list[str] = []
    root_relations: list[Mapping[str, str]] = []
    for info in xml_infos:
        content = reader.read(info) if info is not types_info else b""
        if info.filename.lower().endswith(".rels"):
            relations = list(_relationships(content, info.filename))
            external.extend(_external(info.filename, relations))
            if info.filename.casefold() == "_rels/.rels":
                root_relations = relations
        elif info.filename.lower().endswith(".svg") and _SVG_FETCH.search(content):
            external.append(f"{info.filename}: a picture that fetches other files")
    main = _check_main_part(root_relations, types, by_name)
    notes = []
    if "macroEnabled" in main or any("vbaproject" in name for name in names):
        notes.append("holds macros (never run)")
    return DeckFacts(len(infos), sum(i.file_size for i in infos), xml_bytes, reader.tags, tuple(external), tuple(notes))


class _XmlReader:
    """Reads XML parts, each checked on its own, and counts their tags together."""

    def __init__(self, archive: zipfile.ZipFile, caps: Caps) -> None:
        self._archive = archive
        self._caps = caps
        self.tags = 0

    def read(self, info: zipfile.ZipInfo) -> bytes:
        name = _quote(info.filename)
        if info.file_size > self._caps.xml:
            raise DeckRejected(f"part {name} is {info.file_size:,} bytes of XML; limit {self._caps.xml:,}")
        try:
            with self._archive.open(info) as part:
                content = part.read(self._caps.xml + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, struct.error) as error:
            raise DeckRejected(f"part {name} cannot be unpacked: {_one_line(error)}") from None
        _check_encoding(content, name)
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise DeckRejected(f"part {name} declares a DTD, which no Office file needs")
        self.tags += content.count(b"<")
        if self.tags > self._caps.tags:
            raise DeckRejected(f"holds more than {self._caps.tags:,} XML tags")
        return content


def _check_encoding(content: bytes, name: str) -> None:
    """Only encodings that the search for a DTD can read; UTF-16 would hide one."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]:
        raise DeckRejected(f"part {name} is UTF-16 or UTF-32; only UTF-8 is read")
    start = content.removeprefix(b"\xef\xbb\xbf")[:1024]
    if start.strip() and not start.lstrip().startswith(b"<"):
        raise DeckRejected(f"part {name} is not XML in UTF-8")
    if start.startswith(b"<?xml"):
        if b"?>" not in start:
            raise DeckRejected(f"part {name} has an XML declaration without an end")
        declared = _DECLARED.match(start[: start.index(b"?>")])
        if declared and declared[1].lower() not in _ENCODINGS:
            raise DeckRejected(f"part {name} is encoded in {_quote(declared[1].decode('latin-1'))}; only UTF-8 is read")


def _elements(content: bytes, name: str, handle: Callable[[str, dict[str, str]], None]) -> None:
    """Call `handle` with (namespace and local name, attributes) of each element; builds no tree."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = handle
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DeckRejected(f"part {_quote(name)} is not well-formed XML: {_one_line(error)}") from None


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


def _relationships(content: bytes, name: str) -> Iterator[Mapping[str, str]]:
    found: list[dict[str, str]] = []

    def handle(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "Relationship":
            found.append(attributes)

    if content:
        _elements(content, name, handle)
    return iter(found)


def _external(name: str, relations: list[Mapping[str, str]]) -> Iterator[str]:
    for relation in relations:
        if relation.get("TargetMode") == "External" and not relation.get("Type", "").endswith("/hyperlink"):
            yield f"{_plain(name)}: {_plain(relation.get('Target', ''))}"


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
        raise DeckRejected(f"has no presentation part: {_quote(target)} is missing from it")
    if kind not in _MAIN_TYPES:
        raise DeckRejected(f"its main part has the content type {_quote(kind)}, not that of a presentation")
    return kind


# ---- words ---------------------------------------------------------------------------------------------------------


def _plain(text: str, limit: int = 200) -> str:
    """Text from the deck that is safe to print: one line, no control characters, not long."""
    shown = "".join(c if c.isprintable() else "�" for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "..."


def _quote(text: str) -> str:
    return f"'{_plain(text, 80)}'"


def _one_line(error: BaseException) -> str:
    return _plain(" ".join(str(error).split())) or type(error).__name__
