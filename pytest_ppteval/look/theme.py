"""A theme: its colours, its fonts, and the fills, lines and effects that styles refer to by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.parts import element_of
from pytest_ppteval.deck.xmlnames import A, local_name, parse_blob
from pytest_ppteval.look.colour import Palette

if TYPE_CHECKING:
    from lxml import etree
    from pptx.opc.package import Part

# Which of a theme's fonts for scripts stands in where it names none for East Asian text.
_SCRIPTS = {"zh-CN": "Hans", "zh-SG": "Hans", "zh-TW": "Hant", "zh-HK": "Hant", "ja": "Jpan", "ko": "Hang"}


def root_of(part: Part | None) -> etree._Element | None:
    """The root element of a part, whether python-pptx holds it as a tree or as bytes."""
    if part is None:
        return None
    element = element_of(part)
    return element if element is not None else parse_blob(part.blob)


class Theme:
    """What a theme's part says. overrides: of a theme override part; what it holds takes the place of the theme's."""

    def __init__(self, root: etree._Element | None, override: etree._Element | None = None) -> None:
        self.name = root.get("name", "") if root is not None else ""
        elements = root.find(A + "themeElements") if root is not None else None

        def part(name: str) -> etree._Element | None:
            found = override.find(A + name) if override is not None else None
            return found if found is not None or elements is None else elements.find(A + name)

        self.colours = _colours(part("clrScheme"))
        self._fonts = _fonts(part("fontScheme"))
        formats = part("fmtScheme")
        self.fills = _children(formats, "fillStyleLst")
        self.lines = _children(formats, "lnStyleLst")
        self.effects = _children(formats, "effectStyleLst")
        self.backgrounds = _children(formats, "bgFillStyleLst")

    def font(self, typeface: str, language: str | None = None) -> str:
        """A typeface, references to the theme ("+mj-lt", "+mn-ea") looked up; "" where the theme names none."""
        if not typeface.startswith("+"):
            return typeface
        which, _, script = typeface[1:].partition("-")
        found = self._fonts.get((which, script), "")
        if not found and script == "ea":
            tag = language or "zh-CN"
            found = self._fonts.get((which, _SCRIPTS.get(tag, _SCRIPTS.get(tag[:2], "Hans"))), "")
        return found

    def reference(self, index: int) -> etree._Element | None:
        """The fill that an index of a style or background means: from 1 a fill, from 1001 a background's."""
        listed, place = (self.backgrounds, index - 1001) if index > 1000 else (self.fills, index - 1)
        return listed[place] if 0 <= place < len(listed) else None


def _children(formats: etree._Element | None, name: str) -> list[etree._Element]:
    found = formats.find(A + name) if formats is not None else None
    return list(found.iterchildren("{*}*")) if found is not None else []


def _colours(scheme: etree._Element | None) -> dict[str, str]:
    plain = Palette({}, {})
    slots = scheme.iterchildren("{*}*") if scheme is not None else ()
    found = {local_name(slot): plain.colour_in(slot) for slot in slots}
    return {name: colour.rgb for name, colour in found.items() if colour is not None}


def _fonts(scheme: etree._Element | None) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for which, name in (("mj", "majorFont"), ("mn", "minorFont")):
        fonts = scheme.find(A + name) if scheme is not None else None
        for font in fonts.iterchildren("{*}*") if fonts is not None else ():
            kind = {"latin": "lt", "ea": "ea", "cs": "cs"}.get(local_name(font), font.get("script", ""))
            found[which, kind] = font.get("typeface", "")
    return found
