"""The diff of two runs, for people."""

from __future__ import annotations

from test_trace_align import run

from pytest_ppteval.trace import Step
from pytest_ppteval.trace.align import align
from pytest_ppteval.trace.explain import call, explain, summary


def test_a_diff_of_steps() -> None:
    alignment = align(run("A B1 C D E F"), run("A B2 C E F D X"))
    assert explain(alignment).splitlines() == [
        summary(alignment),
        "  =   1 A {}",
        '  ~   2 B {"n": 1}',
        '      2 B {"n": 2}',
        "  =   3 C {}",
        "  ... 1 matching step",
        "  =   6 F {}",
        "  >   6 D {}  (baseline: step 4)",
        "  +   7 X {}",
    ]
    expected = (
        "6 steps in the baseline, 7 here: 4 match, 1 inconsistent, 1 moved, 1 extra; 57% of the longer run matches"
    )
    assert summary(alignment) == f"process 94/100: {expected}"


def test_matches_far_from_a_difference_are_left_out_and_counted() -> None:
    alignment = align(run("A B C D E F G"), run("A B C D F G"))
    assert explain(alignment).splitlines()[1:] == [
        "  ... 3 matching steps",
        "  =   4 D {}",
        "  -   5 E {}",
        "  =   6 F {}",
        "  ... 1 matching step",
    ]


def test_equal_runs() -> None:
    alignment = align(run("A B"), run("A B"))
    assert explain(alignment).splitlines() == [
        "process 100/100: 2 steps in the baseline, 2 here: 2 match; 100% of the longer run matches",
        "  ... 2 matching steps",
    ]
    assert summary(align([], [])) == "process 100/100: 0 steps in the baseline, 0 here: 0 match"


def test_a_long_diff_is_cut_and_says_so() -> None:
    lines = explain(align(run("A " * 100), run("B " * 100)), limit=10).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "  ... 191 more lines"


def test_a_step_stays_on_one_line_and_cannot_steer_a_terminal() -> None:
    step = Step(id="1", tool="a\x1b[2J", args={"text": "one\ntwo\u202e"})
    assert call(step) == 'a\\x1b[2J {"text": "one\\ntwo\\u202e"}'
    assert call(Step(id="1", tool="a", args_raw='{"x":\n')) == 'a {"x":\\n'
    assert call(Step(id="1", tool="")) == "(unknown tool) (arguments unknown)"
    long = explain(align([], [Step(id="1", tool="a", args={"text": "x" * 500})]))
    assert all(len(line) <= 110 for line in long.splitlines())
