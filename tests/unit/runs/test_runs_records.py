"""Journal records: what was judged comes back as it was, what is outdated is told, trials are taken together."""

from __future__ import annotations

import json
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from run_records import make_case, make_record, scores

from pytest_ppteval.rubric.result import LeafResult, Usage, Votes
from pytest_ppteval.rubric.tree import Source
from pytest_ppteval.runs.judged import judged, judged_before, trials_by_task
from pytest_ppteval.runs.records import (
    OWN,
    before,
    hashes_for,
    is_complete,
    journal_record,
    leaves_of,
    outdated,
    results_of,
    task_part,
    trial_of,
)
from pytest_ppteval.runs.results import task_record
from pytest_ppteval.runs.schema import find_problems
from pytest_ppteval.runs.verdicts import describe, verdict_lines
from pytest_ppteval.verify import Rules, conclude

USAGE = Usage(live=3, failed=1, replayed=2, input_tokens=900, output_tokens=7, cache_read_tokens=50)
FULL = LeafResult(
    status="scored",
    score=0.1 + 0.2,
    reason="近似 \u2028",
    seconds=0.123456,
    output="printed\n",
    details="what changed",
    usage=USAGE + Usage(known_cost=Decimal("0.0123"), votes=(Votes(yes=2, no=1),)),
)
ERROR = LeafResult(
    status="error",
    reason="ZeroDivisionError",
    traceback="line 3\n",
    error_at=Source("r.json", 7, 3),
    usage=USAGE + Usage(unpriced=1),
)


def schemas() -> dict[str, Any]:
    folder = files("pytest_ppteval.case") / "schema"
    names = ("results", "journal-record", "run-directory")
    return {f"{n}.schema.json": json.loads((folder / f"{n}.schema.json").read_text("utf-8")) for n in names}


