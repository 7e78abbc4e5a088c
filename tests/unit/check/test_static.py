"""What is found in a rubric before any deck is judged: for each rule one that it finds, and one that it does not."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.case.load import load
from pytest_ppteval.check import code, static
from pytest_ppteval.check.finding import RULES

CHANGES = {"name": "Rest", "is_critical": True, "changes": {"allow": []}}


def function(body: str, **more: Any) -> dict[str, Any]:
    text = "def compute_score():\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n"
    return {"name": "Leaf", "is_critical": True, **more, "scorer": {"type": "function", "function_code": text}}


def rubric(*leaves: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"root": {"name": "Root", "children": [*leaves, CHANGES]}, "metadata": metadata}


def rules_found(tmp_path: Path, document: object, goal: str = "Do it") -> list[str]:
    (tmp_path / "rubric.json").write_text(json.dumps(document), "utf-8")
    tasks = {"t": {"goal": goal, "file_path": "deck.pptx", "rubric_path": "rubric.json", "tags": [], "misc": {}}}
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    registry = load(tmp_path / "tasks.json", "registry")
    found = [*static.of_file(registry)]
    for case in registry.cases:
        found += static.of_case(case)
    return [one.rule for one in found]


GOOD = "return 'fine', 1.0 if ppt_diff.modified_slides else 0.0"
CODE: dict[str, tuple[str, str]] = {
    # rule: code that it is for, code that it is not for
    "syntax": ("return (", GOOD),
    "unknown-name": ("return modified_path, float(bool(ppt_diff))", "return modified_ppt_path, float(bool(ppt_diff))"),
    "import": ("import pandas\n" + GOOD, "import json, lxml.etree\nfrom ppteval.verify import ppt\n" + GOOD),
    "always": ("return 'fine', 1.0", GOOD),
    "unreachable": ("if ppt_diff:\n    return 'no', 0.0\n    print('never')\n" + GOOD, GOOD),
    "swallows": (
        "try:\n    return 'fine', float(len(ppt_diff.modified_slides))\nexcept Exception:\n    return 'no', 0.0",
        "try:\n    return 'fine', float(len(ppt_diff.modified_slides))\nexcept IndexError:\n    return 'no', 0.0",
    ),
    "unclear-question": (
        "return 'x', 1.0 if 'good' in vlm_call('How does it look?', modified_ppt_screenshots) else 0.0",
        "return 'x', 1.0 if 'YES' in vlm_call('YES if all of it can be read', modified_ppt_screenshots) else 0.0",
    ),
    "asks-a-model": (
        "return 'x', 1.0 if 'YES' in vlm_call('YES if the font size is 24', modified_ppt_screenshots) else 0.0",
        "return 'x', 1.0 if 'YES' in vlm_call('YES if the photo shows a boat', modified_ppt_screenshots) else 0.0",
    ),
    "wrong-pictures": (
        "return 'x', 1.0 if 'YES' in vlm_call('YES if slide 3 is tidy', [modified_ppt_screenshots[3]]) else 0.0",
        "return 'x', 1.0 if 'YES' in vlm_call('YES if slide 3 is tidy', [modified_ppt_screenshots[2]]) else 0.0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", CODE)
def test_what_code_tells_of_itself(rule: str, tmp_path: Path) -> None:
    wrong, right = CODE[rule]
    assert rule in rules_found(tmp_path, rubric(function(wrong)))
    assert rules_found(tmp_path, rubric(function(right))) == []


NEVER_ONE = "if ppt_diff:\n    return 'half', 0.5\nreturn 'no', 0.0"
GOES_ON = "try:\n    if 'YES' in llm_call('YES if fine'):\n        return 'a', 0.0\nexcept:\n    pass\nreturn 'b', 1.0"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (NEVER_ONE, "always"),
        ("pass", "always"),
        (GOES_ON, "swallows"),
        ("if False:\n    print()\n" + GOOD, "unreachable"),
        ("import torch.nn\n" + GOOD, "import"),
    ],
)
def test_other_forms_of_the_same(body: str, rule: str, tmp_path: Path) -> None:
    assert rules_found(tmp_path, rubric(function(body))) == [rule]


def test_a_name_that_is_nearly_one_that_is_there_is_suggested(tmp_path: Path) -> None:
    document = rubric(function("return 'x', 1.0 if modified_ppt_paths else 0.0"))
    (tmp_path / "r.rubric.json").write_text(json.dumps(document, indent=1), "utf-8")
    [case] = load(tmp_path / "r.rubric.json", "rubric").cases
    [found] = [one for one in static.of_case(case) if one.rule == "unknown-name"]
    assert "did you mean 'modified_ppt_path'?" in found.message


TITLE = {"name": "Title", "is_critical": True, "deck": {"on": {"slide": 3, "shape": {"title": True}}, "text": "New"}}
WEAK = function("return 'x', float('YES' in llm_call('Is it tidy? YES or NO'))", name="Tidy", is_critical=False)
TREES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no-critical": (
        {"root": {"name": "R", "children": [{**CHANGES, "is_critical": False}, WEAK]}, "metadata": {"threshold": 0.5}},
        {"root": {"name": "R", "children": [CHANGES, WEAK]}, "metadata": {"threshold": 0.9}},
    ),
    "no-changes": ({"root": {"name": "R", "children": [TITLE]}}, {"root": {"name": "R", "children": [TITLE, CHANGES]}}),
    "powerless": (rubric(TITLE, WEAK, threshold=0.6), rubric(TITLE, WEAK, threshold=0.9)),
    "same-name": (rubric(TITLE, {**TITLE, "deck": {"document": {"slides": 4}}}), rubric(TITLE)),
    "format": (rubric({"name": "x"}), rubric(TITLE)),
}


@pytest.mark.parametrize("rule", TREES)
def test_what_the_tree_tells(rule: str, tmp_path: Path) -> None:
    wrong, right = TREES[rule]
    assert rules_found(tmp_path, wrong) == [rule]
    assert rules_found(tmp_path, right) == []


@pytest.mark.parametrize(
    ("goal", "found"),
    [
        ("Change the title of slide 3 to 'New'", []),
        ("Change the title of slide 2 to 'New'", ["slide-number"]),
        ("把第4页的标题改为 New", ["slide-number"]),
        ("Change the title of slide 7 to 'New'", []),  # not one off: something else is meant
        ("Change the title to 'New'", []),
    ],
)
def test_a_slide_s_number_one_off_the_goal(goal: str, found: list[str], tmp_path: Path) -> None:
    assert rules_found(tmp_path, rubric(TITLE), goal) == found


def test_an_index_in_code_counts_from_0(tmp_path: Path) -> None:
    body = (
        "import pptx\nslide = pptx.Presentation(modified_ppt_path).slides[{}]\nreturn 'x', float(slide.has_notes_slide)"
    )
    assert rules_found(tmp_path, rubric(function(body.format(3))), "Tidy slide 3") == ["slide-number"]
    assert rules_found(tmp_path, rubric(function(body.format(2))), "Tidy slide 3") == []


CASE = """
cases:
  - id: c
    prompt: Do it
    expected_behavior:
      - {rule}
