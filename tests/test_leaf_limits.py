"""How much one check may ask a model: by the number of slides of the two decks, or as the user says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from small_project import Project, leaf, rubric

ASKS = "def compute_score():\n    for _ in range({calls}):\n        llm_call('p')\n    return 'asked', 1.0\n"
SHOWS = "def compute_score():\n    vlm_call('p', [{picture!r}] * {pictures})\n    return 'shown', 1.0\n"
PICTURE = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
)
ANSWERS = """
import pytest

@pytest.fixture
def llm_call():
    return lambda prompt, **more: "YES"

@pytest.fixture
def vlm_call():
    return lambda prompt, images, **more: "YES"
"""


def judged(project: Project, code: str, *options: str, slides: int = 2) -> pytest.RunResult:
    """A leaf of this code over an original of 2 slides and an output of `slides`."""
    project.pytester.makeconftest(ANSWERS)
    project.task("t", rubric(leaf("Asks", code)))

    def more(deck: Any) -> None:
        for _ in range(slides - 2):
            deck.slides.add_slide(deck.slide_layouts[6])

    project.output("t", more)
    return project.run(*options)


# 20 and 2 for each slide of both decks: 28 for 2 and 2 slides, 84 for 2 and 30.
@pytest.mark.parametrize(
    ("calls", "slides", "options", "most"),
    [
        (28, 2, (), None),
        (29, 2, (), 28),
        (84, 30, (), None),
        (85, 30, (), 84),
        (3, 2, ("--ppteval-leaf-calls=3",), None),
        (4, 2, ("--ppteval-leaf-calls=3",), 3),
        (100, 2, ("-o", "ppteval_leaf_calls=100"), None),
    ],
)
def test_model_calls_of_a_check(
    project: Project, calls: int, slides: int, options: tuple[str, ...], most: int | None
) -> None:
    result = judged(project, ASKS.format(calls=calls), *options, slides=slides)
    if most is None:
        result.assert_outcomes(passed=1)
    else:
        said = f"*more than {most} model calls in one leaf: --ppteval-leaf-calls sets the limit*"
        result.stdout.fnmatch_lines([said])


# 16 and 1 for each slide of both decks, up to the 100 that the Messages API takes.
@pytest.mark.parametrize(
    ("pictures", "slides", "options", "most"),
    [
        (20, 2, (), None),
        (21, 2, (), 20),
        (100, 120, (), None),
        (101, 120, (), 100),
        (2, 2, ("--ppteval-leaf-pictures=1",), 1),
        (30, 2, ("-o", "ppteval_leaf_pictures=30"), None),
    ],
)
def test_pictures_of_one_call(
    project: Project, pictures: int, slides: int, options: tuple[str, ...], most: int | None
) -> None:
    code = SHOWS.format(picture=PICTURE, pictures=pictures)
    result = judged(project, code, *options, slides=slides)
    if most is None:
        result.assert_outcomes(passed=1)
    else:
        said = f"*a vlm_call with {pictures} images, the limit is {most}: --ppteval-leaf-pictures sets it*"
        result.stdout.fnmatch_lines([said])


def test_slides_of_a_deck_that_is_none_count_as_none(tmp_path: Path) -> None:
    from pytest_ppteval.sandbox.hosting.dialogue import _slides_in

    broken, whole = tmp_path / "broken.pptx", tmp_path / "whole.pptx"
    broken.write_bytes(b"PK no deck")
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    deck.save(str(whole))
    assert [_slides_in(path) for path in (None, str(broken), str(tmp_path / "gone.pptx"), str(whole))] == [0, 0, 0, 1]