def test_stored_judgements_come_back_as_they_were(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A", "B", "C", "D", budget={"seconds": 5})
    gate = case.rubric.leaves[-1].id
    results = {"A": FULL, "B": ERROR, "C": LeafResult(status="unscored", reason="no model"), **scores(**{gate: 0.0})}
    results["D"] = LeafResult(status="unscored", applies=False, reason="nothing to compare with")
    record = json.loads(json.dumps(make_record(case, results)))
    assert find_problems(record, "journal-record") == []
    assert results_of(record) == results
    # And make the same verdict, tree and all.
    again = conclude(case, results_of(record), Rules())
    assert again.verdict == conclude(case, results, Rules()).verdict
    assert task_record(again, level="full") | {"file": 0} == {
        **{name: value for name, value in task_part(record).items() if name != "nodeid"},
        "file": 0,
    }


def test_leaves_that_were_not_asked_for_are_not_made_up(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A", "B")
    record = make_record(case, scores(B=1.0))
    assert [leaf["leaf_id"] for leaf in leaves_of(record)] == ["A", "B"]
    assert list(results_of(record)) == ["B"]
    assert judged(record).leaves == {"B": 1.0}


def test_the_record_fits_its_schema_as_an_editor_reads_it(tmp_path: Path) -> None:
    """File by file, references followed by file name."""
    found = schemas()
    registry = Registry().with_resources((uri, Resource.from_contents(one)) for uri, one in found.items())
    for schema in found.values():
        Draft202012Validator.check_schema(schema)
    case = make_case(tmp_path, "t", "A")
    run = {"format": 1, "agent": "a", "kind": "command", "status": "finished", "seconds": 3.5, "outside": ["x"]}
    first = make_record(case, scores(A=0.5), run=run, folder="artifacts/s/t/trial-1", hashes=hashes_for(case))
    record = make_record(case, {"A": FULL}, agent="a", previous=before(first))
    validator = Draft202012Validator({"$ref": "journal-record.schema.json"}, registry=registry)
    for good in (first, record):
        assert validator.is_valid(good)
        assert find_problems(good, "journal-record") == []
    for bad in ({**record, "x": 1}, {**record, "previous": {}}, {**record, "run": {"status": "ok"}}):
        assert not validator.is_valid(bad)
        assert find_problems(bad, "journal-record")


def test_the_schema_knows_every_key_of_a_task_and_no_other() -> None:
    found = schemas()
    task = set(found["results.schema.json"]["$defs"]["task"]["properties"])
    assert set(found["journal-record.schema.json"]["properties"]) == task | set(OWN)
    top = found["run-directory.schema.json"]
    assert set(top["$defs"]["shard"]["properties"]) == set(top["properties"]) - {"format", "shards"} | {"name"}


@pytest.mark.parametrize(
    ("verdict", "status", "complete"),
    [
        ("passed", "finished", True),
        ("failed", "failed", True),
        ("failed", "timeout", True),
        ("undetermined", "finished", True),
        ("error", "infrastructure", False),
        ("error", "finished", True),  # the agent did its part: what fails is the judging
        ("failed", None, True),
        ("error", None, False),
        ("skipped", None, False),
    ],
)
def test_only_what_the_agent_did_not_do_is_run_again(verdict: str, status: str | None, complete: bool) -> None:
    run = None if status is None else {"status": status}
    assert is_complete({"verdict": verdict}, run) is complete
    assert journal_record({"verdict": verdict}, run=run)["complete"] is complete


def test_a_judgement_by_other_rules_is_outdated_and_says_why(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A")
    record = make_record(case, scores(A=1.0), hashes=hashes_for(case))
    assert outdated(record, case, Rules()) == []
    other = make_case(tmp_path, "t", "A", code="def compute_score():\n    return 'y', 1.0\n")
    assert outdated(record, other, Rules(threshold=0.5, strategy="mind2web2")) == [
        "the rubric changed",
        "threshold: 1.0 then, 0.5 now",
        "strategy: default then, mind2web2 now",
    ]
    unknown = {**record, "task_hash": None}
    assert outdated(unknown, case, Rules()) == ["the prompt, an input or the deck changed"]


def test_a_record_that_takes_the_place_of_another_tells_what_that_came_to(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A", "B")
    first = make_record(case, scores(A=1.0, B=None))
    second = make_record(case, scores(A=0.5, B=1.0), previous=before(first))
    assert judged_before(first) is None
    assert judged_before(second) == judged(first)
    assert judged(first).leaves == {"A": 1.0, "B": None}
    third = make_record(case, scores(A=1.0, B=1.0), previous=before(second))
    assert judged_before(third) == judged(second)
    assert "previous" not in third["previous"]


def test_trials_are_taken_together_by_task(tmp_path: Path) -> None:
    case, other = make_case(tmp_path, "t", "A", "B"), make_case(tmp_path, "u", "A")
    found: list[dict[str, float | None]] = [{"A": 1.0, "B": 1.0}, {"A": 1.0, "B": 0.0}, {"A": None, "B": 1.0}]
    records = [make_record(case, scores(**one), trial, 3, 2) for trial, one in enumerate(found, 1)]
    records.append(make_record(other, scores(A=1.0)))
    tasks = trials_by_task(records)
    assert list(tasks) == ["cases/tasks.json::t", "cases/tasks.json::u"]
    t = tasks["cases/tasks.json::t"]
    assert [trial.outcome for trial in t.trials] == ["passed", "failed", "open"]
    assert (t.planned, t.require, t.verdict, t.flaky) == (3, 2, "undetermined", ("B",))
    lines = list(verdict_lines(tasks))
    # By hand: B's trials agree to 2/3, A's to 1. One or two of three pass.
    assert lines == [
        (
            "undetermined  cases/tasks.json::t: 1 of 3 trials passed, 2 required (1 open); pass@2 0.67..1.00; "
            "pass^2 0.00..0.33; mean score 0.57..0.90; success rate 33%..67% (95%: 6%..94%); consistency 0.83; flaky: B"
        ),
        "passed        cases/tasks.json::u: score 1.00",
        "2 tasks: 1 passed, 1 undetermined",
    ]
    missing = trials_by_task(records[:1])["cases/tasks.json::t"]
    assert describe(missing).startswith("1 of 3 trials passed, 2 required (2 open, 2 of them not run); pass@1 1.00;")


def test_a_run_that_was_resumed_with_more_trials_counts_them_all(tmp_path: Path) -> None:
    case = make_case(tmp_path, "t", "A")
    first = make_record(case, scores(A=1.0))
    later = [make_record(case, scores(A=1.0), trial, 3, 2, finished="2026-03-02T00:00:00+00:00") for trial in (2, 3)]
    (trials,) = trials_by_task([first, *later]).values()
    assert (trials.planned, trials.require, trials.verdict) == (3, 2, "passed")


@pytest.mark.parametrize("verdict", ["skipped", "none"])
def test_what_has_no_verdict_is_no_trial(verdict: str, tmp_path: Path) -> None:
    record = {**make_record(make_case(tmp_path, "t", "A"), scores(A=1.0)), "verdict": verdict}
    assert trial_of(record) is None
    assert trials_by_task([record]) == {}
