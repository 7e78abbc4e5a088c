"""docs/vocabulary.md: each word has an example, and each example holds where the page says so, and only there."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.case.document import parse_document
from pytest_ppteval.case.rubrics import rubric_of
from pytest_ppteval.vocabulary import checks, guards
from pytest_ppteval.vocabulary.command.decks import open_world
from pytest_ppteval.vocabulary.judge import judge

if TYPE_CHECKING:
    from pytest_ppteval.vocabulary.world import World

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "vocabulary.md").read_text("utf-8")
EXAMPLE = re.compile(r"<!-- holds on (\S+?)(, also before)? -->\n```yaml\n(.*?)```", re.DOTALL)
EXAMPLES = [(found[1], bool(found[2]), found[3]) for found in EXAMPLE.finditer(PAGE)]
TASKS: dict[str, dict[str, Any]] = json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))


@cache
def world(task: str, *, untouched: bool = False) -> World:
    original = ROOT / TASKS[task]["file_path"]
    output = original if untouched else ROOT / "baselines" / "cases" / task / "output.pptx"
    return open_world(str(original), str(output))


def leaf_of(text: str) -> dict[str, Any]:
    """The leaf of an example, as the loader gives it: so it fits the schema too."""
    node = {"name": "Example", **parse_document(text, "docs/vocabulary.md", yaml=True).data}
    rubric = rubric_of(parse_document(json.dumps({"root": node}), "example.json", yaml=False))
    return dict(rubric.leaves[0].scorer.args)


@pytest.mark.parametrize(("task", "also_before", "text"), EXAMPLES, ids=[task for task, _, _ in EXAMPLES])
def test_an_example_holds_on_its_output_and_not_before(task: str, also_before: bool, text: str) -> None:
    reason, score = judge(leaf_of(text), world(task))
    assert score == 1, reason
    _, before = judge(leaf_of(text), world(task, untouched=True))
    assert (before == 1) == also_before


def test_every_word_has_an_example() -> None:
    leaves = [leaf_of(text) for _, _, text in EXAMPLES]
    parts = [part for leaf in leaves if "deck" in leaf for part in _listed(leaf["deck"])]
    used = {word for part in parts for word in part}
    assert used - {"on"} == set(checks.NAMES)
    assert {name for leaf in leaves if "guard" in leaf for name in leaf["guard"]} == set(guards.NAMES)
    assert any("changes" in leaf for leaf in leaves)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
