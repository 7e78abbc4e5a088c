"""What docs/cases.md shows loads, and names every rule and field there is."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from pytest_ppteval.case.casefile import load_cases
from pytest_ppteval.case.reviews import load_reviews, review_file
from pytest_ppteval.case.rules import KINDS

DOC = (Path(__file__).parents[3] / "docs" / "cases.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r'^```yaml(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    for name, text in _EXAMPLE.findall(DOC):
        if name:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return tmp_path / "cases" / "agent"


def test_the_case_file_and_the_review_load(examples: Path) -> None:
    registry = load_cases(examples / "core.case.yaml")
    assert registry.errors == ()
    cpu, weather = registry.cases
    assert (cpu.suite, len(cpu.rubric.leaves), len(weather.rubric.leaves)) == ("agent", 10, 1)
    path = review_file(cpu)
    assert path == examples / "reviews" / "cpu-bound.yaml"
    (review,) = load_reviews(path, cpu)
    assert (review.by, review.fraction) == ("Ann", 0.75)


def test_the_baseline_loads(tmp_path: Path) -> None:
    (baseline,) = [text for name, text in _EXAMPLE.findall(DOC) if not name]
    path = tmp_path / "c.case.yaml"
    path.write_text(f"prompt: p\n{baseline}", encoding="utf-8")
    registry = load_cases(path)
    assert registry.errors == ()
    assert len(registry.cases[0].rubric.leaves) == 4


def test_every_rule_and_field_is_described() -> None:
    short = {name for name in KINDS if name.startswith("min_")}  # "and min_..."
    assert [name for name in sorted(KINDS.keys() - short) if name not in DOC] == []
    schema = json.loads((files("pytest_ppteval.case") / "schema" / "case.schema.json").read_text("utf-8"))
    fields = schema["$defs"]["case"]["properties"].keys() - {"$schema", "compute_strategy"}
    assert [name for name in sorted(fields) if f"`{name}`" not in DOC] == []
    assert yaml.safe_load("a: 1-5") == {"a": "1-5"}  # a range needs no quotes
