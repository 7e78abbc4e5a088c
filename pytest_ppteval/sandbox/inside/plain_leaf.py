"""An interpreter of plain.py's: parses the decks, then runs leaves. Runs in the sandbox only.

Its messages come from the host: "open" (once), "diff" (compute it), "known" (the diff, by another process), "job".
"""

from __future__ import annotations

import faulthandler
import os
import socket
import sys
import time
import warnings

from pytest_ppteval.sandbox.channel import Message, receive, send
from pytest_ppteval.sandbox.fast import hot_paths
from pytest_ppteval.sandbox.inside import leaf, shims
from pytest_ppteval.sandbox.inside.decks import Decks, tame_pillow
from pytest_ppteval.sandbox.inside.preload import preload, prepare_streams

_LIMIT = 1 << 30
# Seconds that the traceback of a leaf whose time is up comes after the host has stopped listening.
_LATER = 0.1


class Alarm:
    """Writes down where the leaf is once its time is up, and ends the process. Waits while the host answers a call."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = 0.0

    def start(self) -> None:
        """A leaf's time begins."""
        self._end = time.monotonic() + self._seconds + _LATER
        self.go_on()

    def pause(self) -> float:
        """Stop the clock; gives the time, for `go_on`."""
        faulthandler.cancel_dump_traceback_later()
        return time.monotonic()

    def go_on(self, since: float | None = None) -> None:
        """Let the clock run again, as if it had not run `since` then."""
        if since is not None:
            self._end += time.monotonic() - since
        faulthandler.dump_traceback_later(max(0.001, self._end - time.monotonic()), exit=True, file=2)


def main() -> None:
    """The life of the process. Its first line of input is its end of the channel."""
    handed = sys.stdin.readline().strip()
    if sys.platform == "win32":
        channel = socket.fromshare(bytes.fromhex(handed))
    else:
        channel = socket.socket(fileno=int(handed))
    channel.set_inheritable(False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    status = 70
    try:
        _serve(channel)
        status = 0
    except (EOFError, ConnectionError):
        status = 0  # the host has gone, or does not need this process
    finally:
        sys.stdout.flush()
        os._exit(status)


def _serve(channel: socket.socket) -> None:
    task = receive(channel, limit=_LIMIT)
    numbers = {name: int(str(value)) for name, value in dict(task["limits"]).items()}  # type: ignore[call-overload]  # written by our own host
    if sys.platform != "win32":  # there it is the Job Object that limits
        from pytest_ppteval.sandbox.confine import linux

        memory, size = numbers["memory"], numbers["file_size"]
        linux.set_limits(AS=memory, CORE=0, MEMLOCK=0, MSGQUEUE=0, FSIZE=size, CPU=(numbers["cpu"], numbers["cpu"] + 1))
        linux.set_limits(NOFILE=numbers["open_files"], SIGPENDING=64)
    warnings.simplefilter("ignore")  # of the leaves' code: they are not about this run
    faulthandler.enable(file=2, all_threads=False)
    prepare_streams()
    tame_pillow()
    preload([str(name) for name in task["preload"]])  # type: ignore[attr-defined]  # as above
    hot_paths.install()
    shims.install()
    decks = Decks()
    paths = {which: str(task[which]) for which in ("original", "modified") if task[which] is not None}
    if not decks.parse_all(paths, lambda message: send(channel, message)):
        return
    send(channel, {"t": "ready"})
    alarm = Alarm(float(str(task["wall"])))
    while True:
        message: Message = receive(channel, limit=_LIMIT)
        if message["t"] == "diff":
            send(channel, decks.diff_message(wanted=True))
        elif message["t"] == "judge":
            from pytest_ppteval.sandbox.inside.deckleaves import judge_message

            send(channel, judge_message(message["leaves"], decks))
        elif message["t"] == "known":
            decks.computed_diff = decks.diff_from(message["data"])
        else:
            alarm.start()
            leaf.run(channel, decks, message, alarm)
            alarm.pause()
            if not message["more"]:
                return
