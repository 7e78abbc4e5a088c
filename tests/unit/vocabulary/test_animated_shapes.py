"""`animation: {effects}`: which shapes an effect reaches, and what an effect is."""

from __future__ import annotations

from typing import Any

import pytest
from deck_worlds import judged
from suite_outputs import ungroup
from suite_outputs.ferry_slides import animate, effect, step_groups

STEPS = ("Consult", "Publish", "Train", "Start")


def fades(*, arrows: bool = True, texts: str | None = None, kind: str = "entr") -> Any:
    """Each step fades, as a group, or with its arrow and its text by themselves. texts: what starts the text's fade."""

    def edit(deck: Any) -> None:
        if texts is None and arrows:
            animate(deck.slides[13], [[effect(group, kind=kind)] for group in step_groups(deck)])
            return
        pairs = [ungroup(group) for group in step_groups(deck)]
        clicks = [
            [*([effect(arrow)] if arrows else []), *([effect(text, texts)] if texts else [])] for arrow, text in pairs
        ]
        if texts == "clickEffect":
            clicks = [[one] for click in clicks for one in click]
        animate(deck.slides[13], clicks)

    return edit


@pytest.mark.parametrize(
    ("edit", "right", "said"),
    [
        (fades(), True, ""),
        (fades(texts="withEffect"), True, ""),
        (fades(texts="afterEffect"), True, ""),
        (fades(texts="clickEffect"), False, "takes more than one click"),
        (fades(texts=None, arrows=False), False, "nothing is animated"),
        (fades(kind="exit"), False, "is an exit, wanted entrance"),
    ],
    ids=["groups", "text with its arrow", "text after it", "a click more", "none", "out instead of in"],
)
def test_all_shapes_of_a_step_come_on_one_click(edit: Any, right: bool, said: str) -> None:
    effects = [{"shape": {"was": {"group": f"Step {step}"}}, "name": "fade", "trigger": "click"} for step in STEPS]
    reason, score = judged(edit, {"deck": {"on": {"slide": 14}, "animation": {"effects": effects}}})
    assert (score == 1) == right, reason
    assert said in reason


def test_a_shape_that_stays_still_is_named() -> None:
    def edit(deck: Any) -> None:
        animate(deck.slides[13], [[effect(arrow)] for arrow, _ in [ungroup(group) for group in step_groups(deck)]])

    effects = [{"shape": {"was": {"group": f"Step {step}"}}} for step in STEPS]
    reason, score = judged(edit, {"deck": {"on": {"slide": 14}, "animation": {"effects": effects}}})
    assert score < 1
    assert "not animated: Text" in reason