"""


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("response_matches: '^Verdict: invalid$'", ["line-ends"]),
        (r"response_matches: '^Verdict: invalid\s*$'", []),
        ("tool_call: Write", ["one-tool"]),
        ("tool_call: write", []),
        ("not_tool_call: Write", []),
        ("tool_call: mcp__lab__get_run", []),
    ],
)
def test_what_rules_tell(rule: str, found: list[str], tmp_path: Path) -> None:
    path = tmp_path / "c.case.yaml"
    path.write_text(CASE.format(rule=rule), "utf-8")
    [case] = load(path, "case").cases
    assert [one.rule for one in static.of_case(case)] == found


def test_the_names_that_code_finds_are_those_that_a_leaf_s_process_gives() -> None:
    leaf = Path(code.__file__).parents[1] / "sandbox" / "inside" / "leaf.py"
    calls = [node for node in ast.walk(ast.parse(leaf.read_text("utf-8"))) if isinstance(node, ast.Call)]
    [update] = [
        one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "update" and one.keywords
    ]
    assert {keyword.arg for keyword in update.keywords} == set(code.GLOBALS)


def test_each_rule_is_described() -> None:
    page = (Path(__file__).parents[3] / "docs" / "check.md").read_text("utf-8")
    assert [rule for rule in RULES if f"`{rule}`" not in page] == []
