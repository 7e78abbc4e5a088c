"""What makes an approved run stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_run import load_case

from pytest_ppteval.baseline.hashes import freshness, hashes_of

CASE = """\
id: a
prompt: look at it
inputs: [data.txt]
skill: my-skill
expected_behavior:
  - max_tool_calls: 10
rubric:
  observation_points: [it looks]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.txt").write_text("1", "utf-8")
    (tmp_path / "my-skill").mkdir()
    (tmp_path / "my-skill" / "SKILL.md").write_text("how", "utf-8")
    return tmp_path


@pytest.fixture
def before(folder: Path) -> dict[str, str]:
    """The hashes that a run was approved with."""
    return hashes_of(load_case(folder, CASE)).as_record()


def state(folder: Path, before: dict[str, str], text: str = CASE) -> str:
    now = load_case(folder, text)
    return str(freshness(before, now, hashes_of(now)))


def test_nothing_changed(folder: Path, before: dict[str, str]) -> None:
    assert state(folder, before) == "fresh"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("look at it", "look at it twice", "stale: the prompt, an input or the deck changed"),
        ("max_tool_calls: 10", "max_tool_calls: 9", "stale: the checks changed"),
        ("[it looks]", "[it looks well]", "stale: the checks changed"),
        ("prompt: look", "tags: [x]\nprompt: look", "fresh"),
        ("id: a\n", "# a comment\n\nid: a\n", "fresh"),
        (
            "skill: my-skill\n",
            "",
            "stale: the prompt, an input or the deck changed; the checks changed; the skill changed",
        ),
    ],
)
def test_what_of_a_case_counts(folder: Path, before: dict[str, str], old: str, new: str, expected: str) -> None:
    assert old in CASE
    assert state(folder, before, CASE.replace(old, new)) == expected


def test_inputs_count_by_their_content(folder: Path, before: dict[str, str]) -> None:
    (folder / "data.txt").write_text("2", "utf-8")
    assert state(folder, before) == "stale: the prompt, an input or the deck changed"


def test_any_file_of_the_skill_counts(folder: Path, before: dict[str, str]) -> None:
    (folder / "my-skill" / "scripts").mkdir()
    (folder / "my-skill" / "scripts" / "run.py").write_text("x", "utf-8")
    assert state(folder, before) == "stale: the skill changed"


def test_what_tools_leave_in_a_skill_does_not(folder: Path, before: dict[str, str]) -> None:
    (folder / "my-skill" / "__pycache__").mkdir()
    (folder / "my-skill" / "__pycache__" / "run.pyc").write_text("x", "utf-8")
    assert state(folder, before) == "fresh"


def test_a_skill_that_is_only_a_name_is_never_called_fresh(tmp_path: Path) -> None:
    case = load_case(tmp_path, "id: a\nprompt: p\nskill: elsewhere\nexpected_behavior:\n  - max_tool_calls: 1\n")
    hashes = hashes_of(case)
    assert str(freshness(hashes.as_record(), case, hashes)) == (
        "unchecked: the skill 'elsewhere' is no folder beside the case, so that changes to it are not seen"
    )


def test_a_run_without_hashes_is_never_called_fresh(tmp_path: Path) -> None:
    case = load_case(tmp_path, "id: a\nprompt: p\nexpected_behavior:\n  - max_tool_calls: 1\n")
    assert freshness(None, case, hashes_of(case)).state == "unchecked"
