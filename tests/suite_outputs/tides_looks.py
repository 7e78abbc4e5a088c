"""Outputs for tasks on the tides lecture: 006 (one transition) and 007 (dark section slides)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.oxml import parse_xml

from suite_outputs import A, Deck, Parts, Rgb, Slide, good, good_parts, replace_once, wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

# --- 006: one transition ---------------------------------------------------------------------------------------------

P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
P14 = 'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"'


def set_transition(slide: Slide, inner: str = "<p:fade/>", attributes: str = 'spd="med"') -> None:
    """The slide's transition, in place of what it had; an empty `inner` is none."""
    clear(slide)
    if inner:
        put(slide, f"<p:transition {P} {P14} {attributes}>{inner}</p:transition>")


def clear(slide: Slide) -> None:
    for child in list(slide._element):
        if str(child.tag).endswith(("}transition", "}AlternateContent")):
            slide._element.remove(child)


def put(slide: Slide, xml: str) -> None:
    slide._element.find("{*}clrMapOvr").addnext(parse_xml(xml))


@good("tides_lecture-006")
def fades_of_powerpoint_2010(deck: Deck) -> None:
    for slide in deck.slides:
        clear(slide)
        put(
            slide,
            f'<mc:AlternateContent {MC} {P}><mc:Choice {P14} Requires="p14"><p:transition spd="med" p14:dur="700">'
            '<p:fade/></p:transition></mc:Choice><mc:Fallback><p:transition spd="med"><p:fade/></p:transition>'
            "</mc:Fallback></mc:AlternateContent>",
        )


@good_parts("tides_lecture-006")
def fades_through_black_in_the_xml(parts: Parts) -> None:
    fade = '<p:transition spd="slow" advClick="1"><p:fade thruBlk="1"/></p:transition>'
    for name in [name for name in parts if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)]:
        text = re.sub(r"<mc:AlternateContent.*?</mc:AlternateContent>", "", parts[name], flags=re.DOTALL)
        text = re.sub(r"<p:transition.*?</p:transition>", "", text, flags=re.DOTALL)
        parts[name] = replace_once(text, "</p:clrMapOvr>", "</p:clrMapOvr>" + fade)


@wrong("tides_lecture-006", "Every slide fades in")
def only_where_there_was_one(deck: Deck) -> None:
    for number in (4, 8, 10, 12, 14):
        set_transition(deck.slides[number - 1])


@wrong("tides_lecture-006", "Every slide fades in")
def all_push(deck: Deck) -> None:
    for slide in deck.slides:
        set_transition(slide, '<p:push dir="l"/>')


@wrong("tides_lecture-006", "Every slide fades in")
def ripple_kept_for_new_programs(deck: Deck) -> None:
    """The old form of slide 14's transition says Fade already; what PowerPoint plays is the new form."""
    for number, slide in enumerate(deck.slides, 1):
        if number != 14:
            set_transition(slide)


@wrong("tides_lecture-006", "Every slide fades in", "None goes on by itself")
def transitions_of_some_removed(deck: Deck) -> None:
    for number in (4, 8, 10, 14):
        set_transition(deck.slides[number - 1], "")


@wrong("tides_lecture-006", "None goes on by itself")
def time_limit_kept(deck: Deck) -> None:
    for number, slide in enumerate(deck.slides, 1):
        set_transition(slide, attributes='spd="med" advTm="8000"' if number == 12 else 'spd="med"')


@wrong("tides_lecture-006", "All fades are alike")
def different_speeds(deck: Deck) -> None:
    for number, slide in enumerate(deck.slides, 1):
        set_transition(slide, attributes=f'spd="{("slow", "fast")[number % 2]}"')


@wrong("tides_lecture-006", "A click leads on")
def clicks_switched_off(deck: Deck) -> None:
    for slide in deck.slides:
        set_transition(slide, attributes='spd="med" advClick="0"')


@wrong("tides_lecture-006", "Nothing else changed")
def animations_cleared_too(deck: Deck) -> None:
    for slide in deck.slides:
        set_transition(slide)
        timing = slide._element.find("{*}timing")
        if timing is not None:
            slide._element.remove(timing)


@wrong("tides_lecture-006", "Nothing else changed")
def notes_cleared_too(deck: Deck) -> None:
    for slide in deck.slides:
        set_transition(slide)
    deck.slides[0].notes_slide.notes_text_frame.text = ""


# --- 007: dark section slides ----------------------------------------------------------------------------------------

BLUE = "1D3557"


def sections(deck: Deck) -> list[Slide]:
    return [deck.slides[3], deck.slides[9]]


def darken(owner: Any, rgb: str = BLUE) -> None:
    owner.background.fill.solid()
    owner.background.fill.fore_color.rgb = Rgb.from_string(rgb)


def whiten(slide: Slide, which: Sequence[int] = (0, 1), rgb: str = "FFFFFF") -> None:
    for index in which:
        for run in slide.placeholders[index].text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb.from_string(rgb)


