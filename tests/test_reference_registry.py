"""A checkout of the reference benchmark runs by pointing at it: its layout, its ids, its leaves' habits, its results.

The rubrics here are this project's own, written in the manner of the reference's.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from small_project import leaf

if TYPE_CHECKING:
    from pathlib import Path

IDS = ["Revisiting  Social Experiments [Autosaved]-021", "application+layer+slide-010", "os.intro v2-003"]

BY_GLOBALS = """
import os
from pptx import Presentation

def _title(path):
    return Presentation(path).slides[0].shapes.title.text.strip()

def compute_score():
    path = globals().get("modified_ppt_path")
    if not os.path.exists(path):
        return "no file", 0.0
    title = _title(path)
    return f"title is {title}", 1.0 if title == "Lecture 1" else 0.0

if __name__ == "__main__":
    raise SystemExit(compute_score())
"""

IN_A_FENCE = """```python
def compute_score():
    from ppteval.verify.ppt.diff import PowerPointDiffEvaluator
    diff = PowerPointDiffEvaluator().compare_files(original_ppt_path, modified_ppt_path)
    same = [a.slide_id for a, b in diff.modified_slides] == [a.slide_id for a, b in ppt_diff.modified_slides]
    return "as the given diff" if same else "another diff", 1 if same else 0
```"""

FROM_THE_ZIP = """
async def compute_score():
    import zipfile, xml.etree.ElementTree as ET
    with zipfile.ZipFile(modified_ppt_path) as z:
        root = ET.fromstring(z.read("ppt/slides/slide1.xml"))
    texts = [t.text for t in root.iter() if t.tag.endswith("}t")]
    return " ".join(texts), float("Lecture 1" in texts)
"""

PICTURE = """
from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError, vlm_call as ask

def compute_score():
    shots = [s for s in modified_ppt_screenshots if s.slide_number == 1]
    if not shots:
        raise ScreenshotsUnavailableError("no picture of slide 1")
    return ask(prompt="Does it look right?", images=[shots[0].image_path]), 1.0
"""

SWALLOWS = """
def compute_score():
    try:
        from rubric.utils.llm_tools import llm_call as ask
        return ask("Is it good?"), 1.0
    except Exception as error:
        return f"could not ask: {error}", 0.5
