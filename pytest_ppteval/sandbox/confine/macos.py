"""macOS: a Seatbelt profile for a task's process, by sandbox_init. Untried by this project's own tests, run on Linux.

A process can enter a profile only once, so that a leaf has its keeper's: it can fork, and signal its keeper and the
task's other leaves. So the level is "partial".
"""

from __future__ import annotations

import ctypes
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DETAIL = "Seatbelt: this task's files only, no network, no programs; leaves can fork"
_LIBRARY = "/usr/lib/libSystem.B.dylib"
# Where the system's own libraries and fonts are, the shared cache of the dynamic loader included.
LIBRARIES = (
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/Library/Fonts",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
)
_HEAD = """\
(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (literal "/") (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-write-data (literal "/dev/null"))
"""


def profile(libraries: Iterable[str], decks: Iterable[str], readable: Iterable[str]) -> str:
    """The profile's text: all is denied but reading these libraries, these decks and these files and folders.

    A symbolic link that stands for a deck is left out: it would grant what it points to.
    """
    rules = [_rule("subpath" if os.path.isdir(path) else "literal", path) for path in libraries]
    rules += [_rule("literal", path) for path in decks if _is_regular(path)]
    rules += [_rule("subpath" if os.path.isdir(path) else "literal", path) for path in readable]
    return _HEAD + "".join(rules)


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False  # whoever opens it reports that


def _rule(kind: str, path: str) -> str:
    # Rules are matched against paths with links resolved: /tmp is /private/tmp there.
    text = os.path.realpath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'(allow file-read* ({kind} "{text}"))\n'


def missing() -> str:
    """Why there can be no profile here, or "" if there can."""
    try:
        ctypes.CDLL(_LIBRARY).sandbox_init  # noqa: B018 - looks the name up
    except (OSError, AttributeError) as error:
        return f"sandbox_init cannot be had ({error})"
    return ""


def confine(text: str) -> None:
    """Put this process, and all that it forks, under a profile, for good. Raises OSError with Seatbelt's own words."""
    library = ctypes.CDLL(_LIBRARY, use_errno=True)
    library.sandbox_init.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p))
    library.sandbox_init.restype = ctypes.c_int
    error = ctypes.c_char_p()
    if library.sandbox_init(text.encode(), 0, ctypes.byref(error)):
        said = error.value.decode("utf-8", "replace") if error.value else "no reason given"
        raise OSError(ctypes.get_errno(), f"Seatbelt refused the profile: {said}")
