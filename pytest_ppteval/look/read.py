"""From an open deck to what a viewer sees of it. Only reads; nothing of the deck changes, in memory either."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_ppteval.deck.animation import read_animations
from pytest_ppteval.deck.parts import kind_of, related, relations_of
from pytest_ppteval.deck.slides import is_hidden, layout_name, notes_text, title
from pytest_ppteval.deck.text import paragraphs
from pytest_ppteval.deck.transition import read_transition
from pytest_ppteval.deck.xmlnames import P14, P, R, attributes, local_name, text_of
from pytest_ppteval.look.context import Designs, Sheet
from pytest_ppteval.look.lazy import Each, Lazy
from pytest_ppteval.look.model import NO_FILL, Comment, Deck, Design, Effect, Fill, Slide, Transition
from pytest_ppteval.look.paint import Paint
from pytest_ppteval.look.shapes import ShapeReader
from pytest_ppteval.look.table_styles import TableStyles
from pytest_ppteval.look.theme import root_of
from pytest_ppteval.look.values import emu, flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Side


def look_at(side: Side, same: Callable[[SlidePart], Slide | None] = lambda _: None) -> Deck:
    """What a viewer sees of a deck that is open for comparing; each slide is read when it is first looked at.

    same: the look of a slide where it is known already, as that of a slide that did not change.
    """
    return DeckReader(side, same).deck()


class DeckReader:
    """Reads one deck; what its slides share is read once."""

    def __init__(self, side: Side, same: Callable[[SlidePart], Slide | None] = lambda _: None) -> None:
        self._side = side
        self._same = same
        self._designs = Designs(side.root)
        styles = next(related(side.part, "tableStyles"), None)
        self._tables = TableStyles(self._designs.root(styles))
        self._first = _first_number(side.root)
        self._sections = tuple(_sections(side.root))

    def deck(self) -> Deck:
        """The whole deck."""
        root = self._side.root
        size = root.find(P + "sldSz") if root is not None else None
        width, height = (emu(size.get(name)) if size is not None else None for name in ("cx", "cy"))
        return Deck(
            width=width or 9_144_000,
            height=height or 6_858_000,
            slides=Each([partial(self._slide, slide) for slide in self._side.slides.values()]),
            designs=Lazy(lambda: tuple(self._all_designs())),
            sections=self._sections,
            show=tuple(_show(self._side.part)),
            custom_shows=tuple(_custom_shows(self._side)),
            program=_program(self._side.part),
        )

    def _slide(self, slide: SlidePart) -> Slide:
        known = self._same(slide)
        return known if known is not None else self.slide(slide)

    def slide(self, slide: SlidePart) -> Slide:
        """One slide."""
        sheet = Sheet(slide.part, slide.element, self._designs)
        number = slide.number + self._first - 1
        theme = sheet.theme
        background = _background(sheet, Paint(sheet.palette, theme, sheet.part))
        reader = ShapeReader(sheet, number, self._side.reader.slide_id, self._tables, background)
        return Slide(
            number=slide.number,
            id=slide.slide_id,
            title=title(slide.element),
            hidden=is_hidden(slide.element),
            layout=layout_name(slide.part),
            master=theme.name or None,
            background=background,
            shows_master_shapes=flag(slide.element.get("showMasterSp"), default=True),
            transition=_transition(slide),
            effects=tuple(_effects(slide)),
            notes=notes_text(slide.part),
            comments=tuple(self._comments(slide.part)),
            shapes=Lazy(reader.shapes),
            section=next((name for name, ids in self._sections if slide.slide_id in ids), None),
        )

    def _all_designs(self) -> Iterator[Design]:
        for design in (*self._side.masters, *self._side.layouts):
            yield Design(design.kind, design.name, self._side.reader.digest(design.part)[:16])
        for master in self._side.masters:
            for part in related(master.part, "theme"):
                root = self._designs.root(part)
                name = root.get("name", "") if root is not None else ""
                yield Design("theme", name, self._side.reader.digest(part)[:16])

    def _comments(self, part: Part) -> Iterator[Comment]:
        authors = _authors(self._side.part)
        for relation in relations_of(part):
            if kind_of(relation) not in ("comments", "comment") or relation.is_external:
                continue
            root = root_of(relation.target_part)
            for element in root.iterchildren("{*}*") if root is not None else ():
                held = element.find(P + "text")
                words = text_of(held) if held is not None else "\n".join(paragraphs(element))
                yield Comment(authors.get(element.get("authorId", ""), ""), words)


def _background(sheet: Sheet, paint: Paint) -> Fill:
    for root in (sheet.root, sheet.layout_root, sheet.master_root):
        held = root.find(f"{P}cSld/{P}bg") if root is not None else None
        if held is None:
            continue
        properties = held.find(P + "bgPr")
        if properties is not None:
            return paint.own_fill(properties) or NO_FILL
        return paint.referred(held.find(P + "bgRef"))
    return NO_FILL


def _transition(slide: SlidePart) -> Transition | None:
    found = read_transition(slide.slide_id, slide.element)
    if found is None:
        return None
    return Transition(
        kind=found.transition_type,
        duration=found.duration,
        direction=found.direction,
        variant=found.variant,
        advance_on_click=found.advance_on_click,
        advance_after=found.advance_after,
        sound=found.sound,
    )


def _effects(slide: SlidePart) -> Iterator[Effect]:
    for effect in read_animations(slide.slide_id, slide.element):
        yield Effect(
            shape=effect.element_id,
            paragraph=effect.element_text if effect.element_type == "text" else None,
            name=effect.effect_type,
            trigger=effect.trigger,
            delay=effect.delay,
            duration=effect.duration,
            order=effect.order,
            kind=effect.effect_class or "custom",
            clicked=effect.trigger_element_id,
        )


def _first_number(root: etree._Element | None) -> int:
    text = root.get("firstSlideNum", "1") if root is not None else "1"
    return int(text) if text.isdecimal() and len(text) < 6 else 1


def _sections(root: etree._Element | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    for section in root.iter(P14 + "section") if root is not None else ():
        yield section.get("name", ""), tuple(item.get("id", "") for item in section.iter(P14 + "sldId"))


def _show(part: Part) -> Iterator[tuple[str, str]]:
    for properties in related(part, "presProps"):
        root = root_of(properties)
        show = root.find(P + "showPr") if root is not None else None
        if show is None:
            continue
        yield from attributes(show)
        for child in show.iterchildren("{*}*"):
            if local_name(child) not in ("extLst", "penClr"):
                yield local_name(child), " ".join(f"{name}={value}" for name, value in attributes(child))


def _custom_shows(side: Side) -> Iterator[tuple[str, tuple[str, ...]]]:
    for show in side.root.iterfind(f"{P}custShowLst/{P}custShow") if side.root is not None else ():
        ids = []
        for item in show.iterfind(f"{P}sldLst/{P}sld"):
            relation = side.part.rels.get(item.get(R + "id", ""))
            if relation is not None and not relation.is_external:
                ids.append(side.reader.slide_id(relation.target_part) or "")
        yield show.get("name", ""), tuple(ids)


def _authors(part: Part) -> dict[str, str]:
    found = {}
    for kind in ("commentAuthors", "authors"):
        for authors in related(part, kind):
            root = root_of(authors)
            for author in root.iterchildren("{*}*") if root is not None else ():
                found[author.get("id", "")] = author.get("name", "")
    return found


def _program(part: Part) -> str:
    """What program says that it saved the deck last: "Microsoft Office PowerPoint", "LibreOffice/24.2...", ..."""
    for relation in part.package._rels._rels.values():
        if not relation.is_external and kind_of(relation) == "extended-properties":
            root = root_of(relation.target_part)
            found = root.find("{*}Application") if root is not None else None
            return (found.text or "").strip() if found is not None else ""
    return ""
