"""Looking at a leaf's source without running it."""

from __future__ import annotations

import binascii
import marshal
import traceback

import pytest

from pytest_ppteval.sandbox.source.code import compiled, imports_of, names_used, without_fence


@pytest.mark.parametrize(
    ("fenced", "line"),
    [
        ("```python\nx = 1\n```", 2),
        ("```\nx = 1\n```\n", 2),
        ("\n\n  ```py\nx = 1\n```  \n\n", 4),
        ("```python\nx = 1\n", 2),  # never closed
        ("```python\r\nx = 1\r\n```\r\n", 2),
        ("x = 1", 1),
    ],
)
def test_a_fence_comes_off_and_lines_keep_their_numbers(fenced: str, line: int) -> None:
    code = without_fence(fenced)
    assert "```" not in code
    assert code.splitlines().index("x = 1") == line - 1
    compile(code, "leaf", "exec")


def test_backticks_within_code_stay() -> None:
    code = 'text = """\n```python\n```\n"""\n'
    assert without_fence(code) == code


def test_names_by_which_a_leaf_may_reach_a_global() -> None:
    code = """
from ppteval.verify.ppt.verifier import vlm_call as ask
import tools.llm_tools
def compute_score():
    path = globals().get("modified_ppt_path")
    # original_ppt_path is only mentioned in this comment
    return tools.llm_call(ppt_diff), 1
"""
    names = names_used(code)
    assert {"vlm_call", "modified_ppt_path", "llm_call", "ppt_diff", "llm_tools"} <= names
    assert "original_ppt_path" not in names


@pytest.mark.parametrize(
    "broken",
    [
        "def compute_score(:\n    vlm_call('x')",
        "vlm_call(\0)",
        "(" * 5000 + "vlm_call",
        "-" * 100_000 + "vlm_call",
    ],
)
def test_code_that_does_not_parse_is_searched_for_words(broken: str) -> None:
    assert "vlm_call" in names_used(broken)


def test_names_within_functions_classes_and_constants() -> None:
    code = """
class Shape:
    def area(self, ppt_diff):
        return [llm_call(one) for one in ("first", "second word")]
def compute_score():
    if kind in ("modified_ppt_path", "other"):
        return lambda: vlm_call
"""
    names = names_used(code)
    assert {"Shape", "area", "ppt_diff", "llm_call", "one", "first", "modified_ppt_path", "vlm_call"} <= names
    assert "second word" not in names


def test_code_is_compiled_under_the_leaf_s_name() -> None:
    """Each function within it, too: where an error was raised is told by it."""
    code = "```python\ndef compute_score():\n    assert False, 'kept'\n```"
    module = marshal.loads(binascii.a2b_base64(compiled(code, "a leaf")))
    namespace: dict[str, object] = {}
    exec(module, namespace)
    compute_score = namespace["compute_score"]
    assert callable(compute_score)
    with pytest.raises(AssertionError, match="kept") as raised:
        compute_score()
    last = traceback.extract_tb(raised.tb)[-1]
    assert (last.filename, last.lineno) == ("a leaf", 3)


@pytest.mark.parametrize(
    "code",
    [
        "def compute_score(:",
        "try: a\nfinally: b",
        "x" + ".a" * 100_000,
        "a" + "<a" * 5_000,
        "x" * (600 << 10),
        'x = "\ud800"',
    ],
    ids=["does not compile", "finally", "too deep", "grows", "too long", "no text"],
)
def test_what_is_left_to_the_leaf_s_own_process(code: str) -> None:
    assert compiled(code, "leaf") == ""


def test_imports() -> None:
    code = (
        "import os.path, numpy as np\nfrom pptx.util import Pt\nfrom . import x\nasync def compute_score(): import re"
    )
    assert imports_of(code) == {"os.path", "numpy", "pptx.util", "asyncio", "re"}
    assert imports_of(code + "\n)") >= {"os.path", "numpy", "pptx.util"}


def test_the_codes_own_warnings_are_not_this_runs() -> None:
    assert "re" in names_used(
        "import re\nre.match('\\d', '1')"
    )  # an invalid escape; warnings are errors in these tests
