"""`ppteval compare OLD NEW`: what got better and worse, and whether that can be told from chance."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from run_records import make_case, make_record, make_run, scores

from pytest_ppteval.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping

Scores = "Mapping[str, list[float | None]]"


def run_of(path: Path, tasks: Mapping[str, Any], **facts: Any) -> str:
    """A run of tasks with a critical leaf A and another, B. tasks: by name, B's score of each trial, or (A's, B's)."""
    path.parent.mkdir(exist_ok=True)
    records = []
    for name, tried in tasks.items():
        case = make_case(path.parent, name, "A", "B")
        trials = tried if isinstance(tried, list) else [tried]
        for number, one in enumerate(trials, 1):
            a, b = one if isinstance(one, tuple) else (1.0, one)
            folder = f"artifacts/cases/{name}/trial-{number}"
            records.append(make_record(case, scores(A=a, B=b), number, len(trials), 1, folder=folder))
    make_run(path, *records, **facts)
    return str(path)


def compared(tmp_path: Path, *arguments: str) -> tuple[int, Any]:
    out = tmp_path / "out" / "comparison.json"
    status = main(["compare", *arguments, "--json", str(out)])
    return status, json.loads(out.read_text("utf-8"))


def test_what_became_of_each_task_and_leaf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = {
        "broken": 1.0,
        "fixed": 0.0,
        "better": 0.2,
        "worse": 0.5,
        "lost": 1.0,
        "found": None,
        "same": 1.0,
        "gone": 1.0,
    }
    new = {
        "broken": 0.0,
        "fixed": 1.0,
        "better": 0.4,
        "worse": 0.1,
        "lost": None,
        "found": 1.0,
        "same": 1.0,
        "added": 1.0,
    }
    status, data = compared(tmp_path, run_of(tmp_path / "old", old), run_of(tmp_path / "new", new))
    assert status == 0, "nothing is asked for, and no critical leaf is broken"
    kinds = {task["task"].rpartition("::")[2]: task["kind"] for task in data["comparisons"][0]["tasks"]}
    assert kinds == {name: name for name in new if name not in ("lost", "found")} | {
        "lost": "newly unscored",
        "found": "newly scored",
        "gone": "gone",
    }
    leaves = {task["task"].rpartition("::")[2]: task["leaves"] for task in data["comparisons"][0]["tasks"]}
    assert leaves["worse"] == [{"leaf": "B", "kind": "worse", "critical": False, "before": 0.5, "after": 0.1}]
    assert leaves["broken"][0]["kind"] == "broken"
    assert leaves["lost"][0] == {
        "leaf": "B",
        "kind": "newly unscored",
        "critical": False,
        "before": 1.0,
        "after": None,
    }
    assert leaves["same"] == []
    said = capsys.readouterr().out
    assert "broken (passed before, fails now): 1\n  cases/tasks.json::broken: 1.00 -> 0.70\n" in said
    assert "    B: 1.00 -> 0.00 (broken)\n" in said
    assert max(map(len, said.splitlines())) <= 80


def test_a_critical_check_that_breaks_fails_the_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = run_of(tmp_path / "old", {"t": (1.0, 1.0), "u": (0.5, 0.0)})
    new = run_of(tmp_path / "new", {"t": (0.5, 1.0), "u": (0.0, 0.0)})
    assert main(["compare", old, new]) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == "WORSE new: critical checks that held and hold no more: A of cases/tasks.json::t"


@pytest.mark.parametrize(
    ("old", "new", "max_drop", "status", "why"),
    [
        # B weighs 0.3: a task that loses it falls by 0.3, the mean of two by 0.15.
        ({"t": 1.0, "u": 1.0}, {"t": 1.0, "u": 0.0}, "0.15", 0, None),
        ({"t": 1.0, "u": 1.0}, {"t": 1.0, "u": 0.0}, "0.149", 1, "the mean score fell by 0.150, more than 0.149"),
        ({"t": 1.0}, {"t": None}, "0.2", 1, "may have fallen by up to 0.300"),
        ({"t": 1.0}, {"t": None}, "0.3", 0, None),
        ({"t": 1.0, "u": 1.0}, {"t": 1.0}, "0.9", 1, "that new has no verdict on: cases/tasks.json::u"),
        ({"t": 1.0}, {"t": 1.0, "u": 0.0}, "0", 0, None),
        ({"t": [1.0, 1.0]}, {"t": [1.0, 0.0]}, "0.1", 1, "fell by 0.150"),
    ],
)
def test_a_drop_beyond_what_is_allowed_fails_the_build(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: dict[str, Any],
    new: dict[str, Any],
    max_drop: str,
    status: int,
    why: str | None,
) -> None:
    """What is open or gone is no evidence that nothing got worse."""
    runs = run_of(tmp_path / "old", old), run_of(tmp_path / "new", new)
    assert main(["compare", *runs, "--max-drop", max_drop]) == status
    said = capsys.readouterr().out
    assert ("WORSE" in said) == (why is not None)
    assert (why or "") in said


