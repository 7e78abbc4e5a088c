"""Choosing what is judged: by keyword, marker, node id, leaf; and what --collect-only shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

# Ids as they stand in the wild, and in other alphabets.
IDS = ["Classical  Experiments [Autosaved]-021", "application+layer+slide-010", "v1.2.3", "第三讲 导论", "a-b_c"]


@pytest.fixture
def two_tasks(project: Project) -> Project:
    project.task(
        "first", rubric(leaf("Title", 1.0, critical=True), leaf("Colour", 0.0)), tags=("Text edit",), threshold=0.5
    )
    project.task("second", rubric(leaf("Chart", 1.0)), difficulty="Hard", tags=("chart",))
    project.outputs()
    return project


def test_collect_only_shows_each_task_with_its_leaves(two_tasks: Project) -> None:
    result = two_tasks.run("--collect-only", "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*<RubricFile tasks.json>",
            "*<TaskItem first>",
            "*- Title (critical)",
            "*- Colour",
            "*<TaskItem second>",
            "*- Chart",
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "judged"),
    [
        (["-m", "easy"], ["first"]),
        (["-m", "hard or text_edit"], ["first", "second"]),
        (["-m", "chart"], ["second"]),
        (["-k", "Colour"], ["first"]),
        (["-k", "second"], ["second"]),
        (["cases/tasks.json::second"], ["second"]),
    ],
)
def test_tasks_are_selected_by_marker_keyword_and_node_id(
    two_tasks: Project, arguments: list[str], judged: list[str]
) -> None:
    result = two_tasks.run("-v", "--strict-markers", *arguments)
    assert result.ret == 0
    result.assert_outcomes(passed=len(judged), deselected=(2 - len(judged)) if "::" not in arguments[0] else 0)
    result.stdout.fnmatch_lines([f"cases/tasks.json::{name} PASSED*" for name in judged])


@pytest.mark.parametrize("task_id", IDS)
def test_any_id_works_as_a_node_id(project: Project, task_id: str) -> None:
    for name in IDS:
        project.task(name, rubric(leaf("Title", 1.0)))
    project.outputs()
    result = project.run("-v", f"cases/tasks.json::{task_id}")
    result.assert_outcomes(passed=1)
    assert f"cases/tasks.json::{task_id} PASSED" in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_pytests_summary_names_ids_as_they_can_be_typed_again(project: Project, workers: tuple[str, ...]) -> None:
    for name in IDS:
        project.task(name, rubric(leaf("Title", 0.0)))
    project.outputs()
    lines = project.run("-rf", *workers).stdout.lines
    for name in IDS:
        assert [line for line in lines if line.startswith(f"FAILED cases/tasks.json::{name} - ")]
        assert [line for line in lines if line.startswith(f"SUBFAILED[Title] cases/tasks.json::{name} - ")]


@pytest.mark.parametrize("task_id", IDS)
def test_any_id_works_in_front_of_a_leaf(project: Project, task_id: str) -> None:
    for name in IDS:
        project.task(name, rubric(leaf("Title: 标题 [1]", 1.0), leaf("Rest", 0.0)))
    project.outputs()
    result = project.run("-v", f"cases/tasks.json::{task_id}::Title: 标题 [1]")
    result.assert_outcomes(passed=1)


def test_a_single_leaf_is_judged_alone_and_gives_no_verdict(two_tasks: Project) -> None:
    result = two_tasks.run("cases/tasks.json::first::Title", "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*SUBPASSED[[]Title[]]*", "1 judged in part (no verdict)"])
    result.stdout.no_fnmatch_line("*Colour*")


def test_a_single_leaf_that_falls_short_fails(two_tasks: Project) -> None:
    result = two_tasks.run("cases/tasks.json::first::Colour")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["1 of the 1 selected leaves fall short (no verdict on the task)"])


def test_a_single_leaf_in_error_is_told_as_an_error(project: Project) -> None:
    project.task("t", rubric(leaf("Broken", "def compute_score():\n    return 1 / 0\n"), leaf("Fine", 1.0)))
    project.outputs()
    result = project.run("cases/tasks.json::t::Broken")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["of the 1 selected leaves in error: Broken (no verdict on the task)"])
    result.stdout.no_fnmatch_line("*fall short*")


def test_the_leaf_option_selects_by_pattern_over_all_tasks(two_tasks: Project) -> None:
    result = two_tasks.run("--ppteval-leaf=C*", "-v")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*SUBFAILED[[]Colour[]]*"])
    result.stdout.fnmatch_lines(["*SUBPASSED[[]Chart[]]*"])
    result.stdout.no_fnmatch_line("*Title*")


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_leaf_that_no_task_has_is_not_a_success(two_tasks: Project, workers: list[str]) -> None:
    result = two_tasks.run("--ppteval-leaf=Nothing", *workers)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["ppteval: no check is called 'Nothing'*(--ppteval-leaf)"])


def test_an_unknown_leaf_in_a_node_id_is_named(two_tasks: Project) -> None:
    result = two_tasks.run("cases/tasks.json::first::Titel")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*not found: leaf 'Titel' of cases/tasks.json::first; it has *'Title'*"])


def test_zero_tasks_selected_is_not_a_success(two_tasks: Project) -> None:
    assert two_tasks.run("-k", "nothing_like_it").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_last_failed_reruns_the_task_that_failed(project: Project) -> None:
    project.task("bad [x]", rubric(leaf("Title", 0.0)))
    project.task("good", rubric(leaf("Title", 1.0)))
    project.outputs()
    arguments = ("cases", "--ppteval-outputs=outputs", "-v")
    project.pytester.runpytest_inprocess(*arguments)
    result = project.pytester.runpytest_inprocess(*arguments, "--lf")
    result.stdout.fnmatch_lines(["cases/tasks.json::bad [[]x] FAILED*"])
    result.stdout.no_fnmatch_line("*::good*")


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_a_leaf_that_no_task_has_is_told(two_tasks: Project, workers: tuple[str, ...]) -> None:
    nothing = two_tasks.run("--ppteval-leaf=foo*", *workers)
    assert nothing.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    nothing.stdout.fnmatch_lines(["ppteval: no check is called 'foo[*]' in what was collected (--ppteval-leaf)"])
    some = two_tasks.run("--ppteval-leaf=Chart", "--ppteval-leaf=Colours", *workers)
    some.stdout.fnmatch_lines(["ppteval: no check is called 'Colours' in what was collected (--ppteval-leaf)"])
    two_tasks.run("--ppteval-leaf=Ch*", *workers).stdout.no_fnmatch_line("*no check is called*")
