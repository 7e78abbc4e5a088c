"""Which code may run in a process that another leaf has used, where the sandbox is off."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner
from sandbox_processes import descendants

from pytest_ppteval.sandbox.host import Limits, ModelRequest, Sandbox
from pytest_ppteval.sandbox.hosting.processes import Zygote
from pytest_ppteval.sandbox.source.traceless import leaves_no_trace

TRACELESS = {
    "a constant": "def compute_score():\n    return 'fine', 1.0\n",
    "the diff, read": """
import re
from typing import List, Optional

def titles(slides) -> List[str]:
    return [s.title or "" for s in slides if not s.hidden]

def compute_score():
    problems = []
    counts = {}
    for before, after in ppt_diff.modified_slides:
        if re.search(r"lecture\\s+(\\d+)", after.title or "", re.IGNORECASE) is None:
            problems.append(f"slide {after.slide_number}: {after.title!r}")
        counts[after.slide_id] = len(ppt_diff.slide_changes.get(after.slide_id, []))
    if ppt_diff.added_slides or ppt_diff.removed_slides:
        problems += ["slides were added or removed: " + ", ".join(sorted(titles(ppt_diff.added_slides)))]
    total = 0
    for count in counts.values():
        total += count
    try:
        share = 1 / len(counts)
    except ZeroDivisionError as error:
        return str(error), 0.0
    return "; ".join(problems) or "fine", 0.0 if problems else min(1.0, share + total)
