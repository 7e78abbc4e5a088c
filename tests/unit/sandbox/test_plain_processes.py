"""Processes without fork, as on Windows: the same leaves come to the same. Whatever is not Windows' own runs here."""

from __future__ import annotations

# ruff: noqa: F811 - arguments named after fixtures
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import Runner, decks, leaf, picture, sandbox, session  # noqa: F401 - fixtures
from sandbox_processes import descendants, gone

from pytest_ppteval.sandbox.confine.policy import PROCESSES_VARIABLE, SandboxUnavailable, probe
from pytest_ppteval.sandbox.host import DeckUnusable, Limits, ModelRequest, Picture, Sandbox, SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.sandbox.confine.policy import Mode
    from pytest_ppteval.sandbox.host import TaskSession

# Each leaf that may leave a trace costs an interpreter here: half a second and more.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["auto", "off"])
def mode(request: pytest.FixtureRequest) -> Iterator[Mode]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PROCESSES_VARIABLE, "plain")
        found: Mode = request.param
        yield found


def test_the_level_is_weak_and_says_why(mode: Mode) -> None:
    level = probe(mode)
    assert level.name == {"auto": "weak", "off": "off"}[mode]
    with pytest.raises(SandboxUnavailable, match="only weak"):
        probe("require")


@pytest.mark.parametrize(
    ("body", "reason", "line"),
    [
        ("raise ValueError('no')", "ValueError: no", 3),
        ("import os; os._exit(3)", "exit code 3 without a result", None),
        ("raise SystemExit(0)", "SystemExit: 0", 3),
        ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV", 3),
        ("x = bytearray(8 << 30)", "MemoryError: memory limit of 2 GiB", 3),
        ("return 'x', 7", "score 7.0 is outside 0..1", None),
    ],
)
def test_ways_to_fail(leaf: Runner, body: str, reason: str, line: int | None) -> None:
    outcome = leaf.body("print('printed')\n" + body)
    assert (outcome.status, outcome.reason, outcome.error_line) == ("error", reason, line)
    assert outcome.output == "printed\n"


@pytest.mark.parametrize(
    "body", ["while True: pass", "import time; time.sleep(60)", "import re; re.match('(a+)+$', 'a' * 60 + 'b')"]
)
def test_time_is_up(mode: Mode, decks: tuple[Path, Path], body: str) -> None:
    """The process itself writes down where it is: nothing can be signalled on Windows."""
    with Sandbox(mode, limits=Limits(wall=0.6)) as sandbox, sandbox.open(*decks) as session:
        outcome = Runner(session, decks).body("print('started')\n" + body)
        assert (outcome.status, outcome.reason) == ("error", "no answer within 0.6 s")
        assert (outcome.error_line, outcome.output) == (3, "started\n")
        assert outcome.seconds < 3
        assert Runner(session, decks).body("return 'next', 1").reason == "next"


def test_the_time_of_a_model_call_is_not_the_leafs(mode: Mode, decks: tuple[Path, Path]) -> None:
    import time

    def slow(_: ModelRequest) -> str:
        time.sleep(1.2)
        return "slow"

    with Sandbox(mode, limits=Limits(wall=0.6)) as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        assert leaf.body("return llm_call('p'), 1", slow).reason == "slow"
        outcome = leaf.body("llm_call('p')\nwhile True: pass", slow)
    assert (outcome.reason, outcome.error_line) == ("no answer within 0.6 s", 3)


def test_decks_pictures_diff_and_calls(leaf: Runner, session: TaskSession, picture: Path) -> None:
    code = """
import pptx
def compute_score():
    before, after = pptx.Presentation(original_ppt_path), pptx.Presentation(modified_ppt_path)
    assert vlm_call("look", [modified_ppt_screenshots[0].image_path]) == "yes"
    return f"{len(before.slides)} {len(after.slides)} {ppt_diff.added_slides[0].title}", 1
"""
    outcome = leaf(code, lambda request: "yes", modified_pictures=(Picture(1, str(picture)),))
    assert outcome.reason == "2 3 Three", outcome
    assert session.diff().added_slides[0].title == "Three"
    outcome = leaf.body("return ppt_diff.added_slides[0].title, 1")  # by a process that did not compute it
    assert outcome.reason == "Three"


def test_leaves_do_not_see_each_others_changes(leaf: Runner) -> None:
    leaf.body("import builtins, pptx\nbuiltins.sorted = pptx.Presentation = None\nreturn 'broken', 1")
    assert (
        leaf.body("import pptx\nreturn str(len(sorted(pptx.Presentation(modified_ppt_path).slides, key=id))), 1").reason
        == "3"
    )


def test_unscored(leaf: Runner) -> None:
    outcome = leaf.body(
        "len(modified_ppt_screenshots)\nreturn '', 1", modified_pictures=None, pictures_reason="no renderer"
    )
    assert (outcome.status, outcome.reason) == ("unscored", "no renderer")


def test_a_violation(leaf: Runner) -> None:
    assert leaf.body("vlm_call('read', ['/etc/passwd'])\nreturn '', 1").violation


def test_a_deck_that_is_none(mode: Mode, decks: tuple[Path, Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.pptx"
    broken.write_bytes(b"this is no zip")
    with Sandbox(mode) as sandbox, sandbox.open(decks[0], broken) as session:
        with pytest.raises(DeckUnusable) as caught:
            session.ready()
        assert caught.value.which == "modified"
    with Sandbox(mode) as sandbox, sandbox.open(None, decks[1]) as session:
        with pytest.raises(SandboxError, match="a diff needs both"):
            session.diff()
        assert Runner(session, decks).body("import os\nreturn 'fine', 1").reason == "fine"


def test_the_next_process_is_killed_and_nothing_is_left_behind(mode: Mode, decks: tuple[Path, Path]) -> None:
    before, files = descendants(os.getpid()), len(os.listdir("/proc/self/fd"))
    with Sandbox(mode) as sandbox, sandbox.open(*decks) as session:
        leaf = Runner(session, decks)
        session.ready()
        for pid in set(descendants(os.getpid())) - set(before):
            os.kill(pid, signal.SIGKILL)
        outcome = leaf.body("import os\nreturn 'one', 1")
        assert (outcome.status, outcome.reason.partition(";")[0]) == ("error", "killed by SIGKILL")
        assert leaf.body("import os\nreturn 'two', 1").reason == "two"
        family = [pid for pid in descendants(os.getpid()) if pid not in before]
        assert family
    assert gone(family)
    assert len(os.listdir("/proc/self/fd")) == files


def test_an_interrupted_leaf_leaves_the_session_usable(leaf: Runner) -> None:
    class Interruption(BaseException):
        pass

    def interrupt(_: ModelRequest) -> str:
        raise Interruption

    with pytest.raises(Interruption):
        leaf.body("import os\nreturn llm_call('p'), 1", interrupt)
    assert leaf.body("import os\nreturn 'still here', 1").reason == "still here"


def test_an_unknown_kind_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROCESSES_VARIABLE, "plane")
    with pytest.raises(ValueError, match="PPTEVAL_SANDBOX_PROCESSES=plane: use plain"):
        probe("auto")