@good("tides_lecture-007")
def on_the_layout(deck: Deck) -> None:
    layout = sections(deck)[0].slide_layout
    darken(layout)
    for colour in layout._element.xpath(".//p:sp[p:nvSpPr/p:nvPr/p:ph]//a:lvl1pPr/a:defRPr/a:solidFill/a:schemeClr"):
        colour.set("val", "bg1")


@good_parts("tides_lecture-007")
def sections_in_the_xml(parts: Parts) -> None:
    fill = f'<p:bg><p:bgPr><a:solidFill><a:srgbClr val="{BLUE.lower()}"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>'
    white = '<a:rPr lang="en-GB"><a:solidFill><a:prstClr val="white"/></a:solidFill></a:rPr>'
    for number in (4, 10):
        name = f"ppt/slides/slide{number}.xml"
        text = replace_once(parts[name], "<p:cSld>", f"<p:cSld>{fill}")
        text = re.sub(r"<a:rPr[^>]*/>", "", text)
        parts[name] = text.replace("<a:r>", f"<a:r>{white}")


@good("tides_lecture-007")
def split_runs_and_list_styles(deck: Deck) -> None:
    """The line is white by the shape's list style, the title run by run, one of them from the theme."""
    for slide in sections(deck):
        darken(slide)
        title, line = slide.placeholders[0], slide.placeholders[1]
        [run] = title.text_frame.paragraphs[0].runs
        more = title.text_frame.paragraphs[0].add_run()
        more.text, run.text = run.text[4:], run.text[:4]
        run.font.color.theme_color = MSO_THEME_COLOR.BACKGROUND_1
        more.font.color.rgb = Rgb.from_string("FFFFFF")
        style = line._element.txBody.find("{*}lstStyle")
        new = parse_xml(
            f'<a:lstStyle {A}><a:lvl1pPr><a:defRPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:defRPr>'
            "</a:lvl1pPr></a:lstStyle>"
        )
        style.getparent().replace(style, new)


@wrong("tides_lecture-007", "Dark blue background")
def second_section_forgotten(deck: Deck) -> None:
    darken(sections(deck)[0])
    for slide in sections(deck):
        whiten(slide)


@wrong("tides_lecture-007", "Dark blue background")
def another_blue(deck: Deck) -> None:
    for slide in sections(deck):
        darken(slide, "1F6FA8")
        whiten(slide)


@wrong("tides_lecture-007", "Dark blue background")
def a_rectangle_for_a_background(deck: Deck) -> None:
    for slide in sections(deck):
        box = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, 0, 0, deck.slide_width, deck.slide_height)
        box.fill.solid()
        box.fill.fore_color.rgb = Rgb.from_string(BLUE)
        slide.shapes._spTree.insert(2, box._element)
        whiten(slide)


@wrong("tides_lecture-007", "Dark blue background")
def a_gradient(deck: Deck) -> None:
    for slide in sections(deck):
        slide.background.fill.gradient()
        whiten(slide)


@wrong("tides_lecture-007", "White titles", "White lines")
def words_left_dark(deck: Deck) -> None:
    for slide in sections(deck):
        darken(slide)


@wrong("tides_lecture-007", "White lines")
def lines_left_dark(deck: Deck) -> None:
    for slide in sections(deck):
        darken(slide)
        whiten(slide, which=(0,))


@wrong("tides_lecture-007", "White titles")
def first_title_grey(deck: Deck) -> None:
    for slide in sections(deck):
        darken(slide)
        whiten(slide)
    whiten(sections(deck)[0], which=(0,), rgb="A6A6A6")


@wrong("tides_lecture-007", "Nothing else changed")
def cover_too(deck: Deck) -> None:
    for slide in (deck.slides[0], *sections(deck)):
        darken(slide)
    for slide in sections(deck):
        whiten(slide)


@wrong("tides_lecture-007", "Nothing else changed")
def on_the_master(deck: Deck) -> None:
    background = sections(deck)[0].slide_layout._element.find("{*}cSld/{*}bg")
    background.getparent().remove(background)
    darken(deck.slide_master)
    for slide in sections(deck):
        whiten(slide)


@wrong("tides_lecture-007", "Nothing else changed")
def in_the_theme(deck: Deck) -> None:
    """The theme's light blue becomes dark: boxes on other slides do so too."""
    relations = deck.slide_master.part.rels.values()
    [theme] = [relation.target_part for relation in relations if relation.reltype.endswith("/theme")]
    theme._blob = theme.blob.replace(b'"A9CBDD"', f'"{BLUE}"'.encode())
    for slide in sections(deck):
        whiten(slide)


@wrong("tides_lecture-007", "Nothing else changed")
def another_title_changed_too(deck: Deck) -> None:
    for slide in sections(deck):
        darken(slide)
        whiten(slide)
    deck.slides[8].shapes.title.text_frame.paragraphs[0].runs[0].text = "Kinds of tide"
