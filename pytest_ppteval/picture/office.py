"""LibreOffice inside this process, through LibreOfficeKit's C interface. For the renderer's own process only.

No Python bindings of LibreOffice, no port and no second program are needed. Whoever started it must not fork any more:
a child hangs.

Source of the slots' order: LibreOfficeKit/LibreOfficeKit.h of LibreOffice, whose structs only ever grow at their end.
"""

from __future__ import annotations

import ctypes
import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Places in the function tables of the office and of a document.
_ERROR, _LOAD, _VERSION = 3, 4, 10
_DESTROY, _SAVE_AS = 1, 2


class OfficeError(RuntimeError):
    """LibreOffice could not start, load or save. Its text is what it said."""


class Pages(NamedTuple):
    """A PDF file: so many pages that nobody asked for, then so many that are wanted."""

    ahead: int
    wanted: int
    data: bytes


def _table(pointer: int) -> ctypes.Array[ctypes.c_void_p]:
    """The function table that the first word of an object points to."""
    address = ctypes.c_void_p.from_address(pointer).value
    assert address is not None
    return (ctypes.c_void_p * 16).from_address(address)


def _url(path: Path) -> bytes:
    return f"file://{quote(str(path))}".encode()


class Office:
    """A LibreOffice that waits for documents. program: its folder of libraries. profile: a folder of its own."""

    def __init__(self, program: Path, profile: Path) -> None:
        library = ctypes.CDLL(str(library_of(program)))
        hook = library.libreofficekit_hook_2
        hook.argtypes, hook.restype = [ctypes.c_char_p, ctypes.c_char_p], ctypes.c_void_p
        self._self: int | None = hook(str(program).encode(), _url(profile))
        if not self._self:
            raise OfficeError("LibreOffice could not start")
        self._functions = _table(self._self)
        # Options of a PDF as JSON came with 7.4; before, they are ignored.
        self._writes_ranges = tuple(int(number) for number in re.findall(r"\d+", self.version())[:2]) >= (7, 4)

    def version(self) -> str:
        """As "7.4.7.2"."""
        function = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self._functions[_VERSION] or 0)
        said = json.loads(function(self._self) or b"{}")
        return f"{said.get('ProductVersion', '?')}{said.get('ProductExtension', '')}"

    def pages(self, source: Path, target: Path, count: int, at_once: int, skip: int = 0) -> Iterator[Pages]:
        """The document at `source`, of `count` pages, as PDF files of some pages each; the first `skip` are not wanted.

        Its pages can be painted while the next ones are written. target: the file to write to, which is left there.
        Raises OfficeError, OSError.
        """
        load = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)(
            self._functions[_LOAD] or 0
        )
        document: int | None = load(self._self, _url(source), b"")
        if not document:
            raise OfficeError(self._said() or "it can't be loaded")
        functions = _table(document)
        save = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)(
            functions[_SAVE_AS] or 0
        )
        if not self._writes_ranges:
            at_once = count
        try:
            for first in range(1, count + 1, at_once):
                last = min(count, first + at_once - 1)
                options = {} if at_once >= count else {"PageRange": {"type": "string", "value": f"{first}-{last}"}}
                target.unlink(missing_ok=True)
                if not save(document, _url(target), b"pdf", json.dumps(options).encode() if options else b""):
                    raise OfficeError(self._said() or "it can't be written as PDF")
                ahead = max(0, 1 + skip - first)
                yield Pages(ahead, last - first + 1 - ahead, target.read_bytes())
        finally:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(functions[_DESTROY] or 0)(document)

    def _said(self) -> str:
        function = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self._functions[_ERROR] or 0)
        return (function(self._self) or b"").decode("utf-8", "replace")


def library_of(program: Path) -> Path:
    """The library that holds LibreOfficeKit in LibreOffice's folder of programs, there or not."""
    merged = program / "libmergedlo.so"
    return merged if merged.exists() else program / "libsofficeapp.so"
