"""Outputs that do what was asked, as their XML says, and look wrong: only a leaf that looks at pictures can tell.

Each starts from the approved output, and names the measured leaf that must catch it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.picture import measures
from suite_outputs import Deck, Made, Rgb, Shape, Slide, edited

if TYPE_CHECKING:
    from collections.abc import Callable

UNSIGHTLY: list[Made] = []


def unsightly(task: str, caught_by: str) -> Callable[[Callable[[Deck], None]], Callable[[Deck], None]]:
    """The function edits the approved output of `task` into one that looks wrong."""

    def register(edit: Callable[[Deck], None]) -> Callable[[Deck], None]:
        UNSIGHTLY.append(Made(task, edit.__name__, edited(edit), (caught_by,)))
        return edit

    return register


def saying(slide: Slide, start: str) -> Shape:
    """The only shape of the slide, in a group or not, whose text starts so."""
    shapes = measures.every_shape(slide.shapes)
    [shape] = [s for s in shapes if s.has_text_frame and s.text_frame.text.startswith(start)]
    return shape


<<<<<<< HEAD
@unsightly("tides_lecture-002", "Texts have room")
def words_in_one_line(deck: Deck) -> None:
    # The box is as it should be; its text runs off the slide on one side and over 1992's on the other.
    saying(deck.slides[11], "SWOT").text_frame.word_wrap = False


@unsightly("tides_lecture-007", "Words stand out")
def white_words_on_white_panels(deck: Deck) -> None:
    for number in (4, 10):
        title = deck.slides[number - 1].shapes.title
        title.fill.solid()
        title.fill.fore_color.rgb = Rgb(255, 255, 255)
=======
@unsightly("ferry_review-003", "Reasons can be read")
def names_too_small_to_read(deck: Deck) -> None:
    chart = chart_of(deck.slides[7]).chart
    chart.font.size = chart.category_axis.tick_labels.font.size = Pt(5)


@unsightly("ferry_review-003", "Reasons can be read")
def names_in_the_palest_grey(deck: Deck) -> None:
    chart_of(deck.slides[7]).chart.font.color.rgb = Rgb.from_string("E8E8E8")


@unsightly("ferry_review-005", "Texts stay on their cards")
def figures_too_large_for_their_cards(deck: Deck) -> None:
    for card in groups_of(deck.slides[2]):
        for shape in card.shapes:
            for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
                for run in paragraph.runs:
                    run.font.size = Pt(66) if run.font.size and run.font.size > Pt(30) else run.font.size


@unsightly("图书馆年报-006", "画出来三张一样")
def one_divider_without_its_ornaments(deck: Deck) -> None:
    deck.slides[7]._element.set("showMasterSp", "0")


@unsightly("图书馆年报-006", "画出来三张一样")
def words_in_the_colour_of_a_panel(deck: Deck) -> None:
    title = deck.slides[3].shapes.title
    title.fill.solid()
    title.fill.fore_color.theme_color = MSO_THEME_COLOR.BACKGROUND_1


@unsightly("图书馆年报-008", "画面其余不变")
def points_shrunk_for_the_photo(deck: Deck) -> None:
    points = saying(deck.slides[9], "馆藏古籍")
    for paragraph in points.text_frame.paragraphs:
        for run in paragraph.runs:
            run.font.size = Pt(12)
>>>>>>> 6c3440f (The tides lecture's tasks in the vocabulary, with outputs of the kinds that agents leave; rules name designs, table lines a unit; text that is not wrapped runs off the slide too)
