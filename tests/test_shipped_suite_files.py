"""The shipped suite's files are what its scripts make, and hold what they promise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

from pytest_ppteval import score
from pytest_ppteval.case.folder import load_rubric_case
from pytest_ppteval.deck.diff import compare_files
from pytest_ppteval.sandbox.host import Sandbox

ROOT = Path(__file__).parents[1]
CASES, BASELINES = ROOT / "cases", ROOT / "baselines" / "cases"
TASKS: dict[str, dict[str, Any]] = json.loads((CASES / "tasks.json").read_text("utf-8"))
MAKERS = sorted((CASES / "decks").glob("make_*.py"))
DECKS = sorted((CASES / "decks").glob("*.pptx"))
# The kinds of task of the PPT-Eval article, each with the tags that say it.
KINDS = {
    "text edit": {"text"},
    "new element": {"new element"},
    "table, chart or SmartArt": {"table", "chart", "diagram"},
    "style, colour or background": {"style", "background"},
    "layout, alignment or size": {"layout"},
    "numbering or lists": {"list"},
    "pictures": {"picture"},
    "slide management": {"slides"},
    "hyperlinks": {"hyperlink"},
    "header, footer or page number": {"footer"},
    "animation or transition": {"animation", "transition"},
}
# LibreOffice reads Chinese numerals of automatic lists, but writes such lists as plain bullets: its re-save is wrong.
LOST_BY_LIBREOFFICE = {"图书馆年报-002"}


def run(script: Path, folder: Path) -> None:
    folder.mkdir()
    subprocess.run([sys.executable, script, folder], check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))


def parts(deck: Path) -> dict[str, bytes]:
    """What is in the deck, without what depends on the versions of Pillow and XlsxWriter: only names of those."""
    with zipfile.ZipFile(deck) as archive:
        return {n: b"" if n.endswith((".png", ".xlsx")) else archive.read(n) for n in archive.namelist()}


@pytest.mark.slow  # makes each of the decks twice over
@pytest.mark.parametrize("maker", MAKERS, ids=lambda path: path.stem)
def test_a_deck_is_what_its_script_makes_the_same_each_time(maker: Path, tmp_path: Path) -> None:
    run(maker, tmp_path / "one")
    run(maker, tmp_path / "two")
    [one] = (tmp_path / "one").iterdir()
    assert one.read_bytes() == (tmp_path / "two" / one.name).read_bytes()
    assert parts(one) == parts(CASES / "decks" / one.name)


def test_approved_outputs_are_what_the_reference_solutions_make(tmp_path: Path) -> None:
    run(CASES / "make_approved.py", tmp_path / "approved")
    assert {path.name for path in (tmp_path / "approved").iterdir()} == set(TASKS)
    for task in TASKS:
        assert parts(tmp_path / "approved" / task / "output.pptx") == parts(BASELINES / task / "output.pptx")


@pytest.mark.parametrize("task", TASKS)
def test_an_approved_run_says_that_no_agent_made_it(task: str) -> None:
    record = json.loads((BASELINES / task / "run.json").read_text("utf-8"))
    assert record["agent"].startswith("none")
    assert "not an agent's run" in record["why"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["approved_at"])
    budget = TASKS[task]["misc"].get("budget", {})
    assert set(record.get("metrics", {})) == set(budget)
    assert all(record["metrics"][name] <= limit for name, limit in budget.items())


@pytest.mark.parametrize("task", TASKS)
def test_a_rubric_says_what_was_asked_and_guards_the_rest(task: str) -> None:
    rubric = load_rubric_case(ROOT / TASKS[task]["rubric_path"]).rubric
    assert rubric.metadata["task"] == TASKS[task]["goal"]
    wants = [leaf.scorer.args for leaf in rubric.leaves]
    # Whatever the task, nothing besides may change, become illegible or break; and each leaf decides.
    assert sum("changes" in want for want in wants) == 1
    assert {"legible", "editable", "opens"} <= {name for want in wants for name in want.get("guard", ())} | {
        str(want["guard"]) for want in wants if isinstance(want.get("guard"), str)
    }
    assert all(leaf.is_critical for leaf in rubric.leaves)
    assert len(wants) >= 4


def test_the_suite_shows_both_forms_of_rubric_all_difficulties_and_a_budget() -> None:
    assert {Path(task["rubric_path"]).suffix for task in TASKS.values()} == {".json", ".yaml"}
    assert {task["misc"]["difficulty"] for task in TASKS.values()} == {"Easy", "Medium", "Hard"}
    assert any("budget" in task["misc"] for task in TASKS.values())


def test_there_are_24_tasks_of_all_kinds_on_three_decks_one_of_them_in_chinese() -> None:
    assert len(TASKS) >= 24
    assert len({task["file_path"] for task in TASKS.values()}) >= 3
    assert any(re.search("[\u4e00-\u9fff]", task["goal"]) for task in TASKS.values())
    tags = {tag for task in TASKS.values() for tag in task["tags"]}
    assert {kind for kind, names in KINDS.items() if not names & tags} == set()


@pytest.mark.parametrize("original", DECKS, ids=lambda path: path.stem)
def test_a_deck_holds_what_real_decks_hold(original: Path) -> None:
    deck = Presentation(str(original))
    slides = list(deck.slides)
    shapes = [shape for slide in slides for shape in slide.shapes]
    tags = {str(element.tag).split("}")[-1] for slide in slides for element in slide._element.iter("{*}*")}
    assert 12 <= len(slides) <= 20
    assert len({slide.slide_layout.name for slide in slides}) >= 5
    assert sum(shape.has_table for shape in shapes) >= 3
    assert sum(shape.has_chart for shape in shapes) >= 3
    assert {"pic", "grpSp", "cxnSp", "transition", "AlternateContent", "timing", "hlinkClick", "fld"} <= tags
    assert sum(slide.has_notes_slide for slide in slides) >= 5
    assert original.stat().st_size < 1_000_000


@pytest.mark.parametrize("original", DECKS, ids=lambda path: path.stem)
def test_a_re_save_changes_nothing(original: Path, tmp_path: Path) -> None:
    Presentation(str(original)).save(str(tmp_path / "again.pptx"))
    changes = compare_files(str(original), str(tmp_path / "again.pptx")).to_dict()
    assert {name: found for name, found in changes.items() if isinstance(found, list) and found} == {}


@pytest.mark.slow  # starts LibreOffice
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_approved_outputs_saved_anew_by_libreoffice_still_show_what_was_asked(tmp_path: Path) -> None:
    """LibreOffice gives shapes new ids and names and writes every slide anew: rubrics must look at what is shown."""
    (tmp_path / "in").mkdir()
    tasks = [task for task in TASKS if task not in LOST_BY_LIBREOFFICE]
    decks = [Path(shutil.copy(BASELINES / task / "output.pptx", tmp_path / "in" / f"{task}.pptx")) for task in tasks]
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "pptx:Impress MS PowerPoint 2007 XML"]
    subprocess.run([*command, "--outdir", tmp_path / "out", *decks], check=True, capture_output=True, timeout=300)
    short: dict[tuple[str, str], str] = {}
    # LibreOffice drops the sheets of charts and gives layouts, names and fonts of its own: changes that guards tell.
    watching: set[tuple[str, str]] = set()
    with Sandbox() as sandbox:
        for task in tasks:
            entry = TASKS[task]
            result = score(
                ROOT / entry["rubric_path"],
                original=ROOT / entry["file_path"],
                modified=tmp_path / "out" / f"{task}.pptx",
                sandbox=sandbox,
                renderer="none",
            )
            watching |= {
                (task, leaf.id)
                for leaf in result.case.rubric.leaves
                if not {"deck", "function_code"} & set(leaf.scorer.args)
            }
            short |= {(task, leaf): one.reason for leaf, one in result.results.items() if one.score != 1}
    assert {key: reason for key, reason in short.items() if key not in watching} == {}
