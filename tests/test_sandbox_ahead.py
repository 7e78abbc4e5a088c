"""Leaves that run ahead of their turn: heard in order, each by its own clock, and none of them another's business."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import decks, no_model, picture  # noqa: F401 - fixtures

from pytest_ppteval.sandbox.host import Job, Limits, Sandbox, TaskSession

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_ppteval.sandbox.host import ModelRequest

WALL = 2.0


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("auto", limits=Limits(wall=WALL), ahead=2) as sandbox:
        if sandbox.level.name != "full":
            pytest.skip("leaves run one by one where they are not fully confined")
        yield sandbox


@pytest.fixture
def session(sandbox: Sandbox, decks: tuple[Path, Path]) -> Iterator[TaskSession]:  # noqa: F811 - pytest's fixtures
    with sandbox.open(*decks) as session:
        session.ready()
        yield session


def job(body: str, name: str = "leaf") -> Job:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return Job(code=f"import time, os\ndef compute_score():\n{lines}\n", name=name)


SLEEPS = job("time.sleep(0.5)\nreturn str(time.time()), 1.0")
TELLS_WHEN = job("return str(time.time()), 0.5")
LOOPS = job("while True: pass")
ASKS = job("return llm_call('now?'), 1.0")


def slow_answer(request: ModelRequest) -> str:
    """Longer than a leaf may take."""
    time.sleep(WALL + 0.5)
    return "at last"


def test_the_next_leaf_runs_while_one_is_heard(session: TaskSession) -> None:
    ended = session.run(SLEEPS, no_model, [TELLS_WHEN])
    began = session.run(TELLS_WHEN, no_model)
    assert (ended.score, began.score) == (1.0, 0.5)
    assert float(began.reason) < float(ended.reason)


def test_those_that_follow_take_each_other_s_places_while_a_slow_one_is_heard(session: TaskSession) -> None:
    """Two may run beside it: as one of them is done, another begins."""
    following = [job("return str(time.time()), 0.5", name=f"leaf {number}") for number in range(7)]
    ended = session.run(SLEEPS, no_model, following)
    assert all(float(session.run(leaf, no_model).reason) < float(ended.reason) for leaf in following)


def test_no_more_run_at_a_time_than_there_is_room_for(session: TaskSession) -> None:
    lasts = [
        job("began = time.time()\ntime.sleep(0.2)\nreturn f'{began} {time.time()}', 1.0", name=f"leaf {number}")
        for number in range(6)
    ]
    told = [session.run(leaf, no_model, lasts[place + 1 :]).reason.split() for place, leaf in enumerate(lasts)]
    spans = [(float(began), float(ended)) for began, ended in told]
    # One that is heard and two beside it.
    assert max(sum(began <= start < ended for began, ended in spans) for start, _ in spans) <= 3


def test_without_word_of_what_follows_leaves_run_one_by_one(session: TaskSession) -> None:
    ended = session.run(SLEEPS, no_model)
    began = session.run(TELLS_WHEN, no_model)
    assert float(began.reason) > float(ended.reason)


def test_a_leaf_that_loops_is_over_its_time_when_its_turn_comes(session: TaskSession) -> None:
    assert session.run(ASKS, slow_answer, [LOOPS]).reason == "at last"
    started = time.monotonic()
    outcome = session.run(LOOPS, no_model)
    assert (outcome.status, outcome.error_line) == ("error", 3)
    assert outcome.reason == f"no answer within {WALL:g} s"
    assert time.monotonic() - started < WALL


def test_waiting_for_its_turn_to_ask_a_model_does_not_count(session: TaskSession) -> None:
    other = job("return llm_call('and now?'), 0.25")
    assert session.run(ASKS, slow_answer, [other]).reason == "at last"
    asked: list[str] = []

    def answer(request: ModelRequest) -> str:
        asked.append(request.prompt)
        return "yes"

    outcome = session.run(other, answer)
    assert (outcome.reason, outcome.score, asked) == ("yes", 0.25, ["and now?"])


def test_a_model_is_asked_in_the_order_of_the_leaves(session: TaskSession) -> None:
    late = job("time.sleep(0.4)\nreturn llm_call('first'), 1.0")
    early = job("return llm_call('second'), 1.0")
    asked: list[str] = []

    def answer(request: ModelRequest) -> str:
        asked.append(request.prompt)
        return "ok"

    for outcome in (session.run(late, answer, [early]), session.run(early, answer)):
        assert outcome.score == 1.0
    assert asked == ["first", "second"]


def test_a_leaf_that_is_not_asked_for_after_all(session: TaskSession) -> None:
    other = job("return 'other', 1.0")
    session.run(SLEEPS, no_model, [LOOPS, other])
    assert session.run(other, no_model).reason == "other"
    assert session.run(TELLS_WHEN, no_model).score == 0.5


def test_a_crash_beside_it_does_not_matter(session: TaskSession) -> None:
    crash = job("os._exit(3)")
    assert session.run(crash, no_model, [SLEEPS]).reason == "exit code 3 without a result"
    assert session.run(SLEEPS, no_model, [crash]).score == 1.0
    assert session.run(crash, no_model).status == "error"


def test_neither_reaches_the_other(session: TaskSession) -> None:
    attack = job(
        """reached = []
