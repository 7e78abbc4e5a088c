"""The shipped suite's visual leaves: measured ones on drawn slides, and what a vision model's answers come to."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kept_outputs import all_outputs, write_kept
from renderers_here import RENDERERS, needs, needs_chinese
from suite_looks import ASKED, MEASURED, VISUAL

from pytest_ppteval.case.folder import load_rubric_case
from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.grade import grade
from pytest_ppteval.grade.means import Means
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.picture.wanted import slides_wanted
from pytest_ppteval.sandbox.confine.policy import make_plan
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.rubric.result import LeafResult

ROOT = Path(__file__).parents[1]
TASKS: dict[str, dict[str, Any]] = json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))
OUTPUTS = all_outputs()
GOOD = [where for where, made in OUTPUTS.items() if where.startswith("good/") and made.task in VISUAL]
UNSIGHTLY = [where for where in OUTPUTS if where.startswith("unsightly/")]


@pytest.fixture(scope="module", params=RENDERERS)
def studio(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    made = Studio(needs(request.param), tmp_path_factory.mktemp("cache"), make_plan("auto")[0])
    yield made
    made.close()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


def approved(task: str) -> Path:
    return ROOT / "baselines" / "cases" / task / "output.pptx"


def original(task: str) -> Path:
    return ROOT / str(TASKS[task]["file_path"])


def code_of(task: str, name: str) -> str:
    [leaf] = [leaf for leaf in load_rubric_case(ROOT / TASKS[task]["rubric_path"]).rubric.leaves if leaf.id == name]
    assert leaf.scorer is not None
    return str(leaf.scorer.args["function_code"])


def judged(task: str, output: Path, studio: Studio, sandbox: Sandbox, folder: Path) -> dict[str, LeafResult]:
    """The results of all leaves that need no model, by name, with the slides drawn."""
    if original(task).stem == "library_report":
        needs_chinese()
    leaves = load_rubric_case(ROOT / TASKS[task]["rubric_path"]).rubric.leaves
    with Evidence(sandbox, str(original(task)), str(output)) as evidence:
        evidence.original_pictures = LazyScreenshots(studio, original(task), folder / "before")
        evidence.modified_pictures = LazyScreenshots(studio, output, folder / "after")
        return {leaf.id: grade(leaf, evidence, Means()) for leaf in leaves if leaf.id != ASKED[task]}


def shortfalls(results: dict[str, LeafResult]) -> dict[str, str]:
    return {name: f"{one.score}: {one.reason}{one.traceback}" for name, one in results.items() if one.score != 1}


# ---- what the suite holds


def test_visual_tasks_have_a_measured_leaf_and_one_that_asks_a_model() -> None:
    for task in VISUAL:
        measured, asked = code_of(task, MEASURED[task]), code_of(task, ASKED[task])
        assert "from pytest_ppteval.picture import measures" in measured
        assert "vlm_call" not in measured
        assert "vlm_call(" in asked
        assert "measures" not in asked


@pytest.mark.parametrize("task", VISUAL)
def test_looks_lower_the_score_and_all_else_is_critical(task: str) -> None:
    """So that the task's threshold of 0.7 forgives what looks may cost, and nothing else."""
    rubric = load_rubric_case(ROOT / TASKS[task]["rubric_path"]).rubric
    [looks] = [group for group in rubric.root.children if not group.is_critical]
    assert [leaf.name for leaf in looks.children] == [MEASURED[task], ASKED[task]]
    assert not any(leaf.is_critical for leaf in looks.children)
    assert all(leaf.is_critical for group in rubric.root.children if group is not looks for leaf in group.children)
    assert load_rubric_case(ROOT / TASKS[task]["rubric_path"]).settings.threshold == 0.7


def test_only_tasks_with_looks_have_a_threshold_of_their_own() -> None:
    own = {task: load_rubric_case(ROOT / entry["rubric_path"]).settings.threshold for task, entry in TASKS.items()}
    assert {task for task, threshold in own.items() if threshold is not None} == set(VISUAL)
    assert not any("threshold" in entry["misc"] for entry in TASKS.values())
    assert {task for task, entry in TASKS.items() if "looks" in entry["tags"]} == set(VISUAL)


@pytest.mark.parametrize("task", VISUAL)
def test_a_visual_leaf_names_its_slides_so_that_only_those_are_drawn(task: str) -> None:
    wanted = {
<<<<<<< HEAD
        "tides_lecture-002": {12}, "tides_lecture-007": {4, 10},
=======
        "ferry_review-003": {8}, "ferry_review-005": {3},
>>>>>>> 6c3440f (The tides lecture's tasks in the vocabulary, with outputs of the kinds that agents leave; rules name designs, table lines a unit; text that is not wrapped runs off the slide too)
        "图书馆年报-006": {4, 8, 12}, "图书馆年报-008": {10},
    }  # fmt: skip
    for name in (MEASURED[task], ASKED[task]):
        code = code_of(task, name)
        ast.parse(code)
        assert set(slides_wanted(code) or ()) == wanted[task]


# ---- measured leaves, on slides that were drawn


@pytest.mark.slow  # draws slides
@pytest.mark.parametrize("task", VISUAL)
def test_the_approved_run_looks_right(task: str, studio: Studio, sandbox: Sandbox, tmp_path: Path) -> None:
    assert shortfalls(judged(task, approved(task), studio, sandbox, tmp_path)) == {}


@pytest.mark.slow  # draws slides
@pytest.mark.parametrize("where", GOOD)
def test_other_good_outputs_look_right(where: str, studio: Studio, sandbox: Sandbox, tmp_path: Path) -> None:
    write_kept(where, tmp_path / "output.pptx")
    assert shortfalls(judged(OUTPUTS[where].task, tmp_path / "output.pptx", studio, sandbox, tmp_path)) == {}


@pytest.mark.slow  # draws slides
@pytest.mark.parametrize("where", UNSIGHTLY)
def test_what_looks_wrong_is_caught_by_the_measured_leaf_alone(
    where: str, studio: Studio, sandbox: Sandbox, tmp_path: Path
) -> None:
    write_kept(where, tmp_path / "output.pptx")
    made = OUTPUTS[where]
    results = judged(made.task, tmp_path / "output.pptx", studio, sandbox, tmp_path)
    assert set(shortfalls(results)) == set(made.caught_by)
    assert results[made.caught_by[0]].status == "scored"


def test_each_measured_leaf_has_an_output_that_it_catches() -> None:
    caught = {(OUTPUTS[where].task, OUTPUTS[where].caught_by) for where in UNSIGHTLY}
    assert caught == {(task, (MEASURED[task],)) for task in VISUAL}
