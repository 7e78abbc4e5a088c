"""Outputs for tasks on the tides lecture: 001 (bullets for numbers) and 005 (footers)."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from pptx.enum.text import PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from suite_outputs import A, Deck, Parts, Shape, Slide, good, good_parts, named, remove, replace_once, wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

# --- 001: bullets for numbers ----------------------------------------------------------------------------------------


def questions(deck: Deck) -> list[Any]:
    """The paragraphs of the five questions."""
    frame = deck.slides[1].placeholders[1].text_frame
    return [paragraph for paragraph in frame.paragraphs if paragraph.level == 0]


def set_bullet(paragraph: Any, xml: str, font: str = "Arial") -> None:
    """The paragraph gets this bullet in place of its own one."""
    properties = paragraph._p.get_or_add_pPr()
    for child in list(properties):
        if str(child.tag).rsplit("}", 1)[-1] in ("buFont", "buAutoNum"):
            properties.remove(child)
    properties.append(parse_xml(f'<a:buFont {A} typeface="{font}"/>'))
    properties.append(parse_xml(f"<a:{xml.replace('/>', f' {A}/>')}"))


DOT = 'buChar char="•"/>'


@good_parts("tides_lecture-001")
def bullets_in_the_xml(parts: Parts) -> None:
    text = parts["ppt/slides/slide2.xml"]
    assert text.count('<a:buAutoNum type="arabicPeriod"/>') == 5
    text = text.replace('<a:buFont typeface="+mj-lt"/>', '<a:buFont typeface="Arial"/>')
    parts["ppt/slides/slide2.xml"] = text.replace('<a:buAutoNum type="arabicPeriod"/>', '<a:buChar char="●"/>')


@good("tides_lecture-001")
def bullets_of_wingdings(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, 'buChar char="l"/>', "Wingdings")


@good("tides_lecture-001")
def list_in_a_text_box(deck: Deck) -> None:
    """The placeholder gives way to a text box; runs are split, and the bullets are those of the box's list style."""
    slide = deck.slides[1]
    holder = slide.placeholders[1]
    lines = [(paragraph.level, paragraph.text) for paragraph in holder.text_frame.paragraphs]
    box = slide.shapes.add_textbox(holder.left, holder.top, holder.width, holder.height)
    remove(holder)
    style = "".join(
        f'<a:lvl{n}pPr marL="{n * 342900}" indent="-342900"><a:buFont typeface="Arial"/><a:buChar char="{mark}"/>'
        f"</a:lvl{n}pPr>"
        for n, mark in ((1, "•"), (2, "–"))
    )
    body = box._element.txBody
    old = body.find("{*}lstStyle")
    if old is not None:
        body.remove(old)
    body.bodyPr.addnext(parse_xml(f"<a:lstStyle {A}>{style}</a:lstStyle>"))
    for index, (level, text) in enumerate(lines):
        paragraph = box.text_frame.paragraphs[0] if index == 0 else box.text_frame.add_paragraph()
        paragraph.level = level
        for piece in (text[:7], text[7:]):
            run = paragraph.add_run()
            run.text, run.font.size = piece, Pt(18 if level else 22)


@wrong("tides_lecture-001", "Questions have round bullets")
def numbers_taken_off_only(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, "buNone/>")


@wrong("tides_lecture-001", "Questions have round bullets")
def last_two_forgotten(deck: Deck) -> None:
    for paragraph in questions(deck)[:3]:
        set_bullet(paragraph, DOT)


@wrong("tides_lecture-001", "Questions have round bullets", "Words and looks kept")
def bullets_typed_as_text(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, "buNone/>")
        paragraph.runs[0].text = "• " + paragraph.runs[0].text


@wrong("tides_lecture-001", "Questions have round bullets")
def dashes_for_dots(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, 'buChar char="–"/>')


@wrong("tides_lecture-001", "Deeper lines kept")
def all_on_one_level(deck: Deck) -> None:
    for paragraph in deck.slides[1].placeholders[1].text_frame.paragraphs:
        paragraph.level = 0
        set_bullet(paragraph, DOT)


@wrong("tides_lecture-001", "Words and looks kept")
def a_question_lost(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, DOT)
    last = questions(deck)[4]._p
    last.getparent().remove(last)


@wrong("tides_lecture-001", "Nothing else changed")
def box_below_deleted(deck: Deck) -> None:
    for paragraph in questions(deck):
        set_bullet(paragraph, DOT)
    remove(named(deck.slides[1], "Bring along"))


# --- 005: footers ----------------------------------------------------------------------------------------------------

OLD, NEW = "3 November 2026", "10 November 2026"
FIELD = (
    '<a:fld {a} id="{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}" type="slidenum">'
    '<a:rPr lang="en-GB"/><a:t>{n}</a:t></a:fld>'
)


def holders(slide: Slide, kind: str) -> list[Any]:
    """The XML of the slide's placeholders of a kind."""
    return list(slide._element.xpath(f'.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="{kind}"]'))


