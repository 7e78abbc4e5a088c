"""Bytes into lines and values, with the places that pieces of a file may be cut at."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from pytest_ppteval.trace import source as source_module
from pytest_ppteval.trace.source import Notes, Source


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_do_not_depend_on_the_pieces_read(chunk: int, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_CHUNK", chunk)
    rng = random.Random(chunk)
    texts = ["".join(rng.choice("aé✅\u2028 ") for _ in range(rng.randint(0, 9))) for _ in range(40)]
    records = [{"n": number, "text": text} for number, text in enumerate(texts)]
    data = "".join(json.dumps(record, ensure_ascii=False) + end for record in records)
    source = Source(data.encode())
    assert list(source.records()) == list(enumerate(records, 1))
    assert list(source.records()) == list(enumerate(records, 1))  # again from the start
    assert source.notes.diagnostics() == ()


def test_mixed_line_ends_and_their_numbers() -> None:
    source = Source(b'{"n": 1}\r\n\r{"n": 2}\n\n\r\n{"n": 3}')
    assert [(line, record["n"]) for line, record in source.records()] == [(1, 1), (3, 2), (6, 3)]


def test_a_path_is_read_as_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 2}\n')
    assert list(Source(path).records()) == list(Source(path.read_bytes()).records())


def test_lines_of_the_items_of_an_array() -> None:
    text = json.dumps([{"n": 1}, {"n": [2, 3]}, 5, {"n": 4}], indent=1)
    expected = [text[: match.start()].count("\n") + 1 for match in re.finditer(r"\{", text)]
    source = Source(text.encode())
    assert [line for line, _ in source.records()] == expected
    (note,) = source.notes.diagnostics()
    assert (note.code, note.line) == ("no_object", text[: text.index("5")].count("\n") + 1)


def test_documents_one_after_the_other() -> None:
    text = json.dumps({"n": 1}, indent=1) + "\n" + json.dumps({"n": 2}, indent=1)
    assert [(line, record["n"]) for line, record in Source(text.encode()).records()] == [(1, 1), (4, 2)]


def test_a_broken_document_keeps_what_is_whole() -> None:
    text = json.dumps({"a": [1, 2], "b": {"c": 3}}, indent=1)
    source = Source(text[: text.index("3")].encode())
    assert [record for _, record in source.records()] == [{"a": [1, 2], "b": {}}]
    assert [note.code for note in source.notes.diagnostics()] == ["cut_off"]


def test_notes_count_and_have_a_limit() -> None:
    notes = Notes()
    for number in range(3):
        notes.add("a", f"first {number}", number + 1)
    for number in range(5000):
        notes.add("b", "other", about=str(number))
    found = notes.diagnostics()
    assert (found[0].text, found[0].line, found[0].count) == ("first 0", 1, 3)
    assert len(found) < 1100
    assert sum(note.count for note in found) == 5003
