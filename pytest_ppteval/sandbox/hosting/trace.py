"""Where in a leaf's code something happened: tracebacks of the leaf's own lines. Pure."""

from __future__ import annotations

import re
from itertools import groupby

Frame = tuple[int, str]
_DUMPED = re.compile(rb'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
# faulthandler cuts what it prints.
_DUMPED_NAME = 500
# Python's own tracebacks repeat a line of a recursion as often.
_REPEATED = 3
_FATAL = b"Fatal Python error: "


def frames_of_dump(dump: bytes, name: str) -> tuple[Frame, ...]:
    """The frames of the file `name` in what faulthandler wrote, outermost first."""
    wanted = name.encode("ascii", "backslashreplace")[:_DUMPED_NAME]
    frames = [
        (int(line), function.decode("ascii", "replace"))
        for file, line, function in _DUMPED.findall(dump)
        if len(line) < 9 and (file == wanted or (file.endswith(b"...") and wanted.startswith(file[:-3])))
    ]
    return tuple(reversed(frames))


def split_crash(printed: bytes, tail: bytes, name: str) -> tuple[bytes, tuple[Frame, ...]]:
    """Take faulthandler's report of a crash off the end of what a leaf printed: the rest, and the frames.

    `tail` is the end of what was printed, of which `printed` may be the beginning only.
    """
    at = tail.rfind(_FATAL)
    if at < 0:
        return printed, ()
    frames = frames_of_dump(tail[at:], name)
    cut = printed.rfind(_FATAL)
    return (printed[:cut] if cut >= 0 else printed), frames


def within(frames: tuple[Frame, ...], code: str) -> tuple[Frame, ...]:
    """Those frames whose line exists in the code: a leaf may claim anything."""
    count = len(code.splitlines())
    return tuple(frame for frame in frames if 1 <= frame[0] <= count)


def render(frames: tuple[Frame, ...], code: str, name: str) -> str:
    """A traceback in Python's form, of these frames."""
    from pytest_ppteval.sandbox.text import clean

    lines = code.splitlines()
    shown = []
    for (line, function), same in groupby(frames):
        count = len(list(same))
        entry = [f'  File "{name}", line {line}, in {function}']
        source = clean(lines[line - 1].strip(), 200)
        if source:
            entry.append(f"    {source}")
        shown += entry * min(count, _REPEATED)
        if count > _REPEATED:
            more = count - _REPEATED
            shown.append(f"  [Previous line repeated {more} more time{'s' if more > 1 else ''}]")
    return "\n".join(shown)
