"""Fills, lines and effects as drawn: a shape's own, else its placeholder's, else its style's from the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical, digest
from pytest_ppteval.deck.xmlnames import A, R, attributes, local_name
from pytest_ppteval.look.model import EMU_PER_POINT, NO_FILL, Colour, Fill, Line
from pytest_ppteval.look.values import emu, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.look.colour import Palette
    from pytest_ppteval.look.theme import Theme

FILLS = tuple(A + name for name in ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))
_EFFECTS = tuple(A + name for name in ("effectLst", "effectDag", "scene3d", "sp3d"))


def says_something(fill: etree._Element) -> bool:
    """Whether a fill is more than the empty a:solidFill that python-pptx leaves where a text's colour is asked for."""
    return fill.tag != A + "solidFill" or len(fill) > 0


class Paint:
    """Reads fills, lines and effects of one sheet."""

    def __init__(self, palette: Palette, theme: Theme, part: Part) -> None:
        self.palette, self._theme, self._part = palette, theme, part

    def fill(
        self,
        holders: Sequence[etree._Element | None],
        style: etree._Element | None = None,
        group: Fill = NO_FILL,
    ) -> Fill:
        """The fill of a shape. holders: its own properties, then those that it follows. group: its group's."""
        for holder in holders:
            found = self.own_fill(holder, group=group)
            if found is not None:
                return found
        return self.referred(style.find(A + "fillRef")) if style is not None else NO_FILL

    def own_fill(
        self, holder: etree._Element | None, stand_in: Colour | None = None, group: Fill = NO_FILL
    ) -> Fill | None:
        """The fill that an element holds; None where it holds none, which is not the same as having none."""
        for child in holder.iterchildren(*FILLS) if holder is not None else ():
            if says_something(child):
                return self.drawn(child, stand_in, group)
        return None

    def drawn(self, element: etree._Element, stand_in: Colour | None = None, group: Fill = NO_FILL) -> Fill:
        """What a fill element draws."""
        match local_name(element):
            case "solidFill":
                colour = self.palette.colour_in(element, stand_in)
                return Fill("solid", (colour,)) if colour is not None else NO_FILL
            case "gradFill":
                stops = sorted(element.iterfind(f"{A}gsLst/{A}gs"), key=lambda stop: whole(stop.get("pos"), 0))
                colours = [self.palette.colour_in(stop, stand_in) for stop in stops]
                shown = tuple(colour for colour in colours if colour is not None)
                places = " ".join(stop.get("pos", "") for stop in stops)
                ways = " ".join(
                    f"{local_name(way)} {' '.join(value for _, value in attributes(way))}"
                    for way in element.iterchildren(A + "lin", A + "path")
                )
                return Fill("gradient", shown, details=f"{places} {ways}".strip()) if shown else NO_FILL
            case "blipFill":
                blip = element.find(A + "blip")
                image = self.image(blip.get(R + "embed", "")) if blip is not None else None
                return Fill("picture", picture=image, details=digest(canonical(element, lambda _: ""))[:8])
            case "pattFill":
                both = [self.palette.colour_in(element.find(A + name), stand_in) for name in ("fgClr", "bgClr")]
                colours_used = tuple(colour for colour in both if colour is not None)
                return Fill("pattern", colours_used, details=element.get("prst", ""))
            case "grpFill":
                return group
            case _:
                return NO_FILL

    def referred(self, reference: etree._Element | None) -> Fill:
        """The theme's fill that an a:fillRef or p:bgRef means."""
        if reference is None:
            return NO_FILL
        element = self._theme.reference(whole(reference.get("idx"), 0))
        if element is None:
            return NO_FILL
        return self.drawn(element, self.palette.colour_in(reference))

    def line(self, holders: Sequence[etree._Element | None], style: etree._Element | None = None) -> Line | None:
        """The outline of a shape, None where none is drawn: what each a:ln leaves open the next one says."""
        lines = [ln for holder in holders if holder is not None and (ln := holder.find(A + "ln")) is not None]
        stand_in = None
        reference = style.find(A + "lnRef") if style is not None else None
        place = whole(reference.get("idx"), 0) - 1 if reference is not None else -1
        if 0 <= place < len(self._theme.lines):
            lines.append(self._theme.lines[place])
            stand_in = self.palette.colour_in(reference)
        return self.drawn_line(lines, stand_in)

    def drawn_line(self, lines: Sequence[etree._Element], stand_in: Colour | None = None) -> Line | None:
        """What the first of these a:ln draws, which leaves to the others what it does not say."""
        fill = next((f for ln in lines if (f := self.own_fill(ln, stand_in)) is not None), NO_FILL)
        if fill.kind == "none":
            return None
        width = next((w for ln in lines if (w := emu(ln.get("w"))) is not None), 9525)
        dash = next((d.get("val", "solid") for ln in lines if (d := ln.find(A + "prstDash")) is not None), None)
        if dash is None:
            dash = "custom" if any(ln.find(A + "custDash") is not None for ln in lines) else "solid"
        head, tail = (
            next((e.get("type", "none") for ln in lines if (e := ln.find(A + name)) is not None), "none")
            for name in ("headEnd", "tailEnd")
        )
        return Line(fill, width / EMU_PER_POINT, dash, (head, tail))

    def effects(self, holders: Sequence[etree._Element | None], style: etree._Element | None = None) -> tuple[str, ...]:
        """Shadows, glows and depth by name, each with a digest of its details."""
        found: list[str] = []
        for kind in (_EFFECTS[:2], _EFFECTS[2:3], _EFFECTS[3:]):
            element = next((e for holder in holders if holder is not None for e in holder.iterchildren(*kind)), None)
            if element is not None:
                found.extend(self._named(element))
        if not any(holder is not None and holder.find(A + "effectLst") is not None for holder in holders):
            reference = style.find(A + "effectRef") if style is not None else None
            place = whole(reference.get("idx"), 0) - 1 if reference is not None else -1
            if 0 <= place < len(self._theme.effects):
                for element in self._theme.effects[place].iterchildren(*_EFFECTS):
                    found.extend(self._named(element))
        return tuple(found)

    def _named(self, element: etree._Element) -> list[str]:
        if local_name(element) in ("scene3d", "sp3d"):
            plain = not element.attrib and not len(element)
            return [] if plain else [f"{local_name(element)} {digest(canonical(element))[:8]}"]
        return [f"{local_name(effect)} {digest(canonical(effect))[:8]}" for effect in element.iterchildren("{*}*")]

    def image(self, relation_id: str) -> str | None:
        """Digest of the file that a relation leads to; the address of one that is elsewhere."""
        relation = self._part.rels.get(relation_id)
        if relation is None:
            return None
        return str(relation.target_ref) if relation.is_external else digest(relation.target_part.blob)[:16]
