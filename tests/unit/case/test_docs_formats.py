"""The examples in docs/formats.md are files that load, and say what the text around them says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_ppteval.case.discover import kind_of
from pytest_ppteval.case.document import parse_document
from pytest_ppteval.case.load import load
from pytest_ppteval.case.model import Settings

DOC = Path(__file__).parents[3] / "docs" / "formats.md"
_EXAMPLE = re.compile(r'^```(?:json|yaml) title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A folder with every example under its title, and the rubric in the places that the others name."""
    found = dict(_EXAMPLE.findall(DOC.read_text(encoding="utf-8")))
    assert set(found) == {"intro.rubric.json", "intro.rubric.yaml", "suite/tasks.json", "suite/title-change/task.json"}
    rubric = found["intro.rubric.json"]
    found |= {"suite/rubrics/intro.json": rubric, "suite/title-change/rubric.json": rubric}
    for name, text in found.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_every_code_block_with_data_is_an_example() -> None:
    text = DOC.read_text(encoding="utf-8")
    assert len(re.findall(r"^```(?:json|yaml)", text, re.MULTILINE)) == len(_EXAMPLE.findall(text))


def test_the_rubric_says_the_same_in_json_and_yaml(examples: Path) -> None:
    one, other = (
        parse_document((examples / f"intro.rubric.{end}").read_text(encoding="utf-8"), end, yaml=end == "yaml")
        for end in ("json", "yaml")
    )
    assert one.data == other.data


@pytest.mark.parametrize("end", ["json", "yaml"])
def test_the_rubric_loads(examples: Path, end: str) -> None:
    path = examples / f"intro.rubric.{end}"
    assert kind_of(path, named=False) == "rubric"
    found = load(path, "rubric")
    assert found.errors == ()
    (case,) = found.cases
    assert [(leaf.id, leaf.is_critical, leaf.scorer.type) for leaf in case.rubric.leaves] == [
        ("New title", True, "function"),
        ("Tone", False, "llm"),
    ]
    assert case.goal == "Change the title of slide 1 to 'Results'."
    compile(str(case.rubric.leaves[0].scorer.args["function_code"]), "example", "exec")


def test_the_registry_loads(examples: Path) -> None:
    path = examples / "suite" / "tasks.json"
    assert kind_of(path, named=False) == "registry"
    found = load(path, "registry")
    assert found.errors == ()
    plain, limited = found.cases
    assert (plain.id, plain.difficulty, plain.original) == (
        "title change [v1.2]-001",
        "Easy",
        examples / "decks" / "intro.pptx",
    )
    assert limited.id == "修改标题"
    assert limited.settings == Settings(0.8, "default", 0.3)
    assert [leaf.id for leaf in limited.rubric.leaves if leaf.is_gate] == [
        "budget: seconds",
        "budget: input_tokens",
        "budget: output_tokens",
        "budget: cost_usd",
        "budget: tool_calls",
    ]


def test_the_task_folder_loads(examples: Path) -> None:
    path = examples / "suite" / "title-change" / "task.json"
    assert kind_of(path, named=False) == "task"
    found = load(path, "task")
    assert found.errors == ()
    (case,) = found.cases
    assert (case.id, case.suite, case.budget) == ("title change", "suite", {"seconds": 120.0})
