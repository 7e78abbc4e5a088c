"""A rule with cells, paragraphs or words allows a change there, and not the same change beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from deck_worlds import judged
from suite_outputs import Rgb

if TYPE_CHECKING:
    from collections.abc import Callable

RED = Rgb(0xC0, 0, 0)


def table(deck: Any) -> Any:
    """The risks of slide 15: Risk, Rating, Owner, What we do."""
    return deck.slides[14].shapes[3].table


def fill(row: int, column: int) -> Callable[[Any], None]:
    def edit(deck: Any) -> None:
        cell = table(deck).cell(row, column)
        cell.fill.solid()
        cell.fill.fore_color.rgb = RED

    return edit


def lines(deck: Any) -> Any:
    """The next steps of slide 16: five points, three of the lines below points."""
    return deck.slides[15].placeholders[1].text_frame.paragraphs


def bold(line: int) -> Callable[[Any], None]:
    def edit(deck: Any) -> None:
        lines(deck)[line].runs[0].font.bold = True

    return edit


def rename(old: str, new: str, *, flat: bool = False) -> Callable[[Any], None]:
    """In the second line of slide 7, whose runs are "MV ", "Petrel" (bold) and the rest; flat: into one run."""

    def edit(deck: Any) -> None:
        paragraph = deck.slides[6].placeholders[2].text_frame.paragraphs[1]
        runs = paragraph.runs
        if flat:
            runs[0].text = paragraph.text
            for run in runs[1:]:
                run._r.getparent().remove(run._r)
        for run in paragraph.runs:
            run.text = run.text.replace(old, new)

    return edit


RATINGS = {"slides": 15, "shapes": {"kind": "table"}, "cell": {"column": "Rating", "body": True}, "what": "cell fill"}
POINTS = {"slides": 16, "shapes": {"placeholder": "body"}, "paragraph": {"level": 0}, "what": "bold"}
WORDS = {"slides": 16, "shapes": {"placeholder": "body"}, "words": "Approve the winter timetable", "what": "bold"}
NAME = {"slides": 7, "words": ["MV Petrel", "MV Fulmar"], "what": "text"}


@pytest.mark.parametrize(
    ("edit", "rule", "score"),
    [
        (fill(1, 1), RATINGS, 1),
        (fill(0, 1), RATINGS, 0),
        (fill(1, 2), RATINGS, 0),
        (bold(0), POINTS, 1),
        (bold(1), POINTS, 0),
        (bold(0), WORDS, 1),
        (bold(2), WORDS, 0),
        (rename("Petrel", "Fulmar"), NAME, 1),
        (rename("Petrel", "Gannet"), NAME, 0),
        (rename("lost", "missed"), NAME, 0),
        (rename("Petrel", "Fulmar", flat=True), NAME, 0),
    ],
    ids=[
        "a rating", "the heading", "an owner", "a point", "a line below it", "the words", "other words", "the name",
        "another name", "another word", "the name that was bold",
    ],
)  # fmt: skip
def test_a_rule_for_a_part_allows_it_there_alone(
    edit: Callable[[Any], None], rule: dict[str, Any], score: float
) -> None:
    reason, found = judged(edit, {"changes": {"allow": [rule]}})
    assert found == score, reason


def test_both_a_part_and_what_lies_beside_it_changed() -> None:
    def edit(deck: Any) -> None:
        fill(1, 1)(deck)
        fill(1, 2)(deck)

    reason, score = judged(edit, {"changes": {"allow": [RATINGS]}})
    assert score == 0
    assert "cell fill" in reason
