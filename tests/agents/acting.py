"""What the agents here do, in the order of the words in $AGENT_DOES; how they tell of it is each one's own `Wire`."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
import zipfile
from pathlib import Path
from typing import Protocol

from agents.misbehaving import DEEDS


class Wire(Protocol):
    """How an agent tells what it does."""

    def start(self) -> None: ...
    def tool(self, name: str, arguments: dict[str, str], result: str) -> None: ...
    def end(self, text: str) -> None: ...
    def fail(self, text: str) -> None: ...


def act(wire: Wire, given: str, output: str) -> None:
    """Do it all, and end well unless something else was asked for. `given` and `output` are paths, or ""."""
    words = os.environ.get("AGENT_DOES", "edit").split()
    for word in words:
        name, _, argument = word.partition(":")
        if name == "start":
            wire.start()
        elif name == "edit":
            edit(Path(given), Path(output))
            wire.tool("Bash", {"command": f"python edit.py {output}"}, "saved")
        elif name == "look":
            wire.tool("Read", {"file_path": given}, "2 slides")
        elif name == "half":
            data = Path(given).read_bytes()
            Path(output).write_bytes(data[: len(data) // 2])
            wire.tool("Write", {"file_path": output}, "ok")
        elif name == "write":
            Path(argument).parent.mkdir(parents=True, exist_ok=True)
            Path(argument).write_text("written by the agent\n", "utf-8")
        elif name == "delete":
            Path(argument).unlink()
        elif name == "link":
            Path(output or "link").symlink_to(argument)
        elif name == "pipe":
            os.mkfifo("pipe")
        elif name == "wait":
            time.sleep(float(argument))
        elif name == "children":
            children(Path(argument))
        elif name == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif name == "garbage":
            sys.stdout.buffer.write(bytes(range(256)) * 40)
            sys.stdout.flush()
        elif name == "flood":
            for number in range(int(argument)):
                print(f"line {number} {'x' * 1000}")
        elif name == "fill":
            fill(Path("filled"))
        elif name == "print":
            print(os.environ.get(argument, argument), flush=True)
        elif name == "first-time":
            # The first attempt ends here.
            if not Path(argument).exists():
                Path(argument).touch()
                leave("the first attempt fails", 1)
        elif name == "busy":
            leave("no seat is free", 75)
        elif name == "crash":
            leave("Traceback: it broke", 1)
        elif name == "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        elif name == "fail":
            wire.fail(argument.replace("_", " "))
            sys.exit(1)
        elif name == "end":
            wire.end("Done: the lecture is number 4.")
        elif name in DEEDS:
            DEEDS[name](argument)
        else:
            raise SystemExit(f"the agent doesn't know {word}")
    wire.end("Done: the lecture is number 4.")


def edit(given: Path, output: Path) -> None:
    """The deck with another number in its title."""
    with zipfile.ZipFile(given) as old, zipfile.ZipFile(output, "w") as new:
        for item in old.infolist():
            new.writestr(item, old.read(item).replace(b"Lecture 3", b"Lecture 4"))


def children(pids: Path) -> None:
    """A child, one in a session of its own, and one whose parents are gone; each writes its number into `pids`."""

    def live() -> None:
        with pids.open("a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        time.sleep(120)
        os._exit(0)

    if os.fork() == 0:
        live()
    if os.fork() == 0:
        os.setsid()
        live()
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            live()
        os._exit(0)
    os.waitpid(middle, 0)
    while not pids.exists() or len(pids.read_text("ascii").splitlines()) < 3:
        time.sleep(0.01)


def fill(path: Path) -> None:
    """Write until nothing more can be written, and more."""
    number = 0
    while True:
        number += 1
        try:
            with path.with_name(f"{path.name}-{number}").open("wb") as file:
                for _ in range(10):
                    file.write(b"x" * 1_000_000)
                    file.flush()
        except OSError:
            shutil.rmtree("none", ignore_errors=True)
        time.sleep(0.01)


def leave(words: str, code: int) -> None:
    """End at once, with words on stderr."""
    sys.stdout.flush()
    print(words, file=sys.stderr, flush=True)
    os._exit(code)
