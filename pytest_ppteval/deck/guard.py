"""What is checked of an untrusted deck before any parser or renderer sees it: bounded work, standard library only.

A deck is a zip of XML parts, written by an agent. python-pptx and lxml on a hostile one: a 4 MB zip bomb costs 3 GB,
200,000 entries 9 s, 46 MB of XML 33 s. So the zip's directory is checked before it is parsed, each XML part is read
under a cap and looked at once, and whatever python-pptx cannot open is refused with the reason that helps people.
Costs 1-16 ms on real decks.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import zipfile
from io import BytesIO

from pytest_ppteval.deck.contents import Contents
from pytest_ppteval.deck.guard_parts import XML_NAME, DeckFacts, check_parts
from pytest_ppteval.deck.limits import CAPS, Caps, DeckRejected, one_line, quote
from pytest_ppteval.deck.ole import describe_ole, is_ole

__all__ = ["CAPS", "Caps", "DeckFacts", "DeckRejected", "check", "read_deck", "read_plain_file"]


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
        facts = os.lstat(path)
        if stat.S_ISLNK(facts.st_mode):  # also where there is no O_NOFOLLOW
            raise DeckRejected("is a symbolic link: put the deck itself there")
        # Asked before opening: a confined process may not open a folder or a pipe, and could not say what it is.
        _check_kind(facts, limit)
        fd = os.open(path, flags)
    except (OSError, ValueError) as error:
        if isinstance(error, DeckRejected):
            raise
        raise DeckRejected(_why_not_opened(error)) from None
    try:
        _check_kind(os.fstat(fd), limit)
        with open(fd, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise DeckRejected(f"cannot be read: {error.strerror}") from None
    finally:
        os.close(fd)
    if len(data) > limit:
        raise DeckRejected(f"grew beyond {limit:,} bytes while it was read")
    return data


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


def _check_kind(facts: os.stat_result, limit: int) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise DeckRejected("is a folder, not a file")
    if stat.S_ISFIFO(facts.st_mode):
        raise DeckRejected("is a pipe, not a file")
    if stat.S_ISSOCK(facts.st_mode):
        raise DeckRejected("is a socket or device, not a file")
    if not stat.S_ISREG(facts.st_mode):
        raise DeckRejected("is a device, not a file")
    if facts.st_nlink > 1:
        raise DeckRejected(f"has {facts.st_nlink} hard links, so that it may change under another name: copy it")
    if facts.st_size > limit:
        raise DeckRejected(f"has {facts.st_size:,} bytes; at most {limit:,} are read")


def check(data: bytes, caps: Caps = CAPS) -> DeckFacts:
    """Check the bytes of a deck. Raises DeckRejected, and nothing else, on whatever is no deck to be opened."""
    return examine(data, caps)[0]


def examine(data: bytes, caps: Caps = CAPS, known: Contents | None = None) -> tuple[DeckFacts, Contents]:
    """As `check`, with the deck's parts. What a deck that was examined before has in the same bytes is `known`."""
    check_container(data, caps)
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError, OverflowError) as error:
        raise DeckRejected(f"has a damaged zip directory: {one_line(error)}") from None
    infos = archive.infolist()
    if len(infos) > caps.entries:
        raise DeckRejected(f"holds {len(infos):,} parts; at most {caps.entries:,} are opened")
    names = _check_names(infos)
    _check_places(data, infos)
    _check_sizes(infos, caps)
    contents = Contents(data, archive, known)
    return check_parts(contents, infos, names, caps), contents


# ---- the container -------------------------------------------------------------------------------------------------

_END = b"PK\x05\x06"
_END_SIZE = 22
_LOCATOR_64 = b"PK\x06\x07"