def set_dates(deck: Deck, date: str = NEW, skip: Sequence[int] = ()) -> None:
    for number, slide in enumerate(deck.slides, 1):
        for holder in holders(slide, "dt") if number not in skip else ():
            [text] = holder.iter("{*}t")
            text.text = date


def put_numbers(deck: Deck, slides: Sequence[int] = (8, 11), typed: bool = False, dx: float = 0) -> None:
    """Copies of slide 7's number, or numbers typed into such copies."""
    [model] = holders(deck.slides[6], "sldNum")
    for number in slides:
        slide = deck.slides[number - 1]
        new = copy.deepcopy(model)
        new.xpath(".//p:cNvPr")[0].set("id", "99")
        [field] = new.iter("{*}fld")
        field.find("{*}t").text = str(number)
        if typed:
            run = parse_xml(f"<a:r {A}><a:t>{number}</a:t></a:r>")
            field.getparent().replace(field, run)
        slide.shapes._spTree.append(new)
        if dx:
            shape = slide.shapes[-1]
            left, top, width, height = shape.left, shape.top, shape.width, shape.height
            shape.left, shape.top, shape.width, shape.height = left - Inches(dx), top, width, height


@good_parts("tides_lecture-005")
def footers_in_the_xml(parts: Parts) -> None:
    for name, text in parts.items():
        if name.startswith("ppt/slides/slide"):
            pattern = r'(type="dt".*?<a:t>)3 November 2026(</a:t>)'
            parts[name] = re.sub(pattern, r"\g<1>10 November 2026\2", text, count=1)
    shape = re.search(r'<p:sp><p:nvSpPr><p:cNvPr id="\d+" name="Slide Number.*?</p:sp>', parts["ppt/slides/slide7.xml"])
    assert shape
    for number in (8, 11):
        new = re.sub(r'id="\d+"', 'id="77"', shape[0], count=1).replace("<a:t>7</a:t>", "<a:t>‹#›</a:t>")
        name = f"ppt/slides/slide{number}.xml"
        parts[name] = replace_once(parts[name], "</p:spTree>", new + "</p:spTree>")


@good("tides_lecture-005")
def text_boxes_for_placeholders(deck: Deck) -> None:
    """Dates in split runs; the two numbers as fields in text boxes at the place of the others."""
    for slide in deck.slides:
        for holder in holders(slide, "dt"):
            [run] = holder.iter("{*}r")
            more = copy.deepcopy(run)
            run.find("{*}t").text, more.find("{*}t").text = "10 ", "November 2026"
            run.addnext(more)
    for number in (8, 11):
        box = deck.slides[number - 1].shapes.add_textbox(*map(Inches, (8.5, 6.98, 1.0, 0.3)))
        paragraph = box.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.RIGHT
        paragraph._p.append(parse_xml(FIELD.format(a=A, n=number)))


@wrong("tides_lecture-005", "Numbers on slides 8 and 11", "They stand where others do")
def only_the_dates(deck: Deck) -> None:
    set_dates(deck)


@wrong("tides_lecture-005", "Numbers on slides 8 and 11")
def slide_eleven_forgotten(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck, slides=(8,))


@wrong("tides_lecture-005", "The new date")
def last_slide_forgotten(deck: Deck) -> None:
    set_dates(deck, skip=(17,))
    put_numbers(deck)


@wrong("tides_lecture-005", "The new date")
def another_date(deck: Deck) -> None:
    set_dates(deck, "11 November 2026")
    put_numbers(deck)


@wrong("tides_lecture-005", "The new date")
def dates_that_follow_the_clock(deck: Deck) -> None:
    """They say 10 November 2026 only because that is the day on which the deck was saved."""
    set_dates(deck)
    put_numbers(deck)
    for holder in (holder for slide in deck.slides for holder in holders(slide, "dt")):
        [run] = holder.iter("{*}r")
        field = parse_xml(FIELD.format(a=A, n=NEW).replace("slidenum", "datetime4"))
        run.getparent().replace(run, field)


@wrong("tides_lecture-005", "Numbers on slides 8 and 11")
def numbers_typed(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck, typed=True)


@wrong("tides_lecture-005", "They stand where others do")
def numbers_out_of_line(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck, dx=1.1)


@wrong("tides_lecture-005", "Nothing else changed")
def footer_overwritten(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck)
    [text] = holders(deck.slides[4], "ftr")[0].iter("{*}t")
    text.text = NEW


@wrong("tides_lecture-005", "Nothing else changed")
def number_on_a_section_slide(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck, slides=(4, 8, 11))


@wrong("tides_lecture-005", "Nothing else changed")
def date_replaced_everywhere(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck)
    for run in (run for p in deck.slides[16].placeholders[1].text_frame.paragraphs for run in p.runs):
        run.text = run.text.replace(OLD, NEW)


@wrong("tides_lecture-005", "Nothing else changed")
def heading_changed_too(deck: Deck) -> None:
    set_dates(deck)
    put_numbers(deck)
    title: Shape = deck.slides[7].shapes.title
    title.text_frame.paragraphs[0].runs[0].text = "November at Port Calder"
