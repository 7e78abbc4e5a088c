"""`slide: {copy_of}`: a copy shows all that its model showed, and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from deck_worlds import judged
from pptx.util import Inches
from suite_outputs import Rgb, remove

MODEL = 15  # the risks: a title and a table


def copied(deck: Any) -> Any:
    model = deck.slides[MODEL - 1]
    new = deck.slides.add_slide(model.slide_layout)
    for shape in list(new.shapes):
        remove(shape)
    for shape in model.shapes:
        new.shapes._spTree.append(copy.deepcopy(shape._element))
    return new


def table(slide: Any) -> Any:
    return next(shape.table for shape in slide.shapes if shape.has_table)


def same(slide: Any) -> None:
    """A true copy."""


def another_cell(slide: Any) -> None:
    table(slide).cell(1, 1).text_frame.paragraphs[0].runs[0].text = "Low"


def another_fill(slide: Any) -> None:
    table(slide).cell(1, 1).fill.solid()
    table(slide).cell(1, 1).fill.fore_color.rgb = Rgb(255, 0, 0)


def a_box_more(slide: Any) -> None:
    slide.shapes.add_textbox(Inches(1), Inches(6), Inches(3), Inches(0.5)).text_frame.text = "Draft"


def no_table(slide: Any) -> None:
    remove(next(shape for shape in slide.shapes if shape.has_table))


def grey_ground(slide: Any) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = Rgb(200, 200, 200)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (same, None),
        (another_cell, "'Risks' is not as on slide 15 before: text"),
        (another_fill, "'Risks' is not as on slide 15 before: cell fill"),
        (a_box_more, "also holds TextBox"),
        (no_table, "'Risks' is not as on slide 15 before: missing"),
        (grey_ground, "layout and background are not"),
    ],
)
def test_what_a_copy_must_show(spoil: Any, said: str | None) -> None:
    reason, score = judged(
        lambda deck: spoil(copied(deck)), {"deck": {"on": {"slide": 19}, "slide": {"copy_of": MODEL}}}
    )
    assert (score == 1) == (said is None), reason
    assert (said or "") in reason


def test_what_may_be_another_on_the_copy() -> None:
    leaf = {"deck": {"on": {"slide": 19}, "slide": {"copy_of": MODEL, "except": {"kind": "table"}}}}
    assert judged(lambda deck: another_cell(copied(deck)), leaf)[1] == 1
    assert judged(lambda deck: a_box_more(copied(deck)), leaf)[1] < 1
