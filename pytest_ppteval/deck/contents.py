"""The parts of a zip, unpacked. Those that an earlier zip holds in the same bytes are taken from there."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zipfile


class Contents:
    """A deck's parts as bytes, each unpacked when it is first asked for. `known`: those of another deck."""

    def __init__(self, data: bytes, archive: zipfile.ZipFile, known: Contents | None = None) -> None:
        self._data = data
        self._archive = archive
        self._read: dict[str, bytes] = {}  # by name: the guard lets no two parts have one
        self._unpacked: dict[tuple[object, ...], bytes] = dict(known._unpacked) if known else {}
        # Content of a part that was found harmless -> what its caller found out about it.
        self.found: dict[object, object] = dict(known.found) if known else {}

    def read(self, info: zipfile.ZipInfo) -> bytes:
        """The content of a part. Raises whatever zipfile raises for a part that is damaged."""
        content = self._read.get(info.filename)
        if content is None:
            record = self._record(info)
            content = self._unpacked.get(record)
            if content is None:
                with self._archive.open(info) as part:
                    content = part.read(info.file_size + 1)  # bounded, where the packed data go on and on
                self._unpacked[record] = content
            self._read[info.filename] = content
        return content

    def read_all(self) -> dict[str, bytes]:
        """Every part by its name. Raises as `read`."""
        return {info.filename: self.read(info) for info in self._archive.infolist()}

    def _record(self, info: zipfile.ZipInfo) -> tuple[object, ...]:
        """All that unpacking a part depends on, as bytes: the time of packing, which nothing depends on, left out."""
        data, start = self._data, info.header_offset
        name, extra = struct.unpack_from("<2H", data, start + 26)
        end = start + 30 + name + extra + info.compress_size
        return (
            info.orig_filename, info.compress_type, info.flag_bits, info.CRC, info.file_size, info.compress_size,
            data[start : start + 10], data[start + 14 : end],
        )  # fmt: skip
