"""The terminal's summary: short unless asked for in full, each reason once, and what to do next at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

NEXT_PICTURES = (
    "next: pictures wanted by 15 checks: install LibreOffice, or pip install 'pytest-ppteval[pictures]' "
    "(docs/pictures.md)"
)
ASKS = "def compute_score():\n    return llm_call(prompt='ok?'), 1.0\n"
LOOKS = "def compute_score():\n    return modified_ppt_screenshots[0].image_path, 1.0\n"


@pytest.fixture
def sixty(project: Project, no_model: None) -> Project:
    """Sixty tasks with thirty tags: some pass in part, some fail, some are open for want of a model or of pictures."""
    for number in range(60):
        more = [leaf("Asks", ASKS)] if number % 4 == 1 else [leaf("Looks", LOOKS)] if number % 4 == 2 else []
        tree = rubric(leaf("A", 0.0 if number % 4 == 3 else 1.0, critical=True), leaf("B", 0.5), *more)
        threshold = 0.5 if number % 4 == 0 else 1.0
        project.task(
            f"t{number}",
            tree if more or number % 4 != 1 else rubric(leaf("A", 1.0)),
            difficulty=("Easy", "Medium", "Hard")[number % 3],
            tags=(f"tag {number % 30}",),
            threshold=0.9 if more else threshold,
        )
    project.outputs()
    return project


def summary(result: pytest.RunResult) -> list[str]:
    lines = result.outlines
    start = next(number for number, line in enumerate(lines) if "ppteval: 60 tasks" in line)
    end = next(number for number, line in enumerate(lines) if number > start and line.startswith("==="))
    return lines[start:end]


def test_a_short_summary_of_many_tasks_ends_with_what_to_do(sixty: Project) -> None:
    lines = summary(sixty.run("--ppteval-renderer=none"))
    assert len(lines) <= 20
    assert lines[1] == "15 passed, 15 failed, 30 undetermined"
    assert not [line for line in lines if "tag " in line or "slowest" in line]
    assert [line for line in lines if line.startswith("UNDETERMINED")] == [
        "UNDETERMINED 30 tasks: unscored checks leave them open, for the reasons below"
    ]
    assert [line.split(":")[0] for line in lines if line.startswith("UNSCORED")] == ["UNSCORED 15 leaves"] * 2
    assert [line for line in lines if line.startswith("PARTIAL:")] == ["PARTIAL: and 12 more (--ppteval-summary=full)"]
    assert lines[-2:] == [
        "next: a model wanted by 15 checks: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server (docs/models.md)",
        NEXT_PICTURES,
    ]


@pytest.mark.parametrize("arguments", [("--ppteval-summary=full",), ("-v",), ("-o", "ppteval_summary=full")])
def test_a_summary_in_full(project: Project, arguments: tuple[str, ...]) -> None:
    for number in range(5):
        tree = rubric(leaf("A", 1.0, critical=True), leaf("B", 0.5))
        project.task(f"t{number}", tree, tags=("chart",), threshold=0.5)
    project.outputs()
    result = project.run(*arguments)
    result.stdout.fnmatch_lines(["  tag chart *", "slowest leaves:"])
    assert len([line for line in result.outlines if line.startswith("PARTIAL ")]) == 5
