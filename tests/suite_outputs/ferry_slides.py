"""Outputs for tasks on the ferry review: 007 (slides moved and hidden) and 008 (steps fade in)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from pptx.oxml import parse_xml

from suite_outputs import (
    Deck,
    Parts,
    Shape,
    Slide,
    good,
    good_parts,
    groups_of,
    remove,
    replace_once,
    ungroup,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# --- 007: risks early, backup hidden --------------------------------------------------------------------------------


def arrange(deck: Deck, to: int = 3, hide: Sequence[int] = (17,)) -> None:
    for number in hide:
        deck.slides[number]._element.set("show", "0")
    entries = deck.slides._sldIdLst
    risks = entries[14]
    entries.remove(risks)
    entries.insert(to, risks)


@good_parts("ferry_review-007")
def order_in_the_xml(parts: Parts) -> None:
    text = parts["ppt/presentation.xml"]
    start, end = text.index("<p:sldId "), text.index("</p:sldIdLst>")
    entries = [f"<p:sldId {one}" for one in text[start:end].split("<p:sldId ")[1:]]
    entries.insert(3, entries.pop(14))
    parts["ppt/presentation.xml"] = text[:start] + "".join(entries) + text[end:]
    parts["ppt/slides/slide18.xml"] = replace_once(parts["ppt/slides/slide18.xml"], "<p:sld ", '<p:sld show="false" ')


def copied(deck: Deck, slide: Slide) -> Slide:
    """A copy of the slide at the end, as by copy and paste: same content and notes, a new id."""
    new = deck.slides.add_slide(slide.slide_layout)
    for shape in list(new.shapes):
        remove(shape)
    for shape in slide.shapes:
        new.shapes._spTree.append(copy.deepcopy(shape._element))
    new.notes_slide.notes_text_frame.text = slide.notes_slide.notes_text_frame.text
    return new


@good("ferry_review-007")
def risks_cut_and_pasted(deck: Deck) -> None:
    deck.slides[17]._element.set("show", "0")
    copied(deck, deck.slides[14])
    entries = deck.slides._sldIdLst
    old, new = entries[14], entries[18]
    deck.part.drop_rel(old.rId)
    entries.remove(old)
    entries.remove(new)
    entries.insert(3, new)


@wrong("ferry_review-007", "Risks follow the figures")
def risks_one_place_too_late(deck: Deck) -> None:
    arrange(deck, to=4)


@wrong("ferry_review-007", "Risks follow the figures")
def risks_before_the_figures(deck: Deck) -> None:
    arrange(deck, to=2)


@wrong("ferry_review-007", "Backup is hidden")
def backup_not_hidden(deck: Deck) -> None:
    arrange(deck, hide=())


@wrong("ferry_review-007", "Backup is hidden", "All slides in their order")
def backup_deleted(deck: Deck) -> None:
    arrange(deck, hide=())
    entries = deck.slides._sldIdLst
    deck.part.drop_rel(entries[17].rId)
    entries.remove(entries[17])


@wrong("ferry_review-007", "All slides in their order")
def risks_copied_not_moved(deck: Deck) -> None:
    copied(deck, deck.slides[14])
    entries = deck.slides._sldIdLst
    new = entries[18]
    entries.remove(new)
    entries.insert(3, new)
    deck.slides[18]._element.set("show", "0")


@wrong("ferry_review-007", "All slides in their order")
def figures_moved_to_the_risks(deck: Deck) -> None:
    deck.slides[17]._element.set("show", "0")
    entries = deck.slides._sldIdLst
    figures = entries[2]
    entries.remove(figures)
    entries.insert(13, figures)


@wrong("ferry_review-007", "Only the backup is hidden")
def contacts_hidden_too(deck: Deck) -> None:
    arrange(deck, hide=(16, 17))


@wrong("ferry_review-007", "Risks are what they were", "Nothing else changed")
def notes_of_the_risks_lost(deck: Deck) -> None:
    deck.slides[14].notes_slide.notes_text_frame.text = ""
    arrange(deck)


# --- 008: steps fade in ---------------------------------------------------------------------------------------------

P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
END = "</p:childTnLst></p:cTn></p:par>"


def effect(shape: Shape, node: str = "clickEffect", preset: int = 10, kind: str = "entr", number: int = 10) -> str:
    """One effect as PowerPoint writes it: Fade in, unless said otherwise."""
    target = f'<p:tgtEl><p:spTgt spid="{shape.shape_id}"/></p:tgtEl>'
    shown, way = ("visible", "in") if kind == "entr" else ("hidden", "out")
    behaviour = f'<p:cTn id="{number + 2}" dur="700"/>{target}'
    change = f'<p:animEffect transition="{way}" filter="fade"><p:cBhvr>{behaviour}</p:cBhvr></p:animEffect>'
    if preset == 2:  # Fly In
        change = (
            f'<p:anim calcmode="lin" valueType="num"><p:cBhvr additive="base">{behaviour}<p:attrNameLst>'
            '<p:attrName>ppt_y</p:attrName></p:attrNameLst></p:cBhvr><p:tavLst><p:tav tm="0"><p:val>'
            '<p:strVal val="1+#ppt_h/2"/></p:val></p:tav><p:tav tm="100000"><p:val><p:strVal val="#ppt_y"/></p:val>'
            "</p:tav></p:tavLst></p:anim>"
        )
    subtype = 4 if preset == 2 else 0  # from the bottom
    return (
        f'<p:par><p:cTn id="{number}" presetID="{preset}" presetClass="{kind}" presetSubtype="{subtype}" '
        f'fill="hold" nodeType="{node}"><p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst><p:set><p:cBhvr>'
        f'<p:cTn id="{number + 1}" dur="1" fill="hold"><p:stCondLst><p:cond delay="0"/></p:stCondLst></p:cTn>{target}'
        "<p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst></p:cBhvr><p:to>"
        f'<p:strVal val="{shown}"/></p:to></p:set>{change}{END}'
    )


def animate(slide: Slide, clicks: Sequence[Sequence[str]]) -> None:
    """A timing tree: for each click the effects that it starts; the first effect of a click waits for it."""
    outer = ""
    for effects in clicks:
        outer += (
            '<p:par><p:cTn id="3" fill="hold"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst><p:childTnLst>'
            '<p:par><p:cTn id="4" fill="hold"><p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst>'
            + "".join(effects)
            + END * 2
        )
    timing = parse_xml(
        f'<p:timing {P}><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot"><p:childTnLst>'
        '<p:seq concurrent="1" nextAc="seek"><p:cTn id="2" dur="indefinite" nodeType="mainSeq"><p:childTnLst>'
        f"{outer}</p:childTnLst></p:cTn></p:seq></p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>"
    )
    for number, node in enumerate(timing.iter("{*}cTn"), 1):
        node.set("id", str(number))
    slide._element.find("{*}clrMapOvr").addnext(timing)


def step_groups(deck: Deck) -> list[Shape]:
    return groups_of(deck.slides[13])


@good("ferry_review-008")
def slower_fades(deck: Deck) -> None:
    animate(deck.slides[13], [[effect(group)] for group in step_groups(deck)])


@good("ferry_review-008")
def arrow_and_text_apart(deck: Deck) -> None:
    """Ungrouped; each click brings the arrow, and the text with it."""
    pairs = [ungroup(group) for group in step_groups(deck)]
    animate(deck.slides[13], [[effect(arrow), effect(text, "withEffect")] for arrow, text in pairs])


@good("ferry_review-008")
def text_after_its_arrow(deck: Deck) -> None:
    pairs = [ungroup(group) for group in step_groups(deck)]
    animate(deck.slides[13], [[effect(arrow), effect(text, "afterEffect")] for arrow, text in pairs])


@wrong("ferry_review-008", "Each step fades in on its click")
def all_on_one_click(deck: Deck) -> None:
    first, *others = step_groups(deck)
    animate(deck.slides[13], [[effect(first), *(effect(one, "afterEffect") for one in others)]])


@wrong("ferry_review-008", "Each step fades in on its click")
def two_clicks_a_step(deck: Deck) -> None:
    pairs = [ungroup(group) for group in step_groups(deck)]
    animate(deck.slides[13], [[effect(shape)] for pair in pairs for shape in pair])


@wrong("ferry_review-008", "Each step fades in on its click")
def from_the_last_to_the_first(deck: Deck) -> None:
    animate(deck.slides[13], [[effect(group)] for group in step_groups(deck)[::-1]])


@wrong("ferry_review-008", "Each step fades in on its click")
def flying_for_fading(deck: Deck) -> None:
    animate(deck.slides[13], [[effect(group, preset=2)] for group in step_groups(deck)])


@wrong("ferry_review-008", "Each step fades in on its click")
def arrows_only(deck: Deck) -> None:
    pairs = [ungroup(group) for group in step_groups(deck)]
    animate(deck.slides[13], [[effect(arrow)] for arrow, _ in pairs])


@wrong("ferry_review-008", "Each step fades in on its click")
def last_step_forgotten(deck: Deck) -> None:
    animate(deck.slides[13], [[effect(group)] for group in step_groups(deck)[:3]])


@wrong("ferry_review-008", "Each step fades in on its click")
def steps_fade_out(deck: Deck) -> None:
    animate(deck.slides[13], [[effect(group, kind="exit")] for group in step_groups(deck)])


@wrong("ferry_review-008", "Each step fades in on its click")
def title_animated_too(deck: Deck) -> None:
    shapes = [deck.slides[13].shapes.title, *step_groups(deck)]
    animate(deck.slides[13], [[effect(shape)] for shape in shapes])


@wrong("ferry_review-008", "Nothing else changed")
def other_animations_cleared(deck: Deck) -> None:
    for number in (6, 9):
        timing = deck.slides[number]._element.find("{*}timing")
        timing.getparent().remove(timing)
    animate(deck.slides[13], [[effect(group)] for group in step_groups(deck)])


@wrong("ferry_review-008", "Each step fades in on its click")
def a_transition_for_an_animation(deck: Deck) -> None:
    deck.slides[13]._element.find("{*}clrMapOvr").addnext(parse_xml(f"<p:transition {P}><p:fade/></p:transition>"))
