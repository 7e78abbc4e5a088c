"""JSON text -> data with positions. json.loads makes the data; one scan over its tokens finds where things are."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from pytest_ppteval.case.marks import MAX_NESTING, Duplicate, Key, Mark, Problem

# The scan runs over text that json.loads accepted, so that it may be this simple. A string with its colon is a key.
# Commas and white space are passed over: a member of an array is known by the number of those before it.
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|([{\[])|([}\]])|[^\s{}\[\],:"]+', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _ConstantError(ValueError):
    """NaN or an infinity, by name."""


def _refuse(name: str) -> NoReturn:
    raise _ConstantError(name)


def parse(text: str) -> tuple[Any, Mark, list[Duplicate]]:
    """The data of `text`, its marks, and the keys that are written twice. Raises Problem for invalid JSON."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise _explain(text, error) from None
    except _ConstantError as error:
        raise Problem(_find_bare(text, str(error)), f"{error} is no JSON number: write a finite one") from None
    except RecursionError:
        raise Problem(_too_deep(text), f"nested more than {MAX_NESTING} levels deep: flatten the tree") from None
    except ValueError:
        # Python refuses to turn thousands of digits into an int.
        raise Problem(0, "a number has too many digits: write a smaller one") from None
    mark, duplicates = _marks(text)
    if _SURROGATE.search(text):
        _check_surrogates(data, mark)
    return data, mark, duplicates


def _marks(text: str) -> tuple[Mark, list[Duplicate]]:
    duplicates: list[Duplicate] = []
    top: dict[Key, Mark] = {}
    below: dict[Key, Mark] = top  # of the innermost open object or array
    keys: dict[str, int] | None = None  # None inside an array
    stack: list[tuple[dict[Key, Mark], dict[str, int] | None]] = []
    key: Key = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastindex
        if kind == 2:  # a key
            raw = token[1]
            key = json.loads(raw) if "\\" in raw else raw[1:-1]
            assert keys is not None
            assert isinstance(key, str)
            if key in keys:
                duplicates.append(Duplicate(token.start(), key, keys[key]))
            keys[key] = token.start()
            continue
        if kind == 4:  # } or ]
            below, keys = stack.pop()
            continue
        if keys is None:
            key = len(below)
        if kind == 3:  # { or [
            inner_keys: dict[str, int] | None = {} if token[3] == "{" else None
            inner: dict[Key, Mark] = {}
            below[key] = Mark(token.start(), inner_keys, inner)
            stack.append((below, keys))
            if len(stack) > MAX_NESTING:
                raise Problem(token.start(), f"nested more than {MAX_NESTING} levels deep: flatten the tree")
            below, keys = inner, inner_keys
        else:
            below[key] = Mark(token.start(), None, None)
    return top[0], duplicates


def _explain(text: str, error: json.JSONDecodeError) -> Problem:
    """The parser's complaint in our own words: its own differ between Python versions, and name no remedy."""
    at = error.pos
    rest = text[at : at + 2]
    what = error.msg[:1].lower() + error.msg[1:]
    before = text[:at].rstrip()
    if before.endswith(",") and rest[:1] in ("}", "]"):
        at, what = len(before) - 1, f"a comma before {rest[0]}: take it off"
    elif rest[:1] == "," and text[at + 1 :].lstrip()[:1] in ("}", "]"):  # as Python 3.13 points at it
        what = f"a comma before {text[at + 1 :].lstrip()[0]}: take it off"
    elif not text[at:].strip():
        what = "the text ends too early: close what is open"
    elif error.msg.startswith("Unterminated string"):
        what = 'a string without its end: close it with "'
    elif error.msg.startswith("Invalid control character"):
        what = "a raw line break, tab or control character in a string: write it as an escape such as \\n or \\t"
    elif error.msg.startswith("Invalid \\"):
        what = "a backslash that starts no escape: write \\\\ for a backslash"
    elif error.msg == "Extra data":
        what = "more text after the end of the value: remove it"
    elif rest[:1] == "'":
        what = 'text in single quotes: use double quotes "'
    elif rest in ("//", "/*") or rest[:1] == "#":
        what = "a comment: JSON has none, remove it or use YAML"
    elif what.startswith("expecting"):
        wanted = {
            "expecting value": "a value",
            "expecting ',' delimiter": "a comma or a closing bracket",
            "expecting ':' delimiter": "a colon after the key",
        }
        what = f"unexpected {rest[:1]!r}: write {wanted.get(what, 'a key in double quotes')} here"
    return Problem(at, f"not valid JSON: {what}")


def _find_bare(text: str, name: str) -> int:
    """Where the constant `name` stands outside of strings."""
    for token in _TOKEN.finditer(text):
        if token.lastindex is None and token[0] == name:
            return token.start()
    return 0


def _too_deep(text: str) -> int:
    """Where the nesting passes the limit; the text need not be whole."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.lastindex == 3:
            depth += 1
            if depth > MAX_NESTING:
                return token.start()
        elif token.lastindex == 4:
            depth -= 1
    return 0


def _check_surrogates(data: Any, mark: Mark) -> None:
    """Refuse half characters ("\\ud83d" alone): no terminal, file or report could take the text that holds one."""
    stack: list[tuple[Any, Mark]] = [(data, mark)]
    while stack:
        value, place = stack.pop()
        if isinstance(value, str):
            _check_text(value, place.start)
        elif isinstance(value, dict):
            for key, child in value.items():
                _check_text(key, (place.keys or {}).get(key, place.start))
                stack.append((child, (place.below or {})[key]))
        elif isinstance(value, list):
            stack.extend((child, (place.below or {})[index]) for index, child in enumerate(value))


def _check_text(text: str, offset: int) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise Problem(offset, f"\\u{ord(half):04x} is half a character: write both halves or the character") from None
