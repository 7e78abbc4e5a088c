"""Untrusted text made fit to show: in a terminal, in XML, in a report. Pure."""

from __future__ import annotations

import re

# Control characters (ANSI escapes begin with one), lone surrogates, marks that reorder text, and what XML 1.0 forbids.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str, limit: int) -> str:
    """`text` with each character that could disturb a terminal or an XML file replaced by "?", cut to `limit`."""
    text = text[: limit + 1].replace("\r\n", "\n")
    shown = _UNSHOWABLE.sub("?", text[:limit])
    return shown + "…[cut]" if len(text) > limit else shown


def one_line(text: str, limit: int = 500) -> str:
    """`text` as `clean`, in one line."""
    return " ".join(clean(text, limit).split())


def size(count: int) -> str:
    """A number of bytes for people: "2 GiB"."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            return f"{count / (1 << shift):g} {unit}"
    return f"{count} bytes"
