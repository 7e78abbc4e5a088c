"""One of the two decks of a comparison: its slides, masters and layouts, found once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_ppteval.deck.opening import SlidePart, slide_parts
from pytest_ppteval.deck.parts import PartReader, ShownReader, element_of, related
from pytest_ppteval.deck.xmlnames import P, R, parse_blob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree
    from pptx.opc.package import Part
    from pptx.presentation import Presentation


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A master or layout: its id in the deck, its name for people, its part."""

    kind: str
    id: str
    name: str
    part: Part


class Side:
    """A deck, for one comparison. Only reads it.

    slides: those of slide_parts, where that was asked already.
    """

    def __init__(self, presentation: Presentation, slides: list[SlidePart] | None = None) -> None:
        self.part: Part = presentation.part
        self.root = element_of(self.part)
        # Two slides under one id are a fault of the program that wrote the deck; the second is told apart by its turn.
        self.slides: dict[tuple[str, int], SlidePart] = {}
        turns: dict[str, int] = {}
        for slide in slide_parts(presentation) if slides is None else slides:
            turn = turns[slide.slide_id] = turns.get(slide.slide_id, -1) + 1
            self.slides[slide.slide_id, turn] = slide
        self.reader = PartReader({id(slide.part): slide.slide_id for slide in self.slides.values()})

        self.shown = ShownReader(self.reader)
        self._names: dict[int, str] = {}  # of masters and layouts, by id() of their parts

    def learn(self, equal: Sequence[tuple[Part, Part]], known: Side) -> None:
        """Take over what is known of another deck, see PartReader."""
        self.reader.learn(equal, known.reader)
        # A master of which the theme has no name is called by its number.
        masters = known.masters if self.reader.equals(self.part, known.part) else []
        names = {id(design.part): design.name for design in (*masters, *known.layouts)}
        self._names = {id(part): names[id(own)] for part, own in equal if id(own) in names}

    @cached_property
    def masters(self) -> list[Design]:
        """The slide masters, in order."""
        return [
            Design("master", item.get("id", ""), self._names.get(id(part)) or _master_name(part, number), part)
            for number, (item, part) in enumerate(self._listed(self.part, self.root, "sldMasterId"), 1)
        ]

    @cached_property
    def layouts(self) -> list[Design]:
        """The layouts of all masters, in order."""
        return [
            Design("layout", item.get("id", ""), self._names.get(id(part)) or _content_name(part), part)
            for master in self.masters
            for item, part in self._listed(master.part, element_of(master.part), "sldLayoutId")
        ]

    def _listed(self, owner: Part, root: etree._Element | None, name: str) -> list[tuple[etree._Element, Part]]:
        found = []
        for item in root.iterfind(f"{P}{name}Lst/{P}{name}") if root is not None else ():
            relation = owner.rels.get(item.get(R + "id", ""))
            if relation is not None and not relation.is_external:
                found.append((item, relation.target_part))
        return found


def _content_name(part: Part) -> str:
    root = element_of(part)
    content = root.find(P + "cSld") if root is not None else None
    return content.get("name", "") if content is not None else ""


def _master_name(part: Part, number: int) -> str:
    """PowerPoint calls a master by the name of its theme."""
    theme = next(related(part, "theme"), None)
    element = (element_of(theme) if element_of(theme) is not None else parse_blob(theme.blob)) if theme else None
    name = element.get("name", "") if element is not None else ""
    return name or f"master {number}"


def match_designs(before: list[Design], after: list[Design]) -> dict[Design, Design]:
    """Which master or layout is which: by id and name; by name (another program renumbers); by id (renamed)."""
    pairs: dict[Design, Design] = {}
    taken: set[Design] = set()

    def key_of_both(design: Design) -> tuple[str, ...]:
        return design.id, design.name

    def key_of_name(design: Design) -> tuple[str, ...]:
        return (design.name,)

    def key_of_id(design: Design) -> tuple[str, ...]:
        return (design.id,)

    for key in (key_of_both, key_of_name, key_of_id):
        free: dict[tuple[str, ...], list[Design]] = {}
        for design in after:
            if design not in taken:
                free.setdefault(key(design), []).append(design)
        for design in before:
            if design not in pairs and (same := free.get(key(design))):
                pairs[design] = same.pop(0)
                taken.add(pairs[design])
    return pairs
