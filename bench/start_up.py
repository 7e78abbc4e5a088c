"""Starting pytest where no bytecode may be written: the installed package as it is, and with its asserts rewritten.

Needs an installed package, since pytest rewrites what an installation's list of files names: python bench/start_up.py
[rounds], with the project's environment. It installs a copy into a folder of its own and compiles it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10


def install(into: Path) -> None:
    """The package, compiled, with its list of files."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(into), str(ROOT)]
    subprocess.run(command, check=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(into)], check=True)


def start(site: Path, folder: str) -> tuple[float, float]:
    """Seconds of one run of pytest on the suite, collected only: of the processor, and of the clock."""
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", str(ROOT / "cases")]
    started, before = time.perf_counter(), os.times()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    worked = after.children_user - before.children_user + after.children_system - before.children_system
    return worked, time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain, rewritten = Path(folder) / "plain", Path(folder) / "rewritten"
        for site in (plain, rewritten):
            install(site)
        init = rewritten / "pytest_ppteval" / "__init__.py"
        init.write_text(init.read_text("utf-8").replace("\n_keep_asserts_plain()\n", "\n"), "utf-8")
        took: dict[Path, list[tuple[float, float]]] = {plain: [], rewritten: []}
        for _ in range(ROUNDS):
            for site, found in took.items():
                found.append(start(site, folder))
    for site, found in took.items():
        for what, seconds in zip(("processor", "clock"), zip(*found, strict=True), strict=True):
            spread = f"from {min(seconds):.2f} to {max(seconds):.2f}"
            print(f"{site.name:10} {what:10} {statistics.median(seconds):.2f} s ({spread})")


if __name__ == "__main__":
    main()
