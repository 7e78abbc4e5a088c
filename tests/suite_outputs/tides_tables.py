"""Outputs for tasks on the tides lecture: 004 (a column of changes) and 008 (a copy as an exercise)."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from pptx.enum.text import PP_ALIGN
from pptx.util import Inches, Pt

from suite_outputs import Deck, Parts, Shape, Slide, good, good_parts, named, remove, replace_once, table_of, wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

# --- 004: a column of changes ----------------------------------------------------------------------------------------

COLUMN = ("Change (m)", "", "+5.2", "−5.4", "+5.7")
WIDTHS = (1.0, 1.0, 1.6, 1.65)


def add_column(
    deck: Deck, texts: Sequence[str] = COLUMN, widths: Sequence[float] = WIDTHS, grid: bool = True, at: int = 3
) -> Any:
    """A copy of the Height column with these texts, so that it becomes column number `at`, counted from 0."""
    table = table_of(deck.slides[12])
    if grid:
        table._tbl.tblGrid.append(copy.deepcopy(table._tbl.tblGrid[-1]))
    for row, text in zip(table._tbl.tr_lst, texts, strict=True):
        cells = row.tc_lst
        new = copy.deepcopy(cells[-1])
        [place] = new.iter("{*}t")
        place.text = text
        if at == 3:
            cells[-1].addnext(new)
        else:
            cells[at].addprevious(new)
    for column, width in zip(table.columns, widths, strict=False):
        column.width = Inches(width)
    return table


def new_cells(table: Any) -> list[Any]:
    return [row.cells[3] for row in table.rows]


@good_parts("tides_lecture-004")
def column_in_the_xml(parts: Parts) -> None:
    name = "ppt/slides/slide13.xml"
    text = parts[name]
    grid = re.search(r"<a:tblGrid>.*?</a:tblGrid>", text)
    assert grid
    text = text.replace(grid[0], "<a:tblGrid>" + '<a:gridCol w="1200150"/>' * 4 + "</a:tblGrid>")
    for row, words in zip(
        re.findall(r"<a:tr .*?</a:tr>", text), ("Change (m)", "–", "+5.2", "-5.4", "+5.7"), strict=True
    ):
        last = re.findall(r"<a:tc>.*?</a:tc>", row)[-1]
        new = re.sub(r"<a:t>.*?</a:t>", f"<a:t>{words}</a:t>", last)
        text = replace_once(text, row, row.replace("</a:tr>", new + "</a:tr>"))
    parts[name] = text


@good("tides_lecture-004")
def table_made_anew(deck: Deck) -> None:
    """A new table of four columns in the place of the old one, with split runs and units."""
    slide = deck.slides[12]
    old = table_of(slide)
    rows = [[cell.text for cell in row.cells] for row in old.rows]
    frame = named(slide, "Tide table")
    new = slide.shapes.add_table(5, 4, frame.left, frame.top, frame.width, frame.height)
    remove(frame)
    for r, (row, change) in enumerate(zip(rows, ("Change (m)", None, "+5.2 m", "−5.4 m", "+5.7 m"), strict=True)):
        for c, text in enumerate([*row, change]):
            paragraph = new.table.cell(r, c).text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.RIGHT if c > 1 else PP_ALIGN.LEFT
            for piece in (text[:2], text[2:]) if text else ():
                run = paragraph.add_run()
                run.text, run.font.size = piece, Pt(18)


@wrong("tides_lecture-004", "A fourth column")
def changes_beside_the_table(deck: Deck) -> None:
    """The changes as a text box: no column."""
    box = deck.slides[12].shapes.add_textbox(*map(Inches, (5.3, 1.75, 1.1, 3.1)))
    box.text_frame.text = "\n".join(COLUMN)


@wrong("tides_lecture-004", "A fourth column")
def cells_without_a_column(deck: Deck) -> None:
    """Cells more than columns: PowerPoint does not open such a deck."""
    add_column(deck, grid=False)


@wrong("tides_lecture-004", "A fourth column")
def column_before_the_heights(deck: Deck) -> None:
    add_column(deck, at=2)


@wrong("tides_lecture-004", "The changes are right")
def signs_left_out(deck: Deck) -> None:
    add_column(deck, ("Change (m)", "", "5.2", "5.4", "5.7"))


@wrong("tides_lecture-004", "The changes are right")
def changes_one_row_too_high(deck: Deck) -> None:
    add_column(deck, ("Change (m)", "+5.2", "−5.4", "+5.7", ""))


@wrong("tides_lecture-004", "The changes are right")
def one_miscalculated(deck: Deck) -> None:
    add_column(deck, ("Change (m)", "", "+5.2", "−5.4", "+5.3"))


@wrong("tides_lecture-004", "The changes are right")
def first_tide_changed_too(deck: Deck) -> None:
    add_column(deck, ("Change (m)", "+0.9", "+5.2", "−5.4", "+5.7"))


@wrong("tides_lecture-004", "Looks like its neighbours")
def small_and_at_the_left(deck: Deck) -> None:
    for cell in new_cells(add_column(deck)):
        cell.text_frame.paragraphs[0].alignment = PP_ALIGN.LEFT
        cell.text_frame.paragraphs[0].runs[0].font.size = Pt(11)


@wrong("tides_lecture-004", "Other columns kept")
def height_changed(deck: Deck) -> None:
    add_column(deck).cell(4, 2).text_frame.paragraphs[0].runs[0].text = "6.5"


@wrong("tides_lecture-004", "Within the slide")
def table_over_the_note(deck: Deck) -> None:
    add_column(deck, widths=(1.6, 1.7, 1.95, 1.95))


@wrong("tides_lecture-004", "Nothing else changed")
def note_deleted_for_room(deck: Deck) -> None:
    add_column(deck, widths=(1.6, 1.7, 1.95, 1.95))
    remove(named(deck.slides[12], "How to read it"))


# --- 008: a copy as an exercise --------------------------------------------------------------------------------------

TITLE = "Your turn: a day at Port Calder"


def copied(deck: Deck, to: int = 13, title: str = TITLE, layout: str | None = None) -> Slide:
    """A copy of the worked example with a new title, so that it becomes slide number `to`, counted from 0."""
    old = deck.slides[12]
    new = deck.slides.add_slide(deck.slide_layouts.get_by_name(layout) if layout else old.slide_layout)
    for shape in list(new.shapes):
        remove(shape)
    for shape in old.shapes:
        new.shapes._spTree.append(copy.deepcopy(shape._element))
    new.shapes.title.text_frame.paragraphs[0].runs[0].text = title
    entries = deck.slides._sldIdLst
    entry = entries[-1]
    entries.remove(entry)
    entries.insert(to, entry)
    return new


def empty_heights(slide: Slide, rows: Sequence[int] = (1, 2, 3, 4)) -> None:
    for row in rows:
        for paragraph in table_of(slide).cell(row, 2).text_frame.paragraphs:
            for run in list(paragraph.runs):
                run._r.getparent().remove(run._r)


@good("tides_lecture-008")
def copy_without_notes(deck: Deck) -> None:
    empty_heights(copied(deck))


@good("tides_lecture-008")
def table_of_the_copy_made_anew(deck: Deck) -> None:
    slide = copied(deck)
    rows = [[cell.text for cell in row.cells] for row in table_of(slide).rows]
    frame = named(slide, "Tide table")
    new = slide.shapes.add_table(5, 3, frame.left, frame.top, frame.width, frame.height)
    remove(frame)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            new.table.cell(r, c).text = text if r == 0 or c < 2 else " "


@good_parts("tides_lecture-008")
def slide_copied_in_the_package(parts: Parts) -> None:
    text = replace_once(parts["ppt/slides/slide13.xml"], "Worked example: a day at", "Your turn: a day at")
    for height in ("0.9", "6.1", "0.7", "6.4"):
        text = replace_once(text, f"<a:t>{height}</a:t>", "<a:t/>")
    parts["ppt/slides/slide18.xml"] = text
    rels = parts["ppt/slides/_rels/slide13.xml.rels"]
    parts["ppt/slides/_rels/slide18.xml.rels"] = re.sub(r'<Relationship [^>]*notesSlide"[^>]*/>', "", rels)
    types = parts["[Content_Types].xml"]
    kind = re.search(r'<Override PartName="/ppt/slides/slide13.xml"[^>]*/>', types)
    assert kind
    parts["[Content_Types].xml"] = types.replace(kind[0], kind[0] + kind[0].replace("slide13", "slide18"))
    name = "ppt/_rels/presentation.xml.rels"
    relation = re.search(r'<Relationship [^>]*slides/slide13.xml"[^>]*/>', parts[name])
    assert relation
    new = re.sub(r'Id="\w+"', 'Id="rId900"', relation[0]).replace("slide13", "slide18")
    parts[name] = parts[name].replace(relation[0], relation[0] + new)
    deck = parts["ppt/presentation.xml"]
    entry = re.findall(r"<p:sldId [^>]*/>", deck)[12]
    parts["ppt/presentation.xml"] = replace_once(deck, entry, f'{entry}<p:sldId id="900" r:id="rId900"/>')


@wrong("tides_lecture-008", "The copy follows")
def copy_at_the_end(deck: Deck) -> None:
    empty_heights(copied(deck, to=17))


@wrong("tides_lecture-008", "The copy follows")
def copy_before_the_original(deck: Deck) -> None:
    empty_heights(copied(deck, to=12))


@wrong("tides_lecture-008", "The copy follows", "Heights are empty")
def title_not_changed(deck: Deck) -> None:
    empty_heights(copied(deck, title="Worked example: a day at Port Calder"))


@wrong("tides_lecture-008", "The copy follows", "Nothing else changed")
def no_copy_made(deck: Deck) -> None:
    slide = deck.slides[12]
    slide.shapes.title.text_frame.paragraphs[0].runs[0].text = TITLE
    empty_heights(slide)


@wrong("tides_lecture-008", "Heights are empty")
def heights_left(deck: Deck) -> None:
    copied(deck)


@wrong("tides_lecture-008", "Heights are empty")
def column_of_heights_deleted(deck: Deck) -> None:
    table = table_of(copied(deck))
    grid = table._tbl.tblGrid
    grid.remove(grid[-1])
    for row in table._tbl.tr_lst:
        row.remove(row.tc_lst[-1])


@wrong("tides_lecture-008", "Rest of the table copied")
def times_emptied_too(deck: Deck) -> None:
    slide = copied(deck)
    empty_heights(slide)
    for row in range(1, 5):
        table_of(slide).cell(row, 0).text = ""


@wrong("tides_lecture-008", "Boxes copied")
def only_the_table_copied(deck: Deck) -> None:
    slide = copied(deck)
    empty_heights(slide)
    for name in ("How to read it", "Question"):
        remove(named(slide, name))


@wrong("tides_lecture-008", "Footer copied")
def footer_left_behind(deck: Deck) -> None:
    slide = copied(deck)
    empty_heights(slide)
    shapes: list[Shape] = [shape for shape in slide.placeholders if shape.placeholder_format.idx in (10, 11)]
    for shape in shapes:
        remove(shape)


@wrong("tides_lecture-008", "The copy follows")
def another_layout(deck: Deck) -> None:
    empty_heights(copied(deck, layout="Title and Content"))


@wrong("tides_lecture-008", "Nothing else changed")
def heights_of_both_emptied(deck: Deck) -> None:
    empty_heights(copied(deck))
    empty_heights(deck.slides[12])


@wrong("tides_lecture-008", "Nothing else changed")
def next_slide_deleted(deck: Deck) -> None:
    empty_heights(copied(deck))
    entries = deck.slides._sldIdLst
    deck.part.drop_rel(entries[14].rId)
    entries.remove(entries[14])


@wrong("tides_lecture-008", "Boxes copied")
def hint_added(deck: Deck) -> None:
    slide = copied(deck)
    empty_heights(slide)
    slide.shapes.add_textbox(*map(Inches, (1, 4.9, 4, 0.4))).text_frame.text = "Hint: it is spring tide"


@wrong("tides_lecture-008", "Nothing else changed")
def next_slide_edited(deck: Deck) -> None:
    empty_heights(copied(deck))
    named(deck.slides[14], "Warning").text_frame.paragraphs[0].runs[0].text = "1.35 m in the third hour"
