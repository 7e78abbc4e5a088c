"""JSON as traces hold it: too deep, cut off, with half characters. All functions are total: they give, or say None."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import cast

from pytest_ppteval.trace.model import Json

Record = dict[str, Json]

# Deeper data has no honest use, and every later reader of the value (a printer, a key for comparing) would need its
# own guard against Python's recursion limit.
MAX_DEPTH = 200


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _integer(text: str) -> int | str:
    # Beyond what a float can hold, comparing and adding go wrong; beyond 4,300 digits Python reads none.
    return int(text) if len(text) <= _DIGITS else text


_DIGITS = 300
# NaN and the infinities aren't JSON. As text they can be shown, compared and written again.
_DECODER = json.JSONDecoder(parse_constant=str, parse_float=_finite, parse_int=_integer)
_SCAN = cast("Callable[[str, int], tuple[Json, int]]", vars(_DECODER)["scan_once"])
# Group 1 is the end of a string, which may be missing. A string ends with its line at the latest, for no string holds
# a raw line break: after a stray quote all is well again on the next line.
_TOKEN = re.compile(r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*(")?|[{}\[\]:,]|[^\s{}\[\],:"]+', re.DOTALL)
# The string's end is optional here too: without one it must not be tried again from each quote inside.
_BRACKET = re.compile(r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"?|[{}\[\]]', re.DOTALL)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE = re.compile(r"\s*")


def loads(text: str) -> Json:
    """The value of `text`. Raises ValueError, in words, for everything else that can happen."""
    if len(text) > 2 * MAX_DEPTH and too_deep(text):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    try:
        # As JSONDecoder.decode, without its two searches for white space, of which there mostly is none.
        value, end = _SCAN(text, 0)
        if end == len(text):
            return value
    except StopIteration:
        pass
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return cast("Json", _DECODER.decode(text))


def loads_at(text: str, at: int) -> tuple[Json, int]:
    """The value that starts at `at` and where it ends; ValueError as above."""
    try:
        return cast("tuple[Json, int]", _DECODER.raw_decode(text, at))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def too_deep(text: str) -> bool:
    """Whether the brackets of `text` go deeper than allowed."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKET.finditer(text):
        char = match[0]
        if char in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif char in "}]":
            depth -= 1
    return False


def value_end(text: str, at: int) -> int | None:
    """Where the bracketed value that opens at `at` closes, whatever is inside; None where it doesn't."""
    depth = 0
    for match in _BRACKET.finditer(text, at):
        char = match[0]
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth <= 0:
                return match.end()
    return None


def mend(text: str) -> Json:
    """What can be kept of a value whose text breaks off or goes wrong: all up to the last whole part.

    `{"a": [1, {"b": "c` gives {"a": [1, {}]}. None where nothing is whole.
    """
    stack: list[str] = []
    good = 0
    closers = ""
    value_next = True  # a value may stand here (not a key)
    for match in _TOKEN.finditer(text):
        token = match[0]
        first = token[0]
        if first in "{[":
            if not value_next or len(stack) >= MAX_DEPTH:
                break
            stack.append("}" if first == "{" else "]")
            value_next = first == "["
        elif first in "}]":
            if not stack or stack[-1] != first:
                break
            stack.pop()
            value_next = False
        elif first == ",":
            value_next = bool(stack) and stack[-1] == "]"
            continue
        elif first == ":":
            value_next = True
            continue
        elif first == '"':
            if match[1] is None:
                break
            if not value_next:  # a key
                continue
            value_next = False
        else:
            # A number or word that ends with the text may go on in the part that is lost.
            if not value_next or match.end() == len(text):
                break
            value_next = False
        good, closers = match.end(), "".join(reversed(stack))
        if not stack:
            break
    try:
        return loads(text[:good] + closers)
    except ValueError:  # nothing whole, or text that the simple scan took for JSON
        return None


def skip_space(text: str, at: int) -> int:
    """The first position from `at` that isn't white space."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def dumps(value: Json) -> str:
    """JSON text, keys as they come, nothing escaped without need."""
    return json.dumps(value, ensure_ascii=False)


def whole(text: str) -> str:
    """`text` with halves of characters joined or replaced: files and terminals take no text that holds one.

    Two streamed pieces may hold a half each, so this is done after joining.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_value(value: Json, raw: str) -> Json:
    """The same for the texts inside a value that was parsed from `raw` (or written as `raw`)."""
    if _HALF.search(raw) is None and whole(raw) is raw:
        return value
    return _whole_below(value)


def _whole_below(value: Json) -> Json:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_whole_below(item) for item in value]
    if isinstance(value, dict):
        return {whole(key): _whole_below(item) for key, item in value.items()}
    return value


def one_line(text: str, width: int | None = None) -> str:
    """`text` for a line of a terminal or a report: what could break or steer it is escaped; cut at `width`."""
    if width is not None and len(text) > width:
        text = text[: max(0, width - 3)] + "..."
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def as_dict(value: Json) -> Record:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """The array, or an empty one."""
    return value if isinstance(value, list) else []


def as_dicts(value: Json) -> list[Record]:
    """The objects in an array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_text(value: Json) -> str | None:
    """The text, if it is text and not empty."""
    return value if isinstance(value, str) and value else None


def as_count(value: Json) -> int | None:
    """A number of things. Some exporters write 64-bit numbers as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < 1 << 63 else None


def as_number(value: Json) -> float | None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None


def text_of(content: Json) -> str:
    """The words of a content that is text, a list of parts, or other data.

    Parts that hold no text (pictures, files) are shown as [type].
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list) and content and all(isinstance(part, dict) and "type" in part for part in content):
        return "".join(_part(part) for part in as_dicts(content))
    if isinstance(content, list) and content and all(isinstance(part, str) for part in content):
        return "\n".join(str(part) for part in content)
    return dumps(content)


def _part(part: Record) -> str:
    for key in ("text", "content", "refusal"):
        value = part.get(key)
        if isinstance(value, str):
            return value
    return f"[{part.get('type')}]"