def check_container(data: bytes, caps: Caps) -> None:
    """Refuse by the zip's end-of-central-directory record, before its directory is parsed: that is what costs."""
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
    is_64 = end >= 20 and data[end - 20 : end - 16] == _LOCATOR_64
    if is_64:
        end, facts = _read_zip64(data, end - 20, (disk, first_disk, on_disk, entries, size, offset))
        disk, first_disk, on_disk, entries, size, offset = facts
    if disk or first_disk or on_disk != entries:
        raise DeckRejected("is one piece of a zip in several pieces")
    if entries > caps.entries or size > caps.entries * 512:
        raise DeckRejected(f"holds {entries:,} parts; at most {caps.entries:,} are opened")
    if offset + size != end:
        raise DeckRejected("is cut off or damaged: the zip's directory is not where it should be")


def _read_zip64(data: bytes, locator: int, plain: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The place of a zip64 record, and what it says in place of the `plain` record's fields.

    Some programs write one whatever the size. Readers differ in where they look for it and in whom they believe, so
    both must say the same: it stands right before its locator, and the plain record has its numbers, or none.
    """
    place = locator - 56
    disk, at, disks = struct.unpack("<IQI", data[locator + 4 : locator + 20])
    if place < 0 or data[place : place + 4] != b"PK\x06\x06" or (disk, at, disks) != (0, place, 1):
        raise DeckRejected("is damaged: its zip64 record is not where its locator says")
    length, *_, this, first, on_disk, entries, size, offset = struct.unpack("<QHHIIQQQQ", data[place + 4 : locator])
    facts = (this, first, on_disk, entries, size, offset)
    unsaid = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    if length != 44 or any(one not in (own, none) for one, own, none in zip(plain, facts, unsaid, strict=True)):
        raise DeckRejected("is damaged: its zip64 record says something else than the plain one")
    return place, facts


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
            raise DeckRejected(f"has a part with a forbidden name: {quote(info.orig_filename)}")
        if ".." in name.split("/"):
            raise DeckRejected(f"has a part whose name climbs out of the deck: {quote(name)}")
        key = name.casefold()
        if key in seen:
            raise DeckRejected(f"holds the part {quote(name)} twice")
        seen.add(key)
        if info.flag_bits & 0x2041:  # encrypted, strongly encrypted, masked headers
            raise DeckRejected(f"has an encrypted part, {quote(name)}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DeckRejected(f"has a part packed in a way PowerPoint does not use, {quote(name)}")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise DeckRejected(f"has a symbolic link in it, {quote(name)}")
    return seen


def _check_places(data: bytes, infos: list[zipfile.ZipInfo]) -> None:
    """No two parts share bytes: overlapping parts let a small file unpack to a huge one."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        offset = info.header_offset
        if offset < end:
            raise DeckRejected(f"has parts that overlap in the zip, at {quote(info.filename)}")
        if offset < 0 or data[offset : offset + 4] != b"PK\x03\x04" or offset + 30 > len(data):
            raise DeckRejected(f"is damaged: part {quote(info.filename)} is not where the zip's directory says")
        name_length, extra_length = struct.unpack("<2H", data[offset + 26 : offset + 30])
        end = offset + 30 + name_length + extra_length + info.compress_size
        if end > len(data):
            raise DeckRejected(f"is damaged: part {quote(info.filename)} reaches beyond the end of the file")


def _check_sizes(infos: list[zipfile.ZipInfo], caps: Caps) -> None:
    total = squeezed = 0
    for info in infos:
        total += info.file_size
        if info.file_size > caps.part:
            raise DeckRejected(
                f"has a part {quote(info.filename)} that unpacks to {info.file_size:,} bytes; limit {caps.part:,}"
            )
        if info.file_size <= caps.ratio * max(1, info.compress_size):
            continue
        squeezed += info.file_size
        if squeezed > caps.squeezed or (info.file_size > caps.ratio_from and XML_NAME.search(info.filename)):
            ratio = info.file_size // max(1, info.compress_size)
            raise DeckRejected(
                f"has a part {quote(info.filename)} packed {ratio:,} times smaller than it is; limit {caps.ratio}"
            )
    if total > caps.total:
        raise DeckRejected(f"unpacks to {total:,} bytes; limit {caps.total:,}")
