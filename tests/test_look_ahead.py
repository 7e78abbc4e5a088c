"""The next task's decks are opened, and its first leaves begin, while a task is judged: only the time shows it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

# Says which deck it judges, by a name that only that deck has.
TITLE = """
def compute_score():
    from pptx import Presentation
    title = Presentation(modified_ppt_path).slides[0].shapes.title.text_frame.text
    return f"{title} in {len(ppt_diff.modified_slides)} slides", 1.0
"""


def named(name: str) -> Any:
    def edit(deck: Any) -> None:
        deck.slides[0].shapes.title.text_frame.text = name

    return edit


@pytest.fixture
def four(project: Project) -> Project:
    """Tasks that share their original, each with an output of its own."""
    for name in ("a", "b", "c", "d"):
        project.task(name, rubric(leaf("First", TITLE), leaf("Second", TITLE)))
        project.output(name, named(f"Deck {name}"))
    return project


def reasons(project: Project, *arguments: str) -> dict[str, list[str]]:
    project.run("--ppteval-json=results.json", *arguments)
    tasks = json.loads((project.pytester.path / "results.json").read_text("utf-8"))["tasks"]
    return {task["task_id"]: [one["reason"] for one in task["scored_rubric"]["root"]["children"]] for task in tasks}


EXPECTED = {name: [f"Deck {name} in 1 slides"] * 2 for name in ("a", "b", "c", "d")}


@pytest.mark.parametrize(
    "arguments",
    [(), pytest.param(("-n2",), marks=pytest.mark.slow), ("--ppteval-sandbox=off",)],  # workers take seconds to start
    ids=["alone", "workers", "unconfined"],
)
def test_each_task_is_judged_by_its_own_deck(four: Project, arguments: tuple[str, ...]) -> None:
    assert reasons(four, *arguments) == EXPECTED


def test_a_deck_that_a_fixture_names_is_judged_and_not_the_foreseen_one(four: Project) -> None:
    shutil.copy(four.pytester.path / "outputs" / "d" / "output.pptx", four.pytester.path / "other.pptx")
    four.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def modified_ppt_path(request, modified_ppt_path):
            return str(request.config.rootpath / "other.pptx") if request.node.name == "b" else modified_ppt_path
        """
    )
    assert reasons(four) == EXPECTED | {"b": ["Deck d in 1 slides"] * 2}


def test_a_deck_that_changes_before_its_turn_is_judged_as_it_is_then(four: Project) -> None:
    four.pytester.makeconftest(
        """
        import shutil

        def pytest_runtest_teardown(item, nextitem):
            if item.name == "a":  # the decks of b are open by now
                shutil.copy("outputs/d/output.pptx", "outputs/b/output.pptx")
        """
    )
    assert reasons(four) == EXPECTED | {"b": ["Deck d in 1 slides"] * 2}


def test_a_next_deck_that_can_t_be_used_is_the_next_task_s_own_trouble(four: Project) -> None:
    (four.pytester.path / "outputs" / "b" / "output.pptx").write_bytes(b"PK nothing")
    result = four.run()
    result.stdout.fnmatch_lines(["3 passed, 1 failed", "FAILED cases/tasks.json::b*"])


def test_stopping_after_the_first_failure_leaves_nothing_of_the_next(four: Project) -> None:
    four.task("a", rubric(leaf("Short", 0.0)))
    result = four.run("-x")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["1 failed", "*stopping after 2 failures*"])
