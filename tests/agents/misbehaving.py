"""What agents do that nobody asked for: each a word in $AGENT_DOES, done by a real program to whoever runs it."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path


def deep(argument: str) -> None:
    """Folders in folders, below where any path reaches."""
    here = os.open(".", os.O_RDONLY)
    for _ in range(int(argument)):
        os.mkdir("d" * 50, dir_fd=here)
        below = os.open("d" * 50, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("hidden", os.O_CREAT | os.O_WRONLY, dir_fd=here))


def many(argument: str) -> None:
    """Very many files."""
    Path("many").mkdir()
    for number in range(int(argument)):
        os.close(os.open(f"many/{number}", os.O_CREAT | os.O_WRONLY))


def odd_names(_: str) -> None:
    """Names that are no text, that steer a terminal, that look like options; folders that nobody may enter."""
    for name in (b"\xff\xfe", b"a\x1b[2Jb", b"-rf", b"new\nline", b"x" * 255):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    os.makedirs("locked/in")
    Path("locked/in/file").touch()
    os.chmod("locked/in", 0)
    os.chmod("locked", 0)


def away(argument: str) -> None:
    """A link to another folder in the place of the workspace."""
    here = os.getcwd()
    os.rename(here, f"{here}-old")
    os.symlink(argument, here)


def flee(pids: str) -> None:
    """A child that nothing tells from a stranger's: no parent, its own session, no environment, deaf."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        os.setsid()
        code = (
            "import os, signal, sys, time\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n')\n"
            "time.sleep(120)\n"
        )
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", code, pids], {})
    while not Path(pids).exists() or not Path(pids).read_text("ascii").strip():
        time.sleep(0.01)


def halt_supervisor(argument: str) -> None:
    """Stop the process that watches, again and again: so many seconds."""
    end = time.monotonic() + float(argument)
    while time.monotonic() < end:
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(0.0005)


def kill_supervisor(_: str) -> None:
    """Kill the process that watches; this one goes down with it."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def too_large(argument: str) -> None:
    """A file that grows until the kernel says no, faster than anybody looks; sparse, or gone again, where asked for."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("big", "wb") as file:
        if argument == "sparse":
            file.seek(1 << 40)
        try:
            while True:
                file.write(b"x" * 4_000_000)
                file.flush()
        except OSError as error:
            words = str(error)
        if argument:
            os.unlink("big")
    print(f"OSError: {words}", file=sys.stderr, flush=True)
    os._exit(1)


def flood(argument: str) -> None:
    """Very many short lines."""
    piece = b"x\n" * 10_000
    for _ in range(int(argument) // 10_000):
        sys.stdout.buffer.write(piece)
    sys.stdout.flush()


def change(argument: str) -> None:
    """Write into a file of the user's own."""
    with open(argument, "ab") as file:
        file.write(b"changed by the agent")


DEEDS = {
    "deep": deep,
    "many": many,
    "odd-names": odd_names,
    "away": away,
    "flee": flee,
    "halt-supervisor": halt_supervisor,
    "kill-supervisor": kill_supervisor,
    "too-large": too_large,
    "short-lines": flood,
    "change": change,
}
