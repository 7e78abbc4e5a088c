"""A shooting range for hostile leaves: things worth stealing and breaking, and a program that lets the attempts loose.

Run as a program, `sandbox_range.py LEVEL [abuses]`, it prints a JSON object: attempt -> what came of it. It is a
program of its own so that it can run as an ordinary user too.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox_attempts import ABUSES, ATTEMPTS

from pytest_ppteval.sandbox.host import Job, Limits, ModelRequest, Outcome, Sandbox, TaskSession

if TYPE_CHECKING:
    from collections.abc import Collection

WALL = 0.7  # seconds that a leaf gets here
LEVELS: dict[str, dict[str, Any]] = {
    "full": {},
    "old": {"max_landlock_abi": 1},
    "landlock": {"layers": ["landlock"]},
    "seccomp": {"layers": ["seccomp"]},
    "weak": {"layers": []},
    "off": {"mode": "off"},
}

_PRELUDE = """
import os, socket

def call(number, *arguments):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    result = libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in (number, *arguments)))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def is_socket(fd):
    import stat
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
"""
_JUDGE = """
def compute_score():
    try:
        got = attempt()
    except OSError as error:
        return f"refused: {type(error).__name__}: {error}", 0.0
    return ("worked", 1.0) if got else ("refused", 0.0)
"""
# A process with a known address to read.
_VICTIM = """
import ctypes, time
private = ctypes.create_string_buffer(b"private!")
print(ctypes.addressof(private), flush=True)
time.sleep(600)
"""


class Range:
    """The things at stake, in one temporary folder, and a watch over them."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="range-"))
        for name in ("home", "graded", "other", "empty", "pictures"):
            (self.folder / name).mkdir()
        self.secret = self.folder / "home" / "key"
        self.secret.write_text("key")
        # Named as pictures that the leaf may read: a link must not grant what it leads to.
        self.links = [self.folder / "pictures" / "file", self.folder / "pictures" / "folder"]
        self.links[0].symlink_to(self.secret)
        self.links[1].symlink_to(self.secret.parent)
        self.original, self.graded = self.folder / "graded" / "before.pptx", self.folder / "graded" / "after.pptx"
        self.other = self.folder / "other" / "deck.pptx"
        import pptx

        for path in (self.original, self.graded, self.other):
            pptx.Presentation().save(str(path))
        self.victim = subprocess.Popen(
            [sys.executable, "-S", "-c", _VICTIM], stdout=subprocess.PIPE, start_new_session=True
        )
        assert self.victim.stdout is not None
        self.address = int(self.victim.stdout.readline())
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(self.folder / "s"))
        self.unix.listen()
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract_name = f"\0ppteval-range-{os.getpid()}"
        self.abstract.bind(self.abstract_name)
        self.abstract.listen()
        for listener in (self.tcp, self.udp, self.unix, self.abstract):
            listener.setblocking(False)
        self.before = self.state()

    def names(self) -> str:
        """The Python that tells an attempt where things are."""
        values = {
            "FOLDER": str(self.folder),
            "HOME": str(self.secret.parent),
            "SECRET": str(self.secret),
            "GRADED": str(self.graded),
            "ORIGINAL": str(self.original),
            "OTHER_DECK": str(self.other),
            "HOST": os.getpid(),
            "VICTIM": self.victim.pid,
            "ADDRESS": self.address,
            "TCP_PORT": self.tcp.getsockname()[1],
            "UDP_PORT": self.udp.getsockname()[1],
            "UNIX_PATH": str(self.folder / "s"),
            "ABSTRACT": self.abstract_name,
            "LOADER": max(glob.glob("/lib*/ld-*.so*")),  # of this machine's own width, where there are others
            "SITE": sysconfig.get_path("purelib"),
            "X86": platform.machine() == "x86_64",
        }
        return "".join(f"{name} = {value!r}\n" for name, value in values.items())

    def state(self) -> dict[str, object]:
        """All that a leaf must leave as it is."""
        state: dict[str, object] = {}
        for path in sorted(self.folder.rglob("*")):
            facts = path.lstat()
            state[str(path.relative_to(self.folder))] = [
                oct(facts.st_mode),
                facts.st_nlink,
                facts.st_mtime_ns,
                facts.st_uid,
                facts.st_gid,
                hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            ]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.victim.wait(0.002)  # a signal takes a moment
        ended = self.victim.poll()
        state["victim"] = ended if ended is not None else os.getpriority(os.PRIO_PROCESS, self.victim.pid)
        return state

    def harm(self) -> list[str]:
        """What has changed, and what has arrived on the sockets."""
        now = self.state()
        found = [name for name in sorted({*now, *self.before}) if now.get(name) != self.before.get(name)]
        for name in ("tcp", "unix", "abstract"):
            listener: socket.socket = getattr(self, name)
            try:
                listener.accept()[0].close()
                found.append(name)
            except BlockingIOError:
                pass
        try:
            self.udp.recv(10)
            found.append("udp")
        except BlockingIOError:
            pass
        return found

    def close(self) -> None:
        """Take it all away."""
        self.victim.kill()
        self.victim.wait()
        assert self.victim.stdout is not None
        self.victim.stdout.close()
        for listener in (self.tcp, self.udp, self.unix, self.abstract):
            listener.close()
        shutil.rmtree(self.folder)


