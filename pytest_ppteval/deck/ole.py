"""What an OLE compound file is: a password-protected deck, an old .ppt, or something else of that container."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END_OF_CHAIN = 0xFFFFFFFA  # this and above: free, end of chain, FAT or DIFAT sector
_MAX_SECTORS = 4_096  # of the directory: 16,384 or more streams

_KINDS = (
    ({"EncryptedPackage", "EncryptionInfo"}, "is encrypted with a password: remove the password and save it again"),
    ({"PowerPoint Document", "PP97_DUALSTORAGE"}, "is in the old .ppt format of PowerPoint 97-2003: save it as .pptx"),
    ({"WordDocument"}, "is an old Word document (.doc), not a presentation"),
    ({"Workbook", "Book"}, "is an old Excel workbook (.xls), not a presentation"),
)


def is_ole(data: bytes) -> bool:
    """Whether `data` starts as an OLE compound file does."""
    return data.startswith(_MAGIC)


def describe_ole(data: bytes) -> str:
    """Why a compound file cannot be opened as a deck, from the names in its directory. Never raises."""
    names = set(_names(data))
    for marks, reason in _KINDS:
        if names & marks:
            return reason
    return "is an OLE file (old Office format), not a .pptx"


def _names(data: bytes) -> Iterator[str]:
    """The names of streams and storages, as far as the directory can be followed (MS-CFB, sections 2.2-2.6)."""
    if len(data) < 512:
        return
    (shift,) = struct.unpack("<H", data[30:32])
    if shift not in (9, 12):
        return
    size = 1 << shift
    (sector,) = struct.unpack("<I", data[48:52])
    fat_sectors = struct.unpack("<109I", data[76:512])
    for _ in range(_MAX_SECTORS):
        start = (sector + 1) * size
        directory = data[start : start + size]
        for offset in range(0, len(directory) - 127, 128):
            (length,) = struct.unpack("<H", directory[offset + 64 : offset + 66])
            if 2 <= length <= 64:
                yield directory[offset : offset + length - 2].decode("utf-16-le", "replace")
        fat_index, entry = divmod(sector, size // 4)
        if fat_index >= len(fat_sectors) or fat_sectors[fat_index] >= _END_OF_CHAIN:
            return
        place = (fat_sectors[fat_index] + 1) * size + entry * 4
        if place + 4 > len(data):
            return
        (sector,) = struct.unpack("<I", data[place : place + 4])
        if sector >= _END_OF_CHAIN:
            return
