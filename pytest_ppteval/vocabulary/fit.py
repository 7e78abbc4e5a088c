"""How much room a text takes, estimated: no renderer, no fonts. Widths are those of a common sans-serif, in ems."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.look.model import EMU_PER_POINT, Box

if TYPE_CHECKING:
    from pytest_ppteval.look.model import Paragraph, Text

_NARROW = frozenset("ijlItf.,:;'|!()[]{} \u00a0-/\\\"r")
_WIDE = frozenset("mwMW@%&\u2014\u2026")
_LINE = 1.2  # of the size


@dataclass(frozen=True, slots=True)
class Room:
    """What a text needs, in EMU: the width of its widest line and of its longest word, its height, and its lines."""

    width: float
    height: float
    lines: int
    longest_word: float


def width_of(text: str, size: float) -> float:
    """The width of a text in one line, EMU. size: points."""
    ems = 0.0
    for char in text:
        if char in _NARROW:
            ems += 0.3
        elif char in _WIDE:
            ems += 0.87
        elif unicodedata.east_asian_width(char) in "WF":
            ems += 1.0
        elif char.isupper():
            ems += 0.66
        else:
            ems += 0.0 if unicodedata.combining(char) else 0.52
    return ems * size * EMU_PER_POINT


def room_of(text: Text, width: float) -> Room:
    """What a text needs in a box that is `width` wide, EMU, its insets included."""
    left, top, right, bottom = text.insets
    free = max(1.0, (width - left - right) / text.columns)
    height, lines, widest, word = float(top + bottom), 0, 0.0, 0.0
    for paragraph in text.paragraphs:
        count, longest, piece = _lines(paragraph, free - max(0, paragraph.margin), wrap=text.wrap)
        size = max((run.size for run in paragraph.runs if run.text.strip()), default=paragraph.size)
        line = paragraph.line_points or size * _LINE * max(0.1, paragraph.line_spacing)
        before = paragraph.space_before if lines else 0.0
        height += (count * line + before + paragraph.space_after) * EMU_PER_POINT
        lines += count
        widest, word = max(widest, longest + paragraph.margin), max(word, piece)
    return Room(widest + left + right, height / text.columns if text.columns > 1 else height, lines, word)


def _lines(paragraph: Paragraph, free: float, *, wrap: bool) -> tuple[int, float, float]:
    """How many lines a paragraph fills, the widest of them, and its widest word."""
    free = max(free, 1.0)
    count, used, widest, longest = 1, 0.0, 0.0, 0.0
    for run in paragraph.runs:
        if run.kind == "break":
            count, used = count + 1, 0.0
            continue
        for piece in _pieces(run.text):
            size = width_of(piece, run.size)
            longest = max(longest, size if len(piece.strip()) > 1 else 0.0)
            if wrap and used and used + width_of(piece.rstrip(), run.size) > free:
                count, used = count + 1, 0.0
            if wrap and size > free:  # broken inside the word
                count += math.ceil(size / free) - 1
            used += size
            widest = max(widest, min(used, free) if wrap else used)
    return count, widest, longest


def _pieces(text: str) -> list[str]:
    """Words with the blank behind them; each East Asian character by itself, as lines break between them."""
    found: list[str] = []
    word = ""
    for char in text:
        if unicodedata.east_asian_width(char) in "WF":
            found += [word, char] if word else [char]
            word = ""
        else:
            word += char
            if char.isspace():
                found.append(word)
                word = ""
    return [*found, word] if word else found


def inked(text: Text, box: Box) -> Box:
    """Where the text's characters are in its box, upright, estimated; larger than the box where it doesn't fit."""
    turned = text.vertical not in ("horz", "")
    room = room_of(text, box.height if turned else box.width)
    wide, high = (room.height, room.width) if turned else (room.width, room.height)
    wide = min(wide, box.width) if text.wrap and not turned else wide
    left = box.x
    alignments = {p.alignment for p in text.paragraphs if p.text.strip()}
    if alignments == {"centre"}:
        left = box.x + (box.width - wide) / 2
    elif alignments == {"right"}:
        left = box.right - wide
    top = {"top": box.y, "middle": box.y + (box.height - high) / 2}.get(text.anchor, box.bottom - high)
    return Box(left, top, wide, high)
