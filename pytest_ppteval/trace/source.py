"""Bytes of a trace -> its JSON values, one after the other, with line numbers and a note of all that was odd.

Traces come as JSON Lines, server-sent events (SSE), one JSON document or one JSON array. Lines are read as they come,
so that memory doesn't grow with the number of events; a document has to be read whole.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pytest_ppteval.trace.jsontext import Record, loads, loads_at, mend, skip_space, too_deep, value_end
from pytest_ppteval.trace.limits import MAX_BAD, MAX_DOCUMENT, MAX_FILE, MAX_LINE, check, check_values
from pytest_ppteval.trace.model import HIDDEN_CALLS, OPEN_CODES, Diagnostic, Json, TraceError

_CHUNK = 1 << 18
_HEAD = 1 << 16
_BREAK = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"(data|event|id|retry)\s*(?::|$)")
_NEXT = re.compile(r"[,\]]")
_FRAME = 1000  # data lines: more are no frame but frames without blank lines, one of them broken
_DISTINCT = 1000  # notes kept apart; a file of noise must not fill the memory


class Notes:
    """Diagnostics as they are found: the same thing again only counts."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[str, int | None, int]] = {}

    def add(self, code: str, text: str, line: int | None = None, *, about: str = "") -> None:
        """Note `text`. Notes of one code and one `about` are counted together."""
        key = (code, about)
        if key not in self._found and len(self._found) >= _DISTINCT:
            code = HIDDEN_CALLS if code in OPEN_CODES else "more"
            key, text = (code, "more"), "there was more, of these kinds or others"
        first, at, count = self._found.get(key, (text, line, 0))
        self._found[key] = (first, at, count + 1)

    def has(self, code: str) -> bool:
        """Whether something of this code was noted."""
        return any(found == code for found, _ in self._found)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All notes in the order of their first occurrence."""
        return tuple(
            Diagnostic(code=code, text=text, line=line, count=count)
            for (code, _), (text, line, count) in self._found.items()
        )


class Source:
    """The input of a reader. Every method may be called again: it starts from the beginning."""

    def __init__(self, data: bytes | Path) -> None:
        self.path = data if isinstance(data, Path) else None
        self._data = data if isinstance(data, bytes) else b""
        self._document: list[tuple[int, Json]] | None = None
        self._item_lines: list[int] = []
        self._bad = 0  # items of arrays that are no JSON
        self.notes = Notes()
        self.where = "the trace" if isinstance(data, bytes) else str(data)
        try:
            if isinstance(data, Path):
                facts = data.stat()
                if not stat.S_ISREG(facts.st_mode) and not stat.S_ISDIR(facts.st_mode):
                    raise TraceError(f"{data}: no plain file: write the trace to one, and name that")
                size = facts.st_size
            else:
                size = len(data)
            with self.open() as stream:
                head = stream.read(_HEAD)
        except OSError as error:
            raise TraceError(f"{self.path}: {error.strerror or error}") from None
        check("MAX_FILE", size, MAX_FILE, f"{self.where} has {size:,} bytes")
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            # Rare, so the simple way: all at once into UTF-8.
            self._data = self.whole().decode("utf-16", "replace").encode("utf-8", "replace")
            self.path = None
            head = self._data[:_HEAD]
        self.head = head
        self.is_zip = head.startswith(b"PK\x03\x04")
        self.is_document = not self.is_zip and _is_document(head.removeprefix(codecs.BOM_UTF8))

    def open(self) -> BinaryIO:
        """The bytes, from the start."""
        return self.path.open("rb") if self.path is not None else io.BytesIO(self._data)

    def whole(self) -> bytes:
        """All the bytes, of what has to be read whole."""
        with self.open() as stream:
            raw = stream.read(MAX_DOCUMENT + 1)
        check(
            "MAX_DOCUMENT", len(raw), MAX_DOCUMENT, f"{self.where} is one document, and has {len(raw):,} bytes or more"
        )
        return raw

    @property
    def is_empty(self) -> bool:
        """Nothing, or white space, in what was looked at first."""
        return not self.head.removeprefix(codecs.BOM_UTF8).strip()

    def fresh_notes(self) -> Notes:
        """Forget the notes so far: recognising a format and reading it would note everything twice."""
        self.notes = Notes()
        self._document = None
        return self.notes

    def values(self) -> Iterator[tuple[int, Json]]:
        """Each JSON value at the top with the line that it starts on."""
        if self.is_zip:
            return iter(())
        if self.is_document:
            if self._document is None:
                self._document = list(self._read_document())
            return iter(self._document)
        return self._read_lines()

    def records(self) -> Iterator[tuple[int, Record]]:
        """Each object: the values of the top, and the items of arrays there."""
        for line, value in self._read_lines() if not self.is_document and not self.is_zip else self.values():
            if isinstance(value, dict):
                yield line, value
            elif isinstance(value, list):
                lines = self._item_lines if len(self._item_lines) == len(value) else [line] * len(value)
                for place, item in zip(lines, value, strict=True):
                    if isinstance(item, dict):
                        yield place, item
                    else:
                        self.notes.add("no_object", "an item is no object", place)
            else:
                self.notes.add("no_object", "no JSON object", line)

    def some(self, count: int = 40) -> list[Record]:
        """The first objects, to recognise the format by. They may be of a shape that `records` doesn't give."""
        return [record for _, record in islice(self.records(), count)]

    # Lines

    def _read_lines(self) -> Iterator[tuple[int, Json]]:
        """JSON Lines and SSE, also mixed: real files hold "data: {...}" lines without the blank line between."""
        notes = self.notes
        frame: list[tuple[int, str]] = []  # data lines that aren't JSON by themselves
        inside = False  # a whole value was already read from this frame
        line = ""
        number = 0
        for number, line in self._lines():
            if line.startswith("{"):
                try:
                    yield number, loads(line)
                    continue
                except ValueError:
                    pass  # looked at again below, to say what is wrong
            if not line.strip():
                if frame:
                    yield from self._frame(frame)
                    frame = []
                inside = False
            elif line.startswith("data"):
                data = line[4:].lstrip()
                if not data.startswith(":"):
                    notes.add("bad_json", f"no JSON: {_cut(line)}", number)
                    continue
                data = data[1:].removeprefix(" ")
                if not data.strip() or data.strip() == "[DONE]":
                    continue
                value = self._value(data) if data[:1] in "{[" and not frame else None
                if value is None:
                    frame.append((number, data))
                    if len(frame) > _FRAME:
                        yield from self._frame(frame)
                        frame = []
                    continue
                if inside:
                    notes.add("no_blank_line", "frames without a blank line between", number)
                inside = True
                yield number, value
            elif line.startswith(":") or _FIELD.match(line) or line.strip() == "[DONE]":
                continue
            else:
                value = self._value(line.strip())
                if value is not None:
                    yield number, value
                else:
                    notes.add("bad_json", f"no JSON: {_problem(line)}", number)
        if frame:
            yield from self._frame(frame)
        last = line.removeprefix("data:").strip()
        if last.startswith("{") and self._value(last) is None:
            notes.add("cut_off", "the last line is not whole", number)
            if number == 1:  # a document on one line
                kept = mend(last)
                if kept is not None:
                    yield 1, kept

    @staticmethod
    def _value(text: str) -> Json:
        """The value, or None where the text is no JSON."""
        try:
            return loads(text)
        except ValueError:
            return None

    def _frame(self, frame: list[tuple[int, str]]) -> Iterator[tuple[int, Json]]:
        """A frame whose data lines aren't JSON one by one: joined, or else what is whole among them."""
        joined = self._value("\n".join(data for _, data in frame))
        if joined is not None:
            yield frame[0][0], joined
            return
        whole = 0
        for number, data in frame:
            value = self._value(data)
            if isinstance(value, dict):
                whole += 1
                if whole > 1:
                    self.notes.add("no_blank_line", "frames without a blank line between", number)
                yield number, value
            else:
                self.notes.add("bad_json", f"no JSON: {_problem(data)}", number)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Lines by LF, CRLF and lone CR only: U+2028 and its like may stand inside of JSON strings."""
        number = offset = 0
        for block in _blocks(self.open(), self.where):
            skip = len(codecs.BOM_UTF8) if offset == 0 and block.startswith(codecs.BOM_UTF8) else 0
            text = self._decode(block[skip:], offset + skip)
            offset += len(block)
            lines = text.split("\n") if "\r" not in text else _BREAK.split(text)
            if not lines[-1]:
                lines.pop()  # after the last break of the block
            for line in lines:
                number += 1
                check_values(line, f"line {number} of {self.where}")
                yield number, line

    def _decode(self, raw: bytes, offset: int) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            self.notes.add("bad_utf8", f"byte {offset + error.start} is no UTF-8: replaced")
            return raw.decode("utf-8", "replace")

    # Documents

    def _read_document(self) -> Iterator[tuple[int, Json]]:
        """One value over several lines, or several such."""
        self._bad = 0
        raw = self.whole()
        bom = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
        text = self._decode(raw[bom:], bom)
        check_values(text, self.where)
        at = skip_space(text, 0)
        deep, ends = too_deep(text), "\n" if "\n" in text else "\r"
        line, counted = 1, 0
        while at < len(text):
            line += text.count(ends, counted, at)
            counted = at
            if text[at] == "[":
                items, at = self._items(text, at, line, ends, deep)
                yield line, items
                continue
            end = value_end(text, at) if text[at] == "{" else None
            value = self._value(text[at:end]) if end is not None else None
            if end is not None and value is not None:
                yield line, value
                at = skip_space(text, end)
                continue
            if end is None:
                self.notes.add("cut_off", f"the document is not whole: {_problem(text[at:])}", line)
            else:
                self.notes.add("bad_json", f"no JSON: {_problem(text[at:end])}", line)
            kept = mend(text[at:])
            if kept is not None:
                yield line, kept
            return

    def _items(self, text: str, at: int, line: int, ends: str, deep: bool) -> tuple[list[Json], int]:
        """The items of the array at `at`, on `line`, without those that are no JSON, and where it ends.

        ends: what ends a line of the text. deep: whether the text is nested too deep to be read in one go.
        """
        kept: list[Json] = []
        lines = self._item_lines = []
        counted = at
        at = skip_space(text, at + 1)
        while at < len(text) and text[at] != "]":
            line += text.count(ends, counted, at)
            counted = at
            item: Json = None
            end: int | None = None
            if not deep:
                with contextlib.suppress(ValueError):
                    item, end = loads_at(text, at)
            if end is None and text[at] in "{[":
                end = value_end(text, at)
                if end is None:
                    break
                item = self._value(text[at:end])
                if item is None:
                    self.notes.add("bad_json", f"no JSON: {_problem(text[at:end])}", line)
            elif end is None:
                self.notes.add("bad_json", f"no JSON: {_cut(text[at : at + 61])}", line)
                found = _NEXT.search(text, at)
                end = len(text) if found is None else found.start()
            if item is not None:
                kept.append(item)
                lines.append(line)
            else:
                self._bad += 1
                check("MAX_BAD", self._bad, MAX_BAD, f"{self.where} holds {self._bad:,} items that are no JSON")
            at = skip_space(text, end)
            if at < len(text) and text[at] == ",":
                at = skip_space(text, at + 1)
        if at < len(text) and text[at] == "]":
            return kept, skip_space(text, at + 1)
        rest = mend(text[at:])
        if rest is not None:
            kept.append(rest)
            lines.append(line)
        self.notes.add("cut_off", "the array is not whole", line)
        return kept, len(text)


def _blocks(stream: BinaryIO, where: str) -> Iterator[bytes]:
    """The bytes in pieces that end with a line break, but for the last."""
    with stream:
        rest: list[bytes] = []  # of the line that is open: it may be many pieces long
        total = waiting = 0  # bytes in all, and in the line that is open
        while chunk := stream.read(_CHUNK):
            total += len(chunk)
            waiting += len(chunk)
            check("MAX_FILE", total, MAX_FILE, f"{where} has {total:,} bytes or more")
            check("MAX_LINE", waiting, MAX_LINE + _CHUNK, f"{where} has a line of {waiting:,} bytes or more")
            end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            if end == len(chunk) and chunk.endswith(b"\r"):
                # It may be the first half of CRLF.
                end = max(chunk.rfind(b"\n", 0, end - 1), chunk.rfind(b"\r", 0, end - 1)) + 1
            if end == 0:
                rest.append(chunk)
                continue
            yield b"".join([*rest, chunk[:end]])
            rest = [chunk[end:]] if end < len(chunk) else []
            waiting = len(chunk) - end
        if rest:
            yield b"".join(rest)


def _is_document(head: bytes) -> bool:
    """Whether the text is one JSON document rather than lines of their own."""
    text = head.decode("utf-8", "replace").lstrip()
    if text.startswith("["):
        return True
    if not text.startswith("{"):
        return False
    lines = [line for line in _BREAK.split(text) if line.strip()]
    if len(lines) == 1:
        return False
    return not any(line.startswith("{") and isinstance(Source._value(line), dict) for line in lines)


def _problem(text: str) -> str:
    try:
        loads(text)
    except ValueError as error:
        return f"{error}: {_cut(text)}"
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
