"""What a slide inherits from: its layout, master and theme, and which of their placeholders a placeholder follows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_ppteval.deck.parts import related
from pytest_ppteval.deck.xmlnames import A, P
from pytest_ppteval.look.colour import Palette
from pytest_ppteval.look.theme import Theme, root_of

if TYPE_CHECKING:
    from lxml import etree
    from pptx.opc.package import Part

# Which placeholder of the master one of a layout follows.
_ON_MASTER = {"ctrTitle": "title", "title": "title", "dt": "dt", "ftr": "ftr", "sldNum": "sldNum", "hdr": "hdr"}
# Which of a master's text styles a placeholder's text follows.
_STYLES = {
    "title": "titleStyle",
    "ctrTitle": "titleStyle",
    "dt": "otherStyle",
    "ftr": "otherStyle",
    "sldNum": "otherStyle",
}
_PLAIN_MAP = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}


class Designs:
    """What the slides of one deck share: each layout, master and theme read once."""

    def __init__(self, presentation: etree._Element | None) -> None:
        self.default_text = presentation.find(P + "defaultTextStyle") if presentation is not None else None
        self._roots: dict[int, tuple[Part, etree._Element | None]] = {}
        self._themes: dict[tuple[int, int], Theme] = {}

    def root(self, part: Part | None) -> etree._Element | None:
        """As `root_of`, parsed once."""
        if part is None:
            return None
        if id(part) not in self._roots:
            self._roots[id(part)] = part, root_of(part)
        return self._roots[id(part)][1]

    def theme(self, part: Part | None, override: Part | None) -> Theme:
        """The theme of two parts."""
        key = id(part), id(override)
        if key not in self._themes:
            self._themes[key] = Theme(self.root(part), self.root(override))
        return self._themes[key]


class Sheet:
    """A slide, layout or notes page as what it inherits; `root` is its own element."""

    def __init__(self, part: Part, root: etree._Element, designs: Designs) -> None:
        self.part, self.root, self.designs = part, root, designs
        self.layout = next(related(part, "slideLayout"), None)
        holder = self.layout if self.layout is not None else part
        self.master = next(related(holder, "slideMaster"), None)
        self.layout_root = designs.root(self.layout)
        self.master_root = designs.root(self.master)

    @cached_property
    def theme(self) -> Theme:
        """The theme that its colours and fonts come from, overrides worked in."""
        theme = next(related(self.master, "theme"), None) if self.master is not None else None
        for part in (self.part, self.layout):
            override = next(related(part, "themeOverride"), None) if part is not None else None
            if override is not None:
                return self.designs.theme(theme, override)
        return self.designs.theme(theme, None)

    @cached_property
    def palette(self) -> Palette:
        """What names of colours mean on it."""
        for root in (self.root, self.layout_root):
            override = root.find(f"{P}clrMapOvr/{A}overrideClrMapping") if root is not None else None
            if override is not None:
                return Palette(self.theme.colours, _mapping(override))
        colour_map = self.master_root.find(P + "clrMap") if self.master_root is not None else None
        return Palette(self.theme.colours, _PLAIN_MAP if colour_map is None else _mapping(colour_map))

    @cached_property
    def _on_layout(self) -> list[tuple[str, str, etree._Element]]:
        return _placeholders(self.layout_root)

    @cached_property
    def _on_master(self) -> list[tuple[str, str, etree._Element]]:
        return _placeholders(self.master_root)

    def followed(self, placeholder: etree._Element) -> tuple[etree._Element | None, etree._Element | None]:
        """The shapes of the layout and of the master that a shape with this p:ph follows."""
        kind, index = placeholder.get("type", "obj"), placeholder.get("idx", "0")
        on_layout = _find(self._on_layout, kind, index)
        if on_layout is not None:
            found = placeholder_of(on_layout)
            kind = found.get("type", "obj") if found is not None else kind
        wanted = _ON_MASTER.get(kind, "body")
        on_master = next((shape for other, _, shape in self._on_master if other == wanted), None)
        return on_layout, on_master

    def text_style(self, kind: str | None) -> list[etree._Element]:
        """The text styles below those of shapes: the master's for a placeholder of that type, the presentation's."""
        found = []
        if kind is not None and self.master_root is not None:
            style = self.master_root.find(f"{P}txStyles/{P}{_STYLES.get(kind, 'bodyStyle')}")
            if style is not None:
                found.append(style)
        if self.designs.default_text is not None:
            found.append(self.designs.default_text)
        return found


def placeholder_of(shape: etree._Element) -> etree._Element | None:
    """The p:ph of a shape."""
    return shape.find(f"*/{P}nvPr/{P}ph")


def _mapping(element: etree._Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def _placeholders(root: etree._Element | None) -> list[tuple[str, str, etree._Element]]:
    tree = root.find(f"{P}cSld/{P}spTree") if root is not None else None
    found = []
    for ph in tree.iter(P + "ph") if tree is not None else ():
        properties = ph.getparent()
        holder = properties.getparent() if properties is not None else None
        owner = holder.getparent() if holder is not None else None
        if owner is not None:
            found.append((ph.get("type", "obj"), ph.get("idx", "0"), owner))
    return found


def _find(listed: list[tuple[str, str, etree._Element]], kind: str, index: str) -> etree._Element | None:
    """By index, as PowerPoint does for what a layout numbers, else by type: titles, dates and such have one each."""
    titles = ("title", "ctrTitle")
    alone = ("dt", "ftr", "sldNum", "hdr")
    if kind in titles or kind in alone:
        same = [
            (place, shape) for other, place, shape in listed if other == kind or (kind in titles and other in titles)
        ]
        return next((shape for place, shape in same if place == index), same[0][1] if same else None)
    by_index = next((s for other, place, s in listed if place == index and other not in (*titles, *alone)), None)
    if by_index is not None:
        return by_index
    return next((shape for other, _, shape in listed if other == kind), None)
