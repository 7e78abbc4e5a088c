"""What becomes of leaves and tasks: passed, partial, failed, unscored, undetermined, error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

RAISES = "def compute_score():\n    return missing_name, 1.0\n"
NEEDS_MODEL = "def compute_score():\n    return vlm_call(prompt='Is it blue?', images=[]), 1.0\n"
SWALLOWS = (
    "def compute_score():\n"
    "    try:\n"
    "        return vlm_call(prompt='Is it blue?', images=[]), 1.0\n"
    "    except Exception as error:\n"
    "        return f'failed: {error}', 0.0\n"
)


def test_a_task_whose_leaves_all_score_1_passes(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0, critical=True), leaf("Rest", 1)))
    project.outputs()
    result = project.run()
    assert result.ret == 0
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*ppteval: 1 task*", "1 passed", "mean score 1.00, strict success 1/1 (100%)"])


def test_a_critical_leaf_that_falls_short_fails_leaf_and_task(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 0.0, critical=True), leaf("Rest", 1.0)), threshold=0.0)
    project.outputs()
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "critical, score 0.00: it is 0.0",
            "cases/rubrics/rubric_0.json:*: Title",
            "failed: score 0.00, threshold 0",
            "  critical leaf 'Title' falls short: 0.00: it is 0.0",
        ]
    )
    # Nothing of this package's own code is shown.
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_ppteval/*.py*")


def test_a_score_under_the_threshold_fails_the_task(project: Project) -> None:
    project.task("t", rubric(leaf("One", 1.0), leaf("Two", 0.5)), threshold=0.8)
    project.outputs()
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["failed: score 0.75, threshold 0.8", "  score 0.75 is below the threshold 0.8"])


def test_a_shortfall_in_a_task_that_passes_is_partial(project: Project) -> None:
    project.task("t", rubric(leaf("One", 1.0), leaf("Two", 0.5)), threshold=0.7)
    project.outputs()
    result = project.run("-v", "-W", "error")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*SUBPARTIAL[[]Two[]]*", "PARTIAL cases/tasks.json::t::Two - score 0.50: it is 0.5  cases/rubrics/*:*"]
    )
    result.stdout.fnmatch_lines(["*1 passed*1 partial*"])


def test_a_leaf_that_raises_is_its_own_error_and_the_others_still_count(project: Project) -> None:
    project.task("t", rubric(leaf("Broken", RAISES), leaf("Fine", 1.0)))
    project.outputs()
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["error: NameError: name 'missing_name' is not defined", "undetermined: score 0.50..1.00, threshold 1"]
    )
    result.assert_outcomes(errors=2)


def test_a_leaf_without_its_model_is_unscored_and_the_task_undetermined(project: Project) -> None:
    project.task("t", rubric(leaf("Looks good", NEEDS_MODEL), leaf("Fine", 1.0)))
    project.outputs()
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no model configured*conftest.py*"])


@pytest.mark.parametrize("verbose", [(), ("-v",)])
def test_skips_that_pytest_folds_are_not_named_after_the_first_of_them(
    project: Project, verbose: tuple[str, ...]
) -> None:
    project.task("t", rubric(leaf("Looks good", NEEDS_MODEL), leaf("Sounds good", NEEDS_MODEL), leaf("Fine", 1.0)))
    project.outputs()
    lines = project.run("-rs", *verbose).stdout.lines
    folded = [line for line in lines if " [1] cases" in line]
    assert len(folded) == 2
    assert all(line.startswith("SKIPPED [1] cases/rubrics/rubric_0.json:") for line in folded)
    unfolded = project.run("-rs", "-v", "--no-fold-skipped").stdout.lines
    assert [line for line in unfolded if line.startswith("SUBUNSCORED[Sounds good] cases/tasks.json::t - ")]


def test_a_leaf_that_swallows_the_missing_model_is_unscored_all_the_same(project: Project) -> None:
    project.task("t", rubric(leaf("Looks good", SWALLOWS), leaf("Fine", 1.0)))
    project.outputs()
    result = project.run("--ppteval-unscored=allow")
    assert result.ret == 0
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["1 undetermined", "mean score 0.50..1.00, strict success 0..1/1 (0%..100%)"])


def test_unscored_leaves_do_not_matter_where_the_others_settle_the_task(project: Project) -> None:
    project.task("fails", rubric(leaf("Looks good", NEEDS_MODEL), leaf("Wrong", 0.0, critical=True)))
    project.task("passes", rubric(leaf("Looks good", NEEDS_MODEL), leaf("Right", 1.0)), threshold=0.5)
    project.outputs()
    result = project.run()
    result.assert_outcomes(failed=2, passed=1, skipped=2)
    result.stdout.fnmatch_lines(["1 passed, 1 failed"])


def test_a_missing_output_fails_the_task_and_says_where_it_was_looked_for(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0, critical=True)))
    (project.pytester.path / "outputs").mkdir()
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  the agent left no deck: looked for t.pptx or t/[*].pptx in *outputs"])


def test_an_output_that_is_no_deck_fails_the_task(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    project.output("t").write_bytes(b"not a deck")
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(failed=1)  # told once, by the task
    result.stdout.fnmatch_lines(["failed: score 0.00, threshold 1", "*the agent's deck can't be used: *"])


def test_an_original_that_is_no_deck_is_an_error_not_the_agents_failure(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    project.outputs()
    (project.pytester.path / "cases" / "intro.pptx").write_bytes(b"not a deck")
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the original deck can't be used: *"])


def test_nothing_to_judge_is_an_error(project: Project) -> None:
    project.task("t", rubric(leaf("Title", 1.0)))
    result = project.run()
    assert result.ret == 1
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*nothing to judge: no --ppteval-outputs, and no approved run of this task at *"])
    result.stdout.fnmatch_lines(["1 error"])


def test_exitfirst_still_reports_every_leaf_of_the_task(project: Project) -> None:
    project.task("a", rubric(leaf("One", 0.0), leaf("Two", 0.0), leaf("Three", 1.0)))
    project.task("b", rubric(leaf("Never", 0.0)))
    project.outputs()
    result = project.run("-x")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*SUBFAILED*One*", "*SUBFAILED*Two*"])
    result.stdout.no_fnmatch_line("*Never*")


def test_what_a_failing_leaf_printed_is_shown(project: Project) -> None:
    code = "def compute_score():\n    print('looked at 3 shapes')\n    return 'no', 0.0\n"
    project.task("t", rubric(leaf("Prints", code)))
    project.outputs()
    result = project.run()
    result.stdout.fnmatch_lines(["printed by the leaf:", "| looked at 3 shapes"])


def test_a_leaf_against_extraneous_changes_shows_what_changed(project: Project) -> None:
    code = "def compute_score():\n    return ppt_diff.account.only_changed(slides=[2])\n"
    project.task("t", rubric(leaf("Nothing else changed", code)))

    def edit(deck: Any) -> None:
        deck.slides[0].shapes.title.text = "Lecture 1"
        deck.slides[1].shapes.title.text = "Thank you"

    project.output("t", edit)
    result = project.run("--ppteval-json=r.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "score 0.00: *",
            "cases/rubrics/rubric_0.json:*: Nothing else changed",
            "",
            "what changed in the deck:",
            "  slide 1, *Lecture*3*1*",
            "  slide 2, *Thank*",
        ]
    )
