"""Running one job in a confined process: a fresh one each time, with limits, of which only printed text comes back."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_ppteval.agent.builtin.disk import Disk
from pytest_ppteval.agent.builtin.ending import Trouble
from pytest_ppteval.agent.builtin.printed import Printed
from pytest_ppteval.sandbox.confine.policy import Level, Plan, make_plan
from pytest_ppteval.sandbox.hosting.conclude import fate
from pytest_ppteval.sandbox.launch import boot, environment
from pytest_ppteval.sandbox.text import one_line, size

if TYPE_CHECKING:
    from pytest_ppteval.agent.builtin.task import Options

_TICK, _MOMENT = 0.25, 0.01  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one job may use.

    wall, start: seconds, from when it is confined and until then. cpu: seconds of processor time, a second line.
    memory: bytes of address space. file_size: bytes of one file. disk, files: bytes and files in the workspace.
    printed: bytes; beyond, the job is stopped. shown: bytes of these that come back. open_files: descriptors.
    """

    wall: float = 60.0
    start: float = 60.0
    cpu: int = 120
    memory: int = 2 << 30
    file_size: int = 256 << 20
    disk: int = 1 << 30
    files: int = 20_000
    printed: int = 8 << 20
    shown: int = 30_000
    open_files: int = 64


class Done(NamedTuple):
    """What came of a job. good: it ended by itself, without an error. text: what it printed, cut, and its fate."""

    good: bool
    text: str


def plan_for(options: Options) -> Plan:
    """How the agent's code is confined. Raises Trouble where it can't be and must be."""
    if sys.platform == "win32":
        raise Trouble("the built-in agent does not run on Windows")
    plan, level = make_plan("off" if options.sandbox == "off" else "auto")
    if options.sandbox != "off" and not (plan.landlock and plan.seccomp):
        raise Trouble(_unconfined(level))
    return plan


def _unconfined(level: Level) -> str:
    return (
        f"the agent's code can't be confined here ({level.detail}): use Linux 5.13 or later with Landlock and seccomp, "
        "or allow it to do what you can do (sandbox: off)"
    )


class Confined:
    """Runs jobs about one workspace."""

    def __init__(self, plan: Plan, workspace: Path, limits: Limits | None = None) -> None:
        self._plan = plan
        self._workspace = workspace
        self._limits = limits or Limits()

    def run(self, job: dict[str, Any]) -> Done:
        """What came of a job for inside.py. Raises Trouble where no confined process can be had."""
        scratch = tempfile.mkdtemp(prefix="ppteval-agent-")
        try:
            return self._run({**job, "scratch": scratch}, Path(scratch))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _run(self, job: dict[str, Any], scratch: Path) -> Done:
        whole = {
            **job,
            "workspace": str(self._workspace),
            "plan": self._plan._asdict(),
            "limits": asdict(self._limits),
            "parent": os.getpid(),
        }
        status, theirs = os.pipe()
        try:
            with tempfile.TemporaryFile() as given:
                given.write(json.dumps(whole).encode())
                given.seek(0)
                process = subprocess.Popen(
                    [sys.executable, "-s", "-P", "-c", boot(f"inside.main({theirs})", "agent.builtin")],
                    env=environment() | {"TMPDIR": str(scratch)},
                    pass_fds=[theirs],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    cwd=self._workspace,
                )
        except OSError as error:
            os.close(status)
            raise Trouble(f"no process for the agent's code: {error}") from None
        finally:
            os.close(theirs)
        with process, open(status, "rb", buffering=0) as told:
            try:
                return self._watch(
                    process, told.fileno(), Disk((self._workspace, scratch), self._limits.disk, self._limits.files)
                )
            finally:
                _kill(process)

    def _watch(self, process: subprocess.Popen[bytes], told: int, disk: Disk) -> Done:
        assert process.stdout is not None
        printed = Printed(self._limits.shown)
        output = process.stdout.fileno()
        word: bytes | None = None
        why = ""
        deadline = time.monotonic() + self._limits.start
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            selector.register(told, selectors.EVENT_READ)
            while not why and not _has_ended(process):
                if not selector.get_map():  # it has closed its ends, and may go on for all that
                    time.sleep(_MOMENT)
                for key, _ in selector.select(_TICK) if selector.get_map() else ():
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == told:
                        selector.unregister(told)
                        word = data
                        deadline = time.monotonic() + self._limits.wall
                    elif data:
                        printed.add(data)
                    else:
                        selector.unregister(output)
                why = self._stopped(word, printed, deadline) or (disk.exceeded() if word else "")
        _kill(process)
        _drain(output, printed)
        word = word if word is not None else _last_word(told)
        if word != b"ready":
            reason = one_line((word or b"").decode("utf-8", "replace")) or one_line(printed.text()[-300:]) or why
            raise Trouble(f"the agent's code can't be confined here: {reason or 'its process died at the start'}")
        return self._done(process.returncode, printed, why)

    def _stopped(self, word: bytes | None, printed: Printed, deadline: float) -> str:
        if time.monotonic() > deadline:
            return f"stopped after {self._limits.start if word is None else self._limits.wall:g} s"
        most = self._limits.printed
        return f"stopped: it printed more than {size(most)}" if printed.over(most) else ""

    def _done(self, code: int, printed: Printed, why: str) -> Done:
        if not why and code:
            why = f"processor time limit of {self._limits.cpu} s" if code == -signal.SIGXCPU else fate(code)
        text = printed.text()
        if not why:
            return Done(True, text or "(nothing was printed)")
        return Done(False, f"{text.rstrip()}\n[{why}]" if text.strip() else f"[{why}]")


def _drain(output: int, printed: Printed) -> None:
    """What is still in the pipe of a process that has ended; whoever else holds it is not waited for."""
    os.set_blocking(output, False)
    with contextlib.suppress(BlockingIOError):
        while data := os.read(output, 1 << 16):
            printed.add(data)
            if printed.over(1 << 30):
                return


def _last_word(told: int) -> bytes | None:
    os.set_blocking(told, False)
    with contextlib.suppress(BlockingIOError):
        return os.read(told, 1 << 16)
    return None


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has; it is not waited for, so that its number stays its own."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it with its process group, also what is left of that where it has ended, and wait for it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
