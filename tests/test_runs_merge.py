"""`ppteval merge RUN... --into DIR`: the shards of a run into the run that one machine would have made."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from run_records import make_case, make_record, make_run, scores

from pytest_ppteval.cli import main
from pytest_ppteval.runs.folder import RunFolder
from pytest_ppteval.runs.journal import key_of, read

if TYPE_CHECKING:
    from pytest_ppteval.case.model import Case

OPTIONS = {
    "sandbox": "auto",
    "renderer": "auto",
    "leaf_timeout": 30.0,
    "outputs": None,
    "leaves": [],
    "threshold": None,
    "strategy": None,
    "non_critical_weight": None,
    "unscored": None,
    "judging": {"model": "some-model", "votes": 3},
}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return make_case(tmp_path, "t", "A", "B")


def record_of(case: Case, trial: int, a: float | None = 1.0, b: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return make_record(
        case, scores(A=a, B=b), trial, 3, 2, **{"folder": f"artifacts/cases/{case.id}/trial-{trial}", **more}
    )


def content(run: Path) -> dict[str, bytes]:
    """Every artifact by its name."""
    return {
        path.relative_to(run).as_posix(): path.read_bytes() for path in (run / "artifacts").rglob("*") if path.is_file()
    }


def test_shards_become_the_run_that_one_machine_would_have_made(
    tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    other = make_case(tmp_path, "第三讲 [x]", "A", "B")
    records = [*(record_of(case, n, b=n % 2) for n in (1, 2, 3)), record_of(other, 1), record_of(other, 2, a=None)]
    make_run(tmp_path / "whole", *records, options=OPTIONS)
    make_run(tmp_path / "one", records[3], records[1], options=OPTIONS)
    make_run(tmp_path / "two", records[4], options=OPTIONS)
    make_run(tmp_path / "three", records[2], records[0], options=OPTIONS)
    shards = [str(tmp_path / name) for name in ("one", "two", "three")]
    into, out = tmp_path / "merged", tmp_path / "out" / "results.json"
    assert main(["merge", *shards, "--into", str(into), "--json", str(out)]) == 0

    assert read(into).records == read(tmp_path / "whole").records
    assert content(into) == content(tmp_path / "whole")
    facts = RunFolder.open(into).facts()
    assert {**facts, "shards": 0} == {**RunFolder(tmp_path / "whole").facts(), "shards": 0}
    assert [shard["name"] for shard in facts["shards"]] == ["one", "two", "three"]
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        (
            "passed        cases/tasks.json::t: 2 of 3 trials passed, 2 required; pass@2 1.00; pass^2 0.33; "
            "mean score 0.90; success rate 67% (95%: 21%..94%); consistency 0.83; flaky: B"
        ),
        (
            "undetermined  cases/tasks.json::第三讲 [x]: 1 of 3 trials passed, 2 required (2 open, 1 of them not run); "
            "pass@2 1.00; pass^2 0.00..1.00; mean score 0.50..1.00; success rate 50%..100% (95%: 9%..100%); "
            "consistency 1.00"
        ),
        "2 tasks: 1 passed, 1 undetermined",
        f"merged: 3 runs into {into}",
    ]
    assert said.err == ""

    document = json.loads(out.read_text("utf-8"))
    schema = json.loads(files("pytest_ppteval").joinpath("case/schema/results.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert [task["nodeid"] for task in document["tasks"]] == [
        f"cases/tasks.json::{name}"
        for name in ("t[trial-1]", "t[trial-2]", "t[trial-3]", "第三讲 [x][trial-1]", "第三讲 [x][trial-2]")
    ]
    assert document["summary"]["passed"] == 3
    assert document["judging"]["model"] == "some-model"


def test_junit_has_the_verdict_on_each_task_that_no_shard_has(tmp_path: Path, case: Case) -> None:
    other, bad = make_case(tmp_path, "u", "A"), make_case(tmp_path, "odd &<", "A")
    make_run(tmp_path / "one", record_of(case, 1), record_of(case, 2, b=0.0))
    alone = [make_record(other, scores(A=1.0)), {**make_record(bad, scores(A=None)), "reasons": ["\x1b[31m<&"]}]
    make_run(tmp_path / "two", record_of(case, 3, b=0.0), *alone)
    out = tmp_path / "out" / "junit.xml"
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged"), "--junit", str(out)]) == 0
    (suite,) = ET.parse(out).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = {one.get("name"): one for one in suite}
    assert set(cases) == {"t", "u", "odd &<"}
    short = cases["t"]
    assert (short.get("classname"), short.get("time")) == ("cases.tasks.json", "1.500")
    (failure,) = short.iter("failure")
    assert failure.get("message", "").startswith("1 of 3 trials passed, 2 required; pass@2 0.67; pass^2 0.00;")
    assert failure.text is not None
    assert failure.text.splitlines() == [
        "trial 1: passed",
        *("trial 2: failed", "  score 0.70 is below the threshold 1"),
        *("trial 3: failed", "  score 0.70 is below the threshold 1"),
    ]
    found = {one.get("name", ""): one.get("value", "") for one in short.iter("property")}
    assert {name.removeprefix("ppteval."): found[name] for name in list(found)[:5]} == {
        "verdict": "failed",
        "trials": "3",
        "require": "2",
        "passes": "1",
        "open": "0",
    }
    assert float(found["ppteval.pass_at_2_low"]) == pytest.approx(2 / 3)
    assert float(found["ppteval.success_rate_95_high"]) == pytest.approx(0.7923, abs=1e-4)
    assert found["ppteval.flaky"] == "B"
    assert not [*cases["u"].iter("failure"), *cases["u"].iter("error")]
    (error,) = cases["odd &<"].iter("error")
    assert (error.get("type"), error.text) == ("ppteval.undetermined", "trial 1: undetermined\n  \\x1b[31m<&")


def test_what_the_runs_differ_in_is_told(tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    same = {"sandbox": "full", "models": {"judge": "m"}}
    git = {"branch": "trunk", "dirty": False}
    make_run(tmp_path / "one", record_of(case, 1), git={"commit": "abc", **git}, agent="a", **same)
    make_run(tmp_path / "two", record_of(case, 2), git={"commit": "def", **git}, agent="b", ended=None, **same)
    with (tmp_path / "two" / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"format": 1, "task_')
    assert main(["merge", str(tmp_path / "one"), str(tmp_path / "two"), "--into", str(tmp_path / "merged")]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: two: 1 unfinished line of a killed session passed over",
        'note: the runs differ in agent: "a" in one; "b" in two',
        'note: the runs differ in git.commit: "abc" in one; "def" in two',
        "note: two has no end: its session was killed, or still runs",
    ]
    facts = RunFolder.open(tmp_path / "merged").facts()
    assert (facts["sandbox"], facts["models"], facts["ended"]) == ("full", {"judge": "m"}, None)
    assert "git" not in facts
    assert "agent" not in facts
    assert [shard["git"]["commit"] for shard in facts["shards"]] == ["abc", "def"]


def test_two_results_of_one_trial_are_refused_unless_told_which(
    tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "one", record_of(case, 1), record_of(case, 2))
    make_run(tmp_path / "two", record_of(case, 3), record_of(case, 2, b=0.0))
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged")]) == 1
    assert capsys.readouterr().err == (
        f"cases/tasks.json::t, trial 2 was judged twice: passed in {tmp_path / 'one' / 'results.jsonl'}:2 and "
        f"failed in {tmp_path / 'two' / 'results.jsonl'}:2: leave one out, or let the later path count with "
        "--prefer last\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "t.rubric.json", "two"]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged"), "--prefer", "last"]) == 0
    assert read(tmp_path / "merged").records["cases/tasks.json::t", 2]["verdict"] == "failed"
    assert main(["merge", *reversed(runs), "--into", str(tmp_path / "other"), "--prefer=last"]) == 0
    assert read(tmp_path / "other").records["cases/tasks.json::t", 2]["verdict"] == "passed"


def test_the_same_result_at_another_time_is_no_conflict(tmp_path: Path, case: Case) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    again = record_of(case, 1, finished="2026-04-01T00:00:00+00:00", folder=None)
    make_run(tmp_path / "two", {**again, "seconds": 99})
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged")]) == 0


@pytest.mark.parametrize("order", [1, -1])
def test_a_run_that_came_to_its_end_counts_before_one_that_did_not(tmp_path: Path, case: Case, order: int) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    trouble = {"status": "infrastructure", "reason": "overloaded"}
    make_run(tmp_path / "two", record_of(case, 1, a=None, run=trouble))
    runs = [str(tmp_path / "one"), str(tmp_path / "two")][::order]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged")]) == 0
    (record,) = read(tmp_path / "merged").records.values()
    assert (record["complete"], record["verdict"]) == (True, "passed")


def test_artifacts_of_two_suites_of_one_name_stay_apart(tmp_path: Path, case: Case) -> None:
    mine = record_of(case, 1)
    theirs = {**mine, "file": "b/cases/tasks.json", "nodeid": "b/cases/tasks.json::t[trial-1]"}
    make_run(tmp_path / "one", mine)
    make_run(tmp_path / "two", theirs)
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert main(["merge", *runs, "--into", str(tmp_path / "merged")]) == 0
    decks = {
        key_of(record)[0]: (tmp_path / "merged" / record["folder"] / "output.pptx").read_text("utf-8")
        for record in read(tmp_path / "merged").records.values()
    }
    assert decks == {
        "b/cases/tasks.json::t": f"deck of {theirs['nodeid']}",
        key_of(mine)[0]: f"deck of {mine['nodeid']}",
    }


def test_links_that_an_agent_left_are_not_followed(tmp_path: Path, case: Case) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    kept = tmp_path / "one" / "artifacts" / "cases" / "t" / "trial-1" / "workspace"
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("secret", "utf-8")
    try:
        (kept / "out").symlink_to(tmp_path / "secret", target_is_directory=True)
    except OSError:
        pytest.skip("no right to make links here")
    assert main(["merge", str(tmp_path / "one"), "--into", str(tmp_path / "merged")]) == 0
    copy = tmp_path / "merged" / kept.relative_to(tmp_path / "one") / "out"
    assert copy.is_symlink()
    assert copy.readlink() == tmp_path / "secret"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_what_is_no_file_is_told_and_left(tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    kept = tmp_path / "one" / "artifacts" / "cases" / "t" / "trial-1" / "workspace"
    os.mkfifo(kept / "pipe")
    (kept / "deep").mkdir()
    (kept / "deep" / "plain.txt").write_text("x", "utf-8")
    assert main(["merge", str(tmp_path / "one"), "--into", str(tmp_path / "merged")]) == 0
    said = f"note: not copied: {kept.parent / 'workspace' / 'pipe'}: is no plain file: it is a pipe\n"
    assert capsys.readouterr().err == said
    assert content(tmp_path / "merged") == content(tmp_path / "one")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_told_and_left(tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    kept = tmp_path / "one" / "artifacts" / "cases" / "t" / "trial-1" / "workspace"
    (kept / "locked").mkdir(mode=0)
    (kept / "secret.txt").touch(mode=0)
    assert main(["merge", str(tmp_path / "one"), "--into", str(tmp_path / "merged")]) == 0
    assert capsys.readouterr().err.count("can't be read: Permission denied") == 2


def test_a_record_that_leads_elsewhere_copies_nothing(
    tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "one", {**record_of(case, 1), "folder": None})
    text = (tmp_path / "one" / "results.jsonl").read_text("utf-8")
    (tmp_path / "secret").mkdir()
    (tmp_path / "one" / "results.jsonl").write_text(text.replace('"folder": null', '"folder": "../secret"'), "utf-8")
    assert main(["merge", str(tmp_path / "one"), "--into", str(tmp_path / "merged")]) == 0
    assert "its artifacts are not there (../secret)" in capsys.readouterr().err
    (record,) = read(tmp_path / "merged").records.values()
    assert record["folder"] is None


def test_a_merged_run_can_be_merged_again(tmp_path: Path, case: Case) -> None:
    for n, name in enumerate(("one", "two", "three"), 1):
        make_run(tmp_path / name, record_of(case, n))
    assert main(["merge", str(tmp_path / "one"), str(tmp_path / "two"), "--into", str(tmp_path / "first")]) == 0
    assert main(["merge", str(tmp_path / "first"), str(tmp_path / "three"), "--into", str(tmp_path / "all")]) == 0
    assert len(read(tmp_path / "all").records) == 3
    names = [shard["name"] for shard in RunFolder.open(tmp_path / "all").facts()["shards"]]
    assert names == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("runs", "into", "status", "said"),
    [
        (["one", "one"], "merged", 1, "one is named twice: name each run once"),
        (["one"], "one/below", 1, "is merged: name a folder elsewhere"),
        (["one"], "one", 1, "is merged: name a folder elsewhere"),
        (["one"], "full", 1, "is there already and not empty: name a new folder"),
        (["bad"], "merged", 1, "results.jsonl:1: no JSON"),
        (["full"], "merged", 2, "full is no run directory: run.json is not in it"),
        (["nowhere"], "merged", 2, "nowhere is not there"),
    ],
)
def test_what_cannot_be_merged_is_told(
    tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str], runs: list[str], into: str, status: int, said: str
) -> None:
    make_run(tmp_path / "one", record_of(case, 1))
    make_run(tmp_path / "bad")
    (tmp_path / "bad" / "results.jsonl").write_text("oops\n", "utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    before = sorted(tmp_path.rglob("*"))
    assert main(["merge", *(str(tmp_path / run) for run in runs), "--into", str(tmp_path / into)]) == status
    assert said in capsys.readouterr().err
    after = [path for path in sorted(tmp_path.rglob("*")) if not path.name.endswith(".lock")]
    assert after == [path for path in before if not path.name.endswith(".lock")]
