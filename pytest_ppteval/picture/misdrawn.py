"""What betteroffice-pptx draws wrongly on a slide, as far as its XML tells. For the renderer's own process.

Each kind was seen in its pictures (tests/test_pictures_misdrawn.py): where a new version draws it right, its test says
so, and it goes from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A, C, R, local_name
from pytest_ppteval.picture.package import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from pytest_ppteval.picture.package import Package

LINKS = "links have their text's colour, and no line under them"
DASHES = "dashes of all kinds look alike, and own patterns are solid"
CHART_TITLE = "a chart's title that isn't written out (a series' name) is missing"
CHART_DASHES = "lines of charts are never dashed"

# Bullets of symbol fonts that it knows; it draws a dot or a letter for the others.
_BULLETS = {"wingdings": "lnqo\u00d8\u00a7", "symbol": "\u00b7"}
_SYMBOL_FONTS = ("wingdings", "webdings", "symbol")
_OWN_COLOUR = "{http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor}hlinkClr"


def notes(package: Package, part: str) -> list[str]:
    """What is drawn wrongly on the slide in `part`, for people, each kind once."""
    slide = parse(package.read(part))
    charts = [
        parse(package.read(one.target))
        for one in package.relations(part)
        if one.kind == "chart" and one.target in package.names
    ]
    found = {
        LINKS: any(map(_is_link, slide.iter(A + "hlinkClick"))),
        DASHES: any(dash not in ("solid", "dash") for dash in _dashes(slide)),
        CHART_TITLE: any(
            title.find(C + "tx") is None for chart in charts for title in chart.iterfind(f"{C}chart/{C}title")
        ),
        CHART_DASHES: any(dash != "solid" for chart in charts for dash in _dashes(chart)),
    }
    return [note for note, is_there in found.items() if is_there]


def unknown_symbols(package: Package, part: str) -> str:
    """The characters of symbol fonts on the slide that come out as other ones: letters that stand for symbols."""
    slide = parse(package.read(part))
    found: list[str] = []
    for paragraph in slide.iter(A + "p"):
        runs = [run for run in paragraph.iter(A + "r", A + "fld") if _text(run).strip()]
        for run in runs:
            if _symbol_font(run.find(f"{A}rPr/{A}latin")) is not None:
                found += _text(run)
        bullet, font = paragraph.find(f"{A}pPr/{A}buChar"), paragraph.find(f"{A}pPr/{A}buFont")
        name = _symbol_font(font)
        if runs and bullet is not None and name is not None:
            letters = (_plain(letter) for letter in bullet.get("char", ""))
            found += [letter for letter in letters if letter not in _BULLETS.get(name, "") and letter != "\u2022"]
    return "".join(dict.fromkeys(letter for letter in found if letter.strip()))


def _is_link(click: etree._Element) -> bool:
    """Whether a run of text is a link in the theme's colour of links."""
    above = click.getparent()
    if above is None or local_name(above) != "rPr" or not (click.get(R + "id") or click.get("action")):
        return False
    return not any(own.get("val") == "tx" for own in click.iter(_OWN_COLOUR))


def _dashes(root: etree._Element) -> Iterator[str]:
    for dash in root.iter(A + "prstDash", A + "custDash"):
        yield dash.get("val", "solid") if local_name(dash) == "prstDash" else "own"


def _text(run: etree._Element) -> str:
    return run.findtext(A + "t") or ""


def _symbol_font(font: etree._Element | None) -> str | None:
    """The font's name in small letters, if it is one of symbols."""
    name = "" if font is None else font.get("typeface", "").strip().lower()
    return name if name.startswith(_SYMBOL_FONTS) else None


def _plain(letter: str) -> str:
    """Symbol fonts have their characters in the private area, too."""
    return chr(ord(letter) - 0xF000) if 0xF020 <= ord(letter) <= 0xF0FF else letter