for pid in range(max(2, os.getpid() - 40), os.getpid() + 40):
    if pid == os.getpid():
        continue
    for attempt in (lambda: os.kill(pid, 9), lambda: os.killpg(pid, 9), lambda: open(f'/proc/{pid}/mem', 'r+b')):
        try:
            attempt()
            reached.append(pid)
        except OSError:
            pass
return repr(reached), 1.0"""
    )
    assert session.run(SLEEPS, no_model, [attack]).score == 1.0
    assert session.run(attack, no_model, [SLEEPS]).reason == "[]"
    assert session.run(SLEEPS, no_model).score == 1.0


def test_each_has_what_it_printed_itself(session: TaskSession) -> None:
    jobs = [job(f"print('line {n}')\nreturn 'x', 1.0", f"leaf {n}") for n in range(5)]
    outputs = [session.run(jobs[n], no_model, jobs[n + 1 :]).output for n in range(5)]
    assert outputs == [f"line {n}\n" for n in range(5)]


def test_not_where_one_might_reach_another() -> None:
    with Sandbox("auto", layers=["landlock"], ahead=2) as weaker, weaker.open(None, None) as session:
        assert session.ahead == 0
    with Sandbox("off", ahead=2) as off, off.open(None, None) as session:
        assert session.ahead == 0


def test_each_tells_its_own_seconds(session: TaskSession) -> None:
    """Not those since its turn came, nor those that it waited for its turn to ask."""
    asks_late = job("time.sleep(0.3)\nreturn llm_call('and now?'), 0.25")
    assert session.run(ASKS, slow_answer, [SLEEPS, asks_late]).reason == "at last"
    assert 0.5 <= session.run(SLEEPS, no_model, [asks_late]).seconds < 1.5

    def answer(request: ModelRequest) -> str:
        time.sleep(0.4)
        return "yes"

    assert 0.7 <= session.run(asks_late, answer).seconds < 1.7


def test_a_leaf_cannot_claim_more_seconds_than_there_were(session: TaskSession) -> None:
    lies = job("import pytest_ppteval.sandbox.inside.leaf as own\nown.monotonic = lambda: 1e9\nreturn 'x', 1.0")
    started = time.monotonic()
    assert 0 <= session.run(lies, no_model).seconds <= time.monotonic() - started


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """As a long session may have: a new descriptor is above those that select(2) can look at."""
    resource = pytest.importorskip("resource", reason="no limits of a process here")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip(f"a process may have {hard} open files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    with contextlib.ExitStack() as files:
        for _ in range(1100):
            files.enter_context(open(os.devnull))
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_open_files")
def test_a_session_with_many_open_files_judges_as_any_other(decks: tuple[Path, Path]) -> None:  # noqa: F811
    with Sandbox("auto", ahead=2) as sandbox, sandbox.open(*decks) as session:
        first = session.run(SLEEPS, no_model, [TELLS_WHEN])
        assert (first.score, session.run(TELLS_WHEN, no_model).score) == (1.0, 0.5)
