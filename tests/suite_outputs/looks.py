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
