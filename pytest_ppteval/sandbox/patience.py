"""Starting processes on a busy machine: one that has no room for another now is asked again. Pure, but for the time."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

# Seconds after which a machine is believed to have no room for another process.
SECONDS = 5.0
_NO_ROOM = frozenset({errno.EAGAIN, errno.ENOMEM})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5


def patiently(start: Callable[[], _T], seconds: float = SECONDS) -> _T:
    """What `start` gives, which makes a process; tried anew where there is no room for one, for so many seconds.

    Raises what it raised last: an OSError that says so (see `words`), and any other one at once.
    """
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while True:
        try:
            return start()
        except OSError as error:
            left = end - time.monotonic()
            if error.errno not in _NO_ROOM or left <= 0:
                raise
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE)


def words(error: OSError) -> str:
    """The cause for people, with what can be done about it."""
    if error.errno == errno.EAGAIN:
        return (
            f"{error}: this user, or this container, has as many processes as it may (ulimit -u, pids.max): "
            "raise the limit, or run fewer at a time (pytest -n)"
        )
    if error.errno == errno.ENOMEM:
        return f"{error}: this machine has no memory for another process: run fewer at a time (pytest -n)"
    return str(error)
