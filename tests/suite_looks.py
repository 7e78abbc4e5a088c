"""The shipped suite's tasks with visual leaves: names of the leaf that measures and of the one that asks a model."""

from __future__ import annotations

MEASURED = {
<<<<<<< HEAD
    "tides_lecture-002": "Texts have room",
    "tides_lecture-007": "Words stand out",
}
ASKED = {
    "tides_lecture-002": "Five milestones that look alike",
    "tides_lecture-007": "Look like one pair",
=======
    "ferry_review-003": "Reasons can be read",
    "ferry_review-005": "Texts stay on their cards",
    "图书馆年报-006": "画出来三张一样",
    "图书馆年报-008": "画面其余不变",
}
ASKED = {
    "ferry_review-003": "Looks like sorted bars",
    "ferry_review-005": "Looks like one tidy row",
    "图书馆年报-006": "看起来统一",
    "图书馆年报-008": "看起来是正的",
>>>>>>> 6c3440f (The tides lecture's tasks in the vocabulary, with outputs of the kinds that agents leave; rules name designs, table lines a unit; text that is not wrapped runs off the slide too)
}
VISUAL = tuple(MEASURED)
VISUAL_LEAVES = {(task, name) for names in (MEASURED, ASKED) for task, name in names.items()}
