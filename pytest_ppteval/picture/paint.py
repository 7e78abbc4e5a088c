"""From one page of a PDF to a slide's picture and to the text that is drawn on it. For the renderer's own process."""

from __future__ import annotations

import ctypes
import statistics
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

from pytest_ppteval.picture.files import Line, png_bytes

if TYPE_CHECKING:
    from PIL import Image

_SPACES = frozenset((0x20, 0xA0, 0x0D, 0x0A, 0x09, 0x02, 0xFFFE))
# A gap of this many times the font's size ends a line: what follows stands in another column or cell.
_GAP = 1.2


class Pages:
    """The pages of a PDF file in memory. Raises ValueError where it is none."""

    def __init__(self, data: bytes) -> None:
        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise ValueError(f"not a readable PDF: {error}") from None

    def __len__(self) -> int:
        return len(self._document)

    def picture(self, index: int, width: int) -> Image.Image:
        """A page as RGB picture of this width in pixels."""
        page = self._document[index]
        # The other order of bytes is turned round pixel by pixel afterwards.
        bitmap = page.render(scale=width / page.get_width(), may_draw_forms=False, rev_byteorder=True)
        picture: Image.Image = bitmap.to_pil()
        return picture if picture.mode == "RGB" else picture.convert("RGB")

    def lines(self, index: int, slide: tuple[float, float]) -> list[Line]:
        """The lines of text on a page, in points from the left top corner of a slide of this size."""
        page = self._document[index]
        scale = slide[0] / page.get_width()
        text = page.get_textpage()
        return _lines(text.raw, scale, page.get_height())

    def close(self) -> None:
        """Let go of it."""
        self._document.close()


@dataclass(slots=True)
class _Open:
    """A line that is being put together. Box in points of the page, from its left bottom corner."""

    text: list[str] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    angle: float = 0.0


def _lines(text: object, scale: float, height: float) -> list[Line]:
    open_line = _Open()
    found: list[Line] = []

    def close() -> None:
        nonlocal open_line
        if open_line.boxes:
            found.append(_line(open_line, scale, height))
        open_line = _Open()

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for index in range(pdfium.FPDFText_CountChars(text)):
        code = pdfium.FPDFText_GetUnicode(text, index)
        if code in (0x0D, 0x0A):
            close()
            continue
        if code in _SPACES or not code:
            if code in (0x20, 0xA0, 0x09) and open_line.text:
                open_line.text.append(" ")
            continue
        pdfium.FPDFText_GetCharBox(text, index, left, right, bottom, top)
        box = (left.value, bottom.value, right.value, top.value)
        size = _drawn_size(text, index)
        angle = pdfium.FPDFText_GetCharAngle(text, index)
        if open_line.boxes and not _goes_on(open_line, box, size, angle):
            close()
        open_line.text.append(chr(code) if code < 0x110000 else "\ufffd")
        open_line.boxes.append(box)
        open_line.sizes.append(size)
        open_line.colours.append(_colour(text, index))
        open_line.angle = angle
    close()
    return found


def _goes_on(line: _Open, box: tuple[float, float, float, float], size: float, angle: float) -> bool:
    """Whether a character stands in the line: at the same angle, and near its last one."""
    if abs(line.angle - angle) > 0.02:
        return False
    last = line.boxes[-1]
    reach = max(size, line.sizes[-1]) * _GAP
    if abs(angle % 3.141593) < 0.02 or abs(angle % 3.141593 - 3.141593) < 0.02:
        # Superscripts and accents move up and down by less than a line.
        middle = (box[1] + box[3]) / 2
        low, high = min(b[1] for b in line.boxes), max(b[3] for b in line.boxes)
        return -reach <= box[0] - last[2] <= reach and low - size * 0.4 <= middle <= high + size * 0.4
    return all(abs(a - b) <= 2 * reach for a, b in zip(box, last, strict=True))


def _drawn_size(text: object, index: int) -> float:
    """The size in which a character is drawn: the font's, times what the page scales it by."""
    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(text, index)
    if pdfium.FPDFText_GetMatrix(text, index, matrix):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
    return size


def _colour(text: object, index: int) -> str:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFText_GetFillColor(text, index, red, green, blue, alpha):
        return ""
    return f"#{red.value:02X}{green.value:02X}{blue.value:02X}"


def _line(line: _Open, scale: float, height: float) -> Line:
    lefts, bottoms, rights, tops = zip(*line.boxes, strict=True)
    return Line(
        text="".join(line.text).strip(),
        left=min(lefts) * scale,
        top=(height - max(tops)) * scale,
        right=max(rights) * scale,
        bottom=(height - min(bottoms)) * scale,
        size=statistics.median(line.sizes) * scale,
        colour=statistics.mode(line.colours),
        angle=round(line.angle * 57.29578, 1) % 360,
    )


def encoded(picture: Image.Image) -> tuple[bytes, bytes | None]:
    """A picture as PNG for checks of its pixels, and as JPEG for a model where that is much smaller."""
    png = png_bytes(picture)
    if len(png) < MODEL_BYTES:
        return png, None
    jpeg = BytesIO()
    picture.save(jpeg, "JPEG", quality=90)
    return png, jpeg.getvalue()


# A PNG up to this size goes to the model as it is: it is as small as a JPEG, and sharper.
MODEL_BYTES = 256 << 10
