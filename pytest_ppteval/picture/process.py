"""The renderer's process as its host sees it: started when needed, ended when it hangs, grows or has drawn enough."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_ppteval.picture import fonts
from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.launch import boot
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from pytest_ppteval.picture.renderers import Renderer
    from pytest_ppteval.sandbox.confine.policy import Plan

# A worker's memory grew from 229 to 960 MB over 585 decks.
MOST_MEGABYTES, MOST_DECKS = 600, 100
_LIMIT = 16 << 20
_PACKAGES = ("pytest_ppteval", "pptx", "lxml", "PIL", "pypdfium2", "pypdfium2_raw", "betteroffice_pptx", "font_caladea",
             "typing_extensions")  # fmt: skip
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse">
<value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse">
<value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks"
 oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Recovery/AutoSave"><prop oor:name="Enabled" oor:op="fuse"><value>false</value>
</prop></item>
</oor:items>
"""


class RenderLost(RuntimeError):  # noqa: N818 - it names what became of the process
    """The process did not answer: it took too long, died, or said something else."""


class RenderProcess:
    """One renderer's process and the folder that it may write to; both made anew after it was ended."""

    def __init__(self, renderer: Renderer, plan: Plan, *, start_seconds: float = 60.0) -> None:
        self._renderer = renderer
        self._plan = plan
        self._start_seconds = start_seconds
        self._owner = os.getpid()
        self._running: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._log: IO[bytes] | None = None
        self._decks = 0
        self._megabytes = 0
        # Answers that nobody waited for, and whether the renderer in the process was told to start.
        self._owed = 0
        self._told = False
        self.starts = 0
        self.work = Path(tempfile.mkdtemp(prefix="ppteval-pictures-"))

    def ask(self, message: Message, seconds: float) -> Message:
        """Its answer, within `seconds`. After RenderLost it is ended; the next question starts it anew."""
        if self._megabytes > MOST_MEGABYTES or self._decks >= MOST_DECKS:
            self.end()
        if self._running is None:
            self._start()
        assert self._socket is not None
        self._decks += message["t"] == "draw"
        deadline = time.monotonic() + seconds + (self._start_seconds if self._owed else 0)
        try:
            send(self._socket, message, deadline=deadline)
            while self._owed:
                receive(self._socket, limit=_LIMIT, deadline=deadline)
                self._owed -= 1
            answer = receive(self._socket, limit=_LIMIT, deadline=time.monotonic() + seconds)
        except TimeoutError:
            self.end()
            raise RenderLost(f"the renderer took more than {seconds:g} s") from None
        except (OSError, EOFError, BrokenMessageError):
            said = self._said()
            self.end()
            raise RenderLost(f"the renderer ended unexpectedly{said}") from None
        except BaseException:  # Ctrl-C in between: the next answer would be the one to this question
            self.end()
            raise
        megabytes = answer.get("megabytes")
        self._megabytes = megabytes if isinstance(megabytes, int) else 0
        return answer

    def start_soon(self) -> None:
        """Start the process and the renderer in it without waiting for them: they will be wanted in a moment."""
        if self._running is None:
            self._launch()
        if self._socket is not None and not self._told:
            with contextlib.suppress(OSError):  # the next question will find out
                send(self._socket, {"t": "start"}, deadline=time.monotonic() + 1)
                self._owed += 1
                self._told = True

    def end(self) -> None:
        """End it, and all that it started."""
        running, self._running = self._running, None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if running is not None and self._owner == os.getpid():
            # It leads a process group of its own; the group's number is its own until it has been waited for.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        if self._log is not None:
            self._log.close()
            self._log = None

    def close(self) -> None:
        """End it for good."""
        self.end()
        if self._owner == os.getpid():
            shutil.rmtree(self.work, ignore_errors=True)

    def _start(self) -> None:
        self._launch()
        assert self._socket is not None
        try:
            receive(self._socket, limit=_LIMIT, deadline=time.monotonic() + self._start_seconds)
            self._owed -= 1
        except (OSError, EOFError, BrokenMessageError) as error:
            said = self._said()
            self.end()
            raise RenderLost(f"the renderer could not start{said or ': ' + type(error).__name__}") from None
        except BaseException:
            self.end()
            raise

    def _launch(self) -> None:
        """Start the process; that it is ready is the first answer that it owes."""
        self._decks = self._megabytes = self._owed = 0
        self._told = False
        self.starts += 1
        places = fonts.folders(self._renderer.program)
        self._furnish(places)
        ours, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        with theirs:
            self._running = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", boot(f"worker.main({theirs.fileno()})", "picture", _PACKAGES)],
                env=self._environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,
                cwd="/",
            )
        self._socket = ours
        with contextlib.suppress(OSError):  # who waits for its answer will find out
            send(ours, self._config(places), deadline=time.monotonic() + self._start_seconds)
        self._owed = 1

    def _furnish(self, places: list[Path]) -> None:
        for name in ("profile", "fontconfig"):
            shutil.rmtree(self.work / name, ignore_errors=True)
        (self.work / "profile" / "user").mkdir(parents=True)
        (self.work / "profile" / "user" / "registrymodifications.xcu").write_text(_PROFILE, "utf-8")
        (self.work / "fontconfig").mkdir()
        (self.work / "fonts.conf").write_text(fonts.configuration(places, self.work / "fontconfig"), "utf-8")

    def _config(self, places: list[Path]) -> Message:
        program = self._renderer.program
        packages = [place for name in _PACKAGES if (place := _place_of(name)) is not None]
        readable = [*places, *packages, *([program.parent] if program is not None else [])]
        return {
            "t": "config",
            "parent": os.getpid(),
            "work": str(self.work),
            "renderer": str(self._renderer),
            "kind": self._renderer.kind,
            "program": None if program is None else str(program),
            "fonts": [str(place) for place in places],
            "readable": [str(path) for path in readable],
            "plan": self._plan._asdict(),
        }

    def _environment(self) -> dict[str, str]:
        """Nothing of the user's but what the loader may need."""
        kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        work = str(self.work)
        return kept | {
            "PATH": "/usr/bin:/bin",
            "HOME": work,
            "TMPDIR": work,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "FONTCONFIG_FILE": str(self.work / "fonts.conf"),
            "SAL_USE_VCLPLUGIN": "svp",
            "SAL_DISABLE_OPENCL": "1",
            # glibc: keep freed memory. Pictures of 4 MB come and go, and to get each anew takes a fifth of the time.
            "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
            "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def _said(self) -> str:
        if self._log is None:
            return ""
        text = os.pread(self._log.fileno(), 1 << 16, 0).decode("utf-8", "replace")
        return f": {one_line(text[-300:])}" if text.strip() else ""


def _place_of(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    return (origin.parent if spec.submodule_search_locations else origin).resolve()