""",
    "a question to a model": "def compute_score():\n    return llm_call('well?', max_tokens=9).strip(), 1\n",
    "in a fence": "```python\ndef compute_score():\n    return 'fine', 1\n```",
}
BODIES_WITH_TRACES = {
    "the diff, changed": "ppt_diff.added_slides.append(1)",
    "the diff, changed by another name": "slides = ppt_diff.added_slides\nslides.clear()",
    "the diff, changed by +=": "slides = ppt_diff.added_slides\nslides += [1]",
    "the diff, changed by += of text": "slides = ppt_diff.added_slides\nslides += 'ab'",
    "the diff, changed within a list": "own = [ppt_diff.added_slides]\nown[0] += [1]",
    "the diff, changed by a method's value": "change = ppt_diff.added_slides.append\nchange(1)",
    "the diff, changed by a parameter": "def f(x):\n    x.append(1)\nf(ppt_diff.added_slides)",
    "the diff, changed by a default": "def f(x=ppt_diff.added_slides):\n    x[:] = []\nf()",
    "the diff, changed in a loop": "for x in [ppt_diff.added_slides]:\n    x.append(1)",
    "the diff, changed by a walrus": "(x := ppt_diff.added_slides).append(1)",
    "the diff, changed where its name is local elsewhere": "def f():\n    ppt_diff = []\nppt_diff.append(1)",
    "a name that is a list in one place only": "x = []\nx = ppt_diff.added_slides\nx.append(1)",
    "unpacked": "[x] = [ppt_diff.added_slides]\nx.append(1)",
    "a builtin whose name is local elsewhere": "def f():\n    setattr = 1\nsetattr(print, 'x', 1)",
    "an attribute set": "ppt_diff.added_slides = []",
    "an attribute deleted": "del ppt_diff.added_slides",
    "another leaf's globals": "ppt_diff.__class__.x = 1",
    "private attributes": "return ppt_diff.__class__.__init__.__globals__, 1",
    "setattr": "setattr(ppt_diff, 'x', 1)",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "open": "open('/dev/null')",
    "globals": "globals()",
    "a class": "class A: pass",
    "a decorator": "@print\ndef f(): pass",
    "with": "with ppt_diff: pass",
    "python-pptx": "from pptx import Presentation",
    "os": "import os",
    "sys by way of re": "import re\nre.enum.sys.path.append('x')",
    "sys by way of typing": "from typing import sys",
    "re's own memory": "import re\nre.purge()",
    "random numbers": "import random",
    "threads": "import threading",
    "a module's attribute": "import re\nre.I = 1",
    "global": "global x\nx = 1",
    "async": "async def f(): pass",
    "code that is none": "return (",
    "deep code": "return " + "-" * 50_000 + "1, 1",
}  # fmt: skip


@pytest.mark.parametrize("name", TRACELESS)
def test_code_that_leaves_no_trace(name: str) -> None:
    assert leaves_no_trace(TRACELESS[name])


@pytest.mark.parametrize("name", BODIES_WITH_TRACES)
def test_code_that_may_leave_one(name: str) -> None:
    body = "\n".join(f"    {line}" for line in BODIES_WITH_TRACES[name].splitlines())
    assert not leaves_no_trace(f"def compute_score():\n{body}\n    return '', 1\n")


# -------------------------------------------------------------------------------------- what a shared process is like

WHO = "return str(llm_call('who')), 1"


def test_such_leaves_share_a_process_and_others_do_not(decks: tuple[Path, Path]) -> None:
    """Seen from outside: by the processes that there are when a leaf asks its model."""
    with Sandbox("off") as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)

        def processes(_: ModelRequest) -> str:
            assert isinstance(sandbox._processes, Zygote)
            time.sleep(0.5)  # until the process for the leaf after this one is there
            return str(sorted(descendants(sandbox._processes._process.pid)))

        first, second = leaf.body(WHO, processes).reason, leaf.body(WHO, processes).reason
        assert first == second
        third = leaf.body("import os\n" + WHO, processes).reason
        assert third != second
        assert leaf.body(WHO, processes).status == "scored"


def test_nothing_of_one_leaf_is_left_for_the_next(leaf: Runner) -> None:
    assert leaf("HELPER = [1]\ndef compute_score():\n    print('first')\n    return str(HELPER), 1").output == "first\n"
    second = leaf("def compute_score():\n    print('second')\n    return str(HELPER), 1")
    assert second.reason == "NameError: name 'HELPER' is not defined"
    assert second.output == "second\n"
    third = leaf.body("return 'fine', 1")
    assert (third.reason, third.output) == ("fine", "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True: pass", "no answer within 0.5 s"),
        ("x = [0] * (1 << 32)", "MemoryError: memory limit of 2 GiB"),
        ("def f(): return f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("return 'x', 7", "score 7.0 is outside 0..1"),
        ("raise ValueError('no')", "ValueError: no"),
    ],
)
def test_a_leaf_that_goes_wrong_takes_its_process_along(decks: tuple[Path, Path], body: str, reason: str) -> None:
    with Sandbox("off", limits=Limits(wall=0.5)) as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        for _ in range(2):
            assert leaf.body("return 'fine', 1").reason == "fine"
            outcome = leaf.body("print('printed')\n" + body)
            assert (outcome.status, outcome.reason) == ("error", reason)
            assert outcome.output == "printed\n"
            assert outcome.error_line is not None or body.startswith(("x", "return"))
        assert leaf.body("return 'fine', 1").reason == "fine"


def test_a_shared_process_is_killed_between_leaves(decks: tuple[Path, Path]) -> None:
    with Sandbox("off") as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        assert leaf.body("return 'one', 1").reason == "one"
        zygote = sandbox._processes
        assert isinstance(zygote, Zygote)
        for pid in descendants(zygote._process.pid)[1:]:
            os.kill(pid, signal.SIGKILL)
        reasons = [leaf.body(f"return '{number}', 1").reason for number in range(3)]
        assert reasons[2] == "2"
        assert set(reasons[:2]) <= {"0", "1", "killed by SIGKILL"}


def test_a_diff_that_is_asked_for_later_reaches_the_shared_process(decks: tuple[Path, Path]) -> None:
    with Sandbox("off") as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        assert leaf.body("return 'no need of it', 1").status == "scored"
        assert leaf.body("return ppt_diff.added_slides[0].title, 1").reason == "Three"


@pytest.mark.slow  # four seconds of processor time, on purpose
def test_processor_time_of_many_leaves_is_not_added_up(decks: tuple[Path, Path]) -> None:
    with Sandbox("off", limits=Limits(cpu=2)) as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        for _ in range(8):
            assert leaf.body("return str(sum(x * x for x in range(6_000_000)))[:3], 1").reason == "719"


def test_many_leaves_leave_no_files_open(decks: tuple[Path, Path]) -> None:
    with Sandbox("off") as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        leaf.body("return 'x', 1")
        before = len(os.listdir("/proc/self/fd"))
        for number in range(200):
            leaf.body("return 'x', 1" if number % 10 else "raise ValueError")
        leaf.body("return 'x', 1")
        assert len(os.listdir("/proc/self/fd")) == before
