"""betteroffice-pptx: a renderer that pip installs, for machines without LibreOffice. For the renderer's own process.

Its layout gives the text with boxes and the shapes it belongs to. Weak on WMF and EMF pictures, SmartArt and the labels
of radar charts. Characters that no font here has are no picture but a reason.
"""

from __future__ import annotations

import json
import re
import struct
import unicodedata
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import betteroffice_pptx
from lxml import etree
from PIL import Image, ImageFont

from pytest_ppteval.deck.xmlnames import A, C, local_name
from pytest_ppteval.picture.files import Line
from pytest_ppteval.picture.fonts import STAND_INS
from pytest_ppteval.picture.package import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Of a font's size, above and below the base line, where the ink of text with ascenders and descenders ends.
_ASCENT, _DESCENT = 0.73, 0.22
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_CJK_FONT = re.compile(r"CJK|WenQuanYi|Source Han|Micro ?Hei|Droid Sans Fallback|Nanum|IPA|Takao|UMing|UKai")
_WITH_TEXT = re.compile(r"/(slides|slideLayouts|slideMasters|diagrams|charts)/[^/]*\.xml$")
_AFTER_LATIN = frozenset(("ea", "cs", "sym", "hlinkClick", "hlinkMouseOver", "rtl", "extLst"))
_PX = 0.75  # its pixels are 1/96 inch


class Fonts:
    """The faces that text is drawn with, read once: (family, bold, italic) -> the file's bytes."""

    def __init__(self, files: Iterable[Path]) -> None:
        faces: dict[tuple[str, bool, bool], bytes] = {}
        for file in files:
            if file.suffix.lower() in (".ttf", ".otf", ".ttc"):
                named = _name(file)
                if named is not None:
                    faces.setdefault(named, _single(file.read_bytes()))
        for family, stand_in in STAND_INS.items():
            for bold in (False, True):
                for italic in (False, True):
                    face = faces.get((stand_in, bold, italic)) or faces.get(("Caladea", bold, italic))
                    if face is not None and (family, bold, italic) not in faces:
                        faces[family, bold, italic] = face
        # The first one registered is what an unknown family falls back to.
        self.faces = dict(sorted(faces.items(), key=lambda face: (face[0][0] != "Carlito", face[0])))
        self.cjk = next((family for family, _, _ in self.faces if _CJK_FONT.search(family)), None)


def _single(data: bytes) -> bytes:
    """The first font of a collection (.ttc) as a font of its own, which is all that the renderer takes."""
    if data[:4] != b"ttcf":
        return data
    (start,) = struct.unpack_from(">I", data, 12)
    (count,) = struct.unpack_from(">H", data, start + 4)
    head, tables = bytearray(data[start : start + 12]), bytearray()
    for index in range(count):
        tag, checksum, offset, length = struct.unpack_from(">4sIII", data, start + 12 + 16 * index)
        head += struct.pack(">4sIII", tag, checksum, 12 + 16 * count + len(tables), length)
        tables += data[offset : offset + length] + bytes(-length % 4)
    return bytes(head + tables)


def _name(file: Path) -> tuple[str, bool, bool] | None:
    """Family, bold, italic of a font file; None for one that can't be read, or of a weight that is neither."""
    try:
        family, style = ImageFont.truetype(str(file)).getname()
    except (OSError, ValueError):
        return None
    words = set((style or "Regular").split())
    if not family or not words <= {"Regular", "Book", "Bold", "Italic", "Oblique", "Roman"}:
        return None
    return family, "Bold" in words, bool(words & {"Italic", "Oblique"})


