"""Where the deck to judge is found: a folder of outputs in any of its layouts, or the approved run."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from typing import TYPE_CHECKING, Literal

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

SAYS_PATH = leaf("Path", "def compute_score():\n    return modified_ppt_path, 1.0\n")


@pytest.fixture
def one(project: Project) -> Project:
    project.task("deck [v1]-021", rubric(SAYS_PATH))
    return project


def judged(project: Project, *arguments: str) -> str:
    """The path of the deck that was judged, relative to the project."""
    result = project.run("--ppteval-json=results.json", *arguments)
    assert result.ret == 0
    results = json.loads((project.pytester.path / "results.json").read_text("utf-8"))
    reason: str = results["tasks"][0]["scored_rubric"]["root"]["children"][0]["reason"]
    return reason.removeprefix(f"{project.pytester.path}/")


@pytest.mark.parametrize(
    "layout",
    [
        "outputs/deck [v1]-021.pptx",
        "outputs/deck [v1]-021/anything.pptx",
        "outputs/deck [v1]-021/deck [v1]-021_17253.pptx",
        "outputs/shard_1/deck [v1]-021/deck [v1]-021_17253.pptx",
        "outputs/deck [v1]-021.PPTX",
        "outputs/deck [v1]-021.pptm",
        "outputs/deck [v1]-021/Anything.PptX",
        "outputs/deck [v1]-021/OUTPUT.pptx",
    ],
)
def test_outputs_are_found_in_each_layout(one: Project, layout: str) -> None:
    target = one.pytester.path / layout
    target.parent.mkdir(parents=True)
    shutil.copy(one.deck, target)
    assert judged(one) == layout


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("layout", ["{}.pptx", "{}/anything.pptx", "shard_0/{0}/{0}_17253.pptx"])
def test_a_name_with_marks_is_found_in_either_form(project: Project, form: Literal["NFC", "NFD"], layout: str) -> None:
    """A task id typed on one system, an output written on another: "é" is one character, or an e with its mark."""
    other: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"
    project.task(unicodedata.normalize(form, "Café müde-001"), rubric(SAYS_PATH))
    target = project.pytester.path / "outputs" / layout.format(unicodedata.normalize(other, "Café müde-001"))
    target.parent.mkdir(parents=True)
    shutil.copy(project.deck, target)
    found, expected = judged(project), str(target.relative_to(project.pytester.path))
    assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", expected)


@pytest.mark.parametrize(
    ("files", "fault", "says"),
    [
        (["t.pptx", "t/a.pptx"], "errors", "two decks for this task in *outputs, t.pptx and t/a.pptx: keep one"),
        (["t.pptx", "t.pptm"], "errors", "two decks for this task in *outputs, t.pptm and t.pptx: keep one"),
        (["t.pptx", "t/a.pptx", "t/b.pptx"], "errors", "two decks for this task in *outputs, t.pptx and t: keep one"),
        (["t/output.pptx", "t/output.pptm"], "errors", "several decks in *: name the one to judge output.pptx"),
        (["t/out/deck.pptx"], "errors", "out/deck.pptx lies deeper in *outputs/t: put the deck to judge into that *"),
        (["t/workspace/deck.pptx"], "failed", "the agent left no deck: looked for t.pptx or t/?.pptx in *outputs"),
        (["t.ppsx"], "failed", "the agent left no deck: looked for *; there is t.ppsx"),
        (["t/slides.pdf"], "failed", "the agent left no deck: looked for *; there is t/slides.pdf"),
        (["T .pptx"], "failed", "the agent left no deck: looked for *; there is T .pptx"),
    ],
)
def test_what_lies_elsewhere_or_twice_is_told(project: Project, files: list[str], fault: str, says: str) -> None:
    project.task("t", rubric(SAYS_PATH))
    for name in files:
        target = project.pytester.path / "outputs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project.deck, target)
    result = project.run()
    result.assert_outcomes(**{fault: 1})
    result.stdout.fnmatch_lines([f"*{says}*"])


@pytest.mark.parametrize(("missing", "told"), [(10, True), (9, True), (5, False)])
def test_where_nearly_no_task_finds_a_deck_one_line_says_so(project: Project, missing: int, told: bool) -> None:
    """The folder is not the right one, or its files are called otherwise: it says so at the end."""
    for number in range(10):
        project.task(f"t{number}", rubric(SAYS_PATH, leaf("Other", 1.0)))
    outputs = project.pytester.path / "outputs"
    outputs.mkdir()
    for number in range(10):
        shutil.copy(project.deck, outputs / (f"{number}-final.pptx" if number < missing else f"t{number}.pptx"))
    result = project.run("-q")
    result.assert_outcomes(failed=missing, passed=10 - missing)
    line = f"{missing} of 10 tasks found no deck in *outputs: is that the folder? A deck is called *"
    if told:
        result.stdout.fnmatch_lines([f"ppteval: {line}"])
    else:
        result.stdout.no_fnmatch_line(f"*{line}")


def test_of_several_reference_outputs_the_newest_counts(one: Project) -> None:
    folder = one.pytester.path / "outputs" / "shard_0" / "deck [v1]-021"
    folder.mkdir(parents=True)
    for stamp in (999, 1000):
        shutil.copy(one.deck, folder / f"deck [v1]-021_{stamp}.pptx")
    assert judged(one) == "outputs/shard_0/deck [v1]-021/deck [v1]-021_1000.pptx"


def test_several_decks_and_no_hint_is_an_error(one: Project) -> None:
    folder = one.pytester.path / "outputs" / "deck [v1]-021"
    folder.mkdir(parents=True)
    for name in ("a.pptx", "b.pptx", "~$a.pptx"):
        shutil.copy(one.deck, folder / name)
    result = one.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*several decks in * (a.pptx, b.pptx): name the one to judge output.pptx*"])
    shutil.copy(one.deck, folder / "output.pptx")
    assert judged(one) == "outputs/deck [v1]-021/output.pptx"


def test_an_infrastructure_failure_of_a_reference_run_is_no_failure_of_the_agent(one: Project) -> None:
    folder = one.pytester.path / "outputs" / "deck [v1]-021"
    folder.mkdir(parents=True)
    (folder / "result_evaluate.json").write_text('{"execution_status": "infrastructure_failure"}', "utf-8")
    result = one.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*failed before the agent could work*"])


def test_without_outputs_the_approved_run_is_judged(one: Project) -> None:
    folder = one.pytester.path / "baselines" / "cases" / "deck [v1]-021"
    folder.mkdir(parents=True)
    shutil.copy(one.deck, folder / "output.pptx")
    assert judged(one) == "baselines/cases/deck [v1]-021/output.pptx"


def test_the_approved_runs_metrics_feed_its_budget(project: Project) -> None:
    project.task("t", rubric(SAYS_PATH), budget={"seconds": 10})
    folder = project.pytester.path / "kept" / "cases" / "t"
    folder.mkdir(parents=True)
    shutil.copy(project.deck, folder / "output.pptx")
    (folder / "run.json").write_text('{"approved_by": "x", "metrics": {"seconds": 11}}', "utf-8")
    result = project.run("--ppteval-baselines=kept")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*seconds: 11, over the budget of 10*"])
    project.pytester.makeini("[pytest]\nppteval_baselines = kept\n")
    project.run().stdout.fnmatch_lines(["*seconds: 11, over the budget of 10*"])


def test_a_link_is_not_followed(one: Project) -> None:
    folder = one.pytester.path / "outputs" / "deck [v1]-021"
    folder.mkdir(parents=True)
    (folder / "output.pptx").symlink_to(one.deck)
    result = one.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["  the agent's deck can't be used: *symbolic link*"])


def test_a_deck_that_no_task_claims_is_told_of(one: Project) -> None:
    (one.pytester.path / "outputs").mkdir()
    shutil.copy(one.deck, one.pytester.path / "outputs" / "deck v1-021.pptx")
    one.run().stdout.fnmatch_lines(["in *outputs, but no task judged here has that id: deck v1-021.pptx"])


def test_a_lone_rubric_without_its_decks_names_the_options(project: Project) -> None:
    tree = rubric(leaf("Same", "def compute_score():\n    return 'none', float(not ppt_diff.modified_slides)\n"))
    (project.pytester.path / "lone.rubric.json").write_text(json.dumps(tree), "utf-8")
    shutil.copy(project.deck, project.pytester.path / "deck.pptx")
    alone = "--ppteval-rubric=lone.rubric.json"
    project.run(alone).stdout.fnmatch_lines(
        ["*nothing to judge: *; name the deck to judge with --ppteval-modified PPTX"]
    )
    one_deck = project.run(alone, "--ppteval-modified=deck.pptx")
    one_deck.stdout.fnmatch_lines(
        ["there is no original deck to compare with: name it with --ppteval-original PPTX", "*1 error in *"]
    )
    one_deck.stdout.no_fnmatch_line("During handling*")
    both = project.run(alone, "--ppteval-modified=deck.pptx", "--ppteval-original=deck.pptx")
    assert both.ret == pytest.ExitCode.OK


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may list any folder")
def test_outputs_that_may_not_be_listed_are_no_fault_of_the_agent(one: Project) -> None:
    folder = one.pytester.path / "outputs"
    folder.mkdir(mode=0)
    result = one.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --ppteval-outputs: *outputs: Permission denied"])
