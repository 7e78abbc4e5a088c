"""Outputs for tasks on the ferry review: 001 (a ship is renamed) and 002 (words become a link)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from pptx.enum.dml import MSO_THEME_COLOR

from suite_outputs import (
    Deck,
    Parts,
    good,
    good_parts,
    named,
    remove,
    replace_once,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# --- 001: MV Petrel becomes MV Fulmar -------------------------------------------------------------------------------


def frames(deck: Deck, notes: bool = True) -> Iterator[Any]:
    """Every text frame of the deck, in groups, tables and notes too."""

    def of(shapes: Any) -> Iterator[Any]:
        for shape in shapes:
            if shape._element.tag.endswith("}grpSp"):
                yield from of(shape.shapes)
            elif getattr(shape, "has_table", False):
                yield from (cell.text_frame for row in shape.table.rows for cell in row.cells)
            elif shape.has_text_frame:
                yield shape.text_frame

    for slide in deck.slides:
        yield from of(slide.shapes)
        if notes and slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame


def rename(deck: Deck, notes: bool = True, descriptions: bool = True, old: str = "MV Petrel") -> None:
    new = old.replace("Petrel", "Fulmar")
    for frame in frames(deck, notes):
        for paragraph in frame.paragraphs:
            for run in paragraph.runs:
                run.text = run.text.replace(old, new)
                if run.text == "Petrel":  # slide 7: the name is in two runs
                    run.text = "Fulmar"
    for slide in deck.slides if descriptions else ():
        for properties in slide.shapes._spTree.iter("{*}cNvPr"):
            if old in properties.get("descr", ""):
                properties.set("descr", properties.get("descr").replace(old, new))


@good("ferry_review-001")
def name_in_many_runs(deck: Deck) -> None:
    rename(deck)
    for frame in frames(deck):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs if "Fulmar" in run.text]:
            head, tail = run.text.split("Fulmar", 1)
            for text in (head + "Ful", "mar" + tail):
                part = copy.deepcopy(run._r)
                part.text = text
                run._r.addprevious(part)
            run._r.getparent().remove(run._r)


@good_parts("ferry_review-001")
def name_in_the_xml(parts: Parts) -> None:
    for name, text in parts.items():
        parts[name] = text.replace("MV Petrel", "MV Fulmar")
    parts["ppt/slides/slide7.xml"] = replace_once(parts["ppt/slides/slide7.xml"], ">Petrel<", ">Fulmar<")


@wrong("ferry_review-001", "Name in the notes")
def notes_forgotten(deck: Deck) -> None:
    rename(deck, notes=False)


@wrong("ferry_review-001", "The harbour keeps its name")
def every_petrel_renamed(deck: Deck) -> None:
    rename(deck, old="Petrel")


@wrong("ferry_review-001", "Name on the slides")
def name_in_two_runs_forgotten(deck: Deck) -> None:
    rename(deck)
    for run in [run for frame in frames(deck) for p in frame.paragraphs for run in p.runs if run.text == "Fulmar"]:
        run.text = "Petrel"


@wrong("ferry_review-001", "Name on the slides", "Nothing else changed")
def lines_with_the_name_deleted(deck: Deck) -> None:
    rename(deck)
    for frame in frames(deck, notes=False):
        for paragraph in frame.paragraphs:
            if "Fulmar" in paragraph.text and len(frame.paragraphs) > 1:
                paragraph._p.getparent().remove(paragraph._p)


@wrong("ferry_review-001", "Name in the picture's description")
def description_forgotten(deck: Deck) -> None:
    rename(deck, descriptions=False)


@wrong("ferry_review-001", "Nothing else changed")
def bold_lost(deck: Deck) -> None:
    rename(deck)
    paragraph = deck.slides[6].placeholders[2].text_frame.paragraphs[1]
    paragraph.runs[0].text = paragraph.text
    for run in paragraph.runs[1:]:
        run._r.getparent().remove(run._r)


@wrong("ferry_review-001", "Nothing else changed")
def another_ship_renamed_too(deck: Deck) -> None:
    rename(deck)
    for frame in frames(deck):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs]:
            run.text = run.text.replace("MV Kittiwake", "MV Tern")


@wrong("ferry_review-001", "Name in the notes")
def notes_written_anew(deck: Deck) -> None:
    rename(deck)
    deck.slides[8].notes_slide.notes_text_frame.text = "MV Fulmar goes to the yard in February."


# --- 002: 'live departure board' becomes a link ---------------------------------------------------------------------

WORDS, ADDRESS = "live departure board", "https://departures.kestrelsound.example/today"


def link(deck: Deck, words: str = WORDS, address: str | None = ADDRESS, pieces: int = 1, slide: int = 16) -> None:
    """Cut the words out of their run into `pieces` linked runs."""
    for frame in (shape.text_frame for shape in deck.slides[slide].shapes if shape.has_text_frame):
        for run in [run for p in frame.paragraphs for run in p.runs if words in run.text]:
            head, tail = run.text.split(words)
            size = -(-len(words) // pieces)
            texts = [words[at : at + size] for at in range(0, len(words), size)]
            run.text = tail
            before = copy.deepcopy(run._r)
            before.text = head
            run._r.addprevious(before)
            paragraph = run._parent
            for text in texts:
                part = paragraph.add_run()
                part.text = text
                part.font.size = run.font.size
                if address:
                    part.hyperlink.address = address
                run._r.addprevious(part._r)


@good("ferry_review-002")
def link_on_many_runs(deck: Deck) -> None:
    link(deck, pieces=4)


@good("ferry_review-002")
def link_with_a_slash_and_a_tip(deck: Deck) -> None:
    link(deck, address=ADDRESS + "/")
    for element in deck.slides[16].shapes._spTree.iter("{*}hlinkClick"):
        element.set("tooltip", "Sailings of today")


@good_parts("ferry_review-002")
def link_in_the_xml(parts: Parts) -> None:
    rels, slide = "ppt/slides/_rels/slide17.xml.rels", "ppt/slides/slide17.xml"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    parts[rels] = replace_once(
        parts[rels],
        "</Relationships>",
        f'<Relationship Id="rId77" Type="{kind}" Target="{ADDRESS}" TargetMode="External"/></Relationships>',
    )
    linked = f'<a:r><a:rPr sz="2200"><a:hlinkClick r:id="rId77"/></a:rPr><a:t>{WORDS}</a:t></a:r>'
    parts[slide] = replace_once(parts[slide], f"{WORDS}</a:t></a:r>", f"</a:t></a:r>{linked}")


@wrong("ferry_review-002", "Words linked")
def whole_line_linked(deck: Deck) -> None:
    link(deck, words="Sailings of today: see the live departure board")


@wrong("ferry_review-002", "Words linked")
def link_to_the_home_page(deck: Deck) -> None:
    link(deck, address="https://kestrelsound.example")


@wrong("ferry_review-002", "Words linked")
def blue_and_underlined_only(deck: Deck) -> None:
    link(deck, address=None)
    for paragraph in deck.slides[16].placeholders[1].text_frame.paragraphs:
        for run in (run for run in paragraph.runs if run.text == WORDS):
            run.font.underline = True
            run.font.color.theme_color = MSO_THEME_COLOR.HYPERLINK


@wrong("ferry_review-002", "Words linked")
def two_of_three_words_linked(deck: Deck) -> None:
    link(deck, words="departure board")


@wrong("ferry_review-002", "Words linked")
def address_typed_in_place_of_the_words(deck: Deck) -> None:
    link(deck)
    for run in [r for p in deck.slides[16].placeholders[1].text_frame.paragraphs for r in p.runs if r.text == WORDS]:
        run.text = ADDRESS


@wrong("ferry_review-002", "Nothing else changed")
def other_lines_removed(deck: Deck) -> None:
    link(deck)
    paragraphs = deck.slides[16].placeholders[1].text_frame.paragraphs
    for paragraph in (paragraphs[0], paragraphs[2]):
        paragraph._p.getparent().remove(paragraph._p)


@wrong("ferry_review-002", "Nothing else changed")
def thanks_removed_too(deck: Deck) -> None:
    link(deck)
    remove(named(deck.slides[16], "Thanks"))
