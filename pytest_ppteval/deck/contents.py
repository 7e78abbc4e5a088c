"""The parts of a zip, unpacked. Those that an earlier zip holds in the same bytes are taken from there."""

from __future__ import annotations

import struct
import zipfile
import zlib
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


_UTF_8 = 0x800
_PLAIN_FLAGS = _UTF_8 | 0b1110  # how hard it was packed; that sizes come after the data, too


class Contents:
    """A deck's parts as bytes, each unpacked when it is first asked for. `known`: those of another deck."""

    def __init__(self, data: bytes, archive: zipfile.ZipFile, known: Contents | None = None) -> None:
        self._data = data
        self._archive = archive
        self._known = known
        self._is_known: dict[str, bool] = {}
        self._read: dict[str, bytes] = {}  # by name: the guard lets no two parts have one
        self._found: dict[object, object] = {}
        # What the guard found out about each XML part that it let pass.
        self.passed: dict[str, tuple[int, tuple[str, ...]]] = {}

    @property
    def infos(self) -> list[zipfile.ZipInfo]:
        """The parts as the zip's directory has them."""
        return self._archive.infolist()

    def read(self, info: zipfile.ZipInfo) -> bytes:
        """The content of a part. Raises whatever zipfile raises for a part that is damaged."""
        content = self._read.get(info.filename)
        if content is None:
            if self._known is not None and self.is_known(info):
                content = self._known._read[info.filename]
            else:
                content = self._unpacked(info)
            self._read[info.filename] = content
        return content

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        """Without zipfile's layers, which cost more than unpacking does; what is not plainly in order is left to it."""
        data, start = self._data, info.header_offset
        flags, name_size, extra_size = struct.unpack_from("<H18x2H", data, start + 6)
        begin = start + 30 + name_size + extra_size
        end = begin + info.compress_size
        if flags == info.flag_bits and not flags & ~_PLAIN_FLAGS and end <= self._archive.start_dir:
            name = data[start + 30 : start + 30 + name_size]
            packed = data[begin:end]
            content = None
            if info.compress_type == zipfile.ZIP_STORED:
                content = packed
            elif info.compress_type == zipfile.ZIP_DEFLATED:
                unpack = zlib.decompressobj(-zlib.MAX_WBITS)
                try:
                    content = unpack.decompress(packed, info.file_size + 1)
                except zlib.error:
                    content = None
                if not unpack.eof:
                    content = None
            if (
                content is not None
                and len(content) == info.file_size
                and zlib.crc32(content) == info.CRC
                and name.decode("utf-8" if flags & _UTF_8 else "cp437", "surrogateescape") == info.orig_filename
            ):
                return content
        with self._archive.open(info) as part:
            return part.read(info.file_size + 1)  # bounded, where the packed data go on and on

    def read_all(self) -> dict[str, bytes]:
        """Every part by its name. Raises as `read`."""
        return {info.filename: self.read(info) for info in self.infos}

    def is_known(self, info: zipfile.ZipInfo) -> bool:
        """Whether the other deck has this part in the same bytes, and they were read there.

        Asked of the packed bytes, and without a look at what they were unpacked to: to look at an object is to change
        the count of its users, and so to copy its page, in a process that was forked off.
        """
        name, known = info.filename, self._known
        if name not in self._is_known:
            self._is_known[name] = known is not None and name in known.places and self._is_there(info, known)
        return self._is_known[name]

    def _is_there(self, info: zipfile.ZipInfo, known: Contents) -> bool:
        described, start, end = _place(self._data, info)
        other, at, to = known.places[info.filename]
        # All that unpacking depends on; the time of packing, which nothing depends on, is left out.
        return (
            described == other
            and end - start == to - at
            and self._data.startswith(known._view[at : at + 10], start)
            and self._data.startswith(known._view[at + 14 : to], start + 14)
        )

    @cached_property
    def places(self) -> dict[str, tuple[tuple[object, ...], int, int]]:
        """Of each part that was read: what the zip's directory says of it, where it starts and ends."""
        return {info.filename: _place(self._data, info) for info in self.infos if info.filename in self._read}

    @cached_property
    def _view(self) -> memoryview:
        return memoryview(self._data)

    def passed_before(self, info: zipfile.ZipInfo) -> tuple[int, tuple[str, ...]] | None:
        """What was found out about the same part of the other deck, where it is XML and was let pass."""
        return self._known.passed.get(info.filename) if self._known is not None and self.is_known(info) else None

    def once(self, work_out: Callable[..., object], content: bytes, *more: str) -> object:
        """What `work_out` makes of a part's content (`more` is for its messages), made once for equal contents."""
        key = work_out, content
        if key not in self._found:
            known = self._known._found if self._known is not None else {}
            self._found[key] = known[key] if key in known else work_out(content, *more)
        return self._found[key]


def _place(data: bytes, info: zipfile.ZipInfo) -> tuple[tuple[object, ...], int, int]:
    start = info.header_offset
    name, extra = struct.unpack_from("<2H", data, start + 26)
    described = (
        info.orig_filename, info.compress_type, info.flag_bits, info.CRC, info.file_size, info.compress_size,
    )  # fmt: skip
    return described, start, start + 30 + name + extra + info.compress_size
