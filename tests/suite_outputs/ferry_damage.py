"""Outputs of every task on the ferry review: done as the approved run does, then spoilt, or written in another way.

Spoilt in the ways that programs spoil decks beside the task; written as PowerPoint, python-pptx and others write.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from suite_outputs import MADE, Deck, Made, Rgb, named, parts_edited, remove, replace_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suite_outputs import Parts

BASELINES = Path(__file__).parents[2] / "baselines" / "cases"
# The slide that the task works on, by its place in the output; and the number of its part.
SLIDES = {1: (9, 9), 2: (17, 17), 3: (8, 8), 4: (15, 15), 5: (3, 3), 6: (16, 16), 7: (4, 15), 8: (14, 14)}
TASKS = {number: f"ferry_review-00{number}" for number in SLIDES}
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'


def of_all(
    *caught_by: str, tasks: tuple[int, ...] = tuple(SLIDES), but: dict[int, tuple[str, ...]] | None = None
) -> Callable[[Callable[[Deck, Any], None]], Callable[[Deck, Any], None]]:
    """The function spoils the approved output of each task, given the deck and the slide that the task works on.

    caught_by: the leaves that must catch it; but: other ones for single tasks. Without leaves the output stays good.
    """

    def register(edit: Callable[[Deck, Any], None]) -> Callable[[Deck, Any], None]:
        for task in tasks:

            def make(_: Path, output: Path, task: int = task) -> None:
                deck: Deck = Presentation(str(BASELINES / TASKS[task] / "output.pptx"))
                edit(deck, deck.slides[SLIDES[task][0] - 1])
                deck.save(str(output))

            MADE.append(Made(TASKS[task], edit.__name__, make, (but or {}).get(task, caught_by)))
        return edit

    return register


def written(edit: Callable[[Parts, str], None]) -> Callable[[Parts, str], None]:
    """The function writes the approved output of each task in another way: parts by name, and the slide's part."""
    for task, (_, part) in SLIDES.items():

        def make(_: Path, output: Path, task: int = task, part: int = part) -> None:
            parts_edited(lambda parts: edit(parts, f"ppt/slides/slide{part}.xml"))(
                BASELINES / TASKS[task] / "output.pptx", output
            )

        MADE.append(Made(TASKS[task], edit.__name__, make))
    return edit


def shapes(of: Any) -> Iterator[Any]:
    for shape in of.shapes:
        yield shape
        if shape.shape_type == 6:  # a group
            yield from shapes(shape)


def frames(slide: Any) -> Iterator[Any]:
    for shape in shapes(slide):
        if shape.has_text_frame:
            yield shape.text_frame
        if getattr(shape, "has_table", False):
            yield from (cell.text_frame for row in shape.table.rows for cell in row.cells)


# --- as other programs write it --------------------------------------------------------------------------------------


@written
def with_marks_of_powerpoint(parts: Parts, slide: str) -> None:
    text = re.sub(r"<a:rPr\b", '<a:rPr lang="en-GB" dirty="0" smtClean="0"', parts[slide])
    text = text.replace("<a:r><a:t>", '<a:r><a:rPr lang="en-GB" dirty="0" err="1"/><a:t>')
    text = re.sub(r"(</a:r>)(</a:p>)", r'\1<a:endParaRPr lang="en-GB" dirty="0"/>\2', text)
    parts[slide] = text.replace("<a:p><a:r>", "<a:p><a:pPr/><a:r>")


@written
def in_a_part_of_another_name(parts: Parts, slide: str) -> None:
    name, rels = slide.rsplit("/", 1)[1], slide.replace("slides/", "slides/_rels/") + ".rels"
    parts["ppt/slides/slide77.xml"] = parts.pop(slide)
    parts["ppt/slides/_rels/slide77.xml.rels"] = parts.pop(rels)
    for other in ("[Content_Types].xml", "ppt/_rels/presentation.xml.rels"):
        parts[other] = replace_once(parts[other], f"slides/{name}", "slides/slide77.xml")
    for other in [one for one in parts if one.endswith(".rels")]:
        parts[other] = parts[other].replace(f"../slides/{name}", "../slides/slide77.xml")


