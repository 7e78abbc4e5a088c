"""What a leaf may return, and what it is told otherwise."""

from __future__ import annotations

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner


@pytest.mark.parametrize(
    ("returned", "score"),
    [
        ("('fine', 0.25)", 0.25),
        ("['fine', 0.25]", 0.25),
        ("('fine', 1)", 1.0),
        ("('fine', 0)", 0.0),
        ("('fine', True)", 1.0),
        ("('fine', False)", 0.0),
        ("('fine', __import__('numpy').float64(0.5))", 0.5),
        ("(type('Text', (str,), {})('fine'), 0.5)", 0.5),
    ],
)
def test_accepted(leaf: Runner, returned: str, score: float) -> None:
    outcome = leaf.body(f"return {returned}")
    assert (outcome.status, outcome.score, outcome.reason) == ("scored", score, "fine")


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ("None", "returned None, expected (reason, score)"),
        ("0.5", "returned float, expected (reason, score)"),
        ("'fine'", "returned str, expected (reason, score)"),
        ("('fine',)", "returned 1 values, expected (reason, score)"),
        ("('fine', 0.5, 1)", "returned 3 values, expected (reason, score)"),
        ("(0.5, 'fine')", "returned (float, str), expected (reason, score): text, then a number"),
        ("(None, 0.5)", "returned (None, float), expected (reason, score): text, then a number"),
        ("(7, 0.5)", "returned (int, float), expected (reason, score): text, then a number"),
        ("('fine', None)", "returned (str, None), expected (reason, score): text, then a number"),
        ("('fine', '1')", "returned (str, str), expected (reason, score): text, then a number"),
        (
            "('fine', __import__('numpy').float32(0.5))",
            "returned (str, float32), expected (reason, score): text, then a number",
        ),
        ("('fine', float('nan'))", "score nan is outside 0..1"),
        ("('fine', 1.0000001)", "score 1.0000001 is outside 0..1"),
        ("('fine', 7.0)", "score 7.0 is outside 0..1"),
        ("('fine', -1)", "score -1.0 is outside 0..1"),
        ("('fine', float('inf'))", "score inf is outside 0..1"),
        ("('fine', 10 ** 400)", "OverflowError: int too large to convert to float"),
    ],
)
def test_refused(leaf: Runner, returned: str, reason: str) -> None:
    outcome = leaf.body(f"return {returned}")
    assert (outcome.status, outcome.score, outcome.reason) == ("error", None, reason)
    assert not outcome.violation  # wrong, but not an attack


def test_code_without_the_function(leaf: Runner) -> None:
    assert leaf("x = 1").reason == "the code defines no function compute_score()"
    assert leaf("compute_score = 3").reason == "compute_score is no function but int"


def test_a_coroutine_is_waited_for(leaf: Runner) -> None:
    outcome = leaf(
        "import asyncio\nasync def compute_score():\n    await asyncio.sleep(0.01)\n    return 'waited', 1\n"
    )
    assert (outcome.status, outcome.reason) == ("scored", "waited")


@pytest.mark.parametrize("fence", ["```python", "```"])
def test_a_fence_is_taken_off(leaf: Runner, fence: str) -> None:
    outcome = leaf(f"{fence}\ndef compute_score():\n    return nothing, 1\n```")
    assert (outcome.reason, outcome.error_line) == ("NameError: name 'nothing' is not defined", 3)


def test_one_namespace_for_helpers_imports_and_constants(leaf: Runner) -> None:
    outcome = leaf(
        """
import re
from dataclasses import dataclass

LIMIT = 3

@dataclass
class Found:
    count: "int"

def count(text):
    return 0 if not text else 1 + count(text[1:])

def compute_score():
    return re.sub("x", "y", "xx") + str(Found(count("abc"))), float(Found(count("abc")).count == LIMIT)
"""
    )
    assert (outcome.status, outcome.score, outcome.reason) == ("scored", 1.0, "yyFound(count=3)")


def test_a_main_guard_does_not_run(leaf: Runner) -> None:
    outcome = leaf(
        "def compute_score():\n    return __name__, 1\nif __name__ == '__main__':\n    raise SystemExit(3)\n"
    )
    assert outcome.status == "scored"
    assert outcome.reason != "__main__"


def test_reasons_are_made_fit_to_show(leaf: Runner) -> None:
    outcome = leaf.body(r"""return "\x1b[2J\x1b[31mall good\x07 \ud800 <b>&amp;</b> \u202eevil", 1""")
    assert outcome.reason == r"\x1b[2J\x1b[31mall good\x07 \ud800 <b>&amp;</b> \u202eevil"
    long = leaf.body("return 'x' * 10_000_000, 1")
    assert (long.status, len(long.reason)) == ("scored", 20_000 + len("…[cut]"))


def test_what_it_prints_is_kept_and_cut(leaf: Runner) -> None:
    outcome = leaf.body("import sys\nprint('to', 'out')\nprint('to err', file=sys.stderr)\nreturn '', 1")
    assert sorted(outcome.output.splitlines()) == ["to err", "to out"]
    flood = leaf.body("print('ä' * 1_000_000)\nreturn '', 1")
    assert flood.output.endswith("…[cut]")
    assert len(flood.output) < 70_000
    odd = leaf.body("print('\\ud800 \\x1b[31m')\nreturn '', 1")
    assert odd.output == "\\ud800 \\x1b[31m\n"
