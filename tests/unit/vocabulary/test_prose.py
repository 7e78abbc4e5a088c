"""Texts and numbers in the notations that people write."""

from __future__ import annotations

import pytest

from pytest_ppteval.prose.normal import normal, normal_lines, without_marks
from pytest_ppteval.prose.numbers import figures, number_in
from pytest_ppteval.vocabulary.finding import LeafError
from pytest_ppteval.vocabulary.texts import is_match, points


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\u00a0b", "a b"),
        ("a\u202f\u3000b", "a b"),
        ("well\u2011known \u2013 yes", "well-known - yes"),
        ("\u201cRed\u201d and \u2018blue\u2019", "\"Red\" and 'blue'"),
        ("\uff11\uff12\uff05", "12%"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
        ("e\u0301tude", "\u00e9tude"),
        ("  two\n lines ", "two lines"),
        ("\u22123", "-3"),
    ],
)
def test_what_readers_do_not_tell_apart_is_one(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(("one", "other"), [("Red", "red"), ("5.2", "52"), ("a b", "ab"), ("-3", "3"), ("5,2", "5.2")])
def test_what_readers_tell_apart_is_not(one: str, other: str) -> None:
    assert normal(one) != normal(other)


def test_line_ends_and_trailing_blanks_are_no_difference() -> None:
    assert normal_lines("# A  \r\nb\r\n\r\n") == normal_lines("# A\nb")
    assert without_marks("## **Bold** and _it_") == "Bold and _it_"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+5.20", 5.2),
        ("\u22125.4", -5.4),
        ("5,2", 5.2),
        ("1,234", 1234),
        ("1\u00a0234,5", 1234.5),
        ("1.234,5", 1234.5),
        ("1'234.50", 1234.5),
        ("12 m", 12),
        ("\u00a39.62m", 9.62),
        ("(3.5)", -3.5),
        ("0,125", 0.125),
        ("1e3", 1000),
        ("n.a.", None),
        ("3 of 4", None),
    ],
)
def test_a_cell_s_number(text: str, value: float | None) -> None:
    assert number_in(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "meant"),
    [("78 %", 0.78), ("78\uff05", 0.78), ("12k", 12_000), ("3.5 million", 3_500_000), ("3\u4e07", 30_000), ("Q1-3", 3)],
)
def test_a_number_s_scale(text: str, meant: float) -> None:
    assert [figure.meant for figure in figures(text)][-1] == pytest.approx(meant)


@pytest.mark.parametrize(
    ("text", "want", "right"),
    [
        ("Lecture\u00a01", "Lecture 1", True),
        ("Lecture 10", "Lecture 1", False),
        ("lecture 1", {"equals": "Lecture 1", "case": False}, True),
        ("\u201cLecture 1\u201d", {"equals": '"Lecture 1"', "exact": True}, False),
        ("CPU at 78 %", {"says": {"value": 78, "unit": "%", "about": ["cpu"]}}, True),
        ("a share of 0.78", {"says": {"value": 78, "unit": "%"}}, True),
        ("78 pages", {"says": {"value": 78, "unit": "%"}}, False),
        ("about 79.4", {"says": {"value": 80, "tolerance": 1}}, True),
        ("a b a", {"times": {"a": 2}}, True),
        ("abc", {"contains": ["a", "c"], "lacks": "d"}, True),
        ("abc", {"lacks": ["x", "b"]}, False),
        ("", {"empty": True}, True),
    ],
)
def test_texts_against_what_is_wanted(text: str, want: object, right: bool) -> None:
    assert is_match(text, want) is right


def test_an_unknown_word_names_the_nearest() -> None:
    with pytest.raises(LeafError, match="unknown key 'contain': did you mean 'contains'"):
        list(points("a", {"contain": "a"}, "here"))
    with pytest.raises(LeafError, match="can't be read"):
        list(points("a", {"matches": "("}, "here"))
