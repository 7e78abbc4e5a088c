"""The shipped suite's visual tasks as a user runs them: on a fresh machine, with a model, and from its recordings.

The model is a server on loopback that says YES or NO as the test wants: its answers are recorded below tmp_path only.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from messages_server import MODEL, Server, says
from renderers_here import RENDERERS, needs, needs_chinese
from suite_looks import ASKED, MEASURED, VISUAL, VISUAL_LEAVES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
# The text of the one line that says what to do, by the reason why leaves are unscored.
NO_PICTURES = (
    f"UNSCORED {2 * len(VISUAL)} leaves: no pictures of output.pptx: put one image a slide into output.zip beside it *"
)
NO_KEY = f"UNSCORED {len(VISUAL)} leaves: *ANTHROPIC_API_KEY*"


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A copy of the suite that has its visual tasks only, with their approved runs."""
    cases, tasks = pytester.path / "cases", json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))
    for folder, pattern in (("rubrics", "*.*"), ("decks", "*.pptx")):
        (cases / folder).mkdir(parents=True)
        for file in (ROOT / "cases" / folder).glob(pattern):
            shutil.copy(file, cases / folder)
    (cases / "tasks.json").write_text(json.dumps({task: tasks[task] for task in VISUAL}), "utf-8")
    for task in VISUAL:
        shutil.copytree(ROOT / "baselines" / "cases" / task, pytester.path / "baselines" / "cases" / task)
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> tuple[pytest.RunResult, dict[str, Any]]:
    """pytest cases/, and its results by task."""
    fixed = ("-p", "no:cacheprovider", "--ppteval-cache=pictures", "--ppteval-json=results.json", "cases")
    result = suite.runpytest_inprocess(*fixed, *arguments)
    document = json.loads((suite.path / "results.json").read_text("utf-8"))
    return result, {task["task_id"]: task for task in document["tasks"]}


def leaves(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for group in task["scored_rubric"]["root"]["children"]:
        yield from group["children"]


def statuses(tasks: dict[str, Any], status: str) -> set[tuple[str, str]]:
    return {
        (name, leaf["leaf_id"]) for name, task in tasks.items() for leaf in leaves(task) if leaf["status"] == status
    }


def scores(tasks: dict[str, Any]) -> set[tuple[float, float]]:
    return {(round(task["low"], 9), round(task["high"], 9)) for task in tasks.values()}


@pytest.mark.slow  # judges six tasks, four times
def test_on_a_fresh_machine_looks_are_unscored_and_the_suite_is_green(suite: pytest.Pytester, no_model: None) -> None:
    result, tasks = run(suite, "--ppteval-renderer=none")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([NO_PICTURES])
    assert statuses(tasks, "unscored") == VISUAL_LEAVES
    # 1 - 0.3 * (1 - looks), and of looks nothing is known.
    assert scores(tasks) == {(0.7, 1.0)}
    result.stdout.fnmatch_lines([f"mean score 0.70..1.00, strict success 0..{len(VISUAL)}/{len(VISUAL)} *"])
    # Who wants looks to decide asks for the full score: then the verdict is open.
    strict, _ = run(suite, "--ppteval-renderer=none", "--ppteval-threshold=1")
    strict.assert_outcomes(errors=len(VISUAL), skipped=2 * len(VISUAL))
    assert strict.ret == pytest.ExitCode.TESTS_FAILED
    allowed, _ = run(suite, "--ppteval-renderer=none", "--ppteval-threshold=1", "--ppteval-unscored=allow")
    allowed.assert_outcomes(skipped=3 * len(VISUAL))
    assert allowed.ret == pytest.ExitCode.OK


@pytest.mark.slow  # draws slides, and judges six tasks, six times
@pytest.mark.parametrize("renderer", RENDERERS)
def test_without_a_key_with_a_model_and_from_recordings(
    suite: pytest.Pytester, no_model: None, monkeypatch: pytest.MonkeyPatch, renderer: str
) -> None:
    needs(renderer)
    needs_chinese()
    draw = f"--ppteval-renderer={renderer}"
    # Without a key: what is measured is scored.
    result, tasks = run(suite, draw)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([NO_KEY])
    assert sum("UNSCORED" in line and " leaves: " in line for line in result.outlines) == 1
    assert statuses(tasks, "unscored") == set(ASKED.items())
    assert scores(tasks) == {(0.85, 1.0)}
    with Server() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        # What the model says is what the leaf scores.
        server.otherwise = lambda body: says("NO, it is not.")
        result, tasks = run(suite, draw)
        assert result.ret == pytest.ExitCode.OK
        assert {name: leaf_of(task, ASKED[name])["score"] for name, task in tasks.items()} == dict.fromkeys(VISUAL, 0)
        assert scores(tasks) == {(0.85, 0.85)}
        result, _ = run(suite, draw, "--ppteval-threshold=1")
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        server.otherwise = lambda body: says("YES. It is.")
        server.requests.clear()
        result, tasks = run(suite, draw, "--ppteval-record=once", "--ppteval-threshold=1")
        assert result.ret == pytest.ExitCode.OK
        assert all_scored_one(tasks)
        # One question a task, with the pictures of its slides.
        pictures = [sum(part["type"] == "image" for part in r["messages"][0]["content"]) for r in server.requests]
        assert len(pictures) == len(VISUAL)
        assert all(pictures)
    # Offline, from what was recorded.
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    result, replayed = run(suite, draw, "--ppteval-record=replay", "--ppteval-threshold=1")
    assert result.ret == pytest.ExitCode.OK
    assert all_scored_one(replayed)
    recordings = list((suite.path / "recordings").rglob("*.yaml"))
    assert {file.stem for file in recordings} == set(VISUAL)
    assert {answered_by(file) for file in recordings} == {MODEL}


@pytest.mark.slow  # judges six tasks
def test_an_answer_that_is_neither_yes_nor_no_is_an_error_and_no_score(suite: pytest.Pytester, server: Server) -> None:
    needs("betteroffice")
    needs_chinese()
    server.otherwise = lambda body: says("Noticeably tidy, I think.")
    result, tasks = run(suite, "--ppteval-renderer=betteroffice")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert statuses(tasks, "error") == set(ASKED.items())
    assert scores(tasks) == {(0.85, 1.0)}


def leaf_of(task: dict[str, Any], name: str) -> dict[str, Any]:
    return next(leaf for leaf in leaves(task) if leaf["leaf_id"] == name)


def all_scored_one(tasks: dict[str, Any]) -> bool:
    found = [leaf for task in tasks.values() for leaf in leaves(task)]
    return {leaf["status"] for leaf in found} == {"scored"} and {leaf["score"] for leaf in found} == {1}


def answered_by(recording: Path) -> str:
    (answer,) = yaml.safe_load(recording.read_text("utf-8"))["answers"]
    return str(answer["answered_by"])


def test_no_answer_of_the_test_server_is_shipped() -> None:
    shipped = [file for name in ("recordings", "cases", "baselines") for file in (ROOT / name).rglob("*.yaml")]
    assert shipped  # rubrics and cases, at least
    assert [file for file in shipped if MODEL in file.read_text("utf-8")] == []


def test_each_visual_task_has_one_leaf_of_either_kind() -> None:
    assert set(MEASURED) == set(ASKED)
