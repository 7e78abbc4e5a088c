"""The sandbox's own processes as the host sees them: the zygote, and a keeper for each task. Part of host.py's side."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.job import SandboxError
from pytest_ppteval.sandbox.text import one_line

PATIENCE = 10.0  # seconds for the sandbox's own processes to do something that takes them milliseconds
_CONTROL_LIMIT = 1 << 20
_PACKAGES = ("pytest_ppteval", "pptx", "lxml", "PIL", "numpy", "typing_extensions", "xlsxwriter")


class Zygote:
    """The zygote's process, as the host sees it."""

    def __init__(self, config: Message, patience: float, *, hide_host: bool) -> None:
        self._hidden = hide_host and _set_dumpable(False)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _boot(theirs.fileno())],
                env=_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,
                cwd="/",
            )
        self._ready_by: float | None = time.monotonic() + patience
        self._number = 0
        self._exits: dict[int, int] = {}
        self._busy = True  # in the middle of a message, if an exception left it so
        send(self._control, config, deadline=self._ready_by)
        self._busy = False

    def usable(self) -> bool:
        """Whether it lives and no message to it was cut short."""
        return not self._busy and self._process.poll() is None

    def open(self, message: Message, theirs: socket.socket) -> int:
        """Ask for a keeper with `theirs` as its end of the session's socket; returns its number."""
        self._wait_ready()
        self._drain()
        self._number += 1
        self._send({**message, "t": "open", "id": self._number}, (theirs.fileno(),))
        return self._number

    def kill(self, number: int) -> None:
        """Kill a keeper, and with it its leaf."""
        with contextlib.suppress(SandboxError):
            self._send({"t": "kill", "id": number})

    def exit_status(self, number: int) -> int | None:
        """The wait status of a keeper that has ended or is ending; None if that cannot be told."""
        end = time.monotonic() + 2
        with contextlib.suppress(EOFError, ConnectionError, TimeoutError, BrokenMessageError):
            while number not in self._exits:
                self._note(receive(self._control, limit=_CONTROL_LIMIT, deadline=end))
        return self._exits.pop(number, None)

    def close(self) -> None:
        """End it, and all that it started."""
        self._control.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._hidden:
            _set_dumpable(True)

    def forget(self) -> None:
        """Let go of it without ending it: it is another process's child."""
        self._control.close()
        self._log.close()
        self._process.returncode = 0  # else Popen's destructor warns of a child that still runs

    def _wait_ready(self) -> None:
        if self._ready_by is None:
            return
        self._busy = True
        try:
            receive(self._control, limit=_CONTROL_LIMIT, deadline=self._ready_by)
        except (EOFError, ConnectionError, TimeoutError, BrokenMessageError) as error:
            said = one_line(os.pread(self._log.fileno(), 1 << 16, 0).decode("utf-8", "replace")[-400:])
            what = "took too long to start" if isinstance(error, TimeoutError) else "could not start"
            raise SandboxError(f"the sandbox {what}: {said or type(error).__name__}") from None
        self._busy = False
        self._ready_by = None

    def _drain(self) -> None:
        """Take in the notices that have come, so that they don't pile up."""
        with contextlib.suppress(TimeoutError, BlockingIOError, EOFError, ConnectionError):
            while True:
                self._control.settimeout(0)
                if not self._control.recv(1, socket.MSG_PEEK):
                    return
                self._note(receive(self._control, limit=_CONTROL_LIMIT, deadline=time.monotonic() + PATIENCE))

    def _note(self, message: Message) -> None:
        self._exits[int(str(message["id"]))] = int(str(message["status"]))
        while len(self._exits) > 100:
            self._exits.pop(next(iter(self._exits)))

    def _send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        self._busy = True
        try:
            send(self._control, message, fds, deadline=time.monotonic() + PATIENCE)
        except (OSError, TimeoutError) as error:
            raise SandboxError(f"the sandbox's first process is gone ({type(error).__name__})") from None
        self._busy = False


class Keeper:
    """A keeper's process, as the host sees it."""

    def __init__(self, zygote: Zygote, number: int, sock: socket.socket) -> None:
        self.zygote = zygote
        self.number = number
        self._sock = sock
        self._busy = False

    @property
    def in_step(self) -> bool:
        """Whether no message was cut short by an exception."""
        return not self._busy

    def send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        """Send it a message. Raises as channel.send."""
        self._busy = True
        send(self._sock, message, fds, deadline=time.monotonic() + PATIENCE)
        self._busy = False

    def receive(self, patience: float, limit: int = _CONTROL_LIMIT) -> Message:
        """Its next message, within `patience` seconds. Raises as channel.receive."""
        self._busy = True
        message = receive(self._sock, limit=limit, deadline=time.monotonic() + patience)
        self._busy = False
        return message

    def close(self) -> None:
        """Kill it, and with it its leaf."""
        self._sock.close()
        self.zygote.kill(self.number)


def _environment() -> dict[str, str]:
    """The sandbox's environment: nothing of the user's but what the loader may need to start Python at all."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def _boot(fd: int) -> str:
    """The zygote's program: finds the packages that this process would import, wherever they are installed."""
    places = []
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin)
            place = str((origin.parent.parent if spec.submodule_search_locations else origin.parent).resolve())
            if place not in places:
                places.append(place)
    return (
        f"import sys; sys.path.extend(p for p in {json.dumps(places)} if p not in sys.path)\n"
        f"from pytest_ppteval.sandbox.zygote import main\nmain({fd})"
    )


def _set_dumpable(value: bool) -> bool:
    """Whether other processes of this user may look into this one (Linux). Returns whether it was changed."""
    from pytest_ppteval.sandbox import linux

    if not linux.LINUX or bool(linux.prctl(linux.PR_GET_DUMPABLE)) == value:
        return False
    linux.prctl(linux.PR_SET_DUMPABLE, int(value))
    return True