def _run(session: TaskSession, place: Range, body: str) -> Outcome:
    indented = "\n".join("    " + line for line in body.splitlines())
    code = f"{_PRELUDE}{place.names()}\ndef attempt():\n{indented}\n{_JUDGE}"
    job = Job(code=code, original_path=str(place.original), modified_path=str(place.graded))

    def answer(request: ModelRequest) -> str:
        return "yes"

    return session.run(job, answer)


def main(
    level: str, *, abuses: bool, shared: bool, only: Collection[str] | None = None
) -> dict[str, dict[str, object]]:
    """Run every attempt, or those named `only`, and every abuse if asked to, at this level.

    shared: the original is another task's, too. This process's environment has to hold ANTHROPIC_API_KEY=sk-secret.
    """
    results: dict[str, dict[str, object]] = {}
    options = LEVELS[level]
    place = Range()
    with Sandbox(limits=Limits(wall=WALL), **options) as sandbox:
        if shared:
            sandbox.foresee([(place.original, place.graded), (place.original, place.other)])
        # A task with pictures doesn't share its original.
        session = sandbox.open(place.original, place.graded, [] if shared else place.links)
        for kind in (ATTEMPTS, ABUSES if abuses else ()):
            for attempt in kind:
                if level in getattr(attempt, "skip", ()) or (only is not None and attempt.name not in only):
                    continue
                outcome = _run(session, place, attempt.body)
                harm = place.harm()
                results[attempt.name] = {
                    "status": outcome.status,
                    "score": outcome.score,
                    "reason": outcome.reason,
                    "violation": outcome.violation,
                    "error_line": outcome.error_line,
                    "seconds": outcome.seconds,
                    "harm": harm,
                }
                if place.state() != place.before:
                    # Something was broken, as it should be at weak levels: build it up again.
                    session.close()
                    place.close()
                    place = Range()
                    if shared:
                        sandbox.foresee([(place.original, place.graded), (place.original, place.other)])
                    session = sandbox.open(place.original, place.graded, [] if shared else place.links)
        # After all that: an honest leaf.
        results["afterwards"] = {"reason": _run(session, place, "return len(ORIGINAL)").reason}
        results["level"] = {"reason": sandbox.level.name}
        session.close()
    place.close()
    return results


if __name__ == "__main__":
    mutation = next((word.partition("=")[2] for word in sys.argv if word.startswith("mutation=")), None)
    chosen: tuple[str, ...] | None = None
    if mutation is not None:
        from sandbox_mutations import MUTATIONS, mutate

        mutate(MUTATIONS[mutation])
        chosen = MUTATIONS[mutation].noticed
    if alone := [word.partition("=")[2] for word in sys.argv if word.startswith("only=")]:
        chosen = tuple(alone)
    told = main(sys.argv[1], abuses="abuses" in sys.argv, shared="shared" in sys.argv, only=chosen)
    print(json.dumps(told))
