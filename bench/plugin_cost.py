"""What the plugin adds to a foreign pytest run: the same run with it and with -p no:ppteval, in alternation.

Each run is a fork of a process that has imported pytest and all other plugins, so that of a start of half a second,
whose spread would hide the answer, only what differs is left: the plugin's own import, and its hooks. With `whole` as
second argument, whole processes are measured, as a user starts them. By the clock and by processor time, pair by pair.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WHOLE = len(sys.argv) > 2 and sys.argv[2] == "whole"
BUDGET = 30


def arguments(*more: str) -> list[str]:
    """Of a run."""
    return ["-p", "no:cacheprovider", *more]


def whole(folder: str, *more: str) -> tuple[float, float]:
    """Milliseconds of one pytest process: by the clock, and of a processor."""
    # A user's Python keeps compiled modules; without this a machine that doesn't would measure the compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    command = [sys.executable, "-m", "pytest", *arguments(*more)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=environment)
    return ended(process.pid, started)


def forked(folder: str, *more: str) -> tuple[float, float]:
    """The same of a fork that runs pytest."""
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), 1)
        os._exit(pytest.main(arguments(*more)))
    return ended(pid, started)


def ended(pid: int, started: float) -> tuple[float, float]:
    """What a process took."""
    _, status, usage = os.wait4(pid, 0)
    elapsed = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"pytest ended with {os.waitstatus_to_exitcode(status)}")
    return elapsed * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def show(name: str, values: list[float], note: str = "") -> None:
    """Median and quartiles of one row."""
    low, middle, high = statistics.quantiles(values, n=4)
    print(f"{name:24} median {middle:6.1f} ms  quartiles {low:.1f}..{high:.1f} ms{note}")


def main() -> None:
    """Print medians, quartiles and the difference."""
    run = whole if WHOLE else forked
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_one.py").write_text("def test_one(): pass\n", "utf-8")
        Path(folder, "package.json").write_text("{}", "utf-8")
        whole(folder)  # compiles what isn't compiled yet
        if not WHOLE:
            with open(os.devnull, "w", encoding="utf-8") as nothing, contextlib.redirect_stdout(nothing):
                pytest.main([*arguments("-p", "no:ppteval"), folder])
            assert not [name for name in sys.modules if name.startswith("pytest_ppteval")]
        pairs = [(run(folder), run(folder, "-p", "no:ppteval")) for _ in range(ROUNDS)]
    for which, name in enumerate(("clock", "processor")):
        show(f"{name}, with", [a[which] for a, _ in pairs])
        show(f"{name}, without", [b[which] for _, b in pairs])
        show(f"{name}, added", [a[which] - b[which] for a, b in pairs], f"  (budget {BUDGET} ms)")


if __name__ == "__main__":
    main()
