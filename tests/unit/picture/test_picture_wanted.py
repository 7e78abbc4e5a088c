"""Which slides a leaf will look at, guessed from its code."""

from __future__ import annotations

import pytest

from pytest_ppteval.picture.wanted import slides_wanted


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("shot = next(s for s in modified_ppt_screenshots if s.slide_number == 3)", {3}),
        ("[s for s in modified_ppt_screenshots if 4 == s.slide_number]", {4}),
        ("for s in modified_ppt_screenshots:\n    if s.slide_number in (2, 5):\n        pass", {2, 5}),
        ("TARGET = 7\n[s for s in modified_ppt_screenshots if s.slide_number == TARGET]", {7}),
        (
            "a = measures.of_slide(original_ppt_screenshots, 2)\nb = measures.of_slide(modified_ppt_screenshots, 3)",
            {2, 3},
        ),
        ("of_slide(modified_ppt_screenshots, number=6)", {6}),
        ("modified_ppt_screenshots[0].image_path", {1}),
        ("```python\n[s for s in x if s.slide_number == 9]\n```", {9}),
    ],
)
def test_slides_whose_numbers_stand_in_the_code(code: str, expected: set[int]) -> None:
    assert slides_wanted(code) == frozenset(expected)


@pytest.mark.parametrize(
    "code",
    [
        "for s in modified_ppt_screenshots:\n    s.image_path",
        "[s for s in modified_ppt_screenshots if s.slide_number > 3]",
        "[s for s in modified_ppt_screenshots if s.slide_number != 3]",
        "[s for s in modified_ppt_screenshots if s.slide_number == n]",
        "n = 3\nn = 4\n[s for s in modified_ppt_screenshots if s.slide_number == n]",
        "def f(n):\n    return [s for s in modified_ppt_screenshots if s.slide_number == n]\nn = 3",
        "[s for s in x if s.slide_number == 3] or [s for s in x if s.slide_number < 3]",
        "modified_ppt_screenshots[-1].image_path",
        "modified_ppt_screenshots[i]",
        "this is no Python: slide_number == 3",
        "",
    ],
)
def test_otherwise_all_slides(code: str) -> None:
    assert slides_wanted(code) is None
