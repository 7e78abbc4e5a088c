"""Side by side with pytest-timeout, pytest-rerunfailures and -W error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

HANGS = "def compute_score():\n    while True: pass\n"


def test_a_timeout_keeps_the_leaves_that_were_judged(project: Project) -> None:
    project.task("t", rubric(leaf("First", 1.0), leaf("Hangs", HANGS), leaf("Last", 1.0)))
    project.task("u", rubric(leaf("After", 1.0)))
    project.outputs()
    result = project.run("--timeout=3", "-v")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*SUBERROR[[]Hangs[]]*", "*SUBPASSED[[]First[]]*", "*SUBUNSCORED[[]Last[]]*"])
    result.stdout.fnmatch_lines(["*::t UNDETERMINED*"])
    result.stdout.fnmatch_lines(["*::u PASSED*"])
    result.stdout.fnmatch_lines(["judging was cut short: Timeout (>3.0s)*"])
    result.stdout.no_fnmatch_line("*pytest_ppteval/*.py*")


def test_a_rerun_replaces_the_attempt_before_it(project: Project) -> None:
    ask = "def compute_score():\n    answer = llm_call(prompt='?')\n    return answer, float(answer == 'fine')\n"
    project.task("t", rubric(leaf("A", ask), leaf("B", 1.0)))
    project.outputs()
    project.pytester.makeconftest(
        """
        import pytest
        calls = []
        @pytest.fixture
        def llm_call():
            def ask(prompt):
                calls.append(prompt)
                if len(calls) == 1:
                    raise RuntimeError("overloaded")
                return "wrong" if len(calls) == 2 else "fine"
            return ask
        """
    )
    result = project.run("--reruns=2", "--ppteval-json=r.json")
    assert result.ret == 0
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 passed", "mean score 1.00*"])


def test_warnings_as_errors_change_nothing(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0), leaf("B", 0.5)), threshold=0.5, tags=("Some tag!", "other"))
    project.outputs()
    result = project.pytester.runpytest_subprocess(
        "cases", "--ppteval-outputs=outputs", "-W", "error", "--strict-markers"
    )
    assert result.ret == 0
