"""What a model's answer says: numbers in texts are numbers, and a judgement must not contradict itself."""

from __future__ import annotations

import pytest

from pytest_ppteval.grade.answers import NotInFormError, as_number
from pytest_ppteval.grade.judge import read_judgement
from pytest_ppteval.grade.llm import parse_reply
from pytest_ppteval.rubric.scale import Scale


@pytest.mark.parametrize(
    ("value", "number"),
    [(0.8, 0.8), ("0.8", 0.8), (" 80 ", 80), ("1e2", 100), (True, None), ("high", None), ("nan", None), ("8/10", None)],
)
def test_numbers(value: object, number: float | None) -> None:
    assert as_number(value) == number


def test_a_score_in_a_text_is_a_score() -> None:
    assert parse_reply('{"reason": "fine", "score": "0.8"}') == ("fine", 0.8)
    assert parse_reply('{"reason": "fine", "score": "1.8"}') is None


@pytest.mark.parametrize(
    ("met", "scores", "fits"),
    [
        (["no", "no"], (100, 100), False),
        (["unclear", "no"], (90, 80), False),
        (["yes", "yes"], (0, 0), False),
        (["no", "no"], (100, 10), True),  # a fine way to nothing
        (["yes", "no"], (100, 100), True),
        (["no", "no"], (0, 20), True),
    ],
)
def test_a_judgement_that_contradicts_itself_is_none(met: list[str], scores: tuple[int, int], fits: bool) -> None:
    points = [{"point": at, "met": word, "evidence": "step 1"} for at, word in enumerate(met, 1)]
    answer = {"points": points, "reason": "so", "process_score": scores[0], "result_score": str(scores[1])}
    scales = {"process": Scale(0, 100), "result": Scale(0, 100)}
    if fits:
        assert read_judgement(answer, 2, scales).scores == {"process": scores[0], "result": scores[1]}
        return
    with pytest.raises(NotInFormError, match="contradicts itself"):
        read_judgement(answer, 2, scales)
