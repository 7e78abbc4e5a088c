"""The fixtures: overridden in conftest.py at any scope, and used in ordinary Python tests."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

ASKS = (
    "def compute_score():\n"
    "    picture = [s for s in modified_ppt_screenshots if s.slide_number == 2][0].image_path\n"
    "    answer = vlm_call(prompt='Is it blue? YES/NO', images=[picture], temperature=0.1)\n"
    "    return answer, 1.0 if 'YES' in answer else 0.0\n"
)


def retitle(deck: Any) -> None:
    deck.slides[0].shapes.title.text = "Lecture 1"


def put_pictures(project: Project, task_id: str) -> None:
    from PIL import Image

    folder = project.pytester.path / "outputs" / task_id
    with zipfile.ZipFile(folder / "output.zip", "w") as archive:
        for number in (1, 2):
            picture = folder / f"{number}.png"
            Image.new("RGB", (8, 8), (0, 0, 255)).save(picture)
            archive.write(picture, f"Slide{number}.png")


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_a_users_vlm_call_answers_the_leaves(project: Project, scope: str) -> None:
    project.task("t", rubric(leaf("Blue", ASKS)))
    project.outputs()
    put_pictures(project, "t")
    project.pytester.makeconftest(
        f"""
        from pathlib import Path
        import pytest
        @pytest.fixture(scope={scope!r})
        def vlm_call():
            def ask(prompt, images, temperature=0.7):
                assert Path(images[0]).read_bytes()[:4] == b"\\x89PNG"
                return f"YES, at {{temperature}}: {{prompt}}"
            return ask
        """
    )
    result = project.run("-rA", "--ppteval-json=r.json")
    result.assert_outcomes(passed=1)
    assert "YES, at 0.1: Is it blue? YES/NO" in (project.pytester.path / "r.json").read_text("utf-8")


def test_without_pictures_a_leaf_that_looks_at_them_is_unscored(project: Project) -> None:
    project.task("t", rubric(leaf("Blue", ASKS)))
    project.outputs()
    result = project.run("--ppteval-renderer=none")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no pictures of output.pptx: get a renderer*"])


def test_a_fixture_that_breaks_is_a_setup_error_of_the_task(project: Project) -> None:
    project.task("t", rubric(leaf("Blue", ASKS)))
    project.outputs()
    project.pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef modified_ppt_screenshots():\n    raise RuntimeError('renderer broke')\n"
    )
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*renderer broke*"])


def test_a_users_ppt_diff_takes_the_place_of_the_decks_own(project: Project) -> None:
    code = "def compute_score():\n    n = len(ppt_diff.modified_slides)\n    return str(n), float(n == 0)\n"
    project.task("t", rubric(leaf("Nothing changed", code)))
    project.output("t", retitle)
    assert project.run().parseoutcomes()["failed"] == 2
    project.pytester.makeconftest(
        """
        import dataclasses, pytest
        @pytest.fixture
        def ppt_diff(ppt_diff):
            return dataclasses.replace(ppt_diff, modified_slides=[])
        """
    )
    project.run().assert_outcomes(passed=1)


def test_a_parametrized_fixture_makes_a_task_of_each_value(project: Project) -> None:
    project.task("t [x]", rubric(leaf("Path", "def compute_score():\n    return modified_ppt_path, 1.0\n")))
    project.outputs()
    project.pytester.makeconftest(
        """
        import pytest
        @pytest.fixture(params=["one", "two"])
        def modified_ppt_path(modified_ppt_path, request):
            return modified_ppt_path
        """
    )
    result = project.run("-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*::t [[]x][[]one] PASSED*", "*::t [[]x][[]two] PASSED*"])


def test_an_ordinary_test_uses_the_fixtures_of_the_task_that_its_marker_names(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)))
    project.output("t", retitle)
    project.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.ppteval_task("cases/tasks.json", "t")
        def test_one_slide_changed(ppt_diff, original_ppt_path, modified_ppt_path):
            ((before, after),) = ppt_diff.modified_slides
            assert (before.title, after.title) == ("Lecture 3", "Lecture 1")
            assert original_ppt_path.endswith("cases/intro.pptx")
            assert modified_ppt_path.endswith("outputs/t/output.pptx")
        """
    )
    result = project.run("--strict-markers")
    result.assert_outcomes(passed=1)
    project.run(
        "test_an_ordinary_test_uses_the_fixtures_of_the_task_that_its_marker_names.py", "cases"
    ).assert_outcomes(passed=2)


def test_an_ordinary_test_without_the_marker_is_told(project: Project) -> None:
    project.pytester.makepyfile("def test_x(ppt_diff): pass")
    result = project.pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*name its task with @pytest.mark.ppteval_task*"])


def test_a_marker_without_a_task_s_id_lists_what_there_is(project: Project) -> None:
    project.task("a", rubric(leaf("L", 1.0)))
    project.task("b", rubric(leaf("L", 1.0)))
    project.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.ppteval_task("cases/tasks.json")
        def test_which(ppt_diff): pass

        @pytest.mark.ppteval_task("cases/none.json")
        def test_nowhere(ppt_diff): pass
        """
    )
    result = project.pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["ppteval_task: name one of the tasks: *tasks.json has a, b"])
    path = project.pytester.path / "cases" / "none.json"
    result.stdout.fnmatch_lines([f"ppteval_task: no such file: {path}"])


def test_a_leaf_sees_the_diff_of_its_decks(project: Project) -> None:
    code = (
        "def compute_score():\n"
        "    pairs = [(a.title, b.title) for a, b in ppt_diff.modified_slides]\n"
        "    return str(pairs), float(pairs == [('Lecture 3', 'Lecture 1')])\n"
    )
    project.task("t", rubric(leaf("Title", code)))
    project.output("t", retitle)
    project.run().assert_outcomes(passed=1)


def test_an_llm_leaf_asks_llm_call_and_reads_its_answer(project: Project) -> None:
    scorer = {"type": "llm", "system_prompt": "You judge decks.", "user_prompt": 'The change: {ppt_diff} {"a": 1}'}
    project.task("t", rubric({"name": "Tone", "scorer": scorer}), threshold=0.5)
    project.output("t", retitle)
    project.pytester.makeconftest(
        """
        import pytest
        @pytest.fixture
        def llm_call():
            def ask(prompt):
                assert "Lecture 1" in prompt and '{"a": 1}' in prompt
                return 'Fine.\\n```json\\n{"reason": "clear", "score": 0.75}\\n```'
            return ask
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["PARTIAL *::Tone - score 0.75: clear*"])