def test_few_tasks_are_no_proof_and_many_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = [{f"t{n}": 1.0 if n % 4 else 0.0 for n in range(8)}, {f"t{n}": 1.0 for n in range(8)}]
    status, data = compared(tmp_path, run_of(tmp_path / "a", few[0]), run_of(tmp_path / "b", few[1]))
    assert status == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "6 of 8 tasks passed before, 8 now: 2 fixed, 0 broken (McNemar, exact: p = 0.500)." in said
    # Connor for 2 of 8 that change, all one way: (1.96 sqrt(.25) + 0.842 sqrt(.25 - .0625))^2 / .0625 = 28.92
    assert "These two can't be told apart with so few tasks (8); it would take about" in said
    assert "about 29 for verdicts that differ so (power 80%)" in said
    many = [{f"t{n}": 0.0 for n in range(8)}, {f"t{n}": 1.0 for n in range(8)}]
    _, data = compared(tmp_path, run_of(tmp_path / "c", many[0]), run_of(tmp_path / "d", many[1]))
    assert data["comparisons"][0]["verdicts"]["mcnemar_p"] == pytest.approx(2 / 256)
    assert "The new run is better, by more than chance would have it (95%)." in capsys.readouterr().out


def test_more_trials_of_the_same_tasks_are_no_more_evidence(tmp_path: Path) -> None:
    """Trials that say the same thing five times leave the interval as it is: tasks are the units."""
    one = [{"t": 1.0, "u": 1.0, "v": 0.5}, {"t": 0.0, "u": 1.0, "v": 1.0}]
    five = [{name: [score] * 5 for name, score in side.items()} for side in one]
    _, once = compared(tmp_path, run_of(tmp_path / "a", one[0]), run_of(tmp_path / "b", one[1]))
    _, often = compared(tmp_path, run_of(tmp_path / "c", five[0]), run_of(tmp_path / "d", five[1]))
    first, second = once["comparisons"][0]["score"], often["comparisons"][0]["score"]
    assert second["interval"] == pytest.approx(first["interval"])
    assert (second["tasks"], second["difference"]) == (3, pytest.approx((-0.3 + 0 + 0.15) / 3))


def test_what_the_agents_took_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (run_of(tmp_path / name, {"t": 1.0, "u": 1.0}) for name in ("old", "new"))
    for metrics in (tmp_path / "new").rglob("metrics.json"):
        metrics.write_text('{"seconds": 25, "tool_calls": 2, "cost_usd": 0.5}', "utf-8")
    _, data = compared(tmp_path, old, new)
    seconds = data["comparisons"][0]["metrics"]["seconds"]
    assert (seconds["before"], seconds["after"], seconds["difference"]) == (12.5, 25, 12.5)
    assert "cost_usd" not in data["comparisons"][0]["metrics"], "the old run doesn't tell it"
    assert "seconds a run:     12.5 -> 25.0 (+100%, 95%: +100% to +100%)" in capsys.readouterr().out


def test_several_runs_make_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = {"small": 0.0, "middle": 0.5, "large": 1.0}
    runs = [run_of(tmp_path / n, {f"t{k}": (1.0, s) for k in range(6)}, agent=n) for n, s in sides.items()]
    _, data = compared(tmp_path, *runs)
    assert [(row["run"], row["passed"], row["score"]) for row in data["board"]["rows"]] == [
        ("large", 6, 1.0),
        ("middle", 0, pytest.approx(0.85)),
        ("small", 0, pytest.approx(0.7)),
    ]
    large = data["board"]["rows"][0]
    assert large["mcnemar_p_holm"] == pytest.approx(2 * 2 / 64), "two tests: twice the p"
    assert large["passed_interval"] == pytest.approx([0.6097, 1.0], abs=1e-4)  # Wilson's for 6 of 6
    said = capsys.readouterr().out
    assert "3 runs over 6 tasks" in said
    assert max(map(len, said.splitlines())) <= 80


