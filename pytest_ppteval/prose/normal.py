"""Texts as readers compare them: kinds of space, dash, quote and width, and line ends, make no difference."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
# Blanks beside a Chinese or Japanese character or mark: some people set them, no reader counts them. Line ends stay.
_WIDE_CHAR = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BLANK = "[^\\S\\r\\n\\v\\f\\u2028\\u2029]"
_IDLE = re.compile(f"(?<=[{_WIDE_CHAR}]){_BLANK}+|{_BLANK}+(?=[{_WIDE_CHAR}])")
_NOTHING = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")
_DASHES = {ord(mark): "-" for mark in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"}
_QUOTES = {
    **{
        ord(mark): '"'
        for mark in "\u201c\u201d\u201e\u201f\u00ab\u00bb\u301d\u301e\u301f\uff02\u300c\u300d\u300e\u300f"
    },
    **{ord(mark): "'" for mark in "\u2018\u2019\u201a\u201b\u2032\uff07\u2039\u203a`\u00b4"},
}
_OTHERS = {0x2026: "...", 0x22EF: "...", 0x2044: "/", 0x2215: "/"}
_TABLE = {**_DASHES, **_QUOTES, **_OTHERS}
_MARKS = re.compile(r"(\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*]))")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)", re.MULTILINE)


def normal(text: str, *, case: bool = True) -> str:
    """The text with one way to write what readers don't tell apart, stripped. case: False folds it."""
    text = unicodedata.normalize("NFC", text).translate(_TABLE)
    text = "".join(unicodedata.normalize("NFKC", char) if _is_wide(char) else char for char in text)
    text = _NOTHING.sub("", text)
    if not text.isascii():
        text = _IDLE.sub("", text)
    text = _SPACES.sub(" ", text).strip()
    return text if case else text.casefold()


def normal_lines(text: str, *, case: bool = True) -> str:
    """As `normal`, line by line: blanks at a line's end and empty lines at the end are no difference."""
    lines = [normal(line, case=case) for line in re.split(r"\r\n|[\r\n\v\u2028\u2029]", text)]
    return "\n".join(lines).strip("\n")


def without_marks(text: str) -> str:
    """A Markdown text as it reads: emphasis, headings and quotation marks of lines taken off; code stays."""
    return _MARKS.sub("", _LINE_MARKS.sub("", text))


def _is_wide(char: str) -> bool:
    return "\uff01" <= char <= "\uffee"