"""


@pytest.fixture
def checkout(tmp_path: Path, small_deck: Path) -> Path:
    """<checkout>/task_registry/tasks.json with rubrics and a deck, and the results of two shards."""
    from pptx import Presentation

    root = tmp_path / "ppteval"
    (root / "task_registry" / "rubrics").mkdir(parents=True)
    (root / "pptx_files").mkdir()
    shutil.copy(small_deck, root / "pptx_files" / "intro [Autosaved].pptx")
    tasks: dict[str, Any] = {}
    for number, task_id in enumerate(IDS):
        stale = {"score": 0.25, "reason": "from an earlier run"}
        children: list[dict[str, Any]] = [
            {"name": "Title", "description": "", "is_critical": True, "metadata": {}, **stale}
            | {"children": [leaf("Says Lecture 1", BY_GLOBALS, critical=True), leaf("In the XML too", FROM_THE_ZIP)]},
            leaf("Diffs agree", IN_A_FENCE) | stale,
        ]
        if number == 1:
            children += [leaf("Looks right", PICTURE), leaf("Reads well", SWALLOWS)]
        tree = {
            "root": {
                "name": "Change the lecture number",
                "description": "",
                "is_critical": False,
                "children": children,
            },
            "metadata": {
                "task": "Change it",
                "compute_strategy": "default",
                "non_critical_weight": 0.3,
                "critical_node_weight": 0.7,
            },
        }
        path = f"task_registry/rubrics/{task_id}.json"
        (root / path).write_text(json.dumps(tree), "utf-8")
        tasks[task_id] = {
            "goal": "[Easy][SLIDE:1] Change the lecture number",
            "file_path": "pptx_files/intro [Autosaved].pptx",
            "rubric_path": path,
            "tags": ["text_edit"],
            "misc": {"difficulty": "Easy"},
        }
        folder = root / "results" / "run-1" / f"shard_{number % 2}" / task_id
        folder.mkdir(parents=True)
        deck = Presentation(str(small_deck))
        title = deck.slides[0].shapes.title
        assert title is not None
        title.text_frame.text = "Lecture 1"
        deck.save(str(folder / f"{task_id}_1718{number}.pptx"))
        (folder / "result_evaluate.json").write_text('{"execution_status": "success", "score": 0.1}', "utf-8")
    (root / "task_registry" / "tasks.json").write_text(json.dumps(tasks, indent=2), "utf-8")
    return root


def test_a_checkout_of_the_reference_runs_by_pointing_at_it(checkout: Path, pytester: pytest.Pytester) -> None:
    registry = checkout / "task_registry" / "tasks.json"
    run = checkout / "results" / "run-1"
    result = pytester.runpytest_inprocess(
        str(registry), f"--ppteval-outputs={run}", "--ppteval-json=r.json", "-v", "--ppteval-renderer=none"
    )
    tasks = {task["task_id"]: task for task in json.loads((pytester.path / "r.json").read_text("utf-8"))["tasks"]}
    assert {task_id: task["verdict"] for task_id, task in tasks.items()} == {
        IDS[0]: "passed",
        IDS[1]: "undetermined",
        IDS[2]: "passed",
    }
    # By hand: critical 1; of the three non-critical ones two are open: 1 - 0.3 * (1 - 1/3).
    assert tasks[IDS[1]]["low"] == pytest.approx(0.8, abs=1e-12)
    assert tasks[IDS[1]]["high"] == 1.0
    assert "from an earlier run" not in json.dumps(tasks)
    result.assert_outcomes(passed=2, errors=1, skipped=2)
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no pictures of *"])


def test_an_unsuccessful_run_of_the_reference_fails_at_the_right_leaf(
    checkout: Path, pytester: pytest.Pytester, small_deck: Path
) -> None:
    run = checkout / "results" / "run-1"
    (output,) = (run / "shard_0" / IDS[0]).glob("*.pptx")
    shutil.copy(small_deck, output)
    registry = checkout / "task_registry" / "tasks.json"
    result = pytester.runpytest_inprocess(f"{registry}::{IDS[0]}", f"--ppteval-outputs={run}")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["critical, score 0.00: title is Lecture 3", "*: Says Lecture 1"])


@pytest.mark.parametrize("hydrate", [True, False])
def test_decks_that_are_all_missing_are_told_in_one_line(
    checkout: Path, pytester: pytest.Pytester, hydrate: bool
) -> None:
    """The benchmark's repository has none: a script of its own fetches them."""
    shutil.rmtree(checkout / "pptx_files")
    if hydrate:
        (checkout / "hydrate_data.py").touch()
    result = pytester.runpytest_inprocess(str(checkout / "task_registry" / "tasks.json"), "--ppteval-outputs=.")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    remedy = "fetch them with the checkout's own hydrate_data.py" if hydrate else "put them there"
    line = f"the deck that its tasks start from is not there: *intro [[]Autosaved].pptx in {checkout}: {remedy}"
    result.stdout.fnmatch_lines([line])
    assert len(result.stdout.lines) < 15


def test_decks_that_a_fixture_finds_need_not_be_where_the_registry_says(
    checkout: Path, pytester: pytest.Pytester
) -> None:
    here = pytester.path / "here"
    shutil.copytree(checkout, here)
    (here / "pptx_files").rename(here / "elsewhere")
    deck = here / "elsewhere" / "intro [Autosaved].pptx"
    pytester.makeconftest(f"import pytest\n@pytest.fixture\ndef original_ppt_path():\n    return {str(deck)!r}\n")
    arguments = (f"here/task_registry/tasks.json::{IDS[0]}", "--ppteval-outputs=here/results/run-1", "--rootdir=.")
    pytester.runpytest_inprocess(*arguments).assert_outcomes(passed=1)
