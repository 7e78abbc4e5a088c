"""What counts as YES and NO, and what several answers come to."""

from __future__ import annotations

import pytest

from pytest_ppteval.model.votes import count, yes_or_no
from pytest_ppteval.rubric.result import Votes


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("YES", "YES"),
        ("yes.", "YES"),
        ("**Yes**, it is blue.", "YES"),
        ("Yes the title is blue", "YES"),
        ("NO", "NO"),
        ("No.", "NO"),
        ("NO the title is red", "NO"),
        ("no\nThe title is red.", "NO"),
        ("- No: it is red", "NO"),
        ("The title is blue.\n\nAnswer: YES", "YES"),
        ("The title is red.\n**NO**", "NO"),
        ("No text overflows.", None),
        ("No text overflows.\nYES", "YES"),
        ("YES at first sight.\nAnswer: NO", None),
        ("Yesterday it was", None),
        ("NOBODY knows", None),
        ("NOT blue", None),
        ("Blue. YES, blue.", None),
        ("7", None),
        ("", None),
    ],
)
def test_yes_or_no(answer: str, said: str | None) -> None:
    assert yes_or_no(answer) == said


@pytest.mark.parametrize(
    ("answers", "votes", "majority"),
    [
        (["YES", "no.", "Yes"], Votes(yes=2, no=1), "YES"),
        (["NO", "NO", "NO"], Votes(yes=0, no=3), "NO"),
        (["YES", "NO", "?"], Votes(yes=1, no=1, neither=1), None),
        (["YES", "?", "?"], Votes(yes=1, no=0, neither=2), None),
        (["YES", "YES", "YES", "NO", "?"], Votes(yes=3, no=1, neither=1), "YES"),
    ],
)
def test_more_than_half_decide(answers: list[str], votes: Votes, majority: str | None) -> None:
    assert count(answers) == (votes, majority)
    assert votes.split == (len({yes_or_no(answer) for answer in answers}) > 1)
