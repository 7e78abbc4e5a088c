"""Faults of a slide as a whole, and of the deck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree
from pptx.util import Inches

from pytest_ppteval.check.mutants.rgb import of_rgb
from pytest_ppteval.deck.xmlnames import A, P

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.check.mutants.shapes import Fault

_WHEEL = f'<p:transition xmlns:p="{P[1:-1]}" spd="slow" advClick="0" advTm="500"><p:wheel spokes="8"/></p:transition>'


def _hidden(slide: Any) -> str | None:
    if slide._element.get("show") in ("0", "false"):
        slide._element.attrib.pop("show")
        return "shown, though it was hidden"
    slide._element.set("show", "0")
    return "hidden"


def _pink(slide: Any) -> str | None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = of_rgb("FF99CC")
    return "a pink background"


def _other_notes(slide: Any) -> str | None:
    if not slide.has_notes_slide or slide.notes_slide.notes_text_frame is None:
        return None
    slide.notes_slide.notes_text_frame.text = "Nothing to say here."
    return "other notes"


def _transitions(slide: Any) -> Iterator[Any]:
    for child in list(slide._element):
        if child.tag == P + "transition" or next(child.iter(P + "transition"), None) is not None:
            yield child


def _no_transition(slide: Any) -> str | None:
    found = list(_transitions(slide))
    for element in found:
        slide._element.remove(element)
    return "its transition is gone" if found else None


def _a_transition(slide: Any) -> str | None:
    for element in _transitions(slide):
        slide._element.remove(element)
    place = slide._element.find(P + "clrMapOvr")
    (place if place is not None else slide._element.find(P + "cSld")).addnext(etree.fromstring(_WHEEL))
    return "a wheel as transition that goes on by itself"


def _no_animation(slide: Any) -> str | None:
    timing = slide._element.find(P + "timing")
    if timing is None:
        return None
    slide._element.remove(timing)
    return "its animations are gone"


def _slow_animation(slide: Any) -> str | None:
    found = [e for e in slide._element.iter(P + "cTn") if e.get("presetID")]
    for element in found:
        for condition in element.iterfind(f"{P}stCondLst/{P}cond"):
            condition.set("delay", "60000")
    return "animations that begin a minute late" if found else None


def _other_layout(slide: Any) -> str | None:
    own = slide.slide_layout
    for layout in own.slide_master.slide_layouts:
        if layout.name != own.name:
            for relation in slide.part.rels.values():
                if relation.reltype.endswith("/slideLayout"):
                    relation._target = layout.part
                    return f"on the layout {layout.name!r}"
    return None


def _no_master_shapes(slide: Any) -> str | None:
    shown = slide._element.get("showMasterSp") not in ("0", "false")
    slide._element.set("showMasterSp", "0" if shown else "1")
    return "its master's shapes come or gone"


def _colour_map(slide: Any) -> str | None:
    override = slide._element.find(P + "clrMapOvr")
    if override is None or override.find(A + "masterClrMapping") is None:
        return None
    override.remove(override[0])
    names = (
        "bg1",
        "tx1",
        "bg2",
        "tx2",
        "accent1",
        "accent2",
        "accent3",
        "accent4",
        "accent5",
        "accent6",
        "hlink",
        "folHlink",
    )
    values = ("dk1", "lt1", "dk2", "lt2", *names[4:])
    etree.SubElement(override, A + "overrideClrMapping", dict(zip(names, values, strict=True)))
    return "light and dark exchanged"


def _ids(deck: Any) -> Any:
    return deck.slides._sldIdLst


def _slide_lost(deck: Any) -> str | None:
    ids = _ids(deck)
    if len(ids) < 2:
        return None
    gone = ids[len(ids) // 2]
    deck.part.drop_rel(gone.rId)
    ids.remove(gone)
    return "a slide is gone"


def _slide_moved(deck: Any) -> str | None:
    ids = _ids(deck)
    if len(ids) < 3:
        return None
    ids.append(ids[1])
    return "the second slide at the end"


def _slide_added(deck: Any) -> str | None:
    deck.slides.add_slide(deck.slide_layouts[0])
    return "an empty slide at the end"


def _narrow(deck: Any) -> str | None:
    deck.slide_width = deck.slide_width * 3 // 4
    return "slides of another width"


def _master_title(deck: Any) -> str | None:
    for shape in deck.slide_masters[0].placeholders:
        if shape.placeholder_format.type == 1:  # PP_PLACEHOLDER.TITLE
            shape.left += Inches(3)
            return "the titles' place on the master"
    return None


def _master_background(deck: Any) -> str | None:
    deck.slide_masters[0].background.fill.solid()
    deck.slide_masters[0].background.fill.fore_color.rgb = of_rgb("FFFF99")
    return "a yellow master"


def _theme_colour(deck: Any) -> str | None:
    from pytest_ppteval.deck.parts import related

    for theme in related(deck.slide_masters[0].part, "theme"):
        root = etree.fromstring(theme.blob)
        for colour in root.iter(A + "accent1"):
            for child in list(colour):
                colour.remove(child)
            etree.SubElement(colour, A + "srgbClr", val="00FF00")
        theme._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        return "another accent colour in the theme"
    return None


def _all_texts(deck: Any) -> str | None:
    from pytest_ppteval.check.mutants.texts import FAULTS as TEXTS

    return "on every slide: all text at 4 pt" if [1 for slide in deck.slides if TEXTS[0][1](slide)] else None


def _all_transitions(deck: Any) -> str | None:
    return "every slide's transition is gone" if [1 for slide in deck.slides if _no_transition(slide)] else None


def _all_animations(deck: Any) -> str | None:
    return "every slide's animations are gone" if [1 for slide in deck.slides if _no_animation(slide)] else None


def _no_sections(deck: Any) -> str | None:
    for element in deck.part._element.iter("{http://schemas.microsoft.com/office/powerpoint/2010/main}sectionLst"):
        element.getparent().getparent().remove(element.getparent())
        return "the sections are gone"
    return None


FAULTS: tuple[Fault, ...] = (
    ("hidden", _hidden),
    ("background", _pink),
    ("notes", _other_notes),
    ("transition", _no_transition),
    ("transition", _a_transition),
    ("animation", _no_animation),
    ("animation", _slow_animation),
    ("layout", _other_layout),
    ("master shapes", _no_master_shapes),
    ("colour map", _colour_map),
)
# Of the deck: each takes the presentation.
DECK_FAULTS: tuple[Fault, ...] = (
    ("slide removed", _slide_lost),
    ("slide moved", _slide_moved),
    ("slide added", _slide_added),
    ("slide size", _narrow),
    ("master", _master_title),
    ("master", _master_background),
    ("theme", _theme_colour),
    ("sections", _no_sections),
    ("size", _all_texts),
    ("transition", _all_transitions),
    ("animation", _all_animations),
)
