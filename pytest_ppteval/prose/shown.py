"""Text from rubrics, decks, leaves and models, made fit to show: in a terminal, in XML, in a build's log. Pure.

What could do something there is shown as the escape that Python writes for it: it neither vanishes nor acts.
"""

from __future__ import annotations

import re

# Control characters (terminals' escape sequences, links included, begin with one), lone surrogates, marks that reorder
# text, separators that some take for line breaks, and what XML 1.0 forbids.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
# What build servers take for a command: GitHub "::error ..." at a line's start, spaces before it or not; GitHub's older
# "##[error]", Azure's "##vso[...]" and TeamCity's "##teamcity[...]" anywhere.
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#(?:vso|teamcity)?\[)", re.MULTILINE)


def shown(text: str) -> str:
    """`text` without anything that acts. Line breaks and tabs stay."""
    return _COMMAND.sub(_escaped_command, _UNSHOWABLE.sub(_escaped, text.replace("\r\n", "\n")))


def shown_name(text: str) -> str:
    """As `shown`, in one line."""
    return shown(text).replace("\n", "\\n").replace("\t", "\\t")


def clean(text: str, limit: int) -> str:
    """As `shown`, cut to `limit` characters before that."""
    return shown(text[:limit]) + ("…[cut]" if len(text) > limit else "")


def one_line(text: str, limit: int = 500) -> str:
    """`text` as `clean`, its lines joined."""
    return " ".join(clean(text, limit).split())


def quoted(text: str) -> str:
    """Each line marked as somebody else's words: none of them can be taken for the report's own."""
    return "\n".join(f"| {line}" for line in text.rstrip().split("\n"))


def hanging(text: str) -> str:
    """All lines but the first indented."""
    return text.replace("\n", "\n  ")


def json_escaped(document: str) -> str:
    """A JSON document with the characters that `shown` escapes written as JSON's own escapes: the same data."""
    return _UNSHOWABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escaped_command(match: re.Match[str]) -> str:
    return "\\x23" if match[0] == "#" else f"{match[1]}\\x3a"
