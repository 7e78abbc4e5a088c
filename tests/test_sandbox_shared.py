"""Tasks that share an original, and the task that comes next: opened ahead, judged the same, out of reach."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import make_deck, no_model
from sandbox_processes import descendants, gone

from pytest_ppteval.sandbox.host import DeckUnusable, Job, Limits, Sandbox, SandboxError, TaskSession
from pytest_ppteval.sandbox.hosting.processes import Zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLES = """def compute_score():
    from pptx import Presentation
    return repr([slide.shapes.title.text for slide in Presentation(modified_ppt_path).slides]), 1.0
"""
CHANGED = "def compute_score():\n    return repr([new.title for _, new in ppt_diff.modified_slides]), 1.0\n"
ACCOUNT = "def compute_score():\n    return str(ppt_diff.account), 1.0\n"


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("auto", limits=Limits(wall=5.0), ahead=1) as sandbox:
        if sandbox.level.name != "full":
            pytest.skip("each task has its own processes where they are not fully confined")
        yield sandbox


@pytest.fixture
def original(tmp_path: Path) -> Path:
    return make_deck(tmp_path / "original.pptx", "One", "Two", "Three")


@pytest.fixture
def outputs(original: Path, tmp_path: Path) -> list[Path]:
    """Three modified decks, each with its own second title."""
    from pptx import Presentation

    made = []
    for name in ("first", "second", "third"):
        deck = Presentation(str(original))
        deck.slides[1].shapes.title.text = name
        made.append(tmp_path / f"{name}.pptx")
        deck.save(str(made[-1]))
    return made


def run(session: TaskSession, code: str, modified: Path) -> str:
    outcome = session.run(Job(code=code, modified_path=str(modified)), no_model)
    assert outcome.status == "scored", outcome.reason
    return outcome.reason


def holder_of(sandbox: Sandbox) -> int:
    """The process that holds the first original."""
    zygote = sandbox._processes
    assert isinstance(zygote, Zygote)
    pid = zygote._process.pid
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def test_each_task_sees_its_own_deck_and_diff(sandbox: Sandbox, original: Path, outputs: list[Path]) -> None:
    sandbox.foresee([(original, output) for output in outputs])
    for output in [*outputs, outputs[0]]:
        with sandbox.open(original, output) as session:
            assert run(session, TITLES, output) == repr(["One", output.stem, "Three"])
            assert run(session, CHANGED, output) == repr([output.stem])
            assert session.diff().modified_slides[0][0].title == "Two"


def test_what_a_leaf_does_to_the_original_is_undone_for_the_next_task(
    sandbox: Sandbox, original: Path, outputs: list[Path]
) -> None:
    spoil = """def compute_score():
    from pptx import Presentation
    for slide in Presentation(original_ppt_path).slides:
        slide.shapes.title.text = 'spoilt'
    import pptx.api
    pptx.Presentation = pptx.api.Presentation = None
    return 'done', 1.0
"""
    look = """def compute_score():
    from pptx import Presentation
    return Presentation(original_ppt_path).slides[0].shapes.title.text, 1.0
"""
    sandbox.foresee([(original, output) for output in outputs])
    for output in outputs[:2]:
        with sandbox.open(original, output) as session:
            for code, expected in ((spoil, "done"), (look, "One")):
                job = Job(code=code, original_path=str(original), modified_path=str(output))
                assert session.run(job, no_model).reason == expected


def test_a_leaf_reads_no_deck_of_another_task(sandbox: Sandbox, original: Path, outputs: list[Path]) -> None:
    """The process that holds the original may read them all; a task's processes may not."""
    peek = f"""def compute_score():
    seen = []
    for path in {[str(output) for output in outputs]!r}:
        try:
            open(path, 'rb').read()
            seen.append(path.rpartition('/')[2])
        except PermissionError:
            pass
    return repr(seen), 1.0
"""
    sandbox.foresee([(original, output) for output in outputs])
    with sandbox.open(original, outputs[1]) as session:
        assert run(session, peek, outputs[1]) == "['second.pptx']"


def test_a_leaf_does_not_reach_the_process_that_holds_the_original(
    sandbox: Sandbox, original: Path, outputs: list[Path]
) -> None:
    sandbox.foresee([(original, output) for output in outputs])
    with sandbox.open(original, outputs[0]) as session:
        session.ready()
        pid = holder_of(sandbox)
        attack = f"""def compute_score():
    import os
    reached = []
    for attempt in (lambda: os.kill({pid}, 9), lambda: os.killpg({pid}, 9), lambda: open('/proc/{pid}/mem', 'r+b'),
                    lambda: open('/proc/{pid}/environ').read(), lambda: os.listdir('/proc/{pid}/fd')):
        try:
            attempt()
            reached.append(1)
        except OSError:
            pass
    return repr(reached), 1.0
"""
        assert run(session, attack, outputs[0]) == "[]"
        assert Path(f"/proc/{pid}").exists()


def test_a_deck_that_changed_since_is_judged_as_it_is(sandbox: Sandbox, original: Path, outputs: list[Path]) -> None:
    sandbox.foresee([(original, output) for output in outputs])
    with sandbox.open(original, outputs[0]) as session:
        session.ready()
    shutil.copyfile(outputs[2], outputs[1])
    with sandbox.open(original, outputs[1]) as session:
        assert run(session, TITLES, outputs[1]) == repr(["One", "third", "Three"])
    make_deck(original, "Eins", "Two", "Three")
    with sandbox.open(original, outputs[0]) as session:
        assert run(session, CHANGED, outputs[0]) == repr(["One", "first"])


