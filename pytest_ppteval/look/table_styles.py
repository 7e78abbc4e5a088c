"""Table styles: those that the deck holds, and PowerPoint's own, which a deck names without holding them.

PowerPoint's 74 styles are eleven patterns in up to seven colours; the ids are those that it writes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.xmlnames import A
from pytest_ppteval.look.table_style_data import IDS, PATTERNS
from pytest_ppteval.look.text import run_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.look.model import Fill
    from pytest_ppteval.look.paint import Paint

# Two patterns have no colour at all without an accent: PowerPoint calls them "No Style".
_BARE = {"Themed Style 1": "No Style, No Grid", "Themed Style 2": "No Style, Table Grid"}


class TableStyle:
    """One style: what each region of a table looks like."""

    def __init__(self, element: etree._Element) -> None:
        self.name = element.get("styleName", "")
        self._element = element

    def ground(self, paint: Paint) -> Fill | None:
        """The fill behind the whole table."""
        return _fill_of(self._element.find(A + "tblBg"), paint)

    def fill(self, regions: Sequence[str], paint: Paint) -> Fill | None:
        """The fill of a cell in these regions, the one that wins first; None where no region has one."""
        for region in regions:
            found = _fill_of(self._element.find(f"{A}{region}/{A}tcStyle"), paint)
            if found is not None:
                return found
        return None

    def text(self, regions: Sequence[str]) -> tuple[etree._Element, ...]:
        """The run properties of a cell in these regions, the one that wins first."""
        return tuple(
            _text_of(style)
            for region in regions
            if (style := self._element.find(f"{A}{region}/{A}tcTxStyle")) is not None
        )


class TableStyles:
    """The styles of one deck. root: of its part with table styles."""

    def __init__(self, root: etree._Element | None) -> None:
        listed = root.iterfind(A + "tblStyle") if root is not None else ()
        self._held = {element.get("styleId", "").upper(): element for element in listed}
        self._made: dict[str, TableStyle | None] = {}

    def style(self, style_id: str) -> TableStyle | None:
        """The style of that id, None where nobody knows it."""
        key = style_id.strip().upper()
        if key not in self._made:
            element = self._held.get(key)
            own = TableStyle(element) if element is not None and len(element) else None
            self._made[key] = own or _built_in(key.strip("{}"))
        return self._made[key]


def _fill_of(style: etree._Element | None, paint: Paint) -> Fill | None:
    if style is None:
        return None
    held = style.find(A + "fill")
    if held is not None:
        return paint.own_fill(held)
    reference = style.find(A + "fillRef")
    return paint.referred(reference) if reference is not None else None


def _text_of(style: etree._Element) -> etree._Element:
    extra = [(name, "1" if style.get(name) == "on" else "0") for name in ("b", "i") if style.get(name) in ("on", "off")]
    font = style.find(A + "fontRef")
    made = run_properties(style, font.get("idx") if font is not None else None, extra)
    if made.find(A + "solidFill") is None and font is not None:
        return run_properties(font, font.get("idx"), extra)
    return made


@lru_cache(128)
def _built_in(style_id: str) -> TableStyle | None:
    for name, ids in IDS.items():
        if style_id in ids:
            return TableStyle(_element(name, ids.index(style_id)))
    return None


def _element(name: str, accent: int) -> etree._Element:
    own = f"accent{accent}" if accent else "dk1"
    pair = f"accent{accent + 1}" if accent else "dk1"
    pattern = PATTERNS[name]
    shown = f"{name} - Accent {accent}" if accent else name
    if not accent and name in _BARE:
        pattern, shown = PATTERNS["No Style"], _BARE[name]
    elif not accent and name == "Dark Style 1":
        pattern = PATTERNS["Dark Style 1 plain"]
    root = etree.Element(A + "tblStyle", {"styleName": shown})
    for region, look in pattern.items():
        fill, colour, *bold = look.split()
        part = etree.SubElement(root, A + region)
        if colour != "-":
            text = etree.SubElement(part, A + "tcTxStyle", {"b": "on"} if bold else {})
            _colour(text, colour, own, pair)
        if fill != "-":
            holder = part if region == "tblBg" else etree.SubElement(part, A + "tcStyle")
            _colour(etree.SubElement(etree.SubElement(holder, A + "fill"), A + "solidFill"), fill, own, pair)
    return root


def _colour(parent: etree._Element, words: str, own: str, pair: str) -> None:
    name, _, change = words.partition(":")
    element = etree.SubElement(parent, A + "schemeClr", {"val": {"A": own, "B": pair}.get(name, name)})
    if change:
        operation, value = change.split("=")
        etree.SubElement(element, A + operation, {"val": value})
