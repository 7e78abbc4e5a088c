"""What the plugin adds to a foreign pytest run: the same run with it and with -p no:ppteval, in alternation.

By the clock and by processor time, which other work on the machine hardly moves. The difference is taken pair by pair.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
BUDGET = 30


def run(folder: str, *arguments: str) -> tuple[float, float]:
    """Milliseconds of one pytest process: by the clock, and of a processor."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    # A user's Python keeps compiled modules; without this a machine that doesn't would measure the compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return elapsed * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def show(name: str, values: list[float], note: str = "") -> None:
    """Median and quartiles of one row."""
    low, middle, high = statistics.quantiles(values, n=4)
    print(f"{name:24} median {middle:6.1f} ms  quartiles {low:.1f}..{high:.1f} ms{note}")


def main() -> None:
    """Print medians, quartiles and the difference."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_one.py").write_text("def test_one(): pass\n", "utf-8")
        Path(folder, "package.json").write_text("{}", "utf-8")
        run(folder)
        pairs = [(run(folder), run(folder, "-p", "no:ppteval")) for _ in range(ROUNDS)]
    for which, name in enumerate(("clock", "processor")):
        show(f"{name}, with", [a[which] for a, _ in pairs])
        show(f"{name}, without", [b[which] for _, b in pairs])
        show(f"{name}, added", [a[which] - b[which] for a, b in pairs], f"  (budget {BUDGET} ms)")


if __name__ == "__main__":
    main()