class Deck:
    """A deck that is open. Raises ValueError for what it can't read."""

    def __init__(self, data: bytes, fonts: Fonts) -> None:
        try:
            self._deck = betteroffice_pptx.Presentation.open(with_font(data, fonts.cjk) if fonts.cjk else data)
            for (family, bold, italic), face in fonts.faces.items():
                self._deck.register_font(family, face, bold=bold, italic=italic)
        except Exception as error:  # its exceptions share no base beyond Exception
            raise ValueError(f"{type(error).__name__}: {error}"[:300]) from None

    def __len__(self) -> int:
        return len(self._deck)

    def picture(self, index: int, width: int) -> Image.Image:
        """A slide as RGB picture of this width in pixels. Raises ValueError, too where text would be boxes."""
        unseen = "".join(dict.fromkeys(letter for box in self._boxes(index) for letter in _without_glyph(box)))
        if unseen:
            raise ValueError(no_font(unseen))
        try:
            scale = width / float(self._deck.render_slide(index).width)
            png = self._deck.render_png(index, scale=scale)
            data = png.bytes() if callable(png.bytes) else png.bytes
            picture = Image.open(BytesIO(bytes(data)), formats=("PNG",)).convert("RGB")
        except Exception as error:  # as above
            raise ValueError(f"{type(error).__name__}: {error}"[:300]) from None
        if picture.width != width:
            picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
        return picture

    def lines(self, index: int) -> list[Line]:
        """The lines of text on a slide, in points."""
        return [line for box in self._boxes(index) for line in _lines(box)]

    def _boxes(self, index: int) -> Iterator[dict[str, Any]]:
        """The boxes of text, those of tables, charts and groups included."""
        waiting: list[dict[str, Any]] = list(reversed(json.loads(self._deck.render_slide(index).json)["primitives"]))
        while waiting:
            part = waiting.pop()
            if part["kind"] == "textBox":
                yield part
            waiting.extend(reversed(part.get("primitives") or ()))


def no_font(letters: str) -> str:
    """The reason of a slide without a picture."""
    return f"no font here has {letters[:20]!r}: install one that does, or LibreOffice"


def _without_glyph(box: dict[str, Any]) -> Iterator[str]:
    """The characters of a box that its fonts don't have: letters, symbols, emoji, private ones (Wingdings) are drawn as
    empty boxes. Spaces, controls and marks that only change what stands before them show nothing."""
    for line in box["lines"]:
        for run in line["runs"]:
            for glyph in run["glyphs"]:
                at = glyph["cluster"] - run["start"] if glyph["cluster"] >= run["start"] else glyph["cluster"]
                letter = run["text"][at : at + 1]
                if not glyph["glyphId"] and _shows(letter):
                    yield letter


def _shows(letter: str) -> bool:
    category = unicodedata.category(letter or " ")
    return category[0] in "LNSP" or category == "Co"


def with_font(data: bytes, family: str) -> bytes:
    """The deck with all runs of Chinese, Japanese or Korean text set in `family`: this renderer does not look for
    another font by itself where one lacks a letter."""
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            part = source.read(name)
            if name.endswith(".xml") and _WITH_TEXT.search(name):
                part = _set_in(part, family)
            target.writestr(name, part)
    return result.getvalue()


def _set_latin(properties: etree._Element, family: str) -> None:
    latin = properties.find(A + "latin")
    if latin is None:
        latin = etree.Element(A + "latin")
        # The schema's order: after the line, the fill and effects, before ea, cs, sym and links.
        later = [child for child in properties if local_name(child) in _AFTER_LATIN]
        properties.insert(properties.index(later[0]) if later else len(properties), latin)
    latin.set("typeface", family)


def _set_in(part: bytes, family: str) -> bytes:
    root = parse(part)
    found = False
    for run in root.iter(A + "r", A + "fld"):
        text = run.find(A + "t")
        if text is None or not _CJK.search(text.text or ""):
            continue
        found = True
        properties = run.find(A + "rPr")
        if properties is None:
            properties = etree.Element(A + "rPr")
            run.insert(0, properties)
        _set_latin(properties, family)
    if local_name(root) == "chartSpace" and any(_CJK.search(value.text or "") for value in root.iter(C + "v")):
        found = True
        for properties in root.iter(A + "defRPr", A + "rPr"):
            _set_latin(properties, family)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True) if found else part


def _lines(box: dict[str, Any]) -> Iterable[Line]:
    for line in box["lines"]:
        runs = [run for run in line["runs"] if run["text"].strip()]
        if not runs:
            continue
        size = max(run["fontSizePx"] for run in runs)
        longest = max(runs, key=lambda run: len(run["text"]))
        yield Line(
            text="".join(run["text"] for run in line["runs"]).strip(),
            left=min(run["x"] for run in runs) * _PX,
            top=(line["baseline"] - _ASCENT * size) * _PX,
            right=max(run["x"] + run["width"] for run in runs) * _PX,
            bottom=(line["baseline"] + _DESCENT * size) * _PX,
            size=longest["fontSizePx"] * _PX,
            colour=str(longest.get("color", "")).upper(),
            shape=box.get("objectId") if str(box.get("shapeId", "")).startswith("slide:") else None,
        )
