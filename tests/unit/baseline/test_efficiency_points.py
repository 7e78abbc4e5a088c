"""Whole points for whole tenths, without the errors of floats."""

from __future__ import annotations

import pytest

from pytest_ppteval.grade.against.efficiency import points
from pytest_ppteval.grade.against.regression import regressed


@pytest.mark.parametrize(
    ("spent", "base", "expected"),
    [
        (390, 300, 3),  # in floats 2
        (480, 300, 6),  # in floats 5
        (390.0, 300.0, 3),
        (300, 300, 0),
        (299, 300, 0),
        (0, 300, 0),
        (329.9, 300, 0),
        (330, 300, 1),
        (359.999, 300, 1),
        (600, 300, 10),
        (3300, 300, 100),
        (1_800, 1_000, 8),  # tokens +80%
        (1_099, 1_000, 0),
        (1_100, 1_000, 1),
        (11, 10, 1),
        (0.33, 0.3, 1),  # as written, not as 0.33000000000000002 over 0.299999999999999989
        (0.32999, 0.3, 0),
        (10**18 + 10**17, 10**18, 1),  # above what floats count by one
        (10**18 + 10**17 - 1, 10**18, 0),
    ],
)
def test_one_point_for_each_full_tenth_over(spent: float, base: float, expected: int) -> None:
    assert points(spent, base) == expected


@pytest.mark.parametrize(
    ("spent", "base", "expected"),
    [
        (150, 100, False),
        (151, 100, True),
        (149, 100, False),
        (3, 2, False),
        (0.45, 0.3, False),  # in floats, 0.45 is above 1.5 * 0.3
        (0.4500001, 0.3, True),
    ],
)
def test_more_than_half_as_much_again_is_a_regression(spent: float, base: float, expected: bool) -> None:
    assert regressed(spent, base) is expected