@of_all()
def styles_only_read(deck: Deck, slide: Any) -> None:
    """As a program leaves a deck whose formats it has printed: python-pptx writes elements when they are asked for."""
    for frame in frames(slide):
        for paragraph in frame.paragraphs:
            assert paragraph.font.size is None or paragraph.font.size
            assert all(run.font.bold in (None, True, False) for run in paragraph.runs)
    for shape in shapes(slide):
        if hasattr(shape, "line") and shape.shape_type not in (6, 13):
            assert shape.line.dash_style is None or shape.line.dash_style


@of_all()
def words_in_runs_of_three_letters(deck: Deck, slide: Any) -> None:
    for frame in frames(slide):
        for run in [run for paragraph in frame.paragraphs for run in paragraph.runs]:
            text = run.text
            for at in range(0, len(text) - 3, 3):
                piece = copy.deepcopy(run._r)
                piece.text = text[at : at + 3]
                run._r.addprevious(piece)
            run.text = text[len(range(0, len(text) - 3, 3)) * 3 :]


# --- spoilt beside the task -------------------------------------------------------------------------------------------

REST = "Nothing else changed"


@of_all(REST, "Legible", but={7: (REST, "Only the backup is hidden")})
def slide_hidden(deck: Deck, slide: Any) -> None:
    slide._element.set("show", "0")


@of_all(REST, "Legible")
def title_tiny_and_pale(deck: Deck, slide: Any) -> None:
    for run in slide.shapes.title.text_frame.paragraphs[0].runs:
        run.font.size, run.font.color.rgb = Pt(6), Rgb(0xEE, 0xEE, 0xEE)


@of_all(REST, "Legible", tasks=(2, 6, 8))
def all_text_at_four_points(deck: Deck, slide: Any) -> None:
    for one in deck.slides:
        for run in [run for frame in frames(one) for paragraph in frame.paragraphs for run in paragraph.runs]:
            run.font.size = Pt(4)


@of_all(REST)
def shapes_at_half_width(deck: Deck, slide: Any) -> None:
    for shape in slide.shapes:
        if not shape.is_placeholder:
            shape.width //= 2
        elif shape.placeholder_format.type not in (13, 15):
            left, top, width, height = shape.left, shape.top, shape.width, shape.height
            shape.left, shape.top, shape.width, shape.height = left, top, width // 2, height


@of_all(REST)
def slide_number_deleted(deck: Deck, slide: Any) -> None:
    remove(named(slide, "Slide Number Placeholder"))


@of_all(REST)
def transition_added(deck: Deck, slide: Any) -> None:
    slide._element.find("{*}clrMapOvr").addnext(parse_xml(f'<p:transition {P} advTm="3000"><p:push/></p:transition>'))


@of_all(REST)
def remark_added(deck: Deck, slide: Any) -> None:
    box = slide.shapes.add_textbox(Inches(9), Inches(6.9), Inches(3), Inches(0.4))
    box.text_frame.text = "Updated as you asked"


@of_all("Still a sound deck")
def two_shapes_of_one_id(deck: Deck, slide: Any) -> None:
    first, second = list(slide.shapes)[:2]
    second._element.xpath(".//p:cNvPr")[0].set("id", str(first.shape_id))


@of_all(REST)
def title_turned_into_a_panel(deck: Deck, slide: Any) -> None:
    slide.shapes.title.fill.solid()
    slide.shapes.title.fill.fore_color.rgb = Rgb(0xFF, 0xE6, 0x99)


@of_all(REST)
def another_slide_edited(deck: Deck, slide: Any) -> None:
    run = next(slide for slide in deck.slides if slide.shapes.title.text_frame.text == "Agenda").shapes.title
    run.text_frame.paragraphs[0].runs[0].text = "Agenda of today"


@of_all(REST)
def notes_of_another_slide_deleted(deck: Deck, slide: Any) -> None:
    other = next(one for one in deck.slides if one.shapes.title.text_frame.text.startswith("Backup"))
    other.notes_slide.notes_text_frame.text = ""
