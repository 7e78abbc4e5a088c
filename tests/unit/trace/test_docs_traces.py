"""docs/traces.md says what the program does: its example is run, and its table has all formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_trace_align import run

from pytest_ppteval.cli import main
from pytest_ppteval.trace import formats
from pytest_ppteval.trace.align import align
from pytest_ppteval.trace.explain import explain

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, output = block("console").split("\n", 1)
    assert main(command.removeprefix("$ ppteval ").split()) == 0
    assert capsys.readouterr().out == output


def test_the_table_names_all_formats() -> None:
    table = TEXT[TEXT.index("## Formats") : TEXT.index("A further format")]
    first_cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", " ".join(first_cells))) == set(formats())


def test_the_diff_is_what_explain_gives() -> None:
    assert explain(align(run("A B1 C D E F"), run("A B2 C E F D X"))) + "\n" == block("text")
