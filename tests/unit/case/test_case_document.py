"""JSON and YAML text as data with positions, and what is refused, with the exact message."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
import yaml

from pytest_ppteval.case.document import parse_document, read_document
from pytest_ppteval.case.marks import MAX_NESTING
from pytest_ppteval.case.model import FormatError

if TYPE_CHECKING:
    from pathlib import Path

# What libyaml says differs in words from PyYAML's own parser.
needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml words it differently")


def messages(text: str, *, yaml: bool = False) -> list[str]:
    with pytest.raises(FormatError) as caught:
        parse_document(text, "f", yaml=yaml)
    return [str(error) for error in caught.value.all]


# Positions


def test_positions_of_values_and_keys_in_json() -> None:
    text = '{"a": {"b c": [1,\n  {"é": "x"},  "y"]},\n "d\\n": null}'
    document = parse_document(text, "f.json", yaml=False)
    assert document.data == json.loads(text)

    def value(*path: str | int) -> tuple[int, int]:
        source = document.source(*path)
        return source.line, source.column

    def key(*path: str | int) -> tuple[int, int]:
        source = document.key_source(*path)
        return source.line, source.column

    assert value() == (1, 1)
    assert (key("a"), value("a")) == ((1, 2), (1, 7))
    assert (key("a", "b c"), value("a", "b c")) == ((1, 8), (1, 15))
    assert value("a", "b c", 0) == (1, 16)
    assert value("a", "b c", 1) == (2, 3)
    assert (key("a", "b c", 1, "é"), value("a", "b c", 1, "é")) == ((2, 4), (2, 9))
    assert value("a", "b c", 2) == key("a", "b c", 2) == (2, 16)
    assert (key("d\n"), value("d\n")) == ((3, 2), (3, 9))
    assert value("a", "absent", 5) == (1, 7), "the nearest value around what is not written"


def test_positions_of_values_and_keys_in_yaml() -> None:
    text = "# 中文 😀\na:\n  b c: [1, {é: x}]\n  😀: |\n    text\nd: &anchor\n- 1\n"
    document = parse_document(text, "f.yaml", yaml=True)
    assert document.data == {"a": {"b c": [1, {"é": "x"}], "😀": "text\n"}, "d": [1]}
    places = {
        ("a",): (2, 1),
        ("a", "b c"): (3, 3),
        ("a", "b c", 1, "é"): (3, 13),
        ("a", "😀"): (4, 3),
    }
    for path, place in places.items():
        source = document.key_source(*path)
        assert (source.line, source.column) == place, path
    source = document.source("a", "😀")
    assert (source.line, source.column) == (4, 6)
    assert document.source("a", "b c", 1, "é").column == 16


def test_every_position_points_at_its_value() -> None:
    data = {"k": ['"', "\\", "{[]}", {"": {}, "x": [[], [1.5, True, None]]}], 'a"b': "tail", "e": -1e-3}
    for indent in (None, 1, 4):
        text = json.dumps(data, indent=indent)
        document = parse_document(text, "f", yaml=False)
        lines = text.split("\n")
        stack: list[tuple[tuple[str | int, ...], object]] = [((), data)]
        while stack:
            path, value = stack.pop()
            source = document.source(*path)
            written = "\n".join([lines[source.line - 1][source.column - 1 :], *lines[source.line :]])
            assert json.JSONDecoder().raw_decode(written)[0] == value, path
            if isinstance(value, dict):
                for key, child in value.items():
                    source = document.key_source(*path, key)
                    assert lines[source.line - 1][source.column - 1 :].startswith(json.dumps(key))
                    stack.append(((*path, key), child))
            elif isinstance(value, list):
                stack += [((*path, index), child) for index, child in enumerate(value)]


def test_lines_end_in_any_of_the_usual_ways() -> None:
    document = parse_document('{\r\n"a":\r\n1}', "f", yaml=False)
    assert (document.source("a").line, document.source("a").column) == (3, 1)


# Files


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    for name, text in (("f.json", '{"a": 1}'), ("f.yaml", "a: 1")):
        path = tmp_path / name
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        document = read_document(path)
        assert document.data == {"a": 1}
        assert document.source().column == 1


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("f.json", b"", "1:1: the file is empty: write a rubric, tasks or cases into it, or remove it"),
        ("f.yaml", b" \n\n", "1:1: the file is empty: write a rubric, tasks or cases into it, or remove it"),
        ("f.json", b"\xef\xbb\xbf", "1:1: the file is empty: write a rubric, tasks or cases into it, or remove it"),
        ("f.json", b'{"a":\n"\xc3\xa9\xe9"}', "2:3: byte 0xE9 is not UTF-8: save the file as UTF-8"),
        ("f.yaml", b"a: b\nc: \xff", "2:4: byte 0xFF is not UTF-8: save the file as UTF-8"),
        ("f.json", '{"a": 1}'.encode("utf-16"), "1:1: this is UTF-16: save the file as UTF-8"),
    ],
)
def test_files_that_hold_no_text(tmp_path: Path, name: str, raw: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(FormatError) as caught:
        read_document(path, "shown/" + name)
    assert str(caught.value) == f"shown/{name}:{message}"


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    expected = {
        "absent.json": "no such file: correct the path",
        "folder.json": "this is a folder, not a file: name a JSON or YAML file",
        "pipe.json": "this is a device or pipe, not a file: name a JSON or YAML file",
    }
    for name, message in expected.items():
        with pytest.raises(FormatError) as caught:
            read_document(tmp_path / name, name)
        assert str(caught.value) == f"{name}:1:1: {message}"


def test_a_file_is_named_as_given_unless_told_otherwise(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_document(tmp_path / "absent.json")
    assert str(caught.value).startswith(f"{tmp_path / 'absent.json'}:1:1: ")


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(FormatError) as caught:
        read_document(path, "large.json")
    assert str(caught.value) == "large.json:1:1: 100 MiB is too large, the limit is 64 MiB: split the file"


# JSON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "1:2: not valid JSON: the text ends too early: close what is open"),
        ('{"a": [1', "1:9: not valid JSON: the text ends too early: close what is open"),
        ('{"a":1,}', "1:7: not valid JSON: a comma before }: take it off"),
        ("[1,\n]", "1:3: not valid JSON: a comma before ]: take it off"),
        ("{'a':1}", '1:2: not valid JSON: text in single quotes: use double quotes "'),
        ('{"a":"abc', '1:6: not valid JSON: a string without its end: close it with "'),
        (
            '{"a":"x\ny"}',
            (
                "1:8: not valid JSON: a raw line break, tab or control character in a string: "
                "write it as an escape such as \\n or \\t"
            ),
        ),
        ('{"a":"\\d"}', "1:7: not valid JSON: a backslash that starts no escape: write \\\\ for a backslash"),
        ("{} {}", "1:4: not valid JSON: more text after the end of the value: remove it"),
        ("{// c\n}", "1:2: not valid JSON: a comment: JSON has none, remove it or use YAML"),
        ('{"a" 1}', "1:6: not valid JSON: unexpected '1': write a colon after the key here"),
        ('{"a":1\n "b":2}', "2:2: not valid JSON: unexpected '\"': write a comma or a closing bracket here"),
        ('{"a":tru}', "1:6: not valid JSON: unexpected 't': write a value here"),
        ("{a:1}", "1:2: not valid JSON: unexpected 'a': write a key in double quotes here"),
        ('{"a":"NaN","b":NaN}', "1:16: NaN is no JSON number: write a finite one"),
        ("[1,\n-Infinity]", "2:1: -Infinity is no JSON number: write a finite one"),
        ("9" * 5000, "1:1: a number has too many digits: write a smaller one"),
        ('{"a":\n"\\ud83d!"}', "2:1: \\ud83d is half a character: write both halves or the character"),
        ('{"\\udc00": 1}', "1:2: \\udc00 is half a character: write both halves or the character"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    assert messages(text) == [f"f:{message}"]


def test_characters_in_two_halves_are_whole() -> None:
    text = '{"\\ud83d\\ude00": "\\\\ud83d"}'  # an escaped backslash before "ud83d" is no escape
    assert parse_document(text, "f", yaml=False).data == {"😀": "\\ud83d"}


def test_keys_written_twice_in_json_are_all_named_with_their_first_place() -> None:
    assert messages('{"x": {"b": 1,\n"b": 2},\n"x": {}, "y": 1}') == [
        "f:2:1: key 'b' is written twice, first in line 1: remove one or rename it",
        "f:3:1: key 'x' is written twice, first in line 1: remove one or rename it",
    ]


def test_the_same_key_in_two_objects_or_under_escapes() -> None:
    assert parse_document('[{"a": 1}, {"a": {"a": 1}}]', "f", yaml=False).data == [{"a": 1}, {"a": {"a": 1}}]
    assert messages('{"a": 1, "\\u0061": 2}') == [
        "f:1:10: key 'a' is written twice, first in line 1: remove one or rename it"
    ]


# YAML


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# a comment\n", "1:1: the file holds no data: write a rubric, tasks or cases into it, or remove it"),
        (
            "a: !!python/object/apply:os.system [id]",
            (
                "1:4: YAML tag !!python/object/apply:os.system is not allowed: "
                "write plain text, numbers, lists and mappings"
            ),
        ),
        ("a:\n- !mine x", "2:3: YAML tag !mine is not allowed: write plain text, numbers, lists and mappings"),
        ("a: &x !!str 1", "1:4: YAML tag !!str is not allowed: write plain text, numbers, lists and mappings"),
        ("!!map {a: 1}", "1:1: YAML tag !!map is not allowed: write plain text, numbers, lists and mappings"),
        ("a: 1\nnull: 2", '2:1: key null reads as null: quote it as "null"'),
        ("? [a]\n: 1", "1:3: a key must be text, not a list or mapping"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "3:3: merge keys (<<) are not allowed: write the keys out"),
        ("a: .inf", "1:4: .inf is no finite number: write one, or quote it if it is text"),
        ("a: 1" + "0" * 5000, "1:4: number 10000000000000000000 can't be read: quote it if it is text"),
        ("a: &x [*x]", "1:4: an alias inside of what it stands for: write the values out"),
        ("a: 1\nb: 2\na: 3", "3:1: key 'a' is written twice, first in line 1: remove one or rename it"),
        ("a: 1\n---\nb: 2", "2:1: not valid YAML: a second document starts here: keep one in a file"),
        ("a:\n\t- 1", "2:1: not valid YAML: a tab: indent with spaces"),
        ("a: \x01", "1:4: not valid YAML: character U+0001 is not allowed: write it as an escape in double quotes"),
    ],
)
def test_what_is_refused_in_yaml(text: str, message: str) -> None:
    assert messages(text, yaml=True) == [f"f:{message}"]


@needs_libyaml
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: *b", "1:4: not valid YAML: found undefined alias: define it with & before its use"),
        (
            "a: b: c",
            (
                "1:5: not valid YAML: mapping values are not allowed in this context: "
                "check quotes and indentation here and in the lines above"
            ),
        ),
        (
            "a: [1,\nb: 2",
            (
                "2:5: not valid YAML: did not find expected ',' or ']': "
                "check quotes and indentation here and in the lines above"
            ),
        ),
    ],
)
def test_what_is_no_yaml(text: str, message: str) -> None:
    assert messages(text, yaml=True) == [f"f:{message}"]


def test_an_alias_bomb_is_refused() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    (message,) = messages(bomb, yaml=True)
    assert message.endswith(": aliases repeat more than 10,000 values: write them out")


def test_honest_aliases_are_expanded() -> None:
    document = parse_document("a: &x {b: [1, 2]}\nc: *x\n", "f", yaml=True)
    assert document.data == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}
    assert document.data["c"] is not document.data["a"]


def test_yaml_reads_as_version_1_1_and_dates_stay_text() -> None:
    text = "a: yes\nb: off\nc: 010\nd: 1:30\ne: 2024-01-31\nf: 1e-3\ng: 1.0e-3\nh: ~\ni: 'no'\nj: =\n"
    assert parse_document(text, "f", yaml=True).data == {
        "a": True,
        "b": False,
        "c": 8,
        "d": 90,
        "e": "2024-01-31",
        "f": "1e-3",
        "g": 0.001,
        "h": None,
        "i": "no",
        "j": "=",
    }


# Nesting


@pytest.mark.parametrize("yaml", [False, True])
def test_nesting_is_allowed_up_to_the_limit_and_refused_behind_it(yaml: bool) -> None:
    parse_document("[" * MAX_NESTING + "]" * MAX_NESTING, "f", yaml=yaml)
    deeper = MAX_NESTING + 1
    expected = [f"f:1:{deeper}: nested more than 400 levels deep: flatten the tree"]
    assert messages("[" * deeper + "]" * deeper, yaml=yaml) == expected


def test_absurd_nesting_crashes_no_parser() -> None:
    assert messages("[" * 1_000_000) == ["f:1:401: nested more than 400 levels deep: flatten the tree"]
    assert messages('{"a":' * 200_000) == ["f:1:2001: nested more than 400 levels deep: flatten the tree"]
    for text in ("[" * 200_000, "{a: " * 200_000, "- " * 50_000, "? " * 50_000):
        (message,) = messages(text, yaml=True)
        assert message.endswith("nested more than 400 levels deep: flatten the tree")


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("on: {slide: 5}", {"on": {"slide": 5}}),
        ("yes: 1\nNo: 2", {"yes": 1, "No": 2}),
        ("2024: 12.5\n1.50: x", {"2024": 12.5, "1.50": "x"}),
    ],
)
def test_keys_are_the_text_that_is_written(text: str, data: object) -> None:
    assert parse_document(text, "r.yaml", yaml=True).data == data
