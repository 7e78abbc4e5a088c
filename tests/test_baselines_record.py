"""--ppteval-record-baselines: runs kept as candidates by test runs, which never change what is approved."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from agent_run import step, trace_of
from approved_run import tree_hash, write_run
from small_project import leaf, rubric

from pytest_ppteval.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from small_project import Project

WHO = ["--by", "A. Reader", "--why", "good"]
CASES = """\
defaults:
  baseline: {aspects: [process]}
cases:
  - {id: one, prompt: do one}
  - {id: two, prompt: do two, expected_behavior: [{tool_call: nothing}]}
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Two cases, and runs of both."""
    root = pytester.path
    (root / "cases").mkdir()
    (root / "cases" / "all.case.yaml").write_text(CASES, "utf-8")
    for name in ("one", "two"):
        write_run(root / "outputs" / name, trace_of(step("look"), step(name)), files={"r.txt": name})
    return root


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "cases", *arguments)


def test_record_approve_compare(pytester: pytest.Pytester, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    result.stdout.fnmatch_lines(
        [f"candidates for approval: ppteval approve CASE --by NAME --why TEXT --from {folder / 'candidates'}"]
    )
    assert not (folder / "baselines").exists()
    record = json.loads((folder / "candidates" / "cases" / "two" / "run.json").read_text("utf-8"))
    assert "approved_by" not in record
    assert record["judged"]["verdict"] == "failed"
    # The one fell short, the other has nothing to be compared with yet.
    assert record["judged"]["short"] == ["tool_call nothing", "baseline: process"]
    capsys.readouterr()
    assert main(["approve", "*", *WHO, "--yes", "--even-failed"]) == 0
    out = capsys.readouterr().out
    assert "judged: failed" in out
    # The first is now the same as its approved run; without --ppteval-outputs the approved run itself is judged.
    run(pytester, "--ppteval-outputs=outputs", "-k", "one").assert_outcomes(passed=1)
    run(pytester, "-k", "one").assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["one process", "xdist"])
def test_what_does_not_apply_is_called_so_and_is_no_shortfall(
    pytester: pytest.Pytester, folder: Path, workers: tuple[str, ...]
) -> None:
    (folder / "cases" / "all.case.yaml").write_text("id: one\nprompt: do one\nbaseline: true\n", "utf-8")
    run_of = folder / "baselines" / "cases" / "one"
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    assert main(["approve", "*", *WHO, "--yes"]) == 0
    assert run_of.is_dir()
    record = folder / "again" / "cases" / "one" / "run.json"
    arguments = ["--ppteval-outputs=outputs", "--ppteval-record-baselines=again", "--junitxml=j.xml", "-v", *workers]
    result = run(pytester, *arguments)
    leaf_name = "baseline: efficiency"  # neither run has numbers
    assert leaf_name not in json.loads(record.read_text("utf-8"))["judged"]["short"]
    result.stdout.fnmatch_lines([f"*SUBNOTAPPLICABLE[[]{leaf_name}]*", "NOT APPLICABLE 1 leaf: *not counted"])
    assert "UNSCORED" not in result.stdout.str()
    cases = ET.parse(folder / "j.xml").getroot().iter("testcase")
    [skipped] = [case.find("skipped") for case in cases if case.get("name") == f"one::{leaf_name}"]
    assert skipped is not None
    assert skipped.get("type") == "ppteval.not_applicable"
    assert "not applicable" in skipped.get("message", "")
    assert "unscored" not in skipped.get("message", "")


# The second is slow: workers take seconds to start, and alone it is the same code.
@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["one process", "xdist"])
def test_no_test_run_changes_approved_runs(pytester: pytest.Pytester, folder: Path, workers: tuple[str, ...]) -> None:
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    main(["approve", "one", *WHO, "--yes"])
    before = tree_hash(folder / "baselines")
    write_run(folder / "outputs" / "one", trace_of(step("another")), files={"r.txt": "changed"})
    shutil.rmtree(folder / "candidates")
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates", *workers)
    run(pytester, "--ppteval-record-baselines=others", *workers)
    assert tree_hash(folder / "baselines") == before
    assert sorted(path.name for path in (folder / "candidates" / "cases").iterdir()) == ["one", "two"]


@pytest.mark.parametrize("place", ["baselines", "baselines/cases", "./x/../baselines"])
def test_candidates_can_not_go_among_the_approved_runs(pytester: pytest.Pytester, folder: Path, place: str) -> None:
    (folder / "x").mkdir()
    result = run(pytester, "--ppteval-outputs=outputs", f"--ppteval-record-baselines={place}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*is among the approved runs, which no test run may change: name another folder*"])
    assert not (folder / "baselines").exists()


def test_not_by_a_suite_s_name_either(pytester: pytest.Pytester, folder: Path) -> None:
    """A suite named baselines, recorded into the rootdir, would land in rootdir/baselines."""
    (folder / "cases").rename(folder / "baselines-cases")
    (folder / "baselines").mkdir()
    shutil.move(folder / "baselines-cases", folder / "elsewhere" / "baselines")
    result = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "elsewhere", "--ppteval-outputs=outputs", "--ppteval-record-baselines=."
    )
    result.stdout.fnmatch_lines(["*is among the approved runs: name another folder to record candidates in*"])
    assert list((folder / "baselines").iterdir()) == []


def test_a_stale_run_is_named_in_the_summary(pytester: pytest.Pytester, folder: Path) -> None:
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    main(["approve", "one", *WHO, "--yes"])
    (folder / "cases" / "all.case.yaml").write_text(CASES.replace("do one", "do one well"), "utf-8")
    result = run(pytester, "--ppteval-outputs=outputs", "-k", "one")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["compared with STALE baselines: one (ppteval baselines says why)"])


def test_a_candidate_of_an_older_case_is_not_approved(
    pytester: pytest.Pytester, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    (folder / "cases" / "all.case.yaml").write_text(CASES.replace("do one", "do one well"), "utf-8")
    assert main(["approve", "one", *WHO, "--yes"]) == 2
    assert "recorded for another version of the case" in capsys.readouterr().err
    assert not (folder / "baselines").exists()


EDITS = {
    "workspace/r.txt is not what was recorded": lambda run: (run / "workspace" / "r.txt").write_text("nicer", "utf-8"),
    "response.md is not what was recorded": lambda run: (run / "response.md").write_text("nicer", "utf-8"),
    "trace.json is not what was recorded": lambda run: (run / "trace.json").unlink(),
    "workspace/more.txt was not there when the run was recorded": lambda run: (run / "workspace" / "more.txt").touch(),
    "workspace/all was not there when the run was recorded": lambda run: (run / "workspace" / "all").symlink_to("/"),
    "response.txt was not there when the run was recorded": lambda run: (run / "response.txt").touch(),
    "trace.sse was not there when the run was recorded": lambda run: (run / "trace.sse").touch(),
}


@pytest.mark.parametrize("said", EDITS)
def test_a_candidate_that_was_edited_is_not_approved(
    pytester: pytest.Pytester, folder: Path, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    EDITS[said](folder / "candidates" / "cases" / "one")
    assert main(["approve", "one", *WHO, "--yes"]) == 2
    assert f"{said}: record the run again" in capsys.readouterr().err
    assert not (folder / "baselines").exists()


def test_decks_are_approved_by_the_same_command(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.task("deck-1", rubric(leaf("Fine", 1.0)))
    deck = project.output("deck-1", metrics={"seconds": 12, "tool_calls": 3})
    project.run("--ppteval-record-baselines=candidates").assert_outcomes(passed=1)
    assert main(["approve", "deck-1", *WHO, "--yes"]) == 0
    out = capsys.readouterr().out
    assert "judged: passed, score 1.00" in out
    assert "deck: output.pptx, " in out
    place = project.pytester.path / "baselines" / "cases" / "deck-1"
    assert (place / "output.pptx").read_bytes() == deck.read_bytes()
    assert json.loads((place / "run.json").read_text("utf-8"))["metrics"] == {"seconds": 12, "tool_calls": 3}
    shutil.rmtree(project.pytester.path / "outputs")
    project.run().assert_outcomes(passed=1)
    capsys.readouterr()
    assert main(["baselines"]) == 0
    assert "fresh      cases/deck-1" in capsys.readouterr().out


def test_where_the_agent_left_nothing_nothing_is_kept(pytester: pytest.Pytester, folder: Path) -> None:
    shutil.rmtree(folder / "outputs" / "one")
    run(pytester, "--ppteval-outputs=outputs", "--ppteval-record-baselines=candidates")
    assert [path.name for path in (folder / "candidates" / "cases").iterdir()] == ["two"]
