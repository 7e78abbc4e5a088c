"""Leaves that raise, crash, hang or run out of something."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner

from pytest_ppteval.sandbox.host import Limits, Sandbox

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.confine.policy import Mode


def test_an_exception_shows_the_leafs_own_lines_only(leaf: Runner) -> None:
    code = """import re
def inner(text):
    return re.compile(text)

def compute_score():
    return inner("("), 1
"""
    outcome = leaf(code, name="tasks.json leaf Title")
    assert outcome.status == "error"
    assert outcome.reason.splitlines() == [outcome.reason]
    assert outcome.reason.endswith("missing ), unterminated subpattern at position 0")
    assert outcome.error_line == 3
    assert outcome.traceback == (
        '  File "tasks.json leaf Title", line 6, in compute_score\n'
        '    return inner("("), 1\n'
        '  File "tasks.json leaf Title", line 3, in inner\n'
        "    return re.compile(text)"
    )


def test_a_syntax_error_names_its_line(leaf: Runner) -> None:
    outcome = leaf("\n\ndef compute_score():\n    return ('x' 1\n")
    assert outcome.reason.startswith("SyntaxError: ")
    assert outcome.error_line == 4
    assert "return ('x' 1" in outcome.traceback


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import sys; sys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise ValueError('two\\nlines \\x1b[31m')", "ValueError: two lines \\x1b[31m"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", "E: <no text>"),
        ("import os; os._exit(0)", "exit code 0 without a result"),
        ("import os; os._exit(3)", "exit code 3 without a result"),
        ("import os; os.abort()", "killed by SIGABRT"),
        ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = bytearray(8 << 30)", "MemoryError: memory limit of 2 GiB"),
    ],
)
def test_ways_to_fail(leaf: Runner, body: str, reason: str) -> None:
    outcome = leaf.body(body)
    assert (outcome.status, outcome.score, outcome.reason) == ("error", None, reason)
    assert not outcome.violation


def test_a_crash_shows_the_line_and_not_as_output(leaf: Runner) -> None:
    outcome = leaf.body("print('before', flush=True)\nimport ctypes\nctypes.string_at(0)")
    assert outcome.reason == "killed by SIGSEGV"
    assert outcome.error_line == 4
    assert outcome.traceback.endswith("ctypes.string_at(0)")
    assert outcome.output == "before\n"


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        "import signal\nfor n in (signal.SIGTERM, signal.SIGALRM): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
    ],
)
def test_time_is_up(mode: Mode, decks: tuple[object, object], body: str) -> None:
    with Sandbox(mode, limits=Limits(wall=0.4)) as sandbox, sandbox.open(None, None) as session:
        outcome = Runner(session, decks).body("print('started', flush=True)\n" + body)  # type: ignore[arg-type]  # two paths
    assert (outcome.status, outcome.reason) == ("error", "no answer within 0.4 s")
    assert outcome.error_line is not None
    assert outcome.error_line >= 3
    assert outcome.output == "started\n"
    assert 0.4 <= outcome.seconds < 2


def test_processor_time_has_a_limit_of_its_own(mode: Mode, decks: tuple[object, object]) -> None:
    with Sandbox(mode, limits=Limits(wall=30, cpu=1)) as sandbox, sandbox.open(None, None) as session:
        outcome = Runner(session, decks).body("while True: pass")  # type: ignore[arg-type]  # two paths
    assert outcome.reason == "processor time limit of 1 s"


def test_a_thread_or_a_hang_after_the_result_costs_nothing(leaf: Runner) -> None:
    started = time.perf_counter()
    outcome = leaf.body(
        "import threading, time, atexit\n"
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "atexit.register(time.sleep, 1000)\n"
        "return 'done', 1"
    )
    assert outcome.status == "scored"
    assert time.perf_counter() - started < 1.5


def test_leaves_do_not_see_each_others_changes(leaf: Runner) -> None:
    vandal = """
import builtins, random, sys, pptx, os
def compute_score():
    pptx.Presentation = builtins.sorted = None
    sys.modules["re"] = None
    os.environ["LEFT"] = "behind"
    random.seed(99)
    return "broken", 1
"""
    victim = """
import re, os, random, pptx
def compute_score():
    slides = sorted(pptx.Presentation(modified_ppt_path).slides, key=id)
    return f"{len(slides)} {re.escape('.')} {os.environ.get('LEFT')} {random.random()}", 1
"""
    before = leaf(victim)
    assert before.status == "scored"
    assert leaf(vandal).status == "scored"
    assert leaf(victim).reason == before.reason


def test_random_numbers_and_hashes_are_the_same_in_each_run(mode: Mode, leaf: Runner) -> None:
    code = """
import random
import numpy
def compute_score():
    return f"{random.random()} {numpy.random.rand()} {hash('text')} {sorted({'a', 'b'}, key=hash)}", 1
"""
    assert leaf(code).reason == leaf(code).reason
    with Sandbox(mode) as other, other.open(None, None) as session:  # where numpy was not imported ahead
        assert Runner(session, (leaf.paths[0], leaf.paths[1]))(code).reason == leaf(code).reason  # type: ignore[arg-type]  # text will do


def test_the_environment_is_not_the_users(mode: Mode, leaf: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    with Sandbox(mode) as sandbox, sandbox.open(None, None) as session:
        outcome = Runner(session, (leaf.paths[0], leaf.paths[1])).body(  # type: ignore[arg-type]  # text will do
            "import os\nreturn str(sorted(os.environ)), 1"
        )
    assert "ANTHROPIC_API_KEY" not in outcome.reason
    assert "PYTHONHASHSEED" in outcome.reason
