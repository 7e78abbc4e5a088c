"""What LibreOffice draws of a deck, measured in its PDF: words with size, weight and colour; pixels; pictures."""

from __future__ import annotations

import ctypes
import hashlib
import math
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from plain_conversion import converted

from pytest_ppteval.picture.renderers import Renderer

WIDTH = 1600  # pixels of a page's picture
_INVISIBLE = 3  # the render mode of text that is there to be searched
_OUTLINED = 2  # filled and stroked: how LibreOffice makes bold what has no bold font
_ITALIC = 1 << 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """A word as drawn. size: points. rgb: six hex digits. x, y: points from the page's upper left corner."""

    word: str
    size: float
    bold: bool
    italic: bool
    rgb: str
    x: float
    y: float


class Page:
    """One page of a PDF."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = page
        self.width, self.height = page.get_size()

    @cached_property
    def words(self) -> list[Drawn]:
        """Its words, those that look the same from end to end."""
        text = self._page.get_textpage()
        words: list[list[tuple[str, Drawn]]] = [[]]
        for place in range(pdfium.FPDFText_CountChars(text.raw)):
            char = chr(pdfium.FPDFText_GetUnicode(text.raw, place))
            if char.isspace() or pdfium.FPDFText_IsGenerated(text.raw, place) == 1:
                words.append([])
            else:
                words[-1].append((char, self._char(text.raw, place)))
        found = []
        for word in filter(None, words):
            first = word[0][1]
            if all(_look(drawn) == _look(first) for _, drawn in word):
                found.append(
                    Drawn(
                        "".join(char for char, _ in word),
                        first.size, first.bold, first.italic, first.rgb, first.x, first.y,
                    )
                )  # fmt: skip
        return found

    def _char(self, text: object, place: int) -> Drawn:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(text, place, matrix)
        red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
        pdfium.FPDFText_GetFillColor(text, place, red, green, blue, alpha)
        name = ctypes.create_string_buffer(200)
        flags = ctypes.c_int(0)
        pdfium.FPDFText_GetFontInfo(text, place, name, 200, flags)
        held = pdfium.FPDFText_GetTextObject(text, place)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(held) if held else 0
        x, y = ctypes.c_double(0), ctypes.c_double(0)
        pdfium.FPDFText_GetCharOrigin(text, place, x, y)
        face = name.value.decode("latin-1").lower()
        slanted = abs(matrix.a * matrix.c + matrix.b * matrix.d) > 0.05 * math.hypot(matrix.c, matrix.d) * math.hypot(
            matrix.a, matrix.b
        )
        return Drawn(
            "",
            round(pdfium.FPDFText_GetFontSize(text, place) * math.hypot(matrix.a, matrix.b), 2),
            "bold" in face or "black" in face or mode == _OUTLINED,
            "italic" in face or "oblique" in face or bool(flags.value & _ITALIC) or slanted,
            f"{red.value:02X}{green.value:02X}{blue.value:02X}",
            x.value,
            self.height - y.value,
        )

    @cached_property
    def pixels(self) -> np.ndarray:
        """Its picture: rows of red, green and blue."""
        return np.asarray(self._page.render(scale=WIDTH / self.width).to_pil().convert("RGB")).astype(np.int16)

    @cached_property
    def pictures(self) -> list[tuple[float, float, float, float]]:
        """Where its pictures are drawn: left, top, right and bottom in points."""
        found = []
        for item in self._page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=8):
            left, bottom, right, top = item.get_bounds()
            found.append((left, self.height - top, right, self.height - bottom))
        return found


def _look(drawn: Drawn) -> tuple[float, bool, bool, str]:
    return drawn.size, drawn.bold, drawn.italic, drawn.rgb


def pages(decks: Sequence[Path], office: Renderer) -> Iterator[tuple[Path, list[Page]]]:
    """Each deck with its pages, hidden slides included. What was converted before is kept in the temporary folder."""
    kept = Path(tempfile.gettempdir()) / "ppteval-drawn-by-office"
    kept.mkdir(exist_ok=True)
    places = {deck: kept / f"{hashlib.sha256(deck.read_bytes()).hexdigest()[:24]}.pdf" for deck in decks}
    missing = [deck for deck, place in places.items() if not place.exists()]
    if missing:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            copies = [shutil.copyfile(deck, folder / f"{places[deck].stem}.pptx") for deck in missing]
            converted(copies, office, folder)
            for made in folder.glob("*.pdf"):
                shutil.move(made, kept / made.name)
    for deck, place in places.items():
        if place.exists():
            with pypdfium2.PdfDocument(place) as document:
                yield deck, [Page(document[number]) for number in range(len(document))]
