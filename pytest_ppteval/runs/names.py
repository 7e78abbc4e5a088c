"""Task ids and suites as names of folders: the same wherever that is possible, safe everywhere, never two for one.

What a file system would not take or would read in its own way is escaped as %XX, as in a URL; so is the % itself.
"""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata

# A file system takes 255 bytes a name.
_LONGEST = 240
_DIGITS = 12
# Windows refuses these, and separators mean something everywhere; control characters; lone surrogates are no text.
_BAD = re.compile('[\x00-\x1f\x7f-\x9f<>:"/\\\\|?*%\ud800-\udfff]')
# A leading dot hides a folder ("..", too, leads out of it); Windows drops dots and spaces at the end.
_ENDS = re.compile(r"^\.|[. ]$")
# Windows keeps these for devices, whatever comes behind a dot.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))", re.IGNORECASE)
# The form of a name that was made shorter: one that only looks so is escaped.
_SHORTENED = re.compile(rf"~(?=[0-9a-f]{{{_DIGITS}}}$)")
CASE_COUNTS = sys.platform not in ("win32", "darwin")


def folder_name(text: str, *, case_counts: bool = CASE_COUNTS) -> str:
    """The name of the folder that stands for `text`, which may be anything; other texts have other names.

    case_counts: False where the file system takes "A" and "a", or two ways of writing "é", for one name. There
        texts that have a twin get a few digits of their hash behind them.
    """
    name = _ENDS.sub(_escape, _SHORTENED.sub("%7E", _BAD.sub(_escape, text)))
    name = _DEVICE.sub(lambda found: _escape_first(found[0]), name) if _DEVICE.match(name) else name
    twin = not case_counts and unicodedata.normalize("NFC", name).casefold() != name
    if len(name.encode()) > _LONGEST or twin:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        kept = name.encode()[: _LONGEST - _DIGITS - 1].decode(errors="ignore")
        return f"{kept}~{digest}"
    return name or "%"  # no other name is a % without two digits


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _escape_first(word: str) -> str:
    return f"%{ord(word[0]):02X}{word[1:]}"
