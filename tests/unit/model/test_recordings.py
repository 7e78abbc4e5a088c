"""Files of recordings: what is written comes back the same, in one order, and keys stand for all that was asked."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_ppteval.model.question import Asked, Tokens
from pytest_ppteval.model.record import Recorded, Recordings, dump, file_name, load

if TYPE_CHECKING:
    from pathlib import Path

ASKED = Asked(kind="vlm", model="m", prompt="Is it blue?", max_tokens=10)
# YAML can't hold these, and nothing that a model is sent or says holds them.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)


def recorded(asked: Asked = ASKED, **changes: Any) -> Recorded:
    base = Recorded(
        asked=asked,
        text="YES",
        leaf="Leaf",
        call=1,
        names=(),
        model="loopback-test-server",
        server="127.0.0.1",
        at="2026-01-01T00:00:00+00:00",
        tokens=None,
    )
    return dataclasses.replace(base, **changes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.builds(
                Asked,
                kind=st.sampled_from(["vlm", "llm"]),
                model=texts,
                prompt=texts,
                system=texts,
                earlier=texts,
                max_tokens=st.integers(1, 10**6),
                images=st.lists(st.text("0123456789abcdef", min_size=64, max_size=64), max_size=2).map(tuple),
                temperature=st.none() | st.floats(0, 1),
                form=st.sampled_from(["text", "verdict"]),
                trial=st.integers(1, 3),
                repeat=st.integers(0, 3),
                vote=st.integers(1, 3),
            ),
            texts,
            texts,
            st.none()
            | st.builds(Tokens, input=st.integers(0, 9), output=st.integers(0, 9), cache_read=st.integers(0, 9)),
        ),
        max_size=3,
        unique_by=lambda one: one[0].key,
    )
)
def test_what_is_written_is_read_back_the_same(
    tmp_path: Path, entries: list[tuple[Asked, str, str, Tokens | None]]
) -> None:
    answers = [
        recorded(asked, text=text, leaf=leaf, tokens=tokens, names=("",) * len(asked.images))
        for asked, text, leaf, tokens in entries
    ]
    path = tmp_path / "t.yaml"
    path.write_text(dump(answers, suite="s", task="t"), "utf-8", newline="")
    assert load(path, "t.yaml") == {answer.asked.key: answer for answer in answers}


def test_the_order_is_the_same_however_it_was_asked() -> None:
    answers = [
        recorded(dataclasses.replace(ASKED, prompt=f"{leaf}{call}", vote=vote), leaf=leaf, call=call)
        for leaf in "AB"
        for call in (1, 2)
        for vote in (1, 2)
    ]
    assert dump(answers, suite="s", task="t") == dump(reversed(answers), suite="s", task="t")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "llm"},
        {"model": "n"},
        {"prompt": "Is it red?"},
        {"system": "x"},
        {"earlier": "x"},
        {"images": ("0" * 64,)},
        {"temperature": 0.7},
        {"max_tokens": 11},
        {"form": "verdict"},
        {"trial": 2},
        {"repeat": 1},
        {"vote": 2},
    ],
)
def test_all_that_an_answer_depends_on_is_in_its_key(change: dict[str, Any]) -> None:
    assert dataclasses.replace(ASKED, **change).key != ASKED.key


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("review-003", "review-003.yaml"),
        ("Classical  Social Experiments [Autosaved]-021", "Classical  Social Experiments [Autosaved]-021.yaml"),
        ("a/b\\c:d", "a%2Fb%5Cc%3Ad.yaml"),
        ("..", "%2E..yaml"),
        ("intro.rubric", "intro%2Erubric.yaml"),
        ("图表", "图表.yaml"),
    ],
)
def test_file_names(task: str, name: str) -> None:
    assert file_name(task) == name


def test_long_task_ids_have_short_file_names_of_their_own() -> None:
    names = {file_name("图" * 300 + end) for end in "ab"}
    assert len(names) == 2
    assert all(len(name.encode()) < 230 for name in names)


def opened(tmp_path: Path, run: str = "run") -> Recordings:
    """The task's recordings as one process of a run opens them."""
    (tmp_path / run).mkdir(exist_ok=True)
    return Recordings(tmp_path / "t.yaml", "t.yaml", suite="s", task="t", lock=tmp_path / run / "lock")


def kept(tmp_path: Path) -> set[tuple[str, int]]:
    return {(answer.text, answer.asked.trial) for answer in load(tmp_path / "t.yaml", "t").values()}


def test_two_writers_keep_each_others_answers(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    first, second = recorded(), recorded(dataclasses.replace(ASKED, prompt="Is it red?"))
    one.add(first)
    other.add(second)
    one.add(dataclasses.replace(first, text="NO"))
    assert {key: answer.text for key, answer in load(tmp_path / "t.yaml", "t").items()} == {
        first.asked.key: "NO",
        second.asked.key: "YES",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "t.yaml"]


def test_a_file_that_another_process_of_the_run_made_did_not_exist_before_it(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.add(recorded())
    # Another of xdist's workers comes to another trial of the same task later.
    assert not opened(tmp_path).existed
    assert not first.existed
    assert opened(tmp_path, "the next run").existed


def test_trials_that_are_recorded_anew_by_two_processes_keep_each_others_answers(tmp_path: Path) -> None:
    before = opened(tmp_path, "the run before")
    trials = [dataclasses.replace(ASKED, trial=trial) for trial in (1, 2)]
    for asked in trials:
        before.add(recorded(asked, text="old"))
        before.add(recorded(dataclasses.replace(asked, prompt="Not asked any more"), text="stale"))
    one, other = opened(tmp_path), opened(tmp_path)
    one.add(recorded(trials[0], text="new"), anew=True)
    assert kept(tmp_path) == {("new", 1), ("old", 2), ("stale", 2)}
    other.add(recorded(trials[1], text="new"), anew=True)
    assert kept(tmp_path) == {("new", 1), ("new", 2)}
