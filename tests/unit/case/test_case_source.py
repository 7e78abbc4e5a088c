"""From a line of a leaf's code to the place in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.case.document import parse_document
from pytest_ppteval.case.rubrics import rubric_of
from pytest_ppteval.case.source import code_line, code_source, find_code

if TYPE_CHECKING:
    from pathlib import Path

CODE = 'import re\n\ndef compute_score():\n    path = "C:\\\\new"\n    return "a\\nb", 1.0\n'


def written_at(text: str, line: int, column: int) -> str:
    return text.split("\n")[line - 1][column - 1 :]


def test_in_json_the_column_tells_the_lines_apart() -> None:
    text = json.dumps({"root": {"name": "é", "scorer": {"type": "function", "function_code": CODE}}}, indent=1)
    leaf = rubric_of(parse_document(text, "r", yaml=False)).leaves[0]
    line = next(number for number, one in enumerate(text.split("\n"), 1) if "function_code" in one)
    for number, code in enumerate(CODE.split("\n"), 1):
        source = code_source(text, leaf, number)
        assert source.line == line
        assert written_at(text, source.line, source.column).startswith(json.dumps(code)[1:-1])
    assert code_source(text, leaf, 99) == leaf.scorer.source, "no such line: where the code starts"
    assert code_source(text, leaf, 0) == leaf.scorer.source
    assert code_source("\ufeff" + text, leaf, 3) == code_source(text, leaf, 3)


@pytest.mark.parametrize("indicator", ["|", "|-", "|+", "&code |", "| # the code"])
def test_in_a_yaml_block_lines_are_lines(indicator: str) -> None:
    block = "\n".join("      " + line if line else "" for line in CODE.split("\n"))
    text = f"root:\n  name: x\n  scorer:\n    function_code: {indicator}\n{block}\n    type: function\n"
    leaf = rubric_of(parse_document(text, "r", yaml=True)).leaves[0]
    assert code_line(text, leaf, 1) == 5
    assert written_at(text, 5, code_source(text, leaf, 1).column) == "import re"
    assert code_line(text, leaf, 5) == 9
    assert written_at(text, 9, code_source(text, leaf, 5).column).startswith('return "a\\nb"')


def test_in_double_quoted_yaml_escapes_count() -> None:
    text = 'root:\n  name: x\n  scorer: {type: function, function_code: "a = 1\\nb = 2\\n"}\n'
    leaf = rubric_of(parse_document(text, "r", yaml=True)).leaves[0]
    source = code_source(text, leaf, 2)
    assert written_at(text, source.line, source.column).startswith("b = 2")


def test_folded_forms_give_their_start() -> None:
    text = "root:\n  name: x\n  scorer:\n    type: function\n    function_code: >\n      a = 1\n\n      b = 2\n"
    leaf = rubric_of(parse_document(text, "r", yaml=True)).leaves[0]
    assert code_line(text, leaf, 2) == 5


def test_a_text_that_is_not_the_leafs_file_does_no_harm() -> None:
    text = json.dumps({"root": {"name": "x", "scorer": {"type": "function", "function_code": CODE}}}, indent=1)
    leaf = rubric_of(parse_document(text, "r", yaml=False)).leaves[0]
    assert code_source("{}", leaf, 2) == leaf.scorer.source


def test_the_place_is_looked_up_in_the_leafs_own_file(tmp_path: Path) -> None:
    text = json.dumps({"root": {"name": "x", "scorer": {"type": "function", "function_code": CODE}}}, indent=1)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "r.json").write_text("\ufeff" + text, "utf-8")
    leaf = rubric_of(parse_document(text, "sub/r.json", yaml=False)).leaves[0]
    assert find_code(leaf, 3, tmp_path) == code_source(text, leaf, 3)
    assert find_code(leaf, 3, tmp_path / "elsewhere") == leaf.scorer.source, "the file has gone"
    (tmp_path / "sub" / "r.json").write_bytes(b"\xff")
    assert find_code(leaf, 3, tmp_path) == leaf.scorer.source
