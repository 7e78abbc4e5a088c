"""JSON that is cut off, too deep, or holds half characters."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pytest_ppteval.trace.jsontext import (
    MAX_DEPTH,
    as_count,
    as_number,
    loads,
    mend,
    one_line,
    text_of,
    value_end,
    whole,
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"a": [1, {"b": "c', {"a": [1, {}]}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1, "b": tr', {"a": 1}),
        ('{"a": 1, "b": 12', {"a": 1}),  # it may have been 123
        ('{"a": 1, "b": 12,', {"a": 1, "b": 12}),
        ('[1, 2, "x", [', [1, 2, "x", []]),
        ('{"a": "\\"', {}),
        ('{"a": "x\\\\"', {"a": "x\\"}),
        ('{"a": 1} and more', {"a": 1}),
        ('{"a": 1, oops": 2, "b": 3}', {"a": 1}),
        ("{", {}),
        ("", None),
        ('"abc', None),
        ("nonsense", None),
    ],
)
def test_mend_keeps_what_is_whole(text: str, kept: Any) -> None:
    assert mend(text) == kept


def test_mend_takes_every_prefix() -> None:
    value = {"a": [1, 2.5, True, None, {"b": 'x"\\y', "c": []}], "d": {"e": {"f": "g"}}, "h": -1e5}
    for indent in (None, 1):
        text = json.dumps(value, indent=indent)
        for end in range(1, len(text)):
            kept = mend(text[:end])
            assert isinstance(kept, dict)
            assert set(kept) <= set(value)
        assert mend(text) == value


def test_mend_of_noise_never_raises() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        mend("".join(rng.choice('{}[]",:\\1at \n') for _ in range(rng.randint(0, 30))))


def test_depth_has_a_limit_that_does_not_depend_on_python() -> None:
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    for depth in (MAX_DEPTH + 1, 5000, 200_000):
        with pytest.raises(ValueError, match="nested"):
            loads(" " * 2 * MAX_DEPTH + "[" * depth + "]" * depth)
    assert loads(json.dumps("[" * 1000)) == "[" * 1000  # brackets in a string are no depth
    assert loads(json.dumps([[1]] * 1000)) == [[1]] * 1000


def test_value_end() -> None:
    text = '{"a": "}\\"}", "b": [1]} rest'
    assert value_end(text, 0) == text.index(" rest")
    assert value_end('{"a": [', 0) is None


def test_halves_join_or_are_replaced() -> None:
    assert whole("\ud83d\ude00") == "\U0001f600"
    assert whole("a\ud83db") == "a\ufffdb"
    assert whole("plain ✅") == "plain ✅"


@pytest.mark.parametrize(
    ("value", "count", "number"),
    [
        (5, 5, 5.0),
        (5.0, 5, 5.0),
        (5.5, None, 5.5),
        ("12345678901", 12345678901, None),
        (True, None, None),
        (-1, None, -1.0),
        (None, None, None),
        (10**400, None, None),  # nobody counted so far
        (2**63 - 1, 2**63 - 1, float(2**63)),
        ("x", None, None),
    ],
)
def test_counts_and_numbers(value: Any, count: int | None, number: float | None) -> None:
    assert as_count(value) == count
    assert as_number(value) == number


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("words", "words"),
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "text", "text": "a"}, {"type": "image", "data": "xx"}], "a[image]"),
        (["a", "b"], "a\nb"),
        ({"rows": [1, 2]}, '{"rows": [1, 2]}'),
        ([1, 2], "[1, 2]"),
        ([], "[]"),
    ],
)
def test_the_words_of_a_content(content: Any, text: str) -> None:
    assert text_of(content) == text


def test_one_line() -> None:
    assert one_line("a\tb\r\nc\x00\x9b") == "a\\tb\\r\\nc\\x00\\x9b"
    assert one_line("x" * 20, 10) == "xxxxxxx..."
    assert one_line("测试 ✅") == "测试 ✅"
