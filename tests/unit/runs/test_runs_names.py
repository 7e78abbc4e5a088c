"""Names of folders for any task id: the id itself where a file system takes it, safe and unique where not."""

from __future__ import annotations

import ntpath
import unicodedata
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_ppteval.runs.names import folder_name

# pathlib's own is on its way out; its heir came with Python 3.13.
RESERVED = getattr(ntpath, "isreserved", None) or (lambda name: PureWindowsPath(name).is_reserved())


@pytest.mark.parametrize(
    "plain",
    [
        "t",
        "Revisiting Classical  Social Experiments [Autosaved]-021",
        "application+layer+slide-010",
        "v1.2",
        "a #1 (b)",
        "第三讲 幻灯片",
        "console",
        "a~b",
        "x" * 240,
    ],
)
def test_what_a_file_system_takes_stays(plain: str) -> None:
    assert folder_name(plain, case_counts=True) == plain


@pytest.mark.parametrize(
    ("odd", "name"),
    [
        ("..", "%2E%2E"),
        (".", "%2E"),
        (".hidden", "%2Ehidden"),
        ("", "%"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("C:", "C%3A"),
        ("a*?", "a%2A%3F"),
        ("100%", "100%25"),
        ("ends. ", "ends.%20"),
        ("nul", "%6Eul"),
        ("Con.txt", "%43on.txt"),
        ("LPT¹", "%4CPT¹"),
        ("aux .x", "%61ux .x"),
        ("a\nb\0", "a%0Ab%00"),
        ("\ud800", "%ED%A0%80"),
        ("x~0123456789ab", "x%7E0123456789ab"),
    ],
)
def test_what_it_does_not_take_is_escaped(odd: str, name: str) -> None:
    assert folder_name(odd, case_counts=True) == name


def test_a_long_one_is_cut_and_told_apart_by_its_hash() -> None:
    names = {folder_name("讲" * 100 + end, case_counts=True) for end in ("a", "b")}
    assert len(names) == 2
    for name in names:
        assert len(name.encode()) <= 240
        assert name.startswith("讲" * 70)


def test_where_case_does_not_count_twins_differ_by_more_than_case() -> None:
    twins = ["Task", "task", "TASK", "caf\u00e9", "cafe\u0301"]
    names = [folder_name(twin, case_counts=False) for twin in twins]
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(twins)
    assert folder_name("task", case_counts=False) == "task"


@settings(deadline=None, max_examples=400)
@given(st.lists(st.text(st.characters(), max_size=20), min_size=2, max_size=2, unique=True), st.booleans())
@example(["%2E", "."], True)
@example(["%", ""], True)
@example(["a.%2E", "a.."], True)
def test_any_two_texts_have_two_safe_names(texts: list[str], case_counts: bool) -> None:
    names = [folder_name(text, case_counts=case_counts) for text in texts]
    assert names[0] != names[1]
    if not case_counts:
        first, second = (unicodedata.normalize("NFC", name).casefold() for name in names)
        assert first != second
    for name in names:
        assert Path(name).name == PureWindowsPath(name).name == name
        assert not RESERVED(name)
        assert 0 < len(name.encode()) <= 255
        assert not name.endswith((".", " "))
        assert not name.startswith(".")


def test_each_can_be_made_and_listed(tmp_path: Path) -> None:
    odd = ["..", ".", "", "a/b", "con", "%2E", "讲" * 200, "x" * 300, "x" * 301, "\ud800", "a ", "a", "a."]
    for text in odd:
        (tmp_path / folder_name(text)).mkdir()
    assert len(list(tmp_path.iterdir())) == len(odd)