def test_an_original_that_is_no_deck_is_said_to_be_none(sandbox: Sandbox, original: Path, outputs: list[Path]) -> None:
    original.write_bytes(b"no deck")
    sandbox.foresee([(original, output) for output in outputs])
    for output in outputs:
        with sandbox.open(original, output) as session, pytest.raises(DeckUnusable) as caught:
            session.ready()
        assert caught.value.which == "original"
        assert "no zip" in caught.value.reason


def test_a_modified_deck_that_is_none_spoils_no_other_task(
    sandbox: Sandbox, original: Path, outputs: list[Path]
) -> None:
    outputs[0].write_bytes(outputs[0].read_bytes()[:-100])
    sandbox.foresee([(original, output) for output in outputs])
    with sandbox.open(original, outputs[0]) as session, pytest.raises(DeckUnusable) as caught:
        session.ready()
    assert caught.value.which == "modified"
    with sandbox.open(original, outputs[1]) as session:
        assert run(session, CHANGED, outputs[1]) == "['second']"


def test_without_the_holder_the_task_is_judged_all_the_same(
    sandbox: Sandbox, original: Path, outputs: list[Path]
) -> None:
    sandbox.foresee([(original, output) for output in outputs])
    with sandbox.open(original, outputs[0]) as session:
        session.ready()
        pid = holder_of(sandbox)
        everyone = [pid, *descendants(pid)]
        os.kill(pid, signal.SIGKILL)
        assert gone(everyone)
        with sandbox.open(original, outputs[1]) as other:
            assert run(other, CHANGED, outputs[1]) == "['second']"
        with pytest.raises(SandboxError, match="its process was lost"):
            session.run(Job(code=CHANGED, modified_path=str(outputs[0])), no_model)
        assert run(session, CHANGED, outputs[0]) == "['first']"


def test_nothing_is_left_behind(original: Path, outputs: list[Path]) -> None:
    with Sandbox("auto") as sandbox:
        sandbox.foresee([(original, output) for output in outputs])
        sandbox.expect(original, outputs[1], [CHANGED], [Job(code="def compute_score():\n    while True: pass\n")])
        with sandbox.open(original, outputs[0]) as session:
            session.ready()
            zygote = sandbox._processes
            assert isinstance(zygote, Zygote)
            everyone = [zygote._process.pid, *descendants(zygote._process.pid)]
    assert gone(everyone)


class TestTheTaskThatComesNext:
    def test_its_leaves_begin_beside_the_last_one_of_the_task_before(
        self, sandbox: Sandbox, original: Path, outputs: list[Path]
    ) -> None:
        when = Job(code="import time\ndef compute_score():\n    return str(time.time()), 1.0\n")
        last = Job(code="import time\ndef compute_score():\n    time.sleep(1.5)\n    return '', 1.0\n")
        with sandbox.open(original, outputs[1]) as before:
            sandbox.expect(original, outputs[0], [when.code], [when])
            before.run(last, no_model)
        opened = time.time()
        with sandbox.open(original, outputs[0]) as session:
            assert float(session.run(when, no_model).reason) < opened

    def test_another_task_may_come_after_all(self, sandbox: Sandbox, original: Path, outputs: list[Path]) -> None:
        sandbox.expect(original, outputs[0], [CHANGED], [Job(code=CHANGED)])
        with sandbox.open(original, outputs[1]) as session:
            assert run(session, CHANGED, outputs[1]) == "['second']"

    def test_its_deck_may_change_until_it_is_opened(
        self, sandbox: Sandbox, original: Path, outputs: list[Path]
    ) -> None:
        job = Job(code=CHANGED, modified_path=str(outputs[0]))
        sandbox.expect(original, outputs[0], [CHANGED], [job])
        time.sleep(0.5)
        shutil.copyfile(outputs[2], outputs[0])
        with sandbox.open(original, outputs[0]) as session:
            assert run(session, CHANGED, outputs[0]) == "['third']"

    def test_a_deck_that_cannot_be_read_is_told_when_it_is_opened(
        self, sandbox: Sandbox, original: Path, outputs: list[Path]
    ) -> None:
        outputs[0].write_bytes(b"")
        sandbox.expect(original, outputs[0], [CHANGED], [Job(code=CHANGED)])
        with sandbox.open(original, outputs[0]) as session, pytest.raises(DeckUnusable):
            session.run(Job(code=CHANGED), no_model)


def test_the_account_is_that_of_the_decks_whatever_the_leaf_did_to_them(
    sandbox: Sandbox, original: Path, outputs: list[Path]
) -> None:
    """It is made when the leaf looks at it: here under a name that nobody could foresee."""
    late = """def compute_score():
    from pptx import Presentation
    Presentation(modified_ppt_path).slides[0].shapes.title.text = 'changed by the leaf'
    return str(getattr(ppt_diff, 'acc' + 'ount')), 1.0
"""
    with sandbox.open(original, outputs[0]) as session:
        expected = run(session, ACCOUNT, outputs[0])
    with sandbox.open(original, outputs[0]) as session:
        assert run(session, late, outputs[0]) == expected
        assert str(session.diff().account) == expected
    assert expected.splitlines() == ["slide 2, Title 1 (placeholder): text: [-Two-]{+first+}"]
