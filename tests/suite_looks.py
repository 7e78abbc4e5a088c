"""The shipped suite's tasks with visual leaves: names of the leaf that measures and of the one that asks a model."""

from __future__ import annotations

MEASURED = {
    "tides_lecture-002": "Texts have room",
    "tides_lecture-007": "Words stand out",
}
ASKED = {
    "tides_lecture-002": "Five milestones that look alike",
    "tides_lecture-007": "Look like one pair",
}
VISUAL = tuple(MEASURED)
VISUAL_LEAVES = {(task, name) for names in (MEASURED, ASKED) for task, name in names.items()}