def trigger_run(path: Path, wanted: list[float], unwanted: list[float], **facts: Any) -> str:
    """Trigger cases, as their one leaf came out: 1.0 where the skill did what it should."""
    records = []
    for polarity, rule, found in (("positive", "skill_used", wanted), ("negative", "not_skill_used", unwanted)):
        for number, score in enumerate(found):
            record = make_record(make_case(path.parent, f"{polarity}-{number}", "A", "B"), scores(A=score, B=1.0))
            record |= {"suite": "s", "scenario": "trigger", "polarity": polarity}
            leaf = record["scored_rubric"]["root"]["children"][0]
            leaf["scorer"] = {"type": "check", "rule": rule, "value": ["brand"], "options": {}}
            records.append(record)
    make_run(path, *records, **facts)
    return str(path)


def test_a_skill_s_triggering(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """8 hits of 10, 1 false alarm of 9: precision 8/9, recall 8/10, F1 16/19."""
    with_skill = trigger_run(tmp_path / "with", [1.0] * 8 + [0.0] * 2, [1.0] * 8 + [0.0])
    without = trigger_run(tmp_path / "without", [0.0] * 10, [1.0] * 9, options={"no_skill": True})
    _, data = compared(tmp_path, without, with_skill)
    found = data["triggering"]["with"]
    assert (found["precision"], found["recall"], found["f1"]) == pytest.approx((8 / 9, 0.8, 16 / 19))
    assert found["recall_interval"] == pytest.approx([0.4902, 0.9433], abs=1e-4)  # Wilson's for 8 of 10
    assert found["precision_interval"] == pytest.approx([0.5650, 0.9801], abs=1e-4)
    low, high = found["f1_interval"]
    assert 0.4 < low < 16 / 19 < high <= 1
    said = " ".join(capsys.readouterr().out.split())
    assert "triggering of with: precision 0.89 (0.57 to 0.98), recall 0.80 (0.49 to 0.94), F1 0.84" in said
    assert "without the skill: without. What differs is what the skill is worth." in said


def test_triggering_needs_both_polarities(tmp_path: Path) -> None:
    """A skill that always starts has no false alarm where nobody looks for one."""
    runs = [trigger_run(tmp_path / name, [1.0, 1.0], []) for name in ("a", "b")]
    assert compared(tmp_path, *runs)[1]["triggering"] == {}


def test_runs_that_have_nothing_in_common_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", run_of(tmp_path / "a", {"t": 1.0}), run_of(tmp_path / "b", {"u": 1.0})]) == 2
    assert "have no task in common" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "absent")]) == 2


def test_a_task_whose_file_moved_is_the_same_task(tmp_path: Path) -> None:
    old = run_of(tmp_path / "old", {"t": 1.0})
    case = make_case(tmp_path, "t", "A", "B")
    moved = make_record(case, scores(A=1.0, B=0.0)) | {"file": "b/tasks.json", "nodeid": "b/tasks.json::t"}
    make_run(tmp_path / "new", moved)
    _, data = compared(tmp_path, old, str(tmp_path / "new"))
    assert [(task["task"], task["kind"]) for task in data["comparisons"][0]["tasks"]] == [("b/tasks.json::t", "broken")]


EVIL = "</code>|<img src=x onerror=alert(1)>``` @team https://evil.example \x1b[31m\n::error::x"


def test_names_are_no_markup_in_the_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = make_case(tmp_path, "t", "A", "B")
    record = make_record(case, scores(A=1.0, B=1.0)) | {"nodeid": f"x::{EVIL}", "file": "x"}
    worse = make_record(case, scores(A=0.0, B=1.0)) | {"nodeid": f"x::{EVIL}", "file": "x"}
    make_run(tmp_path / "old", record)
    make_run(tmp_path / "new", worse)
    comment = tmp_path / "comment.md"
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new"), "--markdown", str(comment)]) == 1
    text, said = comment.read_text("utf-8"), capsys.readouterr().out
    assert "\x1b" not in text + said
    assert not re.search(r"^\s*::", text + said, re.MULTILINE)
    # With a bar in it, it is HTML's code element, in which each sign is written by its number.
    assert "<img" not in text
    assert "@team" not in text
    assert "<code>x&#58;&#58;&#60;&#47;code&#62;&#124;&#60;img src&#61;x" in text


def test_a_comment_stays_within_what_github_takes(tmp_path: Path) -> None:
    names = [f"t{n}-{'x' * 200}" for n in range(250)]
    old, new = (dict.fromkeys(names, score) for score in (1.0, 0.0))
    comment = tmp_path / "comment.md"
    main(["compare", run_of(tmp_path / "a", old), run_of(tmp_path / "b", new), "--markdown", str(comment)])
    text = comment.read_text("utf-8")
    assert len(text.encode()) <= 65_000
    assert text.endswith("_Cut: the comment would be too long._\n")
    assert "250 of 250 tasks passed before, 0 now" in text, "what matters stands first"
