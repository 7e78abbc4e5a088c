"""What the plugin adds to a foreign pytest run: the same run with it and with -p no:ppteval, in alternation."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 25


def run(folder: str, *arguments: str) -> float:
    """Seconds of one pytest process."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # A user's Python keeps compiled modules; without this a machine that doesn't would measure the compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    return time.perf_counter() - started


def main() -> None:
    """Print medians, quartiles and the difference."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_one.py").write_text("def test_one(): pass\n", "utf-8")
        Path(folder, "package.json").write_text("{}", "utf-8")
        times: dict[str, list[float]] = {"with": [], "without": []}
        for _ in range(ROUNDS):
            times["with"].append(run(folder))
            times["without"].append(run(folder, "-p", "no:ppteval"))
    for name, values in times.items():
        low, middle, high = (quartile * 1000 for quartile in statistics.quantiles(values, n=4))
        print(f"{name:8} median {middle:6.1f} ms  quartiles {low:.1f}..{high:.1f} ms")
    extra = [(a - b) * 1000 for a, b in zip(times["with"], times["without"], strict=True)]
    low, middle, high = statistics.quantiles(extra, n=4)
    print(f"added    median {middle:6.1f} ms  quartiles {low:.1f}..{high:.1f} ms  (budget 30 ms)")


if __name__ == "__main__":
    main()
